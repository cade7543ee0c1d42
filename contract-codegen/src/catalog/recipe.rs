//! The keys of a recipe: words and text of each put together, and checked against each other.

use super::Nested;
use super::decode::objects;
use super::json::{Object, TextError, required};
use super::json_type::{self, Held};
use super::spelling::{distinct, identifier};
use super::words::TypeWords;
use super::{literal, rules};
use crate::model::{Condition, ConditionKind, JsonType, Key, Literal, Presence, Recipe};

/// The deepest that a reader goes: each level takes stack.
const DEEPEST: u32 = 128;

/// The recipe that these words and texts are of; what it nests is added to `nested`, the names in its defaults to
/// `names`.
pub(super) fn recipe(
    wire: &mut Object,
    (members, declared_rules): (Vec<Object>, Option<Vec<String>>),
    types: Vec<TypeWords>,
    nested: &mut Vec<Nested>,
    names: &mut Vec<Vec<String>>,
) -> Result<Recipe, TextError> {
    let deny_unknown = wire.take_bool("deny_unknown")?.unwrap_or(false);
    let limits = limits(wire)?;
    let declared = objects(required(wire.take_array("fields")?, "fields")?)?;
    same_length("keys", declared.len(), members.len(), types.len())?;

    let mut accepted_keys = Vec::with_capacity(declared.len());
    let mut keys: Vec<Key> = Vec::with_capacity(declared.len());
    let mut conditions = Vec::new();
    for ((mut wire, mut source), words) in declared.into_iter().zip(members).zip(types) {
        let accepted = required(wire.take_text("name")?, "name")?;
        let held = json_type::held(&accepted, &words, &mut wire, nested)?;
        for (member, kind) in [("required_if", ConditionKind::RequiredIf), ("one_of", ConditionKind::UsedIf)]
        {
            if let Some(stated) = rules::condition(&mut wire, &mut source, member)? {
                conditions.push((keys.len(), kind, stated));
            }
        }
        let key = key(accepted.clone(), held, &mut wire, source, names)?;
        wire.finish()?;
        accepted_keys.push(accepted);
        keys.push(key);
    }
    let first_names: Vec<(&str, &str)> =
        keys.iter().zip(&accepted_keys).map(|(key, first)| (key.name.as_str(), first.as_str())).collect();
    let conditions = conditions
        .into_iter()
        .map(|(field, kind, stated)| Ok(Condition { field, kind, rule: stated.checked(&first_names)? }))
        .collect::<Result<Vec<_>, TextError>>()?;
    let rules = rules::checked(rules::of_contract(wire, declared_rules)?, &first_names)?;
    for condition in &conditions {
        let key = &keys[condition.field];
        if !matches!(key.presence, Presence::Optional { .. }) {
            return Err(TextError::Wrong(format!("`{}` has a condition and is not optional", key.key)));
        }
        if key.presence.default().is_some() {
            return Err(TextError::Wrong(format!("`{}` has both a condition and a default", key.key)));
        }
    }
    let own = accepted_keys.iter().zip(&keys).filter(|(_, key)| !key.flatten);
    distinct("key", own.map(|(accepted, _)| accepted))?;
    distinct("key", keys.iter().filter(|key| !key.flatten).map(|key| &key.key))?;
    distinct("field", keys.iter().map(|key| &key.name))?;
    let (max_bytes, max_depth) = limits;
    Ok(Recipe { deny_unknown, max_bytes, max_depth, keys, conditions, rules })
}

/// The longest document and the deepest one.
pub(super) fn limits(wire: &mut Object) -> Result<(u32, u32), TextError> {
    let max_bytes = required(wire.take_integer("max_bytes")?, "max_bytes")?;
    let max_depth = required(wire.take_integer("max_depth")?, "max_depth")?;
    if max_bytes < 2 || max_depth == 0 {
        return Err(TextError::Wrong("no document is within its limits".to_owned()));
    }
    if max_depth > DEEPEST {
        return Err(TextError::Wrong(format!(
            "its documents are deeper than {DEEPEST}, to which no reader goes"
        )));
    }
    Ok((max_bytes, max_depth))
}

/// Each has its text, its declaration and its words.
pub(super) fn same_length(what: &str, wire: usize, source: usize, words: usize) -> Result<(), TextError> {
    if wire == source && wire == words {
        return Ok(());
    }
    Err(TextError::Wrong(format!("it has {wire} {what}, words for {words} and declarations of {source}")))
}

fn key(
    accepted: String,
    held: Held,
    wire: &mut Object,
    mut source: Object,
    names: &mut Vec<Vec<String>>,
) -> Result<Key, TextError> {
    let flag = |wire: &mut Object, key| Ok::<bool, TextError>(wire.take_bool(key)?.unwrap_or(false));
    let default = wire.take("default").map(|json| literal::parse(json, names)).transpose()?;
    let says = Says {
        skip: flag(wire, "skip_default")?,
        nullable: flag(wire, "nullable")?,
        null_when_absent: flag(wire, "null_when_absent")?,
    };
    let (flatten, lenient) = (flag(wire, "flatten")?, flag(wire, "lenient")?);
    let not_imported = flag(wire, "not_imported")?;
    let refuse = |reason: &str| TextError::Wrong(format!("`{accepted}` {reason}"));
    let (ty, presence) = match held {
        Held::Value(ty) => {
            (ty, says.value(default).ok_or_else(|| refuse("cannot be absent in the way it says"))?)
        }
        Held::Option(ty) => {
            (ty, says.option(default).ok_or_else(|| refuse("has no default that could be left out"))?)
        }
        Held::Nothing | Held::Other => return Err(refuse("holds what only variants hold")),
    };
    let is_required = presence == Presence::Required;
    if flatten && !(is_required && matches!(ty, JsonType::Recipe(_) | JsonType::Union(_))) {
        return Err(refuse("stands flattened and is no recipe or union that is always there"));
    }
    if lenient && is_required {
        return Err(refuse("is lenient and cannot be absent"));
    }
    if not_imported && ty.contract().is_none() {
        return Err(refuse("is not imported and holds no contract"));
    }
    let name = source.take_text("name")?.unwrap_or_else(|| accepted.clone());
    let key = Key {
        name: identifier(name)?,
        key: accepted,
        docs: source.take_text("docs")?.unwrap_or_default(),
        c_name: source.take_text("c_name")?,
        since: source.take_integer("since")?,
        deprecated: source.take_text("deprecated")?,
        ty,
        presence,
        flatten,
        lenient,
        not_imported,
    };
    source.finish()?;
    Ok(key)
}

/// What a key says of its absence besides its default.
#[derive(Clone, Copy)]
struct Says {
    skip: bool,
    nullable: bool,
    null_when_absent: bool,
}

impl Says {
    fn value(self, default: Option<Literal>) -> Option<Presence> {
        match (default, self) {
            (None, Says { skip: false, nullable: false, null_when_absent: false }) => {
                Some(Presence::Required)
            }
            (Some(default), Says { skip, nullable, null_when_absent: false }) => {
                Some(Presence::Defaulted { default, skip, nullable })
            }
            _ => None,
        }
    }

    fn option(self, default: Option<Literal>) -> Option<Presence> {
        let Says { skip, nullable, null_when_absent } = self;
        let nullable = nullable || null_when_absent;
        (!skip).then_some(Presence::Optional { nullable, null_when_absent, default })
    }
}
