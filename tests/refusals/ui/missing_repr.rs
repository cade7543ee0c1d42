//! The layout is said, not left to a compiler.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(descriptor)]
pub struct Struct {
    pub value: u32,
}

#[derive(WireContract, Clone, Copy)]
#[wire(enumeration)]
pub enum Enumeration {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(enumeration)]
pub enum LikeC {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(usize)]
#[wire(enumeration)]
pub enum Sized {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[wire(flags)]
pub enum Flags {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(i32)]
#[wire(flags)]
pub enum Signed {
    A = 1,
}

fn main() {}
