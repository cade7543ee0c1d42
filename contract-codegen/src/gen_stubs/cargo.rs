//! Running cargo: which libraries it builds, and what it says meanwhile.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use cargo_metadata::diagnostic::DiagnosticLevel;
use cargo_metadata::{CrateType, Message, PackageId};

use super::error::Error;

/// The libraries of a build.
#[derive(Default)]
pub(super) struct Libraries {
    pub(super) files: HashMap<PackageId, PathBuf>,
    /// In the order in which they were built.
    pub(super) order: Vec<PackageId>,
}

/// A build that failed, and that nobody was told of yet.
pub(super) struct Failed {
    pub(super) status: ExitStatus,
    /// The packages that do not compile.
    pub(super) packages: Vec<PackageId>,
    words: String,
}

/// Builds, and shows what cargo says as it says it.
pub(super) fn build(mut command: Command) -> Result<Libraries, Error> {
    command.args(["--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    let mut cargo = command.spawn().map_err(Error::Cargo)?;
    let mut libraries = Libraries::default();
    for message in messages(cargo.stdout.take()) {
        libraries.take(message);
    }
    let status = cargo.wait().map_err(Error::Cargo)?;
    if status.success() { Ok(libraries) } else { Err(Error::BuildFailed { status: status.to_string() }) }
}

/// Builds, and shows how far it is, but what is wrong only when it is known that this counts.
pub(super) fn try_build(mut command: Command) -> Result<Result<Libraries, Failed>, Error> {
    let is_terminal = io::stderr().is_terminal();
    let format = if is_terminal { "json-diagnostic-rendered-ansi" } else { "json" };
    command.args(["--message-format", format]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut cargo = command.spawn().map_err(Error::Cargo)?;
    let said = cargo.stderr.take().expect("it is piped");
    let said = thread::spawn(move || errors(said));
    let (mut libraries, mut packages, mut words) = (Libraries::default(), Vec::new(), String::new());
    for message in messages(cargo.stdout.take()) {
        let Message::CompilerMessage(diagnostic) = message else {
            libraries.take(message);
            continue;
        };
        words.extend(diagnostic.message.rendered);
        if matches!(diagnostic.message.level, DiagnosticLevel::Error | DiagnosticLevel::Ice) {
            packages.push(diagnostic.package_id);
        }
    }
    words.push_str(&said.join().unwrap_or_default());
    let status = cargo.wait().map_err(Error::Cargo)?;
    let failed = Failed { status, packages, words };
    if !status.success() {
        return Ok(Err(failed));
    }
    failed.show();
    Ok(Ok(libraries))
}

impl Failed {
    /// Shows what cargo said.
    pub(super) fn show(&self) {
        eprint!("{}", self.words);
    }
}

impl Libraries {
    fn take(&mut self, message: Message) {
        let Message::CompilerArtifact(artifact) = message else { return };
        if artifact.target.is_proc_macro() || !artifact.target.crate_types.iter().any(is_library) {
            return;
        }
        let files = artifact.filenames.iter().map(|file| file.as_std_path());
        let Some(file) = files.filter_map(|file| Some((preference(file)?, file))).min() else { return };
        self.order.push(artifact.package_id.clone());
        self.files.insert(artifact.package_id, file.1.to_owned());
    }
}

fn messages(output: Option<impl Read>) -> impl Iterator<Item = Message> {
    let output = BufReader::new(output.expect("the output is piped"));
    Message::parse_stream(output).map_while(Result::ok)
}

/// Shows what cargo says up to its first error, and gives the rest.
fn errors(said: impl Read) -> String {
    let mut errors = String::new();
    for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        if errors.is_empty() && !line.starts_with("error") {
            eprintln!("{line}");
        } else {
            errors.push_str(&line);
            errors.push('\n');
        }
    }
    errors
}

pub(super) fn is_library(kind: &CrateType) -> bool {
    matches!(
        kind,
        CrateType::Lib | CrateType::RLib | CrateType::DyLib | CrateType::CDyLib | CrateType::StaticLib
    )
}

/// An rlib holds exactly the records of its crate; the others those of all crates they are linked from.
fn preference(file: &Path) -> Option<usize> {
    let extension = file.extension()?.to_str()?;
    ["rlib", "so", "dylib", "dll", "a", "lib"].iter().position(|known| *known == extension)
}
