//! What may stand in an abi struct, and what a pointer of one may point at.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr;

use super::AbiStruct;
use super::shape::AbiShape;
use crate::scalar::Integer;
use crate::{Enumeration, FlagSet, Flags, Open};

/// What may stand in an abi struct.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no place in an abi struct",
    label = "not a type that C has too",
    note = "a field holds u8 to u64, i8 to i64, usize, isize, f32, f64, bool, the types of `core::ffi`, `*mut T`, `*const T`, `Option<unsafe extern \"C\" fn(…)>`, `Open<E>`, `Flags<E>`, another abi struct, or an array of these",
    note = "for a reference, `Box` or `NonNull` write a pointer; for char write u32; for u128 write `[u64; 2]`; `c_void` stands behind a pointer only",
    note = "a descriptor is bytes, and a recipe or a union is JSON: none of them is memory that C shares, so point at its bytes"
)]
pub trait AbiType: Sized {
    /// Code, sizes, alignments, and what is in it.
    const SHAPE: AbiShape;

    /// 0, null, or nothing.
    const ZERO: Self;

    /// Another byte than 0 or 1 where a bool stands: all else holds whatever foreign code writes.
    ///
    /// # Safety
    /// `at` is aligned and points at as many bytes as the type has, of which those of bools are initialised.
    #[inline]
    unsafe fn bad_bool(at: *const Self) -> Option<BadBool> {
        let _ = at;
        None
    }
}

/// A byte that is no bool.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct BadBool {
    /// The field of an abi struct that it stands in, the inner one of two; empty where that is none.
    pub field: &'static str,
    /// The byte.
    pub byte: u8,
}

/// Looks for bools in a field.
#[doc(hidden)]
pub struct Bools<T>(PhantomData<T>);

impl<T: AbiType> Bools<T> {
    /// What is no bool in a field.
    ///
    /// # Safety
    /// As [`AbiType::bad_bool`].
    #[inline]
    pub unsafe fn bad(at: *const T, field: &'static str) -> Option<BadBool> {
        // SAFETY: the caller's.
        let bad = unsafe { T::bad_bool(at) }?;
        Some(if bad.field.is_empty() { BadBool { field, ..bad } } else { bad })
    }
}

/// What [`Bools`] finds in a field of a type that has no place there, which is said elsewhere.
#[doc(hidden)]
pub trait NoBools<T> {
    /// Nothing.
    ///
    /// # Safety
    /// None is needed.
    unsafe fn bad(_: *const T, _: &'static str) -> Option<BadBool> {
        None
    }
}

impl<T> NoBools<T> for Bools<T> {}

/// Its zero.
pub const fn zero<T: AbiType>() -> T {
    T::ZERO
}

/// That of an abi struct.
pub const fn zeroed<S: AbiStruct>() -> S {
    S::ZERO
}

/// So many of its zeros.
pub const fn zeros<T: AbiType, const N: usize>() -> [T; N] {
    [T::ZERO; N]
}

/// What a pointer of an abi struct may point at.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a pointer to `{Self}` has no place in an abi struct",
    label = "not a type that C has too",
    note = "a pointer points at what may stand in an abi struct, at an abi struct, or at `c_void`, which is anything",
    note = "of a type that only Rust knows, or that C knows by a pointer alone, write `*mut c_void`"
)]
pub trait AbiPointee {
    /// The shape that it has there.
    const POINTEE: AbiShape;
}

/// What a function of an abi struct may give.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a function of C gives",
    label = "not a type that C has too",
    note = "a function gives what may stand in an abi struct and is no array, or nothing"
)]
pub trait AbiResult {
    /// The shape that it has there.
    const RESULT: AbiShape;
}

impl<T: AbiType> AbiResult for T {
    const RESULT: AbiShape = T::SHAPE;
}

impl AbiResult for () {
    const RESULT: AbiShape = AbiShape::VOID;
}

macro_rules! leaf {
    ($([$($generics:tt)*] $type:ty, $shape:expr, $zero:expr $(, $bad_bool:item)?;)*) => { $(
        impl<$($generics)*> AbiType for $type {
            const SHAPE: AbiShape = $shape;
            const ZERO: Self = $zero;
            $($bad_bool)?
        }

        impl<$($generics)*> AbiPointee for $type {
            const POINTEE: AbiShape = $shape;
        }
    )* };
}

leaf! {
    [] bool, AbiShape::scalar(1), false,
        #[inline]
        unsafe fn bad_bool(at: *const bool) -> Option<BadBool> {
            // SAFETY: the caller's, for the one byte that a bool has.
            let byte = unsafe { at.cast::<u8>().read() };
            (byte > 1).then_some(BadBool { field: "", byte })
        };
    [] u8, AbiShape::scalar(2), 0;
    [] i8, AbiShape::scalar(3), 0;
    [] u16, AbiShape::scalar(4), 0;
    [] i16, AbiShape::scalar(5), 0;
    [] u32, AbiShape::scalar(6), 0;
    [] i32, AbiShape::scalar(7), 0;
    [] u64, AbiShape::scalar(8), 0;
    [] i64, AbiShape::scalar(9), 0;
    [] f32, AbiShape::scalar(10), 0.0;
    [] f64, AbiShape::scalar(11), 0.0;
    [] usize, AbiShape::SIZE, 0;
    [] isize, AbiShape::PTRDIFF, 0;
    [E: Enumeration] Open<E>, AbiShape::enumeration::<E>(), Open::from_raw(E::Repr::ZERO);
    [E: FlagSet] Flags<E>, AbiShape::flags::<E>(), Flags::unchecked(E::Repr::ZERO);
    [T: AbiPointee] *mut T, AbiShape::pointer(&[&T::POINTEE], false), ptr::null_mut();
    [T: AbiPointee] *const T, AbiShape::pointer(&[&T::POINTEE], true), ptr::null();
}

impl AbiPointee for c_void {
    const POINTEE: AbiShape = AbiShape::VOID;
}

impl<T: AbiType, const N: usize> AbiType for [T; N] {
    const SHAPE: AbiShape = AbiShape::array(&[&T::SHAPE], N);
    const ZERO: Self = [T::ZERO; N];

    #[inline]
    unsafe fn bad_bool(at: *const Self) -> Option<BadBool> {
        // SAFETY: the caller's, for each of the items.
        (0..N).find_map(|index| unsafe { T::bad_bool(at.cast::<T>().add(index)) })
    }
}

impl<T: AbiPointee, const N: usize> AbiPointee for [T; N] {
    const POINTEE: AbiShape = AbiShape::array(&[&T::POINTEE], N);
}
