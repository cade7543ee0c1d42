//! Recipes and unions as C structs.

use serde::Serialize;

use super::check::{Checks, Pass};
use super::init::{init, scalar_default};
use super::literal::{comment_with, float, integer, remarks, string};
use super::traits::Traits;
use super::types::{Helper, declaration, helpers};
use super::view::{Common, bounds, common};
use crate::emit::json::literal::spelled;
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{
    Catalog, Content, Contract, ContractId, JsonType, Key, Length, Presence, Recipe, Tagging, Union, Variant,
    WhenAbsent,
};
use crate::names::c as names;

/// Bits of one presence member.
const BITS: usize = 64;

#[derive(Serialize)]
pub(super) struct RecipeView {
    #[serde(flatten)]
    common: Common,
    helpers: Vec<Helper>,
    members: Vec<MemberView>,
    constants_of_keys: Vec<ConstantView>,
    #[serde(flatten)]
    functions: Functions,
}

#[derive(Serialize)]
pub(super) struct UnionView {
    #[serde(flatten)]
    common: Common,
    tag_type: String,
    value_type: String,
    /// Whether any variant holds something.
    holds: bool,
    helpers: Vec<Helper>,
    variants: Vec<VariantView>,
    #[serde(flatten)]
    functions: Functions,
}

#[derive(Serialize)]
struct MemberView {
    docs: Vec<String>,
    declaration: String,
}

/// A constant.
#[derive(Serialize)]
pub(crate) struct ConstantView {
    pub(crate) name: String,
    literal: String,
}

#[derive(Serialize)]
struct VariantView {
    docs: Vec<String>,
    constant: String,
    position: usize,
    /// What it holds, if it holds anything.
    declaration: Option<String>,
    /// The tag as a literal; none for a variant that has none of its own.
    tag: Option<String>,
}

/// The bodies of a contract's functions.
#[derive(Serialize)]
struct Functions {
    init: Vec<String>,
    check: Vec<String>,
    check_uses_value: bool,
    import: Vec<String>,
    import_uses_value: bool,
    counts_fds: bool,
}

impl Functions {
    fn of(input: &EmitInput<'_>, traits: &[Traits], id: ContractId) -> Self {
        let lines = |pass| Checks { input, traits, id, pass }.lines();
        let (check, import) = (lines(Pass::Check), lines(Pass::Import));
        Functions {
            init: init(input, traits, id),
            check_uses_value: check.mention("value"),
            import_uses_value: import.mention("value"),
            counts_fds: import.mention("fd_count"),
            check: check.into_text(),
            import: import.into_text(),
        }
    }
}

/// The members that hold one bit for each optional key, and the condition that a bit is set.
///
/// `owner` is what comes before a member's name: `value->`.
pub(super) fn presence(input: &EmitInput<'_>, id: ContractId, owner: &str, key: &Key) -> Option<String> {
    let contract = input.catalog.get(id);
    let position = bit_of(contract.recipe(), key)?;
    let constant = names::has_constant(&input.family_of(id).package, contract, key);
    Some(format!("({owner}{} & {constant}) != 0", names::presence_member(position / BITS)))
}

/// The position of a key among the optional ones.
pub(crate) fn bit_of(recipe: &Recipe, key: &Key) -> Option<usize> {
    recipe.keys.iter().filter(|key| is_optional(key)).position(|other| other.name == key.name)
}

fn is_optional(key: &Key) -> bool {
    matches!(key.presence, Presence::Optional { .. })
}

/// What errors call the tag of a union, and what a variant holds.
pub(crate) fn union_field(union: &Union) -> (&str, &str) {
    match &union.tagging {
        Tagging::Internal { tag, .. } => (tag, ""),
        Tagging::Adjacent { tag, content, .. } => (tag, content),
        Tagging::Untagged => ("", ""),
    }
}

