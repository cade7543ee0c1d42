//! A parser as somebody writes it by hand who has zerocopy and counts instructions: a struct of unaligned
//! little-endian words over the bytes, all checks together, and what is wrong is looked for only when something is.
//!
//! Returning an error from each check is the plainer way to write it, and a third slower.

use zerocopy::byteorder::little_endian::{I32, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::fault::{Fault, Found};
use crate::{Fields, SIZE};

const MAGIC: [u8; 4] = *b"CVIP";
const BLOB: usize = 64;
const PAYLOAD: &str = "CudaIpcPayload";
const DESCRIPTOR: &str = "CudaIpcDescriptor";

/// The payload's bytes.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct RawPayload {
    magic: [u8; 4],
    version: U32,
    width: U32,
    height: U32,
    channels: U32,
    format_code: U32,
    descriptor: RawDescriptor,
}

/// The descriptor's bytes.
#[derive(FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
pub struct RawDescriptor {
    backend: I32,
    device_ordinal: I32,
    handle_type: I32,
    blob_len: U32,
    size: U64,
    alloc_size: U64,
    offset: U64,
    exporter_pid: U64,
    blob: [u8; BLOB],
    ptr_blob_len: U32,
    pad: U32,
    ptr_blob: [u8; BLOB],
}

macro_rules! enumeration {
    ($name:ident: $repr:ident { $($value:ident = $number:literal),* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr($repr)]
        #[allow(missing_docs)]
        pub enum $name { $($value = $number),* }

        impl $name {
            #[inline]
            fn new(number: $repr) -> Option<Self> {
                match number {
                    $($number => Some(Self::$value),)*
                    _ => None,
                }
            }
        }
    };
}

enumeration!(IpcBackend: i32 { Auto = 0, Pool = 1, Legacy = 2, Vmm = 3 });
enumeration!(IpcHandleType: i32 { None = 0, Win32 = 1, Win32Kmt = 2, PosixFd = 3 });
enumeration!(SampleFormat: u32 { U8 = 1, U16 = 2, U32 = 3, F32 = 4 });

/// The payload.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Payload {
    pub magic: [u8; 4],
    pub version: u32,
    pub width: u32,
    pub height: u32,
    pub channels: u32,
    pub format_code: SampleFormat,
    pub descriptor: Descriptor,
}

/// The descriptor in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct Descriptor {
    pub backend: IpcBackend,
    pub device_ordinal: i32,
    pub handle_type: IpcHandleType,
    pub blob_len: u32,
    pub size: u64,
    pub alloc_size: u64,
    pub offset: u64,
    pub exporter_pid: u64,
    pub blob: [u8; BLOB],
    pub ptr_blob_len: u32,
    pub pad: u32,
    pub ptr_blob: [u8; BLOB],
}

/// Bytes that were checked, and what the checks found out.
#[derive(Clone, Copy)]
pub struct Checked<'a> {
    raw: &'a RawPayload,
    format_code: SampleFormat,
    backend: IpcBackend,
    handle_type: IpcHandleType,
}

/// Checks the bytes of a payload.
#[inline(always)]
pub fn check(bytes: &[u8]) -> Result<Checked<'_>, Fault> {
    if let Ok(raw) = RawPayload::ref_from_bytes(bytes)
        && raw.magic == MAGIC
        && raw.version == 1
        && let Some(format_code) = SampleFormat::new(raw.format_code.get())
        && let Some(backend) = IpcBackend::new(raw.descriptor.backend.get())
        && let Some(handle_type) = IpcHandleType::new(raw.descriptor.handle_type.get())
        && raw.descriptor.blob_len.get() as usize <= BLOB
        && raw.descriptor.ptr_blob_len.get() as usize <= BLOB
    {
        Ok(Checked { raw, format_code, backend, handle_type })
    } else {
        Err(fault(bytes))
    }
}

/// What is wrong, of bytes in which something is.
#[cold]
#[inline(never)]
fn fault(bytes: &[u8]) -> Fault {
    let Ok(raw) = RawPayload::ref_from_bytes(bytes) else {
        return Fault::length(PAYLOAD, SIZE, bytes.len());
    };
    if raw.magic != MAGIC {
        return Fault::magic(PAYLOAD, "magic", &MAGIC, raw.magic);
    }
    if raw.version != 1 {
        return Fault::version(PAYLOAD, "version", 4, raw.version.get());
    }
    let format_code = raw.format_code.get();
    if SampleFormat::new(format_code).is_none() {
        return Fault::value(PAYLOAD, "format_code", 20, "SampleFormat", Found::Unsigned(format_code.into()));
    }
    let backend = raw.descriptor.backend.get();
    if IpcBackend::new(backend).is_none() {
        return Fault::value(DESCRIPTOR, "backend", 24, "IpcBackend", Found::Signed(backend.into()));
    }
    let handle_type = raw.descriptor.handle_type.get();
    if IpcHandleType::new(handle_type).is_none() {
        return Fault::value(
            DESCRIPTOR,
            "handle_type",
            32,
            "IpcHandleType",
            Found::Signed(handle_type.into()),
        );
    }
    counts(36, raw.descriptor.blob_len.get(), 136, raw.descriptor.ptr_blob_len.get())
}

