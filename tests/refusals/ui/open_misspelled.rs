//! Enumerations that keep the unknown in a spelling which JSON does not have for them.

use wirecontract::{Open, OpenName, WireContract};

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Named {
    A = 1,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, as = integer)]
pub enum Numbered {
    A = 1,
}

/// Numbers of one that has names.
type Alias = Open<Named>;

#[derive(WireContract)]
#[wire(recipe)]
pub struct Keys {
    pub a: Open<Named>,
    pub b: OpenName<Numbered>,
    pub c: Option<Vec<OpenName<Numbered>>>,
    pub d: Alias,
    pub e: Open<Numbered>,
    pub f: OpenName<Named>,
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Contents {
    A(Open<Named>),
    B(OpenName<Numbered>),
    C(Open<Numbered>),
}

fn main() {}
