//! Flattened parts and variants whose types are right also where a declaration is wrong: as
//! [`crate::probe`](mod@crate::probe) does for fields of descriptors.

use super::object::Object;
use super::{Members, Reader, Stop, Writer};
use crate::probe::{If, Probe};
use crate::{Contract, Kind};

impl<T: Members> Probe<T> {
    /// Its keys can stand in another object.
    pub const IS_MEMBERS: bool = true;
}

/// What an expansion reads and writes the keys of `T` through, also where `T` has none: that it has none is said in one
/// place.
#[doc(hidden)]
pub trait MembersOf<T> {
    /// `T`, or nothing.
    type Members: Members;
    /// The value that was read.
    fn give(members: Self::Members) -> T;
    /// The value to be written.
    fn of(value: &T) -> &Self::Members;
    /// The value to be filled.
    fn of_mut(value: &mut T) -> &mut Self::Members;
}

impl<T: Members> MembersOf<T> for If<true> {
    type Members = T;

    #[inline(always)]
    fn give(members: T) -> T {
        members
    }

    #[inline(always)]
    fn of(value: &T) -> &T {
        value
    }

    #[inline(always)]
    fn of_mut(value: &mut T) -> &mut T {
        value
    }
}

impl<T> MembersOf<T> for If<false> {
    type Members = Nobody;

    fn give(members: Nobody) -> T {
        match members {}
    }

    fn of(_: &T) -> &Nobody {
        unreachable!("a type without keys was refused")
    }

    fn of_mut(_: &mut T) -> &mut Nobody {
        unreachable!("a type without keys was refused")
    }
}

/// A contract that has no value.
#[doc(hidden)]
pub enum Nobody {}

impl Contract for Nobody {
    const NAME: &'static str = "";
    const KIND: Kind = Kind::Recipe;
    const WIRE_ID: u64 = 0;
    const SOURCE_ID: u64 = 0;
}

impl Members for Nobody {
    type Fields = ();
    const COUNT: usize = 0;
    const REQUIRED: &'static [&'static str] = &[];
    const MAX_BYTES: usize = 0;
    const MAX_DEPTH: usize = 0;

    fn begin(_: &Reader<'_>, _: Object) {}

    fn index((): &(), _: &str) -> Option<usize> {
        None
    }

    fn read((): &mut (), _: usize, _: &mut Reader<'_>) -> Result<(), Stop> {
        Err(Stop)
    }

    fn absent((): &mut (), _: usize, _: &mut Reader<'_>, _: Object) -> Result<(), Stop> {
        Err(Stop)
    }

    fn finish((): (), _: &mut Reader<'_>, _: Object) -> Result<Self, Stop> {
        Err(Stop)
    }

    fn write(&self, _: &mut Writer) -> Result<(), Stop> {
        match *self {}
    }
}
