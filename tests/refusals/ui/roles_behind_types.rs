//! What a field is for, and a type that only the compiler can see.

use wirecontract::WireContract;

type Bytes = [u8; 4];
type Words = [u16; 4];
type Byte = u8;
type Float = f32;
const LENGTH: usize = 4;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Fields {
    #[wire(magic = b"ABC")]
    pub a: Bytes,
    #[wire(magic = b"ABCDE")]
    pub b: [u8; LENGTH],
    #[wire(magic = b"ABCD")]
    pub c: Words,
    #[wire(text)]
    pub d: Words,
    #[wire(text)]
    pub e: [Bytes; 2],
    #[wire(reserved)]
    pub f: Float,
    #[wire(reserved(zero))]
    pub g: Mode,
    #[wire(version = 256)]
    pub h: Byte,
    #[wire(reserved)]
    pub i: [u8; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Inner {
    pub number: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct OrderOfADescriptor {
    #[wire(endian = big)]
    pub inner: Inner,
}

fn main() {}
