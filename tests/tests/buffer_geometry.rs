//! Which bytes tensors span: whole, strided, turned round, repeated, empty, and those whose numbers wrap.

use wirecontract::{Code, Open};
use wirecontract_gpu::buffer::{
    BufferKind, DLDataTypeCode, ElementType, Geometry, GeometryError, SharedBuffer,
};

/// A buffer of that many bytes with a tensor of elements of 4 bytes, whose first begins there. Nothing is checked.
fn buffer(size: u64, byte_offset: u64, shape: &[i64], strides: &[i64]) -> SharedBuffer {
    let mut buffer = SharedBuffer::new(BufferKind::HostMemfd, size);
    buffer.byte_offset = byte_offset;
    buffer.element = ElementType::new(DLDataTypeCode::Int, 32);
    buffer.set_shape(shape).expect("it has room");
    buffer.set_strides(strides).expect("it has room");
    buffer
}

fn geometry(size: u64, byte_offset: u64, shape: &[i64], strides: &[i64]) -> Result<Geometry, GeometryError> {
    buffer(size, byte_offset, shape, strides).geometry()
}

#[test]
fn tensors_span_their_bytes_and_no_more() {
    // Shape, strides, where the element of index 0 begins; elements, the span, whether it is row-major.
    type Case<'a> = (&'a [i64], &'a [i64], u64, u64, std::ops::Range<u64>, bool);
    let cases: [Case<'_>; 18] = [
        (&[], &[], 0, 1, 0..4, true),
        (&[], &[], 12, 1, 12..16, true),
        (&[5], &[], 0, 5, 0..20, true),
        (&[2, 3, 4], &[], 8, 24, 8..104, true),
        (&[2, 3, 4], &[12, 4, 1], 8, 24, 8..104, true),
        // Columns first.
        (&[2, 3], &[1, 2], 0, 6, 0..24, false),
        // Rows with gaps between them.
        (&[2, 3], &[10, 1], 0, 6, 0..52, false),
        // Every second element.
        (&[4], &[2], 4, 4, 4..32, false),
        // Turned round.
        (&[4], &[-1], 12, 4, 0..16, false),
        (&[2, 3], &[3, -1], 8, 6, 0..24, false),
        (&[2, 3], &[-3, -1], 20, 6, 0..24, false),
        // One row a thousand times.
        (&[1000, 3], &[0, 1], 0, 3000, 0..12, false),
        (&[1 << 40, 1 << 20], &[0, 0], 0, 1 << 60, 0..4, false),
        // The stride of one index is any.
        (&[1, 3], &[i64::MIN, 1], 0, 3, 0..12, true),
        (&[3, 1], &[1, i64::MAX], 0, 3, 0..12, true),
        // Nothing, wherever it is.
        (&[0], &[], 40, 0, 40..40, true),
        (&[i64::MAX, 0, i64::MAX], &[], 0, 0, 0..0, true),
        (&[3, 0], &[i64::MAX, i64::MIN], 4, 0, 4..4, true),
    ];
    for (shape, strides, byte_offset, elements, span, row_major) in cases {
        let at = format!("{shape:?}, {strides:?} at {byte_offset}");
        let found = geometry(span.end, byte_offset, shape, strides);
        let found = found.unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_eq!((found.shape(), found.first()), (shape, byte_offset), "{at}");
        assert_eq!((found.elements(), found.element_bytes()), (elements, 4), "{at}");
        assert_eq!((found.span(), found.is_row_major()), (span.clone(), row_major), "{at}");
        if !strides.is_empty() {
            assert_eq!(found.strides(), strides, "{at}");
        }
        // A byte less, and it is not within the buffer.
        if let Some(size) = span.end.checked_sub(1) {
            let outside = GeometryError::Outside { begin: span.start.into(), end: span.end.into(), size };
            assert_eq!(geometry(size, byte_offset, shape, strides), Err(outside), "{at}");
        }
    }
}

