//! What has no bytes has another size in C++ than in C.

use wirecontract::WireContract;

const NONE: usize = 0;
type Nothing = ();
type NoBytes = [u8; 0];

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Unit;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Empty {}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Nested {
    pub value: u32,
    pub empty: Empty,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Fields {
    pub value: u32,
    pub array: [u8; 0],
    pub inner: [[u32; 0]; 4],
    pub unit: (),
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Behind {
    pub value: u32,
    pub array: [u8; NONE],
    pub alias: NoBytes,
    pub inner: [[u8; NONE]; 3],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Alone {
    pub value: u32,
    pub unit: Nothing,
}

fn main() {}
