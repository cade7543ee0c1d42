//! The codes of refusals: one enumeration, the same numbers in every language, itself a contract.

use crate::WireContract;

/// Why bytes or a value were refused.
///
/// The numbers are the same in every language and never change; new codes are appended.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
#[wire(enumeration, crate = crate, rename_all = "snake_case", c_name = "wc_status")]
#[non_exhaustive]
pub enum Code {
    /// No fault.
    Ok = 0,
    /// Fewer bytes than the contract has.
    TooShort = 1,
    /// More bytes than the contract has.
    TrailingBytes = 2,
    /// The constant bytes are others.
    BadMagic = 3,
    /// A version this side does not read.
    UnsupportedVersion = 4,
    /// A number that stands for no value of a closed enumeration or of a bool.
    UnknownValue = 5,
    /// Bits that have no name in a closed set of flags.
    UnknownBits = 6,
    /// A count beyond the array it counts.
    LengthExceeds = 7,
    /// Reserved bytes that must be zero are not.
    ReservedNotZero = 8,
    /// Text without an end, not UTF-8, or not padded by NUL.
    BadText = 9,
    /// A condition across fields does not hold.
    RuleViolated = 10,
    /// Not JSON.
    NotJson = 11,
    /// Not UTF-8.
    BadUtf8 = 12,
    /// A document, string or number beyond its bound.
    TooLarge = 13,
    /// Nested beyond the bound.
    TooDeep = 14,
    /// More items than the bound.
    TooMany = 15,
    /// One key twice.
    DuplicateKey = 16,
    /// A key that the contract does not have.
    UnknownKey = 17,
    /// A required key is absent.
    MissingKey = 18,
    /// A value of another type.
    WrongType = 19,
    /// A number outside its range.
    OutOfRange = 20,
    /// A value not spelled as declared (hex, base64, UUID).
    BadEncoding = 21,
    /// A tag that names no variant.
    UnknownTag = 22,
    /// Null where it is not allowed.
    NullNotAllowed = 23,
    /// A condition on presence does not hold.
    ConditionViolated = 24,
    /// Another number of file descriptors than declared.
    FdCount = 25,
    /// A file descriptor of another kind than declared.
    FdKind = 26,
    /// Two sides with different wire ids.
    IdMismatch = 27,
    /// A null pointer where a pointer is required.
    NullArgument = 28,
    /// A handle that is not one, or no longer.
    BadHandle = 29,
    /// In use.
    Busy = 30,
    /// A panic was contained.
    Panic = 31,
    /// The operating system refused.
    Io = 32,
    /// Not in time.
    Timeout = 33,
    /// The peer closed the channel.
    PeerClosed = 34,
    /// Refused, and the message names the way out.
    Refused = 35,
}
