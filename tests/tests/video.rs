//! The video frame, byte for byte, and what an importer refuses: each rule by its name, with what it found.

use wirecontract::{Code, Enumeration, Expected, Open, WireContract, WireError};
use wirecontract_gpu::video::{
    ColorPrimaries, MatrixCoefficients, PixelFormat, PlaneLayout, TransferCharacteristics, VideoFrame,
    VideoRange,
};

const FORMATS: [PixelFormat; 6] = [
    PixelFormat::Nv12,
    PixelFormat::P010,
    PixelFormat::P016,
    PixelFormat::I420,
    PixelFormat::Rgba8,
    PixelFormat::Bgra8,
];

/// 33 × 17 pixels, with rows that are padded.
fn odd(format: PixelFormat) -> VideoFrame {
    VideoFrame::new(format, 33, 17, 192)
}

#[test]
fn every_byte_is_where_it_is_declared() {
    let layout = |offset, pitch| PlaneLayout { offset, pitch, _pad: u32::MAX };
    let mut frame = odd(PixelFormat::I420);
    (frame.plane_count, frame.width, frame.height) = (0x0102_0304, 0x1112_1314, 0x2122_2324);
    frame.size = 0x3132_3334_3536_3738;
    frame.plane0 = layout(0x4142_4344_4546_4748, 0x5152_5354);
    frame.plane1 = layout(0x6162_6364_6566_6768, 0x7172_7374);
    frame.plane2 = layout(0x8182_8384_8586_8788, 0x9192_9394);
    frame.device_ordinal = -2;
    frame.matrix = MatrixCoefficients::Bt2020Ncl.into();
    frame.primaries = Open::from_raw(0xEE);
    frame.transfer = TransferCharacteristics::Hlg.into();
    frame.range = VideoRange::Full;
    // What is nobody's is not written.
    frame._reserved = [u64::MAX; 5];

    let mut expected = [0u8; 128];
    let mut put = |at: usize, bytes: &[u8]| expected[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"WCVF");
    put(4, &[1, 0, 0, 0]);
    put(8, &[4, 0, 0, 0]);
    put(12, &[4, 3, 2, 1]);
    put(16, &[0x14, 0x13, 0x12, 0x11, 0x24, 0x23, 0x22, 0x21]);
    put(24, &[0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31]);
    put(32, &[0x48, 0x47, 0x46, 0x45, 0x44, 0x43, 0x42, 0x41, 0x54, 0x53, 0x52, 0x51]);
    put(48, &[0x68, 0x67, 0x66, 0x65, 0x64, 0x63, 0x62, 0x61, 0x74, 0x73, 0x72, 0x71]);
    put(64, &[0x88, 0x87, 0x86, 0x85, 0x84, 0x83, 0x82, 0x81, 0x94, 0x93, 0x92, 0x91]);
    put(80, &[0xFE, 0xFF, 0xFF, 0xFF]);
    put(84, &[9, 0xEE, 18, 1]);
    assert_eq!(frame.to_bytes().expect("it can be written"), expected);

    for plane in [&mut frame.plane0, &mut frame.plane1, &mut frame.plane2] {
        plane._pad = 0;
    }
    frame._reserved = [0; 5];
    assert_eq!(VideoFrame::from_bytes(&expected), Ok(frame));
    // Readers of this version pass over what a later one may put there.
    for at in (44..48).chain(60..64).chain(76..80).chain(88..128) {
        expected[at] = 0xFF;
    }
    assert!(VideoFrame::from_bytes(&expected).is_ok());
}

