//! The parts `format`, `lint` and `docs`: what the tools of each language have to say about the source.

use super::{Context, every};
use crate::workspace::STANDALONE;

/// Python that is type-checked, and where it imports from; each is one run of mypy, since two may use one name.
/// What imports modules that the generator's own tests write is type-checked there.
const PYTHON: &[(&[&str], &str)] = &[
    (&["bindings/python", "tests/python", "examples/demo"], "bindings/python:tests/python"),
    (&["tests/native/python/native_rig"], "tests/native/python:bindings/python"),
    (&["tests/consumers"], "bindings/python:tests/python:tests/consumers"),
    (&["tests/src/differential"], "bindings/python"),
    (&["contract-codegen/tests/python"], "bindings/python"),
    (&["tests/data"], "bindings/python"),
    (
        &["examples/sensor-sdk/generated/python", "examples/sensor-sdk/python"],
        "examples/sensor-sdk/generated/python",
    ),
    (
        &["examples/frames/generated/python/frames", "examples/frames/python"],
        "examples/frames/generated/python:bindings/python",
    ),
    (&["tests/exports/generated/python", "tests/exports/python"], "tests/exports/generated/python"),
    (
        &["bench/calls/generated/python", "bench/python"],
        "bench/calls/generated/python:bench/python:bindings/python",
    ),
];

/// The features of the crate that users depend on, each without the others: what one alone leaves unused is a warning
/// where they build it.
const ALONE: &[&str] = &["", "json", "export", "message"];

pub(super) fn format(context: &Context) -> anyhow::Result<()> {
    let cargo = || context.runner.cargo().arg("fmt").arg("--all");
    let mut outcomes = vec![cargo().arg("--check").run()];
    for package in context.workspace.existing(STANDALONE) {
        outcomes.push(cargo().arg(format!("--manifest-path={package}/Cargo.toml")).arg("--check").run());
    }
    let venv = context.setup.venv(&context.runner)?;
    outcomes.push(context.runner.command(venv.python()).args(["-m", "ruff", "format", "--check", "."]).run());
    every(outcomes)
}

pub(super) fn lint(context: &Context) -> anyhow::Result<()> {
    let clippy = || context.runner.cargo().args(["clippy", "--all-targets", "--keep-going"]);
    let deny = ["--", "--deny=warnings"];
    let mut outcomes = vec![clippy().args(["--workspace", "--all-features"]).args(deny).run()];
    for features in ALONE {
        let package = ["--package=wirecontract", "--no-default-features", "--features", features];
        // Its tests have what they need of all features.
        outcomes.push(context.runner.cargo().arg("clippy").args(package).args(deny).run());
    }
    for package in context.workspace.existing(STANDALONE) {
        let clippy = clippy()
            .arg(format!("--manifest-path={package}/Cargo.toml"))
            .env("CARGO_TARGET_DIR", context.workspace.target_of(package))
            .args(deny);
        outcomes.push(clippy.run());
    }
    let venv = context.setup.venv(&context.runner)?;
    let python = |module: &str| context.runner.command(venv.python()).args(["-m", module]);
    outcomes.push(python("ruff").args(["check", "."]).run());
    for (folders, path) in PYTHON {
        let folders = context.workspace.existing(folders);
        if !folders.is_empty() {
            outcomes.push(python("mypy").arg("--strict").args(folders).env("MYPYPATH", path).run());
        }
    }
    // Users have either type checker; which files, the settings say.
    let project = ["-p", "pyrightconfig.json", "--warnings", "--pythonpath"];
    outcomes.push(python("basedpyright").args(project).arg(venv.python()).run());
    every(outcomes)
}

pub(super) fn docs(context: &Context) -> anyhow::Result<()> {
    let cargo = context.runner.cargo().env("RUSTDOCFLAGS", "--deny=warnings");
    Ok(cargo.args(["doc", "--workspace", "--no-deps", "--all-features"]).run()?)
}
