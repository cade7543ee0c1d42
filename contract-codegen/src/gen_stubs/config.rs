//! `[package.metadata.wirecontract]`: how a package's contracts are spelled, and where their files go.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Target;
use crate::emit::{ForeignHeader, Method, PackageConfig, Parameter};
use crate::names::python::is_keyword;

/// What a package configures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Config {
    pub(super) words: PackageConfig,
    pub(super) targets: Vec<Target>,
    pub(super) out: Out,
    /// The families that are written and agreed on; all, unless it says which.
    pub(super) families: Option<Vec<String>>,
    /// Whether its contracts are agreed with others: not those of fixtures.
    pub(super) is_locked: bool,
}

/// Where files go, relative to the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    /// One folder, which gets a folder a tree.
    Folder(String),
    /// A folder for each tree.
    Trees(BTreeMap<String, String>),
}

impl Out {
    /// The folder of a tree, if it has one.
    pub(super) fn tree(&self, name: &str) -> Option<PathBuf> {
        match self {
            Out::Folder(folder) => Some(Path::new(folder).join(name)),
            Out::Trees(trees) => trees.get(name).map(PathBuf::from),
        }
    }
}

/// The first folder of an artifact's path.
pub(super) const TREES: [&str; 8] =
    ["include", "rust", "python", "native", "stub", "json", "schema", "vectors"];
const KEYS: [&str; 11] = [
    "targets",
    "out",
    "c-prefix",
    "include-dir",
    "cpp-namespace",
    "python-package",
    "standalone",
    "families",
    "foreign",
    "methods",
    "lock",
];
const METHOD_KEYS: [&str; 5] = ["function", "gives", "arguments", "returns", "docs"];
const FOREIGN_KEYS: [&str; 8] =
    ["header", "guard", "version", "requires", "defines", "extern-c", "dll", "dll-exports"];

