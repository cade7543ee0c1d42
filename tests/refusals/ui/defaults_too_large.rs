//! A default that is too large for the integer behind an alias.

use wirecontract::WireContract;

type Id = u8;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Large {
    #[wire(default = 300)]
    pub a: Id,
    #[wire(default = 300)]
    pub b: Option<Id>,
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Adjacent {
    #[wire(default = 300)]
    C(Id),
}

fn main() {}
