//! A crate that hands wirecontract on, as an SDK does whose users should not have to depend on it.

#![no_std]

pub use wirecontract;
