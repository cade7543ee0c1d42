//! Types in suggestions are as one writes them.

use wirecontract::WireContract;

pub mod shapes {
    #[derive(wirecontract::WireContract)]
    #[wire(recipe)]
    pub struct Part {
        pub x: u32,
    }
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Recipe {
    pub a: Vec<Option<shapes::Part>>,
    pub b: &'static self::shapes::Part,
    pub c: std::rc::Rc<[shapes::Part; 2]>,
    pub d: Option<Option<Vec<shapes::Part>>>,
}

#[derive(WireContract)]
#[wire(union, tag = "op")]
pub enum Union {
    A(Option<crate::shapes::Part>),
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Descriptor {
    pub a: Vec<::std::vec::Vec<shapes::Part>>,
}

fn main() {}
