//! A descriptor of host memory and its file descriptor, mapped and released at the other end, and the descriptor back: what
//! the Python package does as well.

use std::fmt::Write as _;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{MemfdFlags, memfd_create};
use wirecontract::{Code, WireContract as _};
use wirecontract_gpu::buffer::{ProcessIdentity, SharedBuffer};
use wirecontract_runtime::handoff::{Channel, Expected};
use wirecontract_runtime::host::{HostBuffer, HostMapping, HostOptions, Import};

use super::{Outcome, now, pair};

/// Bytes of the buffer.
const BYTES: u64 = 1 << 20;
const SIZE: usize = SharedBuffer::WIRE_SIZE;
/// Round trips between two looks at the clock.
const BATCH: u32 = 100;

/// What comes of a descriptor that is there: its mapping, or the code of its refusal.
fn take(channel: &Channel, bytes: &mut [u8; SIZE]) -> Result<HostMapping, Code> {
    let came = channel.recv_into(bytes, &Expected::bytes(SIZE).fds(1..=1)).map_err(|error| error.code())?;
    let buffer = SharedBuffer::from_bytes(&bytes[..came.bytes]).map_err(|error| error.code)?;
    let import = Import::of(&buffer).map_err(|error| error.code())?;
    let fd = came.fds.into_iter().next().expect("one was asked for");
    HostMapping::import(fd, &import).map_err(|error| error.code())
}

/// The descriptor as it is, and with each of its bytes changed; of numbers that every process says of itself zeros.
fn variants(buffer: &HostBuffer) -> Outcome<Vec<[u8; SIZE]>> {
    let shared = SharedBuffer { exporter: ProcessIdentity::default(), buffer_id: 0, ..buffer.shared() };
    let good = shared.to_bytes()?;
    let changed = (0..SIZE).map(|at| {
        let mut bytes = good;
        bytes[at] ^= 0xff;
        bytes
    });
    Ok(std::iter::once(good).chain(changed).collect())
}

/// Prints for each variant its place, and the code that each kind of file descriptor gives.
pub(crate) fn agree() -> Outcome<()> {
    let buffer = HostBuffer::create(&HostOptions::new(BYTES))?;
    let good = buffer.try_clone_fd()?;
    let unsealed = memfd_create("unsealed", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let kinds: [&[BorrowedFd<'_>]; 4] =
        [&[good.as_fd()], &[], &[good.as_fd(), good.as_fd()], &[unsealed.as_fd()]];
    let mut said = String::new();
    for (index, bytes) in variants(&buffer)?.iter().enumerate() {
        write!(said, "{index}")?;
        for kind in kinds {
            let (near, far) = pair()?;
            near.send(bytes, kind)?;
            let code = take(&far, &mut [0; SIZE]).err().map_or(0, wirecontract::Enumeration::value);
            write!(said, " {code}")?;
        }
        said.push('\n');
    }
    print!("{said}");
    Ok(())
}

/// Prints the best batch's time for one round trip.
pub(crate) fn measure(times: u32) -> Outcome<()> {
    let buffer = HostBuffer::create(&HostOptions::new(BYTES))?;
    let (bytes, fd) = (buffer.shared().to_bytes()?, buffer.try_clone_fd()?);
    let (near, far) = pair()?;
    let once = || -> Outcome<()> {
        near.send(&bytes, &[fd.as_fd()])?;
        let mut came = [0; SIZE];
        drop(take(&far, &mut came).map_err(|code| format!("refused: {code:?}"))?);
        far.send(&came, &[])?;
        let mut back = [0; SIZE];
        let received = near.recv_into(&mut back, &Expected::bytes(SIZE))?;
        if back[..received.bytes] == bytes { Ok(()) } else { Err("another descriptor came back".into()) }
    };
    let mut best = f64::INFINITY;
    for _ in 0..times.div_ceil(BATCH) {
        let start = now();
        (0..BATCH).try_for_each(|_| once())?;
        best = best.min(now() - start);
    }
    println!("shared-round-trip {:.1}", best / f64::from(BATCH));
    Ok(())
}
