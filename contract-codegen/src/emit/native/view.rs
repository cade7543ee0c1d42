//! What the templates of a family's classes are filled with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;

use super::document::{self, RecipeView, UnionView};
use super::message::{self, MessageView, MessagesView};
use super::names::{self, Names};
use super::{TARGET, classes, package};
use crate::counted;
use crate::emit::methods::{self, Method, MethodView};
use crate::emit::python::defaults;
use crate::emit::python::shapes::readable;
use crate::emit::{EmitError, EmitInput, Family};
use crate::model::{
    Body, Contract, ContractId, Descriptor, Element, Endian, Field, JsonType, Role, Scalar, Type,
};
use crate::names::python;

/// A module.
#[derive(Default, Serialize)]
pub(super) struct FamilyView {
    values: Vec<ValuesView>,
    descriptors: Vec<DescriptorView>,
    recipes: Vec<RecipeView>,
    unions: Vec<UnionView>,
    messages: Vec<MessageView>,
    choices: Vec<MessagesView>,
}

/// What the class of every contract has.
#[derive(Serialize)]
pub(super) struct ClassView {
    /// The struct, and the declared type.
    rust: String,
    path: String,
    source_id: String,
    /// In Python; `module` is the pure one.
    package: String,
    contract: String,
    class: String,
    module: String,
    docs: Vec<String>,
}

impl ClassView {
    pub(super) fn of(input: &EmitInput<'_>, id: ContractId, docs: Vec<String>) -> ClassView {
        let contract = input.catalog.get(id);
        ClassView {
            rust: names::class(input, id),
            path: names::path(contract),
            source_id: format!("{:#018x}", contract.source_id),
            package: package(&input.family_of(id).package.python_package).to_owned(),
            contract: contract.name.clone(),
            class: python::class(&contract.name),
            module: module(input, id),
            docs,
        }
    }
}

/// The pure module of a contract.
fn module(input: &EmitInput<'_>, id: ContractId) -> String {
    let family = input.family_of(id);
    format!("{}.{}", family.package.python_package, python::module(&family.name))
}

/// The members of an enumeration or of flags.
#[derive(Serialize)]
struct ValuesView {
    name: String,
    module: String,
    class: String,
    scalar: String,
    known: Option<String>,
}

#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked by a template")]
struct DescriptorView {
    #[serde(flatten)]
    named: ClassView,
    /// The static with the layout.
    layout: String,
    size: u32,
    is_growing: bool,
    has_prefix: bool,
    has_version: bool,
    /// None where they are too many.
    gaps: Option<Vec<GapView>>,
    is_versioned: bool,
    has_floats: bool,
    fields: Vec<FieldView>,
    signature: String,
    text_signature: String,
    methods: Vec<MethodView>,
}

/// Bytes that say nothing.
#[derive(Serialize)]
struct GapView {
    start: u32,
    end: u32,
    counted: String,
}

#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is asked by a template")]
struct FieldView {
    index: usize,
    name: String,
    attribute: String,
    /// The parameter of the constructor.
    parameter: String,
    docs: Vec<String>,
    offset: u32,
    role: String,
    element: String,
    endian: &'static str,
    dims: String,
    count: Option<usize>,
    may_be_none: bool,
    is_kept: bool,
    is_count: bool,
    /// Of constant bytes.
    magic: Option<String>,
    /// Whether the constructor may go without it.
    is_optional: bool,
    /// What it has then, as the signature says it.
    default: Option<String>,
}

/// Fills a family's module.
///
/// # Errors
/// A class that a contract nests is of no selected family.
pub(super) fn family(
    input: &EmitInput<'_>,
    names: &Names,
    family: &Family,
    by_hand: &BTreeMap<ContractId, Vec<&Method>>,
) -> Result<FamilyView, EmitError> {
    let mut values = BTreeMap::new();
    let mut view = FamilyView::default();
    for id in classes(input, family) {
        let methods = methods::views(by_hand.get(&id).map_or(&[], Vec::as_slice));
        for held in held(input, id) {
            if matches!(input.catalog.get(held).body, Body::Enumeration(_) | Body::Flags(_)) {
                values.insert(held, values_view(input, held));
            } else {
                refuse_unselected(input, id, held)?;
            }
        }
        match &input.catalog.get(id).body {
            Body::Descriptor(_) => view.descriptors.push(descriptor(input, names, id, methods)),
            Body::Recipe(_) => view.recipes.push(document::recipe(input, names, id, methods)),
            Body::Message(_) => view.messages.push(message::message(input, names, id)),
            Body::Messages(_) => view.choices.push(message::messages(input, id)),
            _ => view.unions.push(document::union(input, id, methods)),
        }
    }
    view.values = values.into_values().collect();
    Ok(view)
}

