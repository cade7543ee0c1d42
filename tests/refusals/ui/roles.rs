//! A field is for one thing, and its type can do it.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Two {
    #[wire(magic = b"ABCD", reserved)]
    pub a: [u8; 4],
    #[wire(version = 1, length_of = items)]
    pub b: u32,
    #[wire(text, reserved(zero))]
    pub c: [u8; 4],
    pub items: [u8; 4],
    #[wire(magic = b"ABCD", version = 1, text)]
    pub d: [u8; 4],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Magic {
    #[wire(magic = b"ABCD")]
    pub a: [u8; 5],
    #[wire(magic = b"ABCD")]
    pub b: u32,
    #[wire(magic = b"")]
    pub c: [u8; 4],
    #[wire(magic = "ABCD")]
    pub d: [u8; 4],
    #[wire(magic)]
    pub e: [u8; 4],
    #[wire(magic = b"ABCD")]
    pub f: [u16; 4],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Version {
    #[wire(version = 0)]
    pub a: u32,
    #[wire(version = 256)]
    pub b: u8,
    #[wire(version = 1)]
    pub c: i32,
    #[wire(version = 1)]
    pub d: [u8; 4],
    #[wire(version = -1)]
    pub e: u32,
    #[wire(version = 0x1_0000_0000_0000_0000)]
    pub f: u64,
    #[wire(version)]
    pub g: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Text {
    #[wire(text)]
    pub a: [u16; 4],
    #[wire(text)]
    pub b: [i8; 4],
    #[wire(text)]
    pub c: u8,
    #[wire(text)]
    pub d: [[u8; 4]; 4],
    #[wire(text = "ascii")]
    pub e: [u8; 4],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Reserved {
    #[wire(reserved)]
    pub a: f32,
    #[wire(reserved)]
    pub b: [bool; 4],
    #[wire(reserved(one))]
    pub c: u32,
    #[wire(reserved = 0)]
    pub d: u32,
}

fn main() {}
