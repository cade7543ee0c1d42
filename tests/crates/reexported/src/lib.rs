//! Contracts of a crate that does not depend on wirecontract: it has it from another one.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

extern crate alloc;

include!("../../contracts.in");
include!("../../documents.in");

contracts!(wirecontract_tests_vendor::wirecontract);
documents!(wirecontract_tests_vendor::wirecontract);
