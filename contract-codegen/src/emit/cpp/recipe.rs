//! Recipes and unions as C++ structs. They hold views: what they point to is their document's, or whoever's it was that
//! filled them.

use serde::Serialize;

use super::view::{Common, name_of, std_type};
use crate::emit::c::literal::{bits, comment_with, float, integer, remarks, scalar_type, string};
use crate::emit::c::recipe::has_tag;
use crate::emit::c::types::is_open_name;
use crate::emit::json::literal::spelled;
use crate::emit::{EmitInput, Family};
use crate::model::{
    Catalog, Content, ContractId, JsonType, Key, Length, Literal, Presence, Scalar, Variant, WhenAbsent,
};
use crate::names::{c, cpp};

#[derive(Serialize)]
pub(super) struct RecipeView {
    #[serde(flatten)]
    common: Common,
    /// Constants of the struct: defaults, and what they are made of.
    defaults: Vec<String>,
    keys: Vec<KeyView>,
    /// The number of file descriptors: no member is called so.
    parameter: String,
}

#[derive(Serialize)]
struct KeyView {
    docs: Vec<String>,
    #[serde(rename = "type")]
    ty: String,
    member: String,
    c_member: String,
    /// The bit and the C member that has it, of an optional key.
    present: Option<(String, String)>,
    /// What the member begins as.
    initial: String,
    /// The accessor that gives a value or the default, and the default.
    accessor: Option<(String, String)>,
}

#[derive(Serialize)]
pub(super) struct UnionView {
    #[serde(flatten)]
    common: Common,
    tag_type: String,
    variants: Vec<VariantView>,
    /// The variant that a value begins as.
    first: String,
}

#[derive(Serialize)]
struct VariantView {
    docs: Vec<String>,
    /// The enumerator.
    name: String,
    /// The struct.
    holder: String,
    position: usize,
    defaults: Vec<String>,
    /// The type and the initial value of what it holds.
    content: Option<(String, String)>,
    is_other: bool,
    c_member: String,
    tag: Option<String>,
}

pub(super) fn recipe(input: &EmitInput<'_>, family: &Family, id: ContractId, common: Common) -> RecipeView {
    let contract = input.catalog.get(id);
    let recipe = contract.recipe();
    let mut defaults = Vec::new();
    let mut optional = 0;
    let keys = recipe.keys.iter().map(|key| {
        let present = matches!(key.presence, Presence::Optional { .. }).then(|| {
            optional += 1;
            (c::has_constant(&family.package, contract, key), c::presence_member((optional - 1) / 64))
        });
        let constant = key.presence.default().map(|literal| {
            let constant = cpp::default_constant(key);
            Writer { input, family }.constant(&key.ty, literal, &constant, &mut defaults);
            constant
        });
        KeyView {
            docs: key_docs(input.catalog, key),
            ty: json_type(input, family, &key.ty),
            member: cpp::key_member(key),
            c_member: c::key_member(key),
            initial: match (&present, &constant) {
                (None, Some(constant)) => format!(" = {constant}"),
                _ => "{}".to_owned(),
            },
            accessor: match (&present, constant) {
                (Some(_), Some(constant)) => Some((cpp::key_accessor(key), constant)),
                _ => None,
            },
            present,
        }
    });
    let keys = keys.collect();
    let mut parameter = "fd_count".to_owned();
    while recipe.keys.iter().any(|key| cpp::key_members(key).contains(&parameter)) {
        parameter.push('_');
    }
    RecipeView { common, defaults, keys, parameter }
}

fn key_docs(catalog: &Catalog, key: &Key) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(default) = spelled(catalog, key) {
        lines.push(format!("Absent in a document, it is taken for {default}."));
    }
    if key.flatten {
        lines.push("Its keys stand in the same object.".to_owned());
    }
    if matches!(key.ty, JsonType::Json { .. }) {
        lines.push("JSON without white space.".to_owned());
    }
    lines.extend(remarks(key.since, key.deprecated.as_deref()));
    comment_with(&key.docs, &lines)
}

pub(super) fn union(input: &EmitInput<'_>, family: &Family, id: ContractId, common: Common) -> UnionView {
    let contract = input.catalog.get(id);
    let union = contract.union();
    let variants: Vec<VariantView> = union
        .variants
        .iter()
        .enumerate()
        .map(|(position, variant)| {
            let mut defaults = Vec::new();
            let content = match &variant.content {
                Content::Value { ty, default } => {
                    let initial = match default {
                        None => "{}".to_owned(),
                        Some(literal) => {
                            Writer { input, family }.constant(ty, literal, "default_value", &mut defaults);
                            " = default_value".to_owned()
                        }
                    };
                    Some((json_type(input, family, ty), initial))
                }
                Content::Nothing | Content::Other => None,
            };
            VariantView {
                docs: variant_docs(variant),
                name: cpp::variant_enumerator(variant),
                holder: cpp::variant_type(contract, variant),
                position,
                defaults,
                content,
                is_other: variant.content == Content::Other,
                c_member: c::variant_member(variant),
                tag: has_tag(variant).then(|| string(variant.tag.as_bytes())),
            }
        })
        .collect();
    UnionView {
        tag_type: cpp::tag_type(contract),
        first: variants[union.absent().unwrap_or(0)].holder.clone(),
        variants,
        common,
    }
}

