//! Messages as C structs: parts by value, a tail and file descriptors where the caller has them.
//!
//! One struct serves reading and writing, so that what was read can be written again: a tail of descriptors is their
//! bytes, which a function of each reads and writes. Nothing here opens or closes a file descriptor.

mod groups;
mod messages;
mod tail;

use serde::Serialize;

use super::lines::Lines;
use super::literal::comment_of;
use super::operand::{Form, Subject};
use super::traits::Traits;
use super::view::{Common, common};
use crate::counted;
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{Body, ContractId, Element, FdForm, FdGroup, Message, MessageField, Moment, Role, Scalar};
use crate::names::c as names;

pub(crate) use groups::fd_count;
use groups::{Groups, groups};
pub(super) use messages::{MessagesView, messages};
use tail::TailView;
pub(crate) use tail::tail_count;

/// Fills `templates/c/message.h.jinja`.
#[derive(Serialize)]
pub(super) struct MessageView {
    #[serde(flatten)]
    common: Common,
    members: Vec<MemberView>,
    max_bytes: u64,
    /// The bound, as an error words it.
    bound: String,
    parts: Vec<PartView>,
    /// Whether the only part is a document.
    is_document: bool,
    /// The bytes of all parts as errors word them, where they are always the same.
    whole: Option<String>,
    tail: Option<TailView>,
    #[serde(flatten)]
    groups: Groups,
    rules: Checked,
    import: Checked,
}

#[derive(Serialize)]
struct MemberView {
    docs: Vec<String>,
    declaration: String,
}

/// A contract that another one holds.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each decides about another function")]
struct PartView {
    member: String,
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    /// The constant that is its size; empty of a document.
    size: String,
    /// How many of the bytes that were read are its own; an expression over `value`.
    read_size: String,
    checked: bool,
    refusable: bool,
    settled: bool,
    whole: bool,
    imports: bool,
}

/// Statements of a function that looks at a value.
#[derive(Serialize)]
pub(super) struct Checked {
    lines: Vec<String>,
    uses_value: bool,
}

impl From<Lines> for Checked {
    fn from(lines: Lines) -> Self {
        Checked { uses_value: lines.mention("value"), lines: lines.into_text() }
    }
}

/// Whose statements they are.
struct Writer<'a> {
    input: &'a EmitInput<'a>,
    traits: &'a [Traits],
    id: ContractId,
}

impl<'a> Writer<'a> {
    fn message(&self) -> &'a Message {
        self.input.catalog.get(self.id).message()
    }

    fn name(&self) -> &'a str {
        &self.input.catalog.get(self.id).name
    }

    fn subject(&self, at: Moment) -> Subject<'a> {
        Subject { input: self.input, traits: self.traits, id: self.id, form: Form::Value, at }
    }

    fn rules(&self, at: Moment) -> Checked {
        let mut lines = Lines::default();
        self.subject(at).rules("0", &mut lines);
        lines.into()
    }

    fn part(&self, member: String, id: ContractId) -> PartView {
        let contract = self.input.catalog.get(id);
        let package = &self.input.family_of(id).package;
        let (stem, traits) = (names::stem(package, contract), self.traits[id.0]);
        let is_descriptor = matches!(contract.body, Body::Descriptor(_));
        let size = if is_descriptor {
            format!("{}_SIZE", names::constant_stem(package, contract))
        } else {
            String::new()
        };
        let version = match &contract.body {
            Body::Descriptor(descriptor) if descriptor.growth.is_some() => {
                descriptor.fields.iter().find(|field| matches!(field.role, Role::Version(_)))
            }
            _ => None,
        };
        let read_size = version.map_or_else(
            || size.clone(),
            |field| {
                let place = format!("value.{member}.{}", names::member(field));
                let is_wide = field.ty.element == Element::Scalar(Scalar::U64);
                let place = if is_wide { format!("WC_DETAIL_CAST(uint32_t, {place})") } else { place };
                format!("{stem}_size_of({place})")
            },
        );
        PartView {
            type_name: names::type_name(package, contract),
            checked: traits.checked,
            refusable: traits.refusable,
            settled: traits.settled,
            whole: traits.whole,
            imports: traits.imports,
            member,
            stem,
            size,
            read_size,
        }
    }
}

pub(super) fn message(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> MessageView {
    let contract = input.catalog.get(id);
    let writer = Writer { input, traits, id };
    let message = writer.message();
    let max_bytes = input.catalog.most_bytes(id);
    let part = |index: usize| {
        let part = &message.parts[index];
        writer.part(names::message_member(MessageField::Part(part)), part.contract)
    };
    let bodies = || message.parts.iter().map(|part| &input.catalog.get(part.contract).body);
    let is_document = input.catalog.document_of(id).is_some();
    let grows = bodies().any(|body| matches!(body, Body::Descriptor(it) if it.growth.is_some()));
    MessageView {
        common: common(package, contract, None),
        members: message.fields().flat_map(|field| members(&writer, field)).collect(),
        max_bytes,
        bound: format!("at most {}", counted::bytes(max_bytes)),
        parts: (0..message.parts.len()).map(part).collect(),
        is_document,
        whole: (!is_document && !grows).then(|| counted::bytes(max_bytes)),
        tail: message.tail.as_ref().map(|tail| writer.tail(tail)),
        groups: groups(&writer),
        rules: writer.rules(Moment::Read),
        import: writer.rules(Moment::Import),
    }
}

fn members(writer: &Writer<'_>, field: MessageField<'_>) -> Vec<MemberView> {
    let member = names::message_member(field);
    match field {
        MessageField::Part(part) => {
            let of = writer.part(member.clone(), part.contract);
            let docs = comment_of(&part.member, Vec::new());
            vec![MemberView { docs, declaration: format!("{} {member}", of.type_name) }]
        }
        MessageField::Tail(tail) => tail::members(writer, tail),
        MessageField::Fds(group) => groups::members(group),
    }
}

/// Whether a group's file descriptor is a member of its own, -1 where there is none.
fn is_single(group: &FdGroup) -> bool {
    !matches!(group.form, FdForm::Many { .. })
}