#[test]
fn strides_that_are_not_said_are_those_of_the_shape() {
    let strides = |shape: &[i64]| geometry(1 << 20, 0, shape, &[]).expect("it fits").strides().to_vec();
    assert_eq!(strides(&[2, 3, 4]), [12, 4, 1]);
    assert_eq!(strides(&[7]), [1]);
    assert_eq!(strides(&[]), [0; 0]);
    assert_eq!(strides(&[2, 1, 3, 1, 2, 1, 1, 2]), [12, 12, 4, 4, 2, 2, 2, 1]);
    assert_eq!(strides(&[2, 0, 3]), [0, 0, 0]);
}

#[test]
fn what_begins_before_the_buffer_is_refused() {
    let outside = |begin, end, size| Err(GeometryError::Outside { begin, end, size });
    assert_eq!(geometry(16, 8, &[4], &[-1]), outside(-4, 12, 16));
    assert_eq!(geometry(16, 11, &[4], &[-1]), outside(-1, 15, 16));
    assert_eq!(geometry(16, 12, &[4], &[-2]), outside(-12, 16, 16));
}

#[test]
fn numbers_that_wrap_are_refused_and_never_fit() {
    let overflow = Err(GeometryError::Overflow);
    // 2⁶⁴ elements, of which 64 bits show none.
    assert_eq!(geometry(16, 0, &[1 << 32, 1 << 32], &[]), overflow);
    assert_eq!(geometry(16, 0, &[1 << 32, 1 << 32], &[0, 0]), overflow);
    assert_eq!(geometry(16, 0, &[i64::MAX; 8], &[]), overflow);
    // 2⁶³ elements: more than a stride can count.
    assert_eq!(geometry(u64::MAX, 0, &[2, 1 << 31, 1 << 31, 2], &[]), overflow);
    // 2⁶² elements are 2⁶⁴ bytes.
    let (size, end) = (u64::MAX, 1 << 64);
    assert_eq!(
        geometry(size, 0, &[1 << 31, 1 << 31], &[]),
        Err(GeometryError::Outside { begin: 0, end, size })
    );
    // An offset that wraps to where there is room.
    let (begin, end) = (i128::from(u64::MAX), i128::from(u64::MAX) + 4);
    assert_eq!(geometry(16, u64::MAX, &[1], &[]), Err(GeometryError::Outside { begin, end, size: 16 }));
    // Strides that meet where they began, were they added up in 64 bits.
    let reach = 4 * (1i128 << 62);
    assert_eq!(
        geometry(16, 0, &[2, 2], &[1 << 62, 1 << 62]),
        Err(GeometryError::Outside { begin: 0, end: 2 * reach + 4, size: 16 })
    );
    assert_eq!(
        geometry(16, 0, &[2, 2], &[i64::MIN, i64::MIN]),
        Err(GeometryError::Outside { begin: -8 * (1 << 63), end: 4, size: 16 })
    );
    assert_eq!(geometry(16, 0, &[i64::MAX, 2], &[i64::MAX, i64::MAX]), overflow);
    // Bits of an element and its lanes at their most are two million bytes.
    let mut wide = buffer(u64::MAX, 0, &[i64::MAX], &[]);
    wide.element = ElementType { code: Open::from_raw(2), bits: 248, lanes: u16::MAX };
    let end = i128::from(i64::MAX) * 31 * 65535;
    assert_eq!(wide.geometry(), Err(GeometryError::Outside { begin: 0, end, size: u64::MAX }));
}

#[test]
fn a_dimension_of_fewer_than_no_elements_is_refused() {
    assert_eq!(geometry(16, 0, &[2, -1], &[]), Err(GeometryError::Negative { axis: 1, extent: -1 }));
    // Two of them would have a product that is none.
    let least = GeometryError::Negative { axis: 0, extent: i64::MIN };
    assert_eq!(geometry(16, 0, &[i64::MIN, i64::MIN], &[]), Err(least));
    assert_eq!(geometry(16, 0, &[0, -1], &[1, 1]), Err(GeometryError::Negative { axis: 1, extent: -1 }));
}

