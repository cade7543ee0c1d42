//! What may stand in a field of a descriptor, and how each looks in bytes.

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;

use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::{Enumeration, FlagSet, Flags, Found, Open};

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

    /// Writes the value.
    fn encode(&self, bytes: &mut [u8], endian: Endian);

    /// The value that all-zero bytes say; asked of types for which they say one.
    #[inline]
    fn zero() -> Self {
        Self::decode(&[0; 8][..Self::SHAPE.bytes()], Endian::Native)
    }

    /// The view of validated bytes; of an array, bytes of fewer elements are taken too.
    fn view_of(bytes: &[u8], endian: Endian) -> Self::View<'_>;

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

/// Fixed-width integers that stand for enumerations and flags.
#[doc(hidden)]
pub trait Integer: WireType + Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// Whether it has a sign.
    const SIGNED: bool;
    /// Reads it.
    fn get(bytes: &[u8], endian: Endian) -> Self;
    /// Writes it.
    fn put(self, bytes: &mut [u8], endian: Endian);
    /// Its bits, without a sign.
    fn to_u64(self) -> u64;
    /// The low bits of a number.
    fn from_u64(bits: u64) -> Self;
    /// It, for an error.
    fn found(self) -> Found;
}

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

/// What a type is, as constants that every type has: a bound that does not hold would be an error wherever it is
/// asked for, and a field of a wrong type is one error.
#[doc(hidden)]
pub struct Probe<T>(PhantomData<T>);

impl<T: WireType> Probe<T> {
    /// It may stand in a field.
    pub const IS_WIRE_TYPE: bool = true;
}

impl<T: Array> Probe<T> {
    /// A count may count its elements.
    pub const IS_ARRAY: bool = true;
}

/// What [`Probe`] says of all other types.
#[doc(hidden)]
pub trait Otherwise {
    /// It may not stand in a field.
    const IS_WIRE_TYPE: bool = false;
    /// It has no elements.
    const IS_ARRAY: bool = false;
}

impl<T> Otherwise for Probe<T> {}

/// Types that depend on what [`Probe`] said.
#[doc(hidden)]
pub struct If<const SAID: bool>;

/// The view of `T`, also where `T` was refused.
#[doc(hidden)]
pub trait ViewOf<T> {
    /// [`WireType::View`], or nothing.
    type View<'a>;
    /// [`WireType::view_of`].
    fn view_of(bytes: &[u8], endian: Endian) -> Self::View<'_>;
}

impl<T: WireType> ViewOf<T> for If<true> {
    type View<'a> = T::View<'a>;

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> T::View<'_> {
        T::view_of(bytes, endian)
    }
}

impl<T> ViewOf<T> for If<false> {
    type View<'a> = ();

    fn view_of(_: &[u8], _: Endian) {}
}

/// The elements of `T`, also where `T` was refused.
#[doc(hidden)]
pub trait ElementsOf<T> {
    /// [`Array::Element`], or nothing.
    type Element;
    /// [`Array::elements`].
    fn elements(value: &T) -> &[Self::Element];
    /// [`Array::elements_mut`].
    fn elements_mut(value: &mut T) -> &mut [Self::Element];
}

impl<T: Array> ElementsOf<T> for If<true> {
    type Element = T::Element;

    #[inline(always)]
    fn elements(value: &T) -> &[T::Element] {
        value.elements()
    }

    #[inline(always)]
    fn elements_mut(value: &mut T) -> &mut [T::Element] {
        value.elements_mut()
    }
}

impl<T> ElementsOf<T> for If<false> {
    type Element = ();

    fn elements(_: &T) -> &[()] {
        &[]
    }

    fn elements_mut(_: &mut T) -> &mut [()] {
        &mut []
    }
}

/// What `T` is an array of.
#[doc(hidden)]
pub type Element<T, const IS_ARRAY: bool> = <If<IS_ARRAY> as ElementsOf<T>>::Element;

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

macro_rules! count {
    () => {
        #[inline(always)]
        fn count(&self) -> u64 {
            u64::from(*self)
        }
        #[inline(always)]
        fn from_count(count: u64) -> Option<Self> {
            count.try_into().ok()
        }
    };
}

