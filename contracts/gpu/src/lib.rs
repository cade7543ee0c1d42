//! Wire contracts of GPU and camera SDKs, one module a family.
#![no_std]
#![forbid(unsafe_code)]

pub mod cuvis;
