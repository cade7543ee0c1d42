//! What only the compiler knows of a type: that no document carries it, that it is no recipe. Each is one error.

use wirecontract::WireContract;

pub struct NoContract;

type Size = usize;
type Id = u8;
type Maybe = Option<u32>;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Extent {
    pub width: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Part {
    #[wire(default = 1)]
    pub x: Option<u32>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Types {
    pub a: NoContract,
    pub b: Option<NoContract>,
    pub c: Vec<NoContract>,
    pub d: Size,
    pub e: Extent,
    #[wire(hex)]
    pub f: Part,
    #[wire(uuid)]
    pub g: Id,
    pub h: Maybe,
    pub i: Box<NoContract>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Parts {
    #[wire(flatten)]
    pub a: NoContract,
    #[wire(flatten)]
    pub b: Mode,
    #[wire(flatten)]
    pub c: Part,
    #[wire(flatten)]
    pub d: Id,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Internal {
    A(NoContract),
    B(Mode),
    D(Extent),
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Adjacent {
    A(NoContract),
    B(Extent),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Untagged {
    A(NoContract),
    B(Part),
}

fn main() {}
