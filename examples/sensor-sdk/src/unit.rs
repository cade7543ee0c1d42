//! Who a camera is and how it was calibrated: asked once, when it is opened.

use wirecontract::{Open, WireContract};

/// The model of a camera.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(enumeration, rename_all = "snake_case")]
pub enum Model {
    /// 640 x 512, uncooled.
    #[wire(data(width = 640, height = 512, cooled = false))]
    Lwir640 = 1,
    /// 320 x 256, cooled.
    #[wire(data(width = 320, height = 256, cooled = true), alias("mwir"))]
    Mwir320 = 2,
}

/// A camera. Native byte order: it is read by processes of the machine that the camera is plugged into.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 64, endian = native)]
pub struct CameraInfo {
    /// Bytes of the structure that the driver writes.
    #[wire(magic = b"CAMI")]
    pub magic: [u8; 4],
    /// The model; a newer driver knows models that this SDK does not.
    pub model: Open<Model>,
    /// The firmware, as major * 256 + minor.
    pub firmware: u16,
    /// The serial number.
    pub serial: u64,
    /// What the owner called it.
    #[wire(text)]
    pub label: [u8; 32],
    /// Bad rows, counted by `bad_row_count`.
    pub bad_rows: [u16; 6],
    /// How many of `bad_rows` are valid.
    #[wire(length_of = bad_rows)]
    pub bad_row_count: u16,
    /// Must be zero.
    #[wire(reserved(zero))]
    pub reserved: u16,
}

/// The calibration block as the camera's flash holds it: packed, big endian, never moved in memory as a struct.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(descriptor, version = 2, size = 43, layout = packed, endian = big)]
pub struct Calibration {
    /// The version of the block.
    #[wire(version = 2)]
    pub version: u8,
    /// Seconds since 1970-01-01 UTC.
    pub taken_at: u64,
    /// Kelvin for each count, and Kelvin at zero.
    pub gain_offset: [f64; 2],
    /// Radiometric coefficients R, B and F of Planck's curve.
    pub planck: [f32; 3],
    /// The shutter's temperature in hundredths of a Kelvin.
    pub shutter_centikelvin: i32,
    /// Whether the lens was on.
    pub with_lens: bool,
    /// Not used.
    #[wire(reserved)]
    pub spare: u8,
}
