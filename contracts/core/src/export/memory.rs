//! What C hands over as memory: a pointer to one value, or to some.

use core::ffi::CStr;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr;

use super::fault::{Fault, aligned, not_null};
use super::overlap::Area;
use crate::abi::{AbiShape, AbiType, BadBool};
use crate::crosses::cross;
use crate::{Code, FlagSet, Flags};

/// What is the same memory in C and in Rust.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory that C has too",
    label = "C has no such value, or may write others there than Rust allows",
    note = "what C has are u8 to u64, i8 to i64, usize, isize, f32, f64, bool, pointers, the types of `core::ffi`, `Open<E>`, `Flags<E>` and abi structs",
    note = "a descriptor, a recipe or a union is taken as `&{Self}`, an enumeration as a value, and a handle as `&{Self}` or `&mut {Self}`: each by itself, and never absent"
)]
pub trait InMemory<As>: Sized {
    /// What it is in C.
    const SHAPE: AbiShape;
    /// Of a type of which slices are places for results the byte of which one is made that is not given.
    const NOTHING: Option<u8> = None;

    /// Refuses bytes that are no value.
    ///
    /// # Safety
    /// `at` is aligned and points at as many bytes as the type has, all of them initialised.
    unsafe fn check(at: *const Self, name: &'static CStr) -> Result<(), Fault>;
}

impl<T: AbiType> InMemory<cross::Memory> for T {
    const SHAPE: AbiShape = <T as AbiType>::SHAPE;

    #[inline]
    unsafe fn check(at: *const Self, name: &'static CStr) -> Result<(), Fault> {
        // SAFETY: the caller's.
        match unsafe { T::bad_bool(at) } {
            None => Ok(()),
            Some(BadBool { field, byte }) => Err(Fault::of(
                name,
                Code::UnknownValue,
                format_args!("has {byte} in `{field}`, expected 0 or 1"),
            )),
        }
    }
}

impl InMemory<cross::Bool> for bool {
    const SHAPE: AbiShape = <bool as AbiType>::SHAPE;

    #[inline]
    unsafe fn check(at: *const bool, name: &'static CStr) -> Result<(), Fault> {
        // SAFETY: the caller's.
        match unsafe { bool::bad_bool(at) } {
            None => Ok(()),
            Some(BadBool { byte, .. }) => {
                Err(Fault::of(name, Code::UnknownValue, format_args!("is {byte}, expected 0 or 1")))
            }
        }
    }
}

impl<E: FlagSet> InMemory<cross::FlagSet> for Flags<E> {
    const SHAPE: AbiShape = <Flags<E> as AbiType>::SHAPE;

    #[inline]
    unsafe fn check(at: *const Self, name: &'static CStr) -> Result<(), Fault> {
        // SAFETY: the caller's, and flags are an integer of which any bytes are a value.
        let unknown = unsafe { at.read() }.unknown_bits();
        if E::OPEN || unknown == 0 {
            return Ok(());
        }
        let known = E::KNOWN_BITS;
        Err(Fault::of(
            name,
            Code::UnknownBits,
            format_args!("has bits {unknown:#x}, expected bits within {known:#x}"),
        ))
    }
}

/// A pointer to one value, or null.
#[repr(transparent)]
pub struct Optional<T, A>(*const T, PhantomData<A>);

impl<T: InMemory<A>, A> Optional<T, A> {
    /// Where it is, if it is somewhere.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        Area::read(self.0, 1, name)
    }

    /// What is there, if anything is.
    ///
    /// # Safety
    /// Null, or a value that stays as it is while `'a` lasts.
    #[inline]
    pub unsafe fn receive<'a>(self, name: &'static CStr) -> Result<Option<&'a T>, Fault> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller's.
        unsafe { one::<T, A>(self.0, name) }.map(Some)
    }
}

/// A pointer to one value that is changed, or null.
#[repr(transparent)]
pub struct OptionalMut<T, A>(*mut T, PhantomData<A>);

impl<T: InMemory<A>, A> OptionalMut<T, A> {
    /// Where it is, if it is somewhere.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        Area::written(self.0, 1, name)
    }

    /// What is there, if anything is.
    ///
    /// # Safety
    /// Null, or a value that nobody else uses while `'a` lasts.
    #[inline]
    pub unsafe fn receive<'a>(self, name: &'static CStr) -> Result<Option<&'a mut T>, Fault> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller's.
        unsafe { one_mut::<T, A>(self.0, name) }.map(Some)
    }
}

/// The value behind a pointer.
///
/// # Safety
/// Null, or a value that stays as it is while `'a` lasts.
#[inline]
pub(super) unsafe fn one<'a, T: InMemory<A>, A>(at: *const T, name: &'static CStr) -> Result<&'a T, Fault> {
    not_null(at, name, format_args!("a pointer"))?;
    aligned(at, name)?;
    // SAFETY: it is not null and aligned; the rest is the caller's.
    unsafe {
        T::check(at, name)?;
        Ok(&*at)
    }
}

