//! Frames that are made here, for Python's objects to read.

use core::cell::UnsafeCell;
use std::sync::Arc;

use smallvec::SmallVec;
use wirecontract_gpu::dlpack::DLDeviceType;
use wirecontract_gpu::video::{PlanesError, VideoFrame};

use super::error::FrameError;
use super::plane::{Owner, Plane};
use crate::memory::Memory;
use crate::view::Pending;

/// A frame of video in memory that it keeps, every sample of it found within that memory. Whoever takes its planes must
/// not write to them.
#[derive(Clone, Debug)]
pub struct Frame {
    video: VideoFrame,
    planes: SmallVec<[Plane; 3]>,
}

/// Memory that is shared by planes.
struct Kept<M>(UnsafeCell<M>);

// SAFETY: once it is shared nobody refers to the memory's value until the last one drops it.
unsafe impl<M: Send> Sync for Kept<M> {}

impl Frame {
    /// The frame that stands in a buffer, from whose start the frame's offsets count. The device's number is the memory's,
    /// since the exporter of a frame may have numbered devices otherwise.
    ///
    /// Memory that consumers may write to is no frame's: what a `Vec` holds, an `Arc` of it shares.
    ///
    /// ```compile_fail
    /// # use wirecontract_gpu::video::{PixelFormat, VideoFrame};
    /// # use wirecontract_tensor::planes::Frame;
    /// let described = VideoFrame::new(PixelFormat::Rgba8, 2, 2, 8);
    /// let writable = Frame::new(described, vec![0u8; 16]);
    /// ```
    ///
    /// # Errors
    /// What `validate_import` refuses, memory of fewer bytes than the frame needs, and a frame that says a CUDA device of
    /// other memory, or none of a CUDA device's.
    ///
    /// # Panics
    /// Never: nobody else has the memory yet.
    pub fn new<M: Memory>(video: VideoFrame, memory: M) -> Result<Frame, FrameError> {
        const { assert!(!M::IS_WRITABLE, "memory that consumers may write to: put it into an Arc") };
        let described = video.planes().map_err(PlanesError::Frame)?;
        let mut kept = Arc::new(Kept(UnsafeCell::new(memory)));
        // Where it is, is asked only now, since a move may change it.
        let memory = Arc::get_mut(&mut kept).expect("a new Arc").0.get_mut();
        let (start, size, device) = (memory.data(), memory.bytes() as u64, memory.device());
        if video.size > size {
            return Err(PlanesError::Buffer { needed: video.size, size }.into());
        }
        let is_cuda =
            matches!(device.device_type.known(), Some(DLDeviceType::Cuda | DLDeviceType::CudaManaged));
        if is_cuda != (video.device_ordinal >= 0) {
            return Err(FrameError::Device { ordinal: video.device_ordinal, device });
        }
        let owner: Owner = kept;
        let planes = described.as_slice().iter().map(|&described| Plane {
            described,
            // Within the memory, whose bytes a `usize` counts.
            data: start.wrapping_add(usize::try_from(described.offset()).unwrap_or(usize::MAX)).cast(),
            device,
            is_read_only: true,
            cuda_context: 0,
            pending: Pending::Nothing,
            owner: owner.clone(),
        });
        Ok(Frame { planes: planes.collect(), video })
    }

    /// The same frame, whose addresses are valid in this `CUcontext`.
    #[must_use]
    pub fn in_cuda_context(mut self, context: usize) -> Frame {
        self.planes.iter_mut().for_each(|plane| plane.cuda_context = context);
        self
    }

    /// The same frame, whose samples are there when the stream has done its work.
    #[must_use]
    pub fn pending(mut self, pending: Pending) -> Frame {
        self.planes.iter_mut().for_each(|plane| plane.pending = pending);
        self
    }

    /// The descriptor, as it was given.
    pub fn video(&self) -> &VideoFrame {
        &self.video
    }

    /// Y, then U and V, of which NV12, P010 and P016 have one plane together; or all of a packed format.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }
}
