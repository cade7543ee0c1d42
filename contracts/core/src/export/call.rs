//! A call from C: nothing unwinds out of it, and what fails is kept for the caller to ask.

use core::cell::Cell;
use core::ffi::CStr;
use std::ffi::CString;

use super::fault::Fault;
use super::forms::Form;
use super::memory::InMemory;
use super::{CallbackError, Failure, contain, keep};
use crate::crosses::cross;
use crate::{Code, Enumeration};

/// Runs the body of an exported function, and gives what C gets of it.
///
/// The body holds the guards of its handles, so that a panic which ends it finds them.
#[inline]
pub fn call(function: &'static CStr, body: impl FnOnce(&Call) -> Result<(), Fault>) -> i32 {
    let call = Call { failed: Cell::new(None) };
    match contain(|| Ok(body(&call))) {
        Ok(Ok(())) => Code::Ok.value(),
        Ok(Err(fault)) => keep(function, fault.argument, fault.failure),
        Err(failure) => keep(function, c"", failure),
    }
}

/// A call that is running.
pub struct Call {
    /// The callback that failed when one was called last.
    failed: Cell<Option<&'static CStr>>,
}

impl Call {
    /// What a function gives, or why it failed: at the callback, if that failed last.
    #[inline]
    pub fn result<T>(&self, result: Result<T, Failure>) -> Result<T, Fault> {
        result.map_err(|failure| Fault::at(self.failed.get().unwrap_or(c""), failure))
    }

    /// What a callback says with the number that it returned.
    #[inline]
    pub fn called(&self, name: &'static CStr, returned: i32) -> Result<(), CallbackError> {
        let failed = returned != Code::Ok.value();
        self.failed.set(failed.then_some(name));
        if failed { Err(CallbackError::Returned(returned)) } else { Ok(()) }
    }

    /// Text for a callback: refused when a NUL in it would end it early.
    pub fn text(&self, name: &'static CStr, text: &str) -> Result<CString, CallbackError> {
        CString::new(text).map_err(|error| {
            self.failed.set(Some(name));
            CallbackError::NulInText(error.nul_position())
        })
    }
}

/// The function that a callback calls.
pub fn callback<F>(function: Option<F>, name: &'static CStr) -> Result<F, Fault> {
    function.ok_or_else(|| Fault::of(name, Code::NullArgument, "is null, expected a function"))
}

/// What a callback takes by value.
#[diagnostic::on_unimplemented(
    message = "no callback takes `{Self}`",
    label = "nothing that C gets for this",
    note = "a callback takes numbers, enumerations, `Open<E>`, `Flags<E>`, abi structs, `&T` and `&[T]` of these, and `&str`",
    note = "of a descriptor pass `&[u8]`, its bytes"
)]
pub trait Passed<As> {
    /// What C gets.
    type C;
    /// What it is in C.
    const FORM: Form;

    /// What C gets for the value.
    fn pass(self) -> Self::C;
}

macro_rules! memory {
    ($($as:ident)*) => { $(
        impl<T: InMemory<cross::$as>> Passed<cross::$as> for T {
            type C = T;
            const FORM: Form = Form::value(T::SHAPE);

            #[inline(always)]
            fn pass(self) -> T {
                self
            }
        }
    )* };
}

memory!(Memory Bool FlagSet);

impl<E: Enumeration> Passed<cross::Number> for E {
    type C = E::Repr;
    const FORM: Form = Form::closed::<E>();

    #[inline(always)]
    fn pass(self) -> E::Repr {
        self.value()
    }
}

/// A value for a callback.
#[repr(transparent)]
pub struct Pass<T: Passed<A>, A>(<T as Passed<A>>::C);

impl<T: Passed<A>, A> Pass<T, A> {
    /// What C gets for the value.
    #[inline(always)]
    pub fn of(value: T) -> Pass<T, A> {
        Pass(value.pass())
    }
}

/// A pointer to a value for a callback, or to the first of some.
#[repr(transparent)]
pub struct Pointer<T>(*const T);

impl<T> Pointer<T> {
    /// Where a value is.
    #[inline(always)]
    pub fn to(value: &T) -> Pointer<T> {
        Pointer(value)
    }

    /// Where the first value is.
    #[inline(always)]
    pub fn first(values: &[T]) -> Pointer<T> {
        Pointer(values.as_ptr())
    }
}
