//! What every contract has, and what every descriptor can do.

use crate::WireError;
use crate::error::At;
use crate::growth::{self, Growth, Newer};
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
    /// Bytes, and the file descriptors beside them.
    Message,
    /// One of several messages.
    Messages,
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
///
/// # Growing
///
/// A descriptor may grow at its end: it declares its size by version, `size(v1 = 24, v2 = 32)`, and of each field that
/// came later since when it is there and what its absence stands for, `since = 2, default = V`. Every version that has
/// been is read, and what it has not is as its default says. Which version bytes are of, a version field says
/// (`#[wire(version = 2)]`), or else the length. The order of faults is: the least length, magic, version, the length of
/// that version, fields. Such a descriptor is never nested but as the last field of one that grows with it.
pub trait WireContract: Contract + WireType {
    /// Bytes on the wire; of one that grows, those of the newest version.
    const WIRE_SIZE: usize;

    /// Bytes of each version, from the first on; of one that does not grow, the one size.
    const WIRE_SIZES: &'static [usize] = &[Self::WIRE_SIZE];

    /// `[u8; Self::WIRE_SIZE]`.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Copy + Send + Sync + 'static;

    /// The bytes, all zero: a place to write into.
    #[doc(hidden)]
    const ZEROED: Self::Bytes;

    /// Reads a value from exactly [`WIRE_SIZE`](Self::WIRE_SIZE) bytes; of one that grows, from exactly as many as one
    /// of its versions has.
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        match Self::SHAPE.growth {
            None => exact(bytes),
            Some(growth) => growth::read(bytes, growth, Newer::Refused),
        }
    }

    /// Reads a value of a version that this side knows, or of a newer one as far as it is known: what stands behind is
    /// not looked at, and a version field is given as the newest that is known. Only for descriptors that grow.
    ///
    /// Where no field says the version, whatever is longer than the newest version is taken for a newer one.
    #[inline]
    fn from_bytes_or_newer(bytes: &[u8]) -> Result<Self, WireError> {
        growth::read(bytes, const { growing(Self::SHAPE.growth) }, Newer::Known)
    }

    /// Reads a value from the first [`WIRE_SIZE`](Self::WIRE_SIZE) bytes and gives the rest; of one that grows, from as
    /// many as its version field says. One that grows and has no version field is not read so: only the length says
    /// where it ends.
    #[inline]
    fn read_prefix(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        const { has_an_end(Self::SHAPE.growth) };
        let size = match Self::SHAPE.growth {
            None => Self::WIRE_SIZE,
            Some(growth) => growth::prefix::<Self>(bytes, growth)?,
        };
        match bytes.split_at_checked(size) {
            Some((head, rest)) => Ok((Self::from_bytes(head)?, rest)),
            None => Err(WireError::length(Self::NAME, size, bytes.len())),
        }
    }

    /// The version that bytes are of: what their version field says, or else what their length does. Nothing but length,
    /// magic and version is looked at. Only for descriptors that grow.
    #[inline]
    fn version_of(bytes: &[u8]) -> Result<u32, WireError> {
        let version = growth::version::<Self>(bytes, const { growing(Self::SHAPE.growth) }, Newer::Refused)?;
        #[allow(clippy::cast_possible_truncation, reason = "as many versions as sizes are declared")]
        Ok(version as u32)
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

    /// Writes the value to the start of `bytes` as a version that a peer speaks has it, and gives the number of bytes
    /// written. Refused, besides for the reasons of [`write_to`](Self::write_to), when there is no such version, and
    /// when a field that it has not is other than its default: `unsupported_version`. Nothing is written when it is
    /// refused. Only for descriptors that grow.
    #[inline]
    fn write_version_to(&self, version: u32, bytes: &mut [u8]) -> Result<usize, WireError> {
        growth::write(self, const { growing(Self::SHAPE.growth) }, version.into(), bytes)
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

    /// Checks exactly [`WIRE_SIZE`](Self::WIRE_SIZE) bytes, or those of any version of one that grows, and gives getters
    /// over them, without copying.
    #[inline]
    fn view(bytes: &[u8]) -> Result<View<'_, Self>, WireError> {
        match Self::SHAPE.growth {
            None => exact_view::<Self>(bytes),
            Some(growth) => growth::view::<Self>(bytes, growth, Newer::Refused),
        }
    }

    /// As [`view`](Self::view), also of bytes of a newer version, as
    /// [`from_bytes_or_newer`](Self::from_bytes_or_newer) takes them. Only for descriptors that grow.
    #[inline]
    fn view_or_newer(bytes: &[u8]) -> Result<View<'_, Self>, WireError> {
        growth::view::<Self>(bytes, const { growing(Self::SHAPE.growth) }, Newer::Known)
    }
}

/// Reads a value of the only version, or of the newest.
#[inline(always)]
pub(crate) fn exact<T: WireContract>(bytes: &[u8]) -> Result<T, WireError> {
    if bytes.len() != T::WIRE_SIZE {
        return Err(WireError::length(T::NAME, T::WIRE_SIZE, bytes.len()));
    }
    match T::validate::<()>(bytes, Endian::Little, At::START) {
        Ok(()) => Ok(T::decode(bytes, Endian::Little)),
        Err(()) => Err(fault::<T>(bytes)),
    }
}

/// Getters over bytes of the only version, or of the newest.
#[inline(always)]
pub(crate) fn exact_view<T: WireContract>(bytes: &[u8]) -> Result<View<'_, T>, WireError> {
    if bytes.len() != T::WIRE_SIZE {
        return Err(WireError::length(T::NAME, T::WIRE_SIZE, bytes.len()));
    }
    match T::validate::<()>(bytes, Endian::Little, At::START) {
        Ok(()) => Ok(T::view_of(bytes, Endian::Little)),
        Err(()) => Err(fault::<T>(bytes)),
    }
}

/// How a descriptor has grown; one that does not declare it has no older and no newer versions.
const fn growing(growth: Option<&'static Growth>) -> &'static Growth {
    match growth {
        Some(growth) => growth,
        None => {
            panic!(
                "this descriptor does not grow: declare its size by version, `size(v1 = …)`, to read others"
            )
        }
    }
}

/// Whether bytes say where the descriptor ends.
const fn has_an_end(growth: Option<&'static Growth>) {
    if let Some(growth) = growth {
        assert!(
            growth.has_version,
            "only the length says of which version this descriptor is, so a prefix does not: read exactly its bytes with \
             `from_bytes`, or declare a field `#[wire(version = …)]`"
        );
    }
}

/// Why bytes that were refused are.
#[cold]
#[inline(never)]
pub(crate) fn fault<T: WireContract>(bytes: &[u8]) -> WireError {
    match T::validate::<WireError>(bytes, Endian::Little, At::START) {
        Err(error) => error,
        // The same checks on the same bytes.
        Ok(()) => unreachable!("bytes were refused and then accepted"),
    }
}

/// Why a value that was refused is.
#[cold]
#[inline(never)]
pub(crate) fn flaw<T: WireContract>(value: &T) -> WireError {
    match value.check::<WireError>(At::START) {
        Err(error) => error,
        // The same checks on the same value.
        Ok(()) => unreachable!("a value was refused and then accepted"),
    }
}
