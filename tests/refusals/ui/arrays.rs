//! Arrays as C has them, and as the record can say.

use wirecontract::WireContract;

type Four = [[[[u8; 2]; 2]; 2]; 2];
const MANY: usize = 0x1_0000_0000;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Plain {
    pub deep: [[[[[u8; 2]; 2]; 2]; 2]; 2],
    pub none: [u8; 0],
    pub large: [u8; 0x1_0000_0000],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size = 16)]
pub struct Behind {
    pub four: Four,
    pub five: [Four; 2],
    pub large: [u8; MANY],
}

fn main() {}