/// Which of two counts is beyond its array, when one is.
#[cold]
#[inline(never)]
fn counts(blob_at: usize, blob: u32, ptr_blob_at: usize, ptr_blob: u32) -> Fault {
    if blob as usize > BLOB {
        Fault::count(DESCRIPTOR, "blob_len", blob_at, BLOB as u64, blob)
    } else {
        Fault::count(DESCRIPTOR, "ptr_blob_len", ptr_blob_at, BLOB as u64, ptr_blob)
    }
}

/// Reads a payload.
#[inline(always)]
pub fn read(bytes: &[u8]) -> Result<Payload, Fault> {
    let Checked { raw, format_code, backend, handle_type } = check(bytes)?;
    let descriptor = &raw.descriptor;
    Ok(Payload {
        magic: raw.magic,
        version: raw.version.get(),
        width: raw.width.get(),
        height: raw.height.get(),
        channels: raw.channels.get(),
        format_code,
        descriptor: Descriptor {
            backend,
            device_ordinal: descriptor.device_ordinal.get(),
            handle_type,
            blob_len: descriptor.blob_len.get(),
            size: descriptor.size.get(),
            alloc_size: descriptor.alloc_size.get(),
            offset: descriptor.offset.get(),
            exporter_pid: descriptor.exporter_pid.get(),
            blob: descriptor.blob,
            ptr_blob_len: descriptor.ptr_blob_len.get(),
            pad: descriptor.pad.get(),
            ptr_blob: descriptor.ptr_blob,
        },
    })
}

/// Writes a payload.
#[inline(always)]
pub fn write(payload: &Payload) -> Result<[u8; SIZE], Fault> {
    let descriptor = &payload.descriptor;
    if descriptor.blob_len as usize > BLOB || descriptor.ptr_blob_len as usize > BLOB {
        return Err(counts(36, descriptor.blob_len, 136, descriptor.ptr_blob_len));
    }
    let raw = RawPayload {
        magic: MAGIC,
        version: 1.into(),
        width: payload.width.into(),
        height: payload.height.into(),
        channels: payload.channels.into(),
        format_code: (payload.format_code as u32).into(),
        descriptor: RawDescriptor {
            backend: (descriptor.backend as i32).into(),
            device_ordinal: descriptor.device_ordinal.into(),
            handle_type: (descriptor.handle_type as i32).into(),
            blob_len: descriptor.blob_len.into(),
            size: descriptor.size.into(),
            alloc_size: descriptor.alloc_size.into(),
            offset: descriptor.offset.into(),
            exporter_pid: descriptor.exporter_pid.into(),
            blob: counted(&descriptor.blob, descriptor.blob_len),
            ptr_blob_len: descriptor.ptr_blob_len.into(),
            pad: 0.into(),
            ptr_blob: counted(&descriptor.ptr_blob, descriptor.ptr_blob_len),
        },
    };
    Ok(zerocopy::transmute!(raw))
}

/// The bytes that count, and zeros.
#[inline]
fn counted(blob: &[u8; BLOB], length: u32) -> [u8; BLOB] {
    let mut bytes = [0; BLOB];
    let length = length as usize;
    bytes[..length].copy_from_slice(&blob[..length]);
    bytes
}

impl<'a> Checked<'a> {
    /// The values, straight from the bytes.
    #[inline]
    pub fn fields(&self) -> Fields<'a> {
        let (raw, descriptor) = (self.raw, &self.raw.descriptor);
        Fields {
            version: raw.version.get(),
            width: raw.width.get(),
            height: raw.height.get(),
            channels: raw.channels.get(),
            format_code: self.format_code as u32,
            backend: self.backend as i32,
            device_ordinal: descriptor.device_ordinal.get(),
            handle_type: self.handle_type as i32,
            size: descriptor.size.get(),
            alloc_size: descriptor.alloc_size.get(),
            offset: descriptor.offset.get(),
            exporter_pid: descriptor.exporter_pid.get(),
            blob: &descriptor.blob[..descriptor.blob_len.get() as usize],
            ptr_blob: &descriptor.ptr_blob[..descriptor.ptr_blob_len.get() as usize],
        }
    }
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
