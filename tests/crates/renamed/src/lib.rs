//! Contracts of a crate that calls wirecontract by another name, in edition 2021.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

include!("../../contracts.in");

contracts!(wc);
