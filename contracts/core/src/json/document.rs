//! Whole documents.

use alloc::string::String;
use alloc::vec::Vec;

use super::members::Members;
use super::object::{read_object, write_object};
use super::reader::{Mode, of_document};
use super::walk::{self, Duplicates, Problem};
use super::{Reader, Stop, Writer};
use crate::error::{At, Place, Unit};
use crate::{Code, Contract, Expected, Found, WireError};

/// A recipe or a union: a value that has one form as JSON. Implemented by `#[derive(WireContract)]`.
///
/// Reading accepts members in any order and any white space, and gives the first fault otherwise, in the order that
/// every language shares: length, UTF-8, syntax and depth, keys that are there twice, then keys in declared order with
/// what they hold, unknown keys, conditions and rules.
///
/// ```
/// use wirecontract::{WireContract, WireJson};
///
/// /// What a camera offers.
/// #[derive(WireContract, Clone, Debug, PartialEq)]
/// #[wire(recipe, rule(whole: width * height <= 16777216))]
/// pub struct Mode {
///     #[wire(min = 1)]
///     pub width: u32,
///     #[wire(min = 1)]
///     pub height: u32,
///     #[wire(default = "raw", max_len = 16)]
///     pub encoding: String,
///     pub label: Option<String>,
/// }
///
/// # fn main() -> Result<(), wirecontract::WireError> {
/// let mode = Mode::from_json(br#"{ "height": 480, "width": 640 }"#)?;
/// assert_eq!(mode.to_json()?, r#"{"width":640,"height":480,"encoding":"raw"}"#);
///
/// let error = Mode::from_json(br#"{"height":480,"width":"640"}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "Mode.width at byte 22: wrong_type: expected an integer, found \"640\""
/// );
/// # Ok(())
/// # }
/// ```
pub trait WireJson: Contract + Sized {
    /// The longest document, in bytes.
    const MAX_BYTES: usize;

    /// The most objects and arrays around a value.
    const MAX_DEPTH: usize;

    /// Reads a document.
    fn from_json(document: &[u8]) -> Result<Self, WireError>;

    /// Reads a document, and takes the value of a lenient key that is at fault for an absent one: gives these faults
    /// too, in declared order.
    fn from_json_lenient(document: &[u8]) -> Result<(Self, Vec<WireError>), WireError>;

    /// The value as a document: keys in declared order, no white space.
    fn to_json(&self) -> Result<String, WireError>;

    /// Adds the document to `out`, which keeps what it has when it is refused.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), WireError>;

    /// Checks what an importer must know before it uses what the value describes, with `fd_count` file descriptors
    /// beside it: the conditions and rules that are declared `at = import`.
    ///
    /// The value is one that was read, or that can be written: nothing else of it is looked at.
    fn validate_import(&self, fd_count: usize) -> Result<(), WireError>;
}

impl<M: Members> WireJson for M {
    const MAX_BYTES: usize = M::MAX_BYTES;
    const MAX_DEPTH: usize = M::MAX_DEPTH;

    fn from_json(document: &[u8]) -> Result<Self, WireError> {
        match read_fast(document) {
            Some(value) => Ok(value),
            None => read_again(document, Mode::Ordered).map(|(value, _)| value),
        }
    }

    fn from_json_lenient(document: &[u8]) -> Result<(Self, Vec<WireError>), WireError> {
        match read_fast(document) {
            Some(value) => Ok((value, Vec::new())),
            None => read_again(document, Mode::Lenient),
        }
    }

    fn to_json(&self) -> Result<String, WireError> {
        let mut document = Vec::new();
        self.write_json(&mut document)?;
        // What is written is made of texts.
        Ok(String::from_utf8(document).unwrap_or_default())
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        out.reserve((64 + 32 * M::COUNT).min(M::MAX_BYTES));
        let start = out.len();
        let mut writer = Writer::new(core::mem::take(out));
        let written = write_object(self, &mut writer);
        let mut fault = writer.fault.take();
        let misread = writer.misread;
        *out = writer.out;
        let is_simple =
            writer.deepest <= M::MAX_DEPTH && !writer.has_rest && out.len() - start <= M::MAX_BYTES;
        if let (Ok(()), true) = (&written, is_simple) {
            return Ok(());
        }
        if written.is_ok() {
            fault = flaw_of_document(&out[start..], M::NAME, M::MAX_BYTES, M::MAX_DEPTH)
                .or_else(|| misread.map(another_variant));
            if fault.is_none() {
                return Ok(());
            }
        }
        out.truncate(start);
        Err(fault.unwrap_or_else(|| unsaid(M::NAME)))
    }

