//! What values carry, compared: two conditions, or two numbers.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Format {
    #[wire(data(planar = true, samples = 1, label = "a"))]
    A = 1,
    #[wire(data(planar = false, samples = 2, label = "b"))]
    B = 2,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, nonsense)]
pub enum Refused {
    A = 1,
}

type Truth = bool;

macro_rules! ruled {
    ($($name:ident [$($rule:tt)+])+) => { $(
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(descriptor, rule($($rule)+))]
        pub struct $name {
            pub a: Format,
            pub b: Format,
            pub truth: Truth,
            pub refused: Refused,
            pub other: Refused,
        }
    )+ };
}

ruled! {
    Mixed [planar(a) == samples(b)]
    MixedWithField [samples(a) != truth]
    MixedWithEnumeration [planar(a) == b]
    WithNumber [planar(a) == 1]
    NoOrder [planar(a) < samples(b)]
    Missing [heft(a) == planar(b)]
    Text [label(a) == label(b)]
}

// Of what was refused, nothing more is said.
ruled! {
    BesideRefused [planar(refused) == planar(a)]
    BeforeRefused [planar(a) != planar(refused)]
    BothRefused [planar(refused) == planar(other)]
}

fn main() {}
