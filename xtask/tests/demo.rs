//! `cargo xtask demo` with a small cube: what it says is so, and it leaves nothing, also where it is interrupted; and what one
//! left that was killed, the next one removes.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Bytes of the cube below.
const BYTES: &str = "12,810 bytes";

/// In a temporary folder of its own, where the folders of others are nobody's business.
fn demo_in(within: &Path) -> Command {
    let mut command = demo();
    command.env("TMPDIR", within);
    command
}

fn demo() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["demo", "--size", "7x15x61"]).stdin(Stdio::null()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    command
}

/// The folder in which the process of that number has its socket.
fn folder(process: u32) -> PathBuf {
    std::env::temp_dir().join(format!("wirecontract-demo-{process}"))
}

/// What a line says that a process mapped: its number, the address, and the inode.
fn mapped(line: &str) -> (u32, String, String) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let behind =
        |word: &str| words[words.iter().position(|it| *it == word).expect(line) + 1].trim_end_matches(',');
    (behind("process").parse().expect(line), behind("at").to_owned(), behind("inode").to_owned())
}

fn is_gone(process: u32) -> bool {
    !Path::new(&format!("/proc/{process}")).exists()
}

#[test]
fn three_languages_share_one_cube_and_leave_nothing() {
    let child = demo().spawn().expect("it starts");
    let place = folder(child.id());
    let said = child.wait_with_output().expect("it is a child");
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{out}\n{err}");
    let lines: Vec<&str> = out.lines().collect();
    let of = |start: &str, has: &str| {
        let found: Vec<_> =
            lines.iter().filter(|line| line.starts_with(start) && line.contains(has)).collect();
        assert_eq!(found.len(), 1, "{start} … {has} in\n{out}");
        found[0].to_string()
    };
    of("a cube of 7 x 15 x 61 u16", BYTES);
    let all = ["Rust", "Python", "C"].map(|name| mapped(&of(name, " maps ")));
    assert!(of("Rust", " maps ").contains(&format!("maps {BYTES} at 0x")), "{out}");
    assert!(of("Rust", " maps ").contains("to write (rw-s)"), "{out}");
    for name in ["Python", "C"] {
        assert!(of(name, " maps ").contains(&format!("maps {BYTES} at 0x")), "{out}");
        assert!(of(name, " maps ").contains("read-only (r--s)"), "{out}");
        assert!(of(name, " checked ").contains(&format!("checked all {BYTES} in ")), "{out}");
    }
    let [(one, _, file), (two, _, same), (three, _, too)] = &all;
    assert_eq!([file, file], [same, too], "one file");
    assert!(one != two && two != three && one != three, "three processes");
    of("copies: none.", &format!("inode {file}"));
    of("lent to both", " in ");
    of("Rust has it back from both", "");
    of("nothing is left", "");
    assert!(all.iter().all(|(process, ..)| is_gone(*process)), "{out}");
    assert!(!place.exists(), "{}", place.display());
}

/// A hello is waited for ten seconds.
#[test]
fn consumers_wait_for_a_cube_that_takes_longer_to_fill_than_a_hello_may() {
    let said = demo().args(["--fill", "11"]).output().expect("it starts");
    let (out, err) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
    assert!(said.status.success(), "{out}\n{err}");
    assert!(err.contains("Rust has filled ") && err.contains(" of 7 lines"), "{err}");
    for name in ["Python", "C"] {
        assert!(
            out.lines().any(|line| line.starts_with(name) && line.contains("every byte is right")),
            "{out}"
        );
    }
}

/// One that waits for Enter, and what it said until then; killed and waited for when this is dropped.
struct Waits(Child);

impl Drop for Waits {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_that_is_interrupted_leaves_nothing() {
    let mut waits = Waits(demo().arg("--keep").stdin(Stdio::piped()).spawn().expect("it starts"));
    let child = &mut waits.0;
    let (input, place) = (child.stdin.take(), folder(child.id()));
    let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("until Enter is pressed") {
        line.clear();
        assert!(errors.read_line(&mut line).expect("it says something") > 0, "it ended before it waited");
    }
    assert!(place.is_dir());
    let interrupt = Command::new("kill").arg("-INT").arg(child.id().to_string()).status();
    assert!(interrupt.expect("it starts").success());
    let (mut out, mut err) = (String::new(), String::new());
    errors.read_to_string(&mut err).expect("text");
    child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("text");
    assert!(!child.wait().expect("it is a child").success());
    assert!(err.contains("error: interrupted"), "{err}");
    let processes: Vec<_> =
        out.lines().filter(|line| line.contains(" maps ")).map(|line| mapped(line).0).collect();
    assert_eq!(processes.len(), 3, "{out}");
    assert!(processes.into_iter().all(is_gone), "{out}");
    assert!(!place.exists(), "{}", place.display());
    drop(input);
}

/// Starts one that waits for Enter, and gives it when it does.
fn waits_in(within: &Path) -> (Waits, BufReader<std::process::ChildStderr>) {
    let mut waits = Waits(demo_in(within).arg("--keep").stdin(Stdio::piped()).spawn().expect("it starts"));
    let mut errors = BufReader::new(waits.0.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("until Enter is pressed") {
        line.clear();
        assert!(errors.read_line(&mut line).expect("it says something") > 0, "it ended before it waited");
    }
    (waits, errors)
}

/// The folders of demos, by name.
fn folders(within: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(within).expect("it is there").map(|entry| entry.expect("it is read"));
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("wirecontract-demo-"))
        .collect();
    names.sort();
    names
}

#[test]
fn what_a_killed_one_left_is_removed_by_the_next_and_what_a_living_one_has_is_not() {
    let within = tempfile::tempdir().expect("a folder");
    let (mut killed, _errors) = waits_in(within.path());
    let left = format!("wirecontract-demo-{}", killed.0.id());
    killed.0.kill().expect("it runs");
    killed.0.wait().expect("it is a child");
    assert_eq!(folders(within.path()), [left.as_str()]);

    let (living, _errors) = waits_in(within.path());
    let its = format!("wirecontract-demo-{}", living.0.id());
    assert_eq!(folders(within.path()), [its.as_str()], "{left} is gone");
    let said = demo_in(within.path()).output().expect("it starts");
    assert!(said.status.success(), "{said:?}");
    assert_eq!(folders(within.path()), [its]);
}
