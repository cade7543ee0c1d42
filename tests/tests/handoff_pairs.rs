//! Handoffs between processes of two languages: every byte of every buffer is compared at the other end, in both
//! directions, and nothing is left open at either.
//!
//! Each ordered pair of peers meets each size, each offset and each number of file descriptors, though not each
//! combination of them.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use wirecontract_tests::c_library::CLibrary;
use wirecontract_tests::differential::toolchain::python;
use wirecontract_tests::repository;

/// Longer than any machine takes.
const LONG: Duration = Duration::from_secs(240);

/// A program that takes `listen|connect SOCKET SIZE OFFSET FDS`.
type Peer = (&'static str, fn() -> Command);

const PEERS: &[Peer] = &[("rust", rust), ("python", of_python), ("c", of_c)];

/// Size, offset, number of file descriptors: of many buffers few bytes are touched.
const CASES: [(u64, u64, usize); 5] =
    [(1, 0, 253), (4095, 1, 1), (4097, 4099, 2), (1 << 20, 0, 1), (4 << 30, 4099, 2)];

fn rust() -> Command {
    Command::new(env!("CARGO_BIN_EXE_handoff-peer"))
}

fn of_python() -> Command {
    let mut command = python();
    command.arg(repository().join("tests/python/handoff_peer.py"));
    command.env("PYTHONPATH", repository().join("bindings/python"));
    command
}

/// `tests/c/handoff_peer.c`, compiled once for each test: tests run beside each other.
fn of_c() -> Command {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    let program = COMPILED.get_or_init(|| {
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = scratch.join("handoff_pairs");
        fs::create_dir_all(&folder).expect("a folder for programs");
        let program =
            folder.join(std::thread::current().name().expect("tests run in threads with their names"));
        let library = CLibrary::build(scratch);
        library.compile(&repository().join("tests/c/handoff_peer.c"), &program, &[]);
        program
    });
    Command::new(program)
}

/// A process, which is killed and waited for when this is dropped.
struct Running(Option<Child>);

impl Running {
    fn start(mut command: Command, arguments: &[String]) -> Running {
        let command = command.args(arguments).stdin(Stdio::null());
        Running(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")))
    }

    /// What it said, when it has ended.
    fn ends(mut self) -> Output {
        let mut child = self.0.take().expect("it was started");
        let since = Instant::now();
        while child.try_wait().expect("it is a child").is_none() {
            if since.elapsed() > LONG {
                child.kill().expect("it runs");
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        child.wait_with_output().expect("it ended")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Has two processes meet, and gives what each of them said.
fn meet(listens: Command, connects: Command, folder: &Path, arguments: &[String]) -> [Output; 2] {
    let socket = folder.join("handoff.sock").display().to_string();
    let with = |role: &str| [&[role.to_owned(), socket.clone()], arguments].concat();
    let listens = Running::start(listens, &with("listen"));
    let connects = Running::start(connects, &with("connect"));
    [connects.ends(), listens.ends()]
}

fn passed(said: &Output, expected: &str) -> bool {
    said.status.success() && said.stdout == format!("{expected}\n").as_bytes() && said.stderr.is_empty()
}

/// Runs all cases of each ordered pair of peers of which the first one listens.
fn pairs(first: &Peer) {
    for second in PEERS {
        for (size, offset, fds) in CASES {
            let arguments = [size.to_string(), offset.to_string(), fds.to_string()];
            whole(first, second, &arguments, &format!("ok {fds} {size}"));
        }
    }
}

/// One case, in which both have to find every byte.
fn whole(first: &Peer, second: &Peer, arguments: &[String], expected: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for said in meet(first.1(), second.1(), folder.path(), arguments) {
        assert!(passed(&said, expected), "{} and {}: {arguments:?}: {said:?}", first.0, second.0);
    }
    let left: Vec<_> = fs::read_dir(folder.path()).expect("it is there").collect();
    assert!(left.is_empty(), "{} and {}: {left:?}", first.0, second.0);
}

#[test]
fn buffers_of_rust_cross_to_every_language_and_back() {
    pairs(&PEERS[0]);
}

#[test]
fn buffers_of_python_cross_to_every_language_and_back() {
    pairs(&PEERS[1]);
}

#[test]
fn buffers_of_c_cross_to_every_language_and_back() {
    pairs(&PEERS[2]);
}

#[test]
fn packets_carry_the_same() {
    for first in PEERS {
        for second in PEERS {
            let arguments = ["4097", "4099", "253", "packets"].map(str::to_owned);
            whole(first, second, &arguments, "ok 253 4097");
        }
    }
}

#[test]
fn a_side_that_expects_other_buffers_says_so() {
    for [first, second] in [[rust as fn() -> Command, of_python], [of_python, of_c], [of_c, rust]] {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("handoff.sock").display().to_string();
        let start = |peer: fn() -> Command, role: &str, size: &str| {
            Running::start(peer(), &[role, &socket, size, "0", "1"].map(str::to_owned))
        };
        let (listens, connects) = (start(first, "listen", "10"), start(second, "connect", "11"));
        let said = connects.ends();
        assert!(!said.status.success());
        let text = String::from_utf8_lossy(&said.stderr);
        assert!(text.contains("expected 11 at 0, found 10 at 0"), "{text}");
        assert!(!listens.ends().status.success(), "its peer closed before it sent");
    }
}
