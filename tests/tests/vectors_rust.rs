//! Golden vectors of the shipped contracts, replayed in Rust.

use std::path::Path;

use wirecontract_tests::differential::{Machine, Shipped, vectors};

#[test]
fn the_vectors_replay_in_rust() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_rust"));
    let driver = bench.rust(&shipped.rust(), Machine::Native);
    let file = bench.artifact("vectors/wirecontract/cuvis.json");
    assert!(vectors::replay(&shipped.catalog, &file, &driver) > 50);
}