/// The contracts that a contract holds.
fn held(input: &EmitInput<'_>, id: ContractId) -> Vec<ContractId> {
    let descriptor = match &input.catalog.get(id).body {
        Body::Descriptor(descriptor) => descriptor,
        Body::Message(message) => return message.held().collect(),
        Body::Messages(messages) => return messages.held().collect(),
        _ => return document::held(input, id).into_iter().filter_map(JsonType::contract).collect(),
    };
    let held = descriptor.fields.iter().filter_map(|field| match field.ty.element {
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => Some(contract),
        Element::Scalar(_) => None,
    });
    held.collect()
}

/// A nested contract whose class is in none of the files.
fn refuse_unselected(input: &EmitInput<'_>, id: ContractId, nested: ContractId) -> Result<(), EmitError> {
    if input.selected_families().any(|family| family.contracts.contains(&nested)) {
        return Ok(());
    }
    let contract = input.catalog.get(nested);
    Err(EmitError::BadName {
        target: TARGET,
        name: contract.name.clone(),
        contract: input.catalog.get(id).path(),
        reason: format!(
            "its package {} has no classes there: give it the target `{TARGET}` and the same folder",
            contract.package
        ),
    })
}

fn values_view(input: &EmitInput<'_>, id: ContractId) -> ValuesView {
    let contract = input.catalog.get(id);
    let known = match &contract.body {
        Body::Flags(flags) if !flags.open => Some(format!("{:#x}", flags.known_bits())),
        _ => None,
    };
    ValuesView {
        name: names::values(input, id),
        module: module(input, id),
        class: python::class(&contract.name),
        scalar: scalar(contract.repr()),
        known,
    }
}

fn descriptor(
    input: &EmitInput<'_>,
    names: &Names,
    id: ContractId,
    methods: Vec<MethodView>,
) -> DescriptorView {
    let contract = input.catalog.get(id);
    let descriptor = contract.descriptor();
    let fields: Vec<FieldView> =
        (0..descriptor.fields.len()).map(|index| field(input, names, id, index)).collect();
    let kept: Vec<&FieldView> = fields.iter().filter(|field| field.is_kept).collect();
    let list = |item: &dyn Fn(&FieldView) -> String| {
        let items: Vec<String> = kept.iter().map(|field| item(field)).collect();
        if items.is_empty() { String::new() } else { format!("*, {}", items.join(", ")) }
    };
    DescriptorView {
        named: ClassView::of(input, id, class_docs(contract, descriptor)),
        layout: names::layout(input, id),
        size: descriptor.size,
        is_growing: descriptor.growth.is_some(),
        has_prefix: descriptor.growth.is_none() || descriptor.version_field().is_some(),
        has_version: descriptor.version_field().is_some(),
        gaps: gaps(input, id),
        is_versioned: holds(input, id, &|field| matches!(field.role, Role::Version(newest) if newest > 1)),
        has_floats: holds(input, id, &|field| {
            matches!(field.ty.element, Element::Scalar(Scalar::F32 | Scalar::F64))
        }),
        signature: list(&|field| {
            let default = if field.is_optional { " = Argument::Absent" } else { "" };
            format!("{}{default}", field.parameter)
        }),
        text_signature: quoted(&list(&|field| {
            let default = match &descriptor.fields[field.index].role {
                Role::Version(newest) => format!("={newest}"),
                _ => match field.default.as_deref() {
                    Some(default) => format!("={}", readable(default)),
                    None => String::new(),
                },
            };
            format!("{}{default}", field.attribute)
        })),
        fields,
        methods,
    }
}

