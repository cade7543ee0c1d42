//! What an exported function gives, each through a pointer of its caller.

use core::ffi::CStr;
use core::mem::ManuallyDrop;
use std::string::String;
use std::vec::Vec;

use super::Failure;
use super::bytes::{self, COwnedBytes};
use super::fault::{Fault, aligned, not_null};
use super::forms::Form;
use super::memory::InMemory;
use super::overlap::Area;
use crate::crosses::{Crosses, cross};
use crate::{Enumeration, WireContract};

/// What a function gives.
#[diagnostic::on_unimplemented(
    message = "no exported function gives `{Self}`",
    label = "nothing that C gets for this",
    note = "of flags write `Flags<{Self}>`; of text give `String`, of bytes `Vec<u8>`"
)]
pub trait Given<As>: Sized {
    /// What the caller gets. Bytes that are all [`NOTHING`](Self::NOTHING) are one that is nothing.
    type C;
    /// What it is in C.
    const FORM: Form;
    /// The byte of which a result that is not given is made.
    const NOTHING: u8 = 0;

    /// What the caller gets for the value.
    fn give(self) -> Result<Self::C, Failure>;

    /// Takes back what no caller got.
    fn take_back(given: &mut Self::C) {
        let _ = given;
    }
}

/// A pointer to where a result is written.
#[repr(transparent)]
pub struct Out<T: Given<A>, A>(*mut <T as Given<A>>::C);

impl<T: Given<A>, A> Out<T, A> {
    /// Where it is.
    #[inline]
    pub fn area(&self, name: &'static CStr) -> Area {
        Area::result_of(self.0, T::NOTHING, name)
    }

    /// Makes what is there nothing, wherever it is.
    ///
    /// # Safety
    /// Null, or a place for a result.
    #[inline]
    pub unsafe fn clear(&self) {
        if !self.0.is_null() {
            let size = size_of::<<T as Given<A>>::C>();
            // SAFETY: not null, and of so many bytes by the caller; bytes stand anywhere.
            unsafe { self.0.cast::<u8>().write_bytes(T::NOTHING, size) };
        }
    }

    /// Refuses what is no place for a result.
    #[inline]
    pub fn check(&self, name: &'static CStr) -> Result<(), Fault> {
        not_null(self.0, name, format_args!("a place for a result"))?;
        aligned(self.0, name)
    }

    /// What the caller gets for a value, and does not have yet.
    ///
    /// # Safety
    /// A place for a result, which [`check`](Self::check) did not refuse.
    #[inline]
    pub unsafe fn ready(self, value: T, name: &'static CStr) -> Result<Ready<T, A>, Fault> {
        match value.give() {
            Ok(given) => Ok(Ready { given: ManuallyDrop::new(given), place: self.0 }),
            Err(failure) => Err(Fault::at(name, failure)),
        }
    }
}

/// A result that the caller gets when all others are ready too.
pub struct Ready<T: Given<A>, A> {
    given: ManuallyDrop<<T as Given<A>>::C>,
    place: *mut <T as Given<A>>::C,
}

impl<T: Given<A>, A> Ready<T, A> {
    /// Writes it.
    #[inline]
    pub fn write(self) {
        let mut ready = ManuallyDrop::new(self);
        // SAFETY: `Out::ready` was given a place for it; what is moved out is not used again.
        unsafe { ready.place.write(ManuallyDrop::take(&mut ready.given)) };
    }
}

impl<T: Given<A>, A> Drop for Ready<T, A> {
    fn drop(&mut self) {
        T::take_back(&mut self.given);
        // SAFETY: it is not used again.
        unsafe { ManuallyDrop::drop(&mut self.given) };
    }
}

macro_rules! memory {
    ($($as:ident)*) => { $(
        impl<T: InMemory<cross::$as>> Given<cross::$as> for T {
            type C = T;
            const FORM: Form = Form::value(T::SHAPE);

            #[inline(always)]
            fn give(self) -> Result<T, Failure> {
                Ok(self)
            }
        }
    )* };
}

memory!(Memory Bool FlagSet);

/// A type that the macro knows by its words, among them C's own, which are other types in C than Rust has for them.
pub struct Plain<T>(pub T);

impl<T> Given<cross::Plain> for Plain<T> {
    type C = T;
    const FORM: Form = Form::REFUSED;

    #[inline(always)]
    fn give(self) -> Result<T, Failure> {
        Ok(self.0)
    }
}

impl<E: Enumeration> Given<cross::Number> for E {
    type C = E::Repr;
    const FORM: Form = Form::closed::<E>();

    #[inline(always)]
    fn give(self) -> Result<E::Repr, Failure> {
        Ok(self.value())
    }
}

impl<D: WireContract> Given<cross::Descriptor> for D {
    type C = D::Bytes;
    const FORM: Form = Form::descriptor::<D>();

    #[inline]
    fn give(self) -> Result<D::Bytes, Failure> {
        Ok(self.to_bytes()?)
    }
}

#[cfg(feature = "json")]
impl<R: crate::WireJson> Given<cross::Document> for R {
    type C = COwnedBytes;
    const FORM: Form = Form::document::<R>();

    fn give(self) -> Result<COwnedBytes, Failure> {
        bytes::give(self.to_json()?.into_bytes())
    }

    fn take_back(given: &mut COwnedBytes) {
        free(given);
    }
}

impl Crosses for String {
    type As = cross::Text;
}

impl Given<cross::Text> for String {
    type C = COwnedBytes;
    const FORM: Form = Form::TEXT;

    fn give(self) -> Result<COwnedBytes, Failure> {
        bytes::give(self.into_bytes())
    }

    fn take_back(given: &mut COwnedBytes) {
        free(given);
    }
}

impl Crosses for Vec<u8> {
    type As = cross::Bytes;
}

impl Given<cross::Bytes> for Vec<u8> {
    type C = COwnedBytes;
    const FORM: Form = Form::BYTES;

    fn give(self) -> Result<COwnedBytes, Failure> {
        bytes::give(self)
    }

    fn take_back(given: &mut COwnedBytes) {
        free(given);
    }
}

/// Frees what no caller got.
fn free(given: &mut COwnedBytes) {
    // SAFETY: a reference is a pointer to one.
    let _ = unsafe { bytes::free(given) };
}
