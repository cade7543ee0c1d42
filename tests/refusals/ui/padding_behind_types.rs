//! Padding that only the compiler can see: behind aliases, lengths that are expressions, enums and other contracts.

use wirecontract::{Flags, Open, WireContract};

type Number = u64;
type Blob = [u8; 5];
const LENGTH: usize = 6;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Alias {
    pub kind: u32,
    pub value: Number,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Lengths {
    pub bytes: [u8; LENGTH + 1],
    pub value: u16,
    pub blob: Blob,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u16)]
#[wire(flags)]
pub enum Fault {
    Hot = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Enums {
    pub kind: u8,
    pub faults: Flags<Fault>,
    pub more: u8,
    pub mode: Mode,
    pub last: u16,
    pub open: [Open<Mode>; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Inner {
    pub value: u64,
    pub ends: [u32; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Outer {
    pub kind: u16,
    pub inner: [Inner; 2],
    pub last: u8,
}

fn main() {}
