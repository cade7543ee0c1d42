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
