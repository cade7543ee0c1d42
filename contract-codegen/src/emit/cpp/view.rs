//! What the templates of a family's C++ header are filled with.

use serde::Serialize;

use super::export::{self, ExportsView};
use super::message::{self, MessageView, MessagesView};
use super::recipe::{self, RecipeView, UnionView};
use crate::emit::c::default;
use crate::emit::c::growth;
use crate::emit::c::includes::included_families;
use crate::emit::c::literal::{bits, comment_with, integer, remarks, scalar_type, string};
use crate::emit::c::traits::Traits;
use crate::emit::c::view::{bounds, data_literal, wire_id_literal};
use crate::emit::{EmitInput, Family};
use crate::model::{
    Body, ContractId, DataType, Descriptor, Element, EnumValue, Enumeration, Field, Flags, Role,
};
use crate::names::{c, cpp};

/// A header.
#[derive(Serialize)]
pub(super) struct Header {
    guard: String,
    namespace: String,
    c_path: String,
    includes: Vec<String>,
    contracts: Vec<ContractView>,
    exports: Option<ExportsView>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ContractView {
    Descriptor(DescriptorView),
    Enumeration(EnumerationView),
    Flags(FlagsView),
    Recipe(RecipeView),
    Union(UnionView),
    Message(MessageView),
    Messages(MessagesView),
    Abi(AbiView),
}

/// A struct that is shared in memory: C's own.
#[derive(Serialize)]
struct AbiView {
    #[serde(flatten)]
    common: Common,
}

/// What every kind has.
#[derive(Serialize)]
pub(super) struct Common {
    name: String,
    docs: Vec<String>,
    c_type: String,
    c_stem: String,
    constants: String,
    wire_id: String,
    /// How a hello calls it, as a literal.
    path: String,
    /// The versions that are spoken, the oldest first, each with its wire id.
    versions: Vec<(u32, String)>,
    /// What the functions of the package's library begin with, where it has one.
    prefix: Option<String>,
}

#[derive(Serialize)]
struct DescriptorView {
    #[serde(flatten)]
    common: Common,
    /// What a value holds; magic and reserved fields are not among them.
    fields: Vec<FieldView>,
    /// What replaces counted arrays.
    setters: Vec<SetterView>,
    growth: Option<GrowthView>,
}

/// How a descriptor has grown.
#[derive(Serialize)]
struct GrowthView {
    newest: u32,
    /// The member that says the version; none where the length does.
    version: Option<String>,
    /// The parameters of what writes another version.
    parameters: Vec<String>,
}

#[derive(Serialize)]
struct FieldView {
    /// The C member.
    c_member: String,
    docs: Vec<String>,
    #[serde(rename = "type")]
    ty: String,
    /// The data member.
    member: String,
    default: String,
    /// Whether the accessor gives a text, the valid elements, or nothing is between.
    #[serde(flatten)]
    access: Access,
}

#[derive(Serialize)]
#[serde(tag = "access", rename_all = "snake_case")]
enum Access {
    Plain,
    Text { accessor: String, setter: String, parameter: String, size: u32 },
    Counted { accessor: String, element: String, count: String },
}

/// Sets a count and every array that it counts: one of them alone would leave the others with a wrong count.
#[derive(Serialize)]
struct SetterView {
    name: String,
    count: String,
    /// The most elements that every array, and the count, can take.
    limit: String,
    arrays: Vec<ArrayView>,
}

#[derive(Serialize)]
struct ArrayView {
    member: String,
    element: String,
    parameter: String,
}

#[derive(Serialize)]
struct EnumerationView {
    #[serde(flatten)]
    common: Common,
    repr: &'static str,
    values: Vec<ValueView>,
    data: Vec<DataView>,
}

#[derive(Serialize)]
struct ValueView {
    docs: Vec<String>,
    name: String,
    literal: String,
    text: String,
    aliases: Vec<String>,
}

#[derive(Serialize)]
struct DataView {
    name: String,
    result: &'static str,
    cases: Vec<(String, String)>,
}

#[derive(Serialize)]
struct FlagsView {
    #[serde(flatten)]
    common: Common,
    repr: &'static str,
    values: Vec<ValueView>,
    known_bits: String,
}

/// Fills a family's header.
pub(super) fn header(input: &EmitInput<'_>, traits: &[Traits], family: &Family) -> Header {
    Header {
        guard: c::guard(&cpp::header(family)),
        namespace: cpp::namespace(family),
        c_path: c::header(family),
        includes: included_families(input, family).map(cpp::header).collect(),
        contracts: family.contracts.iter().filter_map(|&id| contract(input, traits, family, id)).collect(),
        exports: export::exports(input, family),
    }
}

fn contract(
    input: &EmitInput<'_>,
    traits: &[Traits],
    family: &Family,
    id: ContractId,
) -> Option<ContractView> {
    let contract = input.catalog.get(id);
    let versions = match &contract.body {
        Body::Descriptor(body) => body.growth.as_ref().map(growth::facts),
        _ => None,
    };
    let mut facts: Vec<String> = versions.into_iter().collect();
    facts.extend(remarks(contract.since, contract.deprecated.as_deref()));
    let common = Common {
        name: cpp::type_name(contract),
        docs: comment_with(&contract.docs, &facts),
        c_type: c::type_name(&family.package, contract),
        c_stem: c::stem(&family.package, contract),
        constants: c::constant_stem(&family.package, contract),
        wire_id: wire_id_literal(contract.wire_id),
        path: string(contract.path().as_bytes()),
        versions: contract.spoken().map(|(version, wire_id)| (version, wire_id_literal(wire_id))).collect(),
        prefix: family.package.documents.then(|| family.package.c_prefix.clone()),
    };
    Some(match &contract.body {
        Body::Descriptor(body) => ContractView::Descriptor(descriptor(input, family, common, body)),
        Body::Enumeration(body) => ContractView::Enumeration(enumeration(common, body)),
        Body::Flags(body) => ContractView::Flags(flags(common, body)),
        Body::Recipe(_) => ContractView::Recipe(recipe::recipe(input, family, id, common)),
        Body::Union(_) => ContractView::Union(recipe::union(input, family, id, common)),
        Body::Abi(_) => ContractView::Abi(AbiView { common }),
        Body::Message(_) => ContractView::Message(message::message(input, traits, family, id, common)),
        Body::Messages(_) => ContractView::Messages(message::messages(input, family, id, common)),
        Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => return None,
    })
}

fn descriptor(
    input: &EmitInput<'_>,
    family: &Family,
    common: Common,
    descriptor: &Descriptor,
) -> DescriptorView {
    let fields = descriptor
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !matches!(field.role, Role::Magic(_) | Role::Reserved { .. }))
        .map(|(index, field)| field_view(input, family, descriptor, index, field));
    let setters =
        descriptor.fields.iter().filter_map(|field| setter_view(input, family, descriptor, field)).collect();
    let growth = descriptor.growth.as_ref().map(|growth| GrowthView {
        newest: growth.newest(),
        version: descriptor.version_field().map(cpp::member),
        parameters: cpp::parameters(descriptor, &["version".to_owned(), "bytes".to_owned()]),
    });
    DescriptorView { common, fields: fields.collect(), setters, growth }
}

