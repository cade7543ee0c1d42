//! The text of several messages: a base, and a class for each variant.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::message::{helper, reader, writer};
use super::recipe::names;
use super::scope::Scope;
use super::text::{docstring, exploded, head, statement, string};
use super::{docs, rules};
use crate::emit::EmitError;
use crate::model::{Body, ContractId, Element, MessageVariant, Messages, Path, Selector};

/// What holds of a variant as of the message in it.
const EQUAL: &str = "No other is equal to it.";

/// What `messages.py.j2` takes.
pub(super) fn messages(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let messages = contract.messages();
    refuse_collisions(scope, id)?;
    let none = BTreeSet::new();
    let form = match &messages.by {
        Selector::Tag { text, .. } => format!("One of several messages: `{text}` says which. {EQUAL}"),
        Selector::Body(_) => format!("One of several messages: the body says which. {EQUAL}"),
    };
    let variants: Vec<Value> = messages
        .variants
        .iter()
        .enumerate()
        .map(|(index, variant)| {
            let held = scope.class(variant.contract);
            let arguments = ["self".to_owned(), format!("value: {held}")];
            context! {
                class => scope.variant(id, index),
                docstring => variant_docs(variant),
                line => statement(4, &format!("value: {held}")),
                head => head(4, "__init__", &arguments, "None"),
            }
        })
        .collect();
    Ok(context! {
        class => scope.class(id),
        choice => helper(scope, "Choice"),
        docstring => docs::contract(contract, &form),
        wire_id => docs::wire_id(contract),
        spoken => docs::spoken(contract, |name| scope.builtin(name, &none)),
        max_bytes => scope.catalog.most_bytes(id),
        max_fds => scope.catalog.most_fds(id),
        refusal => string(&format!("{} is one of its variants", scope.class(id))),
        reader => reader(scope, &none, &scope.class(id)),
        writer => writer(scope, &none),
        table => scope.private("messages", id),
        variants,
        tag => tag(scope, id, messages),
        definition => definition(scope, id, messages),
        ..names(scope, &none, &none)
    })
}

/// Two variants that an underscore makes one.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (index, variant) in contract.messages().variants.iter().enumerate() {
        let name = scope.variant(id, index);
        let second = format!("{}::{}::{}", contract.module, contract.name, variant.name);
        if let Some(first) = seen.insert(name.clone(), second.clone()) {
            return Err(EmitError::Collision { target: "python", name, first, second });
        }
    }
    Ok(())
}

fn variant_docs(variant: &MessageVariant) -> String {
    let nameless = format!("The variant {}.", variant.name);
    docstring(
        4,
        &[
            if variant.docs.trim().is_empty() { &nameless } else { &variant.docs },
            &variant.since.map(|version| format!("Since version {version}.")).unwrap_or_default(),
            &variant.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default(),
        ],
    )
}

/// What reads the tag of the first part.
fn tag(scope: &Scope<'_>, id: ContractId, messages: &Messages) -> String {
    let Selector::Tag { path: Path(path), .. } = &messages.by else { return String::new() };
    let none = BTreeSet::new();
    let mut holder = first_part(scope, messages);
    let mut text = "it".to_owned();
    for &index in &path[1..] {
        let field = &scope.catalog.get(holder).descriptor().fields[index];
        text = format!("{text}.{}", scope.attribute(holder, &field.name));
        if let Element::Descriptor(nested) = field.ty.element {
            holder = nested;
        }
    }
    let int = scope.builtin("int", &none);
    let head = head(0, &scope.private("tag", id), &["it: _typing.Any".to_owned()], &int);
    format!("{head}\n{}\n\n\n", statement(4, &format!("return {int}({text})")))
}

fn first_part(scope: &Scope<'_>, messages: &Messages) -> ContractId {
    scope.catalog.get(messages.variants[0].contract).message().parts[0].contract
}

/// The table that stands for all of them.
fn definition(scope: &Scope<'_>, id: ContractId, messages: &Messages) -> String {
    let variants: Vec<String> = messages
        .variants
        .iter()
        .enumerate()
        .map(|(index, variant)| {
            let says = match &messages.by {
                Selector::Tag { .. } => variant.value.map_or("None".to_owned(), |value| value.to_string()),
                Selector::Body(union) => {
                    let variants = &scope.catalog.get(*union).union().variants;
                    let at = variants.iter().position(|it| it.name == variant.name);
                    scope.variant(*union, at.expect("each variant is one of the union"))
                }
            };
            let table = match scope.catalog.get(variant.contract).body {
                Body::Message(_) => scope.private("message", variant.contract),
                _ => "None".to_owned(),
            };
            let (class, held) = (scope.variant(id, index), scope.class(variant.contract));
            format!("({class}, {held}, {table}, {says})")
        })
        .collect();
    let says = match &messages.by {
        Selector::Tag { text, .. } => format!(
            "tag=({}, {}, {})",
            string(text),
            scope.class(first_part(scope, messages)),
            scope.private("tag", id)
        ),
        Selector::Body(union) => format!("body={}", scope.class(*union)),
    };
    let most = scope.catalog.most_bytes(id).to_string();
    let items = vec![string(&scope.catalog.get(id).name), rules::tuple(&variants), most, says];
    let table = scope.private("messages", id);
    exploded(0, &format!("{table}: _typing.Final = {}(", helper(scope, "Several")), &items, ")")
}
