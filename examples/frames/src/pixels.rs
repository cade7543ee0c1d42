//! Pixels in a file of memory.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;

use rustix::fs::{MemfdFlags, memfd_create};

/// A file of memory that holds those pixels.
pub fn to_memory(pixels: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("pixels", MemfdFlags::CLOEXEC)?);
    file.write_all(pixels)?;
    Ok(file.into())
}

/// The first `count` pixels of a file; one that has fewer is refused.
pub fn of(file: OwnedFd, count: usize) -> io::Result<Vec<u8>> {
    let mut pixels = vec![0; count];
    File::from(file).read_exact_at(&mut pixels, 0)?;
    Ok(pixels)
}
