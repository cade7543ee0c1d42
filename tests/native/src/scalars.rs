//! Descriptors of one size.

use wirecontract::{Flags, Open, WireContract};

/// A number with a sign.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i16)]
#[wire(enumeration)]
pub enum Level {
    /// Below nothing.
    Low = -300,
    /// Nothing.
    None = 0,
    /// As high as it gets.
    High = 32767,
}

/// Numbers of the whole range.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
#[wire(enumeration)]
pub enum Wide {
    /// One.
    One = 1,
    /// The greatest.
    Most = 0xffff_ffff_ffff_ffff,
}

/// Bits, all others refused.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(flags)]
pub enum Ability {
    /// The first.
    First = 1,
    /// The last.
    Last = 0x8000,
}

/// Bits, all others kept.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags, open)]
pub enum Hint {
    /// A bit.
    Near = 4,
    /// A mask.
    Wide = 0x30,
}

/// Every scalar, little-endian.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Scalars {
    /// A byte.
    pub u8: u8,
    /// One with a sign.
    pub i8: i8,
    /// Two bytes.
    pub i16: i16,
    /// True or false.
    pub truth: bool,
    /// More of them.
    pub truths: [bool; 3],
    /// Four bytes.
    pub f32: f32,
    /// Four more.
    pub u32: u32,
    /// Eight bytes.
    pub f64: f64,
    /// With a sign.
    pub i64: i64,
    /// Rows of two.
    pub matrix: [[f32; 2]; 2],
    /// Rows of bytes.
    pub rows: [[u8; 2]; 4],
}

/// Every form of a value, big-endian.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, endian = big)]
pub struct Big {
    /// What it begins with.
    #[wire(magic = b"BIG\n")]
    pub magic: [u8; 4],
    /// Which form it is in.
    #[wire(version = 3)]
    pub version: u16,
    /// Of an enumeration.
    pub level: Level,
    /// The same, or any number.
    pub other_level: Open<Level>,
    /// Known bits.
    pub abilities: Flags<Ability>,
    /// Any bits.
    pub hints: Flags<Hint>,
    /// A float.
    pub f32: f32,
    /// Values of an enumeration.
    pub levels: [Level; 2],
    /// A float.
    pub f64: f64,
    /// Values of the whole range.
    pub wide: [Open<Wide>; 2],
    /// Little-endian among the others.
    #[wire(endian = little)]
    pub little: u32,
    /// With a sign.
    pub i32: i32,
}

/// In the order of this machine.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, endian = native)]
pub struct Native {
    /// Two bytes.
    pub u16: u16,
    /// Bits.
    pub abilities: Flags<Ability>,
    /// Four bytes.
    pub f32: f32,
    /// Text, NUL behind it.
    #[wire(text)]
    pub text: [u8; 8],
}

/// Without alignment, and with names that mean something elsewhere.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed)]
#[wire(rule(ordered: r#type <= int), rule(imported: int < 1000), at = import)]
pub struct Packed {
    /// A word of Rust's.
    pub r#type: u8,
    /// A name of Python's.
    pub int: u32,
    /// A word of Python's.
    pub lambda: i64,
    /// What is ignored.
    #[wire(reserved)]
    pub _pad: [u8; 3],
    /// What is zero.
    #[wire(reserved(zero))]
    pub _zero: u16,
    /// A name of Python's.
    pub bytes: [u8; 3],
}

/// What arrays are made of: a value of it has a gap, and elements that do not count.
#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Cell {
    /// Where.
    pub x: f32,
    /// How many values count.
    #[wire(length_of = values)]
    pub count: u8,
    /// What is ignored.
    #[wire(reserved)]
    pub _pad: u8,
    /// The values.
    pub values: [u16; 3],
}

/// Descriptors in descriptors.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Nested {
    /// One.
    pub one: Cell,
    /// How many of both arrays count.
    #[wire(length_of(cells, names))]
    pub count: u32,
    /// The cells.
    pub cells: [Cell; 2],
    /// As many names.
    pub names: [[u8; 4]; 3],
    /// Rows of cells.
    pub rows: [[Cell; 1]; 2],
    /// How many bytes count.
    #[wire(length_of = blob)]
    pub blob_len: u16,
    /// The bytes.
    pub blob: [u8; 6],
}

/// More gaps than a table lists.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Gaps {
    /// The cells.
    pub cells: [Cell; 33],
    /// What is ignored.
    #[wire(reserved)]
    pub _pad: [u8; 4],
}
