//! A contract is one type.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Type<T> {
    pub value: T,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Length<const N: usize> {
    pub value: [u8; N],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Lifetime<'a> {
    pub value: &'a u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Where
where
    u8: Copy,
{
    pub value: u8,
}

pub fn uses(bytes: &[u8]) {
    let _ = Type::<u8>::from_bytes(bytes);
    let _ = Length::<4>::view(bytes);
}

fn main() {}
