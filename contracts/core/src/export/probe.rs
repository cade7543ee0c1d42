//! Types that are right also where one of a function's does not cross: what says so is one error, and a function of C
//! that mentions such a type is none more.

use core::marker::PhantomData;

use super::Failure;
use super::arguments::{ByMutReference, ByReference, ByValue};
use super::call::Passed;
use super::forms::Form;
use super::handles::HasFunctions;
use super::memory::InMemory;
use super::results::Given;
use crate::abi::AbiShape;
use crate::crosses::{As, Crosses, cross};
use crate::probe::If;

/// How a type crosses, as constants that every type has.
pub struct Can<T>(PhantomData<T>);

/// What [`Can`] says where nothing else does.
pub trait Cannot {
    /// It is not taken by value.
    const BY_VALUE: bool = false;
    /// It is not taken by reference.
    const BY_REFERENCE: bool = false;
    /// It is not taken to be changed.
    const BY_MUT_REFERENCE: bool = false;
    /// C does not have it in memory.
    const IN_MEMORY: bool = false;
    /// No function gives it.
    const GIVEN: bool = false;
    /// No callback takes it.
    const PASSED: bool = false;
    /// It is no error of a function.
    const FAILS: bool = false;
    /// Its functions are not exported.
    const IDS: [u64; 2] = [0; 2];
}

impl<T> Cannot for Can<T> {}

macro_rules! can {
    ($($bound:ident $constant:ident $function:ident -> $what:ident, $of:ident;)*) => { $(
        impl<T: Crosses + $bound<As<T>>> Can<T> {
            /// It does.
            pub const $constant: bool = true;
        }

        /// What it is in C. Nothing but this asks whether it crosses.
        pub const fn $function<T: Crosses + $bound<As<T>>>() -> $what {
            T::$of
        }
    )* };
}

can! {
    ByValue BY_VALUE by_value -> Form, FORM;
    ByReference BY_REFERENCE by_reference -> Form, FORM;
    ByMutReference BY_MUT_REFERENCE by_mut_reference -> Form, FORM;
    InMemory IN_MEMORY in_memory -> AbiShape, SHAPE;
    Given GIVEN given -> Form, FORM;
    Passed PASSED passed -> Form, FORM;
}

impl<T: Crosses + HasFunctions<As<T>>> Can<T> {
    /// Wire id and source id of the handle.
    pub const IDS: [u64; 2] = T::IDS;
}

/// Nothing but this asks whether functions of it are exported.
pub const fn has_functions<T: Crosses + HasFunctions<As<T>>>() {}

impl<E: Into<Failure>> Can<E> {
    /// It is.
    pub const FAILS: bool = true;
}

/// Nothing but this asks whether it is an error of a function.
pub const fn fails<E: Into<Failure>>() {}

/// What an error of a function says, where it is one.
pub trait FailsIf<E> {
    /// The failure.
    fn failure(error: E) -> Failure;
}

impl<E: Into<Failure>> FailsIf<E> for If<true> {
    fn failure(error: E) -> Failure {
        error.into()
    }
}

impl<E> FailsIf<E> for If<false> {
    fn failure(_: E) -> Failure {
        unimplemented!()
    }
}

/// As what a type crosses that does; one that does not counts as refused.
pub type AsIf<T, const DOES: bool> = <If<DOES> as CrossesIf<T>>::As;

/// See [`AsIf`].
pub trait CrossesIf<T> {
    /// As what.
    type As;
}

impl<T: Crosses> CrossesIf<T> for If<true> {
    type As = As<T>;
}

impl<T> CrossesIf<T> for If<false> {
    type As = cross::Refused;
}