/// Whether something holds of a field of a descriptor, or of one that is nested in it.
fn holds(input: &EmitInput<'_>, id: ContractId, it: &dyn Fn(&Field) -> bool) -> bool {
    let mut seen = BTreeSet::from([id]);
    let mut next = vec![id];
    while let Some(id) = next.pop() {
        for field in &input.catalog.get(id).descriptor().fields {
            if it(field) {
                return true;
            }
            match field.ty.element {
                Element::Descriptor(nested) if seen.insert(nested) => next.push(nested),
                _ => {}
            }
        }
    }
    false
}

/// How many gaps a table lists.
const MOST_GAPS: usize = 64;

/// The bytes that need not be those that a writer gives, of a descriptor and of all that are nested in it.
fn gaps(input: &EmitInput<'_>, id: ContractId) -> Option<Vec<GapView>> {
    let mut gaps = Vec::new();
    add_gaps(input, id, 0, &mut gaps).then_some(gaps)
}

/// Adds those of a descriptor at a byte; tells whether there was room.
fn add_gaps(input: &EmitInput<'_>, id: ContractId, base: u32, gaps: &mut Vec<GapView>) -> bool {
    let descriptor = input.catalog.get(id).descriptor();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let start = base + field.offset;
        let end = start + input.catalog.field_size(field);
        let element = input.catalog.element_size(field.ty.element);
        match (&field.role, descriptor.count_of(index)) {
            (Role::Reserved { zero: false }, _) => {
                gaps.push(GapView { start, end, counted: "None".to_owned() });
            }
            (_, Some(count)) => {
                let count = &descriptor.fields[count];
                let stride = element * field.ty.dims[1..].iter().product::<u32>();
                let (at, size) = (base + count.offset, input.catalog.field_size(count));
                let counted = format!("Some(({at}, {size}, Endian::{}, {stride}))", endian(count));
                gaps.push(GapView { start, end, counted });
            }
            _ => {}
        }
        if let Element::Descriptor(nested) = field.ty.element {
            for start in (start..end).step_by(element as usize) {
                if !add_gaps(input, nested, start, gaps) {
                    return false;
                }
            }
        }
        if gaps.len() > MOST_GAPS {
            return false;
        }
    }
    true
}

fn field(input: &EmitInput<'_>, names: &Names, id: ContractId, index: usize) -> FieldView {
    let descriptor = input.catalog.get(id).descriptor();
    let field = &descriptor.fields[index];
    let attribute = names.attribute(id, &field.name);
    let is_kept = matches!(field.role, Role::Value | Role::Text | Role::Version(_));
    let default = defaults::shown(input, id, field);
    let role = match &field.role {
        Role::Value => "Role::Value".to_owned(),
        Role::Text => "Role::Text".to_owned(),
        Role::Version(newest) => format!("Role::Version({newest})"),
        Role::Magic(bytes) => format!("Role::Magic(&{bytes:?})"),
        Role::Reserved { .. } => "Role::Reserved".to_owned(),
        Role::LengthOf(targets) => {
            format!("Role::Count(&{targets:?}, {})", most(input, descriptor, field, targets))
        }
    };
    FieldView {
        index,
        name: field.name.clone(),
        parameter: names::identifier(&attribute),
        docs: field_docs(input, field),
        offset: field.offset,
        role,
        element: element(input, id, field.ty.element),
        endian: endian(field),
        dims: format!("{:?}", field.ty.dims),
        count: descriptor.count_of(index),
        may_be_none: default.as_deref() == Some("None"),
        is_kept,
        is_count: matches!(field.role, Role::LengthOf(_)),
        magic: match &field.role {
            Role::Magic(bytes) => Some(format!("&{bytes:?}")),
            _ => None,
        },
        is_optional: default.is_some() || matches!(field.role, Role::Version(_)),
        default,
        attribute,
    }
}

fn endian(field: &Field) -> &'static str {
    match field.ty.endian {
        Endian::Little => "Little",
        Endian::Big => "Big",
        Endian::Native => "Native",
    }
}

/// A signature as a literal of Rust's; in ASCII, as Python asks it to be, where only texts have anything else.
pub(super) fn quoted(signature: &str) -> String {
    let mut text = String::from("(");
    for character in signature.chars() {
        if character.is_ascii() {
            text.push(character);
        } else {
            let _ = write!(text, "\\U{:08x}", u32::from(character));
        }
    }
    format!("{:?}", text + ")")
}

