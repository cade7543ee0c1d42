//! Descriptors that grow, in C and C++: every version, of every length about it, means what the interpreter says.

use std::path::Path;

use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::{Catalog, ContractId, Endian, Role};
use wirecontract_tests::differential::{
    Driver, Machine, Operation, Request, Workbench, all_families, compare, inputs,
};
use wirecontract_tests::random::Random;

#[test]
fn every_version_means_the_same_in_c_and_cpp() {
    let mut random = Random::new(Random::seed());
    for (name, catalog) in [("growing", fixtures::growing()), ("grown", fixtures::grown())] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agreement_growth").join(name);
        let bench = Workbench::new(all_families(&catalog, &PackageConfig::default_for("growth")), &folder);
        for machine in Machine::ALL {
            let flags: &[&str] = match machine {
                Machine::Native => &["-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all"],
                _ => &["-O2"],
            };
            let drivers = [bench.c(machine, flags), bench.cpp(machine, &["-O1"])];
            let drivers: Vec<&Driver> = drivers.iter().collect();
            let mut requests = every_length(&catalog, machine.host());
            requests.extend(inputs::requests(&catalog, machine.host(), 4000, &mut random));
            compare(&catalog, &requests, &drivers)
                .unwrap_or_else(|disagreement| panic!("{name} on {}: {disagreement}", machine.name()));
        }
    }
}

/// What every version says of itself and of the next one, in all lengths up to one that none has, asked everything.
fn every_length(catalog: &Catalog, host: Host) -> Vec<Request> {
    let mut requests = Vec::new();
    for (id, contract) in catalog.iter().filter(|(_, contract)| contract.kind() == "descriptor") {
        let descriptor = contract.descriptor();
        let Some(growth) = &descriptor.growth else { continue };
        let newest = growth.newest();
        let mut operations = vec![Operation::Read, Operation::Newer, Operation::VersionOf];
        operations.extend((0..=newest + 1).map(Operation::Version));
        if descriptor.version_field().is_some() {
            operations.push(Operation::Prefix);
        }
        for version in 0..=newest + 1 {
            let image = said(catalog, id, version, host);
            for length in 0..=image.len() {
                for &operation in &operations {
                    requests.push(Request { contract: id, operation, bytes: image[..length].to_vec() });
                }
            }
        }
    }
    requests
}

/// The defaults of a descriptor, and more, with its magic and a version.
fn said(catalog: &Catalog, id: ContractId, version: u32, host: Host) -> Vec<u8> {
    let descriptor = catalog.get(id).descriptor();
    let mut bytes = catalog.defaults(id, host == Host::Big);
    bytes.extend([0xa5; 3]);
    for field in &descriptor.fields {
        let size = catalog.field_size(field) as usize;
        let place = &mut bytes[field.offset as usize..][..size];
        match &field.role {
            Role::Magic(magic) => place.copy_from_slice(magic),
            Role::Version(_) => {
                place.copy_from_slice(&u64::from(version).to_le_bytes()[..size]);
                let is_big = host == Host::Big && field.ty.endian == Endian::Native;
                if is_big || field.ty.endian == Endian::Big {
                    place.reverse();
                }
            }
            _ => {}
        }
    }
    bytes
}
