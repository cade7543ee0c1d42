//! What const evaluation finds in abi structs.

use wirecontract::{Open, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
}

type Truth = bool;
type Number = u32;
type Pointer = *mut u8;

#[derive(WireContract)]
#[repr(C)]
#[wire(abi, size(lp64 = 24, llp64 = 16, ilp32_u64_4 = 16, ilp32_u64_8 = 12))]
pub struct Sizes {
    pub a: *mut u8,
    pub b: u64,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Counts {
    #[wire(counted_by = truth)]
    pub a: *mut u8,
    #[wire(counted_by = mode)]
    pub b: *mut u8,
    #[wire(counted_by = number)]
    pub d: Number,
    #[wire(counted_by = number)]
    pub e: Pointer,
    pub truth: Truth,
    pub mode: Open<Mode>,
    pub number: Number,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct TooLarge {
    pub a: [u64; 400_000_000],
    pub b: [u32; 400_000_000],
}

fn main() {}