/// Why a configuration is not one.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("unknown key `{key}`: expected one of {}", expected.join(", "))]
    UnknownKey { key: String, expected: Vec<&'static str> },
    #[error("`{key}` is {found}: expected {expected}")]
    WrongType { key: String, expected: &'static str, found: &'static str },
    #[error("`{table}` has no `{key}`, which says what {of} is")]
    Missing { table: String, key: &'static str, of: &'static str },
    #[error("`{key}` has the target `{found}`: expected some of {}", Target::ALL.map(Target::name).join(", "))]
    UnknownTarget { key: String, found: String },
    #[error("`{key}` is `{found}`: expected {expected}")]
    BadWord { key: String, found: String, expected: &'static str },
}

impl Config {
    pub(super) fn default_for(package: &str) -> Self {
        Config {
            words: PackageConfig::default_for(package),
            targets: Target::DEFAULT.to_vec(),
            out: Out::Folder("generated".to_owned()),
            families: None,
            is_locked: true,
        }
    }

    /// Whether a family is written and agreed on.
    pub(super) fn has(&self, family: &str) -> bool {
        self.families.as_ref().is_none_or(|families| families.iter().any(|other| other == family))
    }

    /// The configuration in a package's metadata.
    pub(super) fn parse(package: &str, metadata: &Value) -> Result<Self, Problem> {
        let mut config = Config::default_for(package);
        let Some(table) = metadata.get("wirecontract") else { return Ok(config) };
        for (key, value) in table_of("wirecontract", table)? {
            match key.as_str() {
                "targets" => config.targets = targets(key, value)?,
                "out" => config.out = out(key, value)?,
                "c-prefix" => config.words.c_prefix = word(key, value, "a C identifier", is_identifier)?,
                "include-dir" => {
                    let legal = |word: &str| word.split('/').all(is_folder);
                    config.words.include_dir = word(key, value, "a relative path of plain names", legal)?;
                }
                "cpp-namespace" => {
                    let legal = |word: &str| word.split("::").all(is_identifier);
                    config.words.cpp_namespace = word(key, value, "C++ identifiers joined by `::`", legal)?;
                }
                "python-package" => {
                    let legal = |word: &str| word.split('.').all(is_identifier);
                    config.words.python_package =
                        word(key, value, "Python identifiers joined by `.`", legal)?;
                }
                "families" => {
                    let Value::Array(items) = value else {
                        return Err(wrong_type(key, "an array of families", value));
                    };
                    let families = items.iter().map(|item| text(key, item).map(str::to_owned));
                    config.families = Some(families.collect::<Result<_, _>>()?);
                }
                "standalone" => config.words.standalone = flag(key, value)?,
                "lock" => config.is_locked = flag(key, value)?,
                "foreign" => {
                    for (family, value) in table_of(key, value)? {
                        let header = foreign(&format!("{key}.{family}"), value)?;
                        config.words.foreign.insert(family.clone(), header);
                    }
                }
                "methods" => config.words.methods = methods(key, value)?,
                _ => return Err(Problem::UnknownKey { key: key.clone(), expected: KEYS.to_vec() }),
            }
        }
        config.words.documents = config.targets.contains(&Target::CJson);
        Ok(config)
    }
}

fn targets(key: &str, value: &Value) -> Result<Vec<Target>, Problem> {
    let Value::Array(items) = value else { return Err(wrong_type(key, "an array of targets", value)) };
    let mut targets = Vec::new();
    for item in items {
        let name = text(key, item)?;
        let target = Target::ALL.into_iter().find(|target| target.name() == name);
        targets.push(
            target.ok_or_else(|| Problem::UnknownTarget { key: key.to_owned(), found: name.to_owned() })?,
        );
    }
    targets.sort_unstable();
    targets.dedup();
    Ok(targets)
}

fn out(key: &str, value: &Value) -> Result<Out, Problem> {
    if let Value::String(folder) = value {
        return Ok(Out::Folder(folder.clone()));
    }
    let Value::Object(table) = value else {
        return Err(wrong_type(key, "a path, or a table of paths", value));
    };
    let mut trees = BTreeMap::new();
    for (tree, folder) in table {
        let key = format!("{key}.{tree}");
        if !TREES.contains(&tree.as_str()) {
            return Err(Problem::UnknownKey { key, expected: TREES.to_vec() });
        }
        trees.insert(tree.clone(), text(&key, folder)?.to_owned());
    }
    Ok(Out::Trees(trees))
}

/// A header of somebody else.
fn foreign(table: &str, value: &Value) -> Result<ForeignHeader, Problem> {
    let entries = table_of(table, value)?;
    if let Some(key) = entries.keys().find(|key| !FOREIGN_KEYS.contains(&key.as_str())) {
        let key = format!("{table}.{key}");
        return Err(Problem::UnknownKey { key, expected: FOREIGN_KEYS.to_vec() });
    }
    let macro_of = |name: &str| {
        let key = format!("{table}.{name}");
        entries.get(name).map(|value| word(&key, value, "a C identifier", is_identifier)).transpose()
    };
    let absent =
        |name: &'static str| Problem::Missing { table: table.to_owned(), key: name, of: "the other header" };
    let is_condition = |text: &str| {
        let legal = |c: char| c.is_ascii_alphanumeric() || " _()<>=!&|+-".contains(c);
        !text.is_empty() && text.chars().all(legal)
    };
    let requires = entries.get("requires").map(|value| {
        word(&format!("{table}.requires"), value, "a condition of the preprocessor", is_condition)
    });
    let mut defines = BTreeMap::new();
    if let Some(value) = entries.get("defines") {
        let key = format!("{table}.defines");
        for (name, value) in table_of(&key, value)? {
            let key = format!("{key}.{name}");
            if !is_identifier(name) {
                return Err(Problem::BadWord { key, found: name.clone(), expected: "a C identifier" });
            }
            let number = value.as_u64().ok_or_else(|| wrong_type(&key, "an unsigned integer", value))?;
            defines.insert(name.clone(), number);
        }
    }
    let dll = match (macro_of("dll")?, macro_of("dll-exports")?) {
        (Some(dll), Some(exports)) => Some((dll, exports)),
        (None, None) => None,
        (Some(_), None) => return Err(absent("dll-exports")),
        (None, Some(_)) => return Err(absent("dll")),
    };
    let is_header = |name: &str| name.split('/').all(is_folder);
    let header = entries.get("header").ok_or_else(|| absent("header"))?;
    Ok(ForeignHeader {
        header: word(&format!("{table}.header"), header, "a header as `#include` names it", is_header)?,
        guard: macro_of("guard")?.ok_or_else(|| absent("guard"))?,
        version: macro_of("version")?,
        requires: requires.transpose()?,
        defines,
        extern_c: macro_of("extern-c")?,
        dll,
    })
}

/// The methods by hand of native classes, by family, class and name.
fn methods(key: &str, value: &Value) -> Result<Vec<Method>, Problem> {
    let mut methods = Vec::new();
    for (family, value) in table_of(key, value)? {
        let key = format!("{key}.{family}");
        for (class, value) in table_of(&key, value)? {
            let key = format!("{key}.{class}");
            for (name, value) in table_of(&key, value)? {
                methods.push(method([family, class, name], &format!("{key}.{name}"), value)?);
            }
        }
    }
    Ok(methods)
}

fn method([family, class, name]: [&String; 3], table: &str, value: &Value) -> Result<Method, Problem> {
    let entries = table_of(table, value)?;
    if let Some(key) = entries.keys().find(|key| !METHOD_KEYS.contains(&key.as_str())) {
        let key = format!("{table}.{key}");
        return Err(Problem::UnknownKey { key, expected: METHOD_KEYS.to_vec() });
    }
    if !is_python_name(name) {
        let expected = "a name of Python's that does not begin with `_`";
        return Err(Problem::BadWord { key: table.to_owned(), found: name.clone(), expected });
    }
    let said = |name: &'static str, expected: &'static str, is_legal: &dyn Fn(&str) -> bool| {
        let missing = || Problem::Missing { table: table.to_owned(), key: name, of: "the method" };
        word(&format!("{table}.{name}"), entries.get(name).ok_or_else(missing)?, expected, is_legal)
    };
    let mut parameters = Vec::new();
    if let Some(value) = entries.get("arguments") {
        let key = format!("{table}.arguments");
        let Value::Array(items) = value else { return Err(wrong_type(&key, "an array of arguments", value)) };
        for item in items {
            parameters.push(parameter(&key, text(&key, item)?)?);
        }
    }
    let is_path = |word: &str| word.split("::").all(is_identifier);
    let is_type = |word: &str| !word.is_empty() && !word.contains(['\n', ';', '{', '}']);
    Ok(Method {
        family: family.clone(),
        class: class.clone(),
        name: name.clone(),
        function: said("function", "a path of Rust's", &is_path)?,
        gives: said("gives", "a type of Rust's", &is_type)?,
        parameters,
        returns: said("returns", "a type of Python's", &is_annotation)?,
        docs: said("docs", "what the method says of itself", &|text| !text.trim().is_empty())?,
    })
}

/// `*`, `name: type` or `name: type = None`.
fn parameter(key: &str, text: &str) -> Result<Parameter, Problem> {
    if text == "*" {
        return Ok(Parameter::Named);
    }
    let expected = "`*`, `name: type` or `name: type = None`";
    let wrong = || Problem::BadWord { key: key.to_owned(), found: text.to_owned(), expected };
    let (name, said) = text.split_once(": ").ok_or_else(wrong)?;
    let annotation = said.strip_suffix(" = None");
    let may_be_left_out = annotation.is_some();
    let annotation = annotation.unwrap_or(said);
    if !is_python_name(name) || !is_annotation(annotation) {
        return Err(wrong());
    }
    Ok(Parameter::Argument { name: name.to_owned(), annotation: annotation.to_owned(), may_be_left_out })
}

/// A public name that is free in Python.
fn is_python_name(word: &str) -> bool {
    is_identifier(word) && !word.starts_with('_') && word != "self" && !is_keyword(word)
}

fn is_annotation(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || " _.,|[]".contains(c);
    !text.is_empty() && text.chars().all(legal)
}

fn word(
    key: &str,
    value: &Value,
    expected: &'static str,
    is_legal: impl Fn(&str) -> bool,
) -> Result<String, Problem> {
    let word = text(key, value)?;
    if is_legal(word) {
        return Ok(word.to_owned());
    }
    Err(Problem::BadWord { key: key.to_owned(), found: word.to_owned(), expected })
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Not empty, not hidden and no way up.
fn is_folder(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn text<'value>(key: &str, value: &'value Value) -> Result<&'value str, Problem> {
    value.as_str().ok_or_else(|| wrong_type(key, "text", value))
}

fn flag(key: &str, value: &Value) -> Result<bool, Problem> {
    value.as_bool().ok_or_else(|| wrong_type(key, "true or false", value))
}

fn table_of<'value>(
    key: &str,
    value: &'value Value,
) -> Result<&'value serde_json::Map<String, Value>, Problem> {
    value.as_object().ok_or_else(|| wrong_type(key, "a table", value))
}

