//! Bounds and defaults of types that only the compiler sees through.

use wirecontract::{Flags, Open, WireContract};

type Id = u8;
type Ratio = f32;

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

#[derive(WireContract)]
#[wire(recipe)]
pub struct Part {
    pub x: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Bounds {
    #[wire(max = 256)]
    pub a: Id,
    #[wire(min = 0.5)]
    pub b: Id,
    #[wire(min = 0.1)]
    pub c: Ratio,
    #[wire(max_len = 3)]
    pub d: Mode,
    #[wire(max_items = 3)]
    pub e: Part,
    #[wire(default = 2)]
    pub l: Flags<Bits>,
    #[wire(max_len = 3)]
    pub o: Open<Mode>,
    #[wire(min = 1)]
    pub p: Mode,
    #[wire(max = 0.5)]
    pub q: Part,
    #[wire(max = 16777217)]
    pub r: Vec<Ratio>,
}

fn main() {}
