//! Flags whose bits say two things or none.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Overlap {
    A = 1,
    B = 2,
    C = 3,
    D = 0x10,
    E = 0x18,
}

/// The compiler refuses these too, in its own words.
#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Same {
    A = 1,
    B = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, open)]
pub enum Zero {
    None = 0,
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum TooLarge {
    A = 0x100,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Data {
    #[wire(data(weight = 1))]
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Good {
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Bare {
    pub flags: Good,
    pub all: [Good; 2],
}

fn main() {}
