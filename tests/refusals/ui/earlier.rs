//! Earlier versions come with their wire ids, below the contract's own.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(recipe, earlier(v1 = 0x0123456789abcdef))]
pub struct NoVersion {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 1, earlier(v1 = 0))]
pub struct First {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 2, earlier(v2 = 0x01, v3 = 0x02))]
pub struct NotEarlier {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 4, earlier(v1 = 0x01, v1 = 0x02, v2 = 0x01))]
pub struct Twice {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 4, earlier(v0 = 0x01, v01 = 0x02, first = 0x03, v4294967296 = 4, v+1 = 5))]
pub struct NoNumbers {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 4, earlier(v1, v2 = "0x01", v3 = 0x1_0000_0000_0000_0000))]
pub struct NoIds {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 2, earlier = 0x01)]
pub struct NoList {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 2, earlier())]
pub struct Nothing {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(recipe, version = 2, earlier(v1 = 1), earlier(v1 = 1))]
pub struct Said {
    pub id: u32,
}

#[derive(WireContract)]
#[wire(handle, exclusive, earlier(v1 = 1))]
pub struct Camera;

fn main() {}