#[test]
fn a_reader_refuses_by_code_field_and_offset() {
    let bytes = odd(PixelFormat::Nv12).to_bytes().expect("it can be written");
    let refused = |at: usize, byte: u8| {
        let mut changed = bytes;
        changed[at] = byte;
        let error = VideoFrame::from_bytes(&changed).expect_err("it is refused");
        (error.code, error.contract, error.field, error.offset)
    };
    assert_eq!(refused(3, b'X'), (Code::BadMagic, "VideoFrame", "magic", 0));
    assert_eq!(refused(4, 2), (Code::UnsupportedVersion, "VideoFrame", "version", 4));
    assert_eq!(refused(8, 0), (Code::UnknownValue, "VideoFrame", "format", 8));
    assert_eq!(refused(8, 7), (Code::UnknownValue, "VideoFrame", "format", 8));
    assert_eq!(refused(87, 2), (Code::UnknownValue, "VideoFrame", "range", 87));
    let length = |bytes: &[u8]| {
        let error = VideoFrame::from_bytes(bytes).expect_err("it is refused");
        (error.code, error.offset)
    };
    assert_eq!(length(&bytes[..127]), (Code::TooShort, 127));
    assert_eq!(length(&[&bytes[..], &[0]].concat()), (Code::TrailingBytes, 128));
    // What H.273 adds is kept.
    let mut later = bytes;
    later[84..87].copy_from_slice(&[3, 200, 255]);
    let frame = VideoFrame::from_bytes(&later).expect("they are open");
    assert_eq!((frame.matrix.raw(), frame.primaries.raw(), frame.transfer.raw()), (3, 200, 255));
}

#[test]
fn a_later_version_is_read_as_far_as_it_is_known_where_that_is_asked_for() {
    let frame = odd(PixelFormat::P010);
    let mut later = frame.to_bytes().expect("it can be written").to_vec();
    later[4] = 2;
    later.extend_from_slice(&[0xFF; 16]);
    assert_eq!(VideoFrame::from_bytes(&later).map_err(|error| error.code), Err(Code::UnsupportedVersion));
    assert_eq!(VideoFrame::from_bytes_or_newer(&later), Ok(frame));
}

#[test]
fn every_format_says_how_its_samples_lie() {
    let said = FORMATS.map(|format| {
        (
            (format.planes(), format.sample_bytes(), format.significant_bits()),
            (format.pixel_samples(), format.chroma_samples()),
            (format.horizontal_subsampling(), format.vertical_subsampling()),
            (format.name(), format.components(), format.typestr()),
        )
    });
    let expected = [
        ((2, 1, 8), (1, 2), (2, 2), ("nv12", "YUV", "|u1")),
        ((2, 2, 10), (1, 2), (2, 2), ("p010", "YUV", "<u2")),
        ((2, 2, 16), (1, 2), (2, 2), ("p016", "YUV", "<u2")),
        ((3, 1, 8), (1, 1), (2, 2), ("i420", "YUV", "|u1")),
        ((1, 1, 8), (4, 0), (1, 1), ("rgba8", "RGBA", "|u1")),
        ((1, 1, 8), (4, 0), (1, 1), ("bgra8", "BGRA", "|u1")),
    ];
    assert_eq!(said, expected);
    assert_eq!(PixelFormat::VALUES.len(), FORMATS.len());
}

