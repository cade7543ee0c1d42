//! Contracts that the tests of the derive share.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses some of them")]

use wirecontract::{Flags, Open, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
#[wire(enumeration, rename_all = "snake_case")]
pub enum Mode {
    #[wire(alias("Idle", "zero"), data(level = 0, label = "none", busy = false))]
    Off = 0,
    #[wire(data(level = -5, label = "one", busy = true))]
    FirstGear = -7,
    #[wire(name = "2nd", data(level = 9, label = "two", busy = true))]
    SecondGear = 300,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(flags)]
pub enum Fault {
    Hot = 1,
    Wet = 0b110,
    #[wire(alias("noisy"))]
    Loud = 0x80,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
#[wire(flags, open)]
pub enum Hint {
    Fast = 1,
    Late = 0x8000,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 8)]
pub struct Axis {
    pub mode: Mode,
    pub locked: bool,
    pub faults: Flags<Fault>,
    #[wire(endian = big)]
    pub ticks: i32,
}

#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Stamp {
    #[wire(magic = b"ST")]
    pub magic: [u8; 2],
    #[wire(version = 3)]
    pub version: u8,
    #[wire(reserved(zero))]
    pub spare: u8,
}

/// Everything, with the version before the magic, and both after other fields.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 96)]
pub struct Frame {
    pub ok: bool,
    #[wire(reserved)]
    pub skipped: [u8; 3],
    #[wire(version = 1)]
    pub version: u32,
    #[wire(magic = b"FRAMEFRAMEFRAMEFRAME")]
    pub magic: [u8; 20],
    #[wire(length_of = axes)]
    pub count: u16,
    pub open: Open<Mode>,
    pub axes: [[Axis; 2]; 2],
    #[wire(text)]
    pub name: [u8; 6],
    pub hints: Flags<Hint>,
    pub stamp: Stamp,
    #[wire(length_of(left, right))]
    pub pairs: u8,
    pub left: [u8; 3],
    #[wire(endian = native)]
    pub right: [u16; 2],
    pub bits: f32,
    #[wire(endian = big)]
    pub wide: f64,
}

pub fn axis() -> Axis {
    Axis {
        mode: Mode::FirstGear,
        locked: true,
        faults: Flags::from(Fault::Hot) | Fault::Loud,
        ticks: 0x0102_0304,
    }
}

pub fn no_axis() -> Axis {
    Axis { mode: Mode::Off, locked: false, faults: Flags::empty(), ticks: 0 }
}

pub fn frame() -> Frame {
    Frame {
        ok: true,
        skipped: [0; 3],
        version: 1,
        magic: Frame::MAGIC,
        count: 1,
        open: Open::from_raw(1234),
        axes: [[axis(), no_axis()], [no_axis(), no_axis()]],
        name: *b"arm\0\0\0",
        hints: Flags::from_bits(0x8002).unwrap_or_default(),
        stamp: Stamp { magic: Stamp::MAGIC, version: 3, spare: 0 },
        pairs: 1,
        left: [7, 0, 0],
        right: [0x0908, 0],
        bits: 1.5,
        wide: -2.0,
    }
}

pub fn bytes() -> [u8; 96] {
    let mut bytes = [0; 96];
    bytes[0] = 1;
    bytes[4] = 1;
    bytes[8..28].copy_from_slice(b"FRAMEFRAMEFRAMEFRAME");
    bytes[28..32].copy_from_slice(&[1, 0, 0xD2, 0x04]);
    bytes[32..40].copy_from_slice(&[0xF9, 0xFF, 1, 0x81, 1, 2, 3, 4]);
    bytes[64..67].copy_from_slice(b"arm");
    bytes[70..72].copy_from_slice(&[2, 0x80]);
    bytes[72..76].copy_from_slice(b"ST\x03\0");
    bytes[76..78].copy_from_slice(&[1, 7]);
    bytes[80..82].copy_from_slice(&0x0908_u16.to_ne_bytes());
    bytes[84..88].copy_from_slice(&[0, 0, 0xC0, 0x3F]);
    bytes[88..90].copy_from_slice(&[0xC0, 0]);
    bytes
}
