//! Descriptors that grew.

use wirecontract::{Flags, Open, WireContract};

use crate::scalars::{Ability, Cell, Level};

/// Says its version itself.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 3, size(v1 = 16, v2 = 56, v3 = 64))]
#[wire(rule(gain <= 1000))]
pub struct Frame {
    /// What it begins with.
    #[wire(magic = b"GROW")]
    pub magic: [u8; 4],
    /// Which form it is in.
    #[wire(version = 3)]
    pub version: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u32,
    /// Reserved until version 3 put it to use.
    #[wire(since = 3, default = 0)]
    pub crop: u32,
    /// An integer.
    #[wire(since = 2, default = 100)]
    pub gain: u32,
    /// Of an enumeration.
    #[wire(since = 2, default = High)]
    pub level: Level,
    /// The same, or any number.
    #[wire(since = 2, default = Low)]
    pub other_level: Open<Level>,
    /// Bits.
    #[wire(since = 2, default = First | Last)]
    pub abilities: Flags<Ability>,
    /// An array.
    #[wire(since = 2, default = [1, 2])]
    pub levels: [u8; 2],
    /// A float.
    #[wire(since = 2, default = 1.5)]
    pub scale: f32,
    /// A descriptor.
    #[wire(since = 2, default)]
    pub cell: Cell,
    /// Text.
    #[wire(since = 2, default = "lwir", text)]
    pub name: [u8; 8],
    /// A truth.
    #[wire(since = 2, default = true)]
    pub is_hot: bool,
    /// What is ignored.
    #[wire(reserved, since = 2)]
    pub _pad: [u8; 3],
    /// Cells, none of them unless said.
    #[wire(since = 3, default = -1)]
    pub last: i64,
}

/// The length says the version.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 12))]
pub struct Tail {
    /// A kind.
    pub kind: u16,
    /// A number.
    pub id: u16,
    /// How many items count.
    #[wire(since = 2, length_of = items, default = 1)]
    pub count: u16,
    /// The items.
    #[wire(since = 2, default = [5, 0, 0])]
    pub items: [u16; 3],
}

/// Grows with what stands last in it.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 12, v2 = 20))]
pub struct Holder {
    /// What it begins with.
    #[wire(magic = b"HOLD")]
    pub magic: [u8; 4],
    /// Which form it is in.
    #[wire(version = 2)]
    pub version: u16,
    /// A number.
    pub sequence: u16,
    /// What grows.
    pub tail: Tail,
}
