//! Leases between processes of two languages, of which one is killed at every message: the other one knows, gets
//! everything back, and goes on with the next.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use wirecontract_tests::differential::toolchain::python;
use wirecontract_tests::repository;

/// A program that takes `produce|consume survive|die SOCKET [AT before|half|after]`.
type Peer = fn() -> Command;

fn rust() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lease-peer"))
}

fn of_python() -> Command {
    let mut command = python();
    command.arg(repository().join("tests/python/lease_peer.py"));
    command.env("PYTHONPATH", repository().join("bindings/python"));
    command
}

/// A process that meets one peer after the other; killed and waited for when this is dropped.
struct Survivor {
    child: Child,
    next: Option<ChildStdin>,
    said: Lines<BufReader<ChildStdout>>,
    socket: PathBuf,
}

impl Survivor {
    fn start(mut peer: Command, role: &str, folder: &Path) -> Survivor {
        let socket = folder.join("lease.sock");
        let command = peer.args([role, "survive"]).arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut survivor = Survivor { next: child.stdin.take(), child, said, socket };
        assert_eq!(survivor.line(), "ready");
        survivor
    }

    /// Has it meet a peer, and gives what became of that: whether it was killed, and what the survivor says.
    fn meets(&mut self, mut peer: Command, role: &str, kill: &[String]) -> (bool, String) {
        writeln!(self.next.as_mut().expect("it goes on"), "next").expect("it reads");
        let mut command = peer.args([role, "die"]);
        command = command.arg(&self.socket).args(kill).stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.status().expect("it starts");
        assert!(status.success() || status.signal() == Some(9), "{kill:?}: {status}");
        (!status.success(), self.line())
    }

    fn line(&mut self) -> String {
        self.said.next().expect("it says something").expect("it is text")
    }

    fn ends(mut self) {
        drop(self.next.take());
        assert_eq!(self.line(), "clean");
        assert!(self.child.wait().expect("it is a child").success());
    }
}

impl Drop for Survivor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// When a process kills itself.
const WHEN: [&str; 3] = ["before", "half", "after"];

/// Has one side survive the other one, which is killed at each of its messages until there is none left: in each round
/// before, in the midst of or after it, in turn.
fn killed_at_every_message(survives: Peer, its: &str, dies: Peer, others: &str, rounds: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut survivor = Survivor::start(survives(), its, folder.path());
    for round in 0..rounds {
        let mut at = 1;
        loop {
            let when = WHEN[(at + round) % WHEN.len()];
            let (killed, said) = survivor.meets(dies(), others, &[at.to_string(), when.to_owned()]);
            if !killed {
                assert_eq!(said, "whole", "it was not killed {when} message {at}");
                break;
            }
            // Behind the end of the last lease a consumer needs no word more. That is message 14, which may still go out
            // while its producer dies of the one before.
            assert!(said == "died" || at >= 13, "{said}, when it was killed {when} message {at}");
            at += 1;
            assert!(at < 100, "it ends");
        }
        // Two hellos, three offers and answers, a revoke, two releases, two ends, two pings and pongs.
        assert!(at > 16, "it was killed at each of {at} messages");
        let (killed, said) = survivor.meets(dies(), others, &[]);
        assert_eq!((killed, said.as_str()), (false, "whole"), "the next one goes well");
    }
    survivor.ends();
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 0, "nothing is left of the socket");
}

#[test]
fn a_producer_of_rust_survives_a_consumer_of_python() {
    killed_at_every_message(rust, "produce", of_python, "consume", 1);
}

#[test]
fn a_producer_of_python_survives_a_consumer_of_rust() {
    killed_at_every_message(of_python, "produce", rust, "consume", WHEN.len());
}

#[test]
fn a_consumer_of_rust_survives_a_producer_of_python() {
    killed_at_every_message(rust, "consume", of_python, "produce", 1);
}

#[test]
fn a_consumer_of_python_survives_a_producer_of_rust() {
    killed_at_every_message(of_python, "consume", rust, "produce", WHEN.len());
}
