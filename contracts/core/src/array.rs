//! Arrays of wire types, and views of them.

use core::fmt;
use core::marker::PhantomData;

use crate::WireError;
use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::wire_type::{Endian, View, WireType, array_view_slice};

/// Arrays, whose elements a count may count.
#[doc(hidden)]
pub trait Array {
    /// What it is an array of.
    type Element;
    /// All of them.
    fn elements(&self) -> &[Self::Element];
    /// All of them, to be set.
    fn elements_mut(&mut self) -> &mut [Self::Element];
}

impl<T: WireType, const N: usize> WireType for [T; N] {
    const SHAPE: Shape = T::SHAPE.array(N);
    type View<'a> = T::Slice<'a>;
    array_view_slice!();

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        T::bytes_of(self)
    }

    #[inline(always)]
    fn bytes_mut(&mut self) -> &mut [u8] {
        T::bytes_of_mut(self)
    }

    #[inline(always)]
    fn check_counted<R: Refuse>(&self, count: usize, at: At) -> Result<(), R> {
        T::check_all(self.get(..count).unwrap_or(self), at)
    }

    #[inline(always)]
    fn import(&self, offset: usize) -> Result<(), WireError> {
        T::import_all(self, offset)
    }

    #[inline(always)]
    fn import_counted(&self, count: usize, offset: usize) -> Result<(), WireError> {
        T::import_all(self.get(..count).unwrap_or(self), offset)
    }

    #[inline(always)]
    fn encode_counted(&self, count: usize, bytes: &mut [u8], endian: Endian) {
        T::encode_some(self, count, bytes, endian);
    }

    #[inline(always)]
    fn validate<R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R> {
        T::validate_all(bytes, endian, at)
    }

    #[inline(always)]
    fn decode(bytes: &[u8], endian: Endian) -> Self {
        T::decode_all(bytes, endian)
    }

    #[inline(always)]
    fn check<R: Refuse>(&self, at: At) -> Result<(), R> {
        T::check_all(self, at)
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], endian: Endian) {
        T::encode_some(self, N, bytes, endian);
    }

    #[inline]
    fn zero() -> Self {
        core::array::from_fn(|_| T::zero())
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> T::Slice<'_> {
        T::slice_of(bytes, endian)
    }
}

impl<T, const N: usize> Array for [T; N] {
    type Element = T;

    #[inline(always)]
    fn elements(&self) -> &[T] {
        self
    }

    #[inline(always)]
    fn elements_mut(&mut self) -> &mut [T] {
        self
    }
}

/// An array in bytes that were checked: elements are read when they are asked for.
pub struct ArrayView<'a, T: WireType> {
    bytes: &'a [u8],
    endian: Endian,
    element: PhantomData<fn() -> T>,
}

impl<'a, T: WireType> ArrayView<'a, T> {
    /// A view of bytes that were checked.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(bytes: &'a [u8], endian: Endian) -> Self {
        ArrayView { bytes, endian, element: PhantomData }
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len() / T::SHAPE.bytes()
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The element of that index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<View<'a, T>> {
        let size = T::SHAPE.bytes();
        let start = index.checked_mul(size)?;
        let element = self.bytes.get(start..start.checked_add(size)?)?;
        Some(T::view_of(element, self.endian))
    }

    /// The elements.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = View<'a, T>> + use<'a, T> {
        let endian = self.endian;
        self.bytes.chunks_exact(T::SHAPE.bytes()).map(move |element| T::view_of(element, endian))
    }

    /// The bytes, in the byte order of the wire.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<T: WireType> Clone for ArrayView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: WireType> Copy for ArrayView<'_, T> {}

impl<'a, T: WireType> fmt::Debug for ArrayView<'a, T>
where
    View<'a, T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
