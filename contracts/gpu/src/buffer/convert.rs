//! Buffers of the cuvis SDK as ours, and ours as its own: what each cannot say is told, and nothing is guessed.

mod error;
mod losses;

use wirecontract::{Flags, WireContract as _};

use super::{BufferFlag, BufferKind, ElementType, Geometry, ProcessIdentity, SharedBuffer};
use crate::cuvis::{CudaIpcDescriptor, CudaIpcPayload, IpcBackend, IpcHandleType, SampleFormat};
use crate::dlpack::DLDataTypeCode;

pub use error::NotConvertible;
pub use losses::{Losses, Lost};

/// What a payload of the SDK says and a [`SharedBuffer`] does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToCuvis {
    /// The exporter's number for the device.
    pub device_ordinal: i32,
    /// The exporter's number for the file descriptor that rides beside, where one does.
    pub fd: Option<i32>,
}

/// What a [`SharedBuffer`] says and a payload of the SDK does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromCuvis {
    /// The UUID of the device that the payload knows by the exporter's number for it.
    pub device_uuid: [u8; 16],
    /// The [start time](ProcessIdentity::start_time) of the exporter; 0 when it is not known.
    pub start_time: u64,
    /// The [PID namespace](ProcessIdentity::pid_namespace) of the exporter; 0 when it is not known.
    pub pid_namespace: u64,
    /// The exporter's [number for the buffer](SharedBuffer::buffer_id); 0 when it has none.
    pub buffer_id: u64,
    /// Whether importers may write.
    pub flags: Flags<BufferFlag>,
}

impl SharedBuffer {
    /// A cube as the cuvis SDK has it: a tensor of shape (height, width, channels) in row-major order, in memory that
    /// CUDA exports. The payload's buffer is the tensor and no more, as its importers ask.
    ///
    /// What is lost: [`Lost::DeviceUuid`], [`Lost::StartTime`], [`Lost::PidNamespace`], [`Lost::BufferId`],
    /// [`Lost::ReadOnly`], [`Lost::Strides`] and [`Lost::SpareBytes`], each where the buffer says it.
    ///
    /// # Errors
    /// For a buffer that no importer may use, and one that a payload cannot say.
    pub fn to_cuvis(&self, said: ToCuvis) -> Result<(CudaIpcPayload, Losses), NotConvertible> {
        self.validate_import()?;
        let (backend, handle_type) = backend(self.kind)?;
        let geometry = self.geometry()?;
        let [height, width, channels] = cube(&geometry)?;
        let (blob_len, blob) = match handle_type {
            IpcHandleType::None => (self.handle_len, self.handle),
            _ => number(said.fd.filter(|fd| *fd >= 0).ok_or(NotConvertible::NoFd(self.kind))?),
        };
        let span = geometry.span();
        let payload = CudaIpcPayload {
            magic: CudaIpcPayload::MAGIC,
            version: CudaIpcPayload::VERSION,
            width,
            height,
            channels,
            format_code: format(self.element)?,
            descriptor: CudaIpcDescriptor {
                backend,
                device_ordinal: said.device_ordinal,
                handle_type,
                blob_len,
                size: span.end - span.start,
                alloc_size: self.allocation_size,
                // Both are within the allocation, as the rules and the geometry found.
                offset: self.offset + span.start,
                exporter_pid: self.exporter.pid,
                blob,
                ptr_blob_len: self.pointer_len,
                _pad: 0,
                ptr_blob: self.pointer,
            },
        };
        payload.validate_import()?;
        let losses = Losses::none()
            .with(Lost::DeviceUuid, self.device_uuid_len > 0)
            .with(Lost::StartTime, self.exporter.start_time != 0)
            .with(Lost::PidNamespace, self.exporter.pid_namespace != 0)
            .with(Lost::BufferId, self.buffer_id != 0)
            .with(Lost::ReadOnly, self.flags.contains(BufferFlag::ReadOnly))
            .with(Lost::Strides, self.strides_len > 0)
            .with(Lost::SpareBytes, span != (0..self.size));
        Ok((payload, losses))
    }

