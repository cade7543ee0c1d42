//! Frames of video: what an importer is told of them, and their planes.

use wirecontract::{Contract, WireContract};
use wirecontract_codegen::interpret::{self, Host};
use wirecontract_gpu::dlpack::shape;
use wirecontract_gpu::video::VideoFrame;

use crate::catalog::{CATALOG, id_of};
use crate::descriptors;

/// A descriptor of a frame.
///
/// # Panics
/// When two readers disagree, and when a plane that was found within the frame is not what its strides reach.
pub fn video(bytes: &[u8]) {
    descriptors::agrees::<VideoFrame>(bytes);
    let Ok(frame) = VideoFrame::from_bytes(bytes) else { return };
    let imported = frame.validate_import();
    let expected = interpret::import(&CATALOG, id_of(VideoFrame::WIRE_ID), bytes, Host::this());
    assert_eq!(imported.map_err(|error| error.to_string()), expected.map_err(|fault| fault.to_string()));
    let Ok(planes) = frame.planes() else {
        assert!(imported.is_err(), "planes are refused that the rules let pass: {frame:?}");
        return;
    };
    assert!(imported.is_ok(), "the rules refuse what has planes: {frame:?}");
    assert_eq!(Ok(planes.as_slice().len()), usize::try_from(frame.plane_count));
    for plane in planes.as_slice() {
        assert!(plane.span().end <= frame.size, "{plane:?} in {} bytes", frame.size);
        // What is reached is counted to the first byte of the last sample, and one more.
        let (low, high) = shape::reach(plane.shape(), plane.byte_strides()).expect("rules have looked at it");
        let end = high - 1 + i128::from(plane.element().bits / 8);
        let bytes = i128::from(plane.span().end) - i128::from(plane.offset());
        assert_eq!((low, end), (0, bytes), "{plane:?}");
    }
}
