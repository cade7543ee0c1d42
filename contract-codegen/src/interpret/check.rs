//! The checks that reading and writing have in common.

use super::{Code, Fault};
use crate::model::{Catalog, Contract, Descriptor, Element, Field, Scalar};

/// A field, or one element of it, at its place in the outermost buffer.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) contract: &'a Contract,
    pub(super) field: &'a Field,
    pub(super) offset: usize,
}

impl<'a> Place<'a> {
    /// The place of a field of the descriptor that starts at `base`.
    pub(super) fn new(contract: &'a Contract, field: &'a Field, base: usize) -> Self {
        Place { contract, field, offset: base + field.offset as usize }
    }

    pub(super) fn fault(&self, code: Code, expected: String, found: String) -> Fault {
        Fault {
            code,
            contract: self.contract.name.clone(),
            field: self.field.name.clone(),
            offset: self.offset,
            expected,
            found,
        }
    }

    pub(super) fn bad_text(&self) -> Fault {
        self.fault(Code::BadText, "UTF-8 text ended by NUL".to_owned(), String::new())
    }

    pub(super) fn length_exceeds(&self, most: u32, count: i128) -> Fault {
        self.fault(Code::LengthExceeds, format!("at most {most}"), count.to_string())
    }
}

/// The elements that a count may reach: the smallest of its targets.
pub(super) fn capacity(descriptor: &Descriptor, targets: &[usize]) -> u32 {
    let lengths = targets.iter().map(|&target| descriptor.fields[target].ty.dims[0]);
    lengths.min().expect("a count counts at least one array")
}

/// The text in a NUL-padded array.
pub(super) fn text_of(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let (text, padding) = bytes.split_at(end);
    let text = std::str::from_utf8(text).ok()?;
    padding.iter().all(|&byte| byte == 0).then(|| text.to_owned())
}

/// Refuses a number that its bool, enumeration or flags do not have.
pub(super) fn check_number(catalog: &Catalog, place: &Place<'_>, number: i128) -> Result<(), Fault> {
    let (code, expected) = match place.field.ty.element {
        Element::Scalar(Scalar::Bool) if !matches!(number, 0 | 1) => {
            (Code::UnknownValue, "0 or 1".to_owned())
        }
        Element::Enumeration { contract, open: false } => {
            let contract = catalog.get(contract);
            if contract.enumeration().values.iter().any(|value| value.value == number) {
                return Ok(());
            }
            (Code::UnknownValue, format!("a value of {}", contract.name))
        }
        Element::Flags { contract } => {
            let flags = catalog.get(contract).flags();
            let known = i128::from(flags.known_bits());
            if flags.open || number & !known == 0 {
                return Ok(());
            }
            (Code::UnknownBits, format!("bits within 0x{known:x}"))
        }
        Element::Scalar(_) | Element::Enumeration { .. } | Element::Descriptor(_) => return Ok(()),
    };
    Err(place.fault(code, expected, number.to_string()))
}
