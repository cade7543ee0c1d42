//! Keys that are equal, once renamed or as they were, and keys of other kinds.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe, rename_all = "camelCase")]
pub struct Equal {
    pub frame_count: u32,
    #[wire(name = "frameCount")]
    pub frames: u32,
    #[wire(name = "size")]
    pub width: u32,
    #[wire(name = "size")]
    pub height: u32,
    #[wire(name = "")]
    pub nothing: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Nothing {}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Unit;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Positional(u32);

#[derive(WireContract)]
#[wire(recipe, size = 4, layout = packed, endian = big, tag = "op", untagged, open, as = names, case = fold)]
pub struct Foreign {
    #[wire(magic = b"x", version = 1, reserved, length_of = b, text, endian = big, offset = 0)]
    pub a: u32,
    #[wire(alias("x"))]
    pub b: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, deny_unknown, max_bytes = 3, max_depth = 3)]
pub struct Descriptor {
    #[wire(name = "b", default = 1, min = 1, flatten, hex, required_if(a == 1))]
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe, deny_unknown, deny_unknown, max_bytes = 4096, max_bytes = 4096, at = import)]
#[wire(rule(a > 0), at = import, at = read, rule, rule(), deny_unknown = true, max_depth = "8")]
pub struct Twice {
    #[wire(name = "a", name = "b", default = 1, default = 2, min = 0, min = 1)]
    pub a: u32,
    #[wire(nullable, nullable, lenient, lenient, hex, hex, max_len = 1, max_len = 2)]
    pub b: Option<Vec<u8>>,
    #[wire(required_if, one_of, nullable = true, min, max_len = -1)]
    pub c: Option<u32>,
    #[wire(required_if(a, b), one_of(a), flatten(b), uuid = 3)]
    pub d: Option<u32>,
    #[wire(required_if(a == 1, at = later), one_of(a: ))]
    pub e: Option<u32>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub enum Enum {
    A,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub struct Struct {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe, union)]
pub struct Both {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Generic<T> {
    pub a: T,
}

fn main() {}
