//! Names of types that are no function pointers, and names that C does not take.

use wirecontract::WireContract;

type Call = Option<unsafe extern "C" fn(code: u32)>;

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(abi)]
pub struct Table {
    #[wire(c_type = "number")]
    pub a: u32,
    #[wire(c_type = "call")]
    pub b: Call,
    #[wire(c_type = "1st")]
    pub c: Option<unsafe extern "C" fn(code: u32)>,
    #[wire(c_type = "call")]
    pub d: Option<unsafe extern "C" fn(code: u32)>,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Block {
    #[wire(c_type = "number")]
    pub a: u32,
}

fn main() {}
