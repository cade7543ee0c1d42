//! What a field of a descriptor that grows stands for in versions that have it not: as the constructor takes it, and as
//! the documentation says it.

use std::collections::BTreeMap;

use super::growth::{table_name, tuple_of};
use super::scope::{Form, Names, Scope};
use super::text::{bytes, string};
use super::types::{Shape, code, format, order, scalar, shape};
use crate::catalog::json::hex;
use crate::emit::EmitInput;
use crate::model::{ContractId, Descriptor, Element, Endian, EnumValue, Field, Role, Scalar};
use crate::names::python as names;

/// A literal of more characters than this is made of the descriptor's defaults instead, and cut in documentation.
const LONGEST: usize = 40;

/// A constructor's default.
pub(super) enum Default {
    /// An expression that stands in the list of arguments.
    Literal(String),
    /// An expression that the constructor evaluates where it is given None.
    Made(String),
}

/// The default of a field's argument, where older versions have it not.
pub(super) fn default(scope: &Scope<'_>, id: ContractId, field: &Field) -> Option<Default> {
    if !matches!(field.role, Role::Value | Role::Text) {
        return None;
    }
    let absent = Absent::of(scope, id, field)?;
    match absent.literal(scope) {
        Some(literal) if literal.len() <= LONGEST => Some(Default::Literal(literal)),
        _ => Some(Default::Made(absent.made(scope, id))),
    }
}

/// The default of an argument as the signature has it: a literal, or None for what the constructor makes.
pub(in crate::emit) fn shown(input: &EmitInput<'_>, id: ContractId, field: &Field) -> Option<String> {
    let known = Names::new(input);
    // No literal names a class.
    let scope = Scope::new(input, &known, Form::Package, BTreeMap::new());
    if !matches!(field.role, Role::Value | Role::Text) {
        return None;
    }
    let literal = Absent::of(&scope, id, field)?.literal(&scope);
    Some(literal.filter(|literal| literal.len() <= LONGEST).unwrap_or_else(|| "None".to_owned()))
}

/// `Since version 2; before that 100.`
pub(super) fn docs(scope: &Scope<'_>, id: ContractId, field: &Field) -> Option<String> {
    let absent = Absent::of(scope, id, field)?;
    Some(format!("Since version {}; before that {}.", absent.since, absent.said(scope)))
}

/// What stands for a field that is not there.
struct Absent<'f> {
    field: &'f Field,
    since: u32,
    /// Its bytes, in native order as little-endian; of a counted array those of the valid elements.
    bytes: Vec<u8>,
    /// Its dimensions; of a counted array the first is how many elements are valid.
    dims: Vec<u32>,
}

