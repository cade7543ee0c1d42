//! `cargo xtask bench`: every promise of speed, against a named peer that is measured in the same run.
//!
//! What runs in nanoseconds is counted in instructions, which a busy machine does not change; what runs in seconds
//! is measured in processor time, in turns, the best of several.

mod build;
mod c;
mod callgrind;
mod calls;
mod generator;
mod handoff;
mod inputs;
mod json;
mod native;
mod package;
mod python;
mod rust;
mod sources;
mod table;
mod tensors;
mod usage;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail, ensure};
use clap::Parser;

use self::inputs::Inputs;
use self::table::Table;
use crate::process::Runner;
use crate::setup::Setup;
use crate::workspace::Workspace;

/// Measure against hand-written code and other crates; exit with 1 when a limit is broken.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Rows to measure, by the names that `--list` prints; all by default.
    rows: Vec<String>,

    /// Print the rows and measure nothing.
    #[arg(long)]
    list: bool,

    /// Show that the peers give the contracts' verdicts and values, and measure nothing.
    #[arg(long)]
    agree: bool,

    /// Show what the commands print.
    #[arg(long, short)]
    verbose: bool,
}

/// Rows that are measured together.
struct Group {
    name: &'static str,
    about: &'static str,
    /// Whether peers show that they agree before they are measured.
    has_peers: bool,
    run: fn(&Bench, &mut Table) -> anyhow::Result<()>,
}

const GROUPS: &[Group] = &[
    Group {
        name: "rust",
        about: "reading, viewing and writing the payload: instructions, a hand-written zerocopy parser, and no allocation",
        has_peers: true,
        run: rust::handwritten,
    },
    Group {
        name: "derives",
        about: "reading and writing the payload: instructions, binrw and deku",
        has_peers: true,
        run: rust::derives,
    },
    Group {
        name: "c",
        about: "reading and writing the payload by gcc and clang: instructions, hand-written memcpy",
        has_peers: true,
        run: c::run,
    },
    Group {
        name: "json",
        about: "reading and writing messages of textures: instructions, serde_json and its derive, serde_json::Value by hand",
        has_peers: true,
        run: json::messages,
    },
    Group {
        name: "rules",
        about: "reading a descriptor with four rules: instructions, the same one without",
        has_peers: true,
        run: json::rules,
    },
    Group {
        name: "python",
        about: "reading and writing the payload and messages: time, cuvis_ipc from PyPI, a reader by hand, json.loads",
        has_peers: true,
        run: python::run,
    },
    Group {
        name: "native",
        about: "reading contracts by the native classes of Python: time, the pure classes",
        has_peers: true,
        run: native::run,
    },
    Group {
        name: "calls",
        about: "calls of exported functions: time, the bare function from C, ctypes by hand",
        has_peers: true,
        run: calls::run,
    },
    Group {
        name: "tensors",
        about: "tensors to and from Python: instructions, dlpark in the same module",
        has_peers: true,
        run: tensors::run,
    },
    Group {
        name: "handoff",
        about: "a payload and its memory from process to process: time, the same system calls by hand; imports by size",
        has_peers: true,
        run: handoff::run,
    },
    Group {
        name: "gen-stubs",
        about: "1,000 contracts to all targets: time, memory, and growth to 2,000",
        has_peers: false,
        run: generator::run,
    },
    Group {
        name: "build",
        about: "200 descriptors and 200 enumerations: build time, zerocopy's derives; bytes of record in the library",
        has_peers: false,
        run: build::run,
    },
];

/// What every group works with.
struct Bench {
    workspace: Workspace,
    runner: Runner,
    setup: Setup,
    /// Where generated files and builds go.
    folder: PathBuf,
    inputs: Inputs,
    /// Whether to stop where the peers have shown that they agree.
    only_agree: bool,
}

impl Bench {
    /// With a runner of its own, or one beside another.
    fn open(
        only_agree: bool,
        runner: impl FnOnce(&Path, &Path) -> io::Result<Runner>,
    ) -> anyhow::Result<Self> {
        let workspace = Workspace::of_this_xtask();
        let folder = workspace.target().join("bench");
        let runner = runner(workspace.root(), &folder)
            .with_context(|| format!("cannot write the log in {}", folder.display()))?;
        let inputs = Inputs::write(&folder)?;
        Ok(Bench { workspace, runner, setup: Setup::open()?, folder, inputs, only_agree })
    }

    /// Runs groups, and gives the number of those that failed; a group that fails does not stop the next.
    fn run(&self, mut groups: Vec<&Group>, table: &mut Table) -> usize {
        if self.only_agree {
            groups.retain(|group| group.has_peers);
        }
        let mut failures = 0;
        for group in groups {
            self.runner.say(format_args!("{}: {}", group.name, group.about));
            if let Err(error) = (group.run)(self, table) {
                self.runner.say(format_args!("{} could not be measured: {error:#}", group.name));
                failures += 1;
            }
        }
        failures
    }

    fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// Says what to install when the program that counts instructions is missing.
    fn need_counter(&self) -> anyhow::Result<()> {
        if self.only_agree { Ok(()) } else { self.need("valgrind") }
    }

    /// Says what to install when a program is missing.
    fn need(&self, program: &str) -> anyhow::Result<()> {
        match self.runner.command(program).arg("--version").ask() {
            Ok((true, _)) => Ok(()),
            _ => bail!(
                "expected the program `{program}`, found none that runs; on Debian: apt-get install {program}"
            ),
        }
    }
}

/// Runs the benchmarks.
pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    let command = std::iter::once(OsString::from("bench")).chain(arguments.iter().cloned());
    let arguments = Arguments::parse_from(command);
    if arguments.list {
        for group in GROUPS {
            println!("{:<10} {}", group.name, group.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let groups = selected(&arguments.rows)?;
    let runner = |root: &Path, folder: &Path| Runner::new("bench", root, folder, arguments.verbose);
    let bench = Bench::open(arguments.agree, runner)?;
    let mut table = Table::default();
    let failures = bench.run(groups, &mut table);
    if arguments.agree {
        println!("{failures} groups whose peers do not agree");
    } else {
        print!("\n{table}");
        println!("{} limits broken, {failures} groups not measured", table.broken());
    }
    Ok(if table.broken() + failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Has the peers of every group show that they agree, and measures nothing; what it runs is counted as `part`'s.
pub(crate) fn agree(part: &Runner) -> anyhow::Result<()> {
    let bench = Bench::open(true, |_, folder| part.beside("bench", folder))?;
    let failures = bench.run(GROUPS.iter().collect(), &mut Table::default());
    ensure!(
        failures == 0,
        "{failures} groups whose peers do not agree: `cargo xtask bench --agree` shows them"
    );
    Ok(())
}

fn selected(names: &[String]) -> anyhow::Result<Vec<&'static Group>> {
    if names.is_empty() {
        return Ok(GROUPS.iter().collect());
    }
    let find = |name: &String| {
        GROUPS.iter().find(|group| group.name == *name).with_context(|| {
            let known: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
            format!("expected one of {}, found the row `{name}`", known.join(", "))
        })
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn rows_are_chosen_by_name() {
        let names = |rows: &[&str]| {
            let rows: Vec<String> = rows.iter().map(|&row| row.to_owned()).collect();
            selected(&rows).map(|groups| groups.iter().map(|group| group.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["c", "rust"]).unwrap(), ["c", "rust"]);
        assert_eq!(names(&[]).unwrap().len(), GROUPS.len());
        let error = names(&["ruby"]).unwrap_err().to_string();
        assert!(error.contains("`ruby`") && error.contains("gen-stubs"), "{error}");
    }
}
