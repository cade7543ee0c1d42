//! A NUL in what C has as a text. Other control characters have an escape everywhere.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Recipe {
    #[wire(name = "a\0")]
    pub a: u32,
    #[wire(name = "b\u{1}\n")]
    pub b: u32,
    #[wire(default = "a\0b")]
    pub c: String,
    #[wire(default = ["a", "\0"])]
    pub d: Option<Vec<String>>,
}

#[derive(WireContract)]
#[wire(union, tag = "\0", content = "c\0")]
pub enum Union {
    #[wire(name = "\0a", alias("b\0", "c"))]
    A(u32),
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Enumeration {
    #[wire(name = "a\0", alias("\0"), data(label = "a\0b"))]
    A = 1,
}

fn main() {}
