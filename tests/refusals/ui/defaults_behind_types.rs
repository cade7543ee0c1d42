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

type Name = String;
type Numbers = Vec<u32>;
type Pair = [u8; 2];

#[derive(WireContract, Clone)]
#[wire(recipe)]
pub struct Part {
    pub x: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Aliases {
    #[wire(default = 1)]
    pub a: Mode,
    #[wire(default = "Off")]
    pub b: Option<Mode>,
    #[wire(default = 1)]
    pub c: Option<Part>,
    #[wire(default = [])]
    pub d: Part,
    #[wire(default = 256)]
    pub e: Id,
    #[wire(default = 1.5)]
    pub f: Option<Id>,
    #[wire(default = true)]
    pub g: Name,
    #[wire(default = "x")]
    pub h: Option<Numbers>,
    #[wire(default = [1])]
    pub i: Pair,
    #[wire(hex, default = [1, 2, 3])]
    pub j: Option<Pair>,
    #[wire(default = [1])]
    pub k: Vec<Mode>,
    #[wire(default = "x", skip_default)]
    pub l: Id,
}

fn main() {}
