//! The part `fuzz`: seeds replay on stable Rust in every run; `--all` lets each fuzzer look further on nightly.

use std::fs;

use anyhow::Context as _;

use super::Context;

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
    let folder = context.workspace.root().join(PACKAGE);
    let target_dir = context.workspace.target_of(PACKAGE);
    for target in targets(&folder.join("fuzz_targets"))? {
        // What is found goes to the first folder; the seeds are only read.
        let found = target_dir.join("corpus").join(&target);
        fs::create_dir_all(&found).with_context(|| format!("cannot create {}", found.display()))?;
        nightly
            .cargo(&context.runner)
            // One unit, which is the default, leaves all cores but one waiting for it.
            .args(["fuzz", "run", "--features=libfuzzer", "--codegen-units=16", "--target-dir"])
            .arg(&target_dir)
            .arg(format!("--fuzz-dir={PACKAGE}"))
            .arg(&target)
            .arg(&found)
            .arg(folder.join("seeds").join(&target))
            .arg("--")
            .arg(format!("-max_total_time={SECONDS_EACH}"))
            .env("PATH", cargo_fuzz.path_with_it_first()?)
            .run()?;
    }
    Ok(())
}

/// The names of the fuzzers, sorted: each is one file.
fn targets(folder: &std::path::Path) -> anyhow::Result<Vec<String>> {
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
