//! Functions of an `impl` are those of a handle.

#![allow(unused_variables)]

use wirecontract::{WireContract, wire_export};

#[derive(WireContract)]
#[wire(recipe)]
pub struct Order {
    pub amount: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Idle = 0,
}

pub struct Plain;

#[wire_export]
impl Order {
    pub fn total(&self) -> u32 {
        self.amount
    }

    pub fn more(&self, by: u32) {}
}

#[wire_export]
impl Mode {
    pub fn next(self) -> Mode {
        self
    }
}

#[wire_export]
impl Plain {
    pub fn of(amount: u32) {}
}

fn main() {}