fn wrong_type(key: &str, expected: &'static str, value: &Value) -> Problem {
    let found = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a bool",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "a table",
    };
    Problem::WrongType { key: key.to_owned(), expected, found }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::{Config, Out, Parameter};
    use serde_json::{Value, json};

    fn parse(table: &Value) -> Result<Config, String> {
        let metadata = json!({ "docs": {}, "wirecontract": table });
        Config::parse("sensor-sdk", &metadata).map_err(|problem| problem.to_string())
    }

    #[test]
    fn a_package_that_configures_nothing_is_spelled_by_its_name() {
        let config = Config::parse("sensor-sdk", &Value::Null).unwrap();
        assert_eq!(config.words.c_prefix, "sensor_sdk");
        assert_eq!((&*config.targets, config.words.documents), (&Target::DEFAULT[..], false));
        assert!(config.words.standalone);
        assert_eq!(config, parse(&json!({})).unwrap());
    }

    #[test]
    fn all_that_is_configured_is_taken() {
        let config = parse(&json!({
            "targets": ["json", "c", "c-json", "json"],
            "out": { "include": "../include", "json": "json" },
            "c-prefix": "ss",
            "include-dir": "acme/sensor-sdk",
            "cpp-namespace": "acme::sensor",
            "python-package": "acme.sensor",
            "standalone": false,
            "families": ["camera"],
            "methods": { "camera": { "Frame": { "open": {
                "function": "crate::open",
                "gives": "Bound<'py, PyAny>",
                "arguments": ["fd: int | a.Fd", "*", "within: float | None = None"],
                "returns": "a.Image",
                "docs": "Opens it.",
            } } } },
            "foreign": { "tensor": {
                "header": "acme/tensor.h",
                "guard": "ACME_TENSOR_H",
                "version": "ACME_MINOR",
                "requires": "ACME_MAJOR == 1",
                "defines": { "ACME_MAJOR": 1 },
                "extern-c": "ACME_C",
                "dll": "ACME_DLL",
                "dll-exports": "ACME_EXPORTS",
            } },
        }))
        .unwrap();
        let foreign = &config.words.foreign["tensor"];
        assert_eq!((&*foreign.header, &*foreign.guard), ("acme/tensor.h", "ACME_TENSOR_H"));
        assert_eq!(foreign.version.as_deref(), Some("ACME_MINOR"));
        assert_eq!(foreign.requires.as_deref(), Some("ACME_MAJOR == 1"));
        assert_eq!(foreign.defines["ACME_MAJOR"], 1);
        assert_eq!(foreign.extern_c.as_deref(), Some("ACME_C"));
        assert_eq!(foreign.dll, Some(("ACME_DLL".to_owned(), "ACME_EXPORTS".to_owned())));
        let [method] = &config.words.methods[..] else { panic!("one method is configured") };
        assert_eq!((&*method.family, &*method.class, &*method.name), ("camera", "Frame", "open"));
        assert_eq!((&*method.function, &*method.gives), ("crate::open", "Bound<'py, PyAny>"));
        let argument = |name: &str, annotation: &str, may_be_left_out| Parameter::Argument {
            name: name.to_owned(),
            annotation: annotation.to_owned(),
            may_be_left_out,
        };
        let within = argument("within", "float | None", true);
        assert_eq!(method.parameters, [argument("fd", "int | a.Fd", false), Parameter::Named, within]);
        assert_eq!((&*method.returns, &*method.docs), ("a.Image", "Opens it."));
        assert_eq!(config.targets, [Target::C, Target::CJson, Target::Json]);
        assert!(config.words.documents);
        let Out::Trees(trees) = config.out else { panic!("a table is a table") };
        assert_eq!(trees["include"], "../include");
        assert_eq!(config.families, Some(vec!["camera".to_owned()]));
        let words = config.words;
        assert!(!words.standalone);
        let words = [words.c_prefix, words.include_dir, words.cpp_namespace, words.python_package];
        assert_eq!(words, ["ss", "acme/sensor-sdk", "acme::sensor", "acme.sensor"]);
    }

    #[test]
    fn what_is_no_configuration_is_refused_with_what_would_be() {
        for (table, message) in [
            (
                json!({ "prefix": "ss" }),
                "unknown key `prefix`: expected one of targets, out, c-prefix, include-dir, cpp-namespace, python-package, standalone, families, foreign, methods, lock",
            ),
            (json!({ "lock": "no" }), "`lock` is text: expected true or false"),
            (json!({ "standalone": 0 }), "`standalone` is a number: expected true or false"),
            (json!({ "standalone": ["a"] }), "`standalone` is an array: expected true or false"),
            (
                json!({ "out": { "lib": "x" } }),
                "unknown key `out.lib`: expected one of include, rust, python, native, stub, json, schema, vectors",
            ),
            (json!({ "out": 1 }), "`out` is a number: expected a path, or a table of paths"),
            (json!({ "targets": "c" }), "`targets` is text: expected an array of targets"),
            (
                json!({ "targets": ["rust"] }),
                "`targets` has the target `rust`: expected some of c, cpp, c-json, python, python-native, python-stub, json, schema, vectors",
            ),
            (json!({ "c-prefix": "1s" }), "`c-prefix` is `1s`: expected a C identifier"),
            (
                json!({ "include-dir": "../x" }),
                "`include-dir` is `../x`: expected a relative path of plain names",
            ),
            (
                json!({ "include-dir": "/x" }),
                "`include-dir` is `/x`: expected a relative path of plain names",
            ),
            (
                json!({ "cpp-namespace": "a:b" }),
                "`cpp-namespace` is `a:b`: expected C++ identifiers joined by `::`",
            ),
            (
                json!({ "python-package": "a..b" }),
                "`python-package` is `a..b`: expected Python identifiers joined by `.`",
            ),
            (json!("x"), "`wirecontract` is text: expected a table"),
            (json!({ "methods": { "f": { "C": 1 } } }), "`methods.f.C` is a number: expected a table"),
            (
                json!({ "methods": { "f": { "C": { "m": {} } } } }),
                "`methods.f.C.m` has no `function`, which says what the method is",
            ),
            (
                json!({ "methods": { "f": { "C": { "_m": {} } } } }),
                "`methods.f.C._m` is `_m`: expected a name of Python's that does not begin with `_`",
            ),
            (
                json!({ "methods": { "f": { "C": { "m": { "function": "a b" } } } } }),
                "`methods.f.C.m.function` is `a b`: expected a path of Rust's",
            ),
            (
                json!({ "methods": { "f": { "C": { "m": { "arguments": ["x=1"] } } } } }),
                "`methods.f.C.m.arguments` is `x=1`: expected `*`, `name: type` or `name: type = None`",
            ),
            (
                json!({ "methods": { "f": { "C": { "m": { "doc": "M." } } } } }),
                "unknown key `methods.f.C.m.doc`: expected one of function, gives, arguments, returns, docs",
            ),
            (json!({ "foreign": { "f": 1 } }), "`foreign.f` is a number: expected a table"),
            (
                json!({ "foreign": { "f": { "guard": "G" } } }),
                "`foreign.f` has no `header`, which says what the other header is",
            ),
            (
                json!({ "foreign": { "f": { "header": "a/b.h" } } }),
                "`foreign.f` has no `guard`, which says what the other header is",
            ),
            (
                json!({ "foreign": { "f": { "header": "a b.h", "guard": "G" } } }),
                "`foreign.f.header` is `a b.h`: expected a header as `#include` names it",
            ),
            (
                json!({ "foreign": { "f": { "header": "b.h", "guard": "1" } } }),
                "`foreign.f.guard` is `1`: expected a C identifier",
            ),
            (
                json!({ "foreign": { "f": { "header": "b.h", "guard": "G", "requires": "A\n#error" } } }),
                "`foreign.f.requires` is `A\n#error`: expected a condition of the preprocessor",
            ),
            (
                json!({ "foreign": { "f": { "header": "b.h", "guard": "G", "defines": { "A": -1 } } } }),
                "`foreign.f.defines.A` is a number: expected an unsigned integer",
            ),
            (
                json!({ "foreign": { "f": { "header": "b.h", "guard": "G", "dll": "D" } } }),
                "`foreign.f` has no `dll-exports`, which says what the other header is",
            ),
            (
                json!({ "foreign": { "f": { "header": "b.h", "guard": "G", "since": 1 } } }),
                "unknown key `foreign.f.since`: expected one of header, guard, version, requires, defines, extern-c, dll, dll-exports",
            ),
        ] {
            assert_eq!(parse(&table).unwrap_err(), message);
        }
    }
}
