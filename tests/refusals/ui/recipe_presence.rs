//! What is said of absence where nothing can be absent, and what contradicts itself.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Required {
    #[wire(nullable)]
    pub a: u32,
    #[wire(lenient)]
    pub b: u32,
    #[wire(null_when_absent)]
    pub c: u32,
    #[wire(skip_default)]
    pub d: u32,
    #[wire(required_if(a > 1))]
    pub e: u32,
    #[wire(one_of(a: 1, 2))]
    pub f: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Defaulted {
    pub a: u32,
    #[wire(default = 1, null_when_absent)]
    pub b: u32,
    #[wire(default = 1, skip_default)]
    pub c: Option<u32>,
    #[wire(default = 1, required_if(a == 1))]
    pub d: Option<u32>,
    #[wire(default = 1, required_if(a == 1))]
    pub e: u32,
    #[wire(skip_default)]
    pub f: Option<u32>,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
    On = 1,
}

#[derive(WireContract)]
#[wire(recipe, version = 2, since = 3)]
pub struct Conditions {
    pub a: u32,
    pub mode: Mode,
    #[wire(default = 1, one_of(mode: On))]
    pub b: Option<u32>,
    #[wire(required_if(present(c)))]
    pub c: Option<u32>,
    #[wire(required_if(a == 1 || present(d)))]
    pub d: Option<u32>,
    #[wire(one_of(mode: On, Off, On))]
    pub e: Option<u32>,
    #[wire(one_of(a: 16, 0x10))]
    pub f: Option<u32>,
    #[wire(since = 3)]
    pub g: Option<u32>,
    #[wire(since = 2)]
    pub h: Option<u32>,
    #[wire(one_of(a: A))]
    pub i: Option<u32>,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, version = 1)]
pub enum Later {
    Off = 0,
    #[wire(since = 2)]
    On = 1,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Part {
    pub x: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Flattened {
    #[wire(flatten)]
    pub a: Option<Part>,
    #[wire(flatten)]
    pub b: Vec<Part>,
    #[wire(flatten)]
    pub c: u32,
    #[wire(flatten)]
    pub d: Box<Part>,
    #[wire(flatten, name = "e", default = 1, nullable, lenient, max_len = 3, hex, was = "f")]
    pub e: Part,
}

fn main() {}
