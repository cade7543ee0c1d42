//! Messages as C++ structs: parts, a tail, and file descriptors as numbers that somebody else owns.

use serde::Serialize;

use super::recipe::json_type;
use super::view::{Common, name_of, within};
use crate::emit::c::literal::comment_of;
use crate::emit::c::message::tail_count;
use crate::emit::c::traits::Traits;
use crate::emit::{EmitInput, Family};
use crate::model::{
    Contract, ContractId, FdForm, MessageContent, MessageField, MessageVariant, Tail, TailItem,
};
use crate::names::{c, cpp};

/// Fills `templates/cpp/message.hpp.jinja`.
#[derive(Serialize)]
pub(super) struct MessageView {
    #[serde(flatten)]
    common: Common,
    members: Vec<MemberView>,
    parts: Vec<PartView>,
    is_document: bool,
    /// The bytes of all parts in their newest versions.
    fixed: String,
    tail: Option<TailView>,
    groups: Vec<GroupView>,
}

#[derive(Serialize)]
struct MemberView {
    docs: Vec<String>,
    #[serde(rename = "type")]
    ty: String,
    member: String,
    initial: &'static str,
}

#[derive(Serialize)]
struct PartView {
    #[serde(rename = "type")]
    ty: String,
    member: String,
    c_member: String,
}

#[derive(Serialize)]
struct TailView {
    kind: &'static str,
    /// The type of an element, or of all.
    #[serde(rename = "type")]
    ty: String,
    member: String,
    c_member: String,
    c_count: String,
    c_type: String,
    c_stem: String,
    /// The bytes of an element.
    size: String,
    settled: bool,
}

#[derive(Serialize)]
struct GroupView {
    kind: &'static str,
    member: String,
    c_member: String,
    c_count: String,
}

/// Fills `templates/cpp/messages.hpp.jinja`.
#[derive(Serialize)]
pub(super) struct MessagesView {
    #[serde(flatten)]
    common: Common,
    tag_type: String,
    variants: Vec<VariantView>,
    /// The union that is the body, where one is.
    body: Option<String>,
}

#[derive(Serialize)]
struct VariantView {
    docs: Vec<String>,
    name: String,
    position: usize,
    /// The struct that is the variant.
    holder: String,
    /// What that holds, if anything.
    #[serde(rename = "type")]
    ty: String,
    c_member: String,
    /// What it holds: `message`, `value`, `nothing` or `other`.
    kind: &'static str,
    /// The position of the union's variant.
    in_body: Option<usize>,
    /// The member of a message that is its document.
    document: String,
}

pub(super) fn message(
    input: &EmitInput<'_>,
    traits: &[Traits],
    family: &Family,
    id: ContractId,
    common: Common,
) -> MessageView {
    let message = input.catalog.get(id).message();
    let parts = message.parts.iter().map(|part| PartView {
        ty: name_of(input, family, part.contract),
        member: cpp::message_member(MessageField::Part(part)),
        c_member: c::message_member(MessageField::Part(part)),
    });
    let sizes = message.parts.iter().map(|part| size_constant(input, part.contract));
    let groups = message.fds.iter().map(|group| {
        let field = MessageField::Fds(group);
        GroupView {
            kind: match group.form {
                FdForm::One => "one",
                FdForm::Optional { .. } => "optional",
                FdForm::Many { .. } => "many",
            },
            member: cpp::message_member(field),
            c_member: c::message_member(field),
            c_count: c::count_member(field),
        }
    });
    MessageView {
        members: message.fields().map(|field| member(input, family, field)).collect(),
        parts: parts.collect(),
        is_document: input.catalog.document_of(id).is_some(),
        fixed: sizes.collect::<Vec<_>>().join(" + "),
        tail: message.tail.as_ref().map(|tail| tail_view(input, traits, family, tail)),
        groups: groups.collect(),
        common,
    }
}

