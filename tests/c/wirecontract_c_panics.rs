//! A function that panics as a function of libwirecontract would, for tests/python.

#![cfg(target_os = "linux")]

use wirecontract::Failure;
use wirecontract_c::tensor::in_python;

/// Panics where functions of tensors do their work, and puts the status where the caller says.
///
/// # Safety
/// The thread is attached to Python, and there is a place for the status.
#[unsafe(no_mangle)]
unsafe extern "C" fn wirecontract_c_panics(status: *mut i32) {
    // SAFETY: as the caller says.
    let result = unsafe { in_python::<()>(|_| panic!("rank {} has no name", 3)) };
    let code = result.map_err(|error| Failure::from(error).code());
    // SAFETY: as the caller says.
    unsafe { status.write(code.map_or_else(|code| code as i32, |()| 0)) };
}
