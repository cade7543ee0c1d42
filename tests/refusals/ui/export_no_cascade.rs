//! A contract that was refused is one error, whatever takes or gives it.

#![allow(unused_variables)]

use wirecontract::{CallbackError, WireContract, wire_export};

#[derive(WireContract, Clone, Copy)]
#[wire(enumeration)]
pub enum Mode {
    A = 0,
}

#[derive(WireContract)]
#[wire(handle)]
pub struct Camera;

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Part {
    pub a: String,
}

#[wire_export]
pub fn modes(a: Mode) -> Mode {
    a
}

#[wire_export]
impl Camera {
    pub fn open() -> Self {
        Camera
    }

    pub fn change(&mut self, other: &Camera) {}

    pub fn each(&self, of: &mut dyn FnMut(Mode) -> Result<(), CallbackError>) {}

    pub fn close(self) {}
}

#[wire_export]
pub fn parts(a: Part, b: &Part, c: &[Part], d: Option<&mut Part>) -> Part {
    a
}

fn main() {}
