//! Arrays of contracts over bytes, with the derives of other crates on the same struct.

#![cfg(all(feature = "bytemuck", feature = "zerocopy"))]

use wirecontract::WireContract;
use wirecontract::slice::{CastError, cast, cast_pod};

/// A contract that is its own memory, with the least alignment that a `u64` has anywhere.
#[derive(
    WireContract,
    Clone,
    Copy,
    Debug,
    PartialEq,
    zerocopy::FromBytes,
    zerocopy::Immutable,
    zerocopy::KnownLayout,
    bytemuck::Pod,
    bytemuck::Zeroable,
)]
#[repr(C)]
#[wire(descriptor, endian = native, size = 16)]
struct Span {
    offset: u64,
    length: u64,
}

#[derive(
    WireContract,
    Clone,
    Copy,
    Debug,
    PartialEq,
    zerocopy::FromBytes,
    zerocopy::Immutable,
    zerocopy::KnownLayout,
)]
#[repr(C)]
#[wire(descriptor, endian = little, size = 8)]
struct Little {
    first: u32,
    second: u32,
}

/// Bytes that start where every contract here may.
#[repr(C, align(16))]
struct Aligned<const N: usize>([u8; N]);

fn two_spans() -> Aligned<33> {
    let mut bytes = Aligned([0; 33]);
    for (index, number) in [1_u64, 2, 3, 4].into_iter().enumerate() {
        bytes.0[index * 8..][..8].copy_from_slice(&number.to_ne_bytes());
    }
    bytes
}

const SPANS: [Span; 2] = [Span { offset: 1, length: 2 }, Span { offset: 3, length: 4 }];

#[test]
fn bytes_are_contracts_without_a_copy() {
    let bytes = two_spans();
    let spans = cast::<Span>(&bytes.0[..32]).unwrap();
    assert_eq!(spans, SPANS);
    assert_eq!(spans.as_ptr().cast(), bytes.0.as_ptr());
    assert_eq!(cast_pod::<Span>(&bytes.0[..32]), Ok(SPANS.as_slice()));
}

#[test]
fn unaligned_bytes_and_parts_of_an_element_are_refused() {
    let bytes = two_spans();
    let align = align_of::<Span>();
    assert_eq!(cast::<Span>(&bytes.0[1..]), Err(CastError::Alignment { align }));
    assert_eq!(cast::<Span>(&bytes.0[..31]), Err(CastError::Length { element: 16, length: 31 }));
}

#[test]
fn little_endian_bytes_are_memory_on_a_little_endian_machine_only() {
    let bytes = Aligned([1, 0, 0, 0, 2, 0, 0, 0]);
    let expected = [Little { first: 1, second: 2 }];
    if cfg!(target_endian = "little") {
        assert_eq!(cast::<Little>(&bytes.0), Ok(expected.as_slice()));
    } else {
        assert_eq!(cast::<Little>(&bytes.0), Err(CastError::ByteOrder));
        assert_eq!(Little::from_bytes(&bytes.0), Ok(expected[0]));
    }
}
