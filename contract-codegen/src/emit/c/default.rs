//! What a field is taken for in versions that have it not, as C, C++ and readers spell it.

use super::literal::{bits, float, integer, spelled, string};
use crate::emit::EmitInput;
use crate::model::{Descriptor, Element, Endian, EnumValue, Field, Role, Scalar};
use crate::names::{c, cpp};

/// The default of a field that not every version has.
pub(crate) struct FieldDefault<'a> {
    input: &'a EmitInput<'a>,
    field: &'a Field,
    /// The bits of each element, in order; nothing for elements that are descriptors, which are zero.
    elements: Vec<u64>,
}

/// The default of a field; nothing for what every version has, and for what is no value.
pub(crate) fn default<'a>(
    input: &'a EmitInput<'a>,
    descriptor: &'a Descriptor,
    field: &'a Field,
) -> Option<FieldDefault<'a>> {
    let growth = descriptor.growth.as_ref()?;
    field.since.filter(|since| *since > 1)?;
    if matches!(field.role, Role::Reserved { .. }) {
        return None;
    }
    let (first, start) = (growth.size(1) as usize, field.offset as usize);
    let size = input.catalog.field_size(field) as usize;
    // What takes the place of reserved bytes is zero, and the defaults need not reach to it.
    let zeros = vec![0; size];
    let bytes = if start < first { zeros.as_slice() } else { &growth.defaults[start - first..][..size] };
    let element = input.catalog.element_size(field.ty.element) as usize;
    let number = |bytes: &[u8]| {
        let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match field.ty.endian {
            Endian::Big => bytes.iter().fold(0, push),
            Endian::Little | Endian::Native => bytes.iter().rev().fold(0, push),
        }
    };
    let elements = match field.ty.element {
        Element::Descriptor(_) => Vec::new(),
        _ => bytes.chunks_exact(element).map(number).collect(),
    };
    Some(FieldDefault { input, field, elements })
}

/// Whether all of it is zero.
pub(crate) fn is_zero(default: &FieldDefault<'_>) -> bool {
    default.elements.iter().all(|bits| *bits == 0)
}

