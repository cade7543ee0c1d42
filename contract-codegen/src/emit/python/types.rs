//! What a field is in Python, and how it is described.

use std::collections::BTreeSet;

use super::scope::Scope;
use crate::model::{Body, Element, Endian, Field, Role, Scalar, Type};

/// How a field's value is kept in Python.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One element.
    Single,
    /// `[u8; N]`.
    Bytes,
    /// `text`.
    Text,
    /// Any other array.
    Tuple,
}

pub(super) fn shape(field: &Field) -> Shape {
    match (&field.role, &field.ty.dims[..], field.ty.element) {
        (Role::Text, ..) => Shape::Text,
        (_, [], _) => Shape::Single,
        (_, [_], Element::Scalar(Scalar::U8)) => Shape::Bytes,
        _ => Shape::Tuple,
    }
}

/// The annotation of the attribute.
pub(super) fn kept(scope: &Scope<'_>, field: &Field, attributes: &BTreeSet<String>) -> String {
    match shape(field) {
        Shape::Single => element(scope, field.ty.element, attributes, false),
        Shape::Bytes => scope.builtin("bytes", attributes),
        Shape::Text => scope.builtin("str", attributes),
        Shape::Tuple => {
            let tuple = scope.builtin("tuple", attributes);
            let inner = element(scope, field.ty.element, attributes, false);
            field.ty.dims.iter().fold(inner, |inner, _| format!("{tuple}[{inner}, ...]"))
        }
    }
}

/// The annotation of the constructor's argument.
pub(super) fn given(scope: &Scope<'_>, field: &Field, attributes: &BTreeSet<String>) -> String {
    let builtin = |name| scope.builtin(name, attributes);
    match shape(field) {
        Shape::Single => element(scope, field.ty.element, attributes, true),
        Shape::Bytes => {
            format!("{} | {} | {}", builtin("bytes"), builtin("bytearray"), builtin("memoryview"))
        }
        Shape::Text => builtin("str"),
        Shape::Tuple => {
            let inner = element(scope, field.ty.element, attributes, true);
            field.ty.dims.iter().fold(inner, |inner, _| format!("_abc.Sequence[{inner}]"))
        }
    }
}

fn element(scope: &Scope<'_>, element: Element, attributes: &BTreeSet<String>, given: bool) -> String {
    let builtin = |name| scope.builtin(name, attributes);
    match element {
        Element::Scalar(Scalar::Bool) => builtin("bool"),
        Element::Scalar(Scalar::F32 | Scalar::F64) => builtin("float"),
        Element::Scalar(_) => builtin("int"),
        Element::Enumeration { contract, open } if open || given => {
            format!("{} | {}", scope.class(contract), builtin("int"))
        }
        Element::Flags { contract } if given => format!("{} | {}", scope.class(contract), builtin("int")),
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => scope.class(contract),
    }
}

/// Type and place on the wire: `big-endian u32 at byte 8`.
pub(super) fn on_the_wire(scope: &Scope<'_>, field: &Field) -> String {
    let Type { element, dims, endian } = &field.ty;
    let word = match *element {
        Element::Scalar(scalar) => scalar.name().to_owned(),
        Element::Enumeration { contract, open } => {
            let contract = scope.catalog.get(contract);
            format!("{}{} as {}", if open { "open " } else { "" }, contract.name, contract.repr())
        }
        Element::Flags { contract } => {
            let contract = scope.catalog.get(contract);
            format!("flags {} as {}", contract.name, contract.repr())
        }
        Element::Descriptor(contract) => scope.catalog.get(contract).name.clone(),
    };
    let array = dims.iter().rev().fold(word, |inner, size| format!("[{inner}; {size}]"));
    let single = matches!(element, Element::Descriptor(_)) || scope.catalog.element_size(*element) == 1;
    let order = match endian {
        _ if single => "",
        Endian::Little => "",
        Endian::Big => "big-endian ",
        Endian::Native => "native-endian ",
    };
    let role = if field.role == Role::Text { "text in " } else { "" };
    format!("{role}{order}{array} at byte {}", field.offset)
}

/// Whether the flags keep bits that have no name.
pub(super) fn are_open(scope: &Scope<'_>, element: Element) -> bool {
    match element {
        Element::Flags { contract } => match &scope.catalog.get(contract).body {
            Body::Flags(flags) => flags.open,
            _ => false,
        },
        _ => false,
    }
}

/// The scalar that stands for an element on the wire.
///
/// # Panics
/// For a descriptor.
pub(super) fn scalar(scope: &Scope<'_>, element: Element) -> Scalar {
    match element {
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. } | Element::Flags { contract } => {
            scope.catalog.get(contract).repr()
        }
        Element::Descriptor(_) => unreachable!("a descriptor is no scalar"),
    }
}

/// The letter of the `struct` module; standard sizes, since every format states a byte order.
pub(super) fn code(scalar: Scalar) -> char {
    match scalar {
        // Not `?`, which takes any byte for true.
        Scalar::Bool | Scalar::U8 => 'B',
        Scalar::I8 => 'b',
        Scalar::U16 => 'H',
        Scalar::I16 => 'h',
        Scalar::U32 => 'I',
        Scalar::I32 => 'i',
        Scalar::U64 => 'Q',
        Scalar::I64 => 'q',
        Scalar::F32 => 'f',
        Scalar::F64 => 'd',
    }
}

/// A format of the `struct` module, as a Python expression.
pub(super) fn format(scope: &Scope<'_>, endian: Endian, codes: &str) -> String {
    match endian {
        Endian::Little => format!("\"<{codes}\""),
        Endian::Big => format!("\">{codes}\""),
        Endian::Native => format!("{} + \"{codes}\"", scope.wire("NATIVE")),
    }
}

/// A byte order of the `struct` module, as a Python expression.
pub(super) fn order(scope: &Scope<'_>, endian: Endian) -> String {
    match endian {
        Endian::Little => "\"<\"".to_owned(),
        Endian::Big => "\">\"".to_owned(),
        Endian::Native => scope.wire("NATIVE"),
    }
}

/// A byte order of `int.from_bytes`, as a Python expression.
pub(super) fn order_word(scope: &Scope<'_>, endian: Endian) -> String {
    match endian {
        Endian::Little => "\"little\"".to_owned(),
        Endian::Big => "\"big\"".to_owned(),
        Endian::Native => scope.wire("NATIVE_ORDER"),
    }
}