/// The value behind a pointer, to be changed.
///
/// # Safety
/// Null, or a value that nobody else uses while `'a` lasts.
#[inline]
pub(super) unsafe fn one_mut<'a, T: InMemory<A>, A>(
    at: *mut T,
    name: &'static CStr,
) -> Result<&'a mut T, Fault> {
    // SAFETY: the caller's.
    unsafe { one::<T, A>(at.cast_const(), name) }?;
    // SAFETY: it was found to hold a value just now, and the shared reference is gone.
    Ok(unsafe { &mut *at })
}

/// A pointer to values, whose number stands behind it.
#[repr(transparent)]
pub struct Items<T, A>(*const T, PhantomData<A>);

impl<T, A> Items<T, A> {
    /// The values there.
    #[cfg(feature = "json")]
    pub(super) fn of(at: *const T) -> Items<T, A> {
        Items(at, PhantomData)
    }
}

impl<T: InMemory<A>, A> Items<T, A> {
    /// Where they are.
    #[inline]
    pub fn area(&self, length: usize, name: &'static CStr) -> Area {
        Area::read(self.0, length, name)
    }

    /// The values.
    ///
    /// # Safety
    /// So many values that stay as they are while what is given is used.
    #[inline]
    pub unsafe fn receive<'a>(self, length: usize, name: &'static CStr) -> Result<Slice<'a, T>, Fault> {
        // SAFETY: the caller's.
        let at = unsafe { some::<T, A>(self.0, length, name) }?;
        Ok(Slice(at, length, PhantomData))
    }
}

/// A pointer to values that are changed, whose number stands behind it.
#[repr(transparent)]
pub struct ItemsMut<T, A>(*mut T, PhantomData<A>);

impl<T: InMemory<A>, A> ItemsMut<T, A> {
    /// Where they are.
    #[inline]
    pub fn area(&self, length: usize, name: &'static CStr) -> Area {
        Area::places(self.0, length, T::NOTHING, name)
    }

    /// Makes places for results nothing, wherever they are. What is no memory stays as it is.
    ///
    /// # Safety
    /// So many values, or null.
    #[inline]
    pub unsafe fn clear(&self, length: usize, name: &'static CStr) {
        // SAFETY: the caller's.
        unsafe { self.area(length, name).clear() };
    }

    /// The values.
    ///
    /// # Safety
    /// So many values that nobody else uses while what is given is used.
    #[inline]
    pub unsafe fn receive<'a>(self, length: usize, name: &'static CStr) -> Result<SliceMut<'a, T>, Fault> {
        // SAFETY: the caller's.
        let at = unsafe { some::<T, A>(self.0.cast_const(), length, name) }?;
        Ok(SliceMut(at.cast_mut(), length, PhantomData))
    }
}

/// Where so many values stand: somewhere that is aligned, where there are none.
///
/// # Safety
/// So many values, or null.
#[inline]
unsafe fn some<T: InMemory<A>, A>(
    at: *const T,
    length: usize,
    name: &'static CStr,
) -> Result<*const T, Fault> {
    if length == 0 {
        return Ok(ptr::dangling());
    }
    not_null(at, name, format_args!("{length} items"))?;
    aligned(at, name)?;
    // Memory has less bytes than half of a pointer's numbers, and ends before these do.
    let most = isize::MAX.unsigned_abs().min(usize::MAX - at.addr()) / size_of::<T>().max(1);
    if length > most {
        return Err(Fault::of(
            name,
            Code::LengthExceeds,
            format_args!("has {length} items, expected at most {most}"),
        ));
    }
    for index in 0..length {
        // SAFETY: it is not null, aligned, and of less bytes than a pointer counts; the rest is the caller's.
        unsafe { T::check(at.add(index), name) }.map_err(|fault| fault.of_item(name, index))?;
    }
    Ok(at)
}

/// Values of C's memory, for as long as a call takes.
pub struct Slice<'a, T>(*const T, usize, PhantomData<&'a [T]>);

impl<T> Deref for Slice<'_, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `Items::receive` checked what can be, and its caller answers for the rest.
        unsafe { core::slice::from_raw_parts(self.0, self.1) }
    }
}

/// Values of C's memory to be changed, for as long as a call takes.
pub struct SliceMut<'a, T>(*mut T, usize, PhantomData<&'a mut [T]>);

impl<T> Deref for SliceMut<'_, T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: `ItemsMut::receive` checked what can be, and its caller answers for the rest.
        unsafe { core::slice::from_raw_parts(self.0, self.1) }
    }
}

impl<T> DerefMut for SliceMut<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and nobody else uses them.
        unsafe { core::slice::from_raw_parts_mut(self.0, self.1) }
    }
}
