//! What the templates of messages, and of several messages, are filled with.

use serde::Serialize;

use super::document::{contract_docs, variant_name};
use super::names::{self, Names};
use super::types::{Between, give};
use super::view::{ClassView, paragraphs, quoted};
use crate::emit::EmitInput;
use crate::emit::python::message::{FORM, group_words, remarks, tail_words};
use crate::emit::python::messages::form;
use crate::model::{
    ContractId, FdForm, FdGroup, JsonType, Member, MessageContent, MessageField, Selector, TailItem,
};
use crate::names::python;

#[derive(Serialize)]
pub(super) struct MessageView {
    #[serde(flatten)]
    named: ClassView,
    /// Parts and tail.
    kept: Vec<KeptView>,
    groups: Vec<GroupView>,
    signature: String,
    text_signature: String,
}

/// A part, or the tail.
#[derive(Serialize)]
struct KeptView {
    index: usize,
    attribute: String,
    parameter: String,
    docs: Vec<String>,
    /// What it has when it is left out, as an object.
    default: Option<&'static str>,
    quick: String,
    give: String,
    take: String,
}

#[derive(Serialize)]
struct GroupView {
    index: usize,
    attribute: String,
    parameter: String,
    docs: Vec<String>,
    form: &'static str,
}

#[derive(Serialize)]
pub(super) struct MessagesView {
    #[serde(flatten)]
    named: ClassView,
    /// The base of the union's variants, where one is the body.
    body: Option<String>,
    variants: Vec<VariantView>,
}

#[derive(Serialize)]
struct VariantView {
    index: usize,
    /// The struct, and the class.
    rust: String,
    class: String,
    docs: Vec<String>,
    kind: &'static str,
    /// The struct of the message that it holds, and that of the union's variant.
    held: Option<String>,
    of_union: Option<String>,
}

pub(super) fn message(input: &EmitInput<'_>, names: &Names, id: ContractId) -> MessageView {
    let message = input.catalog.get(id).message();
    let fields = message.fields().filter(|field| !matches!(field, MessageField::Fds(_)));
    let kept: Vec<KeptView> =
        fields.enumerate().map(|(index, field)| kept(input, names, id, index, field)).collect();
    let groups: Vec<GroupView> =
        message.fds.iter().enumerate().map(|(index, it)| group(names, id, index, it)).collect();
    let mut signature = vec!["*".to_owned()];
    let mut said = signature.clone();
    for it in &kept {
        let absent = if it.default.is_some() { " = Argument::Absent" } else { "" };
        signature.push(format!("{}{absent}", it.parameter));
        said.push(match it.default {
            Some("bytes") => format!("{}=b''", it.attribute),
            Some("text") => format!("{}=''", it.attribute),
            Some(_) => format!("{}=()", it.attribute),
            None => it.attribute.clone(),
        });
    }
    for it in &groups {
        let (absent, default) = match it.form {
            "one" => ("", ""),
            "optional" => (" = Argument::Absent", "=None"),
            _ => (" = Argument::Absent", "=()"),
        };
        signature.push(format!("{}{absent}", it.parameter));
        said.push(format!("{}{default}", it.attribute));
    }
    MessageView {
        named: ClassView::of(input, id, contract_docs(input.catalog.get(id), FORM)),
        kept,
        groups,
        signature: signature.join(", "),
        text_signature: quoted(&said.join(", ")),
    }
}

