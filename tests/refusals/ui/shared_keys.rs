//! Keys that two contracts claim in one object, and variants that are no recipes.

use wirecontract::{UnknownVariant, WireContract};

#[derive(WireContract)]
#[wire(recipe)]
pub struct Named {
    #[wire(name = "id")]
    pub name: String,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Other {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Own {
    #[wire(flatten)]
    pub named: Named,
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Parts {
    #[wire(flatten)]
    pub named: Named,
    #[wire(flatten)]
    pub other: Other,
}

#[derive(WireContract)]
#[wire(union, tag = "id")]
pub enum Tag {
    Nothing,
    Named(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Request {
    Named(Named),
    Other(Other),
    #[wire(open)]
    Later(UnknownVariant),
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Deep {
    #[wire(flatten)]
    pub request: Request,
    pub op: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Variant {
    #[wire(flatten)]
    pub request: Request,
    #[wire(flatten)]
    pub named: Named,
}

#[derive(WireContract)]
#[wire(union, tag = "kind")]
pub enum Kind {
    #[wire(open)]
    Later(UnknownVariant),
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct TwoOpen {
    #[wire(flatten)]
    pub request: Request,
    #[wire(flatten)]
    pub kind: Kind,
}

#[derive(WireContract)]
#[wire(union, tag = "outer")]
pub enum Nested {
    Request(Request),
}

#[derive(WireContract)]
#[wire(union, untagged)]
pub enum Untagged {
    Named(Named),
    Request(Request),
}

fn main() {}
