//! Running other programs: what they print goes to a log, and to the terminal when it is wanted or when they fail.

mod usage;

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use usage::Used;

/// More than this of a failed command's output stays in the log file.
const SHOWN_LINES: usize = 200;

/// Runs the commands of one part of the tests and keeps what they print.
#[derive(Debug)]
pub(crate) struct Runner {
    part: String,
    log_path: PathBuf,
    log: File,
    directory: PathBuf,
    verbose: bool,
    used: Arc<Used>,
}

impl Runner {
    /// A runner whose commands start in `directory` and whose log is `<logs>/<part>.log`.
    pub(crate) fn new(part: &str, directory: &Path, logs: &Path, verbose: bool) -> io::Result<Self> {
        std::fs::create_dir_all(logs)?;
        let log_path = logs.join(format!("{part}.log"));
        let log = File::create(&log_path)?;
        let (part, directory, used) = (part.to_owned(), directory.to_owned(), Arc::default());
        Ok(Self { part, log_path, log, directory, verbose, used })
    }

    /// A runner of another name and log, whose commands are counted as this one's.
    pub(crate) fn beside(&self, part: &str, logs: &Path) -> io::Result<Self> {
        let other = Self::new(part, &self.directory, logs, self.verbose)?;
        Ok(Self { used: Arc::clone(&self.used), ..other })
    }

    /// Seconds of processor time of all commands that have ended, and of what they started.
    pub(crate) fn processor_seconds(&self) -> f64 {
        self.used.seconds()
    }

    /// A command that has not started.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Step<'_> {
        let shown = quoted(program.as_ref(), &self.directory);
        let mut command = Command::new(program);
        command.current_dir(&self.directory).stdin(Stdio::null());
        Step { runner: self, command, shown, input: Cow::Borrowed("") }
    }

    /// The cargo that runs this xtask.
    pub(crate) fn cargo(&self) -> Step<'_> {
        let mut step = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        "cargo".clone_into(&mut step.shown);
        // Of the package that `cargo run` started, not of what this step builds.
        let inherited = env::vars_os().filter(|(name, _)| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        inherited.fold(step, |step, (name, _)| step.env_remove(name))
    }

    /// Prints one line, in the log as well.
    pub(crate) fn say(&self, line: impl fmt::Display) {
        println!("[{}] {line}", self.part);
        // A log that cannot be written must not hide the verdict.
        let _ = writeln!(&self.log, "{line}");
    }

    fn show_tail(&self, output: &str) {
        let lines: Vec<&str> = output.lines().collect();
        let hidden = lines.len().saturating_sub(SHOWN_LINES);
        let mut shown = String::new();
        if hidden > 0 {
            shown = format!("    ({hidden} earlier lines are in {})\n", self.log_path.display());
        }
        for line in &lines[hidden..] {
            shown.extend(["    ", line, "\n"]);
        }
        // In one piece, whatever another part prints meanwhile.
        print!("{shown}");
    }
}

/// One command of a part.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    runner: &'a Runner,
    command: Command,
    /// The program as it is shown.
    shown: String,
    input: Cow<'static, str>,
}

impl Step<'_> {
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn envs<V: AsRef<OsStr>>(
        mut self,
        variables: impl IntoIterator<Item = (&'static str, V)>,
    ) -> Self {
        self.command.envs(variables);
        self
    }

    pub(crate) fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn directory(mut self, directory: impl AsRef<Path>) -> Self {
        let directory = self.runner.directory.join(directory);
        self.command.current_dir(directory);
        self
    }

    /// What it reads on standard input: a few lines, which a pipe holds before anybody reads them.
    pub(crate) fn input(mut self, input: impl Into<Cow<'static, str>>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = input.into();
        self
    }

    /// Runs it; a status other than zero is an error, and what it printed is shown.
    pub(crate) fn run(self) -> Result<(), StepError> {
        let runner = self.runner;
        let words = self.words();
        runner.say(format_args!("$ {words}"));
        let (status, output) = self.execute(runner.verbose)?;
        if status.success() {
            return Ok(());
        }
        if !runner.verbose {
            runner.show_tail(&output);
        }
        Err(StepError::Failed { words, status, log: runner.log_path.clone() })
    }

    /// Runs it silently and gives what it printed, whatever its status: a question, not a step.
    pub(crate) fn ask(self) -> Result<(bool, String), StepError> {
        self.execute(false).map(|(status, output)| (status.success(), output))
    }

    fn words(&self) -> String {
        let arguments = self.command.get_args().map(|word| quoted(word, &self.runner.directory));
        std::iter::once(self.shown.clone()).chain(arguments).collect::<Vec<_>>().join(" ")
    }

    fn execute(mut self, live: bool) -> Result<(ExitStatus, String), StepError> {
        let folder = self.command.get_current_dir().unwrap_or(&self.runner.directory).to_owned();
        let words = self.words();
        let failed = |source| StepError::Start { words: words.clone(), folder: folder.clone(), source };
        // One pipe for both streams keeps their lines in the order in which they were written.
        let (reader, writer) = io::pipe().map_err(failed)?;
        self.command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
        let mut child = self.command.spawn().map_err(failed)?;
        // The writing ends held by the command keep the pipe open; without this the copy never ends.
        self.command.stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(mut stdin) = child.stdin.take() {
            // One that does not read its input says why by its status.
            let _ = stdin.write_all(self.input.as_bytes());
        }
        let output = copy(reader, &self.runner.log, live).map_err(failed)?;
        self.runner.used.add(&child);
        Ok((child.wait().map_err(failed)?, output))
    }
}

