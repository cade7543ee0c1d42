//! What every class says of itself.

use super::text::{docstring, statement, string};
use crate::model::{Contract, EnumValue};

/// The docstring of a contract's class; `form` says what kind of thing it is.
pub(super) fn contract(contract: &Contract, form: &str) -> String {
    let version = contract.version.map(|version| format!("Version {version}.")).unwrap_or_default();
    let facts = [form, &version, &since(contract.since)].join(" ");
    docstring(4, &[&contract.docs, facts.trim(), &deprecated(contract.deprecated.as_ref())])
}

/// The docstring of a value of an enumeration or of flags; empty where there is nothing to say.
pub(super) fn value(value: &EnumValue) -> String {
    let paragraphs = [value.docs.as_str(), &since(value.since), &deprecated(value.deprecated.as_ref())];
    if paragraphs.iter().all(|paragraph| paragraph.trim().is_empty()) {
        return String::new();
    }
    docstring(4, &paragraphs)
}

/// The wire id, as Python writes it.
pub(super) fn wire_id(contract: &Contract) -> String {
    format!("0x{:016X}", contract.wire_id)
}

/// What a hello says of a class; `builtin` gives the name that a builtin has in there.
pub(super) fn spoken(contract: &Contract, builtin: impl Fn(&str) -> String) -> String {
    let [int, text, tuple] = ["int", "str", "tuple"].map(builtin);
    let number = format!("VERSION: _typing.ClassVar[{int}] = {}", contract.version.unwrap_or(1));
    let versions = format!("{tuple}[{tuple}[{int}, {int}], ...]");
    let short = format!("    EARLIER: _typing.ClassVar[{versions}] = (");
    let earlier = if short.chars().count() < 88 {
        statement(4, &format!("EARLIER: _typing.ClassVar[{versions}] = {}", earlier(contract)))
    } else {
        // Names that are spelled with the module of builtins leave no room for the value.
        let value = statement(4, &format!("] = {}", earlier(contract)));
        format!("    EARLIER: _typing.ClassVar[\n        {versions}\n{value}")
    };
    let path = string(&contract.path());
    let name = format!("    CONTRACT: _typing.ClassVar[{text}] = {path}");
    let name = if name.chars().count() <= 88 {
        name
    } else {
        format!("    CONTRACT: _typing.ClassVar[{text}] = (\n        {path}\n    )")
    };
    [statement(4, &number), earlier, name].join("\n")
}

/// The same for an enumeration, whose attributes would be members.
pub(super) fn spoken_aside(contract: &Contract) -> String {
    [
        format!("VERSION = _enum.nonmember({})", contract.version.unwrap_or(1)),
        format!("EARLIER = _enum.nonmember({})", earlier(contract)),
        format!("CONTRACT = _enum.nonmember({})", string(&contract.path())),
    ]
    .map(|line| statement(4, &line))
    .join("\n")
}

fn earlier(contract: &Contract) -> String {
    let each = |(version, wire_id): &(u32, u64)| format!("({version}, 0x{wire_id:016X})");
    match contract.earlier.as_slice() {
        [] => "()".to_owned(),
        [one] => format!("({},)", each(one)),
        several => format!("({})", several.iter().map(each).collect::<Vec<_>>().join(", ")),
    }
}

fn since(version: Option<u32>) -> String {
    version.map(|version| format!("Since version {version}.")).unwrap_or_default()
}

fn deprecated(why: Option<&String>) -> String {
    why.map(|why| format!("Deprecated: {why}")).unwrap_or_default()
}
