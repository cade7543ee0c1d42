//! The planes of frames: shapes, strides and places that are known otherwise.

use wirecontract::{Code, Expected};
use wirecontract_gpu::buffer::{BufferKind, SharedBuffer};
use wirecontract_gpu::dlpack::DLDataTypeCode;
use wirecontract_gpu::video::{ElementStridesError, PixelFormat, Plane, PlanesError, VideoFrame};

fn planes(frame: &VideoFrame) -> Vec<Plane> {
    frame.planes().unwrap_or_else(|error| panic!("{error}")).as_slice().to_vec()
}

/// Shape and byte strides of each plane.
fn arrays(frame: &VideoFrame) -> Vec<(Vec<i64>, Vec<i64>)> {
    planes(frame).iter().map(|plane| (plane.shape().to_vec(), plane.byte_strides().to_vec())).collect()
}

fn array(shape: &[i64], byte_strides: &[i64]) -> (Vec<i64>, Vec<i64>) {
    (shape.to_vec(), byte_strides.to_vec())
}

#[test]
fn nv12_is_a_plane_of_luma_and_one_of_chroma() {
    let frame = VideoFrame::new(PixelFormat::Nv12, 1920, 1080, 2048);
    assert_eq!(arrays(&frame), [array(&[1080, 1920], &[2048, 1]), array(&[540, 960, 2], &[2048, 2, 1])]);
    let chroma = 2048 * 1080;
    let spans: Vec<_> = planes(&frame).iter().map(Plane::span).collect();
    assert_eq!(spans, [0..2048 * 1079 + 1920, chroma..chroma + 2048 * 539 + 1920]);
    assert_eq!(frame.size, chroma + 2048 * 540);
}

#[test]
fn samples_of_16_bits_double_the_strides_within_a_row() {
    for format in [PixelFormat::P010, PixelFormat::P016] {
        let frame = VideoFrame::new(format, 960, 540, 2048);
        assert_eq!(arrays(&frame), [array(&[540, 960], &[2048, 2]), array(&[270, 480, 2], &[2048, 4, 2])]);
    }
}

#[test]
fn chroma_of_odd_dimensions_is_rounded_up() {
    let frame = VideoFrame::new(PixelFormat::Nv12, 33, 17, 64);
    assert_eq!(arrays(&frame), [array(&[17, 33], &[64, 1]), array(&[9, 17, 2], &[64, 2, 1])]);
    let frame = VideoFrame::new(PixelFormat::Nv12, 1, 1, 1);
    assert_eq!(arrays(&frame), [array(&[1, 1], &[1, 1]), array(&[1, 1, 2], &[2, 2, 1])]);
}

#[test]
fn i420_has_three_planes_of_two_dimensions() {
    let mut frame = VideoFrame::new(PixelFormat::I420, 33, 17, 64);
    frame.plane2.offset += 100;
    frame.plane2.pitch = 40;
    frame.size = 4096;
    assert_eq!(
        arrays(&frame),
        [array(&[17, 33], &[64, 1]), array(&[9, 17], &[32, 1]), array(&[9, 17], &[40, 1])]
    );
    let offsets: Vec<_> = planes(&frame).iter().map(Plane::offset).collect();
    assert_eq!(offsets, [0, 1088, 1088 + 288 + 100]);
    assert_eq!(planes(&frame)[2].span(), 1476..1476 + 8 * 40 + 17);
}

#[test]
fn packed_formats_are_one_plane_of_four_samples_a_pixel() {
    for format in [PixelFormat::Rgba8, PixelFormat::Bgra8] {
        let frame = VideoFrame::new(format, 33, 17, 256);
        assert_eq!(arrays(&frame), [array(&[17, 33, 4], &[256, 4, 1])]);
        assert_eq!(planes(&frame)[0].span(), 0..16 * 256 + 132);
    }
}

#[test]
fn samples_are_unsigned_and_as_wide_as_the_format_says() {
    let types = |format| {
        let frame = VideoFrame::new(format, 4, 4, 16);
        let types: Vec<_> = planes(&frame)
            .iter()
            .map(|plane| {
                let element = plane.element();
                assert_eq!((element.code.raw(), element.lanes), (DLDataTypeCode::UInt as u8, 1));
                (element.bits, plane.typestr())
            })
            .collect();
        types
    };
    assert_eq!(types(PixelFormat::Nv12), [(8, "|u1"); 2]);
    assert_eq!(types(PixelFormat::P010), [(16, "<u2"); 2]);
    assert_eq!(types(PixelFormat::P016), [(16, "<u2"); 2]);
    assert_eq!(types(PixelFormat::I420), [(8, "|u1"); 3]);
    assert_eq!(types(PixelFormat::Rgba8), [(8, "|u1")]);
    assert_eq!(types(PixelFormat::Bgra8), [(8, "|u1")]);
}

