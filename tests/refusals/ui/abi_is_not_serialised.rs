//! An abi struct where bytes or JSON are asked for.

use wirecontract::WireContract;

#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(abi)]
pub struct Shared {
    pub data: *mut u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Bytes {
    pub shared: Shared,
    pub several: [Shared; 2],
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Document {
    pub shared: Shared,
    pub maybe: Option<Shared>,
    pub several: Vec<Shared>,
}

#[derive(WireContract)]
#[wire(union, tag = "kind")]
pub enum Message {
    Shared(Shared),
}

fn main() {
    let _ = Shared::from_bytes(&[0; 8]);
}
