//! Handles: who uses them is said, by types that may be used so.

#![allow(unused_variables)]

use std::cell::Cell;
use std::rc::Rc;

use wirecontract::{WireContract, wire_export};

#[derive(WireContract)]
#[wire(handle)]
pub struct Unsaid;

#[derive(WireContract)]
#[wire(handle, exclusive, shared)]
pub struct Both;

#[derive(WireContract)]
#[wire(handle, shared)]
pub struct Local(Rc<u8>);

#[derive(WireContract)]
#[wire(handle, shared)]
pub struct Unguarded {
    count: Cell<u32>,
}

#[derive(WireContract)]
#[wire(handle, exclusive)]
pub struct Fine(Rc<Cell<u8>>);

#[derive(WireContract)]
#[wire(handle, exclusive)]
pub struct Generic<T>(T);

#[derive(WireContract)]
#[wire(handle, exclusive, was = "Old", size = 8, prefix = "T_", version = 0)]
pub struct Keys;

#[derive(WireContract)]
#[wire(handle, exclusive)]
pub struct Fields {
    #[wire(was = a)]
    pub b: u8,
}

#[derive(WireContract)]
#[wire(abi, exclusive)]
#[repr(C)]
pub struct Memory {
    pub b: u8,
}

// That its type is not for all threads was said.
#[wire_export]
impl Unguarded {
    pub fn new() -> Self {
        Unguarded { count: Cell::new(0) }
    }

    pub fn count(&self) -> u32 {
        self.count.get()
    }

    pub fn finish(self) {}
}

fn main() {}
