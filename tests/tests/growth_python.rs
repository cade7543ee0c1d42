#![allow(missing_docs, reason = "contracts of this test alone")]
//! Descriptors that grow, in Python: what the interpreter says of every version, length and fault.

use std::path::Path;

use wirecontract::{Flags, Open, WireContract};
use wirecontract_codegen::catalog::{read_file, resolve};
use wirecontract_codegen::emit::PackageConfig;
use wirecontract_codegen::fixtures;
use wirecontract_codegen::interpret::{Host, has_prefix};
use wirecontract_codegen::model::{Body, Catalog, ContractId};
use wirecontract_tests::differential::{
    Driver, Operation, Request, Workbench, all_families, compare, inputs, vectors,
};
use wirecontract_tests::random::Random;

/// How samples are packed.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Packing {
    /// One after the other.
    Tight = 1,
    /// In rows.
    Rows = 2,
}

/// What a peer can do.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(flags)]
pub enum Ability {
    /// It maps memory.
    Map = 1,
    /// It waits for fences.
    Fence = 2,
}

/// A box with a rule of its own.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size = 4)]
#[wire(rule(x != 3))]
pub struct Region {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

/// Big-endian, with rules and conditions over fields that older versions have not.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed, endian = big, version = 3, size(v1 = 16, v2 = 46, v3 = 54))]
#[wire(rule(gain <= 1000 && width != gain))]
#[wire(rule(width <= height + 60000), at = import)]
pub struct Packet {
    #[wire(magic = b"PACK")]
    pub magic: [u8; 4],
    #[wire(version = 3)]
    pub version: u16,
    pub width: u16,
    pub height: u32,
    /// Reserved until version 3 put it to use.
    #[wire(since = 3, default = 0)]
    pub crop: u32,
    #[wire(since = 2, default = 100)]
    pub gain: u32,
    #[wire(since = 2, default = Rows)]
    pub packing: Packing,
    #[wire(since = 2, default = Tight)]
    pub next_packing: Open<Packing>,
    #[wire(since = 2, default = Map | Fence)]
    pub abilities: Flags<Ability>,
    #[wire(since = 2, default = 1.5)]
    pub scale: f32,
    #[wire(since = 2, default)]
    pub region: Region,
    #[wire(since = 2, default = "lwir", text)]
    pub name: [u8; 8],
    #[wire(since = 2, length_of = levels, default = 2)]
    pub level_count: u16,
    #[wire(since = 2, default = [5, 6])]
    pub levels: [u16; 2],
    #[wire(since = 3, default = -1)]
    pub offset: i64,
}

fn declared() -> Catalog {
    let program = std::env::current_exe().expect("a running program has a path");
    let library = read_file(&program).expect("this program carries records");
    let own = library.records.iter().filter(|record| record.contract.module.starts_with("growth_python"));
    resolve(own).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn bench<'a>(catalog: &'a Catalog, folder: &str) -> Workbench<'a> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    Workbench::new(all_families(catalog, &PackageConfig::default_for("grown")), &folder)
}

fn growing(catalog: &Catalog) -> impl Iterator<Item = ContractId> + '_ {
    let grows = |body: &Body| matches!(body, Body::Descriptor(descriptor) if descriptor.growth.is_some());
    catalog.iter().filter(move |(_, contract)| grows(&contract.body)).map(|(id, _)| id)
}

/// Every length up to a few bytes beyond the newest version's, with every version that may be said and one more, before
/// everything that can be asked.
fn every_length(catalog: &Catalog, random: &mut Random) -> Vec<Request> {
    let mut requests = Vec::new();
    for contract in growing(catalog) {
        let descriptor = catalog.get(contract).descriptor();
        let newest = descriptor.growth.as_ref().expect("it grows").newest();
        let mut operations = vec![Operation::Read, Operation::Newer, Operation::VersionOf];
        operations.extend(has_prefix(descriptor).then_some(Operation::Prefix));
        operations.extend((0..=newest + 1).map(Operation::Version));
        for length in 0..descriptor.size as usize + 4 {
            for version in 0..=newest + 1 {
                let mut bytes = inputs::accepted(catalog, contract, Host::this(), random);
                bytes.resize(length, 0);
                if let Some(field) = descriptor.version_field() {
                    let place = field.offset as usize..(field.offset + 2) as usize;
                    let version = u16::try_from(version).expect("a small number");
                    let is_big = field.ty.endian == wirecontract_codegen::model::Endian::Big;
                    let said = if is_big { version.to_be_bytes() } else { version.to_le_bytes() };
                    if let Some(place) = bytes.get_mut(place) {
                        place.copy_from_slice(&said);
                    }
                }
                requests.extend(operations.iter().map(|&operation| Request {
                    contract,
                    operation,
                    bytes: bytes.clone(),
                }));
            }
        }
    }
    requests
}

fn agree(catalog: &Catalog, requests: &[Request], driver: &Driver) -> usize {
    compare(catalog, requests, &[driver]).unwrap_or_else(|disagreement| panic!("{disagreement}")).violated
}

#[test]
fn python_and_the_interpreter_agree_on_every_version() {
    let mut random = Random::new(Random::seed());
    for (catalog, folder) in [(fixtures::growing(), "growth_fixture"), (declared(), "growth_declared")] {
        let bench = bench(&catalog, folder);
        let driver = bench.python();
        agree(&catalog, &every_length(&catalog, &mut random), &driver);
        let violated = agree(&catalog, &inputs::requests(&catalog, Host::this(), 4000, &mut random), &driver);
        assert_eq!(violated > 100, folder == "growth_declared", "{violated} violations of rules in {folder}");
    }
}

#[test]
fn the_vectors_of_descriptors_that_grow_replay_in_python() {
    for (catalog, folder) in
        [(fixtures::growing(), "growth_fixture_vectors"), (declared(), "growth_declared_vectors")]
    {
        let bench = bench(&catalog, folder);
        let family = catalog.contracts[0].family();
        let file = bench.artifact(&format!("vectors/grown/{family}.json"));
        let replayed = vectors::replay(&catalog, &file, &bench.python());
        assert!(replayed > 60, "{replayed} cases of {folder}");
    }
}

#[test]
fn another_default_of_any_field_is_noticed() {
    let catalog = fixtures::growing();
    let bench = bench(&catalog, "growth_mutated");
    let driver = bench.python();
    let mut random = Random::new(Random::seed());
    let requests = every_length(&catalog, &mut random);
    for id in growing(&catalog) {
        for added in catalog.added(id).iter().filter(|added| !added.is_hole && catalog.has_default(added)) {
            let mut changed = catalog.clone();
            let Body::Descriptor(descriptor) = &mut changed.contracts[id.0].body else { unreachable!() };
            let growth = descriptor.growth.as_mut().expect("it grows");
            growth.defaults[added.range().start - growth.sizes[0] as usize] ^= 1;
            assert!(
                compare(&changed, &requests, &[&driver]).is_err(),
                "{added:?} of {}",
                catalog.get(id).name
            );
        }
    }
}
