//! Messages.

use super::object::{Object, present};
use super::recipe::json_type;
use super::{reference, rule};
use crate::catalog::json::Json;
use crate::emit::EmitInput;
use crate::model::{
    Contract, FdForm, FdGroup, JsonType, Member, Message, MessageContent, MessageVariant, Messages, Part,
    Selector, Tail, TailItem, TailLength,
};

pub(super) fn message(
    input: &EmitInput<'_>,
    contract: &Contract,
    message: &Message,
    object: Object,
) -> Object {
    let parts = message.parts.iter().map(|of| part(input, of)).collect();
    let fds = message.fds.iter().map(|of| group(input, contract, of)).collect();
    object
        .with_if("max_bytes", message.max_bytes.map(|most| Json::Integer(most.into())))
        .with("parts", Json::Array(parts))
        .with_if("tail", message.tail.as_ref().map(|of| tail(input, contract, of)))
        .with("fds", Json::Array(fds))
}

fn part(input: &EmitInput<'_>, part: &Part) -> Json {
    let Part { member, contract } = part;
    let object = named(member)
        .text("type", input.catalog.get(*contract).kind())
        .with("contract", reference(input, *contract));
    rest(object, member)
}

fn tail(input: &EmitInput<'_>, holder: &Contract, tail: &Tail) -> Json {
    let Tail { member, item, length } = tail;
    let object = named(member);
    let object = match item {
        TailItem::Descriptor(id) => object.text("item", "descriptor").with("contract", reference(input, *id)),
        TailItem::Bytes => object.text("item", "u8"),
        TailItem::Text => object.text("item", "text"),
    };
    let object = match length {
        TailLength::Rest => object,
        TailLength::Count(of) => object.with("count", rule::computed(input, holder, of)),
        TailLength::Bytes(of) => object.with("bytes", rule::computed(input, holder, of)),
    };
    rest(object, member)
}

fn group(input: &EmitInput<'_>, holder: &Contract, group: &FdGroup) -> Json {
    let FdGroup { member, form } = group;
    let object = named(member);
    let object = match form {
        FdForm::One => object.text("form", "one"),
        FdForm::Optional { present_if } => {
            let condition = present_if.as_ref().map(|of| rule::condition_alone(input, holder, of));
            object.text("form", "optional").with_if("present_if", condition)
        }
        FdForm::Many { least, most, count } => object
            .text("form", "many")
            .number("least", *least)
            .number("most", *most)
            .with_if("count", count.as_ref().map(|of| rule::computed(input, holder, of))),
    };
    rest(object, member)
}

/// What a member begins with.
fn named(Member { name, was, .. }: &Member) -> Object {
    Object::default().text("name", name).text_if("was", was.as_deref())
}

/// What a member ends with.
fn rest(object: Object, Member { docs, since, deprecated, c_name, .. }: &Member) -> Json {
    object
        .with_if("since", since.map(|since| Json::Integer(since.into())))
        .text_if("deprecated", deprecated.as_deref())
        .text_if("c_name", c_name.as_deref())
        .text_if("docs", present(docs))
        .json()
}

pub(super) fn messages(input: &EmitInput<'_>, messages: &Messages, object: Object) -> Object {
    let object = match &messages.by {
        Selector::Tag { text, .. } => object.text("tag", text),
        Selector::Body(union) => object.with("body", reference(input, *union)),
    };
    let is_open = |variant: &MessageVariant| messages.open().is_some_and(|open| std::ptr::eq(open, variant));
    let variants = messages.variants.iter().map(|variant| {
        let MessageVariant { member, value, holds, .. } = variant;
        let object = named(member)
            .with_if("value", value.map(|value| Json::Integer(value.into())))
            .flag("open", is_open(variant));
        let object = match holds {
            MessageContent::Message(id)
            | MessageContent::Value(JsonType::Recipe(id) | JsonType::Union(id)) => {
                object.text("type", input.catalog.get(*id).kind()).with("contract", reference(input, *id))
            }
            MessageContent::Value(ty) => object.with("type", json_type(input, ty)),
            MessageContent::Nothing | MessageContent::Other => object,
        };
        rest(object, member)
    });
    object.with("variants", Json::Array(variants.collect()))
}
