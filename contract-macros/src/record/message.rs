//! The text of messages.

use syn::ext::IdentExt;

use super::Object;
use super::document::{begin, declared, rules};
use crate::check::{
    About, FdForm, FdGroup, Message, MessageVariant, Messages, Said, Selector, Tail, TailLength,
};
use crate::rule::Checked;

/// What the wire id of a message covers.
pub(super) fn message(about: &About, message: &Message<'_>) -> String {
    let mut object = begin(about, "message");
    if message.tail.is_some() {
        object.raw("max_bytes", message.max_bytes);
    }
    object.list(
        "parts",
        message.parts.iter().map(|part| {
            let mut object = Object::new();
            object.text("name", first_name(&part.said));
            object.close()
        }),
    );
    if let Some(tail) = &message.tail {
        object.raw("tail", self::tail(tail));
    }
    object.list("fds", message.fds.iter().map(group));
    rules(&mut object, &message.rules);
    object.close()
}

fn first_name(said: &Said) -> &str {
    said.was.as_ref().unwrap_or(&said.name)
}

fn tail(tail: &Tail<'_>) -> String {
    let mut object = Object::new();
    object.text("name", first_name(&tail.said));
    match &tail.length {
        TailLength::Rest => {}
        TailLength::Count(number) => object.text("count", &number.accepted),
        TailLength::Bytes(number) => object.text("bytes", &number.accepted),
    }
    object.close()
}

fn group(group: &FdGroup<'_>) -> String {
    let mut object = Object::new();
    object.text("name", first_name(&group.said));
    match &group.form {
        FdForm::One => object.text("form", "one"),
        FdForm::Optional(condition) => {
            object.text("form", "optional");
            if let Some(condition) = condition {
                object.text("present_if", &condition.accepted);
            }
        }
        FdForm::Many { least, most, count } => {
            object.text("form", "many");
            object.raw("least", least);
            object.raw("most", most);
            if let Some(count) = count {
                object.text("count", &count.accepted);
            }
        }
    }
    object.close()
}

/// What the source id covers besides of each field.
pub(super) fn members(message: &Message<'_>) -> Vec<String> {
    let parts = message.parts.iter().map(|part| member(&part.said, None));
    let tail = message.tail.iter().map(|tail| {
        let number = match &tail.length {
            TailLength::Rest => None,
            TailLength::Count(number) => Some(("count", number)),
            TailLength::Bytes(number) => Some(("bytes", number)),
        };
        member(&tail.said, number)
    });
    let fds = message.fds.iter().map(|group| {
        let said = match &group.form {
            FdForm::Optional(Some(condition)) => Some(("present_if", condition)),
            FdForm::Many { count: Some(count), .. } => Some(("count", count)),
            _ => None,
        };
        member(&group.said, said)
    });
    parts.chain(tail).chain(fds).collect()
}

fn member(said: &Said, expression: Option<(&str, &Checked)>) -> String {
    let mut member = Object::new();
    if said.was.is_some() {
        member.text("name", &said.name);
    }
    member.optional("docs", Some(&said.docs).filter(|docs| !docs.is_empty()));
    member.optional("c_name", said.c_name.as_ref());
    if let Some(since) = said.since {
        member.raw("since", since);
    }
    member.optional("deprecated", said.deprecated.as_ref());
    if let Some((word, expression)) = expression {
        declared(&mut member, word, Some(expression));
    }
    member.close()
}

/// What the wire id of several messages covers.
pub(super) fn messages(about: &About, messages: &Messages<'_>) -> String {
    let mut object = begin(about, "messages");
    if let Selector::Tag(tag) = messages.by {
        let words: Vec<String> = tag.iter().map(|word| word.unraw().to_string()).collect();
        object.text("tag", &words.join("."));
    }
    let variant = |variant: &MessageVariant<'_>| {
        let mut object = Object::new();
        let name = variant.ident.unraw().to_string();
        object.text("name", variant.was.as_ref().unwrap_or(&name));
        if let Some(value) = variant.value {
            object.raw("value", value);
        }
        if variant.is_open {
            object.raw("open", true);
        }
        object.close()
    };
    object.list("variants", messages.variants.iter().map(variant));
    object.close()
}

/// What the source id covers besides of each variant.
pub(super) fn variants(messages: &Messages<'_>) -> Vec<String> {
    let of = |variant: &MessageVariant<'_>| {
        let mut member = Object::new();
        if variant.was.is_some() {
            member.text("name", &variant.ident.unraw().to_string());
        }
        member.optional("docs", Some(&variant.docs).filter(|docs| !docs.is_empty()));
        member.optional("c_name", variant.c_name.as_ref());
        if let Some(since) = variant.since {
            member.raw("since", since);
        }
        member.optional("deprecated", variant.deprecated.as_ref());
        member.close()
    };
    messages.variants.iter().map(of).collect()
}
