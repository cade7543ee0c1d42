//! The inputs: a file of byte strings, each after its length in 32 bits, little-endian.
//!
//! `cargo xtask bench` writes it once, for the Rust, C and Python peers alike.

use std::io;
use std::path::Path;

/// Every input of a file.
pub fn read(path: &Path) -> io::Result<Vec<Vec<u8>>> {
    let file = std::fs::read(path)?;
    let mut rest = &file[..];
    let mut inputs = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let (input, tail) = tail.split_at_checked(length).ok_or(io::ErrorKind::UnexpectedEof)?;
        inputs.push(input.to_vec());
        rest = tail;
    }
    Ok(inputs)
}
