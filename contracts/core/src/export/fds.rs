//! File descriptors as C has them: numbers, which are -1 where there is none. Zero is one that is somebody's.

use core::ffi::CStr;
use core::fmt;
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, IntoRawFd as _, OwnedFd, RawFd};

use super::Failure;
use super::fault::Fault;
use super::forms::Form;
use super::memory::InMemory;
use super::results::Given;
use crate::abi::{AbiShape, AbiType};
use crate::crosses::{Crosses, cross};

/// The byte of which -1 is made.
const NOTHING: u8 = 0xff;

/// A file descriptor that a function tells of and keeps: nobody else closes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LentFd(RawFd);

impl LentFd {
    /// That of an object which has one.
    pub fn of(owner: &impl AsFd) -> LentFd {
        LentFd(owner.as_fd().as_raw_fd())
    }
}

impl fmt::Debug for LentFd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LentFd").field(&self.0).finish()
    }
}

impl Crosses for OwnedFd {
    type As = cross::Fd;
}

/// It is the caller's from then on.
impl Given<cross::Fd> for OwnedFd {
    type C = RawFd;
    const FORM: Form = Form::FD.owned();
    const NOTHING: u8 = NOTHING;

    #[inline]
    fn give(self) -> Result<RawFd, Failure> {
        Ok(self.into_raw_fd())
    }

    fn take_back(given: &mut RawFd) {
        // SAFETY: `give` let go of it, and no caller got it.
        drop(unsafe { OwnedFd::from_raw_fd(*given) });
    }
}

impl Crosses for LentFd {
    type As = cross::Fd;
}

impl Given<cross::Fd> for LentFd {
    type C = RawFd;
    const FORM: Form = Form::FD;
    const NOTHING: u8 = NOTHING;

    #[inline]
    fn give(self) -> Result<RawFd, Failure> {
        Ok(self.0)
    }
}

/// A place in the caller's memory for a file descriptor: of a slice of them all are none before anything else of a call.
#[repr(transparent)]
pub struct FdPlace(RawFd);

impl FdPlace {
    /// Gives a file descriptor to the caller.
    pub fn give(&mut self, fd: OwnedFd) {
        self.0 = fd.into_raw_fd();
    }
}

impl fmt::Debug for FdPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FdPlace").field(&self.0).finish()
    }
}

impl Crosses for FdPlace {
    type As = cross::FdPlace;
}

impl InMemory<cross::FdPlace> for FdPlace {
    const SHAPE: AbiShape = <RawFd as AbiType>::SHAPE;
    const NOTHING: Option<u8> = Some(NOTHING);

    #[inline]
    unsafe fn check(_: *const FdPlace, _: &'static CStr) -> Result<(), Fault> {
        Ok(())
    }
}
