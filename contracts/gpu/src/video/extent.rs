//! What a format and a frame's dimensions say of a plane, before anybody says where it lies.

use super::PixelFormat;

/// The size of a plane.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Rows.
    pub rows: i64,
    /// Places in a row.
    pub columns: i64,
    /// Samples of a place.
    pub samples: i64,
    /// Bytes of a sample.
    pub sample_bytes: i64,
}

impl Extent {
    /// Of one of the format's planes. Chroma is rounded up.
    pub(super) fn of(format: PixelFormat, plane: usize, width: u32, height: u32) -> Extent {
        let (width, height, sample_bytes) = (i64::from(width), i64::from(height), format.sample_bytes());
        if plane == 0 {
            return Extent { rows: height, columns: width, samples: format.pixel_samples(), sample_bytes };
        }
        let places = |pixels: i64, subsampling: i64| (pixels + subsampling - 1) / subsampling;
        Extent {
            rows: places(height, format.vertical_subsampling()),
            columns: places(width, format.horizontal_subsampling()),
            samples: format.chroma_samples(),
            sample_bytes,
        }
    }

    /// Bytes of a row without what pads it: at most 2³⁴, since dimensions have 32 bits and places 4 bytes.
    pub(super) fn row_bytes(self) -> i64 {
        self.columns * self.samples * self.sample_bytes
    }
}
