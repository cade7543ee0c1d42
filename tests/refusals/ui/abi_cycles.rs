//! Abi structs that hold themselves, and types that do not exist.

use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Itself {
    pub a: Itself,
    pub b: [Self; 2],
    pub c: *mut [Itself; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Unresolved {
    pub missing: Missing,
    pub several: [Missing; 2],
    pub to_missing: *mut Missing,
    pub call: Option<unsafe extern "C" fn(Missing) -> Missing>,
    pub length: [u8; MISSING],
    pub c: missing::c_int,
}

fn main() {}
