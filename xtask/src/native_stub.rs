//! `wirecontract/_native.pyi`, which `cargo xtask gen-stubs` makes as well: of what the built library says of its classes
//! and functions, of the names that `_contracts` has, and of a table of what it cannot say (`special`).

mod by_hand;
mod class;
mod docs;
mod expression;
mod function;
mod module;
mod special;

use std::ffi::OsString;
use std::fs;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};

use crate::process::Runner;
use crate::workspace::Workspace;

const PACKAGE: &str = "bindings/python/wirecontract";
const STUB: &str = "bindings/python/wirecontract/_native.pyi";
const CONTRACTS: &str = "bindings/python/wirecontract/_contracts.pyi";

/// Whether arguments of `gen-stubs` mean all that the workspace has: nothing is chosen, and nothing asked but whether to
/// write. The answer is whether only to check.
pub(crate) fn is_whole(arguments: &[OsString]) -> Option<bool> {
    let known = ["--check", "--force", "--tracked"];
    let is_known = |argument: &OsString| known.iter().any(|known| argument == known);
    arguments.iter().all(is_known).then(|| arguments.iter().any(|argument| argument == "--check"))
}

/// Writes the stub, or says with exit status 1 that it is stale.
pub(crate) fn run(check: bool) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::of_this_xtask();
    let path = workspace.root().join(STUB);
    let text = text(&workspace)?;
    let is_fresh = fs::read_to_string(&path).is_ok_and(|found| found == text);
    if is_fresh {
        return Ok(ExitCode::SUCCESS);
    }
    if check {
        eprintln!("stale: {STUB}: run `cargo xtask gen-stubs`");
        return Ok(ExitCode::FAILURE);
    }
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote: {STUB}");
    Ok(ExitCode::SUCCESS)
}

/// What the stub is of the library that the sources make.
fn text(workspace: &Workspace) -> anyhow::Result<String> {
    // A folder of its own: with the feature, everything above pyo3 is another build.
    let target = workspace.target().join("native-stub");
    let runner = Runner::new("gen-stubs", workspace.root(), &workspace.target().join("xtask-test"), false)?;
    let build = ["build", "--locked", "--package=wirecontract-python", "--features=stubs"];
    runner.cargo().args(build).env("CARGO_TARGET_DIR", &target).run()?;
    let library = target.join("debug/lib_native.so");
    let mut module = pyo3_introspection::introspect_cdylib(&library, "_library")
        .with_context(|| format!("cannot read what {} says of its classes", library.display()))?;
    let stub = workspace.root().join(CONTRACTS);
    let stub = fs::read_to_string(&stub).with_context(|| format!("cannot read {}", stub.display()))?;
    let at = module.modules.iter().position(|nested| nested.name == by_hand::MODULE);
    let at =
        at.with_context(|| format!("expected the module `{}` in the library, found none", by_hand::MODULE))?;
    by_hand::check(&module.modules.remove(at), &stub)?;
    module::render(&module, &contracts(workspace)?)
}

/// The names of `_contracts`, from the module that lists them.
fn contracts(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let path = workspace.root().join(PACKAGE).join("_names.py");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let names: Vec<String> = text
        .lines()
        .filter_map(|line| Some(line.strip_prefix("    \"")?.strip_suffix("\",")?.to_owned()))
        .collect();
    ensure!(!names.is_empty(), "expected names of contracts in {}, a line each", path.display());
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_contracts_leaves_the_library_alone() {
        let asked = |words: &str| is_whole(&words.split_whitespace().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(asked(""), Some(false));
        assert_eq!(asked("--force --tracked"), Some(false));
        assert_eq!(asked("--check"), Some(true));
        assert_eq!(asked("--check -p wirecontract-gpu"), None);
        assert_eq!(asked("--help"), None);
    }
}
