//! `cargo xtask test`: everything that is checked before a change lands, in named parts.

mod c_tensors;
mod consumers;
mod example;
mod free_threaded;
mod fuzz;
mod headers;
mod install;
mod lint;
mod msrv;
mod mutate;
pub(crate) mod package;
mod peers;
mod python;
mod rust;
mod sanitized;
mod stubs;
mod summary;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;

use anyhow::Context as _;
use clap::builder::PossibleValuesParser;

use crate::pool;
use crate::process::{Runner, StepError};
use crate::setup::Setup;
use crate::workspace::Workspace;
use summary::{Outcome, Summary};

/// What `cargo xtask test` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What a part needs (Python packages, compilers, the oldest supported Rust) is set up when the part runs, in the\n\
user's cache folder; Debian packages are installed when run as root, and named otherwise.\n\
\n\
Two parts run at a time, since hardly one keeps all cores busy from its beginning to its end; with --verbose one.\n\
Each part's output is kept in target/xtask-test/PART.log and shown when the part fails.\n\
Exit status: 0 every part passed, 1 one failed, 2 the command line was wrong.")]
pub(crate) struct Arguments {
    /// Run only these parts (`--list` shows them)
    #[arg(value_name = "PART", value_parser = PossibleValuesParser::new(PARTS.iter().map(|part| part.name)), hide_possible_values = true)]
    parts: Vec<String>,
    /// Also run what takes long: the fuzzers, and whatever the tests themselves keep for this
    #[arg(long)]
    all: bool,
    /// List the parts and stop
    #[arg(long)]
    list: bool,
    /// Show all output as it comes, and not only that of what fails
    #[arg(long, short)]
    verbose: bool,
}

/// One part of the tests.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn(&Context) -> anyhow::Result<()>,
}

/// As many parts at a time: more would wait for each other's builds.
const TOGETHER: usize = 2;

/// In the order in which they begin: what fails fastest, then what takes longest, so that nothing is left alone at the end.
const PARTS: &[Part] = &[
    Part { name: "format", about: "rustfmt and ruff format have nothing to change", run: lint::format },
    Part {
        name: "lint",
        about: "clippy, ruff, mypy --strict and pyright have nothing to say",
        run: lint::lint,
    },
    Part { name: "rust", about: "tests of the workspace, documentation examples included", run: rust::run },
    Part { name: "docs", about: "rustdoc has nothing to say", run: lint::docs },
    Part { name: "stubs", about: "every committed artifact is what gen-stubs writes", run: stubs::run },
    Part {
        name: "headers",
        about: "generated headers compile everywhere, alone and together",
        run: headers::run,
    },
    Part { name: "python", about: "pytest over tests/python", run: python::run },
    Part {
        name: "wheel",
        about: "sdist and wheel are made, and the wheel works in an empty environment",
        run: package::wheel,
    },
    Part {
        name: "consumers",
        about: "array libraries take our tensors and give us theirs; with --all torch too",
        run: consumers::run,
    },
    Part {
        name: "free-threaded",
        about: "with --all, tensors and threads under a Python without a GIL, which is built for it",
        run: free_threaded::run,
    },
    Part {
        name: "msrv",
        about: "Rust 1.85 builds and runs tests/msrv: 64-bit, 32-bit, big-endian",
        run: msrv::run,
    },
    Part {
        name: "peers",
        about: "with --all, what the bench measures against gives the same verdicts",
        run: peers::run,
    },
    Part {
        name: "example",
        about: "examples/sensor-sdk and examples/frames build and pass their tests",
        run: example::run,
    },
    Part {
        name: "install",
        about: "libwirecontract installs, exports its own symbols only, and the examples in C and C++ run with it",
        run: install::run,
    },
    Part {
        name: "mutate",
        about: "with --all, a sample of changes of one side is stopped",
        run: mutate::run,
    },
    Part {
        name: "fuzz",
        about: "fuzz seeds replay; with --all each fuzzer runs a few seconds",
        run: fuzz::run,
    },
];

/// What a part works with.
struct Context<'a> {
    workspace: Workspace,
    setup: Setup,
    runner: Runner,
    made: &'a Made,
    all: bool,
}

/// What several parts of one run take, and the first of them makes.
#[derive(Default)]
struct Made {
    package: Once,
    tensors: Once,
}

/// A folder that is made once, or why it could not be.
#[derive(Default)]
struct Once(OnceLock<Result<PathBuf, String>>);

impl Once {
    /// The folder, which nobody changes from now on: another part may have loaded what lies in it.
    fn get(&self, make: impl FnOnce() -> anyhow::Result<PathBuf>) -> anyhow::Result<PathBuf> {
        let folder = self.0.get_or_init(|| make().map_err(|error| format!("{error:#}")));
        folder.clone().map_err(anyhow::Error::msg)
    }
}

