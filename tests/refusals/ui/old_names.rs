//! Old names that are the names still.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, was = "Descriptor")]
pub struct Descriptor {
    #[wire(was = a)]
    pub a: u32,
    #[wire(was = r#type)]
    pub r#type: u32,
    #[wire(was = b)]
    pub c: u32,
}

#[derive(WireContract)]
#[wire(recipe, was = Recipe, rename_all = "camelCase")]
pub struct Recipe {
    #[wire(was = "frameCount")]
    pub frame_count: u32,
    #[wire(was = "first", name = "first")]
    pub a: u32,
    // The key was another one: other documents.
    #[wire(was = "row_pitch")]
    pub row_pitch: u32,
    #[wire(was = width, name = "columns")]
    pub columns: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration, was = "Enumeration")]
pub enum Enumeration {
    A = 1,
}

#[derive(WireContract)]
#[wire(union, tag = "op", was = "Union")]
pub enum Union {
    A,
}

fn main() {}