fn variant_docs(variant: &Variant) -> Vec<String> {
    let mut lines = Vec::new();
    match variant.when_absent {
        WhenAbsent::No => {}
        WhenAbsent::Default => lines.push("What an absent tag says.".to_owned()),
        WhenAbsent::NoTag => lines.push("What an absent tag says; it has no tag.".to_owned()),
    }
    lines.extend(remarks(variant.since, variant.deprecated.as_deref()));
    comment_with(&variant.docs, &lines)
}

/// The C++ type of what a key, an item or a variant holds.
pub(super) fn json_type(input: &EmitInput<'_>, family: &Family, ty: &JsonType) -> String {
    let named = |id| name_of(input, family, id);
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => std_type(scalar_type(*scalar)),
        JsonType::Bool => "bool".to_owned(),
        JsonType::Text { .. } | JsonType::Json { .. } => "std::string_view".to_owned(),
        JsonType::Bytes { length: Length::AtMost(_), .. } => "::wirecontract::bytes_view".to_owned(),
        JsonType::Bytes { length: Length::Exactly(length), .. } => {
            format!("std::array<std::uint8_t, {length}>")
        }
        JsonType::Array { item, length: Length::AtMost(_) } => {
            format!("::wirecontract::view<{}>", json_type(input, family, item))
        }
        JsonType::Array { item, length: Length::Exactly(length) } => {
            format!("std::array<{}, {length}>", json_type(input, family, item))
        }
        JsonType::Map { .. } => "::wirecontract::view<::wirecontract::text_pair>".to_owned(),
        JsonType::Enumeration { contract, open, .. } if is_open_name(input, *contract, *open) => {
            format!("std::variant<{}, std::string_view>", named(*contract))
        }
        JsonType::Flags { contract } => format!("::wirecontract::flags<{}>", named(*contract)),
        JsonType::Enumeration { contract, .. }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => named(*contract),
    }
}

/// Writes defaults as constants.
#[derive(Clone, Copy)]
struct Writer<'a> {
    input: &'a EmitInput<'a>,
    family: &'a Family,
}

impl Writer<'_> {
    /// Declares a constant, after those that it points to.
    fn constant(self, ty: &JsonType, literal: &Literal, name: &str, lines: &mut Vec<String>) {
        let line = match (ty, literal) {
            (JsonType::Array { item, length: Length::AtMost(_) }, Literal::List(items))
                if !items.is_empty() =>
            {
                let item_type = json_type(self.input, self.family, item);
                let items = self.items(item, items, name, lines);
                format!("static constexpr {item_type} {name}[] = {{{items}}};")
            }
            (JsonType::Bytes { length: Length::AtMost(_), .. }, Literal::List(items))
                if !items.is_empty() =>
            {
                format!("static constexpr std::uint8_t {name}[] = {{{}}};", bytes(items))
            }
            _ => {
                let value = self.value(ty, literal, name, lines);
                format!("static constexpr {} {name} = {value};", json_type(self.input, self.family, ty))
            }
        };
        lines.push(line);
    }

    fn items(self, item: &JsonType, items: &[Literal], name: &str, lines: &mut Vec<String>) -> String {
        let items = items.iter().enumerate().map(|(index, literal)| {
            let inner = format!("{name}_{index}");
            self.value(item, literal, &inner, lines)
        });
        items.collect::<Vec<_>>().join(", ")
    }

    /// An expression; what it points to is a constant that is declared before.
    fn value(self, ty: &JsonType, literal: &Literal, name: &str, lines: &mut Vec<String>) -> String {
        match (ty, literal) {
            (JsonType::Array { item, length: Length::Exactly(_) }, Literal::List(items)) => {
                format!("{{{{{}}}}}", self.items(item, items, name, lines))
            }
            (JsonType::Bytes { length: Length::Exactly(_), .. }, Literal::List(items)) => {
                format!("{{{{{}}}}}", bytes(items))
            }
            (_, Literal::List(items)) if items.is_empty() => "{}".to_owned(),
            (_, Literal::List(_)) => {
                let inner = format!("{name}_items");
                self.constant(ty, literal, &inner, lines);
                inner
            }
            (_, Literal::Text(text)) => {
                format!("std::string_view({}, {})", string(text.as_bytes()), text.len())
            }
            (JsonType::Enumeration { contract, .. }, Literal::Value(index)) => {
                let value = &self.input.catalog.get(*contract).enumeration().values[*index];
                format!("{}::{}", name_of(self.input, self.family, *contract), cpp::enumerator(value))
            }
            (JsonType::Flags { contract }, Literal::Flags(set)) => format!(
                "{}::from_bits({})",
                json_type(self.input, self.family, ty),
                bits(*set, self.input.catalog.get(*contract).repr())
            ),
            (JsonType::Float { scalar, .. }, _) => {
                let number = match literal {
                    Literal::Float(value) => float(*value),
                    Literal::Integer(value) => format!("{value}.0"),
                    _ => unreachable!("a float begins with a number"),
                };
                if *scalar == Scalar::F32 { format!("static_cast<float>({number})") } else { number }
            }
            (JsonType::Integer { scalar, .. }, Literal::Integer(value)) => {
                integer(*value, scalar.is_signed())
            }
            (_, Literal::Bool(truth)) => truth.to_string(),
            _ => unreachable!("a default {literal:?} is of its key's type {ty:?}"),
        }
    }
}

fn bytes(items: &[Literal]) -> String {
    let items = items.iter().map(|item| match item {
        Literal::Integer(value) => integer(*value, false),
        _ => unreachable!("bytes begin with numbers"),
    });
    items.collect::<Vec<_>>().join(", ")
}
