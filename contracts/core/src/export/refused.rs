//! A contract that was refused: anything, so that its one error is the only one. Nothing of it runs.

use core::ffi::CStr;

use super::Failure;
use super::arguments::{ByMutReference, ByReference, ByValue};
use super::call::Passed;
use super::fault::Fault;
use super::forms::Form;
use super::handles::HasFunctions;
use super::memory::InMemory;
use super::results::Given;
use crate::abi::AbiShape;
use crate::crosses::cross::Refused;

impl<T> InMemory<Refused> for T {
    const SHAPE: AbiShape = AbiShape::REFUSED;

    unsafe fn check(_: *const T, _: &'static CStr) -> Result<(), Fault> {
        unimplemented!()
    }
}

impl<T> ByValue<Refused> for T {
    type C = usize;
    type Checked = T;
    const FORM: Form = Form::REFUSED;

    unsafe fn check(_: usize, _: &'static CStr) -> Result<T, Fault> {
        unimplemented!()
    }

    fn take(_: T) -> T {
        unimplemented!()
    }
}

impl<T> HasFunctions<Refused> for T {
    const IDS: [u64; 2] = [0; 2];
}

impl<T> ByReference<Refused> for T {
    type C = usize;
    type Held<'a>
        = &'a T
    where
        T: 'a;
    const FORM: Form = Form::REFUSED;

    unsafe fn hold<'a>(_: usize, _: &'static CStr) -> Result<&'a T, Fault>
    where
        T: 'a,
    {
        unimplemented!()
    }
}

impl<T> ByMutReference<Refused> for T {
    type C = usize;
    type Held<'a>
        = &'a mut T
    where
        T: 'a;
    const FORM: Form = Form::REFUSED;

    unsafe fn hold<'a>(_: usize, _: &'static CStr) -> Result<&'a mut T, Fault>
    where
        T: 'a,
    {
        unimplemented!()
    }
}

impl<T> Given<Refused> for T {
    type C = usize;
    const FORM: Form = Form::REFUSED;

    fn give(self) -> Result<usize, Failure> {
        unimplemented!()
    }
}

impl<T> Passed<Refused> for T {
    type C = usize;
    const FORM: Form = Form::REFUSED;

    fn pass(self) -> usize {
        unimplemented!()
    }
}
