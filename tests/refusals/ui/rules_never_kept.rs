//! Rules that no value keeps, and rules that read nothing.

use wirecontract::{Flags, Open, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    #[wire(data(weight = 1))]
    Off = 1,
    #[wire(data(weight = 2))]
    On = 2,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Fault {
    Hot = 1,
    Wet = 2,
}

type Hidden = u16;

macro_rules! ruled {
    ($($name:ident [$($rule:tt)+])+) => { $(
        #[derive(WireContract)]
        #[repr(C)]
        #[wire(descriptor, layout = packed, $($rule)+)]
        pub struct $name {
            pub byte: u8,
            pub signed: i16,
            pub hidden: Hidden,
            pub wide: u64,
            pub mode: Mode,
            pub open: Open<Mode>,
            pub faults: Flags<Fault>,
            pub ok: bool,
            pub four: [u8; 4],
            pub count: u8,
            #[wire(length_of = counted)]
            pub counts: u8,
            pub counted: [u8; 3],
        }
    )+ };
}

ruled! {
    Zero [rule(1 / 0 == 1)]
    Numbers [rule(order: 3 < 2)]
    Always [rule(2 < 3 && true)]
    Value [rule(Mode::On == 2)]
    Large [rule(byte == 300)]
    Negative [rule(wide < 0)]
    Alias [rule(hidden > 65_535)]
    Signed [rule(-signed > 32768)]
    Enumeration [rule(mode >= 3)]
    Past [rule(open == 256), at = import]
    Bits [rule(faults > 3)]
    Length [rule(len(four) > 5)]
    Counted [rule(len(counted) > 3)]
    Sum [rule(named: byte + byte * 2 > 765 && ok)]
    Two [rule(byte - hidden > 255)]
    Not [rule(!(byte <= 255))]
    Divided [rule(ok || byte / 0 == 1), rule(byte / 0 == 1 || ok)]
    Remainder [rule(byte % 16 == 16)]
}

#[derive(WireContract)]
#[wire(recipe, rule(n > 20), rule(len(text) > 4), rule(len(list) == 3), rule(present(o) == (1 > 2)))]
pub struct Bounded {
    #[wire(min = 10, max = 20)]
    pub n: u32,
    #[wire(max_len = 4)]
    pub text: String,
    #[wire(max_items = 2)]
    pub list: Vec<u8>,
    #[wire(default = 1, max = 5)]
    pub o: Option<u8>,
}

#[derive(WireContract)]
#[wire(recipe, rule(o > 5))]
pub struct Defaulted {
    #[wire(default = 1, max = 5)]
    pub o: Option<u8>,
    #[wire(required_if(1 == 1))]
    pub p: Option<u8>,
}

#[derive(WireContract)]
#[wire(recipe, rule(o > 5))]
pub struct Kept {
    #[wire(default = 1, max = 5)]
    pub o: Option<u8>,
}

#[derive(WireContract)]
#[wire(union, tag = "op", rule(true))]
pub enum Union {
    A,
    B,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Conditions {
    pub byte: u8,
    #[wire(min = 5, default = 5)]
    pub bounded: Option<Hidden>,
    #[wire(required_if(byte == 300))]
    pub never: Option<u8>,
    #[wire(required_if(byte >= 0))]
    pub always: Option<u8>,
    #[wire(required_if(bounded < 5 || byte / 0 == 1), one_of(byte: 256, 257))]
    pub both: Option<u8>,
    #[wire(one_of(byte: -1))]
    pub unused: Option<u8>,
    #[wire(required_if(bounded >= 5), one_of(bounded: 6))]
    pub by_bounds: Option<u8>,
    #[wire(required_if(bounded > 5 && present(always)))]
    pub legal: Option<u8>,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Zeroed {
    pub byte: u8,
    #[wire(one_of(byte: 256))]
    pub never: u8,
    #[wire(one_of(own: 1))]
    pub own: u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Unused {
    pub byte: u8,
    #[wire(one_of(byte: 256))]
    pub never: u8,
}

fn main() {}
