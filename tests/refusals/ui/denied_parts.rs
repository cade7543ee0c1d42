//! Parts that say what their object says: whether unknown keys are refused.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe, deny_unknown)]
pub struct Named {
    pub name: String,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Request {
    Nothing,
    Named(Named),
}

#[derive(WireContract)]
#[wire(union, tag = "kind", content = "value")]
pub enum Kept {
    Named(Named),
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Recipe {
    #[wire(flatten)]
    pub named: Named,
}

#[derive(WireContract)]
#[wire(recipe, deny_unknown)]
pub struct Union {
    #[wire(flatten)]
    pub request: Request,
    #[wire(flatten)]
    pub kept: Kept,
}

fn main() {}