fn copy(mut from: impl Read, mut log: &File, live: bool) -> io::Result<String> {
    let mut all = Vec::new();
    let mut block = [0; 8192];
    loop {
        let count = from.read(&mut block)?;
        if count == 0 {
            return Ok(String::from_utf8_lossy(&all).into_owned());
        }
        log.write_all(&block[..count])?;
        if live {
            io::stdout().write_all(&block[..count])?;
            io::stdout().flush()?;
        }
        all.extend_from_slice(&block[..count]);
    }
}

/// A word as a person would type it at the root of the repository.
fn quoted(word: &OsStr, root: &Path) -> String {
    let word = Path::new(word);
    let text = word.strip_prefix(root).unwrap_or(word).to_string_lossy();
    if text.is_empty() || text.contains(|c: char| c.is_whitespace() || "\"'\\$`*?;&|<>()".contains(c)) {
        format!("'{}'", text.replace('\'', r"'\''"))
    } else {
        text.into_owned()
    }
}

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) enum StepError {
    /// It could not be started at all.
    Start { words: String, folder: PathBuf, source: io::Error },
    /// It ended with another status than zero.
    Failed { words: String, status: ExitStatus, log: PathBuf },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { words, folder, source } => {
                let folder = folder.display();
                write!(
                    f,
                    "cannot start `{words}` in {folder} ({source}): are the program and the folder there?"
                )
            }
            Self::Failed { words, status, log } => {
                write!(f, "`{words}`: expected exit status 0, found {status}; log: {}", log.display())
            }
        }
    }
}

// The cause is in the message already.
impl std::error::Error for StepError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(folder: &tempfile::TempDir) -> Runner {
        Runner::new("sample", folder.path(), &folder.path().join("logs"), false).unwrap()
    }

    #[test]
    fn a_failing_command_names_itself_its_status_and_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let error = runner(&folder).command("sh").args(["-c", "exit 3"]).run().unwrap_err().to_string();
        assert!(
            error.starts_with("`sh -c 'exit 3'`: expected exit status 0, found exit status: 3"),
            "{error}"
        );
        assert!(error.ends_with("sample.log"), "{error}");
    }

    #[test]
    fn both_streams_are_logged_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let runner = runner(&folder);
        runner.command("sh").args(["-c", "echo one; echo two >&2; echo three"]).run().unwrap();
        let log = std::fs::read_to_string(folder.path().join("logs/sample.log")).unwrap();
        assert!(log.ends_with("one\ntwo\nthree\n"), "{log}");
    }

    #[test]
    fn what_commands_use_is_counted_in_their_runner_and_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let runner = runner(&folder);
        let beside = runner.beside("other", &folder.path().join("logs")).unwrap();
        let script = "import time\nwhile time.process_time() < 0.3: pass";
        runner.command("sh").args(["-c", "python3 -c \"$0\"; true", script]).run().unwrap();
        let first = runner.processor_seconds();
        assert!((0.25..5.0).contains(&first), "{first}");
        beside.command("python3").args(["-c", script]).ask().unwrap();
        assert!(runner.processor_seconds() >= first + 0.25);
    }

    #[test]
    fn a_missing_program_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = runner(&folder).command("no-such-program").ask().unwrap_err().to_string();
        assert!(error.contains("`no-such-program`"), "{error}");
    }

    #[test]
    fn words_are_shown_as_typed_at_the_root() {
        let root = Path::new("/repository");
        assert_eq!(quoted(OsStr::new("/repository/tests/a.py"), root), "tests/a.py");
        assert_eq!(quoted(OsStr::new("two words"), root), "'two words'");
        assert_eq!(quoted(OsStr::new("it's"), root), r"'it'\''s'");
    }
}
