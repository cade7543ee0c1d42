//! Several messages, of which a tag or the body says one.

use super::super::Nested;
use super::super::decode::objects;
use super::super::json::{Object, TextError, required};
use super::super::json_type;
use super::super::recipe::same_length;
use super::super::spelling::{distinct, is_identifier};
use super::super::words::TypeWords;
use super::{held, member};
use crate::model::{MessageContent, MessageVariant, Messages, Path, Selector};

/// The messages that these words and texts are of; what they nest is added to `nested`.
pub(in crate::catalog) fn messages(
    wire: &mut Object,
    members: Vec<Object>,
    types: Vec<TypeWords>,
    nested: &mut Vec<Nested>,
) -> Result<Messages, TextError> {
    let tag = wire.take_text("tag")?;
    let declared = objects(required(wire.take_array("variants")?, "variants")?)?;
    if declared.is_empty() {
        return Err(TextError::Wrong("it has no variants".to_owned()));
    }
    let mut types = types.into_iter();
    let by = match tag {
        Some(text) => {
            // The first word is a part, and at least one field follows.
            let words: Vec<&str> = text.split('.').collect();
            if words.len() < 2 || !words.iter().all(|word| is_identifier(word)) {
                return Err(TextError::Wrong(format!("its tag `{text}` is no field of a part")));
            }
            Selector::Tag { path: Path(Vec::new()), text }
        }
        None => match types.next() {
            Some(words) => Selector::Body(held("body", &words, &["union"], nested)?),
            None => return Err(TextError::Wrong("it has neither a tag nor a body".to_owned())),
        },
    };
    same_length("variants", declared.len(), members.len(), types.len())?;

    let mut variants = Vec::with_capacity(declared.len());
    for ((wire, source), words) in declared.into_iter().zip(members).zip(types) {
        variants.push(variant(&by, wire, source, &words, nested)?);
    }
    distinct("variant", variants.iter().map(|variant: &MessageVariant| &variant.member.name))?;
    distinct("variant", variants.iter().map(|variant| variant.member.first_name()))?;
    let values: Vec<String> = variants.iter().filter_map(|it| Some(it.value?.to_string())).collect();
    distinct("tag", values.iter())?;
    let messages = Messages { by, variants };
    let is_open = |variant: &&MessageVariant| match messages.by {
        Selector::Tag { .. } => variant.value.is_none(),
        Selector::Body(_) => variant.holds == MessageContent::Other,
    };
    if messages.variants.iter().filter(is_open).count() > 1 {
        return Err(TextError::Wrong("it has two variants that keep unknown tags".to_owned()));
    }
    Ok(messages)
}

fn variant(
    by: &Selector,
    mut wire: Object,
    mut source: Object,
    words: &TypeWords,
    nested: &mut Vec<Nested>,
) -> Result<MessageVariant, TextError> {
    let member = member(&mut wire, &mut source)?;
    let name = &*member.name;
    let value = wire.take_integer("value")?;
    let is_open = wire.take_bool("open")?.unwrap_or(false);
    source.finish()?;
    let holds = match (by, value.is_some(), is_open) {
        (Selector::Tag { .. }, true, false) | (Selector::Tag { .. }, false, true) => {
            MessageContent::Message(held(name, words, &["message"], nested)?)
        }
        (Selector::Body(_), false, _) => in_union(name, is_open, &mut wire, words, nested)?,
        _ => {
            return Err(TextError::Wrong(format!(
                "the variant `{name}` is told by no tag, or by two things"
            )));
        }
    };
    wire.finish()?;
    Ok(MessageVariant { member, value, of_union: None, holds })
}

/// What a variant holds that has the name of one of a union's.
fn in_union(
    name: &str,
    is_open: bool,
    wire: &mut Object,
    words: &TypeWords,
    nested: &mut Vec<Nested>,
) -> Result<MessageContent, TextError> {
    let content = match words.code() {
        TypeWords::MESSAGE => MessageContent::Message(held(name, words, &["message"], nested)?),
        TypeWords::DESCRIPTOR => {
            return Err(TextError::Wrong(format!("`{name}` holds a descriptor, which it cannot")));
        }
        _ => match json_type::held(name, words, wire, nested)? {
            json_type::Held::Value(ty) => MessageContent::Value(ty),
            json_type::Held::Nothing => MessageContent::Nothing,
            json_type::Held::Other => MessageContent::Other,
            json_type::Held::Option(_) => {
                return Err(TextError::Wrong(format!("the variant `{name}` holds what may be absent")));
            }
        },
    };
    if is_open == (content == MessageContent::Other) {
        Ok(content)
    } else {
        Err(TextError::Wrong(format!("the variant `{name}` is open, or keeps unknown tags, and not both")))
    }
}
