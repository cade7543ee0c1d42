//! Enumerations that say too little, or one thing twice.

use wirecontract::WireContract;

const THREE: u8 = 3;

#[derive(WireContract)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Carries {
    A = 1,
    B(u32) = 2,
    C { d: String } = 3,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Numbers {
    A = 1,
    B,
    C = THREE,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u32)]
#[wire(enumeration)]
pub enum TooLarge {
    A = 0x1_0000_0000,
}

#[derive(WireContract, Clone, Copy)]
#[repr(i8)]
#[wire(enumeration)]
pub enum TooSmall {
    A = -129,
    B = 126,
}

/// The compiler refuses these too, in its own words.
#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum SameNumber {
    A = 1,
    B = 1,
    C = 0b1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, rename_all = "lowercase")]
pub enum SameName {
    #[wire(alias("second"))]
    First = 1,
    Second = 2,
    #[wire(name = "first")]
    Third = 3,
    #[wire(alias("fourth"))]
    Fourth = 4,
    #[wire(name = "")]
    Fifth = 5,
    #[wire(alias(""))]
    Sixth = 6,
}

#[derive(WireContract, Clone, Copy)]
#[wire(enumeration)]
pub enum Nothing {}

fn main() {}
