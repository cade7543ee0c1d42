//! What a key or a variant holds as C declares it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::literal::scalar_type;
use crate::emit::EmitInput;
use crate::model::{ContractId, JsonType, Length, Scalar, Spelled};
use crate::names::c as names;

/// Elements that `core.h` declares arrays of: the word, and the C type.
pub(super) const CORE_ARRAYS: [(&str, &str); 14] = [
    ("bool", "bool"),
    ("u8", "uint8_t"),
    ("i8", "int8_t"),
    ("u16", "uint16_t"),
    ("i16", "int16_t"),
    ("u32", "uint32_t"),
    ("i32", "int32_t"),
    ("u64", "uint64_t"),
    ("i64", "int64_t"),
    ("f32", "float"),
    ("f64", "double"),
    ("str", "wc_str"),
    ("bytes", "wc_bytes"),
    ("map", "wc_map"),
];

/// A type that several headers may need and each declares, where it is not declared yet.
#[derive(Serialize)]
pub(super) struct Helper {
    pub(super) name: String,
    docs: String,
    members: Vec<String>,
}

/// Whether a value of the enumeration is a number or a text: of an open one that is spelled by name.
pub(crate) fn is_open_name(input: &EmitInput<'_>, contract: ContractId, open: bool) -> bool {
    open && input.catalog.get(contract).enumeration().spelled == Spelled::Names
}

/// The word for a type in the names of what is declared for it.
fn word(input: &EmitInput<'_>, ty: &JsonType) -> String {
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => format!("wc_{}", scalar.name()),
        JsonType::Bool => "wc_bool".to_owned(),
        JsonType::Text { .. } | JsonType::Json { .. } => "wc_str".to_owned(),
        JsonType::Map { .. } => "wc_map".to_owned(),
        JsonType::Bytes { length: Length::AtMost(_), .. } => "wc_bytes".to_owned(),
        JsonType::Bytes { length: Length::Exactly(length), .. } => format!("wc_u8_{length}"),
        JsonType::Array { item, length: Length::AtMost(_) } => format!("{}_array", word(input, item)),
        JsonType::Array { item, length: Length::Exactly(length) } => {
            format!("{}_{length}", word(input, item))
        }
        JsonType::Enumeration { contract, open, .. } if is_open_name(input, *contract, *open) => {
            format!("{}_open", stem(input, *contract))
        }
        JsonType::Enumeration { contract, .. }
        | JsonType::Flags { contract }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => stem(input, *contract),
    }
}

fn stem(input: &EmitInput<'_>, id: ContractId) -> String {
    names::stem(&input.family_of(id).package, input.catalog.get(id))
}

/// A member or a variable of that name: a fixed length is an array's, behind the name.
pub(super) fn declaration(input: &EmitInput<'_>, ty: &JsonType, name: &str) -> String {
    match ty {
        JsonType::Array { item, length: Length::Exactly(length) } => {
            declaration(input, item, &format!("{name}[{length}]"))
        }
        JsonType::Bytes { length: Length::Exactly(length), .. } => format!("uint8_t {name}[{length}]"),
        _ => format!("{} {name}", type_name(input, ty)),
    }
}

/// A type by name: what an array points to.
pub(super) fn type_name(input: &EmitInput<'_>, ty: &JsonType) -> String {
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => scalar_type(*scalar).to_owned(),
        JsonType::Bool => scalar_type(Scalar::Bool).to_owned(),
        JsonType::Enumeration { contract, open, .. } if !is_open_name(input, *contract, *open) => {
            names::type_name(&input.family_of(*contract).package, input.catalog.get(*contract))
        }
        JsonType::Flags { contract }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => {
            names::type_name(&input.family_of(*contract).package, input.catalog.get(*contract))
        }
        _ => word(input, ty),
    }
}

/// Whether it is declared with a length behind its name, so that an array of such needs a struct around each.
pub(super) fn is_fixed(ty: &JsonType) -> bool {
    matches!(
        ty,
        JsonType::Array { length: Length::Exactly(_), .. }
            | JsonType::Bytes { length: Length::Exactly(_), .. }
    )
}

/// The types that this one stands on and no contract declares, in the order they are declared.
pub(super) fn helpers(input: &EmitInput<'_>, ty: &JsonType) -> Vec<Helper> {
    let mut all = Vec::new();
    collect(input, ty, &mut all);
    let mut seen = BTreeSet::new();
    all.retain(|helper| seen.insert(helper.name.clone()));
    all
}

fn collect(input: &EmitInput<'_>, ty: &JsonType, all: &mut Vec<Helper>) {
    match ty {
        JsonType::Array { item, length } => {
            collect(input, item, all);
            let name = word(input, ty);
            let is_core = |word: &str| {
                CORE_ARRAYS
                    .iter()
                    .any(|(element, _)| word.strip_prefix("wc_") == Some(&format!("{element}_array")))
            };
            if matches!(length, Length::Exactly(_)) || is_core(&name) {
                return;
            }
            if is_fixed(item) {
                all.push(Helper {
                    name: word(input, item),
                    docs: "Items of one length.".to_owned(),
                    members: vec![declaration(input, item, "items")],
                });
            }
            all.push(Helper {
                name,
                docs: "An array of any length.".to_owned(),
                members: vec![format!("const {} *items", type_name(input, item)), "size_t count".to_owned()],
            });
        }
        JsonType::Enumeration { contract, open, .. } if is_open_name(input, *contract, *open) => {
            let enumeration = input.catalog.get(*contract);
            all.push(Helper {
                name: word(input, ty),
                docs: format!("A value of {}, or another name.", enumeration.name),
                members: vec![
                    "bool is_name".to_owned(),
                    format!("{} value", names::type_name(&input.family_of(*contract).package, enumeration)),
                    "wc_str name".to_owned(),
                ],
            });
        }
        _ => {}
    }
}

/// The names of [`helpers`].
pub(crate) fn helper_names(input: &EmitInput<'_>, ty: &JsonType) -> Vec<String> {
    helpers(input, ty).into_iter().map(|helper| helper.name).collect()
}
