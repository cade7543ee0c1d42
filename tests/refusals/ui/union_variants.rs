//! What a variant holds, and its tags.

use wirecontract::{Json, UnknownVariant, WireContract};

#[derive(WireContract)]
#[wire(recipe)]
pub struct Named {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Nothing {}

#[derive(WireContract)]
#[wire(union, tag = "op", rename_all = "snake_case")]
pub enum Contents {
    Fields { a: u32 },
    Two(Named, Named),
    Number(u32),
    Text(String),
    Any(Json),
    Maybe(Option<Named>),
    Size(usize),
    List(Vec<Named>),
    #[wire(default = 1)]
    Default(Named),
    Itself(Box<Contents>),
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Adjacent {
    #[wire(default = 300)]
    Byte(u8),
    #[wire(default = 1)]
    Nothing,
    Maybe(Option<u32>),
    #[wire(max = 3, flatten)]
    Bound(u32),
    Pair((u32, u32)),
}

#[derive(WireContract)]
#[wire(union, tag = "op", rename_all = "snake_case")]
pub enum Tags {
    CheckOut(Named),
    #[wire(name = "check_out")]
    Out(Named),
    #[wire(alias("out", "check_out"))]
    Leave(Named),
    #[wire(alias("twice"))]
    Twice(Named),
    #[wire(name = "", alias(""))]
    Empty(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Open {
    #[wire(open, name = "x", alias("y"), no_tag, default = 1)]
    One(UnknownVariant),
    #[wire(open)]
    Two(UnknownVariant),
    #[wire(open)]
    Three,
    #[wire(open)]
    Four(String),
    Five(UnknownVariant),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Numbered {
    A = 3,
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Untagged {
    A(u32),
    B,
}

fn main() {}
