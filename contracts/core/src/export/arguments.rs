//! What an exported function takes: by value, by reference, as text.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};

use super::fault::{Fault, not_null};
use super::forms::Form;
use super::memory::{InMemory, one, one_mut};
use super::overlap::Area;
use crate::crosses::cross;
use crate::scalar::Integer;
use crate::{Code, Enumeration, WireContract};

/// What is taken by value.
#[diagnostic::on_unimplemented(
    message = "no exported function takes `{Self}` by value",
    label = "not a value of C",
    note = "of a descriptor, a recipe or a union write `&{Self}`, of flags `Flags<{Self}>`, of text `&str`, of bytes `&[u8]`"
)]
pub trait ByValue<As>: Sized {
    /// What C passes.
    type C;
    /// What was checked and is not taken yet.
    type Checked;
    /// What it is in C.
    const FORM: Form;

    /// Where it is, if it is somewhere.
    ///
    /// # Safety
    /// What C passes for it.
    #[inline]
    unsafe fn area(passed: &Self::C, name: &'static CStr) -> Area {
        let _ = passed;
        Area::nowhere(name)
    }

    /// Refuses what is no value.
    ///
    /// # Safety
    /// What C passes for it.
    unsafe fn check(passed: Self::C, name: &'static CStr) -> Result<Self::Checked, Fault>;

    /// The value. This does not fail, so that of several that are taken none is lost for another.
    fn take(checked: Self::Checked) -> Self;
}

/// What is taken by reference.
#[diagnostic::on_unimplemented(
    message = "no exported function takes `&{Self}`",
    label = "nothing that C passes for this",
    note = "write `{Self}`, or of flags `Flags<{Self}>`: a number goes by value"
)]
pub trait ByReference<As> {
    /// What C passes.
    type C;
    /// What holds it for as long as a call takes.
    type Held<'a>: Deref<Target = Self>
    where
        Self: 'a;
    /// What it is in C.
    const FORM: Form;

    /// Where it is, if it is somewhere.
    #[inline]
    fn area(passed: &Self::C, name: &'static CStr) -> Area {
        let _ = passed;
        Area::nowhere(name)
    }

    /// Refuses what is no value, and holds it otherwise.
    ///
    /// # Safety
    /// What C passes for it, which stays as it is while `'a` lasts.
    unsafe fn hold<'a>(passed: Self::C, name: &'static CStr) -> Result<Self::Held<'a>, Fault>
    where
        Self: 'a;
}

/// What is taken to be changed.
#[diagnostic::on_unimplemented(
    message = "no exported function takes `&mut {Self}`",
    label = "nothing that C has is changed by this",
    note = "of a descriptor, a recipe or a union write `&{Self}`, and give what it became as a result; of an enumeration write `&mut Open<{Self}>`"
)]
pub trait ByMutReference<As> {
    /// What C passes.
    type C;
    /// What holds it for as long as a call takes.
    type Held<'a>: DerefMut<Target = Self>
    where
        Self: 'a;
    /// What it is in C.
    const FORM: Form;

    /// Where it is, if it is somewhere.
    #[inline]
    fn area(passed: &Self::C, name: &'static CStr) -> Area {
        let _ = passed;
        Area::nowhere(name)
    }

    /// Refuses what is no value, and holds it otherwise.
    ///
    /// # Safety
    /// What C passes for it, which nobody else uses while `'a` lasts.
    unsafe fn hold<'a>(passed: Self::C, name: &'static CStr) -> Result<Self::Held<'a>, Fault>
    where
        Self: 'a;
}

/// A parameter by value.
#[repr(transparent)]
pub struct Value<T: ByValue<A>, A>(<T as ByValue<A>>::C);

impl<T: ByValue<A>, A> Value<T, A> {
    /// Where it is, if it is somewhere.
    ///
    /// # Safety
    /// What C passes for it.
    #[inline]
    pub unsafe fn area(&self, name: &'static CStr) -> Area {
        // SAFETY: the caller's.
        unsafe { T::area(&self.0, name) }
    }

    /// Refuses what is no value.
    ///
    /// # Safety
    /// What C passes for it.
    #[inline]
    pub unsafe fn receive(self, name: &'static CStr) -> Result<Received<T, A>, Fault> {
        // SAFETY: the caller's.
        unsafe { T::check(self.0, name) }.map(Received)
    }
}

/// A value that was checked: it is taken when all others are, so that nothing is lost when one of them is refused.
pub struct Received<T: ByValue<A>, A>(<T as ByValue<A>>::Checked);

impl<T: ByValue<A>, A> Received<T, A> {
    /// The value.
    #[inline]
    pub fn take(self) -> T {
        T::take(self.0)
    }
}

/// A parameter by reference.
#[repr(transparent)]
pub struct Reference<T: ByReference<A>, A>(<T as ByReference<A>>::C);

impl<T: ByReference<A>, A> Reference<T, A> {
    /// Where it is, if it is somewhere.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        T::area(&self.0, name)
    }

    /// Refuses what is no value, and holds it otherwise.
    ///
    /// # Safety
    /// What C passes for it, which stays as it is while what is given is used.
    #[inline]
    pub unsafe fn receive<'a>(self, name: &'static CStr) -> Result<<T as ByReference<A>>::Held<'a>, Fault>
    where
        T: 'a,
    {
        // SAFETY: the caller's.
        unsafe { T::hold(self.0, name) }
    }
}

