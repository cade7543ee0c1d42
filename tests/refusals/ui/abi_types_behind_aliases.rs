//! The same where only the compiler can see it, and contracts that are no memory.

use core::ffi::c_void;
use wirecontract::{Flags, Open, WireContract};

type Reference = &'static u32;
type Letter = char;
type Safe = Option<extern "C" fn()>;
type Bare = unsafe extern "C" fn();
type Triple = [u8; 3];
type Nothing = [u8; 0];
type Void = c_void;
#[allow(non_camel_case_types)]
type c_int = u64;

type Four<T> = *const *const *const *const T;
type Sixteen<T> = Four<Four<Four<Four<T>>>>;

pub struct NoContract;

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Mode {
    Off = 0,
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
pub struct Bytes {
    pub a: u32,
}

#[derive(WireContract)]
#[wire(recipe)]
pub struct Document {
    pub a: u32,
}

#[derive(WireContract, Clone, Copy)]
#[repr(C)]
#[wire(abi)]
pub struct Part {
    pub a: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Everything {
    pub mode: Mode,
    pub modes: [Mode; 2],
    pub to_mode: *mut Mode,
    pub bits: Bits,
    pub open_bits: Open<Bits>,
    pub flags_of_mode: Flags<Mode>,
    pub bytes: Bytes,
    pub to_bytes: *const Bytes,
    pub document: Document,
    pub reference: Reference,
    pub letter: Letter,
    pub safe: Safe,
    pub bare: Bare,
    pub void: Void,
    pub no_contract: NoContract,
    pub to_no_contract: *mut NoContract,
    pub takes_no_contract: Option<unsafe extern "C" fn(a: NoContract, b: Mode) -> Letter>,
    pub int: c_int,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Shapes {
    pub nothing: Nothing,
    pub takes_array: Option<unsafe extern "C" fn(Triple)>,
    pub gives_array: Option<unsafe extern "C" fn() -> Triple>,
    pub to_parts: *mut [Part; 2],
    pub to_voids: *mut [Void; 2],
    pub huge: [[u64; 65_536]; 65_536],
    pub part: Part,
    pub deepest: Sixteen<Four<Four<Four<*mut [*mut u8; 1]>>>>,
    pub deeper: Sixteen<Four<Four<Four<[[u8; 2]; 3]>>>>,
    pub too_deep: Sixteen<Sixteen<u8>>,
}

fn main() {}
