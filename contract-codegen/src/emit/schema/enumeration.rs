//! Enumerations and flags, as documents spell them.

use super::{Schema, one, pattern, texts};
use crate::catalog::json::Json;
use crate::emit::json::object::Object;
use crate::model::{EnumValue, Enumeration, Flags, Spelled};

/// One of its values.
pub(super) fn enumeration(enumeration: &Enumeration) -> Schema {
    let schema = match enumeration.spelled {
        Spelled::Names => Schema::from(Object::default().text("type", "string")),
        Spelled::Integer => Schema::from(Object::default().text("type", "integer")),
    };
    let Json::Object(members) = values(enumeration, |_| true) else { unreachable!("it has values") };
    let schema = members.into_iter().fold(schema, |schema, (key, value)| schema.with(&key, value));
    said_of(schema, &enumeration.values, enumeration.spelled)
}

/// Those of its values of which that holds, in the spelling of documents.
pub(super) fn values(enumeration: &Enumeration, holds: impl Fn(&EnumValue) -> bool) -> Json {
    let values: Vec<&EnumValue> = enumeration.values.iter().filter(|value| holds(value)).collect();
    if values.is_empty() {
        return Json::Bool(false);
    }
    match enumeration.spelled {
        Spelled::Names if enumeration.fold => {
            one("pattern", Json::Text(pattern::folded(values.into_iter().flat_map(names_of))))
        }
        Spelled::Names => one("enum", texts(values.into_iter().flat_map(names_of))),
        Spelled::Integer => {
            one("enum", Json::Array(values.into_iter().map(|value| Json::Integer(value.value)).collect()))
        }
    }
}

/// The names that are read as a value.
pub(super) fn names_of(value: &EnumValue) -> impl Iterator<Item = &String> {
    std::iter::once(&value.wire_name).chain(&value.aliases)
}

/// What numbers mean, and which values have better ones.
fn said_of(mut schema: Schema, values: &[EnumValue], spelled: Spelled) -> Schema {
    if spelled == Spelled::Integer {
        let names: Vec<String> =
            values.iter().map(|value| format!("{} {}", value.value, value.name)).collect();
        schema = schema.comment(names.join(", "));
    }
    let aliased = values.iter().filter(|value| spelled == Spelled::Names && !value.aliases.is_empty());
    for value in aliased {
        schema = schema.comment(format!("`{}`, read also as {}", value.wire_name, quoted(&value.aliases)));
    }
    for value in values {
        if let Some(why) = &value.deprecated {
            schema = schema.comment(format!("`{}` is deprecated: {why}", value.wire_name));
        }
    }
    schema
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Sets of at most this many bits are listed where a range of numbers does not say which there are.
const LISTED_BITS: u32 = 6;

/// A set of its flags.
pub(super) fn flags(flags: &Flags) -> Schema {
    let object = Object::default();
    let schema = match flags.spelled {
        Spelled::Names => {
            let names = texts(flags.values.iter().flat_map(names_of));
            Schema::from(
                object.text("type", "array").with("items", one("enum", names)).flag("uniqueItems", true),
            )
            .comment("each flag once, by whichever of its names")
        }
        Spelled::Integer => {
            let most = flags.repr.range().map_or(0, |(_, most)| most);
            let known = flags.known_bits();
            let object = object.text("type", "integer");
            let is_range = (known & known.wrapping_add(1)) == 0;
            match sets(flags, |_| true) {
                _ if flags.open => Schema::from(object.number("minimum", 0).number("maximum", most)),
                Some(sets) if !is_range => Schema::from(object.with("enum", sets)),
                _ => {
                    let schema = Schema::from(object.number("minimum", 0).number("maximum", known));
                    if is_range { schema } else { schema.comment(format!("bits within {known:#x}")) }
                }
            }
        }
    };
    said_of(schema, &flags.values, flags.spelled)
}

/// All sets of known bits of which that holds, where they are few.
pub(super) fn sets(flags: &Flags, holds: impl Fn(u64) -> bool) -> Option<Json> {
    let known = flags.known_bits();
    if flags.open || known.count_ones() > LISTED_BITS {
        return None;
    }
    let mut sets = Vec::new();
    let mut set = 0_u64;
    loop {
        if holds(set) {
            sets.push(Json::Integer(set.into()));
        }
        // The next larger number of known bits only.
        set = (set | !known).wrapping_add(1) & known;
        if set == 0 {
            return Some(Json::Array(sets));
        }
    }
}
