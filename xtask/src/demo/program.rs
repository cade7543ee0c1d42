//! Programs that run, what they say and what they are told.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use super::interrupt;
use super::report;

/// How often it is looked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// How often progress is said where nobody sees a line change.
const SELDOM: Duration = Duration::from_secs(5);

/// A program by its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program(usize, &'static str);

impl Program {
    pub(super) fn name(self) -> &'static str {
        self.1
    }
}

/// A line that a program said; none at its end.
type Line = (usize, Option<String>);

/// All programs. Those that run are killed and waited for when this is dropped.
pub(super) struct Hall {
    programs: Vec<Running>,
    lines: Receiver<Line>,
    says: Sender<Line>,
    shown: Option<Instant>,
}

struct Running {
    name: &'static str,
    child: Child,
    tells: Option<ChildStdin>,
    said: VecDeque<Value>,
    ended: bool,
    reads: Option<JoinHandle<()>>,
}

impl Default for Hall {
    fn default() -> Hall {
        let (says, lines) = channel();
        Hall { programs: Vec::new(), lines, says, shown: None }
    }
}

impl Hall {
    /// Starts a program.
    pub(super) fn start(&mut self, name: &'static str, mut command: Command) -> anyhow::Result<Program> {
        let number = self.programs.len();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting the program in {name}: {command:?}"))?;
        let (tells, said) = (child.stdin.take(), child.stdout.take().context("a program that says nothing")?);
        let says = self.says.clone();
        let reads = thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                let _ = says.send((number, Some(line)));
            }
            let _ = says.send((number, None));
        });
        let (said, reads) = (VecDeque::new(), Some(reads));
        self.programs.push(Running { name, child, tells, said, ended: false, reads });
        Ok(Program(number, name))
    }

    /// Tells a program something.
    pub(super) fn tell(&mut self, program: Program, word: &str) -> anyhow::Result<()> {
        let tells = self.programs[program.0].tells.as_mut().context("a program that is told nothing more")?;
        writeln!(tells, "{word}").with_context(|| format!("telling the program in {} to {word}", program.1))
    }

    /// Waits until a program says that something happened.
    pub(super) fn wait(&mut self, program: Program, event: &str, within: Duration) -> anyhow::Result<Value> {
        self.wait_showing(program, event, within, "done", 0)
    }

    /// The same, and shows of how many lines of all it has done that meanwhile; each time it says so it has that time anew.
    pub(super) fn wait_showing(
        &mut self,
        program: Program,
        event: &str,
        within: Duration,
        done: &str,
        lines: u64,
    ) -> anyhow::Result<Value> {
        let mut since = Instant::now();
        loop {
            while let Some(said) = self.programs[program.0].said.pop_front() {
                match said["event"].as_str() {
                    Some(it) if it == event => {
                        self.show_no_more();
                        return Ok(said);
                    }
                    Some("progress") => {
                        since = Instant::now();
                        self.show(program, done, report::number(&said, "lines")?, lines);
                    }
                    _ => bail!("the program in {}: expected `{event}`, found {said}", program.1),
                }
            }
            let ended = self.programs.iter().position(|it| it.ended && it.said.is_empty());
            if self.programs[program.0].ended {
                bail!("{} before it said `{event}`", self.end_of(program.0));
            } else if let Some(ended) = ended.filter(|&it| it != program.0 && event != "left") {
                // Those that are done end in their turn; no other ends before.
                let done = self.programs[ended].tells.is_none();
                ensure!(
                    done,
                    "{} while `{event}` was expected of the one in {}",
                    self.end_of(ended),
                    program.1
                );
            }
            ensure!(!interrupt::came(), "interrupted");
            ensure!(
                since.elapsed() < within,
                "expected the program in {} to say `{event}` or how far it is, found nothing for {within:?}",
                program.1
            );
            self.hear()?;
        }
    }

    /// How a program ended, which says nothing more.
    fn end_of(&mut self, number: usize) -> String {
        let Running { name, child, .. } = &mut self.programs[number];
        let since = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return format!("the program in {name} ended ({status})"),
                Ok(None) if since.elapsed() < SELDOM => thread::sleep(Duration::from_millis(1)),
                Ok(None) | Err(_) => return format!("the program in {name} closed its standard output"),
            }
        }
    }

    /// Waits until a program that said its last word has ended well.
    pub(super) fn ends(&mut self, program: Program, within: Duration) -> anyhow::Result<()> {
        let since = Instant::now();
        let running = &mut self.programs[program.0];
        drop(running.tells.take());
        loop {
            if let Some(status) = running.child.try_wait()? {
                ensure!(status.success(), "the program in {} ended with {status}", program.1);
                return Ok(());
            }
            ensure!(!interrupt::came(), "interrupted");
            ensure!(since.elapsed() < within, "the program in {} does not end", program.1);
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Hears a line, or that a program has ended.
    fn hear(&mut self) -> anyhow::Result<()> {
        match self.lines.recv_timeout(LOOK) {
            Ok((number, Some(line))) => {
                let running = &mut self.programs[number];
                let said = serde_json::from_str(&line);
                let said =
                    said.with_context(|| format!("what the program in {} says: {line}", running.name))?;
                running.said.push_back(said);
            }
            Ok((number, None)) => self.programs[number].ended = true,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => bail!("all programs have ended"),
        }
        Ok(())
    }

    /// Shows progress on the standard error: a line that changes where that is a terminal, and else one now and then.
    fn show(&mut self, program: Program, done: &str, lines: u64, all: u64) {
        let (name, terminal) = (program.1, io::stderr().is_terminal());
        if terminal {
            eprint!("\r{name} has {done} {lines} of {all} lines ");
            self.shown = Some(Instant::now());
        } else if self.shown.is_none_or(|shown| shown.elapsed() > SELDOM) {
            eprintln!("{name} has {done} {lines} of {all} lines");
            self.shown = Some(Instant::now());
        }
    }

    fn show_no_more(&mut self) {
        if self.shown.take().is_some() && io::stderr().is_terminal() {
            eprint!("\r\x1b[K");
        }
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        for running in &mut self.programs {
            drop(running.tells.take());
            // It fails where the program has ended.
            let _ = running.child.kill();
            let _ = running.child.wait();
            let _ = running.reads.take().map(JoinHandle::join);
        }
    }
}

/// How many file descriptors this process has.
pub(super) fn open_fds() -> io::Result<usize> {
    Ok(fs::read_dir("/proc/self/fd")?.count())
}

/// What is in /dev/shm.
pub(super) fn shared_memory() -> Vec<OsString> {
    let entries = fs::read_dir("/dev/shm").into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect()
}
