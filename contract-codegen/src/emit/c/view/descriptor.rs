//! Descriptors as C structs.

use serde::Serialize;

use super::{Common, common};
use crate::counted;
use crate::emit::c::default;
use crate::emit::c::growth::{self, GrowthView};
use crate::emit::c::literal::{comment_with, remarks, scalar_type, string};
use crate::emit::c::steps::Steps;
use crate::emit::{EmitInput, PackageConfig};
use crate::model::{Contract, Descriptor, Element, Field, Role};
use crate::names::c as names;

#[derive(Serialize)]
pub(super) struct DescriptorView {
    #[serde(flatten)]
    common: Common,
    size: u32,
    mirrored: bool,
    fields: Vec<FieldView>,
    #[serde(flatten)]
    steps: Steps,
    growth: Option<GrowthView>,
}

#[derive(Serialize)]
struct FieldView {
    name: String,
    docs: Vec<String>,
    declaration: String,
    member: String,
    constant: String,
    offset: u32,
    /// Bytes of the member; none where the struct holds a decoded form, which has no size of its own.
    member_size: Option<u32>,
    /// The constant of where the next field, or what follows the descriptor, begins.
    next: String,
    /// The name of the next field.
    next_name: Option<String>,
    /// Bytes from here to there.
    distance: u32,
    /// Bytes of one element of the outermost dimension.
    row: u32,
    /// Elements of the outermost dimension, where a field counts the valid ones.
    capacity: Option<u32>,
}

pub(super) fn descriptor(
    input: &EmitInput<'_>,
    package: &PackageConfig,
    contract: &Contract,
    descriptor: &Descriptor,
    steps: Steps,
    growth: Option<GrowthView>,
) -> DescriptorView {
    let mirrored = input.catalog.is_mirrored(descriptor);
    let mut facts = format!("{} on the wire", counted::bytes(descriptor.size));
    facts.push_str(if mirrored {
        ", laid out as this struct is."
    } else {
        "; this struct is their decoded form."
    });
    if input.catalog.is_native_ordered(descriptor) {
        facts.push_str(" Some are in the order of the host: for one machine only.");
    }
    let versions = descriptor.growth.as_ref().map(growth::facts);
    let common = common(package, contract, [facts].into_iter().chain(versions));
    let fields = descriptor
        .fields
        .iter()
        .enumerate()
        .map(|(index, field)| field_view(input, &common.constants, descriptor, index, field));
    DescriptorView { size: descriptor.size, mirrored, fields: fields.collect(), steps, growth, common }
}

fn field_view(
    input: &EmitInput<'_>,
    constants: &str,
    descriptor: &Descriptor,
    index: usize,
    field: &Field,
) -> FieldView {
    let has_size = match field.ty.element {
        Element::Descriptor(nested) => input.catalog.is_mirrored(input.catalog.get(nested).descriptor()),
        Element::Scalar(_) | Element::Enumeration { .. } | Element::Flags { .. } => true,
    };
    let size = input.catalog.field_size(field);
    let next = descriptor.fields.get(index + 1);
    FieldView {
        name: field.name.clone(),
        docs: field_docs(input, descriptor, index),
        declaration: declaration(input, field),
        member: names::member(field),
        constant: names::field_constant(field),
        offset: field.offset,
        member_size: has_size.then_some(size),
        next: match next {
            Some(next) => format!("{constants}_{}_OFFSET", names::field_constant(next)),
            None => format!("{constants}_SIZE"),
        },
        next_name: next.map(|next| next.name.clone()),
        distance: next.map_or(descriptor.size, |next| next.offset) - field.offset,
        row: field.ty.dims.first().map_or(size, |&outermost| size / outermost),
        capacity: descriptor.count_of(index).map(|_| field.ty.dims[0]),
    }
}

/// The field's documentation, and what a caller has to know of its role.
fn field_docs(input: &EmitInput<'_>, descriptor: &Descriptor, index: usize) -> Vec<String> {
    let field = &descriptor.fields[index];
    let member = |index: usize| names::member(&descriptor.fields[index]);
    let role = match &field.role {
        Role::LengthOf(targets) => {
            let targets: Vec<String> =
                targets.iter().map(|&target| format!("`{}`", member(target))).collect();
            Some(format!("Counts the valid elements of {}.", targets.join(" and ")))
        }
        Role::Magic(bytes) => Some(format!("Always {}.", string(bytes))),
        Role::Version(1) => Some("Version 1 is read and written.".to_owned()),
        Role::Version(version) => Some(format!("Versions 1 to {version} are read, {version} is written.")),
        Role::Reserved { zero: false } => Some("Reserved: not looked at, written as zero.".to_owned()),
        Role::Reserved { zero: true } => Some("Reserved: zero.".to_owned()),
        Role::Text => Some("UTF-8, ended and padded by NUL.".to_owned()),
        Role::Value => descriptor.count_of(index).map(|count| {
            format!("Its first `{}` elements are valid; the others are written as zero.", member(count))
        }),
    };
    let mut lines: Vec<String> = role.into_iter().chain(default::remark(input, descriptor, field)).collect();
    lines.extend(remarks(None, field.deprecated.as_deref()));
    comment_with(&field.docs, &lines)
}

fn declaration(input: &EmitInput<'_>, field: &Field) -> String {
    let ty = match field.role {
        Role::Text => "char".to_owned(),
        _ => element_type(input, field.ty.element),
    };
    let dims = field.ty.dims.iter().map(|dim| format!("[{dim}]")).collect::<Vec<_>>().concat();
    format!("{ty} {}{dims}", names::member(field))
}

/// The C type of an element.
pub(in crate::emit::c) fn element_type(input: &EmitInput<'_>, element: Element) -> String {
    match element {
        Element::Scalar(scalar) => scalar_type(scalar).to_owned(),
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => {
            names::type_name(&input.family_of(contract).package, input.catalog.get(contract))
        }
    }
}
