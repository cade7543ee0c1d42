//! The checks that reading and writing have in common, and the words of their faults.

use super::encoding;
use super::number::shown;
use crate::interpret::{Code, Fault};
use crate::model::{Catalog, JsonType, Length, Scalar, Spelled};

/// What is looked at: a key of a contract, or the contract itself; and where.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) contract: &'a str,
    pub(super) field: &'a str,
    pub(super) offset: usize,
}

impl Place<'_> {
    pub(super) fn at(self, offset: usize) -> Self {
        Place { offset, ..self }
    }

    pub(super) fn fault(self, code: Code, expected: impl Into<String>, found: impl Into<String>) -> Fault {
        Fault {
            code,
            contract: self.contract.to_owned(),
            field: self.field.to_owned(),
            offset: self.offset,
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(super) fn out_of_range(self, min: i128, max: i128, found: &str) -> Fault {
        self.fault(Code::OutOfRange, format!("an integer from {min} to {max}"), brief(found))
    }

    /// Refuses what is longer than a bound.
    pub(super) fn at_most_bytes(self, most: Option<u32>, length: usize) -> Result<(), Fault> {
        match most {
            Some(most) if length > most as usize => {
                Err(self.fault(Code::TooLarge, format!("at most {most} bytes"), length.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a float that is not finite or outside its bounds.
    pub(super) fn float(
        self,
        float: f64,
        min: Option<f64>,
        max: Option<f64>,
        found: &str,
    ) -> Result<(), Fault> {
        let expected = match (min, max) {
            _ if !float.is_finite() => "a finite number".to_owned(),
            (Some(min), Some(max)) if !(min..=max).contains(&float) => {
                format!("a number from {} to {}", shown(min), shown(max))
            }
            (Some(min), None) if float < min => format!("a number of at least {}", shown(min)),
            (None, Some(max)) if float > max => format!("a number of at most {}", shown(max)),
            _ => return Ok(()),
        };
        Err(self.fault(Code::OutOfRange, expected, brief(found)))
    }

    /// Refuses bytes of another number; `found` is their text.
    pub(super) fn bytes(
        self,
        length: Length,
        spelling: crate::model::Spelling,
        bytes: &[u8],
        found: &str,
    ) -> Result<(), Fault> {
        match length {
            Length::Exactly(count) if bytes.len() != count as usize => {
                Err(self.fault(Code::BadEncoding, encoding::expected(length, spelling), brief(found)))
            }
            Length::Exactly(_) => Ok(()),
            Length::AtMost(most) => self.at_most_bytes(most, bytes.len()),
        }
    }

    /// Refuses an item that is one too many.
    pub(super) fn item(self, length: Length, index: usize) -> Result<(), Fault> {
        match length {
            Length::Exactly(count) if index >= count as usize => {
                Err(self.fault(Code::TooMany, format!("{count} items"), ""))
            }
            Length::AtMost(Some(most)) if index >= most as usize => {
                Err(self.fault(Code::TooMany, format!("at most {most} items"), ""))
            }
            _ => Ok(()),
        }
    }

    /// Refuses an array that is too short.
    pub(super) fn item_count(self, length: Length, found: usize) -> Result<(), Fault> {
        match length {
            Length::Exactly(count) if found < count as usize => {
                Err(self.fault(Code::TooShort, format!("{count} items"), found.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a member that is one too many.
    pub(super) fn member(self, max_items: Option<u32>, index: usize) -> Result<(), Fault> {
        match max_items {
            Some(most) if index >= most as usize => {
                Err(self.fault(Code::TooMany, format!("at most {most} members"), ""))
            }
            _ => Ok(()),
        }
    }

    /// Refuses the number of an enumeration spelled by number.
    pub(super) fn enumeration(
        self,
        catalog: &Catalog,
        contract: crate::model::ContractId,
        open: bool,
        number: Option<i128>,
        found: &str,
    ) -> Result<(), Fault> {
        let name = &catalog.get(contract).name;
        let enumeration = catalog.get(contract).enumeration();
        let (min, max) = range(enumeration.repr);
        match number {
            Some(number) if open && (min..=max).contains(&number) => Ok(()),
            _ if open => Err(self.out_of_range(min, max, found)),
            Some(number) if enumeration.values.iter().any(|value| value.value == number) => Ok(()),
            _ => Err(self.fault(Code::UnknownValue, format!("a value of {name}"), brief(found))),
        }
    }

    /// Refuses the bits of flags spelled by number.
    pub(super) fn flags(
        self,
        catalog: &Catalog,
        contract: crate::model::ContractId,
        number: Option<i128>,
        found: &str,
    ) -> Result<(), Fault> {
        let flags = catalog.get(contract).flags();
        let (min, max) = range(flags.repr);
        let Some(number) = number.filter(|number| (min..=max).contains(number)) else {
            return Err(self.out_of_range(min, max, found));
        };
        let known = i128::from(flags.known_bits());
        if flags.open || number & !known == 0 {
            return Ok(());
        }
        Err(self.fault(Code::UnknownBits, format!("bits within 0x{known:x}"), number.to_string()))
    }
}

/// The least and the greatest number of an integer type.
pub(super) fn range(scalar: Scalar) -> (i128, i128) {
    scalar.range().expect("an integer stands for an enumeration")
}

/// What a type is called where something else was found.
pub(super) fn words(catalog: &Catalog, ty: &JsonType) -> &'static str {
    let spelled = |contract| super::lookup::spelled(catalog, contract);
    match ty {
        JsonType::Integer { decimal: false, .. } => "an integer",
        JsonType::Integer { decimal: true, .. }
        | JsonType::Text { .. }
        | JsonType::Bytes { .. }
        | JsonType::Descriptor { .. } => "a string",
        JsonType::Bool => "true or false",
        JsonType::Float { .. } => "a number",
        JsonType::Array { .. } => "an array",
        JsonType::Map { .. } | JsonType::Recipe(_) | JsonType::Union(_) => "an object",
        JsonType::Enumeration { contract, .. } => match spelled(*contract) {
            Spelled::Names => "a string",
            Spelled::Integer => "an integer",
        },
        JsonType::Flags { contract } => match spelled(*contract) {
            Spelled::Names => "an array",
            Spelled::Integer => "an integer",
        },
        JsonType::Json { .. } => "a value",
    }
}

/// A token, cut where it is too long to be shown.
pub(super) fn brief(token: &str) -> String {
    const MOST: usize = 40;
    if token.len() <= MOST {
        return token.to_owned();
    }
    let end = (0..=MOST).rev().find(|&end| token.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", &token[..end])
}
