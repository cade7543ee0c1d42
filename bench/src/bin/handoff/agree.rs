//! What comes of every input, with every kind of file descriptor: lines that the other side's are held against.

use std::fmt::Write as _;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use wirecontract::Enumeration;

use super::round_trip::{SIZE, buffer_of, take};
use super::{Outcome, pair};

/// Prints for each input its place, and the code that each kind of file descriptor gives.
pub(crate) fn all(inputs: &[Vec<u8>]) -> Outcome<()> {
    let buffer = buffer_of(&inputs[0])?;
    let good = buffer.try_clone_fd()?;
    let unsealed = memfd_create("unsealed", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    ftruncate(&unsealed, buffer.allocation_size())?;
    let (pipe, _writer) = rustix::pipe::pipe()?;
    let kinds: [&[BorrowedFd<'_>]; 5] =
        [&[good.as_fd()], &[], &[good.as_fd(), good.as_fd()], &[unsealed.as_fd()], &[pipe.as_fd()]];
    let mut said = String::new();
    for (index, input) in inputs.iter().enumerate() {
        write!(said, "{index}")?;
        for kind in kinds {
            let (near, far) = pair()?;
            near.send(input, kind)?;
            let code = take(&far, &mut [0; SIZE]).err().map_or(0, Enumeration::value);
            write!(said, " {code}")?;
        }
        said.push('\n');
    }
    print!("{said}");
    Ok(())
}
