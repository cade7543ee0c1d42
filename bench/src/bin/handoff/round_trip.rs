//! One payload and one file descriptor, mapped and released at the other end, and the payload back.

use std::os::fd::AsFd as _;

use wirecontract::{Code, WireContract as _};
use wirecontract_gpu::cuvis::CudaIpcPayload;
use wirecontract_runtime::handoff::{Channel, Expected};
use wirecontract_runtime::host::{Access, HostBuffer, HostMapping, HostOptions, Import};

use super::{Outcome, now, pair};

/// Bytes of the payload.
pub(crate) const SIZE: usize = 208;

/// Round trips between two looks at the clock.
const BATCH: u32 = 100;

/// What comes of a message that is there: its payload and its mapping, or the code of its refusal.
pub(crate) fn take(channel: &Channel, bytes: &mut [u8; SIZE]) -> Result<HostMapping, Code> {
    let came = channel.recv_into(bytes, &Expected::bytes(SIZE).fds(1..=1)).map_err(|error| error.code())?;
    let payload = CudaIpcPayload::from_bytes(&bytes[..came.bytes]).map_err(|error| error.code)?;
    let import = Import {
        size: payload.descriptor.size,
        allocation_size: payload.descriptor.alloc_size,
        offset: payload.descriptor.offset,
        access: Access::ReadOnly,
    };
    let fd = came.fds.into_iter().next().expect("one was asked for");
    HostMapping::import(fd, &import).map_err(|error| error.code())
}

/// Memory that is as large as a payload says.
pub(crate) fn buffer_of(payload: &[u8]) -> Outcome<HostBuffer> {
    let descriptor = CudaIpcPayload::from_bytes(payload)?.descriptor;
    Ok(HostBuffer::create(&HostOptions::new(descriptor.alloc_size))?)
}

/// Prints the best batch's time for one round trip.
pub(crate) fn measure(payload: &[u8], times: u32) -> Outcome<()> {
    let buffer = buffer_of(payload)?;
    let fd = buffer.try_clone_fd()?;
    let (near, far) = pair()?;
    let once = || -> Outcome<()> {
        near.send(payload, &[fd.as_fd()])?;
        let mut bytes = [0; SIZE];
        drop(take(&far, &mut bytes).map_err(|code| format!("refused: {code:?}"))?);
        far.send(&bytes, &[])?;
        let mut back = [0; SIZE];
        let came = near.recv_into(&mut back, &Expected::bytes(SIZE))?;
        if back[..came.bytes] == *payload { Ok(()) } else { Err("another payload came back".into()) }
    };
    let mut best = f64::INFINITY;
    for _ in 0..times.div_ceil(BATCH) {
        let start = now();
        (0..BATCH).try_for_each(|_| once())?;
        best = best.min(now() - start);
    }
    println!("round-trip {:.1}", best / f64::from(BATCH));
    Ok(())
}
