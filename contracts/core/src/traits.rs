//! What every contract has, and what every descriptor can do.

use crate::WireError;
use crate::error::At;
use crate::wire_type::{Endian, View, WireType};

/// The kind of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Fixed-size bytes.
    Descriptor,
    /// One of several named integers.
    Enumeration,
    /// A set of named bits.
    Flags,
    /// A JSON object.
    Recipe,
    /// One of several JSON contracts.
    Union,
    /// A struct of C with pointers, shared as memory inside one process.
    Abi,
    /// A number that stands for an object which only Rust looks into.
    Handle,
}

/// What every contract has, of whatever kind.
pub trait Contract {
    /// The name, as errors state it.
    const NAME: &'static str;
    /// What it is.
    const KIND: Kind;
    /// Hash of bytes and meaning: equal on two sides that understand each other.
    const WIRE_ID: u64;
    /// Hash of all that the declaration says: equal in every artifact generated from it.
    const SOURCE_ID: u64;
    /// The module path, as Rust spells it, and the name that it was first accepted under: a hello calls it so.
    const PATH: &'static str = Self::NAME;
    /// Its own version; 1 where it declares none.
    const VERSION: u32 = 1;
    /// Versions before this one that this side reads and writes as well, and their wire ids; the oldest first.
    const EARLIER: &'static [(u32, u64)] = &[];
}

/// A descriptor: a value that has one form in bytes. Implemented by `#[derive(WireContract)]`.
///
/// Reading accepts exactly the bytes that the declaration allows and gives the first fault otherwise, in the
/// order that every language shares: length, magic, version, then fields by offset. Nothing allocates.
pub trait WireContract: Contract + WireType {
    /// Bytes on the wire.
    const WIRE_SIZE: usize;

    /// `[u8; Self::WIRE_SIZE]`.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Send + Sync + 'static;

    /// The bytes, all zero: a place to write into.
    #[doc(hidden)]
    const ZEROED: Self::Bytes;

    /// Reads a value from exactly [`WIRE_SIZE`](Self::WIRE_SIZE) bytes.
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        if bytes.len() != Self::WIRE_SIZE {
            return Err(WireError::length(Self::NAME, Self::WIRE_SIZE, bytes.len()));
        }
        match Self::validate::<()>(bytes, Endian::Little, At::START) {
            Ok(()) => Ok(Self::decode(bytes, Endian::Little)),
            Err(()) => Err(fault::<Self>(bytes)),
        }
    }

    /// Reads a value from the first [`WIRE_SIZE`](Self::WIRE_SIZE) bytes and gives the rest.
    #[inline]
    fn read_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        match bytes.split_at_checked(Self::WIRE_SIZE) {
            Some((head, rest)) => Ok((Self::from_bytes(head)?, rest)),
            None => Err(WireError::length(Self::NAME, Self::WIRE_SIZE, bytes.len())),
        }
    }

    /// The value in bytes. Magic and version are written as declared, reserved bytes and elements past a count as
    /// zero. Refused when a count exceeds its array, a text is not one, or a rule does not hold.
    #[inline]
    fn to_bytes(&self) -> Result<Self::Bytes, WireError> {
        if self.check::<()>(At::START).is_err() {
            return Err(flaw(self));
        }
        let mut bytes = Self::ZEROED;
        self.encode(bytes.as_mut(), Endian::Little);
        Ok(bytes)
    }

    /// Writes the value to the start of `bytes`, as [`to_bytes`](Self::to_bytes) does, and gives the number of
    /// bytes written. Nothing is written when it is refused.
    #[inline]
    fn write_to(&self, bytes: &mut [u8]) -> Result<usize, WireError> {
        let capacity = bytes.len();
        let Some(bytes) = bytes.get_mut(..Self::WIRE_SIZE) else {
            return Err(WireError::length(Self::NAME, Self::WIRE_SIZE, capacity));
        };
        if self.check::<()>(At::START).is_err() {
            return Err(flaw(self));
        }
        self.encode(bytes, Endian::Little);
        Ok(Self::WIRE_SIZE)
    }

    /// Checks what an importer must know before it uses what the value describes: the conditions and rules that are
    /// declared `at = import`. Those of nested descriptors come first, by offset; an error's offset is that of the
    /// descriptor that declares the rule.
    ///
    /// The value is one that was read, or that can be written: nothing else of it is looked at.
    #[inline]
    fn validate_import(&self) -> Result<(), WireError> {
        self.import(0)
    }

    /// Checks exactly [`WIRE_SIZE`](Self::WIRE_SIZE) bytes and gives getters over them, without copying.
    #[inline]
    fn view(bytes: &[u8]) -> Result<View<'_, Self>, WireError> {
        if bytes.len() != Self::WIRE_SIZE {
            return Err(WireError::length(Self::NAME, Self::WIRE_SIZE, bytes.len()));
        }
        match Self::validate::<()>(bytes, Endian::Little, At::START) {
            Ok(()) => Ok(Self::view_of(bytes, Endian::Little)),
            Err(()) => Err(fault::<Self>(bytes)),
        }
    }
}

/// Why bytes that were refused are.
#[cold]
#[inline(never)]
fn fault<T: WireContract>(bytes: &[u8]) -> WireError {
    match T::validate::<WireError>(bytes, Endian::Little, At::START) {
        Err(error) => error,
        // The same checks on the same bytes.
        Ok(()) => unreachable!("bytes were refused and then accepted"),
    }
}

/// Why a value that was refused is.
#[cold]
#[inline(never)]
fn flaw<T: WireContract>(value: &T) -> WireError {
    match value.check::<WireError>(At::START) {
        Err(error) => error,
        // The same checks on the same value.
        Ok(()) => unreachable!("a value was refused and then accepted"),
    }
}
