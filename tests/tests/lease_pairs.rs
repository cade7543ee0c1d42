//! Leases between processes of two languages, of which one is killed at every message: the other one knows, gets
//! everything back, and goes on with the next.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wirecontract_tests::survivor::{Peer, Scene, compiled, of_python};

fn rust() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lease-peer"))
}

fn python() -> Command {
    of_python("lease_peer.py")
}

fn c() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    Command::new(PROGRAM.get_or_init(|| compiled(Path::new(env!("CARGO_TARGET_TMPDIR")), "lease_peer.c")))
}

fn cpp() -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    Command::new(PROGRAM.get_or_init(|| compiled(Path::new(env!("CARGO_TARGET_TMPDIR")), "lease_peer.cpp")))
}

/// Two hellos, three offers and answers, a revoke, two releases, two ends, two pings and pongs. Behind the end of the last
/// lease a consumer needs no word more. That is message 14, which may still go out while its producer dies of the one
/// before.
fn scene(roles: [&'static str; 2]) -> Scene {
    Scene { roles, messages: 16, enough: 13 }
}

fn killed(roles: [&'static str; 2], survives: Peer, dies: Peer, rounds: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    scene(roles).killed_at_every_message(folder.path(), survives, dies, rounds);
}

macro_rules! pairs {
    ($($producers:ident $consumers:ident: $survives:ident, $dies:ident, $rounds:literal;)*) => { $(
        #[test]
        fn $producers() {
            killed(["produce", "consume"], $survives, $dies, $rounds);
        }

        #[test]
        fn $consumers() {
            killed(["consume", "produce"], $survives, $dies, $rounds);
        }
    )* };
}

// One that starts slowly is killed once at each message, and not in three ways.
pairs! {
    a_producer_of_rust_survives_a_consumer_of_python a_consumer_of_rust_survives_a_producer_of_python: rust, python, 1;
    a_producer_of_rust_survives_a_consumer_of_c a_consumer_of_rust_survives_a_producer_of_c: rust, c, 3;
    a_producer_of_rust_survives_a_consumer_of_cpp a_consumer_of_rust_survives_a_producer_of_cpp: rust, cpp, 3;
    a_producer_of_python_survives_a_consumer_of_rust a_consumer_of_python_survives_a_producer_of_rust: python, rust, 3;
    a_producer_of_python_survives_a_consumer_of_c a_consumer_of_python_survives_a_producer_of_c: python, c, 3;
    a_producer_of_python_survives_a_consumer_of_cpp a_consumer_of_python_survives_a_producer_of_cpp: python, cpp, 3;
    a_producer_of_c_survives_a_consumer_of_rust a_consumer_of_c_survives_a_producer_of_rust: c, rust, 3;
    a_producer_of_c_survives_a_consumer_of_python a_consumer_of_c_survives_a_producer_of_python: c, python, 1;
    a_producer_of_cpp_survives_a_consumer_of_rust a_consumer_of_cpp_survives_a_producer_of_rust: cpp, rust, 3;
    a_producer_of_cpp_survives_a_consumer_of_python a_consumer_of_cpp_survives_a_producer_of_python: cpp, python, 1;
}
