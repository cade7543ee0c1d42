//! Descriptors in recipes, as the structs that C decodes them into.

use crate::wire_type::{Endian, WireType};
use crate::{WireContract, WireError};

/// A field of a descriptor's struct in C: numbers, and arrays and structs of them.
pub trait Serial: Copy {
    /// Bytes on the wire.
    const SIZE: usize;

    /// Writes it.
    fn put(&self, bytes: &mut [u8], endian: Endian);

    /// Reads it.
    fn get(bytes: &[u8], endian: Endian) -> Self;
}

macro_rules! numbers {
    ($($number:ident)*) => { $(
        impl Serial for $number {
            const SIZE: usize = size_of::<$number>();

            fn put(&self, bytes: &mut [u8], endian: Endian) {
                WireType::encode(self, bytes, endian);
            }

            fn get(bytes: &[u8], endian: Endian) -> Self {
                <$number as WireType>::decode(bytes, endian)
            }
        }
    )* };
}

// Floats are moved as their bits.
numbers!(u8 i8 u16 i16 u32 i32 u64 i64);

impl<T: Serial, const N: usize> Serial for [T; N] {
    const SIZE: usize = N * T::SIZE;

    fn put(&self, bytes: &mut [u8], endian: Endian) {
        for (item, bytes) in self.iter().zip(bytes.chunks_exact_mut(T::SIZE)) {
            item.put(bytes, endian);
        }
    }

    fn get(bytes: &[u8], endian: Endian) -> Self {
        core::array::from_fn(|index| T::get(&bytes[index * T::SIZE..(index + 1) * T::SIZE], endian))
    }
}

/// Writes the first `count` items of an array, or all when it has fewer, which is refused later.
pub fn put_counted<T: Serial, const N: usize>(items: &[T; N], count: u64, bytes: &mut [u8], endian: Endian) {
    let count = usize::try_from(count).unwrap_or(N);
    for (item, bytes) in items.iter().zip(bytes.chunks_exact_mut(T::SIZE)).take(count) {
        item.put(bytes, endian);
    }
}

/// The descriptor whose bytes these are. What holds it is a text, which has one place.
pub fn read_descriptor<D: WireContract>(bytes: &[u8]) -> Result<D, WireError> {
    D::from_bytes(bytes).map_err(|error| WireError { offset: 0, ..error })
}

/// The struct of a descriptor. One that was read can be written.
pub fn write_descriptor<D: WireContract, C: Serial>(value: &D) -> C {
    let bytes = value.to_bytes().unwrap_or(D::ZEROED);
    C::get(bytes.as_ref(), Endian::Little)
}