/// The setter of what a field counts, if it counts.
fn setter_view(
    input: &EmitInput<'_>,
    family: &Family,
    descriptor: &Descriptor,
    count: &Field,
) -> Option<SetterView> {
    let Role::LengthOf(targets) = &count.role else { return None };
    let fields: Vec<&Field> = targets.iter().map(|&target| &descriptor.fields[target]).collect();
    let wanted: Vec<String> = match fields.as_slice() {
        [_] => vec!["elements".to_owned()],
        several => several.iter().map(|&field| cpp::member(field)).collect(),
    };
    let smallest = fields.iter().map(|field| i128::from(field.ty.dims[0])).min()?;
    let Element::Scalar(repr) = count.ty.element else { return None };
    let arrays =
        fields.iter().zip(cpp::parameters(descriptor, &wanted)).map(|(&field, parameter)| ArrayView {
            member: cpp::array(field),
            element: nest(element_type(input, family, field.ty.element), &field.ty.dims[1..]),
            parameter,
        });
    Some(SetterView {
        name: cpp::setter(if let [only] = fields[..] { only } else { count }),
        count: cpp::member(count),
        limit: smallest.min(bounds(repr).1).to_string(),
        arrays: arrays.collect(),
    })
}

/// An element in arrays of arrays.
fn nest(element: String, dims: &[u32]) -> String {
    dims.iter().rev().fold(element, |inner, dim| format!("std::array<{inner}, {dim}>"))
}

