//! Messages: the words and the text of each field put together, and checked against each other and against the contracts
//! that they hold.

mod groups;
mod variants;
mod whole;

use super::Nested;
use super::decode::objects;
use super::json::{Object, TextError, required};
use super::recipe::same_length;
use super::rules::{self, Stated};
use super::spelling::{distinct, identifier, renamed};
use super::words::TypeWords;
use crate::model::{Computed, ContractId, Expr, Member, Message, Part, Tail, TailItem, TailLength};

pub(super) use self::variants::messages;
pub(super) use self::whole::complete;

/// The message that these words and texts are of; what it nests is added to `nested`.
pub(super) fn message(
    wire: &mut Object,
    (members, declared_rules): (Vec<Object>, Option<Vec<String>>),
    types: Vec<TypeWords>,
    nested: &mut Vec<Nested>,
) -> Result<Message, TextError> {
    let max_bytes = wire.take_integer("max_bytes")?;
    let parts = objects(required(wire.take_array("parts")?, "parts")?)?;
    let tail = wire.take("tail").map(Object::from).transpose()?;
    let fds = objects(required(wire.take_array("fds")?, "fds")?)?;
    let with_words = parts.len() + usize::from(tail.is_some());
    same_length("fields", with_words + fds.len(), members.len(), types.len() + fds.len())?;

    let (mut members, mut types) = (members.into_iter(), types.into_iter());
    let mut stated = Vec::new();
    let mut message =
        Message { max_bytes, parts: Vec::new(), tail: None, fds: Vec::new(), rules: Vec::new() };
    for (wire, (words, source)) in parts.into_iter().zip(types.by_ref().zip(members.by_ref())) {
        message.parts.push(part(wire, source, &words, nested)?);
    }
    for (wire, (words, source)) in tail.into_iter().zip(types.zip(members.by_ref())) {
        message.tail = Some(self::tail(wire, source, &words, nested, &mut stated)?);
    }
    for (wire, source) in fds.into_iter().zip(members) {
        message.fds.push(groups::group(wire, source, &mut stated)?);
    }
    groups::check(&message.fds)?;

    let names = message.names();
    distinct("field", names.iter().map(|(name, _)| *name))?;
    distinct("field", names.iter().map(|(_, first)| *first))?;
    for each in stated {
        each.checked(&names)?;
    }
    message.rules = rules::checked(rules::of_contract(wire, declared_rules)?, &names)?;
    Ok(message)
}

/// What a field of a message, or a variant of several, says of itself.
fn member(wire: &mut Object, source: &mut Object) -> Result<Member, TextError> {
    let accepted = identifier(required(wire.take_text("name")?, "name")?)?;
    let (name, was) = renamed(source.take_text("name")?, accepted)?;
    Ok(Member {
        name,
        was,
        docs: source.take_text("docs")?.unwrap_or_default(),
        since: source.take_integer("since")?,
        deprecated: source.take_text("deprecated")?,
        c_name: source.take_text("c_name")?,
    })
}

fn part(
    mut wire: Object,
    mut source: Object,
    words: &TypeWords,
    nested: &mut Vec<Nested>,
) -> Result<Part, TextError> {
    let member = member(&mut wire, &mut source)?;
    let name = &*member.name;
    wire.finish()?;
    source.finish()?;
    let contract = held(name, words, &["descriptor", "recipe", "union"], nested)?;
    Ok(Part { member, contract })
}

/// The contract that the words say, of one of these kinds.
fn held(
    name: &str,
    words: &TypeWords,
    kinds: &[&'static str],
    nested: &mut Vec<Nested>,
) -> Result<ContractId, TextError> {
    let kind = match words.code() {
        TypeWords::DESCRIPTOR => "descriptor",
        TypeWords::RECIPE => "recipe",
        TypeWords::UNION => "union",
        TypeWords::MESSAGE => "message",
        code => return Err(TextError::Unknown(format!("the type code {code} for `{name}`"))),
    };
    plain(name, words)?;
    match (words.ids, kinds.contains(&kind)) {
        (Some((wire_id, source_id)), true) => {
            nested.push(Nested { field: name.to_owned(), wire_id, source_id, kind: Some(kind) });
            Ok(ContractId(nested.len() - 1))
        }
        (None, _) => Err(TextError::Wrong(format!("`{name}` has no ids of the contract that it holds"))),
        (_, false) => Err(TextError::Wrong(format!("`{name}` holds a {kind}, which it cannot"))),
    }
}

/// A type whose word says nothing but its code, and whether ids follow.
fn plain(name: &str, words: &TypeWords) -> Result<(), TextError> {
    let word = words.word;
    if word & !TypeWords::KNOWN != 0 {
        return Err(TextError::Unknown(format!("the type word {word:#x} for `{name}`")));
    }
    if words.spelling() != 0 || words.is_open() {
        return Err(TextError::Wrong(format!("`{name}` has the type word {word:#x}")));
    }
    Ok(())
}

fn tail(
    mut wire: Object,
    mut source: Object,
    words: &TypeWords,
    nested: &mut Vec<Nested>,
    stated: &mut Vec<Stated>,
) -> Result<Tail, TextError> {
    let member = member(&mut wire, &mut source)?;
    let name = &*member.name;
    let count = computed(&mut wire, &mut source, "count", stated)?;
    let bytes = computed(&mut wire, &mut source, "bytes", stated)?;
    wire.finish()?;
    source.finish()?;
    let length = match (count, bytes) {
        (None, None) => TailLength::Rest,
        (Some(count), None) => TailLength::Count(count),
        (None, Some(bytes)) => TailLength::Bytes(bytes),
        (Some(_), Some(_)) => {
            return Err(TextError::Wrong(format!("`{name}` has both a number of elements and one of bytes")));
        }
    };
    plain(name, words)?;
    let item = match (words.code(), &words.item) {
        (TypeWords::TEXT, _) if words.ids.is_none() => TailItem::Text,
        (TypeWords::LIST, Some(item)) if words.ids.is_none() => {
            if item.word == TypeWords::U8 {
                TailItem::Bytes
            } else {
                TailItem::Descriptor(held(name, item, &["descriptor"], nested)?)
            }
        }
        (TypeWords::TEXT | TypeWords::LIST, _) => {
            return Err(TextError::Wrong(format!("`{name}` has ids, where only its elements can")));
        }
        (code, _) => return Err(TextError::Unknown(format!("the type code {code} for `{name}`"))),
    };
    Ok(Tail { member, item, length })
}

/// The number that a member states under that key; its expression is `true` until the contracts are known.
fn computed(
    wire: &mut Object,
    source: &mut Object,
    key: &str,
    stated: &mut Vec<Stated>,
) -> Result<Option<Computed>, TextError> {
    let Some(text) = rules::expression(wire, source, key)? else { return Ok(None) };
    let computed = Computed { text: text.rule.text.clone(), expr: Expr::Truth(true) };
    stated.push(text);
    Ok(Some(computed))
}