#[test]
fn colors_have_the_code_points_of_h273() {
    fn numbers<E: Enumeration<Repr = u8>>() -> Vec<u8> {
        E::VALUES.iter().map(|value| value.value.value()).collect()
    }
    // 3 is reserved in all three, and 0 in the last two.
    assert_eq!(numbers::<MatrixCoefficients>(), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
    assert_eq!(numbers::<ColorPrimaries>(), [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]);
    assert_eq!(
        numbers::<TransferCharacteristics>(),
        [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    );
    assert_eq!(numbers::<VideoRange>(), [0, 1]);
    let (bt601, bt709, bt2020) =
        (MatrixCoefficients::Smpte170m, MatrixCoefficients::Bt709, MatrixCoefficients::Bt2020Ncl);
    assert_eq!([bt601, bt709, bt2020].map(Enumeration::value), [6, 1, 9]);
    let (srgb, pq) = (TransferCharacteristics::Srgb, TransferCharacteristics::Pq);
    assert_eq!([srgb, pq].map(Enumeration::value), [13, 16]);
}

/// The rule that refuses an import.
fn refused_by(error: WireError) -> &'static str {
    let Expected::Rule(rule) = error.expected else { panic!("{error}") };
    assert_eq!(
        (error.code, error.contract, error.field, error.offset),
        (Code::RuleViolated, "VideoFrame", "", 0)
    );
    rule.name
}

/// What refuses a frame that could be imported before it was changed. Readers and writers take it.
fn changed(format: PixelFormat, change: impl Fn(&mut VideoFrame)) -> Option<&'static str> {
    let mut frame = odd(format);
    assert_eq!(frame.validate_import(), Ok(()), "{format:?}");
    change(&mut frame);
    let bytes = frame.to_bytes().expect("writers do not ask what importers do");
    let read = VideoFrame::from_bytes(&bytes).expect("nor do readers");
    assert_eq!(read.validate_import(), frame.validate_import());
    assert_eq!(read.planes().err(), frame.validate_import().err(), "planes ask the rules");
    frame.validate_import().err().map(refused_by)
}

#[test]
fn there_are_as_many_planes_as_the_format_has() {
    for format in FORMATS {
        for count in [0, 1, 2, 3, 4, u32::MAX] {
            let verdict = changed(format, |frame| frame.plane_count = count);
            let is_right = i64::from(count) == format.planes();
            assert_eq!(verdict, (!is_right).then_some("plane_count"), "{format:?}, {count}");
        }
    }
}

#[test]
fn a_frame_has_pixels() {
    assert_eq!(changed(PixelFormat::Nv12, |frame| frame.width = 0), Some("not_empty"));
    assert_eq!(changed(PixelFormat::Nv12, |frame| frame.height = 0), Some("not_empty"));
    assert_eq!(changed(PixelFormat::Nv12, |frame| (frame.width, frame.height) = (1, 1)), None);
}

#[test]
fn pitches_are_at_least_a_row() {
    // Bytes of a row of each plane: of 33 pixels, and of their 17 places of chroma.
    let rows: [(PixelFormat, &[u32]); 6] = [
        (PixelFormat::Nv12, &[33, 34]),
        (PixelFormat::P010, &[66, 68]),
        (PixelFormat::P016, &[66, 68]),
        (PixelFormat::I420, &[33, 17, 17]),
        (PixelFormat::Rgba8, &[132]),
        (PixelFormat::Bgra8, &[132]),
    ];
    for (format, rows) in rows {
        for (plane, &row) in rows.iter().enumerate() {
            let pitch = |pitch| {
                changed(format, |frame| {
                    let planes = [&mut frame.plane0, &mut frame.plane1, &mut frame.plane2];
                    planes.into_iter().nth(plane).expect("there are three").pitch = pitch;
                })
            };
            let rule = ["plane0_pitch", "plane1_pitch", "plane2_pitch"][plane];
            assert_eq!(pitch(row), None, "{format:?}, plane {plane}");
            assert_eq!(pitch(row - 1), Some(rule), "{format:?}, plane {plane}");
            assert_eq!(pitch(0), Some(rule), "{format:?}, plane {plane}");
        }
    }
}

