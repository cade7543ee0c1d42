//! Golden vectors of the shipped contracts, replayed in Python.

use std::path::Path;

use wirecontract_tests::differential::{Shipped, vectors};

#[test]
fn the_vectors_replay_in_python() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_python"));
    let driver = bench.python();
    for (family, least) in [("buffer", 100), ("cuvis", 50), ("texture", 1000), ("video", 50)] {
        let file = bench.artifact(&format!("vectors/wirecontract/{family}.json"));
        let replayed = vectors::replay(&shipped.catalog, &file, &driver);
        assert!(replayed > least, "{family}: {replayed} cases");
    }
}
