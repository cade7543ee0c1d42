//! Planes that were taken one by one, as a frame in one buffer.

use core::ffi::c_void;
use core::fmt;

use smallvec::SmallVec;
use wirecontract_gpu::dlpack::DLDeviceType;
use wirecontract_gpu::video::{PlaneLayout, VideoFrame};

use super::import::TakenFrame;
use super::plane::Plane;

/// A plane that is not in the memory that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneOutside {
    /// Which.
    pub plane: usize,
    /// Bytes from the start of the memory to the plane's first sample, which may be before it.
    pub begin: i128,
    /// Bytes from the start of the memory to the end of the plane's last sample.
    pub end: i128,
    /// Bytes of the memory.
    pub size: u64,
}

impl fmt::Display for PlaneOutside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlaneOutside { plane, begin, end, size } = self;
        write!(
            f,
            "expected plane {plane} within the {size} bytes of the memory, found bytes {begin} to {end}: take the planes by \
             their own addresses"
        )
    }
}

impl std::error::Error for PlaneOutside {}

impl Plane {
    fn address(&self) -> usize {
        self.data as usize
    }

    /// Bytes from the first sample to the end of the last one.
    fn bytes(&self) -> u64 {
        let span = self.described.span();
        span.end - span.start
    }

    /// Bytes from one row to the next, which the frame's rules have found to be of 32 bits.
    fn pitch(&self) -> u32 {
        u32::try_from(self.byte_strides()[0]).unwrap_or(u32::MAX)
    }

    /// Where the last row ends, what pads it included.
    fn padded_end(&self) -> u128 {
        self.address() as u128 + u128::from(self.pitch()) * u128::from(self.shape()[0].unsigned_abs())
    }
}

impl TakenFrame {
    /// The frame as one in a buffer from its lowest plane on, where no plane begins behind the last row of those before it:
    /// None where there are gaps, of which nobody knows what is in them. A buffer that holds planes with gaps is for
    /// [`TakenFrame::layout_within`].
    ///
    /// Color is as [`VideoFrame::new`] says it, and the device's number is this process's.
    pub fn layout(&self) -> Option<VideoFrame> {
        let mut ordered: SmallVec<[&Plane; 3]> = self.planes().iter().collect();
        ordered.sort_by_key(|plane| plane.address());
        let lowest = ordered.first()?.address();
        let mut end = lowest as u128;
        for plane in ordered {
            if plane.address() as u128 > end {
                return None;
            }
            end = end.max(plane.padded_end());
        }
        Some(self.described_from(lowest))
    }

    /// The frame as one in a buffer, of which the caller knows that it is there, all of it: of a CUDA device
    /// `cuMemGetAddressRange` says so.
    ///
    /// # Errors
    /// A plane that is not in it.
    pub fn layout_within(&self, start: *const c_void, size: u64) -> Result<VideoFrame, PlaneOutside> {
        for (index, plane) in self.planes().iter().enumerate() {
            let begin = plane.address() as i128 - start as usize as i128;
            let end = begin + i128::from(plane.bytes());
            if begin < 0 || end > i128::from(size) {
                return Err(PlaneOutside { plane: index, begin, end, size });
            }
        }
        Ok(self.described_from(start as usize))
    }

    /// The descriptor, with offsets from an address that no plane is before.
    fn described_from(&self, start: usize) -> VideoFrame {
        let mut video = VideoFrame::new(self.format(), self.width(), self.height(), 0);
        let offset = |plane: &Plane| (plane.address() - start) as u64;
        let layout = |index: usize| match self.planes().get(index) {
            Some(plane) => PlaneLayout { offset: offset(plane), pitch: plane.pitch(), _pad: 0 },
            None => PlaneLayout::default(),
        };
        (video.plane0, video.plane1, video.plane2) = (layout(0), layout(1), layout(2));
        // Addresses and bytes of planes were found to be within what addresses count.
        let ends = self.planes().iter().map(|plane| offset(plane).saturating_add(plane.bytes()));
        video.size = ends.max().unwrap_or(0);
        let device = self.device();
        if let Some(DLDeviceType::Cuda | DLDeviceType::CudaManaged) = device.device_type.known() {
            video.device_ordinal = device.device_id;
        }
        video
    }
}
