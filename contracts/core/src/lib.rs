//! Wire contracts, declared once.
#![no_std]
pub mod record;
