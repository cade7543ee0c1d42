//! Padding between fields whose types are plain to see.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Before {
    pub kind: u8,
    pub value: u32,
}

/// Also where the host aligns a `u64` to 4.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Wide {
    pub kind: u32,
    pub value: u64,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct One {
    pub bytes: [u8; 3],
    pub value: i16,
    pub end: u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Twice {
    pub a: bool,
    pub b: f64,
    pub c: [[u16; 3]; 1],
    pub d: [f32; 2],
    pub e: u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 5)]
pub struct Trailing {
    pub value: u32,
    pub kind: u8,
}

fn main() {}
