//! What only the compiler sees of descriptors that grow.

use wirecontract::{Open, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u16)]
#[wire(enumeration)]
enum Format {
    Raw = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct Tail {
    a: u32,
    #[wire(since = 2, default = 7)]
    b: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4))]
struct SaysItself {
    #[wire(version = 1)]
    version: u32,
}

type Small = u8;
type Name = [u8; 4];

/// What stands behind it would move.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8, v2 = 12))]
struct InTheMiddle {
    tail: Tail,
    a: u32,
}

/// So would the elements of an array.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
struct InAnArray {
    tails: [Tail; 2],
}

/// What holds it grows with it.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 8)]
struct OneSize {
    tail: Tail,
}

/// By as many versions.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8))]
struct OfOneVersion {
    tail: Tail,
}

/// And as many bytes.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 6, v2 = 12))]
struct OtherBytes {
    a: u32,
    tail: Tail,
}

/// One version says it for both.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4))]
struct TwoVersions {
    inner: SaysItself,
}

/// The newest version is all that is declared.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 12))]
struct Smaller {
    a: u32,
    #[wire(since = 2, default = 0)]
    b: u32,
}

/// A field ends where its version does.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct NotSaid {
    a: u32,
    b: u32,
}

/// And is not in part in one that has it not.
#[derive(WireContract)]
#[wire(descriptor, layout = packed, size(v1 = 6, v2 = 8))]
struct Across {
    a: u32,
    #[wire(since = 2, default = 0)]
    b: u32,
}

/// What was reserved was written as zero.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8, v2 = 8))]
struct Hole {
    #[wire(version = 2)]
    version: u32,
    #[wire(since = 2, default = 1)]
    b: u32,
}

/// Defaults are values of types that the macro does not see through.
#[derive(WireContract)]
#[wire(descriptor, layout = packed, size(v1 = 1, v2 = 16))]
struct Defaults {
    a: u8,
    #[wire(since = 2, default = 256)]
    small: Small,
    #[wire(since = 2, default)]
    format: Format,
    #[wire(since = 2, default = true)]
    other: Small,
    #[wire(since = 2, default = [1, 2, 3])]
    list: Name,
    #[wire(since = 2, default = "toolong", text)]
    name: Name,
    #[wire(since = 2, default = Raw)]
    open: Open<Format>,
    #[wire(reserved, since = 2)]
    _pad: u8,
}

/// A document has bytes of one version.
#[derive(WireContract)]
#[wire(recipe)]
struct Document {
    #[wire(hex)]
    tail: Tail,
}

fn main() {}
