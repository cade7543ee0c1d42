//! `_wire.py`: the error and the helpers that all modules of a package share, and what else stands beside them.

use minijinja::{Environment, Value, context};

use super::module::{all, import};
use super::render;
use super::text::docstring;
use crate::emit::{Artifact, Syntax, codes};

/// Names of `_wire.py` that a standalone file shows beside its contracts.
pub(super) const PUBLIC: [&str; 2] = ["Code", "WireError"];

/// What the text of `_wire.py` imports.
pub(super) const IMPORTS: [&str; 11] = [
    "collections.abc",
    "contextlib",
    "enum",
    "functools",
    "importlib",
    "itertools",
    "math",
    "operator",
    "struct",
    "sys",
    "typing",
];

/// What stands beside the modules of a package.
pub(super) fn beside(environment: &Environment<'_>, folder: &str) -> Vec<Artifact> {
    let artifact = |name: &str, body: String| Artifact {
        path: format!("{folder}/{name}"),
        body,
        contracts: Vec::new(),
        syntax: Syntax::Hash,
    };
    // No package is named: another one may write its modules beside, and then writes this file too.
    let docs = docstring(0, &["Wire contracts, a module for each family."]);
    let package = render(environment, "package", context! { docstring => docs });
    let imports = IMPORTS.map(import);
    let wire = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &["What the modules of wire contracts share: the error, and checks by hand."]),
            imports,
            all => all(PUBLIC.iter().map(|&name| name.to_owned())),
            ids => [""; 0],
            items => [text(environment)],
        },
    );
    vec![
        artifact("__init__.py", package),
        artifact("_wire.py", wire),
        artifact("py.typed", "# The modules beside have types (PEP 561).\n".to_owned()),
    ]
}

/// What `_wire.py` holds behind its imports.
pub(super) fn text(environment: &Environment<'_>) -> String {
    let codes: Vec<Value> =
        codes().into_iter().map(|(number, name)| context! { name => name.to_uppercase(), number }).collect();
    render(environment, "wire", context! { codes }).trim_end().to_owned()
}
