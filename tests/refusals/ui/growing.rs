//! What is said of descriptors that grow, and does not go together.

use wirecontract::WireContract;

/// Sizes stand in order, each once, from v1 on.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v3 = 8))]
struct Skips {
    a: u32,
    #[wire(since = 2, default = 0)]
    b: u32,
}

/// A descriptor does not shrink.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8, v2 = 4))]
struct Shrinks {
    a: u32,
}

/// Nothing says which of two versions a message is.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 4))]
struct Ambiguous {
    a: u32,
}

/// A size of each data model is an abi struct's.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(lp64 = 4))]
struct OfAModel {
    a: u32,
}

/// A size of each version is a descriptor's.
#[derive(WireContract)]
#[repr(C)]
#[wire(abi, size(v1 = 4))]
struct Abi {
    a: u32,
}

/// The contract's version is the newest one.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, version = 3, size(v1 = 4, v2 = 8))]
struct OfAnotherVersion {
    a: u32,
    #[wire(since = 2, default = 0)]
    b: u32,
}

/// So is the version on the wire.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct SaysAnotherVersion {
    #[wire(version = 1)]
    version: u32,
    #[wire(since = 2, default = 0)]
    b: u32,
}

/// What messages are known by is in all of them.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct LateMagic {
    a: u32,
    #[wire(magic = b"LATE", since = 2)]
    magic: [u8; 4],
}

/// Nothing comes with a version that is not there.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct TooNew {
    a: u32,
    #[wire(since = 3, default = 0)]
    b: u32,
}

/// What absence stands for is said.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct NoDefault {
    a: u32,
    #[wire(since = 2)]
    b: u32,
}

/// Of what is always there, it says nothing.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4))]
struct AlwaysThere {
    #[wire(default = 1)]
    a: u32,
}

/// So it does in a descriptor of one size.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
struct OneSize {
    #[wire(default)]
    a: u32,
}

/// Reserved bytes are no value.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct Reserved {
    a: u32,
    #[wire(reserved, since = 2, default = 0)]
    b: u32,
}

/// A default is a value of its field.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct TooLarge {
    a: u32,
    #[wire(since = 2, default = 256)]
    b: u8,
    #[wire(reserved, since = 2)]
    _pad: [u8; 3],
}

/// An array comes with what counts it.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 8))]
struct CountedLater {
    #[wire(length_of = items)]
    count: u32,
    #[wire(since = 2, default = [0, 0])]
    items: [u16; 2],
}

/// One field says it.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(v1 = 8))]
struct Twice {
    #[wire(version = 1)]
    version: u32,
    #[wire(version = 1)]
    again: u32,
}

fn main() {}
