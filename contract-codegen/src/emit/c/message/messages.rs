//! One of several messages: a tag and a C union of the messages.

use serde::Serialize;

use crate::counted;
use crate::emit::c::literal::{comment_of, integer, string};
use crate::emit::c::rules::has_rules;
use crate::emit::c::traits::Traits;
use crate::emit::c::types::declaration;
use crate::emit::c::view::{Common, common};
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{
    ContractId, Element, JsonType, Length, MOST_FDS, MessageContent, MessageField, MessageVariant, Messages,
    Moment, Scalar, Selector,
};
use crate::names::c as names;

/// Fills `templates/c/messages.h.jinja`.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each decides about another piece of text")]
pub(in crate::emit::c) struct MessagesView {
    #[serde(flatten)]
    common: Common,
    tag_type: String,
    value_type: String,
    max_bytes: u64,
    max_fds: u32,
    /// Whether any variant holds anything.
    holds: bool,
    some_hold_nothing: bool,
    /// Whether file descriptors may come with any variant of a body, and whether any says more of an import than it.
    some_have_fds: bool,
    some_import: bool,
    /// The most file descriptors beside an unknown tag, and how errors word it.
    most_fds: u32,
    any_fds: String,
    variants: Vec<VariantView>,
    by_tag: Option<TagView>,
    by_body: Option<BodyView>,
}

#[derive(Serialize)]
struct VariantView {
    docs: Vec<String>,
    constant: String,
    position: usize,
    /// What it holds: `message`, `value`, `nothing` or `other`.
    kind: &'static str,
    /// The message's.
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    member: String,
    /// The member of the C union, where it holds anything.
    declaration: Option<String>,
    /// Whether that is an array, which C does not assign.
    is_array: bool,
    /// Whether file descriptors may come with the message.
    has_fds: bool,
    /// Whether the message itself says anything of an import.
    imports: bool,
    /// The number as a literal; none of the open one.
    value: Option<String>,
    /// The same as an error words it.
    number: String,
    /// Where the tag is, after the variant.
    tag: String,
    /// The first part of a message.
    first: String,
    /// The union's constant and member, and the message's own member of the document.
    in_body: Option<(String, String, String)>,
}

#[derive(Serialize)]
struct TagView {
    /// As errors call it, as a literal.
    text: String,
    /// Where it is in the first part.
    place: String,
    is_signed: bool,
    #[serde(rename = "type")]
    first_type: String,
    stem: String,
    refusable: bool,
    /// Whether any variant has a number.
    has_numbers: bool,
    /// The constant of the variant that takes every other number.
    open: Option<String>,
}

#[derive(Serialize)]
struct BodyView {
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
}