#[test]
fn planes_are_within_the_size_to_their_last_sample() {
    // Bytes from the first sample of each plane to the end of the last one: whole rows but for the last.
    let spans: [(PixelFormat, &[u64]); 6] = [
        (PixelFormat::Nv12, &[16 * 192 + 33, 8 * 192 + 34]),
        (PixelFormat::P010, &[16 * 192 + 66, 8 * 192 + 68]),
        (PixelFormat::P016, &[16 * 192 + 66, 8 * 192 + 68]),
        (PixelFormat::I420, &[16 * 192 + 33, 8 * 96 + 17, 8 * 96 + 17]),
        (PixelFormat::Rgba8, &[16 * 192 + 132]),
        (PixelFormat::Bgra8, &[16 * 192 + 132]),
    ];
    for (format, spans) in spans {
        for (plane, &span) in spans.iter().enumerate() {
            let at = |offset| {
                changed(format, move |frame| {
                    let planes = [&mut frame.plane0, &mut frame.plane1, &mut frame.plane2];
                    planes.into_iter().nth(plane).expect("there are three").offset = offset;
                })
            };
            let size = odd(format).size;
            let rule = ["plane0_within", "plane1_within", "plane2_within"][plane];
            assert_eq!(at(size - span), None, "{format:?}, plane {plane}");
            assert_eq!(at(size - span + 1), Some(rule), "{format:?}, plane {plane}");
            // The sum is beyond 64 bits, and what is left of it would fit.
            assert_eq!(at(u64::MAX), Some(rule), "{format:?}, plane {plane}");
        }
    }
}

