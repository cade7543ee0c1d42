//! What only the compiler sees of a type: what it is that a function takes or gives, and how.

#![allow(unused_variables)]

use core::ffi::c_void;

use wirecontract::{CallbackError, Failure, Flags, WireContract, wire_export};

pub struct Unknown;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    A = 0,
}

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(flags)]
pub enum Bits {
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct Block {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Order {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(handle, exclusive)]
pub struct Camera;

#[derive(WireContract)]
#[wire(handle, shared)]
pub struct Lamp;

pub type Text = &'static str;
pub type Outcome = Result<u8, Failure>;
pub type Pointer = *mut c_void;
pub type Call = Option<unsafe extern "C" fn()>;

#[wire_export]
pub fn unknown(a: Unknown) {}

#[wire_export]
pub fn unknown_reference(a: &Unknown) {}

#[wire_export]
pub fn unknown_slice(a: &[Unknown]) {}

#[wire_export]
pub fn unknown_result() -> Unknown {
    Unknown
}

#[wire_export]
pub fn unknown_argument(a: &mut dyn FnMut(Unknown) -> Result<(), CallbackError>) {}

#[wire_export]
pub fn unknown_error() -> Result<u8, Unknown> {
    Ok(0)
}

#[wire_export]
pub fn descriptor_value(a: Block) {}

#[wire_export]
pub fn descriptor_changed(a: &mut Block) {}

#[wire_export]
pub fn descriptors(a: &[Block]) {}

#[wire_export]
pub fn descriptor_absent(a: Option<&Block>) {}

#[wire_export]
pub fn descriptor_argument(a: &mut dyn FnMut(&Block) -> Result<(), CallbackError>) {}

#[wire_export]
pub fn recipe_value(a: Order) {}

#[wire_export]
pub fn enumeration_reference(a: &Mode) {}

#[wire_export]
pub fn enumerations(a: &mut [Mode]) {}

#[wire_export]
pub fn flag(a: Bits) {}

#[wire_export]
pub fn flag_result() -> Bits {
    Bits::A
}

#[wire_export]
pub fn handle_absent(a: Option<&Camera>) {}

#[wire_export]
pub fn handle_argument(a: &mut dyn FnMut(&Camera) -> Result<(), CallbackError>) {}

#[wire_export]
impl Lamp {
    pub fn change(&mut self) {}
}

#[wire_export]
pub fn alias_of_text(a: Text) {}

#[wire_export]
pub fn alias_of_result() -> Outcome {
    Ok(0)
}

#[wire_export]
pub fn alias_of_pointer(a: &Pointer) {}

#[wire_export]
pub fn alias_of_function() -> Call {
    None
}

#[wire_export]
pub fn pointer_to_unknown(a: *mut Unknown, b: Flags<Bits>) {}

fn main() {}
