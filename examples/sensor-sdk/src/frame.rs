//! One frame of the stream.

use wirecontract::{Flags, WireContract};

/// How a pixel is stored.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration, rename_all = "snake_case")]
pub enum PixelFormat {
    /// Sensor counts.
    #[wire(data(bytes_per_pixel = 2, typestr = "<u2"))]
    Raw14 = 0,
    /// Kelvin.
    #[wire(data(bytes_per_pixel = 4, typestr = "<f4"))]
    Kelvin = 1,
    /// A palette, for people.
    #[wire(data(bytes_per_pixel = 4, typestr = "|u1"))]
    Rgba8 = 2,
}

/// What is special about a frame.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
pub enum FrameFlag {
    /// Taken while the shutter was closed.
    ShutterClosed = 1,
    /// At least one pixel is saturated.
    Saturated = 2,
    /// The first after a gap.
    AfterGap = 4,
}

/// A rectangle in pixels.
#[derive(WireContract, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor)]
pub struct Region {
    /// Columns from the left edge.
    pub x: u16,
    /// Rows from the top edge.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

/// What precedes the pixels of every frame.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 3, size = 72)]
pub struct FrameHeader {
    /// `THRM`.
    #[wire(magic = b"THRM")]
    pub magic: [u8; 4],
    /// The version of the header.
    #[wire(version = 3)]
    pub version: u16,
    /// How a pixel is stored.
    pub format: PixelFormat,
    /// What is special about the frame.
    pub flags: Flags<FrameFlag>,
    /// Frames since the camera was opened.
    pub sequence: u64,
    /// Nanoseconds of the camera's clock.
    pub timestamp_ns: u64,
    /// The part of the sensor that was read.
    pub window: Region,
    /// Where something hot was seen, counted by `hot_spot_count`.
    pub hot_spots: [Region; 4],
    /// How many of `hot_spots` are valid.
    #[wire(length_of = hot_spots)]
    pub hot_spot_count: u32,
    /// Not used.
    #[wire(reserved)]
    pub _pad: u32,
}
