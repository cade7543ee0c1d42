//! An enumeration's number from a side that may know more values than this one.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::scalar::Integer;
use crate::wire_type::{Endian, WireType, array_view_slice};
use crate::{ArrayView, Enumeration};

/// A number that should be a value of `E` and may be one that only a newer version knows.
///
/// On the wire it is the number alone. Every number is accepted and kept.
// `ManuallyDrop` is for the compiler's errors, as in `Flags`; and so that the last field is of some size whatever `E` is.
#[cfg_attr(
    feature = "zerocopy",
    derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)
)]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Open<E: Enumeration>(ManuallyDrop<E::Repr>, PhantomData<E>);

impl<E: Enumeration> Open<E> {
    /// The number `raw`, whether it has a name or not.
    #[inline]
    pub const fn from_raw(raw: E::Repr) -> Self {
        Open(ManuallyDrop::new(raw), PhantomData)
    }

    /// The number.
    #[inline]
    pub const fn raw(self) -> E::Repr {
        ManuallyDrop::into_inner(self.0)
    }

    /// The value, when the number has a name here.
    #[inline]
    pub fn known(self) -> Option<E> {
        E::from_value(self.raw())
    }
}

impl<E: Enumeration> From<E> for Open<E> {
    #[inline]
    fn from(value: E) -> Self {
        Open::from_raw(value.value())
    }
}

impl<E: Enumeration> PartialEq for Open<E> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl<E: Enumeration> Eq for Open<E> {}

impl<E: Enumeration> PartialEq<E> for Open<E> {
    #[inline]
    fn eq(&self, other: &E) -> bool {
        self.raw() == other.value()
    }
}

impl<E: Enumeration> Hash for Open<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

impl<E: Enumeration> fmt::Debug for Open<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some(value) => f.write_str(value.name()),
            None => write!(f, "{}({:?})", E::NAME, self.raw()),
        }
    }
}

impl<E: Enumeration> WireType for Open<E> {
    const SHAPE: Shape = Shape::enumeration::<E>(true);
    type View<'a> = Self;
    array_view_slice!();

    #[inline(always)]
    fn validate<R: Refuse>(_: &[u8], _: Endian, _: At) -> Result<(), R> {
        Ok(())
    }

    #[inline(always)]
    fn decode(bytes: &[u8], endian: Endian) -> Self {
        Open::from_raw(E::Repr::get(bytes, endian))
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], endian: Endian) {
        self.raw().put(bytes, endian);
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> Self {
        Self::decode(bytes, endian)
    }
}

#[cfg(feature = "bytemuck")]
// SAFETY: a transparent wrapper of an integer (`Integer` cannot be named, and so not implemented, elsewhere) is
// zeroable as the integer is.
unsafe impl<E: Enumeration> bytemuck::Zeroable for Open<E> {}

#[cfg(feature = "bytemuck")]
// SAFETY: a transparent wrapper of an integer: any bits, no padding, no pointers, `Copy` and `'static` as `Pod`
// demands of it.
unsafe impl<E: Enumeration> bytemuck::Pod for Open<E> {}
