//! `_wire.py`: the error and the helpers that all modules of a package share, and what else stands beside them.

use minijinja::{Environment, Value, context};

use super::message::MESSAGE;
use super::module::{all, import};
use super::render;
use super::text::docstring;
use crate::emit::{Artifact, Syntax, codes};

/// Names of `_wire.py` that a standalone file shows beside its contracts.
pub(super) const PUBLIC: [&str; 3] = ["Code", "Json", "WireError"];

/// And beside them in the package: a standalone file calls nothing.
const PACKAGE: [&str; 4] = ["CallError", "Code", "Json", "WireError"];

/// What the text of `_wire.py` imports.
pub(super) const IMPORTS: [&str; 16] = [
    "binascii",
    "collections.abc",
    "contextlib",
    "dataclasses",
    "enum",
    "functools",
    "importlib",
    "itertools",
    "json",
    "json.encoder",
    "math",
    "operator",
    "re",
    "struct",
    "sys",
    "typing",
];

/// How much of `_wire` some contracts need.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Half {
    /// Descriptors without rules.
    Bytes,
    /// Descriptors.
    Rules,
    /// Recipes and unions, and with them all.
    Json,
}

/// What some contracts need of `_wire`.
#[derive(Clone, Copy)]
pub(super) struct Needs {
    /// How much of what descriptors, recipes and unions share.
    pub(super) half: Half,
    /// Whether one is a C struct.
    pub(super) has_abi: bool,
    /// Whether one is a descriptor that grows.
    pub(super) has_growth: bool,
    /// Whether one is a message; in a package, what these need besides is a module of its own.
    pub(super) has_messages: bool,
}

impl Needs {
    /// All of it.
    const ALL: Needs = Needs { half: Half::Json, has_abi: true, has_growth: true, has_messages: false };
}

/// Rules.
const RULES: &str = include_str!("../../../templates/python/json/rule.py");

/// What C structs need besides.
const ABI: &str = include_str!("../../../templates/python/abi.py");

/// What descriptors that grow need besides.
const GROWTH: &str = include_str!("../../../templates/python/growth.py");

/// The error of calls.
const CALLS: &str = include_str!("../../../templates/python/export/error.py");

/// What recipes and unions need besides, in parts.
const JSON: [&str; 10] = [
    include_str!("../../../templates/python/json/scan.py"),
    include_str!("../../../templates/python/json/text.py"),
    include_str!("../../../templates/python/json/shapes.py"),
    include_str!("../../../templates/python/json/leaves.py"),
    include_str!("../../../templates/python/json/containers.py"),
    include_str!("../../../templates/python/json/contracts.py"),
    include_str!("../../../templates/python/json/object.py"),
    include_str!("../../../templates/python/json/recipe.py"),
    include_str!("../../../templates/python/json/union.py"),
    include_str!("../../../templates/python/json/quick.py"),
];

/// Modules that only [`Half::Json`] imports.
const JSON_IMPORTS: [&str; 5] = ["binascii", "dataclasses", "json", "json.encoder", "re"];

/// What the text of a half imports.
pub(super) fn imports(half: Half) -> Vec<String> {
    let is_there = |module: &&str| half == Half::Json || !JSON_IMPORTS.contains(module);
    IMPORTS.into_iter().filter(is_there).map(import).collect()
}

/// The names of a half that a standalone file shows beside its contracts.
pub(super) fn public(half: Half) -> impl Iterator<Item = &'static str> {
    PUBLIC.into_iter().filter(move |&name| name != "Json" || half == Half::Json)
}

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
    let imports = imports(Half::Json);
    let wire = render(
        environment,
        "module",
        context! {
            docstring => docstring(0, &["What the modules of wire contracts share: the error, and checks by hand."]),
            imports,
            all => all(PACKAGE.iter().map(|&name| name.to_owned())),
            ids => [""; 0],
            items => [text(environment, Needs::ALL), CALLS.trim_end().to_owned()],
        },
    );
    vec![
        artifact("__init__.py", package),
        artifact("_wire.py", wire),
        artifact("py.typed", "# The modules beside have types (PEP 561).\n".to_owned()),
    ]
}

/// What `_wire.py` holds behind its imports.
pub(super) fn text(environment: &Environment<'_>, needs: Needs) -> String {
    let codes: Vec<Value> =
        codes().into_iter().map(|(number, name)| context! { name => name.to_uppercase(), number }).collect();
    let bytes = render(environment, "wire", context! { codes });
    let mut parts = vec![bytes.as_str()];
    if needs.has_growth {
        parts.push(GROWTH);
    }
    if needs.has_abi {
        parts.push(ABI);
    }
    if needs.half >= Half::Rules {
        parts.push(RULES);
    }
    if needs.half >= Half::Json {
        parts.extend(JSON);
    }
    if needs.has_messages {
        parts.extend(MESSAGE);
    }
    parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n\n")
}
