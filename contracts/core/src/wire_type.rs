//! What may stand in a field of a descriptor, and how each looks in bytes.

use core::fmt;

use crate::WireError;
use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::probe::{If, ViewOf};

/// Byte order of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// That of the machine.
    Native,
}

/// What [`WireContract::view`](crate::WireContract::view) gives for `T`: getters over bytes that were checked.
///
/// `IS_WIRE_TYPE` is always true but in the signatures of a contract that was refused.
pub type View<'a, T, const IS_WIRE_TYPE: bool = true> = <If<IS_WIRE_TYPE> as ViewOf<T>>::View<'a>;

/// What may stand in a field: fixed-width integers, floats, bools, enumerations, flags, descriptors, and arrays of
/// all of these.
///
/// Functions that take bytes take exactly `SHAPE.bytes()` of them, and `decode` and `view_of` only bytes that
/// `validate` accepted.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fixed form on the wire",
    label = "not a wire type",
    note = "a field holds u8 to u64, i8 to i64, f32, f64, bool, an enumeration, `Open<E>`, `Flags<E>`, a descriptor, or an array of these",
    note = "for usize write u64; for char write u32; for String or &str write `#[wire(text)] [u8; N]`; for Vec or a slice write `[T; N]` and a `#[wire(length_of = …)]` count",
    note = "for Option write a flag beside the value or a reserved value; for u128 write `[u64; 2]`; pointers do not cross a process boundary"
)]
pub trait WireType: Sized {
    /// Code, size, dimensions and ids.
    const SHAPE: Shape;

    /// A value over bytes: itself for what is cheap to copy.
    type View<'a>;

    /// An array of it over bytes.
    type Slice<'a>;

    /// Refuses bytes that are no value.
    fn validate<R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R>;

    /// The value of validated bytes.
    fn decode(bytes: &[u8], endian: Endian) -> Self;

    /// Refuses a value that cannot be written.
    #[inline(always)]
    fn check<R: Refuse>(&self, at: At) -> Result<(), R> {
        let _ = at;
        Ok(())
    }

    /// Refuses a value that an importer may not use, at the offset where it starts. Of values that were read, or
    /// that can be written.
    #[inline(always)]
    fn import(&self, offset: usize) -> Result<(), WireError> {
        let _ = offset;
        Ok(())
    }

    /// Writes the value.
    fn encode(&self, bytes: &mut [u8], endian: Endian);

    /// The value that all-zero bytes say; asked of types for which they say one.
    #[inline]
    fn zero() -> Self {
        Self::decode(&[0; 8][..Self::SHAPE.bytes()], Endian::Native)
    }

    /// The view of validated bytes; of an array, bytes of fewer elements are taken too.
    fn view_of(bytes: &[u8], endian: Endian) -> Self::View<'_>;

