//! As what a type crosses to C. A macro cannot see whether a name is that of a number, of a descriptor or of a handle:
//! each type says it of itself, and traits take it from there.

use crate::abi::AbiPointee;
use crate::{Enumeration, FlagSet, Flags, Open};

/// A type that an exported function takes or gives.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not cross to C",
    label = "nothing that an exported function takes or gives",
    note = "what crosses are u8 to u64, i8 to i64, usize, isize, f32, f64, bool, pointers, the types of `core::ffi`, and what derives `WireContract`",
    note = "of text a function takes `&str` and gives `String`; of bytes it takes `&[u8]` and gives `Vec<u8>`",
    note = "an object that only Rust looks into crosses as a handle: derive `WireContract` and mark it `#[wire(handle, exclusive)]`"
)]
pub trait Crosses {
    /// As what.
    type As;
}

/// As what a type crosses.
#[cfg(feature = "export")]
pub(crate) type As<T> = <T as Crosses>::As;

/// What a type crosses as: names for traits to tell apart, of which there are no values.
pub mod cross {
    /// Memory that C has too, in which any bytes are a value.
    pub enum Memory {}
    /// A bool in memory.
    pub enum Bool {}
    /// `Flags<E>`: a number in memory, with bits that may have no name.
    pub enum FlagSet {}
    /// An enumeration: its number.
    pub enum Number {}
    /// A flag by itself, which no function takes.
    pub enum Flag {}
    /// A descriptor: its bytes.
    pub enum Descriptor {}
    /// A recipe or a union: its JSON.
    pub enum Document {}
    /// The handle of an object that one caller at a time uses.
    pub enum Exclusive {}
    /// The handle of an object that any number of callers use.
    pub enum Shared {}
    /// Text that is given away.
    pub enum Text {}
    /// Bytes that are given away.
    pub enum Bytes {}
    /// A type that is written out.
    pub enum Plain {}
    /// A file descriptor that is given: its number.
    pub enum Fd {}
    /// A place for the number of a file descriptor, in memory.
    pub enum FdPlace {}
    /// Bytes with file descriptors beside them, which no function takes.
    pub enum Message {}
    /// A message of a variant that no union here has.
    pub enum UnknownMessage {}
    /// A contract that was refused, and says so itself.
    pub enum Refused {}
}

macro_rules! crosses {
    ($([$($generics:tt)*] $type:ty: $as:ident;)*) => { $(
        impl<$($generics)*> Crosses for $type {
            type As = cross::$as;
        }
    )* };
}

crosses! {
    [] u8: Memory;
    [] i8: Memory;
    [] u16: Memory;
    [] i16: Memory;
    [] u32: Memory;
    [] i32: Memory;
    [] u64: Memory;
    [] i64: Memory;
    [] f32: Memory;
    [] f64: Memory;
    [] usize: Memory;
    [] isize: Memory;
    [] bool: Bool;
    [E: Enumeration] Open<E>: Memory;
    [E: FlagSet] Flags<E>: FlagSet;
    [T: AbiPointee] *mut T: Memory;
    [T: AbiPointee] *const T: Memory;
}
