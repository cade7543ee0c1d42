//! Types as the lock spells them: as Rust does, contracts by their whole paths.

use super::of_contract::path;
use crate::model::{
    AbiScalar, AbiType, Catalog, Element, JsonType, Key, Length, Presence, Scalar, Signature, Type,
};

/// The type of a descriptor's field.
pub(super) fn of_field(catalog: &Catalog, ty: &Type) -> String {
    let element = match ty.element {
        Element::Scalar(scalar) => scalar.name().to_owned(),
        Element::Enumeration { contract, open: true } => format!("Open<{}>", path(catalog, contract)),
        Element::Flags { contract } => format!("Flags<{}>", path(catalog, contract)),
        Element::Enumeration { contract, open: false } | Element::Descriptor(contract) => {
            path(catalog, contract)
        }
    };
    ty.dims.iter().rev().fold(element, |item, dim| format!("[{item}; {dim}]"))
}

/// The type of a recipe's key.
pub(super) fn of_key(catalog: &Catalog, key: &Key) -> String {
    let ty = of_json(catalog, &key.ty);
    if matches!(key.presence, Presence::Optional { .. }) { format!("Option<{ty}>") } else { ty }
}

/// The type of something in a document. How a number or bytes are spelled there is not part of it.
pub(super) fn of_json(catalog: &Catalog, ty: &JsonType) -> String {
    let many = |item: &str, length: &Length| match length {
        Length::Exactly(length) => format!("[{item}; {length}]"),
        Length::AtMost(_) => format!("Vec<{item}>"),
    };
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => scalar.name().to_owned(),
        JsonType::Bool => Scalar::Bool.name().to_owned(),
        JsonType::Text { .. } => "String".to_owned(),
        JsonType::Bytes { length, .. } => many("u8", length),
        JsonType::Array { item, length } => many(&of_json(catalog, item), length),
        JsonType::Map { .. } => "BTreeMap<String, String>".to_owned(),
        JsonType::Json { .. } => "Json".to_owned(),
        JsonType::Enumeration { contract, open: true, .. } => format!("Open<{}>", path(catalog, *contract)),
        JsonType::Flags { contract } => format!("Flags<{}>", path(catalog, *contract)),
        JsonType::Enumeration { contract, open: false, .. }
        | JsonType::Descriptor { contract, .. }
        | JsonType::Recipe(contract)
        | JsonType::Union(contract) => path(catalog, *contract),
    }
}

/// How the number or the bytes that a type ends in are spelled, where it is not the plain way.
pub(super) fn spelling(ty: &JsonType) -> Option<&'static str> {
    match ty {
        JsonType::Integer { decimal: true, .. } => Some("decimal"),
        JsonType::Bytes { spelling, .. } | JsonType::Descriptor { spelling, .. } => Some(spelling.name()),
        JsonType::Array { item, .. } => spelling(item),
        _ => None,
    }
}

/// The type of a C struct's field, of a parameter or of a result.
pub(super) fn of_abi(catalog: &Catalog, ty: &AbiType) -> String {
    match ty {
        AbiType::Scalar(scalar) => of_scalar(*scalar).to_owned(),
        AbiType::Enumeration(id) => format!("Open<{}>", path(catalog, *id)),
        AbiType::Flags(id) => format!("Flags<{}>", path(catalog, *id)),
        AbiType::Struct(id) => path(catalog, *id),
        AbiType::Array { item, length } => format!("[{}; {length}]", of_abi(catalog, item)),
        AbiType::Pointer { to, is_const } => {
            let how = if *is_const { "const" } else { "mut" };
            let to = to.as_deref().map_or("c_void".to_owned(), |to| of_abi(catalog, to));
            format!("*{how} {to}")
        }
        AbiType::Function(signature) => of_function(catalog, signature),
    }
}

/// The type of a function without names of its parameters.
fn of_function(catalog: &Catalog, signature: &Signature) -> String {
    let params: Vec<String> = signature.params.iter().map(|param| of_abi(catalog, &param.ty)).collect();
    let result = signature.result.as_ref().map(|ty| format!(" -> {}", of_abi(catalog, ty)));
    format!("extern \"C\" fn({}){}", params.join(", "), result.unwrap_or_default())
}

fn of_scalar(scalar: AbiScalar) -> &'static str {
    match scalar {
        AbiScalar::Fixed(scalar) => scalar.name(),
        AbiScalar::Char => "c_char",
        AbiScalar::SChar => "c_schar",
        AbiScalar::UChar => "c_uchar",
        AbiScalar::Short => "c_short",
        AbiScalar::UShort => "c_ushort",
        AbiScalar::Int => "c_int",
        AbiScalar::UInt => "c_uint",
        AbiScalar::Long => "c_long",
        AbiScalar::ULong => "c_ulong",
        AbiScalar::LongLong => "c_longlong",
        AbiScalar::ULongLong => "c_ulonglong",
        AbiScalar::Size => "usize",
        AbiScalar::PtrDiff => "isize",
    }
}
