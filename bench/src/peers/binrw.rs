//! The payload declared with binrw.

use std::io::Cursor;

use binrw::{BinRead, BinWrite, binrw};

use crate::{Fields, Refusal, SIZE};

/// The mechanism that shares the memory.
#[binrw]
#[brw(little, repr = i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IpcBackend {
    Auto = 0,
    Pool = 1,
    Legacy = 2,
    Vmm = 3,
}

/// What the OS handle in the blob is.
#[binrw]
#[brw(little, repr = i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum IpcHandleType {
    None = 0,
    Win32 = 1,
    Win32Kmt = 2,
    PosixFd = 3,
}

/// The type of a sample.
#[binrw]
#[brw(little, repr = u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SampleFormat {
    U8 = 1,
    U16 = 2,
    U32 = 3,
    F32 = 4,
}

/// The payload.
#[binrw]
#[brw(little, magic = b"CVIP")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Payload {
    #[br(temp, assert(version == 1, Check::Version))]
    #[bw(calc = 1)]
    version: u32,
    pub width: u32,
    pub height: u32,
    pub channels: u32,
    pub format_code: SampleFormat,
    pub descriptor: Descriptor,
}

/// The descriptor in it.
#[binrw]
#[brw(little)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Descriptor {
    pub backend: IpcBackend,
    pub device_ordinal: i32,
    pub handle_type: IpcHandleType,
    #[br(assert(blob_len <= 64, Check::BlobLength))]
    #[bw(assert(*blob_len <= 64, Check::BlobLength))]
    pub blob_len: u32,
    pub size: u64,
    pub alloc_size: u64,
    pub offset: u64,
    pub exporter_pid: u64,
    #[bw(map = |blob| counted(blob, *blob_len))]
    pub blob: [u8; 64],
    #[br(assert(ptr_blob_len <= 64, Check::PointerBlobLength))]
    #[bw(assert(*ptr_blob_len <= 64, Check::PointerBlobLength))]
    #[brw(pad_after = 4)]
    pub ptr_blob_len: u32,
    #[bw(map = |blob| counted(blob, *ptr_blob_len))]
    pub ptr_blob: [u8; 64],
}

/// The checks that are not of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Version,
    BlobLength,
    PointerBlobLength,
}

impl std::fmt::Display for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Check {}

/// Why bytes were refused.
#[derive(Debug)]
pub enum Error {
    /// Another number of bytes.
    Length(usize),
    /// What binrw says.
    Binrw(binrw::Error),
}

fn counted(blob: &[u8; 64], length: u32) -> [u8; 64] {
    let mut bytes = [0; 64];
    let length = length as usize;
    bytes[..length].copy_from_slice(&blob[..length]);
    bytes
}

/// Reads a payload.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Payload, Error> {
    if bytes.len() != SIZE {
        return Err(Error::Length(bytes.len()));
    }
    Payload::read(&mut Cursor::new(bytes)).map_err(Error::Binrw)
}

/// Writes a payload.
#[inline]
pub fn write(payload: &Payload) -> Result<[u8; SIZE], Error> {
    let mut bytes = [0; SIZE];
    payload.write(&mut Cursor::new(&mut bytes[..])).map_err(Error::Binrw)?;
    Ok(bytes)
}

/// The values of a payload.
pub fn fields(payload: &Payload) -> Fields<'_> {
    let descriptor = &payload.descriptor;
    Fields {
        version: 1,
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

/// The refusal that an error states.
///
/// # Panics
/// When it states none that these checks give.
pub fn refusal(error: &Error) -> Refusal {
    let error = match error {
        Error::Length(length) if *length < SIZE => return Refusal::new("too_short", ""),
        Error::Length(_) => return Refusal::new("trailing_bytes", ""),
        Error::Binrw(error) => error,
    };
    match error.root_cause() {
        binrw::Error::BadMagic { .. } => Refusal::new("bad_magic", "magic"),
        binrw::Error::NoVariantMatch { pos: 20 } => Refusal::new("unknown_value", "format_code"),
        binrw::Error::NoVariantMatch { pos: 24 } => Refusal::new("unknown_value", "backend"),
        binrw::Error::NoVariantMatch { pos: 32 } => Refusal::new("unknown_value", "handle_type"),
        cause => match cause.custom_err() {
            Some(Check::Version) => Refusal::new("unsupported_version", "version"),
            Some(Check::BlobLength) => Refusal::new("length_exceeds", "blob_len"),
            Some(Check::PointerBlobLength) => Refusal::new("length_exceeds", "ptr_blob_len"),
            None => panic!("binrw refused by another check than ours: {error}"),
        },
    }
}
