//! The shipped contracts on every machine: bytes packed by the SDK's own Python reader.

use wirecontract::{Code, WireContract};
use wirecontract_gpu::cuvis::{CudaIpcDescriptor, CudaIpcPayload, IpcBackend, IpcHandleType, SampleFormat};

/// What `cuvis_ipc.pack_payload` of the PyPI package cuvis 3.6.1.0 makes of the values below, up to the last byte
/// that is not zero.
const PACKED: &[u8] = b"CVIP\x01\0\0\0\x38\x04\0\0\xe8\x03\0\0\x3d\0\0\0\x01\0\0\0\
    \x02\0\0\0\x01\0\0\0\x03\0\0\0\x04\0\0\0\xc0\x3f\xed\x03\0\0\0\0\0\0\0\x04\0\0\0\0\
    \x80\0\0\0\0\0\0\0\xe1\x10\0\0\0\0\0\0\xde\xad\xbe\xef";

fn bytes() -> [u8; 208] {
    let mut bytes = [0; 208];
    bytes[..PACKED.len()].copy_from_slice(PACKED);
    bytes[136] = 2;
    bytes[144..146].copy_from_slice(&[1, 2]);
    bytes
}

fn payload() -> CudaIpcPayload {
    let mut descriptor = CudaIpcDescriptor {
        backend: IpcBackend::Legacy,
        device_ordinal: 1,
        handle_type: IpcHandleType::PosixFd,
        blob_len: 0,
        size: 65_880_000,
        alloc_size: 67_108_864,
        offset: 128,
        exporter_pid: 4321,
        blob: [0; 64],
        ptr_blob_len: 0,
        _pad: 0,
        ptr_blob: [0; 64],
    };
    descriptor.set_blob(&[0xDE, 0xAD, 0xBE, 0xEF]).unwrap();
    descriptor.set_ptr_blob(&[1, 2]).unwrap();
    CudaIpcPayload {
        magic: CudaIpcPayload::MAGIC,
        version: 1,
        width: 1080,
        height: 1000,
        channels: 61,
        format_code: SampleFormat::U8,
        descriptor,
    }
}

#[test]
fn the_payload_is_what_the_sdks_reader_packs() {
    assert_eq!(payload().to_bytes(), Ok(bytes()));
    assert_eq!(CudaIpcPayload::from_bytes(&bytes()), Ok(payload()));
}

#[test]
fn a_fault_of_the_descriptor_is_placed_in_the_payload() {
    let mut bytes = bytes();
    bytes[36] = 65;
    let error = CudaIpcPayload::from_bytes(&bytes).unwrap_err();
    assert_eq!(
        (error.code, error.contract, error.field, error.offset),
        (Code::LengthExceeds, "CudaIpcDescriptor", "blob_len", 36)
    );
}
