//! What the templates of a family's documents are filled with.

use std::collections::BTreeSet;

use serde::Serialize;

use super::default;
use super::types::{identifier, key, mirror, name, path, spelling};
use crate::emit::c::recipe::{bit_of, union_field};
use crate::emit::{EmitInput, Family};
use crate::interpret::json::known_tags;
use crate::model::{
    Body, Content, Contract, ContractId, Descriptor, Element, Endian, Field, JsonType, Key, Presence, Recipe,
    Role, Scalar, Union,
};
use crate::names::c as names;

/// A module.
#[derive(Serialize)]
pub(super) struct FamilyView {
    mirrors: Vec<MirrorView>,
    functions: Vec<FunctionsView>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum MirrorView {
    Descriptor(DescriptorView),
    Recipe(RecipeView),
    Union(UnionView),
}

#[derive(Serialize)]
struct FunctionsView {
    /// What Rust calls the functions, and what is exported.
    stem: String,
    name: String,
    path: String,
}

/// What every kind has.
#[derive(Serialize)]
struct Common {
    contract: String,
    /// The mirror, and what it mirrors.
    name: String,
    path: String,
    /// The C struct, and its members in C and here.
    c_name: String,
    places: Vec<(String, String)>,
}

#[derive(Serialize)]
struct RecipeView {
    #[serde(flatten)]
    common: Common,
    /// The members that hold one bit for each optional key.
    words: Vec<String>,
    keys: Vec<KeyView>,
}

#[derive(Serialize)]
struct KeyView {
    /// The declared field, and the C member.
    field: String,
    member: String,
    mirror: String,
    spelling: &'static str,
    /// The key with its bounds; none where its keys stand in the same object.
    key: Option<String>,
    /// The member and the bit that say that it is there, of an optional key.
    present: Option<(String, String)>,
    /// What C finds where it is not there.
    default: Option<String>,
}

#[derive(Serialize)]
struct UnionView {
    #[serde(flatten)]
    common: Common,
    value_name: String,
    holds: bool,
    tag_key: String,
    variants: Vec<VariantView>,
}

#[derive(Serialize)]
struct VariantView {
    variant: String,
    position: usize,
    member: String,
    content: Option<ContentView>,
    is_other: bool,
    key: String,
    known: Vec<String>,
}

#[derive(Serialize)]
struct ContentView {
    mirror: String,
    spelling: &'static str,
}

#[derive(Serialize)]
struct DescriptorView {
    #[serde(flatten)]
    common: Common,
    size: u32,
    fields: Vec<FieldView>,
}

#[derive(Serialize)]
struct FieldView {
    member: String,
    mirror: String,
    offset: u32,
    end: u32,
    endian: &'static str,
    /// What is written whatever the struct holds: magic and version; empty of what is reserved.
    fixed: Option<String>,
    /// The member that counts its valid elements.
    count: Option<String>,
}

/// Fills a family's module.
pub(super) fn family(input: &EmitInput<'_>, family: &Family) -> FamilyView {
    let mut needed = BTreeSet::new();
    let documents = family.contracts.iter().filter(|&&id| input.catalog.get(id).is_document());
    let documents: Vec<ContractId> = documents.copied().collect();
    for &id in &documents {
        need(input, id, &mut needed);
    }
    let functions = documents.iter().map(|&id| FunctionsView {
        stem: names::stem(&family.package, input.catalog.get(id)),
        name: name(input, id),
        path: path(input.catalog.get(id)),
    });
    FamilyView {
        mirrors: needed.iter().map(|&id| mirror_view(input, id)).collect(),
        functions: functions.collect(),
    }
}

/// Adds a contract and what it holds.
fn need(input: &EmitInput<'_>, id: ContractId, needed: &mut BTreeSet<ContractId>) {
    let held: Vec<ContractId> = match &input.catalog.get(id).body {
        Body::Recipe(recipe) => recipe.keys.iter().filter_map(|key| key.ty.contract()).collect(),
        Body::Union(union) => {
            let types = union.variants.iter().filter_map(|variant| match &variant.content {
                Content::Value { ty, .. } => ty.contract(),
                Content::Nothing | Content::Other => None,
            });
            types.collect()
        }
        Body::Descriptor(descriptor) => {
            let nested = descriptor.fields.iter().filter_map(|field| match field.ty.element {
                Element::Descriptor(nested) => Some(nested),
                _ => None,
            });
            nested.collect()
        }
        _ => return,
    };
    if needed.insert(id) {
        held.into_iter().for_each(|held| need(input, held, needed));
    }
}

fn mirror_view(input: &EmitInput<'_>, id: ContractId) -> MirrorView {
    let contract = input.catalog.get(id);
    let place = |member: String| (member.clone(), identifier(&member));
    let common = Common {
        contract: contract.name.clone(),
        name: name(input, id),
        path: path(contract),
        c_name: names::type_name(&input.family_of(id).package, contract),
        places: members(&contract.body).into_iter().map(place).collect(),
    };
    match &contract.body {
        Body::Recipe(body) => MirrorView::Recipe(recipe(input, common, id, body)),
        Body::Union(body) => MirrorView::Union(union(input, common, id, body)),
        Body::Descriptor(body) => MirrorView::Descriptor(descriptor(input, common, body)),
        _ => unreachable!("what is mirrored has parts"),
    }
}

/// The members of the C struct.
fn members(body: &Body) -> Vec<String> {
    match body {
        Body::Recipe(recipe) => {
            let optional = recipe.keys.iter().filter_map(|key| bit_of(recipe, key)).count();
            let words = (0..optional.div_ceil(64)).map(names::presence_member);
            words.chain(recipe.keys.iter().map(names::key_member)).collect()
        }
        Body::Union(union) => {
            let holds = union.variants.iter().any(|variant| variant.content != Content::Nothing);
            ["tag", "value"].into_iter().take(if holds { 2 } else { 1 }).map(str::to_owned).collect()
        }
        Body::Descriptor(descriptor) => descriptor.fields.iter().map(names::member).collect(),
        _ => Vec::new(),
    }
}

fn recipe(input: &EmitInput<'_>, common: Common, id: ContractId, recipe: &Recipe) -> RecipeView {
    let contract = input.catalog.get(id);
    let optional = recipe.keys.iter().filter_map(|key| bit_of(recipe, key)).count();
    RecipeView {
        common,
        words: (0..optional.div_ceil(64)).map(|word| identifier(&names::presence_member(word))).collect(),
        keys: recipe.keys.iter().map(|each| key_view(input, contract, recipe, each)).collect(),
    }
}

fn key_view(input: &EmitInput<'_>, contract: &Contract, recipe: &Recipe, each: &Key) -> KeyView {
    let present = bit_of(recipe, each).map(|position| {
        let word = identifier(&names::presence_member(position / 64));
        (word, format!("{:#x}", 1_u64 << (position % 64)))
    });
    let default = match &each.presence {
        Presence::Optional { default: Some(literal), .. } => {
            Some(default::expression(input, &each.ty, literal))
        }
        _ => None,
    };
    KeyView {
        field: identifier(&each.name),
        member: identifier(&names::key_member(each)),
        mirror: mirror(input, &each.ty),
        spelling: spelling(&each.ty),
        key: (!each.flatten).then(|| key(contract, &each.key, &each.ty)),
        present,
        default,
    }
}

fn union(input: &EmitInput<'_>, common: Common, id: ContractId, union: &Union) -> UnionView {
    let contract = input.catalog.get(id);
    let (tag, content_field) = union_field(union);
    let variants = union.variants.iter().enumerate().map(|(position, variant)| {
        let ty = match &variant.content {
            Content::Value { ty, .. } => ty,
            // Without bounds.
            Content::Nothing | Content::Other => &JsonType::Bool,
        };
        let has_value = matches!(variant.content, Content::Value { .. });
        VariantView {
            variant: identifier(&variant.name),
            position,
            member: identifier(&names::variant_member(variant)),
            content: has_value.then(|| ContentView { mirror: mirror(input, ty), spelling: spelling(ty) }),
            is_other: variant.content == Content::Other,
            key: key(contract, content_field, ty),
            known: known_tags(union).map(|tag| format!("{tag:?}")).collect(),
        }
    });
    UnionView {
        value_name: identifier(&names::value_type(&input.family_of(id).package, contract)),
        holds: union.variants.iter().any(|variant| variant.content != Content::Nothing),
        tag_key: key(contract, tag, &JsonType::Bool),
        variants: variants.collect(),
        common,
    }
}

fn descriptor(input: &EmitInput<'_>, common: Common, descriptor: &Descriptor) -> DescriptorView {
    let fields = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let counter = descriptor.count_of(index).map(|count| &descriptor.fields[count]);
        FieldView {
            member: identifier(&names::member(field)),
            mirror: field_mirror(input, field),
            offset: field.offset,
            end: field.offset + input.catalog.field_size(field),
            endian: match field.ty.endian {
                Endian::Little => "c::Endian::Little",
                Endian::Big => "c::Endian::Big",
                Endian::Native => "c::Endian::Native",
            },
            fixed: match &field.role {
                Role::Magic(bytes) => Some(format!("&{}", magic(bytes))),
                Role::Version(version) => Some(format!("&{version}_{}", scalar(input, field.ty.element))),
                Role::Reserved { .. } => Some(String::new()),
                Role::Value | Role::LengthOf(_) | Role::Text => None,
            },
            count: counter.map(|field| identifier(&names::member(field))),
        }
    });
    DescriptorView { common, size: descriptor.size, fields: fields.collect() }
}

/// Bytes whose type is said: nothing else says it.
fn magic(bytes: &[u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte}_u8")).collect();
    format!("[{}]", bytes.join(", "))
}

fn field_mirror(input: &EmitInput<'_>, field: &Field) -> String {
    let element = match field.ty.element {
        Element::Descriptor(nested) => name(input, nested),
        element => scalar(input, element).to_owned(),
    };
    field.ty.dims.iter().rev().fold(element, |ty, dim| format!("[{ty}; {dim}]"))
}

/// The integer that holds an element: of a float its bits, of a bool its byte.
fn scalar(input: &EmitInput<'_>, element: Element) -> &'static str {
    let scalar = match element {
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => input.catalog.get(contract).repr(),
    };
    match scalar {
        Scalar::Bool => "u8",
        Scalar::F32 => "u32",
        Scalar::F64 => "u64",
        scalar => scalar.name(),
    }
}
