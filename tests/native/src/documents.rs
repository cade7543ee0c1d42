//! Recipes with keys of every type and presence.

use std::collections::BTreeMap;

use wirecontract::{Flags, Json, Open, OpenName, WireContract};

use crate::scalars::{Ability, Hint};

/// Spelled by name, in any case.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, rename_all = "snake_case", case = fold)]
pub enum Format {
    /// None that is known.
    Unknown = 0,
    /// Four bytes.
    #[wire(alias("bgra"))]
    Bgra32 = 1,
}

/// Spelled by number.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
#[wire(enumeration, as = integer)]
pub enum Tiling {
    /// As the machine likes it.
    Optimal = 0,
    /// Row by row.
    Linear = -1,
}

/// Spelled as names; one is a mask, whose bits have no names of their own.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags, as = names, rename_all = "snake_case")]
pub enum Access {
    /// It reads.
    Read = 1,
    /// It writes.
    #[wire(alias("w"))]
    Write = 2,
    /// A mask.
    Wide = 12,
}

/// A descriptor that documents hold.
#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, rule(small: width < 1000), at = import)]
pub struct Extent {
    /// What it begins with.
    #[wire(magic = b"E")]
    pub magic: [u8; 1],
    /// True or false.
    pub flag: bool,
    /// Columns.
    pub width: u16,
    /// A float.
    pub scale: f32,
}

/// A nested object.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, rule(positive: x > 0))]
pub struct Point {
    /// A column.
    pub x: i32,
    /// A row.
    #[wire(default = 0)]
    pub y: i32,
}

/// Every type, each key of which may be absent.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_bytes = 4096, max_depth = 8)]
pub struct Types {
    /// A byte.
    pub u8: Option<u8>,
    /// One with a sign.
    pub i8: Option<i8>,
    /// Eight bytes.
    pub u64: Option<u64>,
    /// With a sign.
    pub i64: Option<i64>,
    /// Within bounds.
    #[wire(min = -5, max = 5)]
    pub bounded: Option<i32>,
    /// In digits.
    #[wire(decimal_string, max = 18446744073709551615)]
    pub decimal: Option<u64>,
    /// In digits, with a sign.
    #[wire(decimal_string)]
    pub signed: Option<i16>,
    /// True or false.
    pub truth: Option<bool>,
    /// A float.
    pub f32: Option<f32>,
    /// A float.
    pub f64: Option<f64>,
    /// Within bounds.
    #[wire(min = -1.5, max = 2.0)]
    pub between: Option<f64>,
    /// At least something.
    #[wire(min = 0.5)]
    pub least: Option<f32>,
    /// At most something.
    #[wire(max = 1e21)]
    pub most: Option<f64>,
    /// Text.
    #[wire(max_len = 4)]
    pub text: Option<String>,
    /// Bytes.
    #[wire(hex, max_len = 2)]
    pub hex: Option<Vec<u8>>,
    /// So many bytes.
    #[wire(hex)]
    pub hex2: Option<[u8; 2]>,
    /// Bytes.
    #[wire(base64, max_len = 4)]
    pub base64: Option<Vec<u8>>,
    /// So many bytes.
    #[wire(base64)]
    pub base2: Option<[u8; 2]>,
    /// Sixteen bytes.
    #[wire(uuid)]
    pub uuid: Option<[u8; 16]>,
    /// Few numbers.
    #[wire(max_items = 2, max = 9)]
    pub list: Option<Vec<u8>>,
    /// So many numbers.
    pub array: Option<[u16; 2]>,
    /// Rows of numbers.
    pub matrix: Option<Vec<[u8; 2]>>,
    /// Texts by key.
    #[wire(max_items = 2, max_len = 3)]
    pub map: Option<BTreeMap<String, String>>,
    /// Anything.
    #[wire(max_len = 12)]
    pub json: Option<Json>,
    /// By name.
    pub format: Option<Format>,
    /// By any name.
    #[wire(max_len = 5)]
    pub name: Option<OpenName<Format>>,
    /// By number.
    pub tiling: Option<Tiling>,
    /// By any number.
    pub open: Option<Open<Tiling>>,
    /// Bits.
    pub abilities: Option<Flags<Ability>>,
    /// Any bits.
    pub hints: Option<Flags<Hint>>,
    /// Names of bits.
    pub access: Option<Flags<Access>>,
    /// A descriptor.
    #[wire(hex)]
    pub extent: Option<Extent>,
    /// Descriptors.
    #[wire(base64)]
    pub extents: Option<Vec<Extent>>,
    /// An object.
    pub point: Option<Point>,
    /// Objects.
    #[wire(max_items = 3)]
    pub points: Option<Vec<Point>>,
    /// One behind a pointer.
    pub boxed: Option<Box<Point>>,
    /// Or null.
    #[wire(nullable)]
    pub nullable: Option<u8>,
    /// Null where it is absent.
    #[wire(null_when_absent)]
    pub nulled: Option<u8>,
}

