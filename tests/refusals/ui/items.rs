//! Only structs with named fields and fieldless enums are contracts, and each of one kind.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Tuple(pub u32, pub u32);

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub union Union {
    pub a: u32,
    pub b: f32,
}

#[derive(WireContract)]
#[repr(C)]
pub struct NoKind {
    pub a: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
pub enum NoKindEither {
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, flags)]
pub struct TwoKinds {
    pub a: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(enumeration)]
pub struct NoEnum {
    pub a: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(descriptor)]
pub enum NoStruct {
    A = 1,
}

#[derive(WireContract)]
#[repr(u8)]
#[wire(enumeration)]
pub enum NotCopy {
    A = 1,
}

fn main() {}
