//! `cargo xtask mutate`: the proof that a change of one side is stopped before anybody misreads a payload.
//!
//! [`subject`] has declarations that ship and all that is theirs; [`operators`] change a declaration, [`edits`] an artifact,
//! one thing in one place ([`remake`] makes of it what a compiler would have); [`choose`] says which of all that could be
//! changed a run changes. Each mutant is led through every gate of [`gates`] that has something to say of it, alone;
//! [`matrix`] says what is a finding, [`mod@report`] tells it.

mod choose;
mod edits;
mod gates;
mod matrix;
mod mutant;
mod operators;
mod remake;
mod report;
mod subject;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, bail};

use self::gates::compile::Compilers;
use self::gates::{Gate, Met, python};
use self::matrix::{Matrix, Row};
use self::mutant::{Kind, Mutant, Source};
use self::report::About;
use self::subject::Subject;
use crate::pool;
use crate::process::Runner;
use crate::setup::{Setup, packages};
use crate::workspace::Workspace;

/// Mutants of a whole run, by what is expected of them.
const WHOLE: [(Kind, usize); 3] = [(Kind::Declaration, 310), (Kind::Artifact, 110), (Kind::Harmless, 105)];
/// The seed where none is given, so that a run says the same tomorrow.
const SEED: u64 = 1;

/// What `cargo xtask mutate` takes.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
A mutant is a declaration of one side that changed, or an artifact that was edited, while all else stays. Each meets\n\
every gate that has something to say of it, alone. A survivor, a harmless change that is called breaking, and, in a\n\
whole run, a gate that stops nothing fail the run. target/xtask-mutate/mutants.txt lists what stopped each.\n\
\n\
Exit status: 0 nothing survived and nothing was called what it is not, 1 something did, 2 the command line was wrong.")]
pub(crate) struct Arguments {
    /// Make this many mutants, of every kind of change in turn, and not all of a whole run
    #[arg(long, value_name = "N", conflicts_with = "every")]
    sample: Option<usize>,
    /// Make every mutant that could be made, which takes an hour
    #[arg(long)]
    every: bool,
    /// What picks the places that are changed
    #[arg(long, value_name = "S", default_value_t = SEED)]
    seed: u64,
    /// Make the mutants whose names contain this
    #[arg(long, value_name = "NAME", conflicts_with_all = ["sample", "every"])]
    only: Option<String>,
    /// Break a gate on purpose: it lets everything pass; may be given several times
    #[arg(long, value_name = "GATE", value_enum)]
    without: Vec<Gate>,
    /// List the mutants and stop
    #[arg(long)]
    list: bool,
    /// How to say what was found
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// A JSON object with every mutant and gate.
    Json,
}

/// Does what the arguments say, and tells about it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::of_this_xtask();
    // Every mutant is encoded, decoded, emitted and interpreted: without optimisation that takes longer than compilers do.
    if cfg!(debug_assertions) {
        return optimised(&workspace);
    }
    let folder = workspace.target().join("xtask-mutate");
    let runner = Runner::new("mutate", workspace.root(), &folder, false)
        .with_context(|| format!("cannot write the log in {}", folder.display()))?;
    let (is_clean, said) = report(arguments, &workspace, &runner)?;
    print!("{said}");
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The same command, compiled for speed.
fn optimised(workspace: &Workspace) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = std::process::Command::new(cargo)
        .current_dir(workspace.root())
        .args(["run", "--profile", "mutate", "--quiet", "--package", "xtask", "--"])
        .args(std::env::args_os().skip(1))
        .status()
        .context("cannot run cargo")?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Whether nothing was found, and what is said of it.
