//! Contracts of every form.

use std::collections::BTreeMap;

use wirecontract::{Flags, Json, Open, OpenName, UnknownVariant, WireContract};

/// Spelled by name, in any case.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, rename_all = "snake_case", case = fold)]
pub(crate) enum Format {
    Unknown = 0,
    #[wire(alias("bgra"))]
    Bgra32 = 1,
}

/// Spelled by number.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
#[wire(enumeration, as = integer)]
pub(crate) enum Tiling {
    Optimal = 0,
    Linear = -1,
}

/// Spelled as bits.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub(crate) enum Usage {
    Sampled = 1,
    Storage = 2,
}

/// Spelled as names; one is a mask, whose bits have no names of their own.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags, as = names, rename_all = "snake_case")]
pub(crate) enum Access {
    Read = 1,
    #[wire(alias("w"))]
    Write = 2,
    Wide = 12,
}

/// Two bytes with a magic.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub(crate) struct Extent {
    #[wire(magic = b"E")]
    pub(crate) magic: [u8; 1],
    pub(crate) flag: bool,
    pub(crate) width: u16,
}

/// A nested object.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, rule(positive: x > 0))]
pub(crate) struct Point {
    pub(crate) x: i32,
    #[wire(default = 0)]
    pub(crate) y: i32,
}

/// Every type.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_bytes = 4096, max_depth = 8)]
pub(crate) struct Types {
    pub(crate) u8: Option<u8>,
    pub(crate) i8: Option<i8>,
    pub(crate) u64: Option<u64>,
    pub(crate) i64: Option<i64>,
    #[wire(min = -5, max = 5)]
    pub(crate) bounded: Option<i32>,
    #[wire(decimal_string, max = 18446744073709551615)]
    pub(crate) decimal: Option<u64>,
    #[wire(decimal_string)]
    pub(crate) signed: Option<i16>,
    pub(crate) truth: Option<bool>,
    pub(crate) f32: Option<f32>,
    pub(crate) f64: Option<f64>,
    #[wire(min = -1.5, max = 2.0)]
    pub(crate) between: Option<f64>,
    #[wire(min = 0.5)]
    pub(crate) least: Option<f32>,
    #[wire(max = 1e21)]
    pub(crate) most: Option<f64>,
    #[wire(max_len = 4)]
    pub(crate) text: Option<String>,
    #[wire(hex, max_len = 2)]
    pub(crate) hex: Option<Vec<u8>>,
    #[wire(hex)]
    pub(crate) hex2: Option<[u8; 2]>,
    #[wire(base64, max_len = 4)]
    pub(crate) base64: Option<Vec<u8>>,
    #[wire(base64)]
    pub(crate) base2: Option<[u8; 2]>,
    #[wire(uuid)]
    pub(crate) uuid: Option<[u8; 16]>,
    #[wire(max_items = 2, max = 9)]
    pub(crate) list: Option<Vec<u8>>,
    pub(crate) array: Option<[u16; 2]>,
    pub(crate) matrix: Option<Vec<[u8; 2]>>,
    #[wire(max_items = 2, max_len = 3)]
    pub(crate) map: Option<BTreeMap<String, String>>,
    #[wire(max_len = 12)]
    pub(crate) json: Option<Json>,
    pub(crate) format: Option<Format>,
    #[wire(max_len = 5)]
    pub(crate) name: Option<OpenName<Format>>,
    pub(crate) tiling: Option<Tiling>,
    pub(crate) open: Option<Open<Tiling>>,
    pub(crate) usage: Option<Flags<Usage>>,
    pub(crate) access: Option<Flags<Access>>,
    #[wire(hex)]
    pub(crate) extent: Option<Extent>,
    pub(crate) point: Option<Point>,
    pub(crate) points: Option<Vec<Point>>,
    pub(crate) boxed: Option<Box<Point>>,
    #[wire(nullable)]
    pub(crate) nullable: Option<u8>,
    #[wire(null_when_absent)]
    pub(crate) nulled: Option<u8>,
}