/// Runs the parts asked for, all of them when none is; a part that fails does not stop the others.
pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if arguments.list {
        print!("{}", list());
        return ExitCode::SUCCESS;
    }
    let workspace = Workspace::of_this_xtask();
    let made = Made::default();
    let parts: Vec<&Part> = selected(&arguments.parts).collect();
    // What comes as it comes is of one part at a time.
    let together = if arguments.verbose { 1 } else { TOGETHER };
    let summary: Summary =
        pool::some_at_once(together, &parts, |part| outcome(part, arguments, &workspace, &made))
            .into_iter()
            .collect();
    print!("\n{summary}");
    if summary.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn outcome(part: &Part, arguments: &Arguments, workspace: &Workspace, made: &Made) -> Outcome {
    println!("[{}] {}", part.name, part.about);
    let start = Instant::now();
    let (result, processor) = run_part(part, arguments, workspace, made);
    let seconds = start.elapsed().as_secs_f64();
    match &result {
        Ok(()) => println!("[{}] passed in {seconds:.1} s", part.name),
        Err(error) => println!("[{}] failed: {error:#}", part.name),
    }
    Outcome { part: part.name, error: result.err(), seconds, processor }
}

/// How a part ended, and how many seconds of processor time its commands took.
fn run_part(
    part: &Part,
    arguments: &Arguments,
    workspace: &Workspace,
    made: &Made,
) -> (anyhow::Result<()>, f64) {
    let logs = workspace.target().join("xtask-test");
    let opened = Runner::new(part.name, workspace.root(), &logs, arguments.verbose)
        .with_context(|| format!("cannot write the log of this part in {}", logs.display()))
        .and_then(|runner| Ok((runner, Setup::open()?)));
    let (runner, setup) = match opened {
        Ok(opened) => opened,
        Err(error) => return (Err(error), 0.0),
    };
    let context = Context { workspace: workspace.clone(), setup, runner, made, all: arguments.all };
    ((part.run)(&context), context.runner.processor_seconds())
}

/// The verdict of steps that all ran, whatever came of the others, so that one run shows everything that is broken.
fn every(outcomes: Vec<Result<(), StepError>>) -> anyhow::Result<()> {
    let mut errors = outcomes.into_iter().filter_map(Result::err);
    let Some(first) = errors.next() else { return Ok(()) };
    match errors.count() {
        0 => Err(first.into()),
        more => {
            Err(anyhow::Error::from(first).context(format!("{} steps failed, the first of them", more + 1)))
        }
    }
}

/// The parts of the given names, in the order in which parts run.
fn selected(names: &[String]) -> impl Iterator<Item = &'static Part> {
    PARTS.iter().filter(move |part| names.is_empty() || names.iter().any(|name| name == part.name))
}

fn list() -> String {
    use std::fmt::Write as _;
    PARTS.iter().fold(String::new(), |mut text, part| {
        let _ = writeln!(text, "{:<9}  {}", part.name, part.about);
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn names(arguments: &[&str]) -> Vec<&'static str> {
        let line = Line::try_parse_from([&["test"], arguments].concat()).unwrap();
        selected(&line.arguments.parts).map(|part| part.name).collect()
    }

    #[test]
    fn no_part_means_every_part() {
        assert_eq!(names(&["--all"]).len(), PARTS.len());
    }

    #[test]
    fn parts_run_in_their_own_order_and_once() {
        assert_eq!(names(&["python", "rust", "python"]), ["rust", "python"]);
    }

    #[test]
    fn an_unknown_part_is_refused() {
        let error = Line::try_parse_from(["test", "pyton"]).unwrap_err().to_string();
        assert!(error.contains("pyton") && error.contains("similar value exists: 'python'"), "{error}");
    }

    #[test]
    fn what_two_parts_take_is_made_once_whatever_came_of_it() {
        let once = Once::default();
        assert_eq!(once.get(|| Ok("folder".into())).unwrap(), PathBuf::from("folder"));
        assert_eq!(once.get(|| unreachable!("it is made")).unwrap(), PathBuf::from("folder"));
        let once = Once::default();
        let error = once.get(|| Err(anyhow::anyhow!("no compiler").context("cannot build"))).unwrap_err();
        assert_eq!(error.to_string(), "cannot build: no compiler");
        let error = once.get(|| unreachable!("it was tried")).unwrap_err();
        assert_eq!(error.to_string(), "cannot build: no compiler");
    }

    #[test]
    fn the_list_has_one_line_a_part() {
        assert_eq!(list().lines().count(), PARTS.len());
    }
}
