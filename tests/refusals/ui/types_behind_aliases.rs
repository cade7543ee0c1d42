//! The same types where only the compiler can see them.

use wirecontract::WireContract;

type Size = usize;
type Offset = isize;
type Letter = char;
type Reference = &'static u32;
type Pointer = *const u8;
type List = Vec<u16>;
type Text = String;
type Maybe = Option<u32>;
type Wide = u128;
type Pair = (u8, u8);

pub struct NoContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Everything {
    pub a: Size,
    pub b: Offset,
    pub c: Letter,
    pub d: Reference,
    pub e: Pointer,
    pub f: List,
    pub g: Text,
    pub h: Maybe,
    pub i: Wide,
    pub j: Pair,
    pub k: NoContract,
    pub l: [Wide; 2],
    pub m: [[Letter; 2]; 2],
    pub n: [NoContract; 3],
}

/// Whatever the field is for, the type is one mistake.
#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Roles {
    #[wire(magic = b"ABCD")]
    pub magic: List,
    #[wire(version = 1)]
    pub version: Size,
    #[wire(length_of = items)]
    pub count: Size,
    pub items: [Letter; 2],
    #[wire(length_of(left, right))]
    pub many: u32,
    pub left: List,
    pub right: [Pointer; 2],
    #[wire(text)]
    pub text: Text,
    #[wire(reserved)]
    pub spare: Wide,
    #[wire(reserved(zero), offset = 1000)]
    pub zero: Maybe,
}

fn main() {}
