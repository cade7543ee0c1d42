//! A library that exports functions of every form, as the tests call it from C, C++ and Python.

pub mod device;
pub mod drift;
pub mod gauge;
pub mod memory;

wirecontract::wire_library!(prefix = "rig");
