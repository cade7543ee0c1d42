//! How the cuvis SDK hands a CUDA buffer to another process: the payload that travels, and the CUDA IPC descriptor
//! in it.
//!
//! Little endian. Backends, handle types and formats that have no name here are refused; the SDK's own reader keeps
//! them. What an importer must check before it maps anything is not checked by reading, since the SDK writes and reads
//! descriptors that no importer may use: it is declared `at = import`, and `validate_import` checks it.

use wirecontract::WireContract;

/// The mechanism that shares the memory.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1)]
pub enum IpcBackend {
    /// None chosen: the exporter decides.
    #[wire(alias("None"))]
    Auto = 0,
    /// A `cudaMemPool` exported by handle, and a pointer into it exported beside.
    Pool = 1,
    /// A `cudaIpcMemHandle_t`.
    Legacy = 2,
    /// A virtual-memory allocation (`cuMemCreate`) exported by handle.
    Vmm = 3,
}

/// What the OS handle in the blob is.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[wire(enumeration, version = 1)]
pub enum IpcHandleType {
    /// No OS handle: the legacy backend's blob is the CUDA handle itself.
    None = 0,
    /// An NT handle, which must be duplicated into the importer.
    Win32 = 1,
    /// A global share handle of Windows.
    Win32Kmt = 2,
    /// A POSIX file descriptor, which travels beside the payload.
    PosixFd = 3,
}

/// The type of a sample.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1)]
pub enum SampleFormat {
    /// Unsigned, 8 bits.
    #[wire(data(sample_bytes = 1, typestr = "|u1"))]
    U8 = 1,
    /// Unsigned, 16 bits.
    #[wire(data(sample_bytes = 2, typestr = "<u2"))]
    U16 = 2,
    /// Unsigned, 32 bits.
    #[wire(data(sample_bytes = 4, typestr = "<u4"))]
    U32 = 3,
    /// IEEE 754 single precision.
    #[wire(data(sample_bytes = 4, typestr = "<f4"))]
    F32 = 4,
}

/// Everything a consumer needs to map an exported CUDA buffer (`cuvis_cuda_ipc_descriptor_t`).
///
/// What can be imported, and where: a `Legacy` buffer with no OS handle (Linux and Windows), a `Pool` or `Vmm` buffer
/// with a `PosixFd` (Linux; the file descriptor itself travels beside the payload) or with a `Win32Kmt` handle
/// (Windows). An importer refuses the pairs of the other platform by itself. A `Win32` handle is one of the exporter's
/// process and must be duplicated first. The sizes come from another process: nothing may rest on them before
/// `validate_import` said that they fit.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 184)]
#[wire(rule(not_win32: handle_type != Win32), at = import)]
#[wire(
    rule(importable_pair:
        backend == Legacy && handle_type == None
        || (backend == Pool || backend == Vmm) && (handle_type == PosixFd || handle_type == Win32Kmt)
    ),
    at = import
)]
#[wire(rule(has_handle: blob_len > 0), at = import)]
#[wire(rule(whole_legacy_handle: backend != Legacy || blob_len == 64), at = import)]
#[wire(rule(within_allocation: backend != Vmm || offset + size <= alloc_size), at = import)]
pub struct CudaIpcDescriptor {
    /// The mechanism that shares the memory.
    pub backend: IpcBackend,
    /// The exporter's number for the device; another process may number devices otherwise.
    pub device_ordinal: i32,
    /// What the OS handle in `blob` is.
    pub handle_type: IpcHandleType,
    /// Valid bytes of `blob`.
    #[wire(length_of = blob)]
    pub blob_len: u32,
    /// Bytes of the buffer.
    pub size: u64,
    /// Bytes of the allocation that holds the buffer.
    pub alloc_size: u64,
    /// Bytes from the start of the allocation to the buffer.
    pub offset: u64,
    /// The process that exported it.
    pub exporter_pid: u64,
    /// The OS handle as a little-endian integer, or the 64 bytes of a `cudaIpcMemHandle_t`.
    pub blob: [u8; 64],
    /// Valid bytes of `ptr_blob`: none but for the pool backend.
    #[wire(length_of = ptr_blob, one_of(backend: Pool, at = import))]
    pub ptr_blob_len: u32,
    /// Not used.
    #[wire(reserved)]
    pub _pad: u32,
    /// A `cudaMemPoolPtrExportData`, for the pool backend.
    pub ptr_blob: [u8; 64],
}

/// The payload that travels: the geometry of a cube, and the descriptor of its memory.
///
/// The tensor's shape is (`height`, `width`, `channels`), and the buffer holds it and no more: a payload always
/// says its geometry, so that this is always asked at import.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 208)]
#[wire(rule(whole_samples: descriptor.size % sample_bytes(format_code) == 0), at = import)]
#[wire(
    rule(whole_cube: height * width * channels * sample_bytes(format_code) == descriptor.size),
    at = import
)]
pub struct CudaIpcPayload {
    /// `CVIP`.
    #[wire(magic = b"CVIP")]
    pub magic: [u8; 4],
    /// The version of the payload.
    #[wire(version = 1)]
    pub version: u32,
    /// Samples in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Samples of one place.
    pub channels: u32,
    /// The type of a sample.
    pub format_code: SampleFormat,
    /// The memory that holds the samples.
    pub descriptor: CudaIpcDescriptor,
}
