//! The names that messages have in C.

use super::{Registry, claim_spoken};
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{Contract, Member, Message, Messages};
use crate::names::c::{
    constant_stem, element_function, has_count, label, message_constant, stem, tag_type, value_type,
};

/// The functions that every message has.
const MESSAGE_FUNCTIONS: [&str; 8] = [
    "init",
    "validate_import",
    "detail_exact",
    "detail_fd_count",
    "detail_rules",
    "detail_import",
    "detail_held",
    "detail_join",
];

/// The functions that a message of descriptors has besides.
const READ_FUNCTIONS: [&str; 6] =
    ["read", "write", "detail_split", "detail_tail", "detail_elements", "detail_text"];

/// The functions that a message of a document has besides.
const SPLIT_FUNCTIONS: [&str; 3] = ["split", "join", "detail_split"];

/// The functions that one of several messages has; where a document says which one, it is split and not read.
const MESSAGES_FUNCTIONS: [&str; 8] = [
    "read",
    "write",
    "split",
    "join",
    "validate_import",
    "detail_fail_variant",
    "detail_variant",
    "detail_document",
];

pub(super) fn check_message(
    registry: &mut Registry,
    input: &EmitInput<'_>,
    package: &PackageConfig,
    contract: &Contract,
    message: &Message,
) {
    let (whole, stem) = (label(contract, ""), stem(package, contract));
    let is_document = input.catalog.get(message.parts[0].contract).is_document();
    let others = if is_document { &SPLIT_FUNCTIONS[..] } else { &READ_FUNCTIONS };
    for function in MESSAGE_FUNCTIONS.iter().chain(others) {
        registry.claim(format!("{stem}_{function}"), &whole);
    }
    let tail = message.fields().nth(message.parts.len()).filter(|_| message.tail.is_some());
    if let Some(tail) = tail.filter(|&tail| has_count(tail)) {
        registry.claim(element_function(package, contract, tail), &label(contract, tail.name()));
    }
    claim_bounds(registry, &constant_stem(package, contract), &whole);
}

pub(super) fn check_messages(
    registry: &mut Registry,
    package: &PackageConfig,
    contract: &Contract,
    messages: &Messages,
) {
    let (whole, stem) = (label(contract, ""), stem(package, contract));
    for function in MESSAGES_FUNCTIONS {
        registry.claim(format!("{stem}_{function}"), &whole);
    }
    registry.claim(tag_type(package, contract), &whole);
    registry.claim(value_type(package, contract), &whole);
    for variant in &messages.variants {
        let Member { name, c_name, .. } = &variant.member;
        let owner = label(contract, name);
        registry.word(c_name.as_ref().unwrap_or(name), &owner, c_name.is_some());
        registry.claim(message_constant(package, contract, variant), &owner);
    }
    claim_bounds(registry, &constant_stem(package, contract), &whole);
}

/// What messages have.
fn claim_bounds(registry: &mut Registry, constants: &str, owner: &str) {
    registry.claim(format!("{constants}_MAX_BYTES"), owner);
    registry.claim(format!("{constants}_MAX_FDS"), owner);
    claim_spoken(registry, constants, owner);
}