#[test]
fn numbers_that_wrap_are_refused_and_never_fit() {
    // The most that 32 bits can say, of which 64 bits hold plane 0.
    let most = |format, size| {
        changed(format, move |frame| {
            (frame.width, frame.height, frame.size) = (u32::MAX, u32::MAX, size);
            for plane in [&mut frame.plane0, &mut frame.plane1, &mut frame.plane2] {
                *plane = PlaneLayout::default();
            }
            frame.plane0.pitch = u32::MAX;
        })
    };
    assert_eq!(most(PixelFormat::Rgba8, u64::MAX), Some("plane0_pitch"));
    assert_eq!(most(PixelFormat::P010, u64::MAX), Some("plane0_pitch"));
    let end = (u64::from(u32::MAX) - 1) * u64::from(u32::MAX) + u64::from(u32::MAX);
    assert_eq!(most(PixelFormat::Nv12, end - 1), Some("plane0_within"));
    // Of 2³² bytes of chroma in a row, which no pitch has.
    assert_eq!(most(PixelFormat::Nv12, end), Some("plane1_pitch"));
    // What an exporter asks for that is too much.
    for (format, rule) in [(PixelFormat::Nv12, "plane1_pitch"), (PixelFormat::Rgba8, "plane0_pitch")] {
        let frame = VideoFrame::new(format, u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(frame.validate_import().map_err(refused_by), Err(rule), "{format:?}");
    }
    // Luma of 2⁶⁴ - 2³³ + 1 bytes and twice 2⁶² of chroma, of which 64 bits would show little.
    let frame = VideoFrame::new(PixelFormat::I420, u32::MAX, u32::MAX, u32::MAX);
    let ends = [u64::MAX - (1 << 33) + 2, u64::MAX, u64::MAX];
    assert_eq!([frame.plane1.offset, frame.plane2.offset, frame.size], ends);
    assert_eq!(frame.validate_import().map_err(refused_by), Err("plane1_within"));
}

#[test]
fn planes_that_a_format_lacks_are_nowhere() {
    for format in FORMATS {
        let unused = |change: fn(&mut VideoFrame)| {
            let mut frame = odd(format);
            change(&mut frame);
            frame.validate_import().err().map(refused_by)
        };
        let expected = |planes, rule| (format.planes() < planes).then_some(rule);
        assert_eq!(unused(|frame| frame.plane1.offset = 1), expected(2, "plane1_unused"), "{format:?}");
        assert_eq!(unused(|frame| frame.plane1.pitch += 1), expected(2, "plane1_unused"), "{format:?}");
        assert_eq!(unused(|frame| frame.plane2.offset = 1), expected(3, "plane2_unused"), "{format:?}");
        assert_eq!(unused(|frame| frame.plane2.pitch = 96), expected(3, "plane2_unused"), "{format:?}");
    }
}

#[test]
fn a_device_has_a_number_or_there_is_none() {
    let device = |ordinal| changed(PixelFormat::Nv12, move |frame| frame.device_ordinal = ordinal);
    assert_eq!(device(-1), None);
    assert_eq!(device(i32::MAX), None);
    assert_eq!(device(-2), Some("device_ordinal"));
    assert_eq!(device(i32::MIN), Some("device_ordinal"));
}

#[test]
fn red_green_and_blue_have_no_matrix_and_all_else_has_one() {
    for format in FORMATS {
        let is_rgb = format.components() != "YUV";
        for matrix in 0..=255 {
            let verdict = changed(format, |frame| frame.matrix = Open::from_raw(matrix));
            let is_right = is_rgb == (matrix == 0);
            assert_eq!(verdict, (!is_right).then_some("matrix"), "{format:?}, {matrix}");
        }
    }
}

#[test]
fn planes_may_be_interleaved_row_by_row() {
    let interleaved = changed(PixelFormat::I420, |frame| {
        (frame.plane1.pitch, frame.plane2.pitch) = (192, 192);
        frame.plane2.offset = frame.plane1.offset + 96;
    });
    assert_eq!(interleaved, None);
}

#[test]
fn a_refusal_says_what_was_asked_and_what_came() {
    let message = |format, change: fn(&mut VideoFrame)| {
        let mut frame = odd(format);
        change(&mut frame);
        frame.validate_import().expect_err("it is refused").to_string()
    };
    assert_eq!(
        message(PixelFormat::Nv12, |frame| frame.plane_count = 3),
        "VideoFrame at byte 0: rule_violated: expected plane_count: plane_count == planes(format), found plane_count = \
         3, planes(format) = 2"
    );
    assert_eq!(
        message(PixelFormat::Rgba8, |frame| frame.plane0.pitch = 131),
        "VideoFrame at byte 0: rule_violated: expected plane0_pitch: plane0.pitch >= width * pixel_samples(format) * \
         sample_bytes(format), found plane0.pitch = 131, width = 33, pixel_samples(format) = 4, sample_bytes(format) = 1"
    );
}

#[test]
fn a_new_frame_has_its_planes_one_behind_the_other_and_says_nothing_of_color() {
    let layouts = |frame: &VideoFrame| {
        [frame.plane0, frame.plane1, frame.plane2].map(|plane| (plane.offset, plane.pitch))
    };
    let new = |format, pitch| {
        let frame = VideoFrame::new(format, 33, 17, pitch);
        assert_eq!((frame.format, frame.width, frame.height), (format, 33, 17));
        assert_eq!(frame.validate_import(), Ok(()));
        assert_eq!(VideoFrame::from_bytes(&frame.to_bytes().expect("it can be written")), Ok(frame.clone()));
        (layouts(&frame), frame.size)
    };
    assert_eq!(new(PixelFormat::Nv12, 64), ([(0, 64), (1088, 64), (0, 0)], 1664));
    // A row of chroma is longer than one of 33 pixels.
    assert_eq!(new(PixelFormat::Nv12, 33), ([(0, 33), (561, 34), (0, 0)], 867));
    assert_eq!(new(PixelFormat::P010, 128), ([(0, 128), (2176, 128), (0, 0)], 3328));
    assert_eq!(new(PixelFormat::I420, 65), ([(0, 65), (1105, 33), (1402, 33)], 1699));
    assert_eq!(new(PixelFormat::Rgba8, 132), ([(0, 132), (0, 0), (0, 0)], 2244));

    let color = |format| {
        let frame = odd(format);
        (frame.matrix.raw(), frame.primaries.raw(), frame.transfer.raw(), frame.range, frame.device_ordinal)
    };
    assert_eq!(color(PixelFormat::Nv12), (2, 2, 2, VideoRange::Limited, -1));
    assert_eq!(color(PixelFormat::Bgra8), (0, 2, 2, VideoRange::Full, -1));
}