impl<'f> Absent<'f> {
    fn of(scope: &Scope<'_>, id: ContractId, field: &'f Field) -> Option<Absent<'f>> {
        let descriptor = scope.catalog.get(id).descriptor();
        descriptor.growth.as_ref()?;
        let since = field.since.filter(|since| *since > 1)?;
        if !matches!(field.role, Role::Value | Role::Text | Role::LengthOf(_)) {
            return None;
        }
        let image = scope.catalog.defaults(id, false);
        let mut dims = field.ty.dims.clone();
        if let Some(count) = counted(scope, descriptor, field, &image) {
            dims[0] = count.min(dims[0]);
        }
        let size = scope.catalog.element_size(field.ty.element) * dims.iter().product::<u32>();
        let start = field.offset as usize;
        Some(Absent { field, since, bytes: image[start..start + size as usize].to_vec(), dims })
    }

    /// A short expression of it, where there is one.
    fn literal(&self, scope: &Scope<'_>) -> Option<String> {
        match shape(self.field) {
            Shape::Text => {
                let text = self.bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                std::str::from_utf8(text).ok().map(string)
            }
            Shape::Bytes => Some(bytes(&self.bytes)),
            Shape::Single => self.element(scope, &self.bytes),
            Shape::Tuple => {
                // Longer ones are not written, and may be millions.
                if self.bytes.is_empty() || self.bytes.len() > LONGEST * 8 {
                    return self.bytes.is_empty().then(|| "()".to_owned());
                }
                let size = scope.catalog.element_size(self.field.ty.element) as usize;
                let elements = self.bytes.chunks_exact(size).map(|element| self.element(scope, element));
                let mut items: Vec<String> = elements.collect::<Option<_>>()?;
                for &dim in self.dims.iter().rev() {
                    items = items.chunks(dim as usize).map(tuple_of).collect();
                }
                items.pop()
            }
        }
    }

    /// One element as a literal: enumerations and flags as the numbers that their fields take too, since a class of
    /// another module may not be there yet.
    fn element(&self, scope: &Scope<'_>, bytes: &[u8]) -> Option<String> {
        let number = || self.number(bytes);
        match self.field.ty.element {
            Element::Descriptor(_) => None,
            Element::Scalar(Scalar::Bool) => Some(if number() == 0 { "False" } else { "True" }.to_owned()),
            Element::Scalar(Scalar::F32) => {
                let bits = u32::try_from(number()).expect("four bytes");
                float(f32::from_bits(bits)).filter(|text| {
                    // The nearest f64 of those digits is rounded to f32 once more.
                    #[expect(clippy::cast_possible_truncation, reason = "as the constructor rounds it")]
                    text.parse::<f64>().is_ok_and(|wide| (wide as f32).to_bits() == bits)
                })
            }
            Element::Scalar(Scalar::F64) => float(f64::from_bits(number())),
            element => {
                let scalar = scalar(scope, element);
                let unused = 64 - 8 * scalar.size();
                let number = number();
                Some(if scalar.is_signed() {
                    ((number << unused).cast_signed() >> unused).to_string()
                } else {
                    number.to_string()
                })
            }
        }
    }

    /// The bits of an element.
    fn number(&self, bytes: &[u8]) -> u64 {
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self.field.ty.endian {
            Endian::Big => bytes.iter().fold(0, push),
            Endian::Little | Endian::Native => bytes.iter().rev().fold(0, push),
        }
    }

    /// An expression of it that takes its bytes from the descriptor's table.
    fn made(&self, scope: &Scope<'_>, id: ContractId) -> String {
        let inside = scope.attributes(id);
        let builtin = |name| scope.builtin(name, &inside);
        let start = self.field.offset as usize;
        let data = format!("{}.defaults[{start}:{}]", table_name(scope, id), start + self.bytes.len());
        let total: u32 = self.dims.iter().product();
        let form = |code: char| format(scope, self.field.ty.endian, &format!("{total}{code}"));
        let values = match (shape(self.field), self.field.ty.element) {
            (Shape::Text, _) => return format!("{data}.rstrip(b\"\\0\").decode()"),
            (Shape::Bytes, _) => return data,
            (Shape::Single, Element::Descriptor(nested)) => {
                return format!("{}.from_bytes({data})", scope.class(nested));
            }
            (_, Element::Descriptor(nested)) => {
                let size = scope.catalog.element_size(self.field.ty.element);
                let starts = format!("{}(0, {}, {size})", builtin("range"), self.bytes.len());
                format!(
                    "{}({data}, {starts}, {}.from_bytes)",
                    scope.wire("read_elements"),
                    scope.class(nested)
                )
            }
            (Shape::Single, Element::Scalar(Scalar::F32)) => {
                let order = order(scope, self.field.ty.endian);
                return format!("{}({data}, 0, {order})", scope.wire("f32_from"));
            }
            (Shape::Single, element) => {
                return format!("_struct.unpack({}, {data})[0]", form(code(scalar(scope, element))));
            }
            (_, Element::Scalar(Scalar::Bool)) => {
                format!(
                    "{}({}({}.__getitem__, {data}))",
                    builtin("tuple"),
                    builtin("map"),
                    scope.wire("BOOLS")
                )
            }
            (_, Element::Scalar(Scalar::F32)) => {
                format!("{}({}, {data})", scope.wire("unpack_f32s"), form('f'))
            }
            (_, element) => format!("_struct.unpack({}, {data})", form(code(scalar(scope, element)))),
        };
        if self.dims.len() == 1 {
            return values;
        }
        let dims = self.dims.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        format!("{}({values}, ({dims}))", scope.wire("nest_elements"))
    }

    /// How documentation says it.
    fn said(&self, scope: &Scope<'_>) -> String {
        let named = match self.field.ty.element {
            Element::Enumeration { contract, .. } if self.dims.is_empty() => {
                let values = &scope.catalog.get(contract).enumeration().values;
                let number = self.element(scope, &self.bytes);
                values.iter().find(|it| Some(it.value.to_string()) == number).map(member)
            }
            Element::Flags { contract } if self.dims.is_empty() => {
                let bits = i128::from(self.number(&self.bytes));
                let flags = &scope.catalog.get(contract).flags().values;
                let set: Vec<&EnumValue> = flags.iter().filter(|it| bits & it.value == it.value).collect();
                let is_all = set.iter().fold(0, |all, it| all | it.value) == bits && bits != 0;
                is_all.then(|| set.into_iter().map(member).collect::<Vec<_>>().join(" | "))
            }
            _ => None,
        };
        match named.or_else(|| self.literal(scope)) {
            Some(literal) if literal.len() <= LONGEST => format!("`{literal}`"),
            _ if self.bytes.iter().all(|byte| *byte == 0) => "all zero".to_owned(),
            _ if self.bytes.len() > 16 => format!("the bytes {}...", hex(&self.bytes[..16])),
            _ => format!("the bytes {}", hex(&self.bytes)),
        }
    }
}

/// How many elements of an array are valid where nothing is said.
fn counted(scope: &Scope<'_>, descriptor: &Descriptor, field: &Field, image: &[u8]) -> Option<u32> {
    let index = descriptor.fields.iter().position(|it| it.name == field.name)?;
    let count = &descriptor.fields[descriptor.count_of(index)?];
    let start = count.offset as usize;
    let bytes = image[start..start + scope.catalog.field_size(count) as usize].to_vec();
    let number = Absent { field: count, since: 1, dims: Vec::new(), bytes: Vec::new() }.number(&bytes);
    Some(u32::try_from(number).unwrap_or(u32::MAX))
}

fn member(value: &EnumValue) -> String {
    names::member(&value.name)
}

/// A float as Python writes it; none of what has no literal.
fn float<F: std::fmt::Debug + Into<f64> + Copy>(value: F) -> Option<String> {
    value.into().is_finite().then(|| format!("{value:?}"))
}
