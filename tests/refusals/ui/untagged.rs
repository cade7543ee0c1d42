//! Variants of untagged unions whose documents would be read as an earlier variant.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Short {
    pub x: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Long {
    pub x: u8,
    pub y: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Maybe {
    #[wire(default = 1, skip_default)]
    pub x: u8,
    pub z: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Nothing {
    pub x: Option<u8>,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Zed {
    pub z: Option<u8>,
}

#[derive(WireContract)]
#[wire(union, tag = "kind")]
pub enum Kind {
    Short(Short),
    Zed(Zed),
    Other,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Flat {
    pub id: u8,
    #[wire(flatten)]
    pub kind: Kind,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Both {
    pub x: u8,
    pub z: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Tagged {
    pub kind: u8,
    pub z: u8,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Many {
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub d: u8,
    pub e: u8,
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Order {
    Short(Short),
    Long(Long),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Either {
    Maybe(Maybe),
    Short(Short),
    Late(Maybe),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Always {
    Nothing(Nothing),
    Both(Both),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Parts {
    /// `x` stands in one variant of the part and `z` in another, so that this is none of it.
    Both(Both),
    Tagged(Tagged),
    Flat(Box<Flat>),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Twice {
    Many(Many),
    Again(Many),
}

fn main() {}