impl FieldDefault<'_> {
    /// How many elements it has.
    pub(super) fn count(&self) -> u32 {
        self.field.ty.dims.iter().product()
    }

    fn scalar(&self) -> Scalar {
        match self.field.ty.element {
            Element::Scalar(scalar) => scalar,
            Element::Enumeration { contract, .. } | Element::Flags { contract } => {
                self.input.catalog.get(contract).repr()
            }
            Element::Descriptor(_) => unreachable!("a descriptor is zero"),
        }
    }

    /// The number that bits are in the element's type.
    fn number(&self, bits: u64) -> i128 {
        let (number, width) = (i128::from(bits), 8 * self.scalar().size());
        if self.scalar().is_signed() && number >> (width - 1) == 1 { number - (1 << width) } else { number }
    }

    /// The float that bits are.
    fn float(&self, bits: u64) -> f64 {
        match u32::try_from(bits) {
            Ok(bits) if self.scalar() == Scalar::F32 => f64::from(f32::from_bits(bits)),
            _ => f64::from_bits(bits),
        }
    }

    /// The value that bits are of an enumeration.
    fn value(&self, bits: u64) -> Option<&EnumValue> {
        let Element::Enumeration { contract, .. } = self.field.ty.element else { return None };
        let values = &self.input.catalog.get(contract).enumeration().values;
        values.iter().find(|value| value.value == self.number(bits))
    }

    /// The literal of one that is no array, in C.
    pub(super) fn c(&self) -> Option<String> {
        let [only] = self.elements[..] else { return None };
        if !self.field.ty.dims.is_empty() {
            return None;
        }
        Some(match (self.field.ty.element, self.scalar()) {
            (Element::Enumeration { contract, .. }, scalar) => match self.value(only) {
                Some(value) => {
                    let package = &self.input.family_of(contract).package;
                    c::value_constant(package, self.input.catalog.get(contract), value)
                }
                None => integer(self.number(only), scalar.is_signed()),
            },
            (_, Scalar::F32) => format!("WC_DETAIL_CAST(float, {})", float(self.float(only))),
            _ => self.plain(only),
        })
    }

    /// A literal that C and C++ spell alike.
    fn plain(&self, only: u64) -> String {
        match (self.field.ty.element, self.scalar()) {
            (Element::Flags { .. }, scalar) => bits(only, scalar),
            (_, Scalar::Bool) => (only != 0).to_string(),
            (_, Scalar::F64) => float(self.float(only)),
            (_, scalar) => integer(self.number(only), scalar.is_signed()),
        }
    }

    /// What stands between the braces of a C++ member; `name` is the C++ name of a contract. Empty for zeros.
    pub(crate) fn cpp(&self, name: &dyn Fn(crate::model::ContractId) -> String) -> String {
        if is_zero(self) {
            return String::new();
        }
        let literal = |&only: &u64| match (self.field.ty.element, self.scalar()) {
            _ if self.field.role == Role::Text => character(only),
            (Element::Enumeration { contract, .. }, scalar) => match self.value(only) {
                Some(value) => format!("{}::{}", name(contract), cpp::enumerator(value)),
                None => {
                    let number = integer(self.number(only), scalar.is_signed());
                    format!("static_cast<{}>({number})", name(contract))
                }
            },
            (Element::Flags { contract }, _) => {
                format!("::wirecontract::flags<{}>::from_bits({})", name(contract), self.plain(only))
            }
            (_, Scalar::F32) => format!("{}f", float(self.float(only))),
            _ => self.plain(only),
        };
        let end = self.elements.iter().rposition(|bits| *bits != 0).unwrap_or_default();
        // A row that ends early is as good; of several, each has its length.
        let shown = if self.field.ty.dims.len() == 1 { &self.elements[..=end] } else { &self.elements[..] };
        let mut items: Vec<String> = shown.iter().map(literal).collect();
        // The innermost dimension first; the braces of the outermost are the member's.
        for dim in self.field.ty.dims.iter().skip(1).rev() {
            items = items.chunks(*dim as usize).map(|row| format!("{{{{{}}}}}", row.join(", "))).collect();
        }
        let list = items.join(", ");
        if self.field.ty.dims.len() > 1 { format!("{{{list}}}") } else { list }
    }

    /// It as documentation says it.
    pub(crate) fn words(&self) -> String {
        if self.field.role == Role::Text {
            let bytes: Vec<u8> = self.elements.iter().filter_map(|byte| u8::try_from(*byte).ok()).collect();
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            return match text {
                [] => "empty".to_owned(),
                text => {
                    String::from_utf8(text.to_vec()).map_or_else(|_| string(text), |text| format!("`{text}`"))
                }
            };
        }
        let is_array = !self.field.ty.dims.is_empty();
        if is_zero(self) && (is_array || self.elements.is_empty()) {
            return "zero".to_owned();
        }
        let words: Vec<String> = self.elements.iter().take(SHOWN).map(|only| self.word(*only)).collect();
        let more = self.elements.len().saturating_sub(SHOWN);
        match (is_array, more) {
            (false, _) => words.concat(),
            (true, 0) => format!("[{}]", words.join(", ")),
            (true, _) => format!("[{}, and {more} more]", words.join(", ")),
        }
    }

    fn word(&self, only: u64) -> String {
        match (self.field.ty.element, self.scalar()) {
            (Element::Enumeration { .. }, _) => {
                self.value(only).map_or_else(|| self.number(only).to_string(), |value| value.name.clone())
            }
            (Element::Flags { contract }, _) => {
                let flags = self.input.catalog.get(contract).flags();
                let names: Vec<&str> = (flags.values.iter())
                    .filter(|flag| u64::try_from(flag.value).is_ok_and(|bit| bit != 0 && only & bit == bit))
                    .map(|flag| flag.name.as_str())
                    .collect();
                let is_named = only & !flags.known_bits() == 0 && !names.is_empty();
                if is_named { names.join(" | ") } else { format!("0x{only:x}") }
            }
            (_, Scalar::Bool) => (only != 0).to_string(),
            (_, Scalar::F32 | Scalar::F64) => spelled(self.float(only)),
            _ => self.number(only).to_string(),
        }
    }
}

/// How many elements documentation shows.
const SHOWN: usize = 16;

/// A character of a text, which may be part of a longer one.
fn character(byte: u64) -> String {
    match u8::try_from(byte) {
        Ok(b'\'') => "'\\''".to_owned(),
        Ok(b'\\') => "'\\\\'".to_owned(),
        Ok(byte @ b' '..=b'~') => format!("'{}'", char::from(byte)),
        _ => format!("'\\{byte:03o}'"),
    }
}

/// What documentation says of a field that not every version has.
pub(crate) fn remark(input: &EmitInput<'_>, descriptor: &Descriptor, field: &Field) -> Option<String> {
    let since = field.since?;
    let words = default(input, descriptor, field)?.words();
    Some(format!("Since version {since}; before that {words}."))
}
