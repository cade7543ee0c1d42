//! Video frames in memory: how pixels lie in planes, and what color they are.
//!
//! A [`VideoFrame`] crosses processes beside the [`SharedBuffer`](crate::buffer::SharedBuffer) that holds its samples. It
//! has no pointers and no file descriptors. Little endian, and so are samples of 16 bits. The numbers come from another
//! process: nothing may rest on them before `validate_import` said that they fit, which [`VideoFrame::planes_in`] asks.
//!
//! Chroma is rounded up: of 33 × 17 pixels at 4:2:0 there are 17 × 9 places of chroma. Color is described by the code
//! points of Recommendation ITU-T H.273. They are spelled as integers, and those without a name here are kept.
//!
//! ```
//! use wirecontract_gpu::video::{MatrixCoefficients, PixelFormat, VideoFrame};
//!
//! let mut frame = VideoFrame::new(PixelFormat::Nv12, 1920, 1080, 2048);
//! frame.matrix = MatrixCoefficients::Bt709.into();
//! let planes = frame.planes()?;
//! let [luma, chroma] = planes.as_slice() else { unreachable!("NV12 has two") };
//! assert_eq!((luma.shape(), luma.byte_strides()), (&[1080, 1920][..], &[2048, 1][..]));
//! assert_eq!((chroma.shape(), chroma.byte_strides()), (&[540, 960, 2][..], &[2048, 2, 1][..]));
//! assert_eq!(chroma.offset(), 2048 * 1080);
//! # Ok::<(), wirecontract::WireError>(())
//! ```

mod access;
mod extent;
mod planes;

use wirecontract::{Open, WireContract};

pub use planes::{ElementStridesError, Plane, Planes, PlanesError};

/// How the pixels of a frame lie in memory.
///
/// Plane 0 has `pixel_samples` samples for each pixel, and each further one of the `planes` has `chroma_samples` samples
/// for every `horizontal_subsampling` by `vertical_subsampling` pixels. A sample is `sample_bytes` wide, of which the upper
/// `significant_bits` count; `typestr` is its type in the array interface. `components` are the samples in the order in
/// which they stand, plane by plane.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[wire(enumeration, version = 1, rename_all = "snake_case")]
pub enum PixelFormat {
    /// 4:2:0 of 8 bits: a plane of Y, a plane of U and V in turn. `DRM_FORMAT_NV12`.
    #[wire(data(
        planes = 2,
        sample_bytes = 1,
        significant_bits = 8,
        pixel_samples = 1,
        chroma_samples = 2,
        horizontal_subsampling = 2,
        vertical_subsampling = 2,
        components = "YUV",
        typestr = "|u1"
    ))]
    Nv12 = 1,
    /// As NV12, of 10 bits: the upper ones of 16, and the lower ones are zero. `DRM_FORMAT_P010`.
    #[wire(data(
        planes = 2,
        sample_bytes = 2,
        significant_bits = 10,
        pixel_samples = 1,
        chroma_samples = 2,
        horizontal_subsampling = 2,
        vertical_subsampling = 2,
        components = "YUV",
        typestr = "<u2"
    ))]
    P010 = 2,
    /// As NV12, of 16 bits. `DRM_FORMAT_P016`.
    #[wire(data(
        planes = 2,
        sample_bytes = 2,
        significant_bits = 16,
        pixel_samples = 1,
        chroma_samples = 2,
        horizontal_subsampling = 2,
        vertical_subsampling = 2,
        components = "YUV",
        typestr = "<u2"
    ))]
    P016 = 3,
    /// 4:2:0 of 8 bits: a plane of Y, one of U, one of V. `DRM_FORMAT_YUV420`.
    #[wire(data(
        planes = 3,
        sample_bytes = 1,
        significant_bits = 8,
        pixel_samples = 1,
        chroma_samples = 1,
        horizontal_subsampling = 2,
        vertical_subsampling = 2,
        components = "YUV",
        typestr = "|u1"
    ))]
    I420 = 4,
    /// Red, green, blue and alpha of 8 bits, in this order in memory: `DRM_FORMAT_ABGR8888`,
    /// `VK_FORMAT_R8G8B8A8_UNORM`. Whether alpha is multiplied into the colors is not said.
    #[wire(data(
        planes = 1,
        sample_bytes = 1,
        significant_bits = 8,
        pixel_samples = 4,
        chroma_samples = 0,
        horizontal_subsampling = 1,
        vertical_subsampling = 1,
        components = "RGBA",
        typestr = "|u1"
    ))]
    Rgba8 = 5,
    /// Blue, green, red and alpha of 8 bits, in this order in memory: `DRM_FORMAT_ARGB8888`,
    /// `VK_FORMAT_B8G8R8A8_UNORM`. Whether alpha is multiplied into the colors is not said.
    #[wire(data(
        planes = 1,
        sample_bytes = 1,
        significant_bits = 8,
        pixel_samples = 4,
        chroma_samples = 0,
        horizontal_subsampling = 1,
        vertical_subsampling = 1,
        components = "BGRA",
        typestr = "|u1"
    ))]
    Bgra8 = 6,
}