    /// The view of validated bytes of a version from 1 on, which are those that this version has; asked of descriptors
    /// that grow, and of what stands last in them.
    #[inline(always)]
    fn view_of_version(bytes: &[u8], endian: Endian, version: u64) -> Self::View<'_> {
        let _ = version;
        Self::view_of(bytes, endian)
    }

    /// The version that a field says of at least the first version's bytes, behind the magic; 0 where no field says one.
    /// One beyond the newest is refused, but where it `may_be_newer`. Asked of descriptors that grow only.
    #[inline(always)]
    fn said_version<R: Refuse>(bytes: &[u8], at: At, may_be_newer: bool) -> Result<u64, R> {
        let _ = (bytes, at, may_be_newer);
        Ok(0)
    }

    /// Writes the version, where a field says it; asked of descriptors that grow only.
    #[inline(always)]
    fn say_version(bytes: &mut [u8], version: u64) {
        let _ = (bytes, version);
    }

    /// Refuses the bytes of the newest version that an older one cannot say: where a field that it has not is other than
    /// its default. Asked of descriptors that grow, and of what stands last in them.
    #[inline(always)]
    fn held_back<R: Refuse>(bytes: &[u8], version: u64, at: At) -> Result<(), R> {
        let _ = (bytes, version, at);
        Ok(())
    }

    /// The view of validated bytes of an array.
    fn slice_of(bytes: &[u8], endian: Endian) -> Self::Slice<'_>;

    /// It as a number of elements or of a version; asked of unsigned integers only.
    #[inline(always)]
    fn count(&self) -> u64 {
        0
    }

    /// That number, if it can say so; asked of unsigned integers only.
    #[inline(always)]
    fn from_count(count: u64) -> Option<Self> {
        let _ = count;
        None
    }

    /// Its bytes as text; asked of arrays of bytes only.
    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        &[]
    }

    /// Its bytes as text, to be set; asked of arrays of bytes only.
    #[inline(always)]
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut []
    }

    /// The bytes of an array of it; none unless it is a byte.
    #[inline(always)]
    fn bytes_of(items: &[Self]) -> &[u8] {
        let _ = items;
        &[]
    }

    /// The bytes of an array of it, to be set; none unless it is a byte.
    #[inline(always)]
    fn bytes_of_mut(items: &mut [Self]) -> &mut [u8] {
        let _ = items;
        &mut []
    }

    /// Refuses an array of which one of the first `count` elements cannot be written.
    #[inline(always)]
    fn check_counted<R: Refuse>(&self, count: usize, at: At) -> Result<(), R> {
        let _ = count;
        self.check(at)
    }

    /// Refuses an array of which an importer may not use one of the first `count` elements.
    #[inline(always)]
    fn import_counted(&self, count: usize, offset: usize) -> Result<(), WireError> {
        let _ = count;
        self.import(offset)
    }

    /// Writes the first `count` elements of an array and zeros for the others.
    #[inline(always)]
    fn encode_counted(&self, count: usize, bytes: &mut [u8], endian: Endian) {
        let _ = count;
        self.encode(bytes, endian);
    }

    /// Refuses bytes that are no array of values, at the first element at fault.
    #[inline]
    fn validate_all<R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R> {
        let size = Self::SHAPE.bytes();
        for (index, element) in bytes.chunks_exact(size).enumerate() {
            Self::validate(element, endian, at.on(index * size))?;
        }
        Ok(())
    }

    /// The array of validated bytes.
    #[inline]
    fn decode_all<const N: usize>(bytes: &[u8], endian: Endian) -> [Self; N] {
        let size = Self::SHAPE.bytes();
        core::array::from_fn(|index| Self::decode(&bytes[index * size..(index + 1) * size], endian))
    }

    /// Refuses an array that cannot be written, at the first element at fault.
    #[inline]
    fn check_all<R: Refuse>(items: &[Self], at: At) -> Result<(), R> {
        let size = Self::SHAPE.bytes();
        for (index, item) in items.iter().enumerate() {
            item.check(at.on(index * size))?;
        }
        Ok(())
    }

    /// Refuses an array that an importer may not use, at the first element at fault.
    #[inline]
    fn import_all(items: &[Self], offset: usize) -> Result<(), WireError> {
        let size = Self::SHAPE.bytes();
        for (index, item) in items.iter().enumerate() {
            item.import(offset + index * size)?;
        }
        Ok(())
    }

    /// Writes the first `count` items of an array and zeros for the others.
    #[inline]
    fn encode_some(items: &[Self], count: usize, bytes: &mut [u8], endian: Endian) {
        let size = Self::SHAPE.bytes();
        for (index, (item, place)) in items.iter().zip(bytes.chunks_exact_mut(size)).enumerate() {
            if index < count {
                item.encode(place, endian);
            } else {
                place.fill(0);
            }
        }
    }
}

/// Bytes that a slice is known to have.
///
/// # Panics
/// When it has another number of them: callers take exact slices.
#[inline(always)]
pub fn exact<const N: usize>(bytes: &[u8]) -> &[u8; N] {
    match bytes.first_chunk() {
        Some(exact) if bytes.len() == N => exact,
        _ => panic!("a wire type was given another number of bytes than it has"),
    }
}

/// As [`exact`], to write to.
///
/// # Panics
/// When it has another number of them: callers give exact slices.
#[inline(always)]
pub fn exact_mut<const N: usize>(bytes: &mut [u8]) -> &mut [u8; N] {
    let length = bytes.len();
    match bytes.first_chunk_mut() {
        Some(exact) if length == N => exact,
        _ => panic!("a wire type was given another number of bytes than it has"),
    }
}

/// What a view shows of itself.
///
/// # Errors
/// As the formatter has it.
pub fn debug(f: &mut fmt::Formatter<'_>, name: &str, bytes: &[u8]) -> fmt::Result {
    f.debug_struct(name).field("bytes", &bytes).finish()
}

/// The smallest of some lengths.
pub const fn least(lengths: &[usize]) -> usize {
    let mut least = usize::MAX;
    let mut index = 0;
    while index < lengths.len() {
        if lengths[index] < least {
            least = lengths[index];
        }
        index += 1;
    }
    least
}

macro_rules! array_view_slice {
    () => {
        type Slice<'a> = ArrayView<'a, Self>;
        #[inline(always)]
        fn slice_of(bytes: &[u8], endian: Endian) -> ArrayView<'_, Self> {
            ArrayView::new(bytes, endian)
        }
    };
}

pub(crate) use array_view_slice;