fn kept(
    input: &EmitInput<'_>,
    names: &Names,
    id: ContractId,
    index: usize,
    field: MessageField<'_>,
) -> KeptView {
    let attribute = names.attribute(id, field.name());
    let between = Between { input, id };
    let class = |of: ContractId| format!("{}{}", names::module(input, id, of), names::class(input, of));
    let path = |of: ContractId| names::path(input.catalog.get(of));
    let mut fact = String::new();
    let (default, quick, give, take) = match field {
        MessageField::Part(part) if input.catalog.get(part.contract).is_document() => {
            let ty = JsonType::Recipe(part.contract);
            let of = (class(part.contract), path(part.contract));
            (
                None,
                format!("support::quick_document::<{}>(it)?", of.0),
                format!("{}?", give(&between, &ty)),
                format!("<{} as support::Document>::take(it)?", of.0),
            )
        }
        MessageField::Part(part) => {
            let of = (class(part.contract), path(part.contract));
            (
                None,
                format!("support::quick_descriptor::<{}>(it)?", of.0),
                format!(
                    "{{ let (it, size) = support::prefixed::<{}>(py, &bytes[at..])?; at += size; it }}",
                    of.0
                ),
                format!("support::taken_descriptor::<{}>(it)?", of.1),
            )
        }
        MessageField::Tail(tail) => {
            fact = tail_words(input.catalog, tail);
            match tail.item {
                TailItem::Bytes => (
                    Some("bytes"),
                    "support::quick_bytes(it, None)?.to_vec()".to_owned(),
                    "PyBytes::new(py, it).into_any()".to_owned(),
                    "it.extract::<Vec<u8>>()?".to_owned(),
                ),
                TailItem::Text => (
                    Some("text"),
                    "support::quick_text(it, None)?".to_owned(),
                    "PyString::new(py, it).into_any()".to_owned(),
                    "it.extract::<String>()?".to_owned(),
                ),
                TailItem::Descriptor(item) => {
                    let of = (class(item), path(item));
                    (
                        Some("items"),
                        format!("support::quick_tail(it, support::quick_descriptor::<{}>)?", of.0),
                        format!(
                            "support::tuple(py, it.iter().map(|it| support::descriptor::<{}>(py, it)))?",
                            of.0
                        ),
                        format!(
                            "it.try_iter()?.map(|it| support::taken_descriptor::<{}>(&it?)).collect::<PyResult<Vec<_>>>()?",
                            of.1
                        ),
                    )
                }
            }
        }
        MessageField::Fds(_) => unreachable!("groups are no parts"),
    };
    KeptView {
        index,
        parameter: names::identifier(&attribute),
        attribute,
        docs: docs(field.member(), &fact),
        default,
        quick,
        give,
        take,
    }
}

fn group(names: &Names, id: ContractId, index: usize, group: &FdGroup) -> GroupView {
    let attribute = names.attribute(id, &group.member.name);
    GroupView {
        index,
        parameter: names::identifier(&attribute),
        attribute,
        docs: docs(&group.member, &group_words(&group.form)),
        form: match group.form {
            FdForm::One => "one",
            FdForm::Optional { .. } => "optional",
            FdForm::Many { .. } => "many",
        },
    }
}

fn docs(member: &Member, fact: &str) -> Vec<String> {
    let [since, deprecated] = remarks(member);
    let text = if member.docs.trim().is_empty() && fact.is_empty() {
        "A part of the message."
    } else {
        &member.docs
    };
    paragraphs(&[text, fact, &since, &deprecated])
}

pub(super) fn messages(input: &EmitInput<'_>, id: ContractId) -> MessagesView {
    let messages = input.catalog.get(id).messages();
    let reached = |of: ContractId, name: &str| format!("{}{name}", names::module(input, id, of));
    MessagesView {
        named: ClassView::of(input, id, contract_docs(input.catalog.get(id), &form(messages))),
        body: match messages.by {
            Selector::Tag { .. } => None,
            Selector::Body(union) => Some(reached(union, &names::class(input, union))),
        },
        variants: (0..)
            .zip(&messages.variants)
            .map(|(index, variant)| VariantView {
                index,
                rust: variant_name(input, id, &variant.member.name),
                class: python::variant(&python::class(&input.catalog.get(id).name), &variant.member.name),
                docs: variant_docs(&variant.member),
                kind: match variant.holds {
                    MessageContent::Message(_) => "message",
                    MessageContent::Value(_) => "value",
                    MessageContent::Nothing => "nothing",
                    MessageContent::Other => "other",
                },
                held: variant.holds.message().map(|held| reached(held, &names::class(input, held))),
                of_union: messages.body().zip(variant.of_union).map(|(union, position)| {
                    let its = &input.catalog.get(union).union().variants[position];
                    reached(union, &variant_name(input, union, &its.name))
                }),
            })
            .collect(),
    }
}

fn variant_docs(member: &Member) -> Vec<String> {
    let nameless = format!("The variant {}.", member.name);
    let text = if member.docs.trim().is_empty() { &nameless } else { &member.docs };
    let [since, deprecated] = remarks(member);
    paragraphs(&[text, &since, &deprecated])
}
