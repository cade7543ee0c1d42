//! Messages that no reader gives but a writer may be handed: other groups, another tail, another tag.

use wirecontract_codegen::interpret::Value;
use wirecontract_codegen::interpret::message::{MessageValue, PartValue, TailValue};
use wirecontract_codegen::model::{Body, Catalog, ContractId, Element, FdForm, Field, Message, Selector};

use super::tag_fields;

/// A change to a message, or to the one of several that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageProbe {
    /// The position of the variant that it changes; of one message, nothing.
    pub variant: Option<usize>,
    /// What changes.
    pub change: MessageChange,
}

/// What a probe changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChange {
    /// The group of that position gets a file descriptor more.
    MoreFds(usize),
    /// It gets one less.
    FewerFds(usize),
    /// It gets one where there was none, and none where there was one.
    OtherFd(usize),
    /// The last element of the tail stands there twice; of bytes and text, an `a` more.
    LongerTail,
    /// The last element of the tail is gone.
    ShorterTail,
    /// The tag says this number, which fits.
    Tag(u64),
}

/// The probes of a message, or of one of several.
///
/// # Panics
/// Never: a tag is a field.
pub fn message_probes(catalog: &Catalog, id: ContractId) -> Vec<MessageProbe> {
    match &catalog.get(id).body {
        Body::Message(message) => of_message(message, None),
        Body::Messages(messages) => {
            let mut probes = Vec::new();
            for (index, variant) in messages.variants.iter().enumerate() {
                if let Some(message) = variant.holds.message() {
                    probes.extend(of_message(catalog.get(message).message(), Some(index)));
                }
            }
            let mut tags: Vec<u64> = Vec::new();
            if let Selector::Tag { .. } = messages.by {
                let field = *tag_fields(catalog, id).last().expect("a tag is a field");
                // An enumeration is no number in every language.
                if let Element::Scalar(_) = field.ty.element {
                    tags = messages.variants.iter().filter_map(|variant| variant.value).collect();
                    tags.push(0x55);
                }
            }
            for (index, _) in messages.variants.iter().enumerate() {
                let change =
                    |&tag: &u64| MessageProbe { variant: Some(index), change: MessageChange::Tag(tag) };
                probes.extend(tags.iter().map(change));
            }
            probes
        }
        _ => Vec::new(),
    }
}

fn of_message(message: &Message, variant: Option<usize>) -> Vec<MessageProbe> {
    let mut changes = Vec::new();
    for (index, group) in message.fds.iter().enumerate() {
        match group.form {
            // In most languages there is always one.
            FdForm::One => {}
            FdForm::Optional { .. } => changes.push(MessageChange::OtherFd(index)),
            FdForm::Many { .. } => {
                changes.extend([MessageChange::MoreFds(index), MessageChange::FewerFds(index)]);
            }
        }
    }
    if message.tail.is_some() {
        changes.extend([MessageChange::LongerTail, MessageChange::ShorterTail]);
    }
    changes.into_iter().map(|change| MessageProbe { variant, change }).collect()
}

impl MessageProbe {
    /// Changes a value of the message `id`, and says whether there was anything to change.
    pub fn apply(&self, catalog: &Catalog, several: ContractId, value: &mut MessageValue) -> bool {
        match self.change {
            MessageChange::MoreFds(group) => recount(value, group, |count| Some(count + 1)),
            MessageChange::FewerFds(group) => recount(value, group, |count| count.checked_sub(1)),
            MessageChange::OtherFd(group) => recount(value, group, |count| Some(1 - count)),
            MessageChange::LongerTail => match &mut value.tail {
                Some(TailValue::Elements(items)) => {
                    let last = items.last().cloned();
                    items.extend(last.clone());
                    last.is_some()
                }
                Some(TailValue::Bytes(bytes)) => {
                    bytes.push(b'a');
                    true
                }
                Some(TailValue::Text(text)) => {
                    text.push('a');
                    true
                }
                None => false,
            },
            MessageChange::ShorterTail => match &mut value.tail {
                Some(TailValue::Elements(items)) => items.pop().is_some(),
                Some(TailValue::Bytes(bytes)) => bytes.pop().is_some(),
                Some(TailValue::Text(text)) => text.pop().is_some(),
                None => false,
            },
            MessageChange::Tag(number) => {
                let Some(PartValue::Descriptor(first)) = value.parts.first_mut() else { return false };
                let mut place = first;
                for Field { name, .. } in tag_fields(catalog, several) {
                    let Value::Object(members) = place else { return false };
                    let Some((_, member)) = members.iter_mut().find(|(member, _)| member == name) else {
                        return false;
                    };
                    place = member;
                }
                *place = Value::Integer(i128::from(number));
                true
            }
        }
    }
}

/// Gives a group another number of file descriptors; the others keep theirs.
fn recount(value: &mut MessageValue, group: usize, change: impl Fn(usize) -> Option<usize>) -> bool {
    let Some(count) = change(value.fds[group].len()) else { return false };
    let mut start = 0;
    for (index, range) in value.fds.iter_mut().enumerate() {
        let end = start + if index == group { count } else { range.len() };
        *range = start..end;
        start = end;
    }
    true
}
