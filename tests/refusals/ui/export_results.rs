//! Results that no function of C gives.

#![allow(unused_variables)]

use wirecontract::{Failure, wire_export};

#[wire_export]
pub fn borrowed(text: &str) -> &str {
    text
}

#[wire_export]
pub fn items(items: &mut [u8]) -> Result<&[u8], Failure> {
    Ok(items)
}

#[wire_export]
pub fn lists() -> Vec<u32> {
    Vec::new()
}

#[wire_export]
pub fn absent() -> Option<u8> {
    None
}

#[wire_export]
pub fn several() -> ((u8, u8), [u8; 2], Box<u8>, Result<u8, u8>) {
    ((0, 0), [0; 2], Box::new(0), Ok(0))
}

#[wire_export]
pub fn functions() -> Option<unsafe extern "C" fn()> {
    None
}

#[wire_export]
pub fn alias() -> std::fmt::Result {
    Ok(())
}

#[wire_export]
pub fn many() -> (u8, u8, u8, u8, u8, u8, u8, u8, u8) {
    (0, 0, 0, 0, 0, 0, 0, 0, 0)
}

#[wire_export(out(a, b))]
pub fn names() -> u8 {
    0
}

#[wire_export(out(a, a))]
pub fn twice() -> (u8, u8) {
    (0, 0)
}

#[wire_export]
pub fn taken(out: u8) -> u8 {
    out
}

fn main() {
    let _ = (borrowed(""), lists(), absent(), several(), names(), twice(), taken(0));
}