macro_rules! scalar {
    ($($type:ident $code:literal $size:literal { $($slice:tt)* })*) => { $(
        impl WireType for $type {
            const SHAPE: Shape = Shape::scalar($code, $size);
            type View<'a> = $type;
            #[inline(always)]
            fn validate<R: Refuse>(_: &[u8], _: Endian, _: At) -> Result<(), R> {
                Ok(())
            }
            #[inline(always)]
            fn decode(bytes: &[u8], endian: Endian) -> Self {
                let bytes = *exact(bytes);
                match endian {
                    Endian::Little => $type::from_le_bytes(bytes),
                    Endian::Big => $type::from_be_bytes(bytes),
                    Endian::Native => $type::from_ne_bytes(bytes),
                }
            }
            #[inline(always)]
            fn encode(&self, bytes: &mut [u8], endian: Endian) {
                bytes.copy_from_slice(&match endian {
                    Endian::Little => self.to_le_bytes(),
                    Endian::Big => self.to_be_bytes(),
                    Endian::Native => self.to_ne_bytes(),
                });
            }
            #[inline(always)]
            fn view_of(bytes: &[u8], endian: Endian) -> $type {
                Self::decode(bytes, endian)
            }
            #[inline(always)]
            fn validate_all<R: Refuse>(_: &[u8], _: Endian, _: At) -> Result<(), R> {
                Ok(())
            }
            #[inline(always)]
            fn check_all<R: Refuse>(_: &[Self], _: At) -> Result<(), R> {
                Ok(())
            }
            $($slice)*
        }
    )* };
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

/// The longest array of bytes that is written under a mask.
const SHORT: usize = 64;

/// From `SHORT - n` on: `n` bytes that keep, then bytes that clear.
static MASKS: [u8; 2 * SHORT] = {
    let mut masks = [0; 2 * SHORT];
    let mut index = 0;
    while index < SHORT {
        masks[index] = 0xff;
        index += 1;
    }
    masks
};

scalar! {
    u8 2 1 {
        count!();
        #[inline(always)]
        fn bytes_of(items: &[u8]) -> &[u8] {
            items
        }
        #[inline(always)]
        fn bytes_of_mut(items: &mut [u8]) -> &mut [u8] {
            items
        }
        type Slice<'a> = &'a [u8];
        #[inline(always)]
        fn slice_of(bytes: &[u8], _: Endian) -> &[u8] {
            bytes
        }
        #[inline(always)]
        fn decode_all<const N: usize>(bytes: &[u8], _: Endian) -> [u8; N] {
            *exact(bytes)
        }
        #[inline(always)]
        fn encode_some(items: &[u8], count: usize, bytes: &mut [u8], _: Endian) {
            if items.len() > SHORT {
                bytes.copy_from_slice(items);
                if let Some(rest) = bytes.get_mut(count..) {
                    rest.fill(0);
                }
                return;
            }
            // A short array: one pass under a mask is less than a copy and a call to clear the rest.
            let start = SHORT - count.min(items.len());
            for ((item, place), mask) in items.iter().zip(bytes).zip(&MASKS[start..start + items.len()]) {
                *place = *item & *mask;
            }
        }
    }
    i8 3 1 { array_view_slice!(); }
    u16 4 2 { array_view_slice!(); count!(); }
    i16 5 2 { array_view_slice!(); }
    u32 6 4 { array_view_slice!(); count!(); }
    i32 7 4 { array_view_slice!(); }
    u64 8 8 { array_view_slice!(); count!(); }
    i64 9 8 { array_view_slice!(); }
    f32 10 4 { array_view_slice!(); }
    f64 11 8 { array_view_slice!(); }
}

impl WireType for bool {
    const SHAPE: Shape = Shape::scalar(1, 1);
    type View<'a> = bool;
    array_view_slice!();

    #[inline(always)]
    fn validate<R: Refuse>(bytes: &[u8], _: Endian, at: At) -> Result<(), R> {
        let [byte] = *exact(bytes);
        if byte > 1 { Err(R::boolean(at, byte)) } else { Ok(()) }
    }

    #[inline(always)]
    fn decode(bytes: &[u8], _: Endian) -> bool {
        let [byte] = *exact(bytes);
        byte != 0
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], _: Endian) {
        bytes.copy_from_slice(&[u8::from(*self)]);
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> bool {
        Self::decode(bytes, endian)
    }
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

impl<E: FlagSet> WireType for Flags<E> {
    const SHAPE: Shape = Shape::flags::<E>();
    type View<'a> = Self;
    array_view_slice!();

    #[inline(always)]
    fn validate<R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R> {
        Self::decode(bytes, endian).check(at)
    }

    #[inline(always)]
    fn decode(bytes: &[u8], endian: Endian) -> Self {
        crate::flags::wire::decode(bytes, endian)
    }

    #[inline(always)]
    fn check<R: Refuse>(&self, at: At) -> Result<(), R> {
        crate::flags::wire::check(*self, at)
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], endian: Endian) {
        self.bits().put(bytes, endian);
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> Self {
        Self::decode(bytes, endian)
    }
}

macro_rules! integer {
    ($($type:ident $signed:literal $found:ident $wide:ident;)*) => { $(
        #[allow(clippy::cast_lossless, clippy::cast_sign_loss, clippy::cast_possible_truncation,
            clippy::cast_possible_wrap, reason = "bits move between integers of one width or a wider one")]
        impl Integer for $type {
            const SIGNED: bool = $signed;
            #[inline(always)]
            fn get(bytes: &[u8], endian: Endian) -> Self {
                Self::decode(bytes, endian)
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8], endian: Endian) {
                self.encode(bytes, endian);
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as $type
            }
            #[inline(always)]
            fn found(self) -> Found {
                Found::$found(self as $wide)
            }
        }
    )* };
}

