//! Defaults that only the compiler knows to be none of the type's.

use wirecontract::{Flags, Open, WireContract};

type Id = u8;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, as = integer)]
pub enum Mode {
    Off = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Bits {
    A = 1,
}

type Mask = Flags<Bits>;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Defaults {
    #[wire(default = "x")]
    pub g: Id,
    #[wire(default = Missing)]
    pub h: Mode,
    #[wire(default = Missing)]
    pub i: Option<Open<Mode>>,
    #[wire(default = 2)]
    pub j: Mask,
    #[wire(default = B, skip_default)]
    pub k: Flags<Bits>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Lists {
    #[wire(default = [1, 8])]
    pub l: Vec<Flags<Bits>>,
    #[wire(default = [[2]])]
    pub m: Option<[Vec<Flags<Bits>>; 1]>,
}

fn main() {}
