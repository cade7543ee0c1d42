//! Contracts of a crate that does not depend on wirecontract: it has it from another one.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

include!("../../contracts.in");

contracts!(wirecontract_tests_vendor::wirecontract);
