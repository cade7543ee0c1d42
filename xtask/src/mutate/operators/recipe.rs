//! Keys of recipes.

use wirecontract_codegen::model::{
    Catalog, ContractId, JsonType, Key, Length, Literal, Presence, Recipe, Scalar, Spelling,
};

use super::{Candidates, at, recipe, rules};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).recipe();
    for (index, key) in body.keys.iter().enumerate() {
        let place = at(catalog, id, &key.name);
        if !key.flatten {
            names(id, index, key, &place, found);
            presence(id, index, key, &place, found);
            type_of(id, index, &key.ty, &place, found);
        }
        flags(id, index, key, &place, found);
        order(body, id, index, &place, found);
    }
    whole(catalog, id, body, found);
}

fn key(catalog: &mut Catalog, id: ContractId, index: usize) -> &mut Key {
    &mut recipe(catalog, id).keys[index]
}

fn names(id: ContractId, index: usize, held: &Key, place: &str, found: &mut Candidates) {
    let to = format!("{}_other", held.key);
    found.put("key.name", place, format!("{} → {to}", held.key), move |catalog| {
        key(catalog, id, index).key.clone_from(&to);
    });
    found.put("key.removed", place, format!("{} → none", held.key), move |catalog| {
        let body = recipe(catalog, id);
        body.keys.remove(index);
        body.conditions.retain(|condition| condition.field != index);
        for condition in &mut body.conditions {
            condition.field -= usize::from(condition.field > index);
        }
    });
}

fn presence(id: ContractId, index: usize, held: &Key, place: &str, found: &mut Candidates) {
    let optional = |default| Presence::Optional { nullable: false, null_when_absent: false, default };
    let mut put = |operator, change: &str, presence: Presence| {
        found.put(operator, place, change, move |catalog| {
            key(catalog, id, index).presence = presence.clone();
        });
    };
    match &held.presence {
        Presence::Required => put("key.presence", "required → optional", optional(None)),
        Presence::Optional { nullable, null_when_absent, default } => {
            // Lenient reading takes a malformed value for an absent one, which a required key cannot be.
            if !held.lenient {
                put("key.presence", "optional → required", Presence::Required);
            }
            let with = |nullable, null_when_absent| Presence::Optional {
                nullable,
                null_when_absent,
                default: default.clone(),
            };
            put("key.nullable", "null is read → the other way", with(!nullable, *null_when_absent));
            put("key.null", "absence is written → the other way", with(true, !null_when_absent));
            if let Some(default) = default {
                put("key.default", "a default → none", optional(None));
                let defaulted =
                    Presence::Defaulted { default: default.clone(), skip: false, nullable: *nullable };
                put("key.presence", "absence is kept → filled in", defaulted);
            }
            if let Some(other) = default.as_ref().and_then(other) {
                let change = format!("default {default:?} → {other:?}");
                put("key.default", &change, optional(Some(other)));
            }
        }
        Presence::Defaulted { default, skip, nullable } => {
            let (skip, nullable) = (*skip, *nullable);
            put("key.presence", "defaulted → required", Presence::Required);
            put("key.presence", "filled in → absence is kept", optional(Some(default.clone())));
            let with = |skip, nullable| Presence::Defaulted { default: default.clone(), skip, nullable };
            put("key.skip", "the default is written → the other way", with(!skip, nullable));
            put("key.nullable", "null is read → the other way", with(skip, !nullable));
            if let Some(other) = other(default) {
                let change = format!("default {default:?} → {other:?}");
                put("key.default", &change, Presence::Defaulted { default: other, skip, nullable });
            }
        }
    }
}

/// Another default of the same type.
fn other(default: &Literal) -> Option<Literal> {
    Some(match default {
        Literal::Integer(number) => Literal::Integer(number + 1),
        Literal::Float(number) => Literal::Float(number / 2.0),
        Literal::Bool(truth) => Literal::Bool(!truth),
        Literal::Text(text) => Literal::Text(format!("{text}x")),
        Literal::Value(0) => Literal::Value(1),
        Literal::Value(_) => Literal::Value(0),
        Literal::Flags(bits) if bits.count_ones() > 1 => Literal::Flags(bits & (bits - 1)),
        Literal::Flags(_) => return None,
        Literal::List(items) => match items.split_last() {
            Some((_, rest)) => Literal::List(rest.to_vec()),
            None => return None,
        },
    })
}

