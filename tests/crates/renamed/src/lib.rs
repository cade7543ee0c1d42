//! Contracts of a crate that calls wirecontract by another name, in edition 2021.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

extern crate alloc;

include!("../../contracts.in");
include!("../../documents.in");

contracts!(wc);
documents!(wc);
