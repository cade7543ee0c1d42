//! What is declared must be so.

use wirecontract::WireContract;

type Number = u32;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 12)]
pub struct Plain {
    pub a: u32,
    #[wire(offset = 8)]
    pub b: u32,
    #[wire(offset = 8)]
    pub c: u32,
    pub d: u32,
}

#[derive(WireContract)]
#[wire(descriptor, layout = packed, size = 4)]
pub struct Packed {
    pub a: u8,
    #[wire(offset = 4)]
    pub b: Number,
}

fn main() {}
