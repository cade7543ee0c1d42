//! The payload declared with deku.

use deku::{DekuContainerRead as _, DekuContainerWrite as _, DekuError, DekuRead, DekuWrite};

use crate::{Fields, Refusal, SIZE};

/// The mechanism that shares the memory.
#[derive(DekuRead, DekuWrite, Clone, Copy, Debug, PartialEq, Eq)]
#[deku(id_type = "i32", endian = "endian", ctx = "endian: deku::ctx::Endian")]
#[repr(i32)]
#[allow(missing_docs)]
pub enum IpcBackend {
    Auto = 0,
    Pool = 1,
    Legacy = 2,
    Vmm = 3,
}

/// What the OS handle in the blob is.
#[derive(DekuRead, DekuWrite, Clone, Copy, Debug, PartialEq, Eq)]
#[deku(id_type = "i32", endian = "endian", ctx = "endian: deku::ctx::Endian")]
#[repr(i32)]
#[allow(missing_docs)]
pub enum IpcHandleType {
    None = 0,
    Win32 = 1,
    Win32Kmt = 2,
    PosixFd = 3,
}

/// The type of a sample.
#[derive(DekuRead, DekuWrite, Clone, Copy, Debug, PartialEq, Eq)]
#[deku(id_type = "u32", endian = "endian", ctx = "endian: deku::ctx::Endian")]
#[repr(u32)]
#[allow(missing_docs)]
pub enum SampleFormat {
    U8 = 1,
    U16 = 2,
    U32 = 3,
    F32 = 4,
}

/// The payload.
#[derive(DekuRead, DekuWrite, Clone, Debug, PartialEq, Eq)]
#[deku(magic = b"CVIP", endian = "little")]
#[allow(missing_docs)]
pub struct Payload {
    #[deku(assert_eq = "1")]
    pub version: u32,
    pub width: u32,
    pub height: u32,
    pub channels: u32,
    pub format_code: SampleFormat,
    pub descriptor: Descriptor,
}

/// The descriptor in it.
#[derive(DekuRead, DekuWrite, Clone, Debug, PartialEq, Eq)]
#[deku(endian = "endian", ctx = "endian: deku::ctx::Endian")]
#[allow(missing_docs)]
pub struct Descriptor {
    pub backend: IpcBackend,
    pub device_ordinal: i32,
    pub handle_type: IpcHandleType,
    #[deku(assert = "*blob_len <= 64")]
    pub blob_len: u32,
    pub size: u64,
    pub alloc_size: u64,
    pub offset: u64,
    pub exporter_pid: u64,
    #[deku(writer = "counted(blob, *blob_len).to_writer(deku::writer, ())")]
    pub blob: [u8; 64],
    #[deku(assert = "*ptr_blob_len <= 64", pad_bytes_after = "4")]
    pub ptr_blob_len: u32,
    #[deku(writer = "counted(ptr_blob, *ptr_blob_len).to_writer(deku::writer, ())")]
    pub ptr_blob: [u8; 64],
}

fn counted(blob: &[u8; 64], length: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    let length = length as usize;
    bytes[..length].copy_from_slice(&blob[..length]);
    bytes
}

/// Why bytes were refused.
#[derive(Debug)]
pub enum Error {
    /// Another number of bytes.
    Length(usize),
    /// What deku says.
    Deku(DekuError),
}

/// Reads a payload.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Payload, Error> {
    if bytes.len() != SIZE {
        return Err(Error::Length(bytes.len()));
    }
    Payload::from_bytes((bytes, 0)).map(|(_, payload)| payload).map_err(Error::Deku)
}

/// Writes a payload.
#[inline]
pub fn write(payload: &Payload) -> Result<[u8; SIZE], Error> {
    let mut bytes = [0; SIZE];
    payload.to_slice(&mut bytes).map_err(Error::Deku)?;
    Ok(bytes)
}

/// The values of a payload.
pub fn fields(payload: &Payload) -> Fields<'_> {
    let descriptor = &payload.descriptor;
    Fields {
        version: payload.version,
        width: payload.width,
        height: payload.height,
        channels: payload.channels,
        format_code: payload.format_code as u32,
        backend: descriptor.backend as i32,
        device_ordinal: descriptor.device_ordinal,
        handle_type: descriptor.handle_type as i32,
        size: descriptor.size,
        alloc_size: descriptor.alloc_size,
        offset: descriptor.offset,
        exporter_pid: descriptor.exporter_pid,
        blob: &descriptor.blob[..descriptor.blob_len as usize],
        ptr_blob: &descriptor.ptr_blob[..descriptor.ptr_blob_len as usize],
    }
}

/// The refusal that an error states; deku says it in words only.
///
/// # Panics
/// When it states none that these checks give.
pub fn refusal(error: &Error) -> Refusal {
    let error = match error {
        Error::Length(length) if *length < SIZE => return Refusal::new("too_short", ""),
        Error::Length(_) => return Refusal::new("trailing_bytes", ""),
        Error::Deku(error) => error,
    };
    let words = error.to_string();
    let known = [
        ("magic", Refusal::new("bad_magic", "magic")),
        ("Payload.version", Refusal::new("unsupported_version", "version")),
        ("found on SampleFormat", Refusal::new("unknown_value", "format_code")),
        ("found on IpcBackend", Refusal::new("unknown_value", "backend")),
        ("found on IpcHandleType", Refusal::new("unknown_value", "handle_type")),
        ("Descriptor.ptr_blob_len", Refusal::new("length_exceeds", "ptr_blob_len")),
        ("Descriptor.blob_len", Refusal::new("length_exceeds", "blob_len")),
    ];
    match known.into_iter().find(|(word, _)| words.contains(word)) {
        Some((_, refusal)) => refusal,
        None => panic!("deku refused by another check than ours: {words}"),
    }
}