#[test]
#[cfg(target_endian = "little")]
fn strides_are_counted_in_samples_where_rows_are_whole_samples_apart() {
    let mut frame = VideoFrame::new(PixelFormat::P010, 960, 540, 2048);
    let found = planes(&frame);
    assert_eq!(found[0].element_strides(), Ok(&[1024, 1][..]));
    assert_eq!(found[1].element_strides(), Ok(&[1024, 2, 1][..]));

    frame.plane1.pitch = 2047;
    let found = planes(&frame);
    assert_eq!(found[0].element_strides(), Ok(&[1024, 1][..]));
    let error = found[1].element_strides().expect_err("no whole number of samples");
    assert_eq!(error, ElementStridesError::Pitch { pitch: 2047, sample_bytes: 2 });
    assert_eq!(error.code(), Code::Refused);
    assert_eq!(
        error.to_string(),
        "expected a pitch that is a whole number of samples of 2 bytes, found 2047 bytes: take the plane by its byte \
         strides, or have the exporter pad its rows otherwise"
    );
    // Bytes are counted all the same.
    assert_eq!((found[1].shape(), found[1].byte_strides()), (&[270, 480, 2][..], &[2047, 4, 2][..]));
}

#[test]
fn any_pitch_is_whole_samples_of_a_byte() {
    let frame = VideoFrame::new(PixelFormat::Rgba8, 33, 17, 133);
    assert_eq!(planes(&frame)[0].element_strides(), Ok(&[133, 4, 1][..]));
}

#[test]
fn the_largest_frame_that_has_planes_is_counted_without_a_wrap() {
    let frame = VideoFrame::new(PixelFormat::Rgba8, 1 << 29, u32::MAX, 1 << 31);
    let found = planes(&frame);
    assert_eq!(found[0].shape(), [i64::from(u32::MAX), 1 << 29, 4]);
    assert_eq!(found[0].span(), 0..(1 << 31) * u64::from(u32::MAX));
    assert_eq!(frame.size, (1 << 31) * u64::from(u32::MAX));
}

#[test]
fn a_plane_may_end_with_the_last_byte_that_64_bits_count() {
    let mut frame = VideoFrame::new(PixelFormat::Nv12, 2, 2, 2);
    (frame.size, frame.plane1.offset) = (u64::MAX, u64::MAX - 2);
    assert_eq!(planes(&frame)[1].span(), u64::MAX - 2..u64::MAX);
    frame.plane1.offset += 1;
    assert!(frame.planes().is_err());
}

#[test]
fn a_buffer_has_all_that_the_frame_needs() {
    let frame = VideoFrame::new(PixelFormat::Nv12, 33, 17, 64);
    let buffer = |size| SharedBuffer::new(BufferKind::HostMemfd, size);
    assert_eq!(frame.planes_in(&buffer(1664)), Ok(frame.planes().expect("it is one")));
    assert!(frame.planes_in(&buffer(u64::MAX)).is_ok());
    // It is the buffer that counts and not the allocation that it is a part of.
    let mut part = buffer(4096);
    part.size = 1663;
    let error = frame.planes_in(&part).expect_err("a byte is missing");
    assert_eq!(error, PlanesError::Buffer { needed: 1664, size: 1663 });
    assert_eq!(error.code(), Code::RuleViolated);
    assert_eq!(
        error.to_string(),
        "expected a buffer of at least the 1664 bytes that the frame needs, found 1663: take the frame with the buffer \
         that came beside it"
    );
}

#[test]
fn planes_are_asked_of_the_rules_first() {
    let mut frame = VideoFrame::new(PixelFormat::I420, 33, 17, 64);
    frame.plane2.pitch = 16;
    let error = frame.planes().expect_err("a row has 17 bytes");
    let Expected::Rule(rule) = error.expected else { panic!("{error}") };
    assert_eq!((error.code, rule.name), (Code::RuleViolated, "plane2_pitch"));
    let of_buffer = frame.planes_in(&SharedBuffer::new(BufferKind::HostMemfd, 0)).expect_err("nor there");
    assert_eq!((of_buffer.code(), of_buffer.to_string()), (Code::RuleViolated, error.to_string()));
    assert_eq!(of_buffer, PlanesError::Frame(error));
}
