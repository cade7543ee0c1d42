//! Types that have no place in an abi struct, as far as they are written out.

use core::ffi::{c_char, c_void};
use core::marker::PhantomData;
use core::num::NonZeroU32;
use core::ptr::NonNull;
use wirecontract::WireContract;

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Everything {
    pub reference: &'static u32,
    pub exclusive: &'static mut u32,
    pub text: &'static str,
    pub slice: &'static [u16],
    pub letter: char,
    pub wide: u128,
    pub boxed: Box<u32>,
    pub never_null: NonNull<u32>,
    pub maybe_never_null: Option<NonNull<u32>>,
    pub maybe_reference: Option<&'static u32>,
    pub maybe_pointer: Option<*mut u32>,
    pub maybe_number: Option<u32>,
    pub owned: String,
    pub list: Vec<u32>,
    pub pair: (u8, u8),
    pub unit: (),
    pub never_zero: NonZeroU32,
    pub nothing: PhantomData<u8>,
    pub void: c_void,
    pub voids: [c_void; 2],
    pub to_unit: *mut (),
    pub to_letter: *const char,
    pub to_slice: *const [u8],
    pub to_object: *mut dyn Send,
    pub none: [u8; 0],
    pub letters: [[char; 2]; 2],
}

#[derive(WireContract)]
#[repr(C)]
#[wire(abi)]
pub struct Functions {
    pub bare: unsafe extern "C" fn(),
    pub safe: Option<extern "C" fn()>,
    pub rust: Option<unsafe fn()>,
    pub neither: Option<fn()>,
    pub system: Option<unsafe extern "system" fn()>,
    pub variadic: Option<unsafe extern "C" fn(format: *const c_char, ...)>,
    pub lifetimes: Option<for<'a> unsafe extern "C" fn(&'a u8)>,
    pub array: Option<unsafe extern "C" fn(a: [u8; 3]) -> [u8; 4]>,
    pub void: Option<unsafe extern "C" fn(a: c_void) -> c_void>,
    pub itself: Option<unsafe extern "C" fn(functions: Functions) -> Self>,
    pub twice: Option<unsafe extern "C" fn(a: u8, a: u16)>,
    pub inner: Option<unsafe extern "C" fn(unsafe extern "C" fn(), *mut Option<fn()>)>,
    pub diverges: Option<unsafe extern "C" fn() -> !>,
    #[rustfmt::skip]
    pub many: Option<unsafe extern "C" fn(u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8)>,
}

fn main() {}