fn report(arguments: &Arguments, workspace: &Workspace, runner: &Runner) -> anyhow::Result<(bool, String)> {
    let start = Instant::now();
    let setup = Setup::open()?;
    setup.packages(runner, packages::COMPILERS)?;
    let interpreter = setup.venv(runner)?.python();
    let folder = workspace.target().join("xtask-mutate");
    let subjects = Subject::all(workspace, &folder)?;
    let all = possible(&subjects);
    let possible = all.len();
    let chosen = chosen(arguments, all)?;
    if arguments.list {
        let lines = chosen.iter().map(|mutant| format!("{}: {}\n", mutant.name, mutant.change));
        return Ok((true, lines.collect()));
    }
    let compilers = Compilers::prepare(&subjects, &folder)?;
    python::prepare(&subjects)?;
    let (rows, refused) = rows(arguments, &subjects, &compilers, &interpreter, chosen, &folder)?;
    let matrix = Matrix {
        rows,
        without: arguments.without.iter().copied().collect(),
        is_whole: arguments.only.is_none() && arguments.sample.is_none(),
    };
    let seconds = start.elapsed().as_secs_f64();
    let list = folder.join("mutants.txt");
    fs::write(&list, report::list(&matrix)).with_context(|| format!("cannot write {}", list.display()))?;
    let about = About { seed: arguments.seed, possible, refused, seconds, list };
    let said = match arguments.format {
        Format::Text => report::text(&matrix, &about),
        Format::Json => format!("{:#}\n", report::json(&matrix, &about)),
    };
    Ok((matrix.findings().is_empty(), said))
}

/// Every mutant that could be made; some that turn out to be no declarations among them.
fn possible(subjects: &[Subject]) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        let mut put = |kind, operator: &str, place: String, change: String, source| {
            // A path in a name would be two words of a command line.
            let word = place.replace(' ', "_");
            let stem = format!("{}/{operator}/{word}", subject.name).replace(' ', "_");
            let operator = operator.to_owned();
            all.push(Mutant { name: stem, subject: index, kind, operator, place, change, source });
        };
        put(Kind::Control, "control", "all".to_owned(), "nothing".to_owned(), Source::Control);
        for candidate in operators::candidates(subject.catalog(), &subject.contracts) {
            let (place, change) = (candidate.place.clone(), candidate.change.clone());
            put(Kind::Declaration, candidate.operator, place, change, Source::Declaration(candidate));
        }
        for candidate in operators::harmless(subject.catalog(), &subject.contracts) {
            let (place, change) = (candidate.place.clone(), candidate.change.clone());
            put(Kind::Harmless, candidate.operator, place, change, Source::Declaration(candidate));
        }
        for edits::Possible { operator, place, change, edit } in edits::all(subject) {
            let target = subject.files[edit.file].target.name();
            put(Kind::Artifact, &format!("{target}.{operator}"), place, change, Source::Edit(edit));
        }
    }
    // What is changed in one place in several ways is counted.
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for mutant in &mut all {
        let count = seen.entry(mutant.name.clone()).or_default();
        *count += 1;
        mutant.name = format!("{}/{count}", mutant.name);
    }
    all
}

/// The mutants of a run, in the order in which they are made.
fn chosen(arguments: &Arguments, all: Vec<Mutant>) -> anyhow::Result<Vec<Mutant>> {
    if let Some(wanted) = &arguments.only {
        let chosen: Vec<Mutant> = all.into_iter().filter(|mutant| mutant.name.contains(&**wanted)).collect();
        if chosen.is_empty() {
            bail!(
                "expected the name of a mutant, or a part of one, found `{wanted}`: `--list --every` shows them"
            );
        }
        return Ok(chosen);
    }
    let (controls, others): (Vec<Mutant>, Vec<Mutant>) =
        all.into_iter().partition(|mutant| mutant.kind == Kind::Control);
    let mut chosen = controls;
    let mut by_kind = std::collections::BTreeMap::<Kind, Vec<Mutant>>::new();
    for mutant in others {
        by_kind.entry(mutant.kind).or_default().push(mutant);
    }
    for (kind, mutants) in by_kind {
        let order = choose::order(arguments.seed, mutants.iter().map(|it| (&*it.operator, &*it.name)));
        let mut mutants: Vec<Option<Mutant>> = mutants.into_iter().map(Some).collect();
        chosen.extend(order.into_iter().filter_map(|index| mutants[index].take()));
        debug_assert!(kind != Kind::Control);
    }
    Ok(chosen)
}