fn type_of(id: ContractId, index: usize, ty: &JsonType, place: &str, found: &mut Candidates) {
    for (operator, change, other) in others(ty) {
        found.put(operator, place, change, move |catalog| key(catalog, id, index).ty = other.clone());
    }
}

/// Types in the place of this one, each with what differs.
pub(super) fn others(ty: &JsonType) -> Vec<(&'static str, String, JsonType)> {
    let mut others = Vec::new();
    let mut put = |operator, change: String, ty: JsonType| others.push((operator, change, ty));
    match ty {
        JsonType::Integer { scalar, min, max, decimal } => {
            let (scalar, min, max, decimal) = (*scalar, *min, *max, *decimal);
            let of = |scalar: Scalar, min, max, decimal| JsonType::Integer { scalar, min, max, decimal };
            put("key.spelling", format!("decimal: {decimal} → {}", !decimal), of(scalar, min, max, !decimal));
            put("key.max", format!("max {max} → {}", max - 1), of(scalar, min, max - 1, decimal));
            put("key.min", format!("min {min} → {}", min + 1), of(scalar, min + 1, max, decimal));
            let other = match scalar {
                Scalar::U16 => Scalar::U32,
                Scalar::U32 => Scalar::I32,
                Scalar::U64 | Scalar::I32 => Scalar::I64,
                _ => Scalar::U64,
            };
            if let Some((least, most)) = other.range()
                && Some((min, max)) == scalar.range()
            {
                put("key.type", format!("{scalar} → {other}"), of(other, least, most, decimal));
            }
        }
        JsonType::Bool => {
            let (scalar, min, max) = (Scalar::U8, 0, 255);
            let number = JsonType::Integer { scalar, min, max, decimal: false };
            put("key.type", "bool → u8".to_owned(), number);
        }
        JsonType::Float { scalar, min, max } => {
            let of = |scalar, min, max| JsonType::Float { scalar, min, max };
            if *scalar == Scalar::F64 {
                put("key.type", "f64 → f32".to_owned(), of(Scalar::F32, None, None));
            }
            put("key.max", format!("max {max:?} → 0.5"), of(*scalar, *min, Some(0.5)));
        }
        JsonType::Text { max_len } => {
            let other = Some(max_len.map_or(16, |length| length - 1));
            put("key.max_len", format!("{max_len:?} → {other:?}"), JsonType::Text { max_len: other });
            let length = Length::AtMost(*max_len);
            put(
                "key.type",
                "text → bytes in hex".to_owned(),
                JsonType::Bytes { length, spelling: Spelling::Hex },
            );
        }
        JsonType::Bytes { length, spelling } => {
            let other = if *spelling == Spelling::Hex { Spelling::Base64 } else { Spelling::Hex };
            let of = |length, spelling| JsonType::Bytes { length, spelling };
            put("key.spelling", format!("{} → {}", spelling.name(), other.name()), of(*length, other));
            if let Some((change, other)) = other_length(*length) {
                put("key.length", change, of(other, *spelling));
            }
        }
        JsonType::Array { item, length } => {
            if let Some((change, other)) = other_length(*length) {
                let item = item.clone();
                put("key.max_items", change, JsonType::Array { item, length: other });
            }
            for (operator, change, item) in self::others(item) {
                put(operator, change, JsonType::Array { item: Box::new(item), length: *length });
            }
        }
        JsonType::Map { max_items, max_len } => {
            let other = Some(max_items.map_or(4, |items| items - 1));
            let change = format!("{max_items:?} → {other:?}");
            put("key.max_items", change, JsonType::Map { max_items: other, max_len: *max_len });
        }
        JsonType::Json { max_len } => {
            let other = Some(max_len.map_or(64, |length| length - 1));
            put("key.max_len", format!("{max_len:?} → {other:?}"), JsonType::Json { max_len: other });
        }
        JsonType::Enumeration { contract, open, .. } => {
            let change = format!("open: {open} → {}", !open);
            let (contract, open) = (*contract, !open);
            put("key.open", change, JsonType::Enumeration { contract, open, max_len: None });
        }
        JsonType::Descriptor { contract, spelling } => {
            let other = if *spelling == Spelling::Hex { Spelling::Base64 } else { Spelling::Hex };
            let change = format!("{} → {}", spelling.name(), other.name());
            put("key.spelling", change, JsonType::Descriptor { contract: *contract, spelling: other });
        }
        JsonType::Flags { .. } | JsonType::Recipe(_) | JsonType::Union(_) => {}
    }
    others
}

