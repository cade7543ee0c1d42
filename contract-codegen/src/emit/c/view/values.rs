//! Enumerations and flags as integers of C.

use serde::Serialize;

use super::{Common, common};
use crate::emit::PackageConfig;
use crate::emit::c::foreign;
use crate::emit::c::literal::{bits, comment_with, fits_int, integer, remarks, scalar_type, string};
use crate::model::{Contract, DataType, DataValue, EnumValue, Enumeration, Flags, Scalar};
use crate::names::c as names;

#[derive(Serialize)]
pub(super) struct EnumerationView {
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
pub(super) struct FlagsView {
    #[serde(flatten)]
    common: Common,
    repr: &'static str,
    values: Vec<ValueView>,
    known_bits: String,
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

pub(super) fn enumeration(
    package: &PackageConfig,
    contract: &Contract,
    body: &Enumeration,
) -> EnumerationView {
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
pub(in crate::emit::c) fn known_runs(body: &Enumeration) -> Vec<(i128, i128)> {
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

pub(super) fn flags(package: &PackageConfig, contract: &Contract, body: &Flags) -> FlagsView {
    let values = body.values.iter().map(|entry| {
        value(package, contract, entry, bits(u64::try_from(entry.value).unwrap_or_default(), body.repr))
    });
    let facts = if body.open { "Bits without a name are kept." } else { "Bits without a name are refused." };
    FlagsView {
        common: common(package, contract, Some(facts.to_owned())),
        repr: scalar_type(body.repr),
        values: values.collect(),
        known_bits: bits(body.known_bits(), body.repr),
    }
}
