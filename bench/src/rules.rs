//! One descriptor twice: without a rule, and with four that every reader checks.
//!
//! It is of the kind that has rules: an image in an allocation, with names and counts that must be checked anyway.

use wirecontract::WireContract;

/// How the image's pixels are spelled.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, version = 1)]
#[allow(missing_docs)]
pub enum Format {
    Gray8 = 1,
    Bgra32 = 2,
    Rgba64 = 3,
    Nv12 = 4,
}

/// How they lie.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration, version = 1)]
#[allow(missing_docs)]
pub enum Tiling {
    Linear = 0,
    Optimal = 1,
}

macro_rules! image {
    ($(#[$meta:meta])* $name:ident) => {
        #[derive(WireContract, Clone, Debug, PartialEq, Eq)]
        $(#[$meta])*
        #[repr(C)]
        #[allow(missing_docs)]
        pub struct $name {
            #[wire(magic = b"WIMG")]
            pub magic: [u8; 4],
            #[wire(version = 1)]
            pub version: u32,
            #[wire(text)]
            pub name: [u8; 64],
            pub format: Format,
            pub tiling: Tiling,
            pub size: u64,
            pub alloc_size: u64,
            pub offset: u64,
            pub width: u32,
            pub height: u32,
            pub pitch: u32,
            #[wire(length_of(plane_sizes, plane_offsets))]
            pub planes: u32,
            pub plane_sizes: [u64; 4],
            pub plane_offsets: [u64; 4],
            pub serial: u64,
            #[wire(reserved)]
            pub pad: [u64; 3],
        }
    };
}

image! {
    /// Where an image lies in an allocation.
    #[wire(descriptor, version = 1, size = 216)]
    Plain
}

image! {
    /// The same, with what must hold of its numbers.
    #[wire(
        descriptor,
        version = 1,
        size = 216,
        rule(inside: offset + size <= alloc_size),
        rule(rows: pitch * height <= size),
        rule(row: width <= pitch),
        rule(linear: tiling == Optimal || planes == 1)
    )]
    Ruled
}