fn other_length(length: Length) -> Option<(String, Length)> {
    Some(match length {
        Length::Exactly(1) => return None,
        Length::Exactly(count) => (format!("{count} → {}", count - 1), Length::Exactly(count - 1)),
        Length::AtMost(None) => ("any number → at most 4".to_owned(), Length::AtMost(Some(4))),
        Length::AtMost(Some(most)) => {
            (format!("at most {most} → {}", most + 1), Length::AtMost(Some(most + 1)))
        }
    })
}

fn flags(id: ContractId, index: usize, held: &Key, place: &str, found: &mut Candidates) {
    let (lenient, not_imported) = (held.lenient, held.not_imported);
    if !matches!(held.presence, Presence::Required) {
        found.put("key.lenient", place, format!("lenient: {lenient} → {}", !lenient), move |catalog| {
            key(catalog, id, index).lenient = !lenient;
        });
    }
    if matches!(held.ty, JsonType::Recipe(_) | JsonType::Union(_)) {
        let change = format!("not_imported: {not_imported} → {}", !not_imported);
        found.put("key.not_imported", place, change, move |catalog| {
            key(catalog, id, index).not_imported = !not_imported;
        });
        let flatten = held.flatten;
        if flatten || held.presence == Presence::Required {
            found.put("key.flatten", place, format!("flatten: {flatten} → {}", !flatten), move |catalog| {
                key(catalog, id, index).flatten = !flatten;
            });
        }
    }
}

/// In a document the order of keys means nothing; in the C struct it is where they are.
fn order(body: &Recipe, id: ContractId, index: usize, place: &str, found: &mut Candidates) {
    let Some(next) = body.keys.get(index + 1) else { return };
    found.put("key.order", place, format!("changes places with {}", next.name), move |catalog| {
        let body = recipe(catalog, id);
        body.keys.swap(index, index + 1);
        for condition in &mut body.conditions {
            condition.field = match condition.field {
                field if field == index => index + 1,
                field if field == index + 1 => index,
                field => field,
            };
        }
    });
}

fn whole(catalog: &Catalog, id: ContractId, body: &Recipe, found: &mut Candidates) {
    let place = at(catalog, id, "");
    let deny = body.deny_unknown;
    found.put("recipe.deny_unknown", &*place, format!("{deny} → {}", !deny), move |catalog| {
        recipe(catalog, id).deny_unknown = !deny;
    });
    let (bytes, depth) = (body.max_bytes, body.max_depth);
    found.put("recipe.max_bytes", &*place, format!("{bytes} → {}", bytes / 2), move |catalog| {
        recipe(catalog, id).max_bytes = bytes / 2;
    });
    found.put("recipe.max_depth", &*place, format!("{depth} → {}", depth - 1), move |catalog| {
        recipe(catalog, id).max_depth = depth - 1;
    });
    for (change, presence) in [
        ("none → a required key", Presence::Required),
        (
            "none → an optional key",
            Presence::Optional { nullable: false, null_when_absent: false, default: None },
        ),
    ] {
        found.put("key.added", &*place, change, move |catalog| {
            let (min, max) = Scalar::U32.range().expect("it is an integer");
            recipe(catalog, id).keys.push(Key {
                name: "added".to_owned(),
                key: "added".to_owned(),
                docs: String::new(),
                c_name: None,
                since: None,
                deprecated: None,
                ty: JsonType::Integer { scalar: Scalar::U32, min, max, decimal: false },
                presence: presence.clone(),
                flatten: false,
                lenient: false,
                not_imported: false,
            });
        });
    }
    let names: Vec<(String, String)> =
        body.keys.iter().map(|key| (key.name.clone(), format!("{}_other", key.name))).collect();
    // A key's name in Rust is not in a document, but it is what a rule and the C struct call it.
    for (index, (from, to)) in names.into_iter().enumerate().filter(|(index, _)| body.keys[*index].flatten) {
        let place = at(catalog, id, &from);
        found.put("key.name", place, format!("{from} → {to}"), move |catalog| {
            let held = key(catalog, id, index);
            held.name.clone_from(&to);
            held.key.clone_from(&to);
            rules::rename(&mut catalog.contracts[id.0], &from, &to);
        });
    }
}
