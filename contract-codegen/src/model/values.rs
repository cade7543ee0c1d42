//! Enumerations and flags: what has named values.

use super::Scalar;

/// One of several named integers.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumeration {
    /// The integer type that stands for it.
    pub repr: Scalar,
    /// The values, as declared: no two with one name or one number.
    pub values: Vec<EnumValue>,
    /// Keys that every value carries data for, as declared.
    pub data: Vec<DataKey>,
    /// How a value is spelled in JSON.
    pub spelled: Spelled,
    /// Whether names are read in any case (of ASCII letters) and with ASCII white space around them.
    pub fold: bool,
}

/// How values of an enumeration or flags are spelled in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelled {
    /// By name; of flags, an array of names.
    Names,
    /// By number; of flags, the bits.
    Integer,
}

/// One value of an enumeration or of flags.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue {
    /// The name in Rust (`PosixFd`).
    pub name: String,
    /// The name as text carries it (`posix_fd`); `name` where nothing else is declared.
    pub wire_name: String,
    /// Other names in the spelling of `wire_name`: read, never written.
    pub aliases: Vec<String>,
    /// The number, or the bits of a flag.
    pub value: i128,
    /// The documentation comment.
    pub docs: String,
    /// The C constant's name, where the declaration fixes one.
    pub c_name: Option<String>,
    /// The version of the contract that introduced it.
    pub since: Option<u32>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
    /// Data, in the order of [`Enumeration::data`].
    pub data: Vec<DataValue>,
}

/// A key that every value of an enumeration carries data for.
#[derive(Debug, Clone, PartialEq)]
pub struct DataKey {
    /// The key, in snake case.
    pub name: String,
    /// The type of its values.
    pub ty: DataType,
}

/// The type of a data key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    /// Every value fits in an `i64`.
    I64,
    /// No value is negative, and one does not fit in an `i64`.
    U64,
    /// True or false.
    Bool,
    /// Text.
    Text,
}

/// A data value of an enumeration's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataValue {
    /// An integer.
    Integer(i128),
    /// True or false.
    Bool(bool),
    /// Text.
    Text(String),
}

/// A set of named bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Flags {
    /// The unsigned integer type that holds the bits.
    pub repr: Scalar,
    /// The flags: one bit or a mask each, none zero, no two that overlap.
    pub values: Vec<EnumValue>,
    /// Whether bits without a name are kept; they are refused otherwise.
    pub open: bool,
    /// How they are spelled in JSON; by names only when not open.
    pub spelled: Spelled,
}

impl Flags {
    /// All bits that have a name.
    pub fn known_bits(&self) -> u64 {
        self.values.iter().fold(0, |bits, value| bits | u64::try_from(value.value).unwrap_or(0))
    }
}