/// The most elements that a count may state.
fn most(input: &EmitInput<'_>, descriptor: &Descriptor, count: &Field, targets: &[usize]) -> u32 {
    let room = targets.iter().map(|&target| descriptor.fields[target].ty.dims[0]).min().unwrap_or(0);
    match input.catalog.element_size(count.ty.element) {
        1 => room.min(0xff),
        2 => room.min(0xffff),
        _ => room,
    }
}

fn element(input: &EmitInput<'_>, id: ContractId, element: Element) -> String {
    match element {
        Element::Scalar(of) => format!("Element::Scalar({})", scalar(of)),
        Element::Enumeration { contract, open } => {
            let kind = if open { "Open" } else { "Closed" };
            format!("Element::{kind}(&{})", names::values(input, contract))
        }
        Element::Flags { contract } => format!("Element::Flags(&{})", names::values(input, contract)),
        Element::Descriptor(nested) => {
            let module = names::module(input, id, nested);
            format!("Element::Descriptor(&{module}{})", names::layout(input, nested))
        }
    }
}

fn scalar(scalar: Scalar) -> String {
    let mut name = scalar.name().to_owned();
    name[..1].make_ascii_uppercase();
    format!("Scalar::{name}")
}

/// What a class says of itself.
fn class_docs(contract: &Contract, descriptor: &Descriptor) -> Vec<String> {
    let form = match &descriptor.growth {
        None => format!("A descriptor of {}.", counted::bytes(descriptor.size)),
        Some(growth) => {
            let sizes = growth.sizes.iter().zip(1..).map(|(size, version)| match version {
                1 => format!("{} in version 1", counted::bytes(*size)),
                _ => format!("{size} in version {version}"),
            });
            let who = match descriptor.version_field() {
                Some(field) => format!("`{}` says the version", field.name),
                None => "the length says the version".to_owned(),
            };
            format!("A descriptor that grows: {}; {who}.", sizes.collect::<Vec<_>>().join(", "))
        }
    };
    let version = contract.version.map(|version| format!("Version {version}.")).unwrap_or_default();
    let since = contract.since.map(|since| format!("Since version {since}.")).unwrap_or_default();
    let deprecated = contract.deprecated.as_ref().map(|why| format!("Deprecated: {why}"));
    let facts = [form, version, since].join(" ");
    paragraphs(&[&contract.docs, facts.trim(), deprecated.as_deref().unwrap_or_default()])
}

/// What an attribute says of itself.
fn field_docs(input: &EmitInput<'_>, field: &Field) -> Vec<String> {
    let deprecated = field.deprecated.as_ref().map(|why| format!("Deprecated: {why}"));
    let since = field.since.map(|since| format!("Since version {since}."));
    let place = format!("{}.", on_the_wire(input, field));
    paragraphs(&[
        &field.docs,
        &place,
        since.as_deref().unwrap_or_default(),
        deprecated.as_deref().unwrap_or_default(),
    ])
}

/// Type and place: `big-endian u32 at byte 8`.
fn on_the_wire(input: &EmitInput<'_>, field: &Field) -> String {
    let Type { element, dims, endian } = &field.ty;
    let word = match *element {
        Element::Scalar(scalar) => scalar.name().to_owned(),
        Element::Enumeration { contract, open } => {
            let contract = input.catalog.get(contract);
            format!("{}{} as {}", if open { "open " } else { "" }, contract.name, contract.repr())
        }
        Element::Flags { contract } => {
            let contract = input.catalog.get(contract);
            format!("flags {} as {}", contract.name, contract.repr())
        }
        Element::Descriptor(contract) => input.catalog.get(contract).name.clone(),
    };
    let array = dims.iter().rev().fold(word, |inner, size| format!("[{inner}; {size}]"));
    let is_single = matches!(element, Element::Descriptor(_)) || input.catalog.element_size(*element) == 1;
    let order = match endian {
        Endian::Big if !is_single => "big-endian ",
        Endian::Native if !is_single => "native-endian ",
        _ => "",
    };
    let role = match field.role {
        Role::Text => "text in ",
        _ => "",
    };
    format!("{role}{order}{array} at byte {}", field.offset)
}

/// The lines of paragraphs, with an empty one between two.
pub(super) fn paragraphs(paragraphs: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in paragraphs.iter().map(|it| it.trim()).filter(|it| !it.is_empty()) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(paragraph.lines().map(|line| line.trim_end().to_owned()));
    }
    lines
}
