//! The constructor of a descriptor: what it is given, and how each field is checked before it is kept.

use std::collections::BTreeSet;

use super::defaults::{Default, default};
use super::plan::limit;
use super::rules;
use super::scope::{Locals, Scope};
use super::text::{docstring, head, hex, statement, string};
use super::types::{Shape, are_open, given, scalar, shape};
use crate::model::{ContractId, Descriptor, Element, Field, Moment, Role, Scalar};

/// What `__new__` says of itself.
pub(super) const DOCS: &str = "Takes what fits the wire, and raises `WireError` for the rest.";

/// The arguments of `__new__`, its class in front.
pub(super) fn arguments(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let attributes = scope.attributes(id);
    let fields = scope.catalog.get(id).descriptor().fields.iter();
    let given = fields.filter(|field| is_kept(field)).map(|field| {
        let default = match (&field.role, default(scope, id, field)) {
            (Role::Version(newest), _) => format!(" = {newest}"),
            (_, Some(Default::Literal(literal))) => format!(" = {literal}"),
            (_, Some(Default::Made(_))) => " | None = None".to_owned(),
            (_, None) => String::new(),
        };
        let name = scope.attribute(id, &field.name);
        format!("{name}: {}{default}", given(scope, field, &attributes))
    });
    by_name(class_argument(&attributes), given.collect())
}

/// Arguments of which all but the first are given by name.
pub(super) fn by_name(first: String, given: Vec<String>) -> Vec<String> {
    let star = (!given.is_empty()).then(|| "*".to_owned());
    std::iter::once(first).chain(star).chain(given).collect()
}

/// `__new__`, whole.
pub(super) fn constructor(scope: &Scope<'_>, id: ContractId) -> String {
    let descriptor = scope.catalog.get(id).descriptor();
    let attributes = scope.attributes(id);
    let kept: Vec<&Field> = descriptor.fields.iter().filter(|field| is_kept(field)).collect();
    let class = scope.class(id);
    let mut lines = vec![head(4, "__new__", &arguments(scope, id), &class), docstring(8, &[DOCS])];
    for field in &kept {
        if let Some(Default::Made(made)) = default(scope, id, field) {
            let name = scope.attribute(id, &field.name);
            lines.push(format!("        if {name} is None:"));
            lines.push(statement(12, &format!("{name} = {made}")));
        }
    }
    lines.extend(checks(scope, id, descriptor));
    let cls = class_argument(&attributes);
    let used: Vec<&str> = attributes.iter().map(String::as_str).chain([cls.as_str()]).collect();
    let mut locals = Locals::new(scope, &used);
    let [value, result] = ["value", "result"].map(|name| locals.add("", name));
    lines.push(statement(8, &format!("{value}: _typing.Any = {}()", scope.private("Parts", id))));
    for field in &kept {
        let name = scope.attribute(id, &field.name);
        lines.push(statement(8, &format!("{value}.{name} = {name}")));
    }
    lines.push(statement(8, &format!("{value}.__class__ = {class}")));
    if rules::own(scope, id, Moment::Read) {
        lines.push(statement(8, &format!("{}.check({value}, 0)", scope.private("rules", id))));
    }
    lines.push(statement(8, &format!("{result}: {class} = {value}")));
    lines.push(format!("        return {result}"));
    lines.join("\n")
}

/// What `__new__` calls its class: nothing that a field is called.
pub(super) fn class_argument(attributes: &BTreeSet<String>) -> String {
    let mut name = "cls".to_owned();
    while attributes.contains(&name) {
        name.push('_');
    }
    name
}

/// Whether the field is an attribute with a value of its own.
pub(super) fn is_kept(field: &Field) -> bool {
    matches!(field.role, Role::Value | Role::Text | Role::Version(_))
}

/// Statements that check the arguments in the order of a reader: the version, then by offset.
fn checks(scope: &Scope<'_>, id: ContractId, descriptor: &Descriptor) -> Vec<String> {
    let mut lines = Vec::new();
    for field in &descriptor.fields {
        if let Role::Version(newest) = field.role {
            let integer = take(scope, field.ty.element);
            lines.push(taken(scope, id, field, "take_version", vec![integer, newest.to_string()]));
        }
    }
    let mut measured = BTreeSet::new();
    for (index, field) in descriptor.fields.iter().enumerate() {
        // A count says how much too long an array is, wherever of the two stands first.
        let count =
            if matches!(field.role, Role::LengthOf(_)) { Some(index) } else { descriptor.count_of(index) };
        if let Some(count) = count.filter(|&count| measured.insert(count)) {
            lines.extend(room(scope, id, descriptor, &descriptor.fields[count]));
        }
        let line = match (&field.role, shape(field)) {
            (Role::Text, _) => taken(scope, id, field, "take_text", vec![field.ty.dims[0].to_string()]),
            (Role::Value, Shape::Bytes) => {
                let length = match descriptor.count_of(index) {
                    Some(_) => "None".to_owned(),
                    None => field.ty.dims[0].to_string(),
                };
                taken(scope, id, field, "take_bytes", vec![length])
            }
            (Role::Value, Shape::Tuple) => {
                let counted = descriptor.count_of(index).is_some();
                taken(scope, id, field, "take_array", array(scope, field, counted))
            }
            (Role::Value, _) => {
                let name = scope.attribute(id, &field.name);
                let items = place(scope, id, field, vec![name.clone()]);
                statement(8, &format!("{name} = {}({})", take(scope, field.ty.element), items.join(", ")))
            }
            _ => continue,
        };
        lines.push(line);
    }
    lines
}

