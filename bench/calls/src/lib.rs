//! The same function three times: of a handle that one thread owns, of one that all share, and bare, of a pointer that
//! nothing checks.

wirecontract::wire_library!(prefix = "calls");

pub mod counter;
