//! The library as it is shipped: programs in three languages that call it, and what CI asks of it.

mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use programs::{built, here, python, run};

const CAPTURED: &str = "\
{\"serial\":\"9223372036854775815\",\"sent\":0,\"lost\":0}
frame 0, hot spot at 20, 10, grey 204
frame 1, at most 353.15 K
frame 2, at most 353.15 K
";

const NOT_FOUND: &str =
    "sensor_camera_open: io (100): expected the name of a camera, as `lwir640`, found `none`";

fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(here(""));
    command
}

/// The folder of the library as users get it: built for release, one unit of code, its symbols stripped.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in the target's folder");
        let status = cargo()
            .args(["build", "--release", "--locked", "--target-dir"])
            .arg(target)
            .status()
            .expect("cargo runs this");
        assert!(status.success(), "the library is built");
        target.join("release")
    })
}

fn shared() -> PathBuf {
    folder().join(format!("{}sensor_sdk{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

/// Captures, and is refused a camera that is not there.
fn captures(program: impl Fn() -> Command) {
    let shown = run(program(), b"");
    assert_eq!(String::from_utf8_lossy(&shown.stderr), "");
    assert_eq!((String::from_utf8_lossy(&shown.stdout).as_ref(), shown.status.code()), (CAPTURED, Some(0)));
    let mut refused = program();
    refused.arg("none");
    let shown = run(refused, b"");
    assert_eq!(String::from_utf8_lossy(&shown.stderr).trim(), NOT_FOUND);
    assert_eq!((shown.stdout.as_slice(), shown.status.code()), (b"".as_slice(), Some(1)));
}

/// What a program is linked with that finds the library where it was built.
fn beside() -> [String; 2] {
    [shared().display().to_string(), format!("-Wl,-rpath,{}", folder().display())]
}

#[test]
fn c_captures() {
    let program = built("gcc", "-std=c11", "c/capture.c", "capture", &beside());
    captures(|| Command::new(&program));
}

#[test]
fn c_captures_with_the_library_in_the_program() {
    let archive = folder().join("libsensor_sdk.a");
    let linked = ["-DSENSOR_STATIC".into(), archive.into_os_string(), "-lm".into()];
    let program = built("gcc", "-std=c11", "c/capture.c", "capture_static", &linked);
    captures(|| Command::new(&program));
}

#[test]
fn cpp_captures() {
    let program = built("g++", "-std=c++17", "cpp/capture.cpp", "capture_cpp", &beside());
    captures(|| Command::new(&program));
}

#[test]
fn python_captures() {
    captures(|| {
        let mut command = python("capture.py");
        command.arg(shared());
        command
    });
}

/// `cargo xtask verify` of the library and generated files.
fn verify(header: &Path) -> (Option<i32>, String) {
    let output = cargo()
        .args(["xtask", "verify", "--library"])
        .arg(shared())
        .arg("--header")
        .arg(header)
        .arg("--python")
        .arg(here("generated/python/sensor"))
        .output()
        .expect("cargo runs this");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_shipped_library_exports_what_the_generated_files_say() {
    let (status, said) = verify(&here("generated/include/sensor"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.ends_with("14 declared functions and 18 generated files agree\n"), "{said}");
}

#[test]
fn a_header_with_another_id_than_the_shipped_library_is_found() {
    let header = std::fs::read_to_string(here("generated/include/sensor/library.h")).expect("it is there");
    let mut lines: Vec<&str> = header.lines().collect();
    let at = lines.iter().position(|line| line.contains("SENSOR_CAMERA_GRAB_WIRE_ID")).expect("it is there");
    lines[at] = "#define SENSOR_CAMERA_GRAB_WIRE_ID UINT64_C(0x0000000000000001)";
    let edited = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library.h");
    std::fs::write(&edited, lines.join("\n") + "\n").expect("the folder is ours");
    let (status, said) = verify(&edited);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("has `sensor_camera_grab` with the id 0x0000000000000001"), "{said}");
}