/// Whether what is counted is of one length and fits, said of the field that counts, as Rust's setter does.
fn room(scope: &Scope<'_>, id: ContractId, descriptor: &Descriptor, count: &Field) -> Vec<String> {
    let Role::LengthOf(targets) = &count.role else { return Vec::new() };
    let most = match scalar(scope, count.ty.element) {
        Scalar::U8 => 0xff,
        Scalar::U16 => 0xffff,
        _ => u32::MAX,
    };
    let limit = limit(descriptor, targets).min(most);
    let check = |how: &str, items: Vec<String>| {
        statement(8, &format!("{}({})", scope.wire(how), place(scope, id, count, items).join(", ")))
    };
    let names: Vec<String> =
        targets.iter().map(|&target| scope.attribute(id, &descriptor.fields[target].name)).collect();
    let alike = names.iter().skip(1).map(|other| check("check_alike", vec![names[0].clone(), other.clone()]));
    let room = names.iter().map(|name| check("check_room", vec![name.clone(), limit.to_string()]));
    alike.chain(room).collect()
}

/// `name = _wire.how(name, …, "Contract", "field", offset)`.
fn taken(scope: &Scope<'_>, id: ContractId, field: &Field, how: &str, arguments: Vec<String>) -> String {
    let name = scope.attribute(id, &field.name);
    let mut items = vec![name.clone()];
    items.extend(arguments);
    statement(8, &format!("{name} = {}({})", scope.wire(how), place(scope, id, field, items).join(", ")))
}

fn place(scope: &Scope<'_>, id: ContractId, field: &Field, mut items: Vec<String>) -> Vec<String> {
    items.extend([string(&scope.catalog.get(id).name), string(&field.name), field.offset.to_string()]);
    items
}

fn array(scope: &Scope<'_>, field: &Field, counted: bool) -> Vec<String> {
    let dims: Vec<String> = field
        .ty
        .dims
        .iter()
        .enumerate()
        .map(|(index, size)| if index == 0 && counted { "None".to_owned() } else { size.to_string() })
        .collect();
    let mut stride = scope.catalog.element_size(field.ty.element);
    let mut strides = Vec::new();
    for size in field.ty.dims.iter().rev() {
        strides.insert(0, stride.to_string());
        stride *= size;
    }
    vec![take(scope, field.ty.element), tuple(&dims), tuple(&strides)]
}

fn tuple(items: &[String]) -> String {
    if let [item] = items { format!("({item},)") } else { format!("({})", items.join(", ")) }
}

/// The function that takes one element.
fn take(scope: &Scope<'_>, element: Element) -> String {
    match element {
        Element::Scalar(scalar) => scope.wire(&format!("take_{scalar}")),
        Element::Enumeration { contract, open: false } => scope.private("closed", contract),
        Element::Enumeration { contract, open: true } => scope.private("open", contract),
        Element::Flags { contract } | Element::Descriptor(contract) => scope.private("take", contract),
    }
}

/// What makes the element functions of an enumeration, of flags or of a descriptor.
pub(super) fn take_definitions(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let class = scope.class(id);
    let contract = scope.catalog.get(id);
    let line = |role: &str, how: &str, items: &[String]| {
        statement(
            0,
            &format!(
                "{}: _typing.Final = {}({})",
                scope.private(role, id),
                scope.wire(how),
                items.join(", ")
            ),
        )
    };
    match &contract.body {
        crate::model::Body::Enumeration(enumeration) => {
            let values = scope.private("values", id);
            let integer = scope.wire(&format!("take_{}", enumeration.repr));
            vec![
                line("closed", "take_closed", &[class.clone(), values.clone()]),
                line("open", "take_open", &[class, values, integer]),
            ]
        }
        crate::model::Body::Flags(flags) => {
            let open = are_open(scope, Element::Flags { contract: id });
            let known = if open { "None".to_owned() } else { hex(flags.known_bits()) };
            let integer = scope.wire(&format!("take_{}", flags.repr));
            vec![line("take", "take_flags", &[class, known, integer])]
        }
        _ => vec![line("take", "take_instance", &[class])],
    }
}
