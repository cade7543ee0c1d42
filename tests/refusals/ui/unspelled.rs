//! Descriptors in documents of which is not said how their bytes are spelled: one error each, in words about that.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Extent {
    pub width: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Keys {
    pub required: Extent,
    pub optional: Option<Extent>,
    pub list: Vec<Extent>,
    pub array: [Extent; 2],
    #[wire(hex)]
    pub spelled: Extent,
}

#[derive(WireContract)]
#[wire(union, tag = "op", content = "value")]
pub enum Contents {
    One(Extent),
    Many(Vec<Extent>),
}

fn main() {}
