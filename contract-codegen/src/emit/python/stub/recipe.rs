//! The class of a recipe, and what unions have as well.

use std::collections::BTreeSet;

use super::super::docs;
use super::super::recipe::{DOCS, OR_DEFAULT, arguments, key_docs, optional, or_default};
use super::super::scope::Scope;
use super::super::shapes::annotation;
use super::super::text::docstring;
use super::class::{Class, Method, Methods};
use super::{constant, constants, match_args};
use crate::model::{ContractId, Presence};

pub(super) fn class(scope: &Scope<'_>, id: ContractId) -> Class {
    let contract = scope.catalog.get(id);
    let recipe = contract.recipe();
    let inside = scope.attributes(id);
    let methods = Methods { scope, class: scope.class(id), inside: inside.clone() };
    let names: Vec<String> = recipe.keys.iter().map(|key| scope.attribute(id, &key.name)).collect();
    let mut written = json_constants(scope, id, recipe.max_bytes, &inside);
    written.push(match_args(&names));

    let arguments = arguments(scope, id);
    let mut members = vec![methods.constructor(&arguments, DOCS)];
    for (key, name) in recipe.keys.iter().zip(&names) {
        let ty = annotation(scope, &key.ty, &inside, false);
        members.push(methods.property(name, &format!("{ty}{}", optional(key)), key_docs(scope, key, 8)));
    }
    for key in &recipe.keys {
        if let Presence::Optional { default: Some(_), .. } = key.presence {
            let ty = annotation(scope, &key.ty, &inside, false);
            let name = or_default(scope, id, &key.name);
            members.push(methods.property(&name, &ty, docstring(8, &[OR_DEFAULT])));
        }
    }
    members.extend(document(&methods));
    members.extend(methods.value(&arguments));
    Class {
        head: scope.class(id),
        is_final: true,
        docstring: docs::contract(contract, "A JSON object."),
        constants: written,
        methods: members,
    }
}

/// What a class of documents says of its contract.
pub(super) fn json_constants(
    scope: &Scope<'_>,
    id: ContractId,
    max_bytes: u32,
    inside: &BTreeSet<String>,
) -> Vec<String> {
    let mut written = constants(scope, id, inside);
    written.push(constant("MAX_BYTES", &max_bytes.to_string()));
    written
}

/// What every document has.
pub(super) fn document(methods: &Methods<'_, '_>) -> Vec<Method> {
    let [int, text, tuple, list, bytes, dict, object] =
        ["int", "str", "tuple", "list", "bytes", "dict", "object"].map(|name| methods.builtin(name));
    let class = &methods.class;
    let data = [format!("data: {} | {text}", methods.scope.wire("Buffer"))];
    let faults = format!("{tuple}[{class}, {list}[{}]]", methods.scope.public("WireError"));
    let mapping = [format!("mapping: _abc.Mapping[{text}, {object}]")];
    let plain = format!("{dict}[{text}, _typing.Any]");
    vec![
        methods.function(
            "from_json",
            &data,
            class,
            "The value of a document; `WireError` where it has none.",
        ),
        methods.function(
            "from_json_lenient",
            &data,
            &faults,
            "The value, and the faults of the lenient keys that are taken for absent;\n`WireError` for any other fault.",
        ),
        methods.function(
            "from_dict",
            &mapping,
            class,
            "The value of an object as the `json` module would have read it; `WireError`\nwhere it has none.",
        ),
        Methods::method("to_json", &[], &bytes, "The one form in which the value is written; `WireError` where it has none,\nas beyond `MAX_BYTES`."),
        Methods::method("to_dict", &[], &plain, "The value as the `json` module would read what is written; `WireError` as of\n`to_json`."),
        Methods::method(
            "validate_import",
            &[format!("fd_count: {int} = 0")],
            "None",
            "Check what an importer has to hold, `fd_count` file descriptors beside it;\n`WireError` where it does not.",
        ),
        Methods::method(
            "with_defaults",
            &[],
            class,
            "The value with each absent key that has a default filled in.",
        ),
    ]
}
