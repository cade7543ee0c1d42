//! The text of several messages: a base, and a class for each variant.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::{Value, context};

use super::message::{helper, reader, remarks, writer};
use super::recipe::names;
use super::scope::Scope;
use super::shapes::annotation;
use super::text::{docstring, exploded, head, statement, string};
use super::{docs, rules};
use crate::emit::EmitError;
use crate::model::{ContractId, Member, MessageContent, MessageVariant, Messages, Selector};

/// What holds of a variant as of the message in it.
const EQUAL: &str = "It owns the file descriptors that came with it until it is closed or the block of a `with` ends: \
     no other is equal to it.";

/// What `messages.py.j2` takes.
pub(super) fn messages(scope: &Scope<'_>, id: ContractId) -> Result<Value, EmitError> {
    let contract = scope.catalog.get(id);
    let messages = contract.messages();
    refuse_collisions(scope, id)?;
    let none = BTreeSet::new();
    let form = form(messages);
    let variants: Vec<Value> =
        (0..messages.variants.len()).map(|index| variant(scope, id, messages, index)).collect();
    Ok(context! {
        class => scope.class(id),
        choice => helper(scope, "Choice"),
        unknown => helper(scope, "Unknown"),
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

/// What the class of several messages is.
pub(in crate::emit) fn form(messages: &Messages) -> String {
    match &messages.by {
        Selector::Tag { text, .. } => format!("One of several messages: `{text}` says which. {EQUAL}"),
        Selector::Body(_) => format!("One of several messages: the body says which. {EQUAL}"),
    }
}

fn variant(scope: &Scope<'_>, id: ContractId, messages: &Messages, index: usize) -> Value {
    let variant = &messages.variants[index];
    let attributes = variant_attributes();
    let (kind, kept) = kept(scope, messages, variant, &attributes);
    context! {
        class => scope.variant(id, index),
        docstring => variant_docs(&variant.member),
        kind,
        line => statement(4, &format!("{}: {kept}", if kind == "other" { "body" } else { "value" })),
        head => head(4, "__init__", &arguments(scope, messages, variant, &attributes), "None"),
    }
}

/// The attributes of variants.
pub(super) fn variant_attributes() -> BTreeSet<String> {
    ["value", "body", "fds"].into_iter().map(str::to_owned).collect()
}

/// What a variant is, and the type of what it holds.
pub(super) fn kept(
    scope: &Scope<'_>,
    messages: &Messages,
    variant: &MessageVariant,
    attributes: &BTreeSet<String>,
) -> (&'static str, String) {
    match &variant.holds {
        MessageContent::Message(held) => ("message", scope.class(*held)),
        MessageContent::Value(ty) => ("value", annotation(scope, ty, attributes, false)),
        MessageContent::Nothing => ("nothing", String::new()),
        MessageContent::Other => {
            ("other", of_union(scope, messages, variant).expect("only unions keep unknown tags"))
        }
    }
}

/// What a variant's constructor takes.
pub(super) fn arguments(
    scope: &Scope<'_>,
    messages: &Messages,
    variant: &MessageVariant,
    attributes: &BTreeSet<String>,
) -> Vec<String> {
    let mut arguments = vec!["self".to_owned()];
    match (&variant.holds, kept(scope, messages, variant, attributes).1) {
        (MessageContent::Nothing, _) => {}
        (MessageContent::Message(_), held) => arguments.push(format!("value: {held}")),
        (MessageContent::Value(ty), _) => {
            arguments.push(format!("value: {}", annotation(scope, ty, attributes, true)));
        }
        (MessageContent::Other, body) => {
            let int = scope.builtin("int", attributes);
            arguments.extend([format!("body: {body}"), format!("fds: _abc.Iterable[{int}] = ()")]);
        }
    }
    arguments
}

/// The class of the union's variant of the same name.
fn of_union(scope: &Scope<'_>, messages: &Messages, variant: &MessageVariant) -> Option<String> {
    messages.body().zip(variant.of_union).map(|(union, position)| scope.variant(union, position))
}

/// Two variants that an underscore makes one.
fn refuse_collisions(scope: &Scope<'_>, id: ContractId) -> Result<(), EmitError> {
    let contract = scope.catalog.get(id);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (index, variant) in contract.messages().variants.iter().enumerate() {
        let name = scope.variant(id, index);
        let second = format!("{}::{}::{}", contract.module, contract.name, variant.member.name);
        if let Some(first) = seen.insert(name.clone(), second.clone()) {
            return Err(EmitError::Collision { target: "python", name, first, second });
        }
    }
    Ok(())
}

pub(super) fn variant_docs(member: &Member) -> String {
    let nameless = format!("The variant {}.", member.name);
    let text = if member.docs.trim().is_empty() { &nameless } else { &member.docs };
    let [since, deprecated] = remarks(member);
    docstring(4, &[text, &since, &deprecated])
}

/// What reads the tag of the first part.
fn tag(scope: &Scope<'_>, id: ContractId, messages: &Messages) -> String {
    let fields = scope.catalog.tag_fields(messages);
    if fields.is_empty() {
        return String::new();
    }
    let none = BTreeSet::new();
    let attributes =
        fields.iter().map(|(holder, field)| format!(".{}", scope.attribute(*holder, &field.name)));
    let text = format!("it{}", attributes.collect::<String>());
    let int = scope.builtin("int", &none);
    let head = head(0, &scope.private("tag", id), &["it: _typing.Any".to_owned()], &int);
    format!("{head}\n{}\n\n\n", statement(4, &format!("return {int}({text})")))
}

/// The table that stands for all of them.
fn definition(scope: &Scope<'_>, id: ContractId, messages: &Messages) -> String {
    let variants: Vec<String> = messages
        .variants
        .iter()
        .enumerate()
        .map(|(index, variant)| {
            let says = of_union(scope, messages, variant)
                .unwrap_or_else(|| variant.value.map_or("None".to_owned(), |value| value.to_string()));
            let (held, table) = match variant.holds.message() {
                Some(held) => (scope.class(held), scope.private("message", held)),
                None => ("None".to_owned(), "None".to_owned()),
            };
            format!("({}, {held}, {table}, {says})", scope.variant(id, index))
        })
        .collect();
    let says = match &messages.by {
        Selector::Tag { text, .. } => format!(
            "tag=({}, {}, {})",
            string(text),
            scope.class(scope.catalog.first_part(messages)),
            scope.private("tag", id)
        ),
        Selector::Body(union) => format!("body={}", scope.class(*union)),
    };
    let most = scope.catalog.most_bytes(id).to_string();
    let items = vec![string(&scope.catalog.get(id).name), rules::tuple(&variants), most, says];
    let table = scope.private("messages", id);
    exploded(0, &format!("{table}: _typing.Final = {}(", helper(scope, "Several")), &items, ")")
}
