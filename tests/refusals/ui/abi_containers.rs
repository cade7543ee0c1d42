//! What an abi struct's own attributes get wrong.

use wirecontract::WireContract;

#[derive(WireContract)]
#[wire(abi)]
pub struct NoRepr {
    pub a: u8,
}

#[derive(WireContract)]
#[repr(C, packed)]
#[wire(abi)]
pub struct Packed {
    pub a: u8,
}

#[derive(WireContract)]
#[repr(C, align(16))]
#[wire(abi)]
pub struct Aligned {
    pub a: u8,
}

#[derive(WireContract)]
#[repr(transparent)]
#[wire(abi)]
pub struct Transparent {
    pub a: u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Empty {}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Tuple(u8);

#[derive(WireContract, Clone, Copy)]
#[repr(u8)]
#[wire(abi)]
pub enum Choice {
    A = 1,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub union Overlay {
    a: u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Generic<T> {
    pub a: *mut T,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi, size = 8)]
pub struct OneSize {
    pub a: *mut u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi, size(lp32 = 8, lp64 = 8, lp64 = 8, llp64, ilp32_u64_4 = x))]
pub struct Models {
    pub a: *mut u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi, size())]
pub struct NoModels {
    pub a: *mut u8,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor, size(lp64 = 8))]
pub struct Bytes {
    pub a: u64,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi, endian = big, rule(a > 1), layout = natural, deny_unknown)]
pub struct ForeignKeys {
    #[wire(offset = 0, length_of = b, text, reserved, min = 1)]
    pub a: u8,
    pub b: [u8; 3],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Counts {
    #[wire(counted_by = missing)]
    pub a: *mut u8,
    #[wire(counted_by = b)]
    pub b: *mut u8,
    #[wire(counted_by = truth)]
    pub c: *mut u8,
    #[wire(counted_by = a)]
    pub d: *mut u8,
    #[wire(counted_by = n)]
    pub e: u32,
    #[wire(counted_by = n)]
    pub f: [u8; 2],
    #[wire(counted_by(n))]
    pub g: *mut u8,
    #[wire(counted_by = n, counted_by = n)]
    pub h: *mut u8,
    pub truth: bool,
    pub n: u32,
}

#[derive(WireContract)]
#[repr(C)]
#[wire(descriptor)]
pub struct CountedBytes {
    pub n: u32,
    #[wire(counted_by = n)]
    pub a: [u8; 4],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Names {
    #[wire(was = a)]
    pub a: u8,
    #[wire(was = d)]
    pub b: u8,
    #[wire(c_name = "2c")]
    pub c: u8,
    pub d: u8,
}

/// What was refused is one mistake, wherever it is used.
#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Uses {
    pub part: Packed,
    pub parts: [Empty; 2],
    pub to_part: *mut Aligned,
    pub to_model: *mut Models,
    pub call: Option<unsafe extern "C" fn(names: *mut Names) -> OneSize>,
}

fn zero() -> (Names, usize) {
    use wirecontract::{AbiStruct, DataModel};
    (Names::ZERO, Counts::LAYOUT.size(DataModel::Lp64))
}

fn main() {
    zero();
}