/// Presence in every form.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown)]
pub struct Presence {
    /// Always there.
    pub required: u8,
    /// Perhaps.
    pub optional: Option<u8>,
    /// Seven unless said.
    #[wire(default = 7)]
    pub defaulted: u8,
    /// Written where it is another number.
    #[wire(default = 8, skip_default)]
    pub skipped: u8,
    /// Or null.
    #[wire(default = 9, nullable)]
    pub nullable: u8,
    /// Kept absent.
    #[wire(default = Bgra32)]
    pub kept: Option<Format>,
    /// A word of Python's.
    #[wire(name = "class")]
    pub class: Option<u8>,
    /// Where the other is 1.
    #[wire(required_if(defaulted == 1))]
    pub needed: Option<u8>,
    /// Where the other is 2 or 3.
    #[wire(one_of(defaulted: 2, 3))]
    pub used: Option<u8>,
}

/// A default of every type.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Defaults {
    /// An integer.
    #[wire(default = -5)]
    pub number: i64,
    /// The greatest.
    #[wire(default = 18446744073709551615)]
    pub greatest: u64,
    /// A truth.
    #[wire(default = true)]
    pub truth: bool,
    /// A float.
    #[wire(default = 0.1)]
    pub f32: f32,
    /// One without a point.
    #[wire(default = 2)]
    pub f64: f64,
    /// Text.
    #[wire(default = "a \"b\" é")]
    pub text: String,
    /// Bytes.
    #[wire(hex, default = [1, 2])]
    pub hex: Vec<u8>,
    /// So many bytes.
    #[wire(base64, default = [3, 4])]
    pub base64: [u8; 2],
    /// Numbers.
    #[wire(default = [5, 6])]
    pub list: Vec<u8>,
    /// So many numbers.
    #[wire(default = [7, 8])]
    pub array: [u16; 2],
    /// By name.
    #[wire(default = Bgra32)]
    pub format: Format,
    /// By any name.
    #[wire(default = Unknown)]
    pub name: OpenName<Format>,
    /// By number.
    #[wire(default = Linear)]
    pub tiling: Tiling,
    /// By any number.
    #[wire(default = Linear)]
    pub open: Open<Tiling>,
    /// Bits.
    #[wire(default = First | Last)]
    pub abilities: Flags<Ability>,
    /// Names of bits.
    #[wire(default = Read | Wide)]
    pub access: Flags<Access>,
    /// Kept absent.
    #[wire(default = [1.5, -2.5])]
    pub kept: Option<Vec<f64>>,
}

/// Lenient keys.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, max_depth = 3, rule(small: a < 100), rule(came: fd_count == a), at = import)]
pub struct Lenient {
    /// A name.
    pub id: String,
    /// Forgiven.
    #[wire(lenient, default = 1)]
    pub a: u8,
    /// Forgiven.
    #[wire(lenient)]
    pub b: Option<Vec<Inner>>,
    /// Forgiven, or null.
    #[wire(lenient, nullable)]
    pub c: Option<bool>,
    /// Not forgiven.
    #[wire(default = 2)]
    pub strict: u8,
    /// What forgives too.
    pub inner: Option<Inner>,
}

/// Lenient keys below others.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub struct Inner {
    /// Forgiven.
    #[wire(lenient)]
    pub x: Option<u8>,
    /// Not forgiven.
    pub y: u8,
}
