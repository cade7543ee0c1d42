//! What older and newer versions of a descriptor that grows say, and how a value is written for them.

use std::fmt::Write as _;

use super::samples::{Sample, sample};
use super::{case, fault};
use crate::interpret::{self, Host, hex};
use crate::model::{Catalog, ContractId, Growth};

/// The cases that only a descriptor which grows has.
pub(super) fn cases(catalog: &Catalog, id: ContractId, host: Host, growth: &Growth) -> Vec<String> {
    let maker = Maker { catalog, id, host, growth };
    let mut cases = vec![maker.defaults()];
    for version in 1..growth.newest() {
        for kind in [Sample::Minimum, Sample::Maximum, Sample::Places] {
            let bytes = maker.of_version(&sample(catalog, id, host, kind), version);
            cases.push(maker.read(&format!("version {version}: {}", kind.name()), &bytes));
        }
        let mut bytes = maker.of_version(&sample(catalog, id, host, Sample::Minimum), version);
        bytes.push(0);
        cases.push(maker.read(&format!("version {version}: one byte more"), &bytes));
        bytes.truncate(bytes.len() - 2);
        cases.push(maker.read(&format!("version {version}: one byte short"), &bytes));
    }
    let minimum = sample(catalog, id, host, Sample::Minimum);
    let first = maker.of_version(&minimum, 1);
    cases.push(maker.newer("or newer: version 1", &first));
    let mut bytes = minimum.clone();
    bytes.extend([0xa5; 3]);
    interpret::say_version(catalog, id, &mut bytes, growth.newest() + 1, host);
    cases.push(maker.newer("or newer: more bytes", &bytes));
    cases.push(maker.read("newer: more bytes", &bytes));
    cases.push(maker.newer("or newer: one byte short", &bytes[..minimum.len() - 1]));
    cases
}

struct Maker<'a> {
    catalog: &'a Catalog,
    id: ContractId,
    host: Host,
    growth: &'a Growth,
}

impl Maker<'_> {
    /// Nothing but defaults in what came after the first version, written as each version has it.
    fn defaults(&self) -> String {
        let mut bytes = self.catalog.defaults(self.id, self.host == Host::Big);
        let first = self.growth.size(1) as usize;
        let minimum = sample(self.catalog, self.id, self.host, Sample::Minimum);
        bytes[..first].copy_from_slice(&minimum[..first]);
        for added in self.catalog.added(self.id).into_iter().filter(|added| added.is_hole) {
            bytes[added.range()].fill(0);
        }
        self.read("defaults", &bytes)
    }

    fn read(&self, name: &str, bytes: &[u8]) -> String {
        let verdict = interpret::read(self.catalog, self.id, bytes, self.host);
        let mut how = String::new();
        if let Ok(version) = interpret::version_of(self.catalog, self.id, bytes, self.host) {
            write!(how, "\"version\":{version},").expect("a string takes all that is written");
        }
        if let Ok(reading) = &verdict {
            let written = (0..=self.growth.newest() + 1).map(|version| {
                let written =
                    interpret::write_version(self.catalog, self.id, &reading.value, version, self.host);
                match written {
                    Ok(bytes) => format!("{{\"version\":{version},\"written\":\"{}\"}}", hex(&bytes)),
                    Err(refused) => format!("{{\"version\":{version},\"fault\":{}}}", fault(&refused)),
                }
            });
            let written: Vec<String> = written.collect();
            write!(how, "\"versions\":[{}],", written.join(",")).expect("a string takes all that is written");
        }
        case(name, None, bytes, &how, verdict, None)
    }

    fn newer(&self, name: &str, bytes: &[u8]) -> String {
        let verdict = interpret::read_or_newer(self.catalog, self.id, bytes, self.host);
        case(name, None, bytes, "\"newer\":true,", verdict, None)
    }

    /// The bytes as an older version has them.
    fn of_version(&self, bytes: &[u8], version: u32) -> Vec<u8> {
        let mut bytes = bytes[..self.growth.size(version) as usize].to_vec();
        interpret::say_version(self.catalog, self.id, &mut bytes, version, self.host);
        bytes
    }
}
