//! Golden vectors of the shipped contracts, replayed in C++: on this machine, on 32 bits and on a big-endian one.

use std::path::Path;

use wirecontract_tests::differential::{Machine, Shipped, vectors};

fn replay_on(machine: Machine) {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join(format!("vectors_cpp_{}", machine.name())));
    let driver = bench.cpp(machine, &["-O1"]);
    for (family, least) in [("buffer", 50), ("cuvis", 50), ("video", 50)] {
        let file = bench.artifact(&format!("vectors/wirecontract/{family}.json"));
        let replayed = vectors::replay_descriptors(&shipped.catalog, &file, &driver);
        assert!(replayed > least, "{family}: {replayed} cases");
    }
}

#[test]
fn the_vectors_replay_here() {
    replay_on(Machine::Native);
}

#[test]
fn the_vectors_replay_on_32_bits() {
    replay_on(Machine::Bits32);
}

#[test]
fn the_vectors_replay_on_a_big_endian_machine() {
    replay_on(Machine::BigEndian);
}
