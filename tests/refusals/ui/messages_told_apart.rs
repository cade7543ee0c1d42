//! Several mistakes of every phase, in one build: each is one error.

use wirecontract::WireContract;

type Size = usize;
type Number = u64;
type Byte = i8;
type Float = f32;
const NONE: usize = 0;

#[derive(WireContract)]
#[wire(descriptor, colour = red)]
pub struct Attributes {
    pub a: usize,
    #[wire(length_of = nothing)]
    pub b: i32,
    #[wire(version = 0)]
    pub c: u32,
    pub d: Size,
    #[wire(magic = b"AB")]
    pub e: [u8; 3],
    #[wire(c_name = "1")]
    pub f: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Bounds {
    pub a: Size,
    pub b: Size,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Evaluation {
    pub a: u8,
    pub b: Number,
    #[wire(text)]
    pub c: [Byte; 2],
    pub d: Number,
    #[wire(reserved)]
    pub e: Float,
    pub f: [u8; NONE],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Holds {
    pub a: Attributes,
    pub b: Bounds,
    pub c: Evaluation,
}

fn main() {}
