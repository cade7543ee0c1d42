//! Golden vectors of the shipped contracts, replayed in Python.

use std::path::Path;

use wirecontract_tests::differential::{Shipped, vectors};

#[test]
fn the_vectors_replay_in_python() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_python"));
    let file = bench.artifact("vectors/wirecontract/cuvis.json");
    assert!(vectors::replay(&shipped.catalog, &file, &bench.python()) > 50);
}
