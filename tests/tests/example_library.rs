//! The library that a user ships says the same as the one that a user builds from: the example's, stripped and
//! optimised across crates.

use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Parser;
use wirecontract_codegen::gen_stubs::{self, Args};
use wirecontract_tests::repository;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

#[test]
fn the_stripped_library_of_the_example_gives_the_committed_artifacts() {
    let example = repository().join("examples/sensor-sdk");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--locked"])
        .current_dir(&example)
        .env("CARGO_TARGET_DIR", &target)
        .status()
        .expect("cargo starts");
    assert!(status.success(), "the example builds");
    let library = target.join("release").join(format!(
        "{}sensor_sdk{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let bytes = std::fs::read(&library).expect("the example is a cdylib");
    assert!(!bytes.windows(8).any(|window| window == b".symtab\0"), "the example's library is stripped");
    let line = ["gen-stubs", "--check", "--manifest-path"].map(Into::into);
    let line = line.into_iter().chain([
        example.join("Cargo.toml").into_os_string(),
        "--library".into(),
        library.into_os_string(),
    ]);
    assert_eq!(gen_stubs::run(&Line::parse_from(line).args), ExitCode::SUCCESS);
}