/// How many mutants of each kind a run makes; none where it makes all.
fn wanted(arguments: &Arguments) -> Option<[(Kind, usize); 3]> {
    match arguments.sample {
        _ if arguments.every || arguments.only.is_some() => None,
        None => Some(WHOLE),
        Some(count) => {
            let (artifacts, harmless) = (count / 4, count / 8);
            let declarations = count - artifacts - harmless;
            Some([(Kind::Declaration, declarations), (Kind::Artifact, artifacts), (Kind::Harmless, harmless)])
        }
    }
}

/// Leads mutants through the gates, as many at once as the machine has cores, until there are as many of each kind as are
/// wanted. Gives what came of them, and how many were no declarations.
fn rows(
    arguments: &Arguments,
    subjects: &[Subject],
    compilers: &Compilers,
    interpreter: &Path,
    chosen: Vec<Mutant>,
    folder: &Path,
) -> anyhow::Result<(Vec<Row>, usize)> {
    let types = folder.join("types");
    if types.exists() {
        fs::remove_dir_all(&types).with_context(|| format!("cannot empty {}", types.display()))?;
    }
    fs::create_dir_all(&types).with_context(|| format!("cannot make {}", types.display()))?;
    let mut met = Vec::new();
    let mut refused = 0;
    let mut waiting = chosen;
    let kinds: BTreeSet<Kind> = waiting.iter().map(|mutant| mutant.kind).collect();
    for kind in kinds {
        let (mut these, others): (Vec<Mutant>, Vec<Mutant>) =
            waiting.into_iter().partition(|mutant| mutant.kind == kind);
        waiting = others;
        let wanted = wanted(arguments).and_then(|wanted| wanted.iter().find(|(of, _)| *of == kind).copied());
        let mut left = wanted.map_or(these.len(), |(_, count)| count);
        while left > 0 && !these.is_empty() {
            let rest = these.split_off(left.min(these.len()));
            let batch = meet_all(subjects, compilers, &these, folder)?;
            for (mutant, result) in these.into_iter().zip(batch) {
                match result {
                    Met::NoDeclaration => refused += 1,
                    Met::Gates { outcomes, job, notes } => {
                        left -= 1;
                        met.push((mutant, outcomes, job, notes));
                    }
                }
            }
            these = rest;
        }
    }
    let jobs: Vec<(&Subject, &python::Job)> = met
        .iter()
        .filter_map(|(mutant, _, job, _)| Some((&subjects[mutant.subject], job.as_deref()?)))
        .collect();
    let mut answers = python::run(interpreter, folder, &jobs)?.into_iter();
    let by_mypy = gates::types::run(interpreter, &types)?;
    let rows = met.into_iter().map(|(mutant, mut outcomes, job, notes)| {
        let modules = gates::types_folder(&place(folder, &mutant));
        let said = modules.file_name().and_then(|name| by_mypy.get(name.to_str()?));
        outcomes.extend(said.map(|outcome| (Gate::Types, outcome.clone())));
        if job.is_some() {
            outcomes.extend(answers.next().unwrap_or_default());
        }
        let keeps_sources = match &mutant.source {
            Source::Declaration(candidate) => candidate.promise.is_some_and(|promise| promise.source_ids),
            _ => false,
        };
        let Mutant { name, kind, operator, place, change, .. } = mutant;
        Row { name, kind, operator, place, change, keeps_sources, outcomes, notes }
    });
    Ok((rows.collect(), refused))
}

fn meet_all(
    subjects: &[Subject],
    compilers: &Compilers,
    mutants: &[Mutant],
    folder: &Path,
) -> anyhow::Result<Vec<Met>> {
    let meet = |mutant: &Mutant| {
        gates::meet(&subjects[mutant.subject], compilers, mutant, &place(folder, mutant))
            .with_context(|| format!("the mutant {}", mutant.name))
    };
    pool::each(mutants, meet).into_iter().collect()
}

/// The folder of a mutant.
fn place(folder: &Path, mutant: &Mutant) -> PathBuf {
    let word: String =
        mutant.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    folder.join("mutants").join(word)
}

#[cfg(test)]
mod tests;