/// `MatrixCoefficients` of ITU-T H.273: how Y, U and V came of red, green and blue.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(enumeration, version = 1, as = integer)]
pub enum MatrixCoefficients {
    /// They did not: samples are red, green and blue, or X, Y and Z.
    Identity = 0,
    /// BT.709.
    Bt709 = 1,
    /// Not known, or said elsewhere.
    Unspecified = 2,
    /// Title 47 of the Code of Federal Regulations, 73.682.
    Fcc = 4,
    /// BT.601 of 625 lines, BT.470 B and G.
    Bt470Bg = 5,
    /// BT.601 of 525 lines, SMPTE ST 170. The same numbers as [`Bt470Bg`](Self::Bt470Bg).
    Smpte170m = 6,
    /// SMPTE ST 240.
    Smpte240m = 7,
    /// `YCgCo`.
    YCgCo = 8,
    /// BT.2020, non-constant luminance.
    Bt2020Ncl = 9,
    /// BT.2020, constant luminance.
    Bt2020Cl = 10,
    /// Y'D'zD'x, SMPTE ST 2085.
    Smpte2085 = 11,
    /// Of the color primaries, non-constant luminance.
    ChromaticityDerivedNcl = 12,
    /// Of the color primaries, constant luminance.
    ChromaticityDerivedCl = 13,
    /// `ICtCp`, BT.2100.
    ICtCp = 14,
    /// IPT-PQ-C2, SMPTE ST 2128.
    IptPqC2 = 15,
    /// `YCgCo-Re`: `YCgCo` that can be reversed, with two bits more than red, green and blue.
    YCgCoRe = 16,
    /// `YCgCo-Ro`: `YCgCo` that can be reversed, with one bit more.
    YCgCoRo = 17,
}

/// `ColourPrimaries` of ITU-T H.273: which red, green, blue and white are meant.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(enumeration, version = 1, as = integer)]
pub enum ColorPrimaries {
    /// BT.709, and sRGB.
    Bt709 = 1,
    /// Not known, or said elsewhere.
    Unspecified = 2,
    /// BT.470 M.
    Bt470M = 4,
    /// BT.601 of 625 lines, BT.470 B and G.
    Bt470Bg = 5,
    /// BT.601 of 525 lines, SMPTE ST 170.
    Smpte170m = 6,
    /// SMPTE ST 240. The same as [`Smpte170m`](Self::Smpte170m).
    Smpte240m = 7,
    /// Generic film, color filters under illuminant C.
    GenericFilm = 8,
    /// BT.2020 and BT.2100.
    Bt2020 = 9,
    /// X, Y and Z of CIE 1931, SMPTE ST 428-1.
    Xyz = 10,
    /// DCI-P3, SMPTE RP 431-2.
    Smpte431 = 11,
    /// Display P3, SMPTE EG 432-1.
    Smpte432 = 12,
    /// EBU Tech. 3213-E.
    Ebu3213 = 22,
}

/// `TransferCharacteristics` of ITU-T H.273: how samples grow with light.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(enumeration, version = 1, as = integer)]
pub enum TransferCharacteristics {
    /// BT.709.
    Bt709 = 1,
    /// Not known, or said elsewhere.
    Unspecified = 2,
    /// Gamma 2.2, BT.470 M.
    Gamma22 = 4,
    /// Gamma 2.8, BT.470 B and G.
    Gamma28 = 5,
    /// BT.601. The same as [`Bt709`](Self::Bt709).
    Smpte170m = 6,
    /// SMPTE ST 240.
    Smpte240m = 7,
    /// Linear.
    Linear = 8,
    /// Logarithmic, a range of 100 : 1.
    Log100 = 9,
    /// Logarithmic, a range of about 316 : 1.
    Log316 = 10,
    /// IEC 61966-2-4.
    Iec61966_2_4 = 11,
    /// BT.1361, extended gamut.
    Bt1361 = 12,
    /// sRGB, IEC 61966-2-1.
    Srgb = 13,
    /// BT.2020 of 10 bits. The same as [`Bt709`](Self::Bt709).
    Bt2020Bits10 = 14,
    /// BT.2020 of 12 bits. The same as [`Bt709`](Self::Bt709).
    Bt2020Bits12 = 15,
    /// Perceptual quantizer, SMPTE ST 2084, BT.2100.
    Pq = 16,
    /// SMPTE ST 428-1.
    Smpte428 = 17,
    /// Hybrid log-gamma, ARIB STD-B67, BT.2100.
    Hlg = 18,
}

