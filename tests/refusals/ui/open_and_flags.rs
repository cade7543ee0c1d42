//! `Open` and `Flags` of what is neither: the compiler says it of the field, and of nothing that is written for it.

use wirecontract::{Flags, Open, OpenName, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Usage {
    Source = 1,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct FlagsOfEnumeration {
    pub a: Flags<Mode>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct FlagsOfNumber {
    pub a: Option<Flags<u8>>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct OpenOpen {
    pub a: Open<Open<Mode>>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct OpenSet {
    pub a: Open<Flags<Usage>>,
    pub b: OpenName<Usage>,
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Contents {
    A(Flags<Mode>),
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Bytes {
    pub a: Flags<Mode>,
    pub b: Open<Usage>,
    pub c: Open<Open<Mode>>,
    pub d: Flags<u8>,
}

fn main() {}
