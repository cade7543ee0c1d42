//! What every class says of itself.

use super::text::docstring;
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

fn since(version: Option<u32>) -> String {
    version.map(|version| format!("Since version {version}.")).unwrap_or_default()
}

fn deprecated(why: Option<&String>) -> String {
    why.map(|why| format!("Deprecated: {why}")).unwrap_or_default()
}
