//! `_wire.py`: the error and the helpers that all modules of a package share, and what else stands beside them.

use minijinja::{Environment, Value, context};

use super::module::{all, import};
use super::render;
use super::text::docstring;
use crate::emit::{Artifact, Family, Syntax};

/// The codes of every refusal, in all languages.
const CODES: [(&str, u32); 36] = [
    ("OK", 0),
    ("TOO_SHORT", 1),
    ("TRAILING_BYTES", 2),
    ("BAD_MAGIC", 3),
    ("UNSUPPORTED_VERSION", 4),
    ("UNKNOWN_VALUE", 5),
    ("UNKNOWN_BITS", 6),
    ("LENGTH_EXCEEDS", 7),
    ("RESERVED_NOT_ZERO", 8),
    ("BAD_TEXT", 9),
    ("RULE_VIOLATED", 10),
    ("NOT_JSON", 11),
    ("BAD_UTF8", 12),
    ("TOO_LARGE", 13),
    ("TOO_DEEP", 14),
    ("TOO_MANY", 15),
    ("DUPLICATE_KEY", 16),
    ("UNKNOWN_KEY", 17),
    ("MISSING_KEY", 18),
    ("WRONG_TYPE", 19),
    ("OUT_OF_RANGE", 20),
    ("BAD_ENCODING", 21),
    ("UNKNOWN_TAG", 22),
    ("NULL_NOT_ALLOWED", 23),
    ("CONDITION_VIOLATED", 24),
    ("FD_COUNT", 25),
    ("FD_KIND", 26),
    ("ID_MISMATCH", 27),
    ("NULL_ARGUMENT", 28),
    ("BAD_HANDLE", 29),
    ("BUSY", 30),
    ("PANIC", 31),
    ("IO", 32),
    ("TIMEOUT", 33),
    ("PEER_CLOSED", 34),
    ("REFUSED", 35),
];

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
pub(super) fn beside(environment: &Environment<'_>, folder: &str, family: &Family) -> Vec<Artifact> {
    let artifact = |name: &str, body: String| Artifact {
        path: format!("{folder}/{name}"),
        body,
        contracts: Vec::new(),
        syntax: Syntax::Hash,
    };
    let docs = docstring(
        0,
        &[&format!("The wire contracts of {}, a module for each family.", family.package.package)],
    );
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
    let codes: Vec<Value> = CODES.iter().map(|&(name, number)| context! { name, number }).collect();
    render(environment, "wire", context! { codes }).trim_end().to_owned()
}
