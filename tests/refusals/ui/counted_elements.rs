//! Elements past a count are written as zero bytes, so those must be a value.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum NoZero {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(descriptor)]
pub struct Deep {
    pub array: [NoZero; 4],
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(descriptor)]
pub struct Versioned {
    #[wire(version = 1)]
    pub version: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Counts {
    #[wire(length_of(a, b, c))]
    pub count: u32,
    pub a: [NoZero; 4],
    pub b: [Deep; 4],
    pub c: [Versioned; 4],
}

fn main() {}
