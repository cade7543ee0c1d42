//! Tails: elements, bytes or text behind the last part.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Carried, behind, fault, shown};
use crate::crosses::cross;
use crate::error::Unit;
use crate::json::JsonShape;
use crate::wire_type::WireType;
use crate::{Code, Expected, Found, WireContract, WireError};

/// Where a tail begins, and what it belongs to.
#[derive(Clone, Copy)]
pub struct Tail {
    /// The message.
    pub contract: &'static str,
    /// The field.
    pub field: &'static str,
    /// Behind how many bytes.
    pub at: usize,
    /// The longest message.
    pub most: usize,
}

/// How long a message says that its tail is.
#[derive(Clone, Copy)]
pub enum Said {
    /// Nothing is said: it ends where the message does.
    Rest,
    /// A number of elements, where there is one.
    Count(Option<i128>),
    /// A number of bytes, where there is one.
    Bytes(Option<i128>),
}

impl Tail {
    /// Refuses a message that is longer than any.
    #[inline]
    pub fn bounded(contract: &'static str, length: usize, most: usize) -> Result<(), WireError> {
        if length <= most {
            return Ok(());
        }
        let expected = Expected::Most { count: most as u64, unit: Unit::Bytes };
        Err(fault(Code::TooLarge, (contract, ""), most, expected, Found::Unsigned(length as u64)))
    }

    /// The bytes of the whole message, whose tail has `count` elements of `size` bytes.
    pub fn whole(self, count: usize, size: usize) -> Result<usize, WireError> {
        let length = count.saturating_mul(size).saturating_add(self.at);
        Tail::bounded(self.contract, length, self.most)?;
        Ok(length)
    }

    /// How many elements of so many bytes a message of `length` bytes has.
    pub fn elements(self, said: Said, size: usize, length: usize) -> Result<usize, WireError> {
        let count = match said {
            Said::Rest => {
                let rest = length - self.at;
                let whole = rest.div_ceil(size);
                if rest % size != 0 {
                    return Err(WireError::length(self.contract, self.at + whole * size, length));
                }
                return Ok(whole);
            }
            Said::Count(count) => self.within(count, (self.most - self.at) / size)?,
            Said::Bytes(bytes) => {
                let bytes = self.within(bytes, self.most - self.at)?;
                if bytes % size != 0 {
                    return Err(self.exceeds(bytes / size * size, Some(bytes as i128)));
                }
                bytes / size
            }
        };
        let whole = self.at + count * size;
        if whole == length { Ok(count) } else { Err(WireError::length(self.contract, whole, length)) }
    }

    fn within(self, number: Option<i128>, most: usize) -> Result<usize, WireError> {
        let within = number.and_then(|number| usize::try_from(number).ok()).filter(|&number| number <= most);
        within.ok_or_else(|| self.exceeds(most, number))
    }

    #[cold]
    fn exceeds(self, most: usize, number: Option<i128>) -> WireError {
        let place = (self.contract, self.field);
        fault(Code::LengthExceeds, place, self.at, Expected::AtMost(most as u64), shown(number))
    }
}

/// A type that a tail may have.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tail of a message",
    label = "no elements, bytes or text",
    note = "a tail is a `Vec<D>` of a descriptor `D` that does not grow, a `Vec<u8>` or a `String`"
)]
pub trait Tailed: Sized {
    /// Bytes of an element.
    const SIZE: usize;

    /// What it looks like.
    const SHAPE: JsonShape;

    /// Reads so many elements from exactly their bytes.
    fn read(bytes: &[u8], tail: Tail) -> Result<Self, WireError>;

    /// How many elements it has.
    fn count(&self) -> usize;

    /// Adds them to `out`.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError>;

    /// Their rules at import; the first stands behind `offset` bytes of the message.
    fn import(&self, offset: usize) -> Result<(), WireError> {
        let _ = offset;
        Ok(())
    }
}

impl Tailed for String {
    const SIZE: usize = 1;
    const SHAPE: JsonShape = JsonShape::TEXT;

    fn read(bytes: &[u8], tail: Tail) -> Result<Self, WireError> {
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(text.into()),
            Err(error) => {
                let (place, offset) = ((tail.contract, tail.field), tail.at + error.valid_up_to());
                Err(fault(Code::BadUtf8, place, offset, Expected::Words("UTF-8"), Found::Nothing))
            }
        }
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }
}

impl Tailed for Vec<u8> {
    const SIZE: usize = 1;
    const SHAPE: JsonShape = JsonShape::list(&JsonShape::scalar(<u8 as WireType>::SHAPE.code));

    fn read(bytes: &[u8], _: Tail) -> Result<Self, WireError> {
        Ok(bytes.to_vec())
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        out.extend_from_slice(self);
        Ok(())
    }
}

impl<T: WireContract> Tailed for Vec<T> {
    const SIZE: usize = {
        assert!(
            T::SHAPE.growth.is_none(),
            "the elements of a tail stand one behind the other, each as long as any: a descriptor that grows is none"
        );
        T::WIRE_SIZE
    };
    const SHAPE: JsonShape = JsonShape::list(&<cross::Descriptor as Carried<T>>::SHAPE);

    fn read(bytes: &[u8], tail: Tail) -> Result<Self, WireError> {
        let elements = bytes.chunks_exact(Self::SIZE).enumerate();
        elements
            .map(|(index, element)| {
                T::from_bytes(element).map_err(|error| behind(error, tail.at + index * Self::SIZE))
            })
            .collect()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), WireError> {
        for element in self {
            let at = out.len();
            let bytes = element.to_bytes().map_err(|error| behind(error, at))?;
            out.extend_from_slice(bytes.as_ref());
        }
        Ok(())
    }

    fn import(&self, offset: usize) -> Result<(), WireError> {
        for (index, element) in self.iter().enumerate() {
            element.import(offset + index * Self::SIZE)?;
        }
        Ok(())
    }
}
