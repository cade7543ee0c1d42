//! The classes of a message and of several messages.

use std::collections::BTreeSet;

use super::super::docs;
use super::super::message::{
    FORM, arguments, described, group_type, group_words, read_arguments, tail_type, tail_words, written,
};
use super::super::messages::{self, form, kept, variant_attributes, variant_docs};
use super::super::scope::Scope;
use super::super::text::docstring;
use super::class::{Class, Method, Methods};
use super::{constant, constants, match_args};
use crate::model::{ContractId, MessageField};

/// What the class of a message says that takes what fits.
const TAKES: &str = "Takes what fits, and owns the file descriptors from then on; `WireError` for\nthe rest, which leaves them the caller's.";

/// The class of a message.
pub(super) fn one(scope: &Scope<'_>, id: ContractId) -> Class {
    let contract = scope.catalog.get(id);
    let message = contract.message();
    let inside = scope.attributes(id);
    let methods = Methods { scope, class: scope.class(id), inside: inside.clone() };
    let names: Vec<String> = message.fields().map(|field| scope.attribute(id, field.name())).collect();
    let given = arguments(scope, id, message, &inside);
    let mut members = vec![Methods::method("__init__", &given, "None", TAKES)];
    for (field, name) in message.fields().zip(&names) {
        let (ty, fact) = match field {
            MessageField::Part(part) => (scope.class(part.contract), String::new()),
            MessageField::Tail(tail) => (
                tail_type(scope, tail, &inside, &methods.builtin("tuple"), ", ..."),
                tail_words(scope.catalog, tail),
            ),
            MessageField::Fds(group) => (group_type(scope, &group.form, &inside), group_words(&group.form)),
        };
        let facts: Vec<&str> = [&*fact].into_iter().filter(|fact| !fact.is_empty()).collect();
        members.push(methods.property(name, &ty, described(8, field.member(), &facts)));
    }
    members.extend(crossing(&methods));
    members.extend(owning(&methods, ["it", "the"]));
    members.push(Methods::method("__repr__", &[], &methods.builtin("str"), ""));
    let mut constants = limits(scope, id, &inside);
    constants.push(match_args(&names));
    Class {
        head: scope.class(id),
        is_final: true,
        docstring: docs::contract(contract, FORM),
        constants,
        methods: members,
    }
}

/// The base of several messages, and a class for each variant.
pub(super) fn several(scope: &Scope<'_>, id: ContractId) -> Vec<Class> {
    let contract = scope.catalog.get(id);
    let none = BTreeSet::new();
    let methods = Methods { scope, class: scope.class(id), inside: none.clone() };
    let mut members = crossing(&methods);
    members.extend(owning(&methods, ["what it holds", "the file descriptors of what it holds"]));
    let base = Class {
        head: scope.class(id),
        is_final: false,
        docstring: docs::contract(contract, &form(contract.messages())),
        constants: limits(scope, id, &none),
        methods: members,
    };
    let variants = (0..contract.messages().variants.len()).map(|index| variant(scope, id, index));
    std::iter::once(base).chain(variants).collect()
}

fn variant(scope: &Scope<'_>, id: ContractId, index: usize) -> Class {
    let messages = scope.catalog.get(id).messages();
    let variant = &messages.variants[index];
    let inside = variant_attributes();
    let class = scope.variant(id, index);
    let methods = Methods { scope, class: class.clone(), inside: inside.clone() };
    let given = messages::arguments(scope, messages, variant, &inside);
    let mut members = vec![Methods::method("__init__", &given[1..], "None", TAKES)];
    let (kind, ty) = kept(scope, messages, variant, &inside);
    let names: &[&str] = match kind {
        "other" => {
            let (int, tuple) = (methods.builtin("int"), methods.builtin("tuple"));
            members.push(methods.property("body", &ty, docstring(8, &["The document."])));
            let docs = docstring(8, &["The file descriptors beside the document, in order."]);
            members.push(methods.property("fds", &format!("{tuple}[{int}, ...]"), docs));
            &["body", "fds"]
        }
        "nothing" => &[],
        _ => {
            members.push(methods.property("value", &ty, docstring(8, &["What it holds."])));
            &["value"]
        }
    };
    members.push(Methods::method("__repr__", &[], &methods.builtin("str"), ""));
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    Class {
        head: format!("{class}({})", scope.class(id)),
        is_final: true,
        docstring: variant_docs(&variant.member),
        constants: vec![match_args(&names)],
        methods: members,
    }
}

/// What a class says of its contract.
fn limits(scope: &Scope<'_>, id: ContractId, inside: &BTreeSet<String>) -> Vec<String> {
    let mut constants = constants(scope, id, inside);
    constants.push(constant("MAX_BYTES", &scope.catalog.most_bytes(id).to_string()));
    constants.push(constant("MAX_FDS", &scope.catalog.most_fds(id).to_string()));
    constants
}

/// From bytes and file descriptors, and to them.
fn crossing(methods: &Methods<'_, '_>) -> Vec<Method> {
    vec![
        methods.function(
            "from_message",
            &read_arguments(methods.scope, &methods.inside),
            &methods.class,
            "The message of these bytes and file descriptors, which it owns from then on.\nWhat is refused (`WireError`; `TypeError` and `ValueError` where `fds` are none)\nleaves them the caller's, or with `close_refused` closes them.",
        ),
        Methods::method(
            "to_message",
            &[],
            &written(methods.scope, &methods.inside),
            "The bytes and the file descriptors to pass with them. They stay those of the\nmessage: pass them before it is closed.",
        ),
        Methods::method("validate_import", &[], "None", "Check what an importer has to hold; `WireError` where it does not."),
    ]
}

/// What owns file descriptors, or holds what does.
fn owning(methods: &Methods<'_, '_>, [who, whose]: [&str; 2]) -> Vec<Method> {
    let (bool, int, list) = (methods.builtin("bool"), methods.builtin("int"), methods.builtin("list"));
    let object = methods.builtin("object");
    let closed = format!("Whether {who} was closed, or gave its file descriptors away.");
    let whose = if whose == "the" { "the file descriptors" } else { whose };
    vec![
        methods.property("closed", &bool, docstring(8, &[&closed])),
        Methods::method(
            "close",
            &[],
            "None",
            &format!(
                "Close {whose}, all of them whatever closing\none of them raises. Once more, it does nothing."
            ),
        ),
        Methods::method(
            "detach",
            &[],
            &format!("{list}[{int}]"),
            &format!(
                "Give {whose} to the caller, in the order of their\ngroups; none where it is closed. It is closed then."
            ),
        ),
        Methods::method("__enter__", &[], "_typing.Self", ""),
        Methods::method("__exit__", &[format!("*error: {object}")], "None", ""),
    ]
}
