//! A tagged union in the object of another: one error, whether their tags have one key or two.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Named {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Inner {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum SameTag {
    A(Inner),
}

#[derive(WireContract)]
#[wire(union, tag = "kind")]
pub enum OtherTag {
    A(Inner),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Untagged {
    A(Inner),
}

// Of a recipe, the keys count.
#[derive(WireContract)]
#[wire(union, tag = "name")]
pub enum SharedKey {
    A(Named),
}

fn main() {}
