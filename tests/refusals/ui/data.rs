//! Every value carries the same data.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Keys {
    #[wire(data(bytes = 1, text = "a"))]
    A = 1,
    #[wire(data(bytes = 1))]
    B = 2,
    #[wire(data(text = "c", bytes = 2))]
    C = 3,
    D = 4,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Types {
    #[wire(data(mixed = 1, range = -1, wide = 1))]
    A = 1,
    #[wire(data(mixed = "b", range = 0xFFFF_FFFF_FFFF_FFFF, wide = 0x1_0000_0000_0000_0000))]
    B = 2,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Literals {
    #[wire(data(float = 1.5, named = LIMIT))]
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Names {
    #[wire(data(value = 1, name = 2, twice = 3, twice = 4))]
    A = 1,
}

fn main() {}