    /// The buffer of a payload of the cuvis SDK, in memory that Linux can import.
    ///
    /// What is lost: [`Lost::DeviceOrdinal`], always; [`Lost::HandleNumber`] where a file descriptor rides beside.
    ///
    /// # Errors
    /// For a payload that no importer may use, and one whose handle is of Windows.
    pub fn from_cuvis(
        payload: &CudaIpcPayload,
        said: FromCuvis,
    ) -> Result<(SharedBuffer, Losses), NotConvertible> {
        payload.validate_import()?;
        let theirs = &payload.descriptor;
        let kind = kind(theirs)?;
        let mut buffer = SharedBuffer::new(kind, theirs.alloc_size);
        buffer.flags = said.flags;
        (buffer.size, buffer.offset) = (theirs.size, theirs.offset);
        buffer.buffer_id = said.buffer_id;
        buffer.exporter = ProcessIdentity {
            pid: theirs.exporter_pid,
            start_time: said.start_time,
            pid_namespace: said.pid_namespace,
        };
        buffer.set_device_uuid(&said.device_uuid)?;
        buffer.set_handle(if kind == BufferKind::CudaLegacy { theirs.blob() } else { &[] })?;
        buffer.set_pointer(theirs.ptr_blob())?;
        let cube = [payload.height, payload.width, payload.channels].map(i64::from);
        buffer.set_tensor(element(payload.format_code), &cube, None)?;
        buffer.validate_import()?;
        let losses = Losses::none()
            .with(Lost::DeviceOrdinal, true)
            .with(Lost::HandleNumber, theirs.handle_type != IpcHandleType::None);
        Ok((buffer, losses))
    }
}

/// What the SDK calls a mechanism that it has.
fn backend(kind: BufferKind) -> Result<(IpcBackend, IpcHandleType), NotConvertible> {
    match kind {
        BufferKind::CudaLegacy => Ok((IpcBackend::Legacy, IpcHandleType::None)),
        BufferKind::CudaPool => Ok((IpcBackend::Pool, IpcHandleType::PosixFd)),
        BufferKind::CudaVmm => Ok((IpcBackend::Vmm, IpcHandleType::PosixFd)),
        _ => Err(NotConvertible::Kind(kind)),
    }
}

/// The mechanism that Linux has, of a descriptor that may be imported somewhere.
fn kind(descriptor: &CudaIpcDescriptor) -> Result<BufferKind, NotConvertible> {
    match (descriptor.backend, descriptor.handle_type) {
        (IpcBackend::Legacy, IpcHandleType::None) => Ok(BufferKind::CudaLegacy),
        (IpcBackend::Pool, IpcHandleType::PosixFd) => Ok(BufferKind::CudaPool),
        (IpcBackend::Vmm, IpcHandleType::PosixFd) => Ok(BufferKind::CudaVmm),
        (_, handle_type) => Err(NotConvertible::Handle(handle_type)),
    }
}

/// Height, width and channels.
fn cube(geometry: &Geometry) -> Result<[u32; 3], NotConvertible> {
    let &[height, width, channels] = geometry.shape() else {
        return Err(NotConvertible::Rank(geometry.shape().len()));
    };
    if !geometry.is_row_major() {
        return Err(NotConvertible::Strides);
    }
    let mut cube = [0; 3];
    for (axis, (place, extent)) in cube.iter_mut().zip([height, width, channels]).enumerate() {
        let said = u32::try_from(extent).ok().filter(|extent| *extent > 0);
        *place = said.ok_or(NotConvertible::Extent { axis, extent })?;
    }
    Ok(cube)
}

/// The number of a file descriptor as the SDK writes it.
fn number(fd: i32) -> (u32, [u8; 64]) {
    let mut blob = [0; 64];
    blob[..4].copy_from_slice(&fd.to_le_bytes());
    (4, blob)
}

/// The format of samples that are elements of that type.
fn format(element: ElementType) -> Result<SampleFormat, NotConvertible> {
    let formats = [SampleFormat::U8, SampleFormat::U16, SampleFormat::U32, SampleFormat::F32];
    let format = formats.into_iter().find(|format| self::element(*format) == element);
    format.ok_or(NotConvertible::Element(element))
}

/// The type of a sample.
fn element(format: SampleFormat) -> ElementType {
    match format {
        SampleFormat::U8 => ElementType::new(DLDataTypeCode::UInt, 8),
        SampleFormat::U16 => ElementType::new(DLDataTypeCode::UInt, 16),
        SampleFormat::U32 => ElementType::new(DLDataTypeCode::UInt, 32),
        SampleFormat::F32 => ElementType::new(DLDataTypeCode::Float, 32),
    }
}