pub(super) fn recipe(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> RecipeView {
    let contract = input.catalog.get(id);
    let recipe = contract.recipe();
    let optional = recipe.keys.iter().filter(|key| is_optional(key)).count();
    let presence = (0..optional.div_ceil(BITS)).map(|word| MemberView {
        docs: vec![format!(
            " The bits `{}_HAS_` of optional keys that are there.",
            names::constant_stem(package, contract)
        )],
        declaration: format!("uint64_t {}", names::presence_member(word)),
    });
    let keys = recipe.keys.iter().map(|key| MemberView {
        docs: key_docs(input.catalog, package, contract, key),
        declaration: declaration(input, &key.ty, &names::key_member(key)),
    });
    let mut members: Vec<MemberView> = presence.chain(keys).collect();
    if members.is_empty() {
        // C has no empty structs.
        let docs = vec![" There is nothing in it.".to_owned()];
        members.push(MemberView { docs, declaration: "uint8_t nothing".to_owned() });
    }
    RecipeView {
        common: common(package, contract, None),
        helpers: recipe.keys.iter().flat_map(|key| helpers(input, &key.ty)).collect(),
        members,
        constants_of_keys: key_constants(input, package, contract),
        functions: Functions::of(input, traits, id),
    }
}

/// The constants of a recipe's keys: bits, bounds and defaults.
pub(crate) fn key_constants(
    input: &EmitInput<'_>,
    package: &PackageConfig,
    contract: &Contract,
) -> Vec<ConstantView> {
    let recipe = contract.recipe();
    let mut all = Vec::new();
    for key in &recipe.keys {
        if let Some(position) = bit_of(recipe, key) {
            all.push(ConstantView {
                name: names::has_constant(package, contract, key),
                literal: format!("UINT64_C(0x{:x})", 1_u64 << (position % BITS)),
            });
        }
        let mut put = |what: &str, literal: String| {
            let literal = if literal.starts_with('-') { format!("({literal})") } else { literal };
            let name =
                format!("{}_{}_{what}", names::constant_stem(package, contract), names::key_constant(key));
            all.push(ConstantView { name, literal });
        };
        if let Some(default) =
            key.presence.default().and_then(|literal| scalar_default(input, &key.ty, literal))
        {
            put("DEFAULT", default);
        }
        let mut most = |what: &str, bound: Option<u32>| {
            if let Some(bound) = bound {
                put(what, format!("{bound}u"));
            }
        };
        match &key.ty {
            JsonType::Text { max_len }
            | JsonType::Json { max_len }
            | JsonType::Enumeration { max_len, .. } => most("MAX_LEN", *max_len),
            JsonType::Bytes { length: Length::AtMost(bound), .. } => most("MAX_LEN", *bound),
            JsonType::Array { length: Length::AtMost(bound), .. } => most("MAX_ITEMS", *bound),
            JsonType::Map { max_items, max_len } => {
                most("MAX_ITEMS", *max_items);
                most("MAX_LEN", *max_len);
            }
            JsonType::Integer { scalar, min, max, .. } => {
                let (least, greatest) = bounds(*scalar);
                for (what, value, bound) in [("MIN", *min, least), ("MAX", *max, greatest)] {
                    if value != bound {
                        put(what, integer(value, scalar.is_signed()));
                    }
                }
            }
            JsonType::Float { min, max, .. } => {
                for (what, bound) in [("MIN", min), ("MAX", max)] {
                    if let Some(bound) = bound {
                        put(what, float(*bound));
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// The key's documentation, and what a caller has to know of its presence.
fn key_docs(catalog: &Catalog, package: &PackageConfig, contract: &Contract, key: &Key) -> Vec<String> {
    let has = names::has_constant(package, contract, key);
    let default = spelled(catalog, key);
    let mut lines = Vec::new();
    match (&key.presence, default) {
        (Presence::Required, _) => {}
        (Presence::Optional { .. }, None) => lines.push(format!("Only there with `{has}`.")),
        (Presence::Optional { .. }, Some(default)) => {
            lines.push(format!("Only there with `{has}`; otherwise it is taken for {default}."));
        }
        (Presence::Defaulted { .. }, default) => {
            lines.push(format!("Absent in a document, it is {}.", default.unwrap_or_default()));
        }
    }
    if key.flatten {
        lines.push("Its keys stand in the same object.".to_owned());
    }
    if matches!(key.ty, JsonType::Json { .. }) {
        lines.push(
            "JSON without white space; a check looks at no more of it than its length and UTF-8.".to_owned(),
        );
    }
    lines.extend(remarks(key.since, key.deprecated.as_deref()));
    comment_with(&key.docs, &lines)
}

pub(super) fn union(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> UnionView {
    let contract = input.catalog.get(id);
    let union = contract.union();
    let types = union.variants.iter().filter_map(|variant| match &variant.content {
        Content::Value { ty, .. } => Some(ty),
        Content::Nothing | Content::Other => None,
    });
    UnionView {
        common: common(package, contract, None),
        tag_type: names::tag_type(package, contract),
        value_type: names::value_type(package, contract),
        holds: union.variants.iter().any(|variant| variant.content != Content::Nothing),
        helpers: types.flat_map(|ty| helpers(input, ty)).collect(),
        variants: union
            .variants
            .iter()
            .enumerate()
            .map(|(position, variant)| VariantView {
                docs: variant_docs(variant),
                constant: names::variant_constant(package, contract, variant),
                position,
                declaration: variant_declaration(input, variant),
                tag: has_tag(variant).then(|| string(variant.tag.as_bytes())),
            })
            .collect(),
        functions: Functions::of(input, traits, id),
    }
}

/// Whether the declaration gives the variant a tag.
pub(crate) fn has_tag(variant: &Variant) -> bool {
    variant.content != Content::Other && variant.when_absent != WhenAbsent::NoTag
}

fn variant_docs(variant: &Variant) -> Vec<String> {
    let mut lines = Vec::new();
    match variant.when_absent {
        WhenAbsent::No => {}
        WhenAbsent::Default => lines.push("What an absent tag says.".to_owned()),
        WhenAbsent::NoTag => lines.push("What an absent tag says; it has no tag.".to_owned()),
    }
    if variant.content == Content::Other {
        lines.push("A tag that no other variant has.".to_owned());
    }
    lines.extend(remarks(variant.since, variant.deprecated.as_deref()));
    comment_with(&variant.docs, &lines)
}

fn variant_declaration(input: &EmitInput<'_>, variant: &Variant) -> Option<String> {
    let member = names::variant_member(variant);
    match &variant.content {
        Content::Nothing => None,
        Content::Value { ty, .. } => Some(declaration(input, ty, &member)),
        Content::Other => Some(format!("wc_unknown_variant {member}")),
    }
}
