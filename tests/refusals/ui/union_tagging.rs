//! How a document says which variant it is, is said once and can be done.

use wirecontract::{UnknownVariant, WireContract};

#[derive(WireContract)]
#[wire(recipe)]
pub struct Named {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union)]
pub enum Unsaid {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, content = "value")]
pub enum ContentOnly {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op", untagged)]
pub enum Contradiction {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "op")]
pub enum Equal {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, untagged, tag_last, tag_default = A)]
pub enum Untagged {
    #[wire(alias("x"))]
    A(Named),
    #[wire(no_tag)]
    B(Named),
    C,
    #[wire(open)]
    D(UnknownVariant),
}

#[derive(WireContract)]
#[wire(union, tag = "op", tag_default = Missing)]
pub enum Missing {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op", tag_default = A)]
pub enum TwoAbsent {
    A(Named),
    #[wire(no_tag)]
    B(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum TwoWithout {
    #[wire(no_tag, alias("x"))]
    A(Named),
    #[wire(no_tag)]
    B(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op", tag_default = Other)]
pub enum OpenByDefault {
    #[wire(open)]
    Other(UnknownVariant),
}

#[derive(WireContract)]
#[wire(union, tag = "", open)]
pub enum Empty {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = opcode, tag_default = "A", tag_last = true)]
pub enum Header {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op", lenient)]
pub enum NeverAbsent {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, untagged, lenient)]
pub enum TaglessLenient {
    A(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum NamedWithoutTag {
    #[wire(no_tag, name = "a")]
    A(Named),
}

fn main() {}
