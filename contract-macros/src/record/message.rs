//! The text of messages.

use syn::ext::IdentExt;

use super::Object;
use super::document::{begin, declared, rules};
use crate::check::{
    About, FdForm, FdGroup, Member, Message, MessageVariant, Messages, Selector, Tail, TailLength,
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
            object.text("name", part.member.first_name());
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

fn tail(tail: &Tail<'_>) -> String {
    let mut object = Object::new();
    object.text("name", tail.member.first_name());
    match &tail.length {
        TailLength::Rest => {}
        TailLength::Count(number) => object.text("count", &number.accepted),
        TailLength::Bytes(number) => object.text("bytes", &number.accepted),
    }
    object.close()
}

fn group(group: &FdGroup<'_>) -> String {
    let mut object = Object::new();
    object.text("name", group.member.first_name());
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
    let parts = message.parts.iter().map(|part| source(&part.member, None));
    let tail = message.tail.iter().map(|tail| {
        let number = match &tail.length {
            TailLength::Rest => None,
            TailLength::Count(number) => Some(("count", number)),
            TailLength::Bytes(number) => Some(("bytes", number)),
        };
        source(&tail.member, number)
    });
    let fds = message.fds.iter().map(|group| {
        let said = match &group.form {
            FdForm::Optional(Some(condition)) => Some(("present_if", condition)),
            FdForm::Many { count: Some(count), .. } => Some(("count", count)),
            _ => None,
        };
        source(&group.member, said)
    });
    parts.chain(tail).chain(fds).collect()
}

fn source(member: &Member, expression: Option<(&str, &Checked)>) -> String {
    let mut object = Object::new();
    if member.was.is_some() {
        object.text("name", &member.name);
    }
    object.optional("docs", Some(&member.docs).filter(|docs| !docs.is_empty()));
    object.optional("c_name", member.c_name.as_ref());
    if let Some(since) = member.since {
        object.raw("since", since);
    }
    object.optional("deprecated", member.deprecated.as_ref());
    if let Some((word, expression)) = expression {
        declared(&mut object, word, Some(expression));
    }
    object.close()
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
        object.text("name", variant.member.first_name());
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
    messages.variants.iter().map(|variant| source(&variant.member, None)).collect()
}
