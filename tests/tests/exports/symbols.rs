//! What the library exports, and that it is what it declares.

use std::process::{Command, ExitCode};

use clap::Parser;
use wirecontract_codegen::verify;
use wirecontract_tests::differential::toolchain;

use super::library::{declared, generated};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: verify::Args,
}

#[test]
fn the_shared_library_exports_its_prefixes_symbols_and_no_others() {
    let mut nm = toolchain::require("nm", "binutils");
    let text = toolchain::run(nm.args(["-D", "--defined-only", "-P"]).arg(&declared().shared));
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"rig_device_open") && names.contains(&"rig_device_open_wire_id"), "{names:?}");
    let others: Vec<&&str> = names.iter().filter(|name| !name.starts_with("rig_")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn the_committed_artifacts_are_of_the_library_that_ships() {
    for library in [&declared().shared, &declared().archive] {
        let line = ["verify".into(), "--library".into(), library.clone().into_os_string()];
        let files = [("--header", "include/rig"), ("--python", "python/rig")];
        let files = files.map(|(flag, folder)| [flag.into(), generated().join(folder).into_os_string()]);
        let line = line.into_iter().chain(files.into_iter().flatten());
        assert_eq!(verify::run(&Line::parse_from(line).args), ExitCode::SUCCESS);
    }
}

#[test]
fn a_stripped_library_is_verified_as_well() {
    let stripped = super::library::scratch().join("librig-stripped.so");
    let mut strip = toolchain::require("strip", "binutils");
    toolchain::run(strip.arg("-o").arg(&stripped).arg(&declared().shared));
    let text = toolchain::run(Command::new("nm").args(["-D", "--defined-only"]).arg(&stripped));
    assert!(text.contains("rig_device_open"));
    let line = ["verify".into(), "--library".into(), stripped.into_os_string()];
    assert_eq!(verify::run(&Line::parse_from(line).args), ExitCode::SUCCESS);
}
