//! A process that meets one peer after the other, of which each is killed at another message; and the programs that are
//! either.

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::c_library::CLibrary;
use crate::differential::toolchain::python;
use crate::repository;

/// A program that takes `ROLE survive|die SOCKET [AT before|half|after]`.
pub type Peer = fn() -> Command;

/// A process that meets one peer after the other; killed and waited for when this is dropped.
#[derive(Debug)]
pub struct Survivor {
    child: Child,
    next: Option<ChildStdin>,
    said: Lines<BufReader<ChildStdout>>,
    socket: PathBuf,
}

/// What became of a meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Whether the peer was killed.
    pub killed: bool,
    /// What the survivor says: `whole` or `died`.
    pub said: String,
}

impl Survivor {
    /// Starts a program in that role, whose socket is in a folder.
    ///
    /// # Panics
    /// When it does not start, or does not listen.
    #[must_use]
    pub fn start(mut peer: Command, role: &str, folder: &Path) -> Survivor {
        let socket = folder.join("peer.sock");
        let command = peer.args([role, "survive"]).arg(&socket).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut survivor = Survivor { next: child.stdin.take(), child, said, socket };
        assert_eq!(survivor.line(), "ready");
        survivor
    }

    /// Has it meet a peer in that role, which is killed where `kill` says.
    ///
    /// # Panics
    /// When the peer ends otherwise, or the survivor says nothing.
    pub fn meets(&mut self, mut peer: Command, role: &str, kill: &[String]) -> Meeting {
        writeln!(self.next.as_mut().expect("it goes on"), "next").expect("it reads");
        let mut command = peer.args([role, "die"]);
        command = command.arg(&self.socket).args(kill).stdin(Stdio::null()).stdout(Stdio::null());
        let status = command.status().expect("it starts");
        assert!(status.success() || status.signal() == Some(9), "{kill:?}: {status}");
        Meeting { killed: !status.success(), said: self.line() }
    }

    /// Ends it, which has to find that nothing is left.
    ///
    /// # Panics
    /// When something is.
    pub fn ends(mut self) {
        drop(self.next.take());
        assert_eq!(self.line(), "clean");
        assert!(self.child.wait().expect("it is a child").success());
    }

    fn line(&mut self) -> String {
        self.said.next().expect("it says something").expect("it is text")
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

/// A meeting of two programs, of which one survives.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// The survivor's role, and the other's.
    pub roles: [&'static str; 2],
    /// How many messages there are in both directions.
    pub messages: usize,
    /// Behind which of them the survivor needs no word more, and may say `whole`.
    pub enough: usize,
}

impl Scene {
    /// Has one program survive the other one, which is killed at each message until there is none left: in each round
    /// before, in the midst of or after it, in turn. The next meeting goes well each time. The socket is in the folder.
    ///
    /// # Panics
    /// When it does not survive, or something is left.
    pub fn killed_at_every_message(self, folder: &Path, survives: Peer, dies: Peer, rounds: usize) {
        let [its, others] = self.roles;
        let mut survivor = Survivor::start(survives(), its, folder);
        for round in 0..rounds {
            let mut at = 1;
            loop {
                let when = WHEN[(at + round) % WHEN.len()];
                let Meeting { killed, said } =
                    survivor.meets(dies(), others, &[at.to_string(), when.to_owned()]);
                if !killed {
                    assert_eq!(said, "whole", "it was not killed {when} message {at}");
                    break;
                }
                assert!(
                    said == "died" || at >= self.enough,
                    "{said}, when it was killed {when} message {at}"
                );
                at += 1;
                assert!(at < 100, "it ends");
            }
            assert!(at > self.messages, "it was killed at each of {at} messages");
            let next = survivor.meets(dies(), others, &[]);
            assert_eq!((next.killed, next.said.as_str()), (false, "whole"), "the next one goes well");
        }
        survivor.ends();
        assert_eq!(fs::read_dir(folder).expect("it is there").count(), 0, "nothing is left of the socket");
    }
}

/// A program of `tests/python`.
#[must_use]
pub fn of_python(script: &str) -> Command {
    let mut command = python();
    command.arg(repository().join("tests/python").join(script));
    command.env("PYTHONPATH", repository().join("bindings/python"));
    command
}

/// A program of `tests/c`, in C or C++, compiled under a name that no other test has; `scratch` is the tests' folder.
///
/// # Panics
/// When it does not compile.
#[must_use]
pub fn compiled(scratch: &Path, source: &str) -> PathBuf {
    let thread = std::thread::current();
    let folder =
        scratch.join("survivors").join(thread.name().expect("tests run in threads with their names"));
    fs::create_dir_all(&folder).expect("a folder for programs");
    let program = folder.join(source.replace('.', "-"));
    CLibrary::build(scratch).compile(&repository().join("tests/c").join(source), &program, &[]);
    program
}