#[test]
fn strides_are_said_of_all_dimensions_or_of_none() {
    let refused = |strides: &[i64]| geometry(64, 0, &[2, 3], strides);
    assert_eq!(refused(&[1]), Err(GeometryError::Strides { strides: 1, rank: 2 }));
    assert_eq!(refused(&[1, 1, 1]), Err(GeometryError::Strides { strides: 3, rank: 2 }));
    assert_eq!(geometry(64, 0, &[], &[1]), Err(GeometryError::Strides { strides: 1, rank: 0 }));
}

#[test]
fn what_is_no_tensor_has_no_geometry() {
    let bytes = SharedBuffer::new(BufferKind::HostMemfd, 64);
    assert_eq!(bytes.geometry(), Err(GeometryError::Untyped));
    for (bits, lanes) in [(0, 1), (32, 0), (4, 1), (12, 1), (6, 3)] {
        let mut tensor = bytes.clone();
        tensor.element = ElementType { code: Open::from_raw(2), bits, lanes };
        assert_eq!(tensor.geometry(), Err(GeometryError::Element(tensor.element)));
    }
    // A value that was made by hand may claim more dimensions than there are places for.
    let mut made = buffer(64, 0, &[1], &[]);
    made.rank = 9;
    assert_eq!(made.geometry(), Err(GeometryError::Rank { rank: 9 }));
    made.rank = u32::MAX;
    assert_eq!(made.geometry(), Err(GeometryError::Rank { rank: u32::MAX }));
}

#[test]
fn a_tensor_that_does_not_fit_leaves_the_buffer_as_it_was() {
    let element = ElementType::new(DLDataTypeCode::Float, 64);
    let mut buffer = SharedBuffer::new(BufferKind::HostMemfd, 64);
    let before = buffer.clone();
    let outside = GeometryError::Outside { begin: 0, end: 72, size: 64 };
    assert_eq!(buffer.set_tensor(element, &[3, 3], None), Err(outside));
    assert_eq!(buffer.set_tensor(element, &[1; 9], None), Err(GeometryError::Rank { rank: 9 }));
    let uneven = GeometryError::Strides { strides: 0, rank: 1 };
    assert_eq!(buffer.set_tensor(element, &[8], Some(&[])), Err(uneven));
    assert_eq!(buffer, before);

    assert_eq!(buffer.set_tensor(element, &[2, 4], Some(&[1, 2])), Ok(()));
    assert_eq!((buffer.shape(), buffer.strides()), (&[2, 4][..], &[1, 2][..]));
    assert_eq!(buffer.set_tensor(element, &[8], None), Ok(()));
    assert_eq!((buffer.shape(), buffer.strides()), (&[8][..], &[][..]));
    assert_eq!((buffer.shape, buffer.strides), ([8, 0, 0, 0, 0, 0, 0, 0], [0; 8]));
}

#[test]
fn a_refusal_says_what_came_and_what_to_do() {
    let said = |error: GeometryError| (error.code(), error.to_string());
    assert_eq!(
        said(GeometryError::Outside { begin: -4, end: 12, size: 16 }),
        (
            Code::RuleViolated,
            "expected elements within the 16 bytes of the buffer, found bytes -4 to 12: `byte_offset` is where the \
             element of index 0 begins, and strides count elements"
                .to_owned()
        )
    );
    assert_eq!(
        said(GeometryError::Negative { axis: 1, extent: -1 }),
        (
            Code::OutOfRange,
            "expected 0 elements or more in dimension 1, found -1: what goes back is the stride".to_owned()
        )
    );
    assert_eq!(said(GeometryError::Rank { rank: 9 }).0, Code::LengthExceeds);
    assert_eq!(said(GeometryError::Overflow).0, Code::OutOfRange);
    assert_eq!(said(GeometryError::Untyped).0, Code::RuleViolated);
}