/// `VideoFullRangeFlag` of ITU-T H.273: which numbers stand for black and for white.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[wire(enumeration, version = 1, as = integer)]
pub enum VideoRange {
    /// Of 8 bits 16 to 235, and of U and V 16 to 240; of more bits in proportion.
    Limited = 0,
    /// All numbers that the significant bits have.
    Full = 1,
}

/// Where a plane is in the buffer. All zero where the format has no such plane.
#[derive(WireContract, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
#[wire(descriptor, version = 1, size = 16)]
pub struct PlaneLayout {
    /// Bytes from the start of the buffer to the first sample.
    pub offset: u64,
    /// Bytes from one row to the next, at least those of a row. They need be no whole number of samples.
    pub pitch: u32,
    /// Not used.
    #[wire(reserved)]
    pub _pad: u32,
}

/// A frame of video in a buffer.
///
/// Planes may be interleaved row by row, as U and V of some decoders are, so that rules do not ask whether they overlap.
/// Dimensions need not be even. Of a packed format the matrix is `Identity`, and of no other one.
#[derive(WireContract, Clone, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 128))]
#[wire(rule(plane_count: plane_count == planes(format)), at = import)]
#[wire(rule(not_empty: width > 0 && height > 0), at = import)]
#[wire(
    rule(plane0_pitch: plane0.pitch >= width * pixel_samples(format) * sample_bytes(format)),
    at = import
)]
#[wire(
    rule(plane0_within:
        plane0.offset + plane0.pitch * (height - 1) + width * pixel_samples(format) * sample_bytes(format) <= size
    ),
    at = import
)]
#[wire(rule(plane1_unused: planes(format) > 1 || plane1.offset == 0 && plane1.pitch == 0), at = import)]
#[wire(
    rule(plane1_pitch:
        planes(format) < 2
            || plane1.pitch
                >= (width + horizontal_subsampling(format) - 1) / horizontal_subsampling(format)
                    * chroma_samples(format) * sample_bytes(format)
    ),
    at = import
)]
#[wire(
    rule(plane1_within:
        planes(format) < 2
            || plane1.offset
                + plane1.pitch
                    * ((height + vertical_subsampling(format) - 1) / vertical_subsampling(format) - 1)
                + (width + horizontal_subsampling(format) - 1) / horizontal_subsampling(format)
                    * chroma_samples(format) * sample_bytes(format)
                <= size
    ),
    at = import
)]
#[wire(rule(plane2_unused: planes(format) > 2 || plane2.offset == 0 && plane2.pitch == 0), at = import)]
#[wire(
    rule(plane2_pitch:
        planes(format) < 3
            || plane2.pitch
                >= (width + horizontal_subsampling(format) - 1) / horizontal_subsampling(format)
                    * chroma_samples(format) * sample_bytes(format)
    ),
    at = import
)]
#[wire(
    rule(plane2_within:
        planes(format) < 3
            || plane2.offset
                + plane2.pitch
                    * ((height + vertical_subsampling(format) - 1) / vertical_subsampling(format) - 1)
                + (width + horizontal_subsampling(format) - 1) / horizontal_subsampling(format)
                    * chroma_samples(format) * sample_bytes(format)
                <= size
    ),
    at = import
)]
#[wire(rule(device_ordinal: device_ordinal >= -1), at = import)]
#[wire(rule(matrix: int(matrix == Identity) == int(chroma_samples(format) == 0)), at = import)]
pub struct VideoFrame {
    /// `WCVF`.
    #[wire(magic = b"WCVF")]
    pub magic: [u8; 4],
    /// The version of the descriptor.
    #[wire(version = 1)]
    pub version: u32,
    /// How the pixels lie in memory.
    pub format: PixelFormat,
    /// How many planes there are: as many as the format has.
    pub plane_count: u32,
    /// Pixels in a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Bytes of the buffer that the frame needs, from the buffer's start: the buffer has as many, or more.
    pub size: u64,
    /// Y, or all of a packed format.
    pub plane0: PlaneLayout,
    /// U and V, or U.
    pub plane1: PlaneLayout,
    /// V.
    pub plane2: PlaneLayout,
    /// The exporter's number for the CUDA device that holds the samples; -1 of memory of none. Another process may number
    /// devices otherwise: which one it is, the buffer's `device_uuid` says.
    pub device_ordinal: i32,
    /// How Y, U and V came of red, green and blue.
    pub matrix: Open<MatrixCoefficients>,
    /// Which red, green, blue and white are meant.
    pub primaries: Open<ColorPrimaries>,
    /// How samples grow with light.
    pub transfer: Open<TransferCharacteristics>,
    /// Which numbers stand for black and for white.
    pub range: VideoRange,
    /// For later versions.
    #[wire(reserved)]
    pub _reserved: [u64; 5],
}
