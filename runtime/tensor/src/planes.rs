//! Planes of video frames to and from Python's objects: frames that are made here ([`Frame`]), and frames whose planes
//! Python's objects keep ([`TakenFrame`]). A [`Plane`] of either is handed over by `DLPack` and by the CUDA Array
//! Interface.
//!
//! ```
//! use std::sync::Arc;
//!
//! use wirecontract_gpu::video::{PixelFormat, VideoFrame};
//! use wirecontract_tensor::planes::Frame;
//!
//! let described = VideoFrame::new(PixelFormat::Nv12, 33, 17, 64);
//! let frame = Frame::new(described, Arc::new(vec![0u8; 64 * 17 + 64 * 9]))?;
//! let [luma, chroma] = frame.planes() else { unreachable!("NV12 has two") };
//! assert_eq!((luma.shape(), luma.byte_strides()), (&[17, 33][..], &[64, 1][..]));
//! assert_eq!((chroma.shape(), chroma.byte_strides()), (&[9, 17, 2][..], &[64, 2, 1][..]));
//! # Ok::<(), wirecontract_tensor::planes::FrameError>(())
//! ```

mod error;
mod frame;
mod import;
mod layout;
mod plane;

pub use error::{FrameError, FrameImportError, PlaneProblem};
pub use frame::Frame;
pub use import::{FrameImport, TakenFrame, import_frame};
pub use layout::PlaneOutside;
pub use plane::Plane;
