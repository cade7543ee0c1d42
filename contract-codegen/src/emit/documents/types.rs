//! What a key or a variant holds, as Rust mirrors it.

use crate::emit::EmitInput;
use crate::emit::c::types::is_open_name;
use crate::emit::c::view::bounds as range;
use crate::model::{Contract, ContractId, JsonType, Length, Scalar, Spelling};
use crate::names::c as names;

/// The Rust type that is laid out as C has it.
pub(super) fn mirror(input: &EmitInput<'_>, ty: &JsonType) -> String {
    let repr = |id: &ContractId| input.catalog.get(*id).repr().name();
    match ty {
        JsonType::Integer { scalar, .. } | JsonType::Float { scalar, .. } => scalar.name().to_owned(),
        JsonType::Bool => "c::Truth".to_owned(),
        JsonType::Text { .. } | JsonType::Json { .. } => "c::Str".to_owned(),
        JsonType::Bytes { length: Length::AtMost(_), .. } => "c::Bytes".to_owned(),
        JsonType::Bytes { length: Length::Exactly(length), .. } => format!("c::ByteArray<{length}>"),
        JsonType::Array { item, length: Length::AtMost(_) } => format!("c::Array<{}>", mirror(input, item)),
        JsonType::Array { item, length: Length::Exactly(length) } => {
            format!("[{}; {length}]", mirror(input, item))
        }
        JsonType::Map { .. } => "c::Map".to_owned(),
        JsonType::Enumeration { contract, open, .. } => {
            let wrapper = match (is_open_name(input, *contract, *open), open) {
                (true, _) => "OpenNamed",
                (false, true) => "OpenValue",
                (false, false) => "Value",
            };
            format!("c::{wrapper}<{}>", repr(contract))
        }
        JsonType::Flags { contract } => format!("c::Bits<{}>", repr(contract)),
        JsonType::Descriptor { contract, .. } | JsonType::Recipe(contract) | JsonType::Union(contract) => {
            name(input, *contract)
        }
    }
}

/// The mirror's name: that of the C type.
pub(super) fn name(input: &EmitInput<'_>, id: ContractId) -> String {
    identifier(&names::type_name(&input.family_of(id).package, input.catalog.get(id)))
}

/// How it is spelled in JSON, as Rust says it.
pub(super) fn spelling(ty: &JsonType) -> &'static str {
    match ty {
        JsonType::Integer { decimal: true, .. } => "wire::DecimalString",
        JsonType::Bytes { spelling, .. } | JsonType::Descriptor { spelling, .. } => match spelling {
            Spelling::Hex => "wire::Hex",
            Spelling::Base64 => "wire::Base64",
            Spelling::Uuid => "wire::Uuid",
        },
        JsonType::Array { item, .. } => self::spelling(item),
        _ => "wire::Plain",
    }
}

/// The key with its bounds, as an expression.
pub(super) fn key(contract: &Contract, name: &str, ty: &JsonType) -> String {
    let mut words = vec![format!("wire::Key::new({:?}, {name:?}, \"\")", contract.name)];
    let mut put = |bound: &str, value: String| words.push(format!("{bound}({value})"));
    let mut most = |bound: &str, value: Option<u32>| {
        if let Some(value) = value {
            put(bound, value.to_string());
        }
    };
    match ty {
        JsonType::Array { length: Length::AtMost(bound), .. } => most("max_items", *bound),
        JsonType::Map { max_items, .. } => most("max_items", *max_items),
        _ => {}
    }
    match innermost(ty) {
        JsonType::Text { max_len }
        | JsonType::Json { max_len }
        | JsonType::Enumeration { max_len, .. }
        | JsonType::Map { max_len, .. } => most("max_len", *max_len),
        JsonType::Bytes { length: Length::AtMost(bound), .. } => most("max_len", *bound),
        JsonType::Integer { scalar, min, max, .. } if (*min, *max) != range(*scalar) => {
            put("min", min.to_string());
            put("max", max.to_string());
        }
        JsonType::Float { min, max, .. } => {
            for (bound, value) in [("least", min), ("most", max)] {
                if let Some(value) = value {
                    put(bound, float(*value, Scalar::F64));
                }
            }
        }
        _ => {}
    }
    words.join(".")
}

fn innermost(ty: &JsonType) -> &JsonType {
    match ty {
        JsonType::Array { item, .. } => innermost(item),
        _ => ty,
    }
}

/// A finite number of that type.
pub(super) fn float(value: f64, scalar: Scalar) -> String {
    format!("{value:?}_{}", scalar.name())
}

/// The path of the declared type.
pub(super) fn path(contract: &Contract) -> String {
    let words = contract.module.split("::").chain([contract.name.as_str()]);
    let words: Vec<String> = words.map(identifier).collect();
    format!("::{}", words.join("::"))
}

/// A name as it is written in Rust.
pub(super) fn identifier(name: &str) -> String {
    const KEYWORDS: &str = " as break const continue else enum extern false fn for if impl in let loop match mod move \
                            mut pub ref return static struct trait true type unsafe use where while async await dyn \
                            abstract become box do final macro override priv typeof unsized virtual yield try gen ";
    if KEYWORDS.contains(&format!(" {name} ")) { format!("r#{name}") } else { name.to_owned() }
}
