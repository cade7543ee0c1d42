//! Wire contracts of GPU and camera SDKs, one module a family.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "lease", feature = "texture"))]
extern crate alloc;
#[cfg(all(feature = "message", unix))]
extern crate std;

pub mod buffer;
pub mod cuvis;
pub mod dlpack;
#[cfg(feature = "texture")]
pub mod texture;
pub mod video;
pub mod vulkan;
