//! Contracts that reach every kind, type, byte order and attribute, declared as a downstream crate would: without
//! the standard library, without unsafe code, and with every warning an error.
//!
//! The tests build them with the oldest supported Rust, for machines of 64 and 32 bits and of both byte orders.

#![no_std]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use core::ffi::{c_char, c_long, c_void};

use wirecontract::{Flags, Open, WireContract};

/// What a sensor measures.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Quantity {
    /// Nothing yet: all-zero bytes are a valid element.
    #[wire(data(unit = "", digits = 0))]
    None = 0,
    /// Temperature.
    #[wire(alias("temp"), data(unit = "K", digits = 2))]
    Temperature = 1,
    /// Pressure.
    #[wire(data(unit = "Pa", digits = 0))]
    Pressure = 2,
}

/// How a sample was taken.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[wire(enumeration)]
pub enum Mode {
    /// By itself.
    Single = 0,
    /// By an averaging filter that an older side marks negative.
    Averaged = -7,
}

/// What is wrong with a sample.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(flags)]
pub enum Defect {
    /// The value is clipped.
    Clipped = 1,
    /// The value was made up from its neighbours.
    Interpolated = 0x8000,
}

/// One sample. Its `u64` has an alignment of 4 on some machines: the wire has not.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 32)]
pub struct Sample {
    /// Nanoseconds since the start.
    pub time: u64,
    /// What was measured.
    pub quantity: Quantity,
    /// Whether `value` means anything.
    pub valid: bool,
    /// What is wrong with it.
    pub defects: Flags<Defect>,
    /// How it was taken; a newer side may know more ways.
    pub mode: Open<Mode>,
    /// The value.
    pub value: f64,
    /// Kept free.
    #[wire(reserved(zero))]
    pub spare: [u8; 8],
}

/// A frame of samples in network byte order but for one field, with everything a field can be.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 2, endian = big, size = 136)]
pub struct Frame {
    /// Which bytes these are.
    #[wire(magic = b"FRME")]
    pub magic: [u8; 4],
    /// The version of these bytes.
    #[wire(version = 2)]
    pub version: u16,
    /// How many of `samples` count.
    #[wire(length_of = samples)]
    pub count: u16,
    /// The samples.
    pub samples: [Sample; 2],
    /// What the frame is called.
    #[wire(text)]
    pub name: [u8; 12],
    /// Written by a side that is always little-endian.
    #[wire(endian = little)]
    pub checksum: u32,
    /// Two rows of three.
    pub grid: [[i16; 3]; 2],
    /// A signed byte.
    pub tilt: i8,
    /// Ignored on reading.
    #[wire(reserved)]
    pub spare: [u8; 3],
    /// A signed number of 64 bits.
    pub ticks: i64,
    /// A single-precision number.
    pub gain: f32,
    /// A number of 32 bits.
    pub serial: u32,
    /// A number of 64 bits.
    pub bytes: u64,
    /// A number of 16 bits, and three more.
    pub taps: [u16; 4],
}

/// Bytes without gaps, which no `repr(C)` struct has.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, layout = packed, size = 13)]
pub struct Event {
    /// What happened.
    pub code: u8,
    /// When.
    pub time: u64,
    /// To how many.
    pub count: u32,
}

/// Numbers of two processes of one machine.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, endian = native, size = 8)]
pub struct Local {
    /// A file descriptor.
    pub fd: i32,
    /// An offset in pages.
    pub page: u32,
}

/// Memory that this side shares with foreign code: every type whose size or place depends on the machine.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 96, llp64 = 88, ilp32_u64_4 = 60, ilp32_u64_8 = 64))]
pub struct Buffer {
    /// How many of `samples` there are.
    pub count: u8,
    /// When it was filled.
    pub time: u64,
    /// The samples.
    #[wire(counted_by = count)]
    pub samples: *const f64,
    /// What it is called.
    pub name: *const c_char,
    /// A number of C.
    pub serial: c_long,
    /// How it was filled; foreign code may know more ways.
    pub mode: Open<Mode>,
    /// What is wrong with it.
    pub defects: [Flags<Defect>; 3],
    /// The mean of the samples.
    pub mean: f64,
    /// What belongs to it.
    pub part: Part,
    /// The next one.
    pub next: *mut Buffer,
    /// Frees it.
    pub release: Option<unsafe extern "C" fn(buffer: *mut Buffer, user: *mut c_void) -> bool>,
}

/// A part of a buffer. Its size is a multiple of the greatest alignment in it.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi, size(lp64 = 16, llp64 = 16, ilp32_u64_4 = 8, ilp32_u64_8 = 8))]
pub struct Part {
    /// How many bytes.
    pub bytes: usize,
    /// Whether they are there.
    pub valid: bool,
}