fn field_view(
    input: &EmitInput<'_>,
    family: &Family,
    descriptor: &Descriptor,
    index: usize,
    field: &Field,
) -> FieldView {
    let element = match field.role {
        Role::Text => "char".to_owned(),
        _ => element_type(input, family, field.ty.element),
    };
    let access = match (&field.role, descriptor.count_of(index)) {
        (Role::Text, _) => Access::Text {
            accessor: cpp::member(field),
            setter: cpp::setter(field),
            parameter: cpp::parameters(descriptor, &["text".to_owned()]).concat(),
            size: field.ty.dims[0],
        },
        (_, Some(count)) => Access::Counted {
            accessor: cpp::member(field),
            element: nest(element.clone(), &field.ty.dims[1..]),
            count: cpp::member(&descriptor.fields[count]),
        },
        _ => Access::Plain,
    };
    FieldView {
        c_member: c::member(field),
        docs: field_docs(input, descriptor, field),
        ty: nest(element, &field.ty.dims),
        member: if matches!(access, Access::Plain) { cpp::member(field) } else { cpp::array(field) },
        default: match field.role {
            Role::Version(version) => integer(i128::from(version), false),
            _ => default::default(input, descriptor, field)
                .map(|default| default.cpp(&|id| name_of(input, family, id)))
                .unwrap_or_default(),
        },
        access,
    }
}

fn field_docs(input: &EmitInput<'_>, descriptor: &Descriptor, field: &Field) -> Vec<String> {
    let role = match &field.role {
        Role::LengthOf(targets) => {
            let targets: Vec<String> = targets
                .iter()
                .map(|&target| format!("`{}`", cpp::member(&descriptor.fields[target])))
                .collect();
            Some(format!("Counts the valid elements of {}.", targets.join(" and ")))
        }
        Role::Version(version) => Some(format!("As read; {version} is written.")),
        _ => None,
    };
    let mut lines: Vec<String> = role.into_iter().chain(default::remark(input, descriptor, field)).collect();
    lines.extend(remarks(None, field.deprecated.as_deref()));
    comment_with(&field.docs, &lines)
}

/// The C++ type of an element, qualified where it is of another family.
fn element_type(input: &EmitInput<'_>, family: &Family, element: Element) -> String {
    let (id, is_flags) = match element {
        Element::Scalar(scalar) => return std_type(scalar_type(scalar)),
        Element::Flags { contract } => (contract, true),
        Element::Enumeration { contract, .. } | Element::Descriptor(contract) => (contract, false),
    };
    let name = name_of(input, family, id);
    if is_flags { format!("::wirecontract::flags<{name}>") } else { name }
}

/// The C++ name of a contract, qualified where it is of another family.
pub(super) fn name_of(input: &EmitInput<'_>, family: &Family, id: ContractId) -> String {
    within(input, family, id, &cpp::type_name(input.catalog.get(id)))
}

/// A name beside that of a contract, from the namespace of a family.
pub(super) fn within(input: &EmitInput<'_>, family: &Family, id: ContractId, name: &str) -> String {
    let other = input.family_of(id);
    if cpp::namespace(other) == cpp::namespace(family) {
        name.to_owned()
    } else {
        format!("::{}::{name}", cpp::namespace(other))
    }
}

pub(super) fn std_type(name: &str) -> String {
    if name.ends_with("_t") { format!("std::{name}") } else { name.to_owned() }
}

fn value(value: &EnumValue, literal: String) -> ValueView {
    ValueView {
        docs: comment_with(&value.docs, &remarks(value.since, value.deprecated.as_deref())),
        name: cpp::enumerator(value),
        literal,
        text: string(value.wire_name.as_bytes()),
        aliases: cpp::alias_enumerators(value),
    }
}

fn enumeration(common: Common, body: &Enumeration) -> EnumerationView {
    let values = body.values.iter().map(|entry| value(entry, integer(entry.value, body.repr.is_signed())));
    let data = body.data.iter().enumerate().map(|(index, key)| DataView {
        name: cpp::data_function(key),
        result: match key.ty {
            DataType::I64 => "std::int64_t",
            DataType::U64 => "std::uint64_t",
            DataType::Bool => "bool",
            DataType::Text => "std::string_view",
        },
        cases: body
            .values
            .iter()
            .map(|entry| (cpp::enumerator(entry), data_literal(key.ty, &entry.data[index])))
            .collect(),
    });
    EnumerationView { repr: scalar_type(body.repr), values: values.collect(), data: data.collect(), common }
}

fn flags(common: Common, body: &Flags) -> FlagsView {
    let literal = |entry: &EnumValue| bits(u64::try_from(entry.value).unwrap_or_default(), body.repr);
    FlagsView {
        repr: scalar_type(body.repr),
        values: body.values.iter().map(|entry| value(entry, literal(entry))).collect(),
        known_bits: bits(body.known_bits(), body.repr),
        common,
    }
}
