//! Keys that are not known, stand twice, or have no or another value.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, sise = 4)]
pub struct Unknown {
    #[wire(lenght_of = b)]
    pub a: u32,
    #[wire(skip, name = "c")]
    pub b: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, descriptor, size = 8, size = 8, version = 1, endian = big)]
#[wire(version = 1, endian = big, c_name = "a", c_name = "b", layout = natural, layout = natural)]
#[wire(crate = wirecontract, crate = wirecontract, since = 1, since = 2, deprecated = "a", deprecated = "b")]
pub struct Twice {
    #[wire(offset = 0, offset = 0, endian = big)]
    #[wire(endian = big)]
    pub a: u32,
    #[wire(version = 1, version = 1, c_name = "a", c_name = "b", was = old, was = older)]
    pub b: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = "8", version, endian = middle, layout = C, c_name = 1, rename_all = "lowercase")]
#[wire(size(v1 = 8), crate, open, deprecated, since = 4294967296, was)]
pub struct Values {
    #[wire(endian, offset = -1, c_name, was = 1, since = soon)]
    pub a: u32,
    #[wire(reserved reserved, = 3, offset = )]
    pub b: u32,
    #[wire]
    pub c: u32,
    #[wire = "reserved"]
    pub d: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, size = 1, layout = packed, endian = big, open)]
#[wire(rename_all = "Title Case")]
pub enum Enumeration {
    #[wire(alias, alias(3), alias("a", 4), name = 1, unknown)]
    A = 1,
    #[wire(data, data(3), data(a::b = 1), since = 1, since = 1, deprecated = "a", deprecated = "b")]
    B = 2,
    #[wire(name = "c", name = "d", c_name = "c", c_name = "d")]
    C = 3,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, open, closed, since = 0, version = 0)]
pub enum Both {
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptr, size = 4)]
pub struct UnknownKind {
    #[wire(lenght = b)]
    pub a: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enum)]
pub enum BeginningOfKind {
    A = 1,
}

#[derive(WireContract)]
#[wire(packet)]
pub struct NoSuchKind {
    pub a: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(sise = 4)]
pub struct UnknownKeyOfNoKind {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(fds(1))]
pub struct OfMembersAndNoKind {
    pub a: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, data(size = 4))]
pub enum OnTheValue {
    #[wire(rename_all = "lowercase", hex)]
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(offset = 4, flags)]
pub enum OnTheFlag {
    #[wire(open, text)]
    A = 1,
}

#[derive(WireContract)]
#[wire(recipe, max_len = 4, default = 3)]
pub struct OnTheKey {
    #[wire(deny_unknown, version = 3)]
    pub a: u32,
}

#[derive(WireContract)]
#[wire(union, tag = "op", no_tag)]
pub enum OnTheVariant {
    #[wire(untagged)]
    A,
}

#[derive(WireContract)]
#[wire(message, tail)]
pub struct OnTheTail {
    #[wire(max_bytes = 3)]
    pub a: Both,
}

#[derive(WireContract)]
#[repr(u8)]
#[wire(tag = a.b, message, open)]
pub enum OnTheMessage {
    #[wire(body = Union)]
    A(Both) = 1,
}

fn main() {}
