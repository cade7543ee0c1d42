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
    #[wire(c_name = "WC_OK")]
    Ok = 0,
    /// Fewer bytes than the contract has.
    #[wire(c_name = "WC_TOO_SHORT")]
    TooShort = 1,
    /// More bytes than the contract has.
    #[wire(c_name = "WC_TRAILING_BYTES")]
    TrailingBytes = 2,
    /// The constant bytes are others.
    #[wire(c_name = "WC_BAD_MAGIC")]
    BadMagic = 3,
    /// A version this side does not read.
    #[wire(c_name = "WC_UNSUPPORTED_VERSION")]
    UnsupportedVersion = 4,
    /// A number that stands for no value of a closed enumeration or of a bool.
    #[wire(c_name = "WC_UNKNOWN_VALUE")]
    UnknownValue = 5,
    /// Bits that have no name in a closed set of flags.
    #[wire(c_name = "WC_UNKNOWN_BITS")]
    UnknownBits = 6,
    /// A count beyond the array it counts.
    #[wire(c_name = "WC_LENGTH_EXCEEDS")]
    LengthExceeds = 7,
    /// Reserved bytes that must be zero are not.
    #[wire(c_name = "WC_RESERVED_NOT_ZERO")]
    ReservedNotZero = 8,
    /// Text without an end, not UTF-8, or not padded by NUL.
    #[wire(c_name = "WC_BAD_TEXT")]
    BadText = 9,
    /// A condition across fields does not hold.
    #[wire(c_name = "WC_RULE_VIOLATED")]
    RuleViolated = 10,
    /// Not JSON.
    #[wire(c_name = "WC_NOT_JSON")]
    NotJson = 11,
    /// Not UTF-8.
    #[wire(c_name = "WC_BAD_UTF8")]
    BadUtf8 = 12,
    /// A document, string or number beyond its bound.
    #[wire(c_name = "WC_TOO_LARGE")]
    TooLarge = 13,
    /// Nested beyond the bound.
    #[wire(c_name = "WC_TOO_DEEP")]
    TooDeep = 14,
    /// More items than the bound.
    #[wire(c_name = "WC_TOO_MANY")]
    TooMany = 15,
    /// One key twice.
    #[wire(c_name = "WC_DUPLICATE_KEY")]
    DuplicateKey = 16,
    /// A key that the contract does not have.
    #[wire(c_name = "WC_UNKNOWN_KEY")]
    UnknownKey = 17,
    /// A required key is absent.
    #[wire(c_name = "WC_MISSING_KEY")]
    MissingKey = 18,
    /// A value of another type.
    #[wire(c_name = "WC_WRONG_TYPE")]
    WrongType = 19,
    /// A number outside its range.
    #[wire(c_name = "WC_OUT_OF_RANGE")]
    OutOfRange = 20,
    /// A value not spelled as declared (hex, base64, UUID).
    #[wire(c_name = "WC_BAD_ENCODING")]
    BadEncoding = 21,
    /// A tag that names no variant.
    #[wire(c_name = "WC_UNKNOWN_TAG")]
    UnknownTag = 22,
    /// Null where it is not allowed.
    #[wire(c_name = "WC_NULL_NOT_ALLOWED")]
    NullNotAllowed = 23,
    /// A condition on presence does not hold.
    #[wire(c_name = "WC_CONDITION_VIOLATED")]
    ConditionViolated = 24,
    /// Another number of file descriptors than declared.
    #[wire(c_name = "WC_FD_COUNT")]
    FdCount = 25,
    /// A file descriptor of another kind than declared.
    #[wire(c_name = "WC_FD_KIND")]
    FdKind = 26,
    /// Two sides with different wire ids.
    #[wire(c_name = "WC_ID_MISMATCH")]
    IdMismatch = 27,
    /// A null pointer where a pointer is required.
    #[wire(c_name = "WC_NULL_ARGUMENT")]
    NullArgument = 28,
    /// A handle that is not one, or no longer.
    #[wire(c_name = "WC_BAD_HANDLE")]
    BadHandle = 29,
    /// In use.
    #[wire(c_name = "WC_BUSY")]
    Busy = 30,
    /// A panic was contained.
    #[wire(c_name = "WC_PANIC")]
    Panic = 31,
    /// The operating system refused.
    #[wire(c_name = "WC_IO")]
    Io = 32,
    /// Not in time.
    #[wire(c_name = "WC_TIMEOUT")]
    Timeout = 33,
    /// The peer closed the channel.
    #[wire(c_name = "WC_PEER_CLOSED")]
    PeerClosed = 34,
    /// Refused, and the message names the way out.
    #[wire(c_name = "WC_REFUSED")]
    Refused = 35,
}
