//! Host memory as its descriptor says it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use wirecontract::{Flags, WireContract as _};
use wirecontract_gpu::buffer::{BufferFlag, BufferKind, ProcessIdentity, SharedBuffer};

use super::{Access, Barrier, HostError, Import};
use crate::maker::Maker;
use crate::procfs;

/// A number that no other buffer of this process has.
pub(super) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The descriptor of a buffer of this process: bytes of no type.
pub(super) fn describe(numbers: &Import, buffer_id: u64) -> SharedBuffer {
    let Import { size, allocation_size, offset, access } = *numbers;
    let flags = match access {
        Access::ReadOnly => Flags::from(BufferFlag::ReadOnly),
        Access::ReadWrite => Flags::empty(),
    };
    let whole = SharedBuffer::new(BufferKind::HostMemfd, allocation_size);
    SharedBuffer { flags, size, offset, buffer_id, exporter: this_process(), ..whole }
}

impl Import {
    /// The numbers of a descriptor that came, held against its rules, with the access that it gives.
    ///
    /// # Errors
    /// [`Descriptor`](HostError::Descriptor) for one that no importer may use, [`OtherMemory`](HostError::OtherMemory)
    /// for one of another kind than `host_memfd`.
    pub fn of(buffer: &SharedBuffer) -> Result<Import, HostError> {
        buffer.validate_import().map_err(|error| HostError::Descriptor(Box::new(error)))?;
        if buffer.kind != BufferKind::HostMemfd {
            return Err(HostError::OtherMemory { found: buffer.kind });
        }
        let SharedBuffer { size, allocation_size, offset, .. } = *buffer;
        let read_only = buffer.flags.contains(BufferFlag::ReadOnly);
        let access = if read_only { Access::ReadOnly } else { Access::ReadWrite };
        Ok(Import { size, allocation_size, offset, access })
    }

    /// The same for who does no more than that with it.
    ///
    /// # Errors
    /// [`Access`](HostError::Access) where it is given for reading only.
    pub fn for_access(self, wanted: Access) -> Result<Import, HostError> {
        match (self.access, wanted) {
            (Access::ReadOnly, Access::ReadWrite) => {
                Err(HostError::Access { wanted, barrier: Barrier::GivenReadOnly })
            }
            _ => Ok(Import { access: wanted, ..self }),
        }
    }
}

/// Who this process is, found once in each. What `/proc` does not say stays 0.
fn this_process() -> ProcessIdentity {
    static KNOWN: Mutex<Option<(Maker, ProcessIdentity)>> = Mutex::new(None);
    let this = Maker::this();
    // A fork may have the lock of a thread that it has not.
    let Ok(mut known) = KNOWN.try_lock() else { return identity(this) };
    match *known {
        Some((maker, identity)) if maker == this => identity,
        _ => known.insert((this, identity(this))).1,
    }
}

fn identity(this: Maker) -> ProcessIdentity {
    ProcessIdentity {
        pid: this.number().into(),
        start_time: start_time().unwrap_or(0),
        pid_namespace: fs::metadata(procfs::own("ns/pid")).map_or(0, |namespace| namespace.ino()),
    }
}

/// Field 22 of the process's own line, which the thread's differs in.
fn start_time() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name is behind the number, and may hold anything; the state is field 3.
    stat.rsplit_once(") ")?.1.split(' ').nth(22 - 3)?.parse().ok()
}