/// A parameter by reference that is changed.
#[repr(transparent)]
pub struct MutReference<T: ByMutReference<A>, A>(<T as ByMutReference<A>>::C);

impl<T: ByMutReference<A>, A> MutReference<T, A> {
    /// Where it is, if it is somewhere.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        T::area(&self.0, name)
    }

    /// Refuses what is no value, and holds it otherwise.
    ///
    /// # Safety
    /// What C passes for it, which nobody else uses while what is given is used.
    #[inline]
    pub unsafe fn receive<'a>(self, name: &'static CStr) -> Result<<T as ByMutReference<A>>::Held<'a>, Fault>
    where
        T: 'a,
    {
        // SAFETY: the caller's.
        unsafe { T::hold(self.0, name) }
    }
}

macro_rules! memory {
    ($($as:ident)*) => { $(
        impl<T: InMemory<cross::$as>> ByValue<cross::$as> for T {
            type C = MaybeUninit<T>;
            type Checked = T;
            const FORM: Form = Form::value(T::SHAPE);

            #[inline]
            unsafe fn check(passed: MaybeUninit<T>, name: &'static CStr) -> Result<T, Fault> {
                // SAFETY: the caller's; of a type that has bytes which are no value, they were looked at before.
                unsafe {
                    T::check(passed.as_ptr(), name)?;
                    Ok(passed.assume_init())
                }
            }

            #[inline(always)]
            fn take(checked: T) -> T {
                checked
            }
        }

        impl<T: InMemory<cross::$as>> ByReference<cross::$as> for T {
            type C = *const T;
            type Held<'a> = &'a T where T: 'a;
            const FORM: Form = Form::reference(T::SHAPE);

            #[inline]
            fn area(passed: &*const T, name: &'static CStr) -> Area {
                Area::read(*passed, 1, name)
            }

            #[inline]
            unsafe fn hold<'a>(passed: *const T, name: &'static CStr) -> Result<&'a T, Fault>
            where
                T: 'a,
            {
                // SAFETY: the caller's.
                unsafe { one::<T, cross::$as>(passed, name) }
            }
        }

        impl<T: InMemory<cross::$as>> ByMutReference<cross::$as> for T {
            type C = *mut T;
            type Held<'a> = &'a mut T where T: 'a;
            const FORM: Form = Form::reference(T::SHAPE).changed();

            #[inline]
            fn area(passed: &*mut T, name: &'static CStr) -> Area {
                Area::written(*passed, 1, name)
            }

            #[inline]
            unsafe fn hold<'a>(passed: *mut T, name: &'static CStr) -> Result<&'a mut T, Fault>
            where
                T: 'a,
            {
                // SAFETY: the caller's.
                unsafe { one_mut::<T, cross::$as>(passed, name) }
            }
        }
    )* };
}

memory!(Memory Bool FlagSet);

impl<E: Enumeration> ByValue<cross::Number> for E {
    type C = E::Repr;
    type Checked = E;
    const FORM: Form = Form::closed::<E>();

    #[inline]
    unsafe fn check(passed: E::Repr, name: &'static CStr) -> Result<E, Fault> {
        E::from_value(passed).ok_or_else(|| {
            let (found, expected) = (passed.found(), E::NAME);
            Fault::of(name, Code::UnknownValue, format_args!("is {found}, expected a value of {expected}"))
        })
    }

    #[inline(always)]
    fn take(checked: E) -> E {
        checked
    }
}

/// A contract that was read, for as long as a call takes.
pub struct Read<T>(T);

impl<T> Deref for Read<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<D: WireContract> ByReference<cross::Descriptor> for D {
    type C = *const u8;
    type Held<'a>
        = Read<D>
    where
        D: 'a;
    const FORM: Form = Form::descriptor::<D>();

    #[inline]
    fn area(passed: &*const u8, name: &'static CStr) -> Area {
        Area::read(*passed, D::WIRE_SIZE, name)
    }

    #[inline]
    unsafe fn hold<'a>(passed: *const u8, name: &'static CStr) -> Result<Read<D>, Fault>
    where
        D: 'a,
    {
        not_null(passed, name, format_args!("{} bytes of {}", D::WIRE_SIZE, D::NAME))?;
        // SAFETY: not null, and of so many bytes by the caller.
        let bytes = unsafe { core::slice::from_raw_parts(passed, D::WIRE_SIZE) };
        D::from_bytes(bytes).map(Read).map_err(|error| Fault::at(name, error))
    }
}

/// A document as C passes it: `wc_str`.
#[repr(C)]
pub struct Document {
    data: *const u8,
    length: usize,
}

#[cfg(feature = "json")]
impl<R: crate::WireJson> ByReference<cross::Document> for R {
    type C = Document;
    type Held<'a>
        = Read<R>
    where
        R: 'a;
    const FORM: Form = Form::document::<R>();

    #[inline]
    fn area(passed: &Document, name: &'static CStr) -> Area {
        Area::read(passed.data, passed.length, name)
    }

    #[inline]
    unsafe fn hold<'a>(passed: Document, name: &'static CStr) -> Result<Read<R>, Fault>
    where
        R: 'a,
    {
        // SAFETY: the caller's.
        let document = unsafe {
            super::memory::Items::<u8, cross::Memory>::of(passed.data).receive(passed.length, name)
        }?;
        R::from_json(&document).map(Read).map_err(|error| Fault::at(name, error))
    }
}
