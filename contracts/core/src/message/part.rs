//! Parts: descriptors one behind the other, or one document.

use alloc::vec::Vec;

use super::behind;
use crate::crosses::{Crosses, cross};
use crate::error::At;
use crate::json::{JsonShape, JsonType, Members, Plain};
use crate::layout::check::Message;
use crate::traits::flaw;
use crate::{WireContract, WireError, WireJson};

/// A part of a message, as what it crosses: implemented for names that stand for all types that cross so.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{T}` is no part of a message",
    label = "neither bytes nor a document",
    note = "the parts of a message are descriptors, one behind the other, or one recipe or union; mark a tail `#[wire(tail)]` and file descriptors `#[wire(fd)]` or `#[wire(fds(1..=4))]`"
)]
pub trait Carried<T> {
    /// Whether it is a document, which ends where the message does.
    const IS_DOCUMENT: bool;
    /// The most bytes of it.
    const MOST: usize;
    /// What it looks like.
    const SHAPE: JsonShape;

    /// Reads it, and says how many bytes it took.
    fn read(bytes: &[u8]) -> Result<(T, usize), WireError>;

    /// Adds it to `out`.
    fn write(value: &T, out: &mut Vec<u8>) -> Result<(), WireError>;

    /// Reads the next part of a message, of which `at` bytes were read.
    #[inline]
    fn take(bytes: &[u8], at: &mut usize) -> Result<T, WireError> {
        let (value, taken) = Self::read(&bytes[*at..]).map_err(|error| behind(error, *at))?;
        *at += taken;
        Ok(value)
    }

    /// Adds the next part to a message.
    #[inline]
    fn put(value: &T, out: &mut Vec<u8>) -> Result<(), WireError> {
        let at = out.len();
        Self::write(value, out).map_err(|error| behind(error, at))
    }

    /// Its rules at import; it stands behind `offset` bytes of the message, with so many file descriptors beside it.
    fn import(value: &T, offset: usize, fds: usize) -> Result<(), WireError>;
}

impl<T: WireContract> Carried<T> for cross::Descriptor {
    const IS_DOCUMENT: bool = false;
    const MOST: usize = T::WIRE_SIZE;
    const SHAPE: JsonShape = JsonShape::descriptor::<T>();

    #[inline]
    fn read(bytes: &[u8]) -> Result<(T, usize), WireError> {
        let (value, rest) = T::read_prefix(bytes)?;
        Ok((value, bytes.len() - rest.len()))
    }

    #[inline]
    fn write(value: &T, out: &mut Vec<u8>) -> Result<(), WireError> {
        let bytes = value.to_bytes()?;
        out.extend_from_slice(bytes.as_ref());
        Ok(())
    }

    #[inline]
    fn import(value: &T, offset: usize, _: usize) -> Result<(), WireError> {
        value.import(offset)
    }
}

impl<T: Members + JsonType<Plain>> Carried<T> for cross::Document {
    const IS_DOCUMENT: bool = true;
    const MOST: usize = <T as Members>::MAX_BYTES;
    const SHAPE: JsonShape = JsonShape::members::<T>();

    #[inline]
    fn read(bytes: &[u8]) -> Result<(T, usize), WireError> {
        Ok((T::from_json(bytes)?, bytes.len()))
    }

    #[inline]
    fn write(value: &T, out: &mut Vec<u8>) -> Result<(), WireError> {
        value.write_json(out)
    }

    #[inline]
    fn import(value: &T, _: usize, fds: usize) -> Result<(), WireError> {
        value.validate_import(fds)
    }
}

/// As what a part crosses.
pub type As<T> = <T as Crosses>::As;

/// Refuses a first part that cannot be written: before it is asked for its tag.
#[inline]
pub fn check<T: WireContract>(value: &T) -> Result<(), WireError> {
    if value.check::<()>(At::START).is_err() { Err(flaw(value)) } else { Ok(()) }
}

/// Refuses bytes behind the last part of a message without a tail.
#[inline]
pub fn end(contract: &'static str, bytes: &[u8], at: usize) -> Result<(), WireError> {
    if bytes.len() == at { Ok(()) } else { Err(WireError::length(contract, at, bytes.len())) }
}

/// Refuses a document beside other parts: it ends where the message does.
#[track_caller]
pub const fn check_alone(is_document: bool, others: bool) {
    assert!(
        !(is_document && others),
        "a document is the whole of a message's bytes: it stands alone, without other parts and without a tail"
    );
}

/// Refuses a bound below what the parts of a message have; a document has no tail and no bound of its own.
#[track_caller]
pub const fn check_room(contract: &str, most: usize, is_document: bool, parts: usize) {
    if !is_document && most < parts {
        Message::new()
            .text("the parts of `")
            .text(contract)
            .text("` have ")
            .number(parts as u64)
            .text(" bytes, and `max_bytes` is ")
            .number(most as u64)
            .text(": no message is within it")
            .fail()
    }
}

/// Refuses a message whose first part is not the one that the tag is in, of that type and name.
#[track_caller]
pub const fn check_first<M: HasFirst<First = F>, F>(tag: &str, text: &str) {
    let first = M::NAME;
    let (one, other) = (first.as_bytes(), tag.as_bytes());
    let mut is_same = one.len() == other.len();
    let mut index = 0;
    while is_same && index < one.len() {
        is_same = one[index] == other[index];
        index += 1;
    }
    if !is_same {
        Message::new()
            .text("the tag `")
            .text(text)
            .text("` is in the first part, and that of this message is `")
            .text(first)
            .text("`: all messages of an enum call it alike")
            .fail()
    }
}

/// A message that begins with a part of this type.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    label = "a variant holds a message, whose first part has the tag",
    note = "declare a struct `#[wire(message)]`"
)]
pub trait HasFirst {
    /// Its type.
    type First;
    /// The field's name.
    const NAME: &'static str;

    /// The first part.
    fn first(&self) -> &Self::First;
}