pub(in crate::emit::c) fn messages(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> MessagesView {
    let contract = input.catalog.get(id);
    let messages = contract.messages();
    let variants = messages.variants.iter().enumerate();
    let variants: Vec<VariantView> =
        variants.map(|(position, it)| variant(input, package, id, position, it)).collect();
    MessagesView {
        common: common(package, contract, None),
        tag_type: names::tag_type(package, contract),
        value_type: names::value_type(package, contract),
        max_bytes: input.catalog.most_bytes(id),
        max_fds: input.catalog.most_fds(id),
        holds: messages.variants.iter().any(|variant| variant.holds != MessageContent::Nothing),
        some_hold_nothing: messages.variants.iter().any(|variant| variant.holds == MessageContent::Nothing),
        some_have_fds: variants.iter().any(|variant| matches!(variant.kind, "message" | "other")),
        some_import: variants.iter().any(|variant| variant.imports),
        most_fds: MOST_FDS,
        any_fds: string(counted::file_descriptors(0, MOST_FDS).as_bytes()),
        variants,
        by_tag: by_tag(input, traits, id),
        by_body: messages.body().map(|union| {
            let (package, union) = (&input.family_of(union).package, input.catalog.get(union));
            BodyView { type_name: names::type_name(package, union), stem: names::stem(package, union) }
        }),
    }
}

fn variant(
    input: &EmitInput<'_>,
    package: &PackageConfig,
    id: ContractId,
    position: usize,
    variant: &MessageVariant,
) -> VariantView {
    let contract = input.catalog.get(id);
    let messages = contract.messages();
    let message = variant.holds.message().map(|id| (&input.family_of(id).package, input.catalog.get(id)));
    let first = message.map_or_else(String::new, |(_, of)| {
        names::message_member(MessageField::Part(&of.message().parts[0]))
    });
    let tag = tag_place(input, messages);
    let is_signed = tag.as_ref().is_some_and(|(_, scalar)| scalar.is_signed());
    let in_body = messages.body().zip(variant.of_union).map(|(union, position)| {
        let (package, union) = (&input.family_of(union).package, input.catalog.get(union));
        let found = &union.union().variants[position];
        let document = if first.is_empty() { String::new() } else { format!(".{first}") };
        (names::variant_constant(package, union, found), names::variant_member(found), document)
    });
    let member = names::message_variant_member(variant);
    let type_name = message.map_or_else(String::new, |(package, of)| names::type_name(package, of));
    let (kind, declared) = match &variant.holds {
        MessageContent::Message(_) => ("message", Some(format!("{type_name} {member}"))),
        MessageContent::Value(ty) => ("value", Some(declaration(input, ty, &member))),
        MessageContent::Nothing => ("nothing", None),
        MessageContent::Other => ("other", Some(format!("wc_unknown_variant_message {member}"))),
    };
    VariantView {
        docs: comment_of(&variant.member, Vec::new()),
        constant: names::message_constant(package, contract, variant),
        position,
        kind,
        type_name,
        stem: message.map_or_else(String::new, |(package, of)| names::stem(package, of)),
        member,
        declaration: declared,
        is_array: matches!(
            variant.holds,
            MessageContent::Value(
                JsonType::Array { length: Length::Exactly(_), .. }
                    | JsonType::Bytes { length: Length::Exactly(_), .. }
            )
        ),
        has_fds: message.is_some_and(|(_, of)| !of.message().fds.is_empty()),
        imports: message.is_some_and(|(_, of)| has_rules(of, Moment::Import)),
        value: variant.value.map(|value| integer(i128::from(value), is_signed)),
        number: variant.value.map_or_else(String::new, |value| format!("\"{value}\"")),
        tag: tag.map_or_else(String::new, |(place, _)| format!("{first}.{place}")),
        first,
        in_body,
    }
}

/// Where the tag is in the first part, and what integer it is.
fn tag_place(input: &EmitInput<'_>, messages: &Messages) -> Option<(String, Scalar)> {
    let fields = input.catalog.tag_fields(messages);
    let (_, last) = fields.last()?;
    let place: Vec<_> = fields.iter().map(|(_, field)| names::member(field)).collect();
    let scalar = match last.ty.element {
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. } => input.catalog.get(contract).repr(),
        Element::Flags { .. } | Element::Descriptor(_) => unreachable!("a tag is a number"),
    };
    Some((place.join("."), scalar))
}

fn by_tag(input: &EmitInput<'_>, traits: &[Traits], id: ContractId) -> Option<TagView> {
    let contract = input.catalog.get(id);
    let messages = contract.messages();
    let Selector::Tag { text, .. } = &messages.by else { return None };
    let (place, scalar) = tag_place(input, messages)?;
    let own = &input.family_of(id).package;
    let id = input.catalog.first_part(messages);
    let (package, first) = (&input.family_of(id).package, input.catalog.get(id));
    Some(TagView {
        text: string(text.as_bytes()),
        place,
        is_signed: scalar.is_signed(),
        first_type: names::type_name(package, first),
        stem: names::stem(package, first),
        refusable: traits[id.0].refusable,
        has_numbers: messages.variants.iter().any(|variant| variant.value.is_some()),
        open: messages.open().map(|variant| names::message_constant(own, contract, variant)),
    })
}
