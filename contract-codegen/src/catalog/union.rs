//! The variants of a union: words and text of each put together, and checked against each other.

use super::Nested;
use super::decode::objects;
use super::json::{Object, TextError, required};
use super::json_type::{self, Held};
use super::recipe::{limits, same_length};
use super::spelling::{distinct, identifier};
use super::words::TypeWords;
use super::{literal, rules};
use crate::model::{Content, JsonType, Tagging, Union, Variant, WhenAbsent};

/// Variants that are tried one after the other; a schema says of each that none before it fits.
const MAX_TRIED: usize = 64;

/// The union that these words and texts are of; what it nests is added to `nested`, the names in its defaults to
/// `names`.
pub(super) fn union(
    wire: &mut Object,
    (members, declared_rules): (Vec<Object>, Option<Vec<String>>),
    types: Vec<TypeWords>,
    nested: &mut Vec<Nested>,
    names: &mut Vec<Vec<String>>,
) -> Result<Union, TextError> {
    let tagging = tagging(wire)?;
    let lenient = wire.take_bool("lenient")?.unwrap_or(false);
    let (max_bytes, max_depth) = limits(wire)?;
    let declared = objects(required(wire.take_array("variants")?, "variants")?)?;
    same_length("variants", declared.len(), members.len(), types.len())?;
    if declared.is_empty() {
        return Err(TextError::Wrong("it has no variants".to_owned()));
    }
    if tagging == Tagging::Untagged && declared.len() > MAX_TRIED {
        return Err(TextError::Wrong(format!("it has more than {MAX_TRIED} variants without tags")));
    }
    let mut variants = Vec::with_capacity(declared.len());
    for ((mut wire, source), words) in declared.into_iter().zip(members).zip(types) {
        let tag = required(wire.take_text("name")?, "name")?;
        let held = json_type::held(&tag, &words, &mut wire, nested)?;
        let variant = variant(tag, held, &mut wire, source, names)?;
        wire.finish()?;
        check(&tagging, &variant)?;
        variants.push(variant);
    }
    distinct("variant", variants.iter().map(|variant| &variant.name))?;
    distinct(
        "tag",
        variants
            .iter()
            .filter(|variant| !variant.tag.is_empty())
            .flat_map(|variant| std::iter::once(&variant.tag).chain(&variant.aliases)),
    )?;
    let at_most_one = |what: &str, is: fn(&Variant) -> bool| {
        if variants.iter().filter(|variant| is(variant)).count() > 1 {
            return Err(TextError::Wrong(format!("it has two variants that {what}")));
        }
        Ok(())
    };
    at_most_one("an absent tag says", |variant| variant.when_absent != WhenAbsent::No)?;
    at_most_one("keep unknown tags", |variant| variant.content == Content::Other)?;
    if lenient
        && (tagging == Tagging::Untagged
            || variants.iter().all(|variant| variant.when_absent == WhenAbsent::No))
    {
        return Err(TextError::Wrong("its tag is lenient and cannot be absent".to_owned()));
    }
    let rules = rules::checked(rules::of_contract(wire, declared_rules)?, &[])?;
    Ok(Union { tagging, lenient, max_bytes, max_depth, variants, rules })
}

fn tagging(wire: &mut Object) -> Result<Tagging, TextError> {
    let (tag, content) = (wire.take_text("tag")?, wire.take_text("content")?);
    let untagged = wire.take_bool("untagged")?.unwrap_or(false);
    let last = wire.take_bool("tag_last")?.unwrap_or(false);
    match (tag, content, untagged) {
        (Some(tag), None, false) => Ok(Tagging::Internal { tag, last }),
        (Some(tag), Some(content), false) if tag != content => Ok(Tagging::Adjacent { tag, content, last }),
        (None, None, true) if !last => Ok(Tagging::Untagged),
        _ => Err(TextError::Wrong("it says in no way which variant it is, or in two".to_owned())),
    }
}

fn variant(
    tag: String,
    held: Held,
    wire: &mut Object,
    mut source: Object,
    names: &mut Vec<Vec<String>>,
) -> Result<Variant, TextError> {
    let aliases = wire.take_texts("alias")?.unwrap_or_default();
    let when_absent = match wire.take_text("absent")?.as_deref() {
        None => WhenAbsent::No,
        Some("default") => WhenAbsent::Default,
        Some("no_tag") => WhenAbsent::NoTag,
        Some(other) => return Err(TextError::Unknown(format!("`{other}` for an absent tag"))),
    };
    let default = wire.take("default").map(|json| literal::parse(json, names)).transpose()?;
    let other = wire.take_bool("other")?.unwrap_or(false);
    let content = match (held, default, other) {
        (Held::Nothing, None, false) => Content::Nothing,
        (Held::Value(ty), default, false) => Content::Value { ty, default },
        (Held::Other, None, true) => Content::Other,
        _ => return Err(TextError::Wrong(format!("the variant `{tag}` holds what it cannot"))),
    };
    let name = source.take_text("name")?.unwrap_or_else(|| tag.clone());
    let variant = Variant {
        name: identifier(name)?,
        tag,
        aliases,
        docs: source.take_text("docs")?.unwrap_or_default(),
        c_name: source.take_text("c_name")?,
        since: source.take_integer("since")?,
        deprecated: source.take_text("deprecated")?,
        content,
        when_absent,
    };
    source.finish()?;
    Ok(variant)
}

/// What a variant may be in a union that says in this way which it is.
fn check(tagging: &Tagging, variant: &Variant) -> Result<(), TextError> {
    let is_recipe = matches!(variant.content, Content::Value { ty: JsonType::Recipe(_), .. });
    let has_default = matches!(variant.content, Content::Value { default: Some(_), .. });
    let is_other = variant.content == Content::Other;
    let has_no_tag = variant.when_absent == WhenAbsent::NoTag || is_other;
    let legal = match tagging {
        Tagging::Untagged => {
            is_recipe && !has_default && variant.aliases.is_empty() && variant.when_absent == WhenAbsent::No
        }
        Tagging::Internal { .. } => {
            !has_default && (is_recipe || matches!(variant.content, Content::Nothing | Content::Other))
        }
        Tagging::Adjacent { .. } => true,
    };
    let legal = legal
        && has_no_tag == variant.tag.is_empty()
        && !(is_other && variant.when_absent != WhenAbsent::No)
        && (!has_no_tag || variant.aliases.is_empty());
    if legal {
        Ok(())
    } else {
        Err(TextError::Wrong(format!("the variant `{}` cannot be in its union", variant.name)))
    }
}
