//! How JSON spells enumerations and flags.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, as = numbers, case = lower)]
pub enum Words {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, as = names, as = integer, case = fold, case = exact)]
pub enum Twice {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, case = fold)]
pub enum Folded {
    #[wire(alias("idle"))]
    Off = 1,
    #[wire(name = " OFF ")]
    On = 2,
    #[wire(alias("Idle", "HIGH", "high"))]
    High = 3,
    #[wire(name = "  ")]
    Blank = 4,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, open, as = names)]
pub enum OpenNames {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags, case = fold, deny_unknown, tag = "x")]
pub enum FoldedFlags {
    #[wire(no_tag)]
    A = 1,
}

fn main() {}
