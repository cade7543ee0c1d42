//! Generated Python under the tools that users have: linters, the formatter, the type checker, the interpreter.
//!
//! `WIRECONTRACT_PYTHON` names an interpreter (`python3` otherwise) that has mypy, ruff, pytest and hypothesis.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use wirecontract_codegen::emit::Artifact;

/// What the repository holds generated Python to, whatever a user's own settings are.
const RULES: &str = "E,F,W,I,B,C4,PIE,PT,RET,RUF,SIM,UP,PGH,PERF,FURB,FLY";

/// The type checker, with what says that a comparison of types always holds: many projects ask for it.
const MYPY: [&str; 7] = [
    "mypy",
    "--strict",
    "--enable-error-code",
    "redundant-expr",
    "--explicit-package-bases",
    "--cache-dir",
    "../mypy",
];

pub(crate) fn write(folder: &Path, artifacts: &[Artifact]) {
    for artifact in artifacts {
        let path = folder.join(&artifact.path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, &artifact.body).expect("a file");
    }
}

/// Linters, the formatter and the type checker have nothing to say.
pub(crate) fn lint(root: &Path) {
    python(
        root,
        &["ruff", "check", "--isolated", "--no-cache", "--line-length", "88", "--select", RULES, "."],
    );
    python(root, &["ruff", "check", "--isolated", "--no-cache", "."]);
    python(root, &["ruff", "format", "--isolated", "--no-cache", "--diff", "."]);
    python(root, &[&MYPY[..], &["."]].concat());
}

/// Runs a tool's module in the folder of the generated packages.
pub(crate) fn python(root: &Path, arguments: &[&str]) {
    let output = run(root, &[&["-m"], arguments].concat());
    assert!(
        output.status.success(),
        "{}:\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}

/// Runs the interpreter in the folder of the generated packages.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Output {
    let interpreter = std::env::var("WIRECONTRACT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    Command::new(&interpreter)
        .args(arguments)
        .current_dir(root)
        .env("PYTHONPATH", root)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap_or_else(|error| {
            panic!("`{interpreter}`: {error}; name an interpreter in WIRECONTRACT_PYTHON that has mypy, ruff and pytest")
        })
}
