//! Limits that no document is within.

use std::collections::BTreeMap;

use wirecontract::{Flags, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Quick = 1,
    #[wire(alias("slw"))]
    Slow = 2,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, as = names)]
pub enum Fault {
    Hot = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Place {
    pub x: u32,
}

/// `{"n":100,"s":"-1000"}`
#[derive(WireContract)]
#[wire(recipe, max_bytes = 20)]
pub struct Numbers {
    #[wire(min = 100)]
    pub n: u16,
    #[wire(max = -1000, decimal_string)]
    pub s: i32,
    pub o: Option<u64>,
}

/// `{"m":"slw","f":[],"b":true}`
#[derive(WireContract)]
#[wire(recipe, max_bytes = 26)]
pub struct Words {
    pub m: Mode,
    pub f: Flags<Fault>,
    pub b: bool,
    #[wire(default = 1)]
    pub d: u8,
}

/// `{"h":"00000000","b":"AAAA","p":"00000000","u":"00000000-0000-0000-0000-000000000000"}`
#[derive(WireContract)]
#[wire(recipe, max_bytes = 84)]
pub struct Bytes {
    #[wire(hex)]
    pub h: [u8; 4],
    #[wire(base64)]
    pub b: [u8; 3],
    #[wire(hex)]
    pub p: Place,
    #[wire(uuid)]
    pub u: [u8; 16],
}

/// `{"\n":{"a":[[0,0],[0,0]]}}`, with a part.
#[derive(WireContract)]
#[wire(recipe, max_bytes = 25, max_depth = 3)]
pub struct Nested {
    #[wire(name = "\n")]
    pub inner: Inner,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Inner {
    #[wire(flatten)]
    pub part: Part,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Part {
    pub a: [[u8; 2]; 2],
    pub o: Option<Vec<Vec<Vec<u8>>>>,
}

/// `{"map":{}}`
#[derive(WireContract)]
#[wire(recipe, max_depth = 1)]
pub struct Map {
    pub map: BTreeMap<String, String>,
}

/// `{"op":"b","x":0}`
#[derive(WireContract)]
#[wire(union, tag = "op", max_bytes = 15)]
pub enum Internal {
    A(Nested),
    #[wire(name = "later", alias("b"))]
    B(X),
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct X {
    pub x: u8,
}

/// `{"is":"a","of":{"x":0}}`
#[derive(WireContract)]
#[wire(union, tag = "is", content = "of", rename_all = "snake_case", max_bytes = 22, max_depth = 1)]
pub enum Adjacent {
    A(X),
    B(Part),
}

/// `{"x":0}`
#[derive(WireContract)]
#[wire(union, untagged, max_bytes = 6)]
pub enum Untagged {
    Part(Part),
    X(X),
}

/// More than any limit unless it is declared.
#[derive(WireContract)]
#[wire(recipe)]
pub struct Large {
    #[wire(hex)]
    pub bytes: [u8; 600_000],
}

fn main() {}
