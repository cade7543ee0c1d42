//! Host memory as its descriptor says it, and what an importer reads there.

use wirecontract::{Code, Enumeration as _, Flags, WireContract as _};
use wirecontract_gpu::buffer::{BufferFlag, BufferKind, ProcessIdentity, SharedBuffer};
use wirecontract_runtime::host;

use super::Access;
use crate::system::Error;

/// The descriptor of a buffer of this process: bytes of no type.
pub(super) fn describe(numbers: &host::Import) -> SharedBuffer {
    let host::Import { size, allocation_size, offset, access } = *numbers;
    let flags = match access {
        host::Access::ReadOnly => Flags::from(BufferFlag::ReadOnly),
        host::Access::ReadWrite => Flags::empty(),
    };
    let exporter = ProcessIdentity { pid: std::process::id().into(), ..ProcessIdentity::default() };
    let whole = SharedBuffer::new(BufferKind::HostMemfd, allocation_size);
    SharedBuffer { flags, size, offset, exporter, ..whole }
}

/// What to import, of a descriptor that is held against its rules first.
pub(super) fn import(buffer: &SharedBuffer, access: Access) -> Result<host::Import, Error> {
    buffer.validate_import()?;
    if buffer.kind != BufferKind::HostMemfd {
        let found = buffer.kind.name();
        let message =
            format!("expected a buffer of the kind host_memfd, found {found}: import it by its own library");
        return Err(Error::new(Code::Refused, message));
    }
    let access = match access {
        Access::ReadOnly => host::Access::ReadOnly,
        Access::ReadWrite => host::Access::ReadWrite,
    };
    let SharedBuffer { size, allocation_size, offset, .. } = *buffer;
    Ok(host::Import { size, allocation_size, offset, access })
}
