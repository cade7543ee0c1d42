//! Types that are right also where a declaration is wrong.
//!
//! A signature of an expansion that mentions a type which may not stand in a field would be one more error beside the
//! one that says so. It asks first, in a constant, and is made of something harmless when the answer is no.

use core::marker::PhantomData;

use crate::array::Array;
use crate::rule::{Interval, Names};
use crate::wire_type::{Endian, WireType};

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
    /// It has no keys.
    const IS_MEMBERS: bool = false;
    /// What a rule meets of it may be anything.
    const RANGE: Interval = Interval::ANY;
    /// It is no union.
    const IS_UNION: bool = false;
    /// Nor has it variants.
    const VARIANTS: Names = Names { contract: "", members: None, keys: &[] };
    /// So may its length.
    const LENGTH: Interval = Interval::ANY.from_zero();
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
    /// [`WireType::view_of_version`].
    fn view_of_version(bytes: &[u8], endian: Endian, version: u64) -> Self::View<'_>;
}

impl<T: WireType> ViewOf<T> for If<true> {
    type View<'a> = T::View<'a>;

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> T::View<'_> {
        T::view_of(bytes, endian)
    }

    #[inline(always)]
    fn view_of_version(bytes: &[u8], endian: Endian, version: u64) -> T::View<'_> {
        T::view_of_version(bytes, endian, version)
    }
}

impl<T> ViewOf<T> for If<false> {
    type View<'a> = ();

    fn view_of(_: &[u8], _: Endian) {}

    fn view_of_version(_: &[u8], _: Endian, _: u64) {}
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
