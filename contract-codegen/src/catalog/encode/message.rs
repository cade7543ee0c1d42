//! Messages as a record has them.

use std::collections::BTreeMap;

use super::super::hash::halves;
use super::super::json::Json;
use super::super::rule::with_first_names;
use super::super::words::TypeWords;
use super::recipe::{rules, type_words};
use super::{Word, present};
use crate::model::{
    Body, Catalog, Contract, ContractId, FdForm, FdGroup, Member, Message, MessageContent, MessageField,
    MessageVariant, Messages, Selector, Tail, TailItem, TailLength,
};

type Members = Vec<(String, Json)>;
type Names<'a> = [(&'a str, &'a str)];

pub(super) fn message(message: &Message, names: &Names<'_>) -> Members {
    let parts = message.parts.iter().map(|part| Json::Object(present([first_name(&part.member)])));
    let tail = message.tail.as_ref().map(|tail| {
        let [count, bytes] = lengths(tail).map(|text| text.map(|text| Json::Text(covered(text, names))));
        Json::Object(present([first_name(&tail.member), ("count", count), ("bytes", bytes)]))
    });
    let fds = message.fds.iter().map(|group| {
        let (form, range) = match &group.form {
            FdForm::One => ("one", None),
            FdForm::Optional { .. } => ("optional", None),
            FdForm::Many { least, most, .. } => ("many", Some((*least, *most))),
        };
        let [count, present_if] =
            said_of(group).map(|text| text.map(|text| Json::Text(covered(text, names))));
        Json::Object(present([
            first_name(&group.member),
            ("form", Some(Json::text(form))),
            ("least", range.map(|(least, _)| Json::Integer(least.into()))),
            ("most", range.map(|(_, most)| Json::Integer(most.into()))),
            ("count", count),
            ("present_if", present_if),
        ]))
    });
    present([
        ("max_bytes", message.max_bytes.map(|most| Json::Integer(most.into()))),
        ("parts", Some(Json::Array(parts.collect()))),
        ("tail", tail),
        ("fds", Some(Json::Array(fds.collect()))),
        ("rules", rules(&message.rules, names)),
    ])
}

/// The texts of a tail's number of elements, and of bytes.
pub(crate) fn lengths(tail: &Tail) -> [Option<&String>; 2] {
    match &tail.length {
        TailLength::Rest => [None, None],
        TailLength::Count(computed) => [Some(&computed.text), None],
        TailLength::Bytes(computed) => [None, Some(&computed.text)],
    }
}

/// The texts of a group's number, and of its condition.
pub(crate) fn said_of(group: &FdGroup) -> [Option<&String>; 2] {
    match &group.form {
        FdForm::Many { count: Some(count), .. } => [Some(&count.text), None],
        FdForm::Optional { present_if: Some(rule) } => [None, Some(&rule.text)],
        FdForm::One | FdForm::Many { .. } | FdForm::Optional { .. } => [None, None],
    }
}

fn covered(text: &str, names: &Names<'_>) -> String {
    with_first_names(text, names).unwrap_or_else(|_| text.to_owned())
}

pub(super) fn messages(messages: &Messages) -> Members {
    let tag = match &messages.by {
        Selector::Tag { text, .. } => Some(text),
        Selector::Body(_) => None,
    };
    let is_open = |variant: &MessageVariant| messages.open().is_some_and(|open| std::ptr::eq(open, variant));
    let variant = |variant: &MessageVariant| {
        Json::Object(present([
            first_name(&variant.member),
            ("value", variant.value.map(|value| Json::Integer(value.into()))),
            ("open", is_open(variant).then_some(Json::Bool(true))),
        ]))
    };
    present([
        ("tag", tag.map(Json::text)),
        ("variants", Some(Json::Array(messages.variants.iter().map(variant).collect()))),
    ])
}

/// What the source id covers of the fields of a message, or of the variants of several.
pub(super) fn source_members(contract: &Contract) -> Vec<Json> {
    match &contract.body {
        Body::Message(message) => {
            let names = message.names();
            message.fields().map(|field| Json::Object(source_field(field, &names))).collect()
        }
        Body::Messages(messages) => {
            messages.variants.iter().map(|variant| Json::Object(source_member(&variant.member))).collect()
        }
        _ => Vec::new(),
    }
}

/// That of a field: texts as they were declared, where they differ from what the wire id covers.
fn source_field(field: MessageField<'_>, names: &Names<'_>) -> Members {
    let declared = |text: Option<&String>| text.filter(|text| covered(text, names) != **text).map(Json::text);
    let mut json = source_member(field.member());
    match field {
        MessageField::Part(_) => {}
        MessageField::Tail(tail) => {
            let [count, bytes] = lengths(tail).map(declared);
            json.extend(present([("count", count), ("bytes", bytes)]));
        }
        MessageField::Fds(group) => {
            let [count, present_if] = said_of(group).map(declared);
            json.extend(present([("count", count), ("present_if", present_if)]));
        }
    }
    json
}

fn source_member(member: &Member) -> Members {
    let Member { name, was, docs, since, deprecated, c_name } = member;
    present([
        ("name", was.as_ref().map(|_| Json::text(name))),
        ("docs", super::docs(docs)),
        ("c_name", c_name.as_ref().map(Json::text)),
        ("since", since.map(|since| Json::Integer(since.into()))),
        ("deprecated", deprecated.as_ref().map(Json::text)),
    ])
}

fn first_name(member: &Member) -> (&'static str, Option<Json>) {
    ("name", Some(Json::text(member.first_name())))
}

/// The words of the fields of a message, or of the variants of several.
pub(super) fn words(catalog: &Catalog, body: &Body, ids: &BTreeMap<ContractId, (u64, u64)>) -> Vec<Word> {
    let held = |id: ContractId| {
        let code = match &catalog.get(id).body {
            Body::Descriptor(_) => TypeWords::DESCRIPTOR,
            Body::Recipe(_) => TypeWords::RECIPE,
            Body::Union(_) => TypeWords::UNION,
            Body::Message(_) => TypeWords::MESSAGE,
            body => panic!("{body:?} stands in no message"),
        };
        let (wire_id, source_id) = ids.get(&id).expect("what messages hold has its ids before them");
        let mut words = vec![(code | TypeWords::IDS_FOLLOW, false)];
        words.extend(halves(*wire_id).map(|word| (word, false)));
        words.extend(halves(*source_id).map(|word| (word, true)));
        words
    };
    match body {
        Body::Message(message) => {
            let tail = match message.tail.as_ref().map(|tail| tail.item) {
                None => Vec::new(),
                Some(TailItem::Text) => vec![(TypeWords::TEXT, false)],
                Some(TailItem::Bytes) => vec![(TypeWords::LIST, false), (TypeWords::U8, false)],
                Some(TailItem::Descriptor(id)) => [vec![(TypeWords::LIST, false)], held(id)].concat(),
            };
            message.parts.iter().flat_map(|part| held(part.contract)).chain(tail).collect()
        }
        Body::Messages(messages) => {
            let mut words: Vec<Word> = messages.body().into_iter().flat_map(held).collect();
            for variant in &messages.variants {
                match &variant.holds {
                    MessageContent::Message(id) => words.extend(held(*id)),
                    MessageContent::Value(ty) => type_words(&mut words, ty, ids),
                    MessageContent::Nothing => words.push((TypeWords::NOTHING, false)),
                    MessageContent::Other => words.push((TypeWords::OTHER, false)),
                }
            }
            words
        }
        _ => Vec::new(),
    }
}
