//! No alignment, and no lack of it, but C's own.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C, packed)]
#[wire(descriptor)]
pub struct Packed {
    pub kind: u8,
    pub count: u16,
    pub value: u32,
}

#[derive(WireContract)]
#[repr(C, packed(2))]
#[wire(descriptor, layout = packed)]
pub struct PackedTo2 {
    pub kind: u16,
    pub value: u32,
}

#[derive(WireContract)]
#[repr(C, align(64))]
#[wire(descriptor)]
pub struct Aligned {
    pub value: u32,
}

#[derive(WireContract)]
#[repr(transparent)]
#[wire(descriptor)]
pub struct Transparent {
    pub value: u32,
}

fn main() {}