integer! {
    u8 false Unsigned u64;
    u16 false Unsigned u64;
    u32 false Unsigned u64;
    u64 false Unsigned u64;
    i8 true Signed i64;
    i16 true Signed i64;
    i32 true Signed i64;
    i64 true Signed i64;
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

/// What the derive calls for fields that a count counts, for text and for reserved bytes.
///
/// Nothing here is generic over a field's type: a bound on it would be a second error for a type without a form on
/// the wire.
pub mod counted {
    use crate::WireError;
    use crate::error::{At, Refuse};

    /// Refuses a count beyond its array.
    #[inline(always)]
    pub fn check<R: Refuse>(count: u64, most: usize, at: At) -> Result<(), R> {
        if count > most as u64 {
            return Err(R::count(at, most, count));
        }
        Ok(())
    }

    /// Refuses a version that is 0 or beyond the newest.
    #[inline(always)]
    pub fn version<R: Refuse>(version: u64, newest: u64, at: At) -> Result<(), R> {
        if version.wrapping_sub(1) >= newest {
            return Err(R::version(at, newest, version));
        }
        Ok(())
    }

    /// A count as an index, held within the array.
    #[inline(always)]
    pub fn within(count: u64, most: usize) -> usize {
        match usize::try_from(count) {
            Ok(count) if count < most => count,
            _ => most,
        }
    }

    /// The elements that count.
    #[inline(always)]
    pub fn valid<T>(elements: &[T], count: u64) -> &[T] {
        &elements[..within(count, elements.len())]
    }

    /// Sets the first of an array's elements.
    pub fn copy<T: Clone>(array: &mut [T], elements: &[T]) {
        for (place, element) in array.iter_mut().zip(elements) {
            place.clone_from(element);
        }
    }

    /// Refuses more elements than an array holds or its count can say.
    pub fn fits(length: usize, most: usize, at: At) -> Result<u64, WireError> {
        if length > most { Err(WireError::count(at, most, length as u64)) } else { Ok(length as u64) }
    }

    /// Refuses arrays that share a count and differ in length.
    pub fn even(first: usize, other: usize, at: At) -> Result<(), WireError> {
        if first == other { Ok(()) } else { Err(WireError::uneven(at, first, other)) }
    }

    /// Refuses bytes that are no text.
    #[inline]
    pub fn check_text<R: Refuse>(bytes: &[u8], at: At) -> Result<(), R> {
        text(bytes).map(|_| ()).ok_or_else(|| R::text(at))
    }

    /// The text in NUL-padded bytes.
    #[inline]
    pub fn text(bytes: &[u8]) -> Option<&str> {
        let end = bytes.iter().position(|&byte| byte == 0)?;
        let (text, padding) = bytes.split_at(end);
        if padding.iter().any(|&byte| byte != 0) {
            return None;
        }
        core::str::from_utf8(text).ok()
    }

    /// Sets a text; refused when it has a NUL or leaves no room for one.
    pub fn set_text(bytes: &mut [u8], text: &str, at: At) -> Result<(), WireError> {
        if text.len() >= bytes.len() {
            return Err(WireError::count(at, bytes.len() - 1, text.len() as u64));
        }
        if text.contains('\0') {
            return Err(WireError::text(at));
        }
        let (head, tail) = bytes.split_at_mut(text.len());
        head.copy_from_slice(text.as_bytes());
        tail.fill(0);
        Ok(())
    }

    /// Refuses reserved bytes that are not zero.
    #[inline(always)]
    pub fn check_zero<R: Refuse>(bytes: &[u8], at: At) -> Result<(), R> {
        if bytes.iter().fold(0, |bits, byte| bits | byte) != 0 {
            return Err(R::reserved(at, bytes));
        }
        Ok(())
    }
}

/// The wire type of an enumeration, from its `Enumeration` impl.
#[doc(hidden)]
#[macro_export]
macro_rules! __enumeration_wire_type {
    ($enumeration:ident) => {
        #[automatically_derived]
        impl __wire::WireType for $enumeration {
            const SHAPE: __wire::Shape = __wire::Shape::enumeration::<Self>(false);
            type View<'a> = Self;
            type Slice<'a> = __wire::ArrayView<'a, Self>;

            #[inline(always)]
            fn validate<R: __wire::Refuse>(
                bytes: &[u8],
                endian: __wire::Endian,
                at: __wire::At,
            ) -> ::core::result::Result<(), R> {
                __wire::enumeration::validate::<Self, R>(bytes, endian, at)
            }

            #[inline(always)]
            fn decode(bytes: &[u8], endian: __wire::Endian) -> Self {
                __wire::enumeration::decode(bytes, endian)
            }

            #[inline(always)]
            fn encode(&self, bytes: &mut [u8], endian: __wire::Endian) {
                __wire::enumeration::encode(self, bytes, endian)
            }

            #[inline(always)]
            fn view_of(bytes: &[u8], endian: __wire::Endian) -> Self {
                __wire::enumeration::view(bytes, endian)
            }

            #[inline(always)]
            fn slice_of(bytes: &[u8], endian: __wire::Endian) -> __wire::ArrayView<'_, Self> {
                __wire::ArrayView::new(bytes, endian)
            }
        }
    };
}
