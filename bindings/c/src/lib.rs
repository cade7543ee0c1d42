//! libwirecontract: what C and C++ programs link besides the headers.
//!
//! The headers read and write descriptors by themselves. What takes memory is here: recipes and unions as documents, and
//! the catalog of what this library speaks. On Linux there is also what takes system calls: messages with file
//! descriptors, memory that several processes map, and leases on it; and tensors for extension modules of Python, whose
//! functions are found in the process where there is a Python: nothing of it is linked.
//!
//! A file descriptor that a function is given stays the caller's, but for a socket that becomes a channel or a listener;
//! one that a function gives is the caller's, who closes it. Where a call fails, whatever for, what it would give is -1 of a
//! file descriptor, and 0 of everything else: no pointer, no size, no handle.

#[rustfmt::skip]
mod documents;
pub mod catalog;
#[cfg(target_os = "linux")]
pub mod consumer;
#[cfg(target_os = "linux")]
pub mod handoff;
#[cfg(target_os = "linux")]
pub mod host;
#[cfg(target_os = "linux")]
pub mod lease;
#[cfg(target_os = "linux")]
pub mod service;
#[cfg(target_os = "linux")]
pub mod system;
#[cfg(target_os = "linux")]
pub mod tensor;

wirecontract::wire_library!(prefix = "wc");
