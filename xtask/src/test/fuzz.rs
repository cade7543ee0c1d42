//! The part `fuzz`: seeds replay on stable Rust in every run; `--all` lets each fuzzer look further on nightly.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::{Context, every};
use crate::pool;
use crate::process::Step;

const PACKAGE: &str = "fuzz";
/// Long enough to start, read the seeds and mutate them with the address sanitizer; finding is left to longer runs.
const SECONDS_EACH: u32 = 5;

pub(super) fn run(context: &Context) -> anyhow::Result<()> {
    replay(context)?;
    if context.all { fuzz(context) } else { Ok(()) }
}

fn replay(context: &Context) -> anyhow::Result<()> {
    Ok(context
        .runner
        .cargo()
        .args(["test", "--locked"])
        .arg(format!("--manifest-path={PACKAGE}/Cargo.toml"))
        .env("CARGO_TARGET_DIR", context.workspace.target_of(PACKAGE))
        .run()?)
}

fn fuzz(context: &Context) -> anyhow::Result<()> {
    let nightly = context.setup.nightly(&context.runner)?;
    let cargo_fuzz = context.setup.cargo_fuzz(&context.runner)?;
    let path = cargo_fuzz.path_with_it_first()?;
    let folder = context.workspace.root().join(PACKAGE);
    let target_dir = context.workspace.target_of(PACKAGE);
    let command = |verb: &str| -> Step<'_> {
        nightly
            .cargo(&context.runner)
            // One unit, which is the default, leaves all cores but one waiting for it.
            .args(["fuzz", verb, "--features=libfuzzer", "--codegen-units=16", "--target-dir"])
            .arg(&target_dir)
            .arg(format!("--fuzz-dir={PACKAGE}"))
            .env("PATH", &path)
    };
    let targets = targets(&folder.join("fuzz_targets"))?;
    // All at once, since each build would wait for the one before it.
    command("build").run()?;

    let corpora = target_dir.join("corpus");
    for target in &targets {
        let found = corpora.join(target);
        fs::create_dir_all(&found).with_context(|| format!("cannot create {}", found.display()))?;
    }
    let run = |target: &String| {
        command("run")
            .arg(target)
            // What is found goes to the first folder; the seeds are only read.
            .arg(corpora.join(target))
            .arg(folder.join("seeds").join(target))
            .arg("--")
            .arg(format!("-max_total_time={SECONDS_EACH}"))
            .run()
    };
    every(pool::each(&targets, run))
}

/// The names of the fuzzers, sorted: each is one file.
fn targets(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("expected fuzzers in {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    anyhow::ensure!(!names.is_empty(), "expected fuzzers in {}, found none", folder.display());
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fuzzer_is_a_rust_file() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["record.rs", "payload.rs", "notes.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(targets(folder.path()).unwrap(), ["payload", "record"]);
    }

    #[test]
    fn a_folder_without_fuzzers_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = targets(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("found none"), "{error}");
    }
}
