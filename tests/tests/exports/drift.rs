//! A library whose function `scale` is not what its users were compiled for: each is told before anything is called.

use std::path::Path;
use std::process::{Command, ExitCode, Output};

use clap::Parser;
use wirecontract_codegen::{gen_stubs, verify};
use wirecontract_tests::differential::toolchain;
use wirecontract_tests::repository;

use super::library::{Library, build, declared, generated, program, run, said, source};

#[derive(Parser)]
struct Verify {
    #[command(flatten)]
    args: verify::Args,
}

#[derive(Parser)]
struct GenStubs {
    #[command(flatten)]
    args: gen_stubs::Args,
}

/// What `verify` says of a library and of the files that its users have.
fn verified(library: &Library) -> (bool, String) {
    let line = ["verify".into(), "--library".into(), library.shared.clone().into_os_string()];
    let header = generated().join("include/rig/library.h").into_os_string();
    let python = generated().join("python/rig/library.py").into_os_string();
    let files = ["--header".into(), header, "--python".into(), python];
    verify::report(&Verify::parse_from(line.into_iter().chain(files)).args).expect("a library")
}

/// A program that was linked with the library as it is declared, and finds another one.
fn started(program: &Path, library: &Library) -> Output {
    run(Command::new(program).env("LD_LIBRARY_PATH", library.shared.parent().expect("a folder")))
}

/// What Python says of loading it.
fn loaded(library: &Library) -> String {
    let script = "import sys\nfrom rig import library\nfrom rig._wire import WireError\n\
                  try:\n    library.load(sys.argv[1])\nexcept WireError as error:\n    print(error.code.name, error)\n\
                  else:\n    print('loaded', library.scale(2.0, 3.0))\n";
    let mut python = toolchain::python();
    python.args(["-c", script]).arg(&library.shared).env("PYTHONPATH", generated().join("python"));
    toolchain::run(&mut python)
}

#[test]
fn users_of_the_library_that_is_declared_are_told_nothing() {
    let (agree, text) = verified(declared());
    assert!(agree, "{text}");
    assert_eq!(loaded(declared()), "loaded 6.0\n");
}

#[test]
fn every_change_of_a_prototype_is_refused_by_name_before_a_call() {
    let linked = program(&source("rig.c"), declared(), "rig-drift", &[]);
    for form in ["renamed", "removed", "retyped", "reordered", "gained"] {
        let library = build(form);
        let (agree, text) = verified(&library);
        let names = |line: &&str| line.contains("`rig_scale`");
        assert!(
            !agree && text.lines().filter(names).count() == 2,
            "{form}: header and module are named:\n{text}"
        );

        let output = started(&linked, &library);
        let words = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{form}: {}", said(&output));
        assert!(words.starts_with("rig_scale: expected ") && words.contains(", found "), "{form}: {words}");

        let words = loaded(&library);
        assert!(words.starts_with("ID_MISMATCH ") && words.contains("rig_scale"), "{form}: {words}");

        let line = ["gen-stubs", "--check", "--manifest-path"].map(Into::into).into_iter().chain([
            repository().join("tests/exports/Cargo.toml").into_os_string(),
            "--library".into(),
            library.shared.clone().into_os_string(),
        ]);
        assert_eq!(gen_stubs::run(&GenStubs::parse_from(line).args), ExitCode::from(1), "{form}");
    }
}

#[test]
fn a_function_that_is_gone_is_missed_before_a_call() {
    let library = build("missing");
    let (agree, text) = verified(&library);
    assert!(!agree && text.lines().filter(|line| line.contains("`rig_scale`")).count() >= 2, "{text}");

    let linked = program(&source("rig.c"), declared(), "rig-missing", &[]);
    let output = started(&linked, &library);
    assert!(!output.status.success() && said(&output).contains("rig_scale"), "{}", said(&output));

    let words = loaded(&library);
    assert!(words.starts_with("ID_MISMATCH ") && words.contains("rig_scale"), "{words}");
}
