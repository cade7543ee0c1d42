//! The tutorial, run: what one language writes, the others read.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sensor_sdk::frame::{FrameFlag, FrameHeader, PixelFormat, Region};
use wirecontract::WireContract;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `c/show.c`, compiled as the README says, with warnings as errors.
fn show() -> Command {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("show");
    let status = Command::new("gcc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I"])
        .args([here("generated/include"), here("c/show.c"), "-o".into(), program.clone()])
        .status()
        .expect("expected gcc, found none: apt-get install gcc");
    assert!(status.success(), "c/show.c compiles");
    Command::new(program)
}

fn next_frame() -> Command {
    let python = std::env::var_os("WIRECONTRACT_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = Command::new(python);
    command.arg(here("python/next_frame.py")).env("PYTHONPATH", here("generated/python"));
    command
}

fn run(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    child.stdin.take().expect("piped").write_all(input).expect("a short input is taken");
    child.wait_with_output().expect("a child can be waited for")
}

fn frame() -> Vec<u8> {
    let mut header = FrameHeader {
        magic: FrameHeader::MAGIC,
        version: FrameHeader::VERSION,
        format: PixelFormat::Kelvin,
        flags: FrameFlag::Saturated.into(),
        sequence: 41,
        timestamp_ns: 1_700_000_000_000_000_000,
        window: Region { x: 0, y: 0, width: 640, height: 512 },
        hot_spots: [Region::default(); 4],
        hot_spot_count: 0,
        _pad: 0,
    };
    header.set_hot_spots(&[Region { x: 320, y: 200, width: 12, height: 9 }]).expect("one fits in four");
    header.to_bytes().expect("legal").to_vec()
}

#[test]
fn c_shows_what_rust_wrote_and_python_continued() {
    let shown = run(show(), &frame());
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "frame 41, kelvin, 640x512\nhot spot at 320, 200\n");
    let next = run(next_frame(), &frame());
    assert!(next.status.success(), "{}", String::from_utf8_lossy(&next.stderr));
    let header = FrameHeader::from_bytes(&next.stdout).expect("Python writes what Rust reads");
    assert_eq!((header.sequence, header.hot_spots().len()), (42, 2));
    assert!(header.flags.contains(FrameFlag::AfterGap | FrameFlag::Saturated));
}

#[test]
fn all_languages_refuse_a_frame_in_the_same_words() {
    let mut bytes = frame();
    bytes[64] = 5;
    let words = FrameHeader::from_bytes(&bytes).expect_err("five of four").to_string();
    let shown = run(show(), &bytes);
    assert_eq!(String::from_utf8_lossy(&shown.stderr).trim(), words);
    let next = run(next_frame(), &bytes);
    assert!(String::from_utf8_lossy(&next.stderr).trim().ends_with(&words));
}
