//! The shipped contracts in every language at once: the same bytes, the same verdicts, the same values.

use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use wirecontract_codegen::interpret::{Host, has_prefix};
use wirecontract_codegen::model::{Catalog, ContractId};
use wirecontract_tests::differential::{
    Driver, Machine, Operation, Request, Shipped, compare, inputs, probes,
};
use wirecontract_tests::random::Random;

fn scratch() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn descriptors(catalog: &Catalog) -> Vec<ContractId> {
    catalog.iter().filter(|(_, contract)| contract.kind() == "descriptor").map(|(id, _)| id).collect()
}

/// A request that starts as bytes of a descriptor and is changed in a few places; what shrinks is the number of
/// changes, then the bytes themselves.
fn request(catalog: &Catalog, host: Host) -> impl Strategy<Value = Request> + use<'_> {
    let bytes = (select(descriptors(catalog)), any::<u64>(), vec((any::<Index>(), any::<u8>()), 0..4));
    let length = prop_oneof![8 => Just(None), 1 => any::<Index>().prop_map(Some)];
    (bytes, length, 0..8_usize, any::<Index>()).prop_map(
        move |((id, seed, changes), length, operation, probe)| {
            let mut bytes = inputs::accepted(catalog, id, host, &mut Random::new(seed));
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(length) = length {
                bytes.resize(length.index(bytes.len() * 2), 0x5a);
            }
            let probes = probes(catalog, id).len();
            let operation = match operation {
                0 if has_prefix(catalog.get(id).descriptor()) => Operation::Prefix,
                1 => Operation::Short,
                2 if probes > 0 => Operation::Probe(probe.index(probes)),
                _ => Operation::Read,
            };
            Request { contract: id, operation, bytes }
        },
    )
}

fn agree(catalog: &Catalog, host: Host, drivers: &[&Driver]) {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&Random::seed().to_le_bytes());
    let config = Config { cases: 16, max_shrink_iters: 400, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let outcome =
        TestRunner::new_with_rng(config, rng).run(&vec(request(catalog, host), 1..400), |requests| {
            compare(catalog, &requests, drivers)
                .map(|_| ())
                .map_err(|disagreement| TestCaseError::fail(disagreement.to_string()))
        });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn four_languages_and_the_interpreter_agree_on_the_shipped_contracts() {
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("agreement"));
    let drivers = [
        bench.rust(&shipped.rust(), Machine::Native),
        bench.c(Machine::Native, &["-O2", "-fsanitize=undefined", "-fno-sanitize-recover=all"]),
        bench.cpp(Machine::Native, &["-O1"]),
        bench.python(),
    ];
    let drivers: Vec<&Driver> = drivers.iter().collect();
    agree(&shipped.catalog, Host::this(), &drivers);
    let mut random = Random::new(Random::seed());
    let requests = inputs::requests(&shipped.catalog, Host::this(), 10_000, &mut random);
    compare(&shipped.catalog, &requests, &drivers).unwrap_or_else(|disagreement| panic!("{disagreement}"));
}

#[test]
fn a_32_bit_and_a_big_endian_machine_agree_on_the_shipped_contracts() {
    let shipped = Shipped::read(scratch());
    let bench = shipped.workbench(&scratch().join("agreement_elsewhere"));
    for machine in [Machine::Bits32, Machine::BigEndian] {
        let drivers = [bench.c(machine, &["-O2"]), bench.cpp(machine, &["-O1"])];
        let drivers: Vec<&Driver> = drivers.iter().collect();
        agree(&shipped.catalog, machine.host(), &drivers);
    }
}
