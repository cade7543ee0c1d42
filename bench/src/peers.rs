//! The peers, one file each.

pub mod binrw;
pub mod deku;
pub mod fault;
pub mod json;
pub mod zerocopy;