impl Types {
    pub(crate) fn empty() -> Types {
        use wirecontract::WireJson;
        Types::from_json(b"{}").unwrap()
    }
}

/// Presence in every form.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown)]
pub(crate) struct Presence {
    pub(crate) required: u8,
    pub(crate) optional: Option<u8>,
    #[wire(default = 7)]
    pub(crate) defaulted: u8,
    #[wire(default = 8, skip_default)]
    pub(crate) skipped: u8,
    #[wire(default = 9, nullable)]
    pub(crate) nullable: u8,
    #[wire(default = Bgra32)]
    pub(crate) kept: Option<Format>,
    #[wire(name = "class")]
    pub(crate) renamed: Option<u8>,
    #[wire(required_if(defaulted == 1))]
    pub(crate) needed: Option<u8>,
    #[wire(one_of(defaulted: 2, 3))]
    pub(crate) used: Option<u8>,
}

/// Lenient keys.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown, max_depth = 3, rule(small: a < 100))]
pub(crate) struct Lenient {
    pub(crate) id: String,
    #[wire(lenient, default = 1)]
    pub(crate) a: u8,
    #[wire(lenient)]
    pub(crate) b: Option<Vec<Inner>>,
    #[wire(lenient, nullable)]
    pub(crate) c: Option<bool>,
    #[wire(default = 2)]
    pub(crate) strict: u8,
    pub(crate) inner: Option<Inner>,
}

/// Lenient keys below others.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub(crate) struct Inner {
    #[wire(lenient)]
    pub(crate) x: Option<u8>,
    pub(crate) y: u8,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub(crate) struct Pixels {
    #[wire(default = Unknown)]
    pub(crate) format: Format,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(layout != 3))]
pub(crate) struct Texels {
    pub(crate) layout: u32,
    pub(crate) name: OpenName<Format>,
}

/// Internal, its tag written last and allowed to be absent; open.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "resource_type", rename_all = "snake_case", tag_last)]
pub(crate) enum Resource {
    #[wire(no_tag)]
    Implied(Pixels),
    #[wire(alias("pixels"))]
    PixelBuffer(Pixels),
    Texture(Texels),
    Nothing,
    #[wire(open)]
    Other(UnknownVariant),
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe)]
pub(crate) struct Extra {
    pub(crate) note: String,
    pub(crate) json: Option<Json>,
}

/// Flattens a union and a recipe.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, rule(width > 0))]
pub(crate) struct Surface {
    pub(crate) width: u32,
    #[wire(flatten)]
    pub(crate) resource: Resource,
    pub(crate) planes: Option<Vec<u64>>,
    #[wire(flatten)]
    pub(crate) extra: Extra,
    pub(crate) last: u8,
}

/// Denies what is unknown, but for what its union keeps.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, deny_unknown)]
pub(crate) struct Strict {
    pub(crate) width: u32,
    #[wire(flatten)]
    pub(crate) resource: Resource,
}

/// Nests deeper than its documents may.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_depth = 2)]
pub(crate) struct Shallow {
    pub(crate) lists: Option<Vec<Vec<u8>>>,
    pub(crate) list: Option<Vec<u8>>,
}

/// Internal, closed.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "op", rename_all = "snake_case")]
pub(crate) enum Request {
    Register(Point),
    Lookup(Extra),
    Ping,
}

/// Adjacent, open, with a default tag.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, tag = "type", content = "value", tag_default = Count, rename_all = "snake_case")]
pub(crate) enum Measure {
    #[wire(default = -1)]
    Count(i64),
    Ratio(f64),
    Nothing,
    #[wire(open)]
    Other(UnknownVariant),
}

/// Untagged.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(union, untagged)]
pub(crate) enum Answer {
    Surface(Surface),
    Point(Point),
    Extra(Extra),
}

/// Ignores what it does not know, and holds almost nothing.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, max_bytes = 64, max_depth = 3)]
pub(crate) struct Small {
    pub(crate) json: Option<Json>,
}
