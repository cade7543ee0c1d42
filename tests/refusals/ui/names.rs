//! Names that another language does not take, or that two things would have.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, c_name = "my-type")]
pub struct Names {
    #[wire(c_name = "")]
    pub a: u32,
    #[wire(c_name = "1st")]
    pub b: u32,
    #[wire(c_name = "größe")]
    pub c: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, c_name = "a b")]
pub enum Values {
    #[wire(c_name = "A*")]
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct OldNames {
    #[wire(was = b)]
    pub a: u32,
    pub b: u32,
    #[wire(was = x)]
    pub c: u32,
    #[wire(was = x)]
    pub d: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Given {
    #[wire(magic = b"ABCD")]
    pub kind: [u8; 4],
    #[wire(version = 1)]
    pub Kind: u32,
    #[wire(length_of(a, b))]
    pub items: u32,
    #[wire(length_of = items_)]
    pub count: u32,
    pub a: [u8; 4],
    pub b: [u8; 4],
    pub items_: [u8; 4],
    #[wire(text)]
    pub set_items: [u8; 4],
}

fn main() {}
