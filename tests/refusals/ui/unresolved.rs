//! A name that nobody knows is one error, however often an expansion mentions it.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Holds {
    pub one: Missing,
    #[wire(length_of = many)]
    pub count: u32,
    pub many: [Absent; 3],
    pub length: [u8; UNKNOWN],
}

fn main() {}
