//! What the templates of a family's header are filled with.

use serde::Serialize;

use super::abi::{self, AbiView};
use super::default;
use super::export::{self, ExportsView};
use super::foreign::{self, ForeignView, declared_here};
use super::growth::{self, GrowthView};
use super::includes::included_families;
use super::literal::{self, bits, comment_with, fits_int, integer, remarks, scalar_type, string};
use super::message::{self, MessageView, MessagesView};
use super::recipe::{self, RecipeView, UnionView};
use super::steps::{self, Steps};
use super::traits::Traits;
use crate::counted;
use crate::emit::documents::has_documents;
use crate::emit::{EmitInput, Family, PackageConfig};
use crate::model::{
    Body, Contract, ContractId, DataType, DataValue, Descriptor, Element, EnumValue, Enumeration, Field,
    Flags, Role, Scalar,
};
use crate::names::c as names;

/// A header.
#[derive(Serialize)]
pub(super) struct Header {
    guard: String,
    core_version: u32,
    includes: Vec<String>,
    /// Structs that are declared before any is defined, each with what has to hold for that.
    forward: Vec<Forward>,
    foreign: Option<ForeignView>,
    contracts: Vec<ContractView>,
    exports: Option<ExportsView>,
    /// What the package's library reads and writes.
    documents: Option<DocumentsView>,
}

#[derive(Serialize)]
struct DocumentsView {
    prefix: String,
    family: String,
    package: String,
    api: String,
    is_static: String,
    contracts: Vec<DocumentView>,
}

#[derive(Serialize)]
struct DocumentView {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    /// The constant that is its wire id.
    wire_id: String,
}