fn member(input: &EmitInput<'_>, family: &Family, field: MessageField<'_>) -> MemberView {
    let mut lines = Vec::new();
    let (ty, initial) = match field {
        MessageField::Part(part) => (name_of(input, family, part.contract), ""),
        MessageField::Tail(tail) => match tail.item {
            TailItem::Descriptor(id) => (format!("std::vector<{}>", name_of(input, family, id)), ""),
            TailItem::Bytes => ("::wirecontract::bytes_view".to_owned(), ""),
            TailItem::Text => ("std::string_view".to_owned(), ""),
        },
        MessageField::Fds(group) => match &group.form {
            FdForm::One => ("int".to_owned(), "-1"),
            FdForm::Optional { present_if } => {
                lines.extend(present_if.as_ref().map(|rule| format!("There is one when `{}`.", rule.text)));
                ("std::optional<int>".to_owned(), "")
            }
            FdForm::Many { .. } => ("::wirecontract::view<int>".to_owned(), ""),
        },
    };
    MemberView { docs: comment_of(field.member(), lines), ty, member: cpp::message_member(field), initial }
}

fn tail_view(input: &EmitInput<'_>, traits: &[Traits], family: &Family, tail: &Tail) -> TailView {
    let field = MessageField::Tail(tail);
    let view = TailView {
        kind: "elements",
        ty: String::new(),
        member: cpp::message_member(field),
        c_member: c::message_member(field),
        c_count: tail_count(tail),
        c_type: String::new(),
        c_stem: String::new(),
        size: "1u".to_owned(),
        settled: false,
    };
    match tail.item {
        TailItem::Descriptor(id) => {
            let (package, contract) = (&input.family_of(id).package, input.catalog.get(id));
            TailView {
                ty: name_of(input, family, id),
                c_type: c::type_name(package, contract),
                c_stem: c::stem(package, contract),
                size: size_constant(input, id),
                settled: traits[id.0].settled,
                ..view
            }
        }
        TailItem::Bytes => TailView { kind: "bytes", ty: "::wirecontract::bytes_view".to_owned(), ..view },
        TailItem::Text => TailView { kind: "text", ty: "std::string_view".to_owned(), ..view },
    }
}

fn size_constant(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("{}_SIZE", c::constant_stem(&input.family_of(id).package, input.catalog.get(id)))
}

pub(super) fn messages(
    input: &EmitInput<'_>,
    family: &Family,
    id: ContractId,
    common: Common,
) -> MessagesView {
    let contract = input.catalog.get(id);
    let messages = contract.messages();
    let variants = messages.variants.iter().enumerate();
    MessagesView {
        tag_type: cpp::tag_type(contract),
        variants: variants.map(|(position, it)| variant(input, family, contract, position, it)).collect(),
        body: messages.body().map(|union| name_of(input, family, union)),
        common,
    }
}

fn variant(
    input: &EmitInput<'_>,
    family: &Family,
    contract: &Contract,
    position: usize,
    variant: &MessageVariant,
) -> VariantView {
    let (kind, ty) = match &variant.holds {
        MessageContent::Message(id) => ("message", name_of(input, family, *id)),
        MessageContent::Value(ty) => ("value", json_type(input, family, ty)),
        MessageContent::Nothing => ("nothing", String::new()),
        MessageContent::Other => {
            let of_union = contract.messages().body().zip(variant.of_union);
            let (id, position) = of_union.expect("it is one of a union's");
            let union = input.catalog.get(id);
            let holder = cpp::variant_type(union, &union.union().variants[position]);
            ("other", within(input, family, id, &holder))
        }
    };
    let document = variant.holds.message().map_or_else(String::new, |id| {
        cpp::message_member(MessageField::Part(&input.catalog.get(id).message().parts[0]))
    });
    VariantView {
        docs: comment_of(&variant.member, Vec::new()),
        name: c::escape(&variant.member.name),
        position,
        holder: cpp::message_variant_type(contract, variant),
        ty,
        c_member: c::message_variant_member(variant),
        kind,
        in_body: variant.of_union,
        document,
    }
}
