//! Counts that count nothing, or what cannot be counted.

use wirecontract::WireContract;

type Signed = i32;
type Float = f32;
type Number = u32;
type Array = [u32; 2];

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Names {
    #[wire(length_of = nothing)]
    pub a: u32,
    #[wire(length_of = b)]
    pub b: [u32; 2],
    #[wire(length_of(items, items))]
    pub c: u32,
    pub items: [u8; 4],
    #[wire(length_of = items)]
    pub d: u32,
    #[wire(length_of = d)]
    pub e: u32,
    #[wire(length_of)]
    pub f: u32,
    #[wire(length_of())]
    pub g: u32,
    #[wire(length_of = "items")]
    pub h: u32,
    #[wire(length_of(1, 2))]
    pub j: u32,
    #[wire(length_of(name, spare))]
    pub i: u32,
    #[wire(text)]
    pub name: [u8; 8],
    #[wire(reserved)]
    pub spare: [u8; 8],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Itself {
    #[wire(length_of = a)]
    pub a: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Types {
    #[wire(length_of = v)]
    pub a: i32,
    pub v: [u32; 2],
    #[wire(length_of = w)]
    pub b: f32,
    pub w: [u32; 2],
    #[wire(length_of = x)]
    pub c: [u32; 2],
    pub x: [u32; 2],
    #[wire(length_of = y)]
    pub d: bool,
    pub y: [u8; 3],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Behind {
    #[wire(length_of = v)]
    pub a: Signed,
    pub v: [u32; 2],
    #[wire(length_of = w)]
    pub b: Float,
    pub w: [u32; 2],
    #[wire(length_of = x)]
    pub c: Array,
    pub x: [u32; 2],
    #[wire(length_of = number)]
    pub d: Number,
    pub number: Number,
}

fn main() {}