#[derive(Serialize)]
struct Forward {
    #[serde(rename = "type")]
    type_name: String,
    unless: Option<String>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ContractView {
    Descriptor(Box<DescriptorView>),
    Enumeration(EnumerationView),
    Flags(FlagsView),
    Recipe(Box<RecipeView>),
    Union(Box<UnionView>),
    Message(Box<MessageView>),
    Messages(Box<MessagesView>),
    Abi(AbiView),
}

/// What every kind has.
#[derive(Serialize)]
pub(super) struct Common {
    name: String,
    docs: Vec<String>,
    #[serde(rename = "type")]
    type_name: String,
    stem: String,
    constants: String,
    wire_id: String,
    version: u32,
    /// How a hello calls it, as a literal.
    path: String,
    /// The versions that are spoken, the oldest first, each with its wire id.
    versions: Vec<(u32, String)>,
    /// What has to hold for the preprocessor, so that it is declared here and not by somebody else's header.
    unless: Option<String>,
}

#[derive(Serialize)]
struct DescriptorView {
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

#[derive(Serialize)]
struct EnumerationView {
    #[serde(flatten)]
    common: Common,
    repr: &'static str,
    /// What a switch looks at: the number, whatever the type of somebody else's constants.
    subject: String,
    values: Vec<ValueView>,
    as_macros: bool,
    known: Known,
    data: Vec<DataView>,
}

/// How `is_known` tells: by a few ranges, by a switch, or without looking.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Known {
    Always,
    Ranges(String),
    Switch,
}

#[derive(Serialize)]
struct ValueView {
    docs: Vec<String>,
    constant: String,
    literal: String,
    name: String,
    aliases: Vec<String>,
    /// What holds for the preprocessor where somebody else's header has the type and not yet this value of it.
    missing: Option<String>,
}

#[derive(Serialize)]
struct DataView {
    name: String,
    result: &'static str,
    absent: &'static str,
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
    let path = names::header(family);
    let contracts =
        family.contracts.iter().filter_map(|&id| contract(input, traits, &family.package, id)).collect();
    let is_abi = |&&id: &&ContractId| matches!(input.catalog.get(id).body, Body::Abi(_));
    let forward = |&id: &ContractId| {
        let contract = input.catalog.get(id);
        Forward {
            type_name: names::type_name(&family.package, contract),
            unless: declared_here(&family.package, contract),
        }
    };
    let exports = export::exports(input, family);
    let library = exports.as_ref().map(|exports| exports.library.clone());
    Header {
        guard: names::guard(&path),
        core_version: super::CORE_VERSION,
        includes: library.into_iter().chain(included_families(input, family).map(names::header)).collect(),
        exports,
        forward: family.contracts.iter().filter(is_abi).map(forward).collect(),
        foreign: foreign::view(family),
        contracts,
        documents: (family.package.documents && has_documents(input, family))
            .then(|| documents(input, family)),
    }
}

fn documents(input: &EmitInput<'_>, family: &Family) -> DocumentsView {
    let package = &family.package;
    let contracts = family.contracts.iter().map(|&id| input.catalog.get(id));
    let contracts = contracts.filter(|contract| contract.is_document()).map(|contract| DocumentView {
        name: contract.name.clone(),
        type_name: names::type_name(package, contract),
        stem: names::stem(package, contract),
        wire_id: format!("{}_WIRE_ID", names::constant_stem(package, contract)),
    });
    DocumentsView {
        prefix: package.c_prefix.clone(),
        family: family.name.clone(),
        package: package.package.clone(),
        api: names::api_macro(package),
        is_static: names::static_macro(package),
        contracts: contracts.collect(),
    }
}

fn contract(
    input: &EmitInput<'_>,
    traits: &[Traits],
    package: &PackageConfig,
    id: ContractId,
) -> Option<ContractView> {
    let contract = input.catalog.get(id);
    Some(match &contract.body {
        Body::Descriptor(body) => {
            let steps = steps::steps(input, traits, id);
            let growth = growth::growth(input, traits, package, id);
            ContractView::Descriptor(Box::new(descriptor(input, package, contract, body, steps, growth)))
        }
        Body::Enumeration(body) => ContractView::Enumeration(enumeration(package, contract, body)),
        Body::Flags(body) => ContractView::Flags(flags(package, contract, body)),
        Body::Recipe(_) => ContractView::Recipe(Box::new(recipe::recipe(input, traits, package, id))),
        Body::Union(_) => ContractView::Union(Box::new(recipe::union(input, traits, package, id))),
        Body::Abi(_) => ContractView::Abi(abi::abi(input, package, id)),
        Body::Message(_) => ContractView::Message(Box::new(message::message(input, traits, package, id))),
        Body::Messages(_) => ContractView::Messages(Box::new(message::messages(input, traits, package, id))),
        Body::Handle(_) | Body::Function(_) | Body::Symbols(_) => return None,
    })
}

pub(super) fn common(
    package: &PackageConfig,
    contract: &Contract,
    facts: impl IntoIterator<Item = String>,
) -> Common {
    let mut all: Vec<String> = facts.into_iter().collect();
    all.extend(remarks(contract.since, contract.deprecated.as_deref()));
    Common {
        name: contract.name.clone(),
        docs: comment_with(&contract.docs, &all),
        type_name: names::type_name(package, contract),
        stem: names::stem(package, contract),
        constants: names::constant_stem(package, contract),
        wire_id: wire_id_literal(contract.wire_id),
        version: contract.version.unwrap_or(1),
        path: string(contract.path().as_bytes()),
        versions: contract.spoken().map(|(version, wire_id)| (version, wire_id_literal(wire_id))).collect(),
        unless: declared_here(package, contract),
    }
}

/// A wire id as a constant.
pub(crate) fn wire_id_literal(wire_id: u64) -> String {
    format!("UINT64_C(0x{wire_id:016x})")
}

fn descriptor(
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
pub(super) fn element_type(input: &EmitInput<'_>, element: Element) -> String {
    match element {
        Element::Scalar(scalar) => scalar_type(scalar).to_owned(),
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => {
            names::type_name(&input.family_of(contract).package, input.catalog.get(contract))
        }
    }
}

fn value(package: &PackageConfig, contract: &Contract, value: &EnumValue, literal: String) -> ValueView {
    ValueView {
        docs: comment_with(&value.docs, &remarks(value.since, value.deprecated.as_deref())),
        constant: names::value_constant(package, contract, value),
        literal,
        name: string(value.wire_name.as_bytes()),
        aliases: names::alias_constants(package, contract, value),
        missing: foreign::missing(package, contract, value),
    }
}

fn enumeration(package: &PackageConfig, contract: &Contract, body: &Enumeration) -> EnumerationView {
    let as_macros = !body.values.iter().all(|value| fits_int(value.value));
    let values = body.values.iter().map(|entry| {
        let literal =
            if as_macros { integer(entry.value, body.repr.is_signed()) } else { integer(entry.value, true) };
        value(package, contract, entry, literal)
    });
    let data = body.data.iter().enumerate().map(|(index, key)| DataView {
        name: key.name.clone(),
        result: match key.ty {
            DataType::I64 => "int64_t ",
            DataType::U64 => "uint64_t ",
            DataType::Bool => "bool ",
            DataType::Text => "const char *",
        },
        absent: match key.ty {
            DataType::I64 | DataType::U64 => "0",
            DataType::Bool => "false",
            DataType::Text => "NULL",
        },
        cases: body
            .values
            .iter()
            .map(|entry| {
                (names::value_constant(package, contract, entry), data_literal(key.ty, &entry.data[index]))
            })
            .collect(),
    });
    let is_foreign = package.foreign.contains_key(contract.family());
    EnumerationView {
        common: common(package, contract, None),
        repr: scalar_type(body.repr),
        subject: if is_foreign { format!("({})value", scalar_type(body.repr)) } else { "value".to_owned() },
        values: values.collect(),
        as_macros,
        known: known(body),
        data: data.collect(),
    }
}

pub(crate) fn data_literal(ty: DataType, value: &DataValue) -> String {
    match value {
        DataValue::Integer(value) => integer(*value, ty == DataType::I64),
        DataValue::Bool(value) => value.to_string(),
        DataValue::Text(text) => string(text.as_bytes()),
    }
}

/// The numbers that have a name, as ascending ranges.
pub(super) fn known_runs(body: &Enumeration) -> Vec<(i128, i128)> {
    let mut numbers: Vec<i128> = body.values.iter().map(|value| value.value).collect();
    numbers.sort_unstable();
    let mut runs: Vec<(i128, i128)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

fn known(body: &Enumeration) -> Known {
    let runs = known_runs(body);
    if runs.len() > 4 {
        return Known::Switch;
    }
    let (least, greatest) = bounds(body.repr);
    if runs == [(least, greatest)] {
        return Known::Always;
    }
    let literal = |number| integer(number, body.repr.is_signed());
    let several = runs.len() > 1;
    let conditions: Vec<String> = runs
        .into_iter()
        .map(|(first, last)| match (first == least, last == greatest) {
            _ if first == last => format!("value == {}", literal(first)),
            (true, _) => format!("value <= {}", literal(last)),
            (_, true) => format!("value >= {}", literal(first)),
            _ if several => format!("(value >= {} && value <= {})", literal(first), literal(last)),
            _ => format!("value >= {} && value <= {}", literal(first), literal(last)),
        })
        .collect();
    Known::Ranges(conditions.join(" || "))
}

/// The least and the greatest number of an integer type.
pub(crate) fn bounds(scalar: Scalar) -> (i128, i128) {
    let width = scalar.size() * 8;
    if scalar.is_signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn flags(package: &PackageConfig, contract: &Contract, body: &Flags) -> FlagsView {
    let values = body.values.iter().map(|entry| {
        value(package, contract, entry, bits(u64::try_from(entry.value).unwrap_or_default(), body.repr))
    });
    let facts = if body.open { "Bits without a name are kept." } else { "Bits without a name are refused." };
    FlagsView {
        common: common(package, contract, Some(facts.to_owned())),
        repr: literal::scalar_type(body.repr),
        values: values.collect(),
        known_bits: bits(body.known_bits(), body.repr),
    }
}
