//! What a rule asks of a field besides its value: how long it is, whether it is there, whether it is used.

use crate::layout::Shape;
use crate::layout::check::Message;
use crate::scalar::Integer;
use crate::{Enumeration, FlagSet, Flags, Open};

/// What has a length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "no array, text, bytes or map",
    note = "of what may be absent, a rule may ask the length only where it has a default"
)]
pub trait Length {
    /// Items of an array, bytes of a text, members of a map.
    fn length(&self) -> u64;
}

impl<T> Length for [T] {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<T, const N: usize> Length for [T; N] {
    #[inline(always)]
    fn length(&self) -> u64 {
        N as u64
    }
}

impl Length for str {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<T: Length + ?Sized> Length for &T {
    #[inline(always)]
    fn length(&self) -> u64 {
        T::length(self)
    }
}

/// A length that is known.
pub struct Measure(u64);

impl Measure {
    #[inline(always)]
    pub(super) fn of(length: u64) -> Measure {
        Measure(length)
    }
}

impl Length for Measure {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.0
    }
}

/// The length of something.
#[inline(always)]
pub fn length<T: Length + ?Sized>(value: &T) -> i128 {
    i128::from(value.length())
}

/// Refuses the length of what is no array.
#[track_caller]
pub const fn check_length(shape: &Shape, field: &str) {
    if shape.rank == 0 && shape.fault.is_none() {
        Message::new().text("`").text(field).text("` is no array, and has no length").fail();
    }
}

/// What may be absent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is always there",
    label = "no `Option`",
    note = "`present(f)` is asked of an optional key"
)]
pub trait Optional {
    /// Whether it is there.
    fn is_present(&self) -> bool;
}

impl<T> Optional for Option<T> {
    #[inline(always)]
    fn is_present(&self) -> bool {
        self.is_some()
    }
}

/// Whether something that may be absent is there.
#[inline(always)]
pub fn present<T: Optional>(value: &T) -> bool {
    value.is_present()
}

/// What may be said to be unused: zero, or nothing but zeros.
#[diagnostic::on_unimplemented(
    message = "a rule cannot say that `{Self}` is not used",
    label = "not a number, a bool, an enumeration, flags or an array of them",
    note = "say it of the fields of a nested descriptor, where they are declared"
)]
pub trait Used {
    /// Whether it is other than zero.
    fn is_used(&self) -> bool;

    /// Whether one of the first elements is; of what is no array, whether it is.
    #[inline(always)]
    fn is_used_within(&self, count: usize) -> bool {
        let _ = count;
        self.is_used()
    }
}

macro_rules! used {
    ($($type:ident)*) => { $(
        impl Used for $type {
            #[inline(always)]
            fn is_used(&self) -> bool {
                *self != 0
            }
        }
    )* };
}

used! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl Used for bool {
    #[inline(always)]
    fn is_used(&self) -> bool {
        *self
    }
}

impl Used for f32 {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.to_bits() != 0
    }
}

impl Used for f64 {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.to_bits() != 0
    }
}

impl<E: Enumeration> Used for Open<E> {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.raw().to_u64() != 0
    }
}

impl<E: FlagSet> Used for Flags<E> {
    #[inline(always)]
    fn is_used(&self) -> bool {
        !self.is_empty()
    }
}

impl<T: Used, const N: usize> Used for [T; N] {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.iter().any(Used::is_used)
    }

    #[inline(always)]
    fn is_used_within(&self, count: usize) -> bool {
        self.iter().take(count).any(Used::is_used)
    }
}

/// Whether a field is other than zero.
#[inline(always)]
pub fn used<T: Used>(value: &T) -> bool {
    value.is_used()
}

/// Whether one of the elements of an array that count is other than zero.
#[inline(always)]
pub fn used_within<T: Used>(value: &T, count: usize) -> bool {
    value.is_used_within(count)
}
