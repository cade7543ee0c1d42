//! Frames as exporters put them together.

use super::extent::Extent;
use super::{
    ColorPrimaries, MatrixCoefficients, PixelFormat, PlaneLayout, TransferCharacteristics, VideoFrame,
    VideoRange,
};

impl VideoFrame {
    /// A frame whose planes stand one behind the other from the start of the buffer. From row to row of plane 0 there are
    /// `pitch` bytes, and of further planes as many as are in proportion to it, but at least a row. What lies elsewhere is
    /// set afterwards.
    ///
    /// Nothing is said of color and device: the range is the usual one, limited of Y, U and V and full of red, green and
    /// blue. A pitch below a row, dimensions of nothing and planes beyond 64 bits are for `validate_import` to refuse.
    pub fn new(format: PixelFormat, width: u32, height: u32, pitch: u32) -> VideoFrame {
        let mut layouts = [PlaneLayout::default(); 3];
        let mut size = 0u64;
        for (index, layout) in layouts.iter_mut().enumerate().take(format.plane_count()) {
            let extent = Extent::of(format, index, width, height);
            layout.offset = size;
            layout.pitch = if index == 0 { pitch } else { chroma_pitch(format, extent, pitch) };
            // A sum that 64 bits cannot hold is less than the last plane needs, which the rules see.
            size = size.saturating_add(u64::from(layout.pitch) * extent.rows.unsigned_abs());
        }
        let [plane0, plane1, plane2] = layouts;
        let (matrix, range) = match format.chroma_samples() {
            0 => (MatrixCoefficients::Identity, VideoRange::Full),
            _ => (MatrixCoefficients::Unspecified, VideoRange::Limited),
        };
        VideoFrame {
            magic: VideoFrame::MAGIC,
            version: VideoFrame::VERSION,
            format,
            plane_count: u32::try_from(format.planes()).unwrap_or(u32::MAX),
            width,
            height,
            size,
            plane0,
            plane1,
            plane2,
            device_ordinal: -1,
            matrix: matrix.into(),
            primaries: ColorPrimaries::Unspecified.into(),
            transfer: TransferCharacteristics::Unspecified.into(),
            range,
            _reserved: [0; 5],
        }
    }
}

impl PixelFormat {
    /// How many planes there are: at most 3.
    pub(super) fn plane_count(self) -> usize {
        usize::try_from(self.planes()).unwrap_or(usize::MAX)
    }
}

/// As many bytes as are in proportion to those of plane 0, rounded up, and at least a row. A row that 32 bits cannot count
/// is more than the pitch that is given then.
fn chroma_pitch(format: PixelFormat, extent: Extent, pitch: u32) -> u32 {
    let step = format.horizontal_subsampling();
    let proportional = (i64::from(pitch) * format.chroma_samples() + step - 1) / step;
    u32::try_from(proportional.max(extent.row_bytes())).unwrap_or(u32::MAX)
}
