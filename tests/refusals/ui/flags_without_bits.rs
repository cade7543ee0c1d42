//! Bits that no flag has, as a default: the error is at the default.

use wirecontract::{Flags, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Usage {
    Source = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, open)]
pub enum Open {
    Source = 1,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Recipe {
    #[wire(default = 64)]
    pub a: Flags<Usage>,
    #[wire(default = 3)]
    pub b: Option<Flags<Usage>>,
    #[wire(default = 64)]
    pub c: Flags<Open>,
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Union {
    #[wire(default = 2)]
    A(Flags<Usage>),
}

fn main() {}
