//! What stands beside the family `hello` of the package `wirecontract`: negotiation, written by hand in each language on
//! top of the generated half.

use super::{Artifact, EmitInput, Family, Syntax};

const C: &str = include_str!("../../templates/c/negotiate.h");
const CPP: &str = include_str!("../../templates/cpp/negotiate.hpp");
const PYTHON: &str = include_str!("../../templates/python/negotiate.py");

/// The selected family of the hello.
fn family<'a>(input: &'a EmitInput<'_>) -> Option<&'a Family> {
    input
        .selected_families()
        .find(|family| family.package.package == "wirecontract" && family.name == "hello")
}

/// `negotiate.h`.
pub(super) fn c(input: &EmitInput<'_>) -> Option<Artifact> {
    family(input).map(|family| header(family, "h", C))
}

/// `negotiate.hpp`.
pub(super) fn cpp(input: &EmitInput<'_>) -> Option<Artifact> {
    family(input).map(|family| header(family, "hpp", CPP))
}

/// `negotiate.py`, in the folder of the package.
pub(super) fn python(input: &EmitInput<'_>, folder: &str) -> Option<Artifact> {
    family(input).map(|family| artifact(family, format!("{folder}/negotiate.py"), PYTHON, Syntax::Hash))
}

fn header(family: &Family, extension: &str, body: &str) -> Artifact {
    let path = format!("include/{}/negotiate.{extension}", family.package.include_dir);
    artifact(family, path, body, Syntax::C)
}

fn artifact(family: &Family, path: String, body: &str, syntax: Syntax) -> Artifact {
    Artifact { path, body: body.to_owned(), contracts: family.contracts.clone(), syntax }
}
