//! Golden vectors of the shipped contracts, replayed in Rust.

use std::path::Path;

use wirecontract_tests::differential::{Machine, Rust, Shipped, vectors};

#[test]
fn the_vectors_replay_in_rust() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_rust"));
    let driver = bench.rust(&shipped.rust(), Machine::Native);
    for (family, least) in [("buffer", 100), ("cuvis", 50), ("texture", 1000), ("video", 50)] {
        let file = bench.artifact(&format!("vectors/wirecontract/{family}.json"));
        let replayed = vectors::replay(&shipped.catalog, &file, &driver);
        assert!(replayed > least, "{family}: {replayed} cases");
    }
}

/// Part of `cargo xtask test --all`: the standard libraries for other machines come with the oldest supported Rust.
#[test]
fn the_vectors_replay_in_rust_on_32_bits_and_on_a_big_endian_machine() {
    if std::env::var_os("WIRECONTRACT_TEST_ALL").is_none() {
        eprintln!("this is large: set WIRECONTRACT_TEST_ALL to run it");
        return;
    }
    let folder = std::env::var_os("WIRECONTRACT_RUST_1_85").expect(
        "expected WIRECONTRACT_RUST_1_85 to name a folder with bin/rustc and the standard libraries for i686 and \
         s390x: run `cargo xtask test --all rust`, which sets it up",
    );
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let shipped = Shipped::read(scratch);
    let bench = shipped.workbench(&scratch.join("vectors_rust_elsewhere"));
    let files = ["buffer", "cuvis", "video"]
        .map(|family| bench.artifact(&format!("vectors/wirecontract/{family}.json")));
    for machine in [Machine::Bits32, Machine::BigEndian] {
        let rust = Rust {
            rustc: Some(Path::new(&folder).join("bin/rustc")),
            // The builds of two compilers do not mix.
            target: scratch.join("cargo-1.85"),
            ..shipped.rust()
        };
        let driver = bench.rust(&rust, machine);
        for file in &files {
            assert!(vectors::replay(&shipped.catalog, file, &driver) > 50);
        }
    }
}
