//! What holds no other: numbers, texts, bytes.

use alloc::string::String;
use alloc::vec::Vec;

use super::{At, Memory, Mirror};
use crate::json::{Json, JsonType};
use crate::scalar::Integer;
use crate::{Code, Enumeration, Expected, FlagSet, Flags, Open, WireError};

macro_rules! numbers {
    ($($number:ident)*) => { $(
        // SAFETY: a number of the same width.
        unsafe impl<S> Mirror<$number, S> for $number
        where
            $number: JsonType<S>,
        {
            unsafe fn take(&self, at: At<'_>) -> Result<$number, WireError> {
                at.held::<$number, S>(*self)
            }

            fn of(value: &$number, _: &mut Memory) -> Self {
                *value
            }

            fn items(values: &[$number], _: &mut Memory) -> *const Self {
                values.as_ptr()
            }
        }
    )* };
}

numbers!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// A `bool`, which C can give any byte.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Truth(pub u8);

// SAFETY: one byte, as `core.h` asserts.
unsafe impl Mirror<bool> for Truth {
    unsafe fn take(&self, at: At<'_>) -> Result<bool, WireError> {
        match self.0 {
            0 => Ok(false),
            1 => Ok(true),
            byte => Err(at.refuse(Code::UnknownValue, Expected::ZeroOrOne, byte.found())),
        }
    }

    fn of(value: &bool, _: &mut Memory) -> Self {
        Truth(u8::from(*value))
    }

    fn items(values: &[bool], _: &mut Memory) -> *const Self {
        // A bool of Rust is a byte that is 0 or 1.
        values.as_ptr().cast()
    }
}

/// `wc_str`: text, or JSON.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub(super) data: *const u8,
    pub(super) length: usize,
}

impl Str {
    /// A text that lives forever.
    pub const fn new(text: &'static str) -> Str {
        Str { data: text.as_ptr(), length: text.len() }
    }

    pub(super) const fn of_text(text: &str) -> Str {
        Str { data: text.as_ptr(), length: text.len() }
    }

    /// # Safety
    /// As of [`Mirror::take`].
    pub(super) unsafe fn json(&self, at: At<'_>) -> Result<Json, WireError> {
        // SAFETY: the caller's word is the same.
        let text = unsafe { at.text(self.data, self.length) }?;
        Json::new(text).map_err(|error| at.refuse(error.code, error.expected, error.found))
    }
}

// SAFETY: laid out as `wc_str`; without a pointer it is empty.
unsafe impl Mirror<String> for Str {
    unsafe fn take(&self, at: At<'_>) -> Result<String, WireError> {
        // SAFETY: the caller's word is the same.
        let text = unsafe { at.text(self.data, self.length) }?;
        at.held(String::from(text))
    }

    fn of(value: &String, _: &mut Memory) -> Self {
        Str::of_text(value)
    }
}

// SAFETY: laid out as `wc_str`; without a pointer it is empty.
unsafe impl Mirror<Json> for Str {
    unsafe fn take(&self, at: At<'_>) -> Result<Json, WireError> {
        // SAFETY: the caller's word is the same.
        let json = unsafe { self.json(at) }?;
        at.held(json)
    }

    fn of(value: &Json, _: &mut Memory) -> Self {
        Str::of_text(value.as_str())
    }
}

/// `wc_bytes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    data: *const u8,
    length: usize,
}

impl Bytes {
    /// Bytes that live forever.
    pub const fn new(bytes: &'static [u8]) -> Bytes {
        Bytes { data: bytes.as_ptr(), length: bytes.len() }
    }
}

// SAFETY: laid out as `wc_bytes`; without a pointer it is empty.
unsafe impl<S> Mirror<Vec<u8>, S> for Bytes
where
    Vec<u8>: JsonType<S>,
{
    unsafe fn take(&self, at: At<'_>) -> Result<Vec<u8>, WireError> {
        // SAFETY: the caller's word is the same.
        let bytes = unsafe { at.bytes(self.data, self.length) }?;
        at.held::<_, S>(Vec::from(bytes))
    }

    fn of(value: &Vec<u8>, _: &mut Memory) -> Self {
        Bytes { data: value.as_ptr(), length: value.len() }
    }
}

/// Bytes in place.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct ByteArray<const N: usize>(pub [u8; N]);

// SAFETY: the bytes themselves.
unsafe impl<S, const N: usize> Mirror<[u8; N], S> for ByteArray<N>
where
    [u8; N]: JsonType<S>,
{
    unsafe fn take(&self, at: At<'_>) -> Result<[u8; N], WireError> {
        at.held::<_, S>(self.0)
    }

    fn of(value: &[u8; N], _: &mut Memory) -> Self {
        ByteArray(*value)
    }

    fn items(values: &[[u8; N]], _: &mut Memory) -> *const Self {
        values.as_ptr().cast()
    }
}

/// A value of a closed enumeration, which C can give any number.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Value<R>(pub R);

impl<R: Integer> Value<R> {
    pub(super) fn known<E: Enumeration<Repr = R>>(self, at: At<'_>) -> Result<E, WireError> {
        let unknown = || at.refuse(Code::UnknownValue, Expected::ValueOf(E::NAME), self.0.found());
        E::from_value(self.0).ok_or_else(unknown)
    }
}

// SAFETY: the number itself.
unsafe impl<E: Enumeration + JsonType> Mirror<E> for Value<E::Repr> {
    unsafe fn take(&self, at: At<'_>) -> Result<E, WireError> {
        self.known(at)
    }

    fn of(value: &E, _: &mut Memory) -> Self {
        Value(value.value())
    }
}

/// A number that an enumeration may not have.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OpenValue<R>(pub R);

// SAFETY: the number itself.
unsafe impl<E: Enumeration> Mirror<Open<E>> for OpenValue<E::Repr> {
    unsafe fn take(&self, _: At<'_>) -> Result<Open<E>, WireError> {
        Ok(Open::from_raw(self.0))
    }

    fn of(value: &Open<E>, _: &mut Memory) -> Self {
        OpenValue(value.raw())
    }
}

/// The bits of flags.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Bits<R>(pub R);

// SAFETY: the number itself.
unsafe impl<E: FlagSet> Mirror<Flags<E>> for Bits<E::Repr> {
    unsafe fn take(&self, at: At<'_>) -> Result<Flags<E>, WireError> {
        let unknown = || at.refuse(Code::UnknownBits, Expected::BitsWithin(E::KNOWN_BITS), self.0.found());
        Flags::from_bits(self.0).ok_or_else(unknown)
    }

    fn of(value: &Flags<E>, _: &mut Memory) -> Self {
        Bits(value.bits())
    }
}
