//! The error of the hand-written parser: it says all that a `WireError` says.

use wirecontract::WireError;

/// A refusal: which rule was broken, where, what would have been right and what came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rule that was broken.
    pub code: Code,
    /// The struct.
    pub contract: &'static str,
    /// Its field; empty when the fault is of the whole.
    pub field: &'static str,
    /// Bytes from the start of the buffer.
    pub offset: usize,
    /// What would have been right.
    pub expected: Expected,
    /// What came.
    pub found: Found,
}

/// The rule that was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Code {
    TooShort = 1,
    TrailingBytes = 2,
    BadMagic = 3,
    UnsupportedVersion = 4,
    UnknownValue = 5,
    LengthExceeds = 7,
}

/// What would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Expected {
    Size(usize),
    Bytes(&'static [u8]),
    Version(u64),
    ValueOf(&'static str),
    AtMost(u64),
}

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Found {
    Unsigned(u64),
    Signed(i64),
    Bytes { bytes: [u8; 16], length: u8 },
}

impl Fault {
    /// Too few bytes, or too many.
    #[cold]
    #[inline(never)]
    pub fn length(contract: &'static str, size: usize, length: usize) -> Self {
        let (code, offset) =
            if length < size { (Code::TooShort, length) } else { (Code::TrailingBytes, size) };
        let expected = Expected::Size(size);
        Fault { code, contract, field: "", offset, expected, found: Found::Unsigned(length as u64) }
    }

    /// Other bytes than the magic.
    #[cold]
    #[inline(never)]
    pub fn magic(
        contract: &'static str,
        field: &'static str,
        expected: &'static [u8; 4],
        came: [u8; 4],
    ) -> Self {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&came);
        let (expected, found) = (Expected::Bytes(expected), Found::Bytes { bytes, length: 4 });
        Fault { code: Code::BadMagic, contract, field, offset: 0, expected, found }
    }

    /// Another version than 1.
    #[cold]
    #[inline(never)]
    pub fn version(contract: &'static str, field: &'static str, offset: usize, came: u32) -> Self {
        let (expected, found) = (Expected::Version(1), Found::Unsigned(came.into()));
        Fault { code: Code::UnsupportedVersion, contract, field, offset, expected, found }
    }

    /// A number that stands for nothing.
    #[cold]
    #[inline(never)]
    pub fn value(
        contract: &'static str,
        field: &'static str,
        offset: usize,
        enumeration: &'static str,
        found: Found,
    ) -> Self {
        let expected = Expected::ValueOf(enumeration);
        Fault { code: Code::UnknownValue, contract, field, offset, expected, found }
    }

    /// More elements than an array has.
    #[cold]
    #[inline(never)]
    pub fn count(contract: &'static str, field: &'static str, offset: usize, most: u64, came: u32) -> Self {
        let (expected, found) = (Expected::AtMost(most), Found::Unsigned(came.into()));
        Fault { code: Code::LengthExceeds, contract, field, offset, expected, found }
    }

    /// What the contract says of the same fault.
    ///
    /// # Panics
    /// When it says what this parser cannot.
    pub fn of_contract(error: &WireError) -> Self {
        let code = match error.code {
            wirecontract::Code::TooShort => Code::TooShort,
            wirecontract::Code::TrailingBytes => Code::TrailingBytes,
            wirecontract::Code::BadMagic => Code::BadMagic,
            wirecontract::Code::UnsupportedVersion => Code::UnsupportedVersion,
            wirecontract::Code::UnknownValue => Code::UnknownValue,
            wirecontract::Code::LengthExceeds => Code::LengthExceeds,
            _ => panic!("no peer has the code of: {error}"),
        };
        let expected = match error.expected {
            wirecontract::Expected::Size(size) => Expected::Size(size),
            wirecontract::Expected::Bytes(bytes) => Expected::Bytes(bytes),
            wirecontract::Expected::Version(newest) => Expected::Version(newest),
            wirecontract::Expected::ValueOf(name) => Expected::ValueOf(name),
            wirecontract::Expected::AtMost(most) => Expected::AtMost(most),
            _ => panic!("no peer expects what this does: {error}"),
        };
        let found = match error.found {
            wirecontract::Found::Unsigned(number) => Found::Unsigned(number),
            wirecontract::Found::Signed(number) => Found::Signed(number),
            wirecontract::Found::Bytes { bytes, length } => Found::Bytes { bytes, length },
            _ => panic!("no peer finds what this does: {error}"),
        };
        Fault { code, contract: error.contract, field: error.field, offset: error.offset, expected, found }
    }
}
