//! The part `headers`: every generated header, alone and with all others, through every compiler and standard.

mod matrix;
mod swig;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::Context;
use crate::pool;
use crate::process::Runner;
use crate::setup::packages;
use matrix::Unit;

/// Folders that a user names with `-I`.
const TREES: &[&str] =
    &["bindings/c/include", "examples/sensor-sdk/generated/include", "tests/exports/generated/include"];
/// Failures shown in full; the others are counted.
const SHOWN: usize = 5;

/// One run of a compiler on source given on standard input.
#[derive(Debug)]
struct Job {
    words: Vec<String>,
    /// What is compiled, in words.
    subject: String,
    source: String,
}

/// A job that failed, and what it printed.
#[derive(Debug)]
struct Failure {
    subject: String,
    command: String,
    output: String,
}

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    context.setup.packages(&context.runner, packages::COMPILERS)?;
    let root = context.workspace.root();
    let trees =
        TREES.iter().map(|tree| Ok((*tree, headers(&root.join(tree))?))).collect::<anyhow::Result<_>>()?;
    let (_, multiarch) = context.runner.command("gcc").arg("-print-multiarch").ask()?;

    let units = units(&trees);
    let mut jobs = matrix::jobs(&units, multiarch.trim());
    jobs.extend(swig::jobs(&trees, &context.workspace.target().join("xtask-test/swig"))?);
    context.runner.say(format_args!("{} translation units, {} compilations", units.len(), jobs.len()));

    let failures = run_all(&jobs, &context.runner)?;
    let shown = first_of_each_subject(&failures);
    for Failure { command, output, .. } in shown.iter().take(SHOWN) {
        context.runner.say(format_args!("$ {command}\n{output}"));
    }
    ensure!(
        failures.is_empty(),
        "expected every compilation to pass in silence, found {} of {} that did not ({} shown above)",
        failures.len(),
        jobs.len(),
        shown.len().min(SHOWN)
    );
    Ok(())
}

/// Each header alone, and those of all trees together: a program that uses two SDKs includes both.
fn units(trees: &BTreeMap<&str, Vec<String>>) -> Vec<Unit> {
    let alone = trees.iter().flat_map(|(&tree, headers)| {
        headers.iter().map(move |header| Unit::new(&[tree], std::slice::from_ref(header)))
    });
    let folders: Vec<&str> = trees.keys().copied().collect();
    let together = Unit::new(&folders, &trees.values().flatten().cloned().collect::<Vec<_>>());
    // A translation unit of C has the C headers only.
    alone.chain(together.c_part()).chain([together]).collect()
}

/// The headers below a folder, as an `#include` names them, sorted.
fn headers(tree: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = tree.join(&folder);
        let entries = fs::read_dir(&path)
            .with_context(|| format!("expected generated headers in {}; run gen-stubs", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(name);
            } else if name.extension().is_some_and(|extension| extension == "h" || extension == "hpp") {
                found.push(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    ensure!(!found.is_empty(), "expected generated headers in {}, found none; run gen-stubs", tree.display());
    found.sort();
    Ok(found)
}

/// What is wrong with a header is mostly wrong with every compiler: one failure of each is enough to read.
fn first_of_each_subject(failures: &[Failure]) -> Vec<&Failure> {
    let mut shown: Vec<&Failure> = Vec::new();
    for failure in failures {
        if !shown.iter().any(|other| other.subject == failure.subject) {
            shown.push(failure);
        }
    }
    shown
}

fn run_all(jobs: &[Job], runner: &Runner) -> anyhow::Result<Vec<Failure>> {
    pool::each(jobs, |job| run_one(job, runner)).into_iter().filter_map(Result::transpose).collect()
}

fn run_one(job: &Job, runner: &Runner) -> anyhow::Result<Option<Failure>> {
    let (program, arguments) = job.words.split_first().expect("a job names its program");
    // Messages are compared and read in one language.
    let step = runner.command(program).args(arguments).env("LC_ALL", "C").input(job.source.clone());
    let (has_passed, output) = step.ask()?;
    if has_passed && output.is_empty() {
        return Ok(None);
    }
    let words = job.words.join(" ");
    let command = if job.source.is_empty() {
        words
    } else {
        format!("printf '{}\\n' | {words}", job.source.trim_end().replace('\n', "\\n"))
    };
    Ok(Some(Failure { subject: job.subject.clone(), command, output }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_named_as_they_are_included() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("wirecontract")).unwrap();
        for name in ["cuvis.h", "core.hpp", "core.h", "README.md"] {
            fs::write(tree.path().join("wirecontract").join(name), "").unwrap();
        }
        let found = headers(tree.path()).unwrap();
        assert_eq!(found, ["wirecontract/core.h", "wirecontract/core.hpp", "wirecontract/cuvis.h"]);
    }

    #[test]
    fn a_tree_without_headers_says_what_to_run() {
        let tree = tempfile::tempdir().unwrap();
        assert!(headers(tree.path()).unwrap_err().to_string().ends_with("found none; run gen-stubs"));
    }

    #[test]
    fn each_header_is_compiled_alone_and_with_those_of_every_tree() {
        let header = |name: &str| name.to_owned();
        let trees =
            BTreeMap::from([("a", vec![header("core.h"), header("a.hpp")]), ("b", vec![header("b.h")])]);
        let together = ["a", "b"];
        assert_eq!(
            units(&trees),
            [
                Unit::new(&["a"], &[header("core.h")]),
                Unit::new(&["a"], &[header("a.hpp")]),
                Unit::new(&["b"], &[header("b.h")]),
                Unit::new(&together, &[header("core.h"), header("b.h")]),
                Unit::new(&together, &[header("core.h"), header("a.hpp"), header("b.h")]),
            ]
        );
    }

    #[test]
    fn a_job_that_warns_has_failed_even_with_status_zero() {
        let words = |script: &str| ["sh", "-c", script].map(String::from).to_vec();
        let job = |script| Job { words: words(script), subject: String::new(), source: "x\n".into() };
        let jobs = [job("cat >/dev/null"), job("echo warning >&2"), job("exit 1")];
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::new("sample", folder.path(), folder.path(), false).unwrap();
        let failures = run_all(&jobs, &runner).unwrap();
        let outputs: Vec<&str> = failures.iter().map(|failure| failure.output.as_str()).collect();
        assert_eq!(outputs, ["warning\n", ""]);
    }

    #[test]
    fn one_failure_of_each_subject_is_shown() {
        let failures = ["a", "a", "b"].map(|subject| Failure {
            subject: subject.into(),
            command: String::new(),
            output: String::new(),
        });
        let shown: Vec<&str> =
            first_of_each_subject(&failures).iter().map(|it| it.subject.as_str()).collect();
        assert_eq!(shown, ["a", "b"]);
    }
}