    fn validate_import(&self, fd_count: usize) -> Result<(), WireError> {
        self.import(fd_count)
    }
}

/// Where a document says that its outermost value is.
struct Root<M>(core::marker::PhantomData<M>);

impl<M: Members> Root<M> {
    const PLACE: &'static Place = &Place { contract: M::NAME, field: "" };
}

/// Reads a document as it comes.
fn read_fast<M: Members>(document: &[u8]) -> Option<M> {
    if document.len() > M::MAX_BYTES {
        return None;
    }
    let mut reader = Reader::new(core::str::from_utf8(document).ok()?, M::MAX_DEPTH, Mode::Fast);
    reader.space();
    let value = read_object(&mut reader, Root::<M>::PLACE).ok()?;
    reader.space();
    (reader.at == document.len()).then_some(value)
}

/// Reads a document by declared order, once it is known to be JSON.
#[cold]
#[inline(never)]
fn read_again<M: Members>(document: &[u8], mode: Mode) -> Result<(M, Vec<WireError>), WireError> {
    let text =
        check(document, M::MAX_BYTES, M::MAX_DEPTH).map_err(|problem| of_document(M::NAME, problem))?;
    let mut reader = Reader::new(text, M::MAX_DEPTH, mode);
    reader.space();
    match read_object(&mut reader, Root::<M>::PLACE) {
        Ok(value) => Ok((value, reader.faults)),
        Err(Stop) => Err(reader.fault.unwrap_or_else(|| unsaid(M::NAME))),
    }
}

/// What is the same for all contracts: length, UTF-8, syntax and depth, keys that are there twice.
fn check(document: &[u8], max_bytes: usize, levels: usize) -> Result<&str, Problem> {
    if document.len() > max_bytes {
        return Err(too_large(max_bytes, max_bytes, document.len()));
    }
    let text = core::str::from_utf8(document).map_err(|error| Problem {
        code: Code::BadUtf8,
        offset: error.valid_up_to(),
        expected: Expected::Words("UTF-8"),
        found: Found::Nothing,
    })?;
    walk::document(text, levels, Duplicates::Passed)?;
    walk::document(text, levels, Duplicates::Refused)?;
    Ok(text)
}

fn too_large(offset: usize, max_bytes: usize, length: usize) -> Problem {
    Problem {
        code: Code::TooLarge,
        offset,
        expected: Expected::Most { count: max_bytes as u64, unit: Unit::Bytes },
        found: Found::Unsigned(length as u64),
    }
}

/// What is wrong with a document of values that are all right.
#[cold]
fn flaw_of_document(
    document: &[u8],
    contract: &'static str,
    max_bytes: usize,
    levels: usize,
) -> Option<WireError> {
    let checked = if document.len() > max_bytes {
        Err(too_large(0, max_bytes, document.len()))
    } else {
        check(document, max_bytes, levels)
    };
    checked.err().map(|problem| of_document(contract, Problem { offset: 0, ..problem }))
}

/// Members that are nobody's are refused, as a tag that no variant should have is, where they say a variant.
#[cold]
fn another_variant(place: &'static Place) -> WireError {
    let expected = Expected::Words("members that say no other variant");
    WireError::at(At { place, offset: 0 }, Code::UnknownTag, expected, Found::Nothing)
}

/// A refusal of which nothing is known: that of a `Members` which was not derived.
#[cold]
fn unsaid(contract: &'static str) -> WireError {
    debug_assert!(false, "a refusal without a fault");
    of_document(
        contract,
        Problem {
            code: Code::Refused,
            offset: 0,
            expected: Expected::Words("a reason"),
            found: Found::Nothing,
        },
    )
}
