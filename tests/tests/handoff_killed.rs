//! Handoffs between processes of two languages, of which one is killed at every message, hellos too: the other one is told,
//! keeps nothing of it, and goes on with the next.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wirecontract_tests::survivor::{Peer, Scene, compiled, of_python};

fn rust() -> Command {
    Command::new(env!("CARGO_BIN_EXE_handoff-survivor"))
}

fn python() -> Command {
    of_python("handoff_survivor.py")
}

fn c() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Command::new(PROGRAM.get_or_init(|| compiled(scratch, "handoff_survivor.c")))
}

fn cpp() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Command::new(PROGRAM.get_or_init(|| compiled(scratch, "handoff_survivor.cpp")))
}

/// Has a program survive those of all languages, as who sends first and as who takes.
fn survives(survivor: Peer) {
    // One that starts slowly is killed once at each message, and not in three ways.
    for (dies, rounds) in [(rust as Peer, 3), (python, 1), (c, 3), (cpp, 3)] {
        for roles in [["send", "take"], ["take", "send"]] {
            let folder = tempfile::tempdir().expect("a folder");
            // Two hellos, a buffer and its answer, two more, one back, and the end. Who has the last buffer may say the last
            // word to a process that is gone.
            let scene = Scene { roles, messages: 7, enough: 6 };
            scene.killed_at_every_message(folder.path(), survivor, dies, rounds);
        }
    }
}

#[test]
fn rust_survives_a_peer_that_is_killed_at_any_message() {
    survives(rust);
}

#[test]
fn python_survives_a_peer_that_is_killed_at_any_message() {
    survives(python);
}

#[test]
fn c_survives_a_peer_that_is_killed_at_any_message() {
    survives(c);
}

#[test]
fn cpp_survives_a_peer_that_is_killed_at_any_message() {
    survives(cpp);
}
