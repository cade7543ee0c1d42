//! Whole arrays of contracts over bytes, beside the derives of zerocopy and bytemuck.

use wirecontract::slice::{CastError, cast, cast_pod};
use wirecontract::{Code, Flags, Open, WireContract};

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
enum Kind {
    A = 0,
    B = 1,
}

#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(flags)]
enum Fault {
    Hot = 1,
}

/// A point that all three derives know.
#[derive(
    WireContract,
    zerocopy::FromBytes,
    zerocopy::IntoBytes,
    zerocopy::Immutable,
    zerocopy::KnownLayout,
    bytemuck::Pod,
    bytemuck::Zeroable,
    Clone,
    Copy,
    Debug,
    PartialEq,
)]
#[repr(C)]
#[wire(descriptor, size = 12)]
struct Point {
    x: f32,
    y: i32,
    kind: Open<Kind>,
    faults: Flags<Fault>,
    #[wire(reserved(zero))]
    spare: u16,
}

#[repr(align(8))]
struct Aligned([u8; 40]);

fn points() -> Aligned {
    let mut bytes = [0; 40];
    for (index, point) in bytes.chunks_exact_mut(12).enumerate() {
        point[..4].copy_from_slice(&1.5_f32.to_ne_bytes());
        point[4..8].copy_from_slice(&i32::try_from(index).unwrap_or(-1).to_ne_bytes());
        point[8..10].copy_from_slice(&[9, 1]);
    }
    Aligned(bytes)
}

#[test]
fn bytes_are_contracts_without_a_copy() {
    let bytes = points();
    for all in [cast::<Point>(&bytes.0[..36]).unwrap(), cast_pod::<Point>(&bytes.0[..36]).unwrap()] {
        assert_eq!(all.as_ptr().cast::<u8>(), bytes.0.as_ptr());
        assert_eq!(all.len(), 3);
        assert_eq!((all[2].y, all[2].kind.raw(), all[2].faults), (2, 9, Fault::Hot.into()));
        let one = Point::from_bytes(&bytes.0[12..24]).unwrap();
        assert_eq!(all[1], one);
    }
    assert_eq!((cast::<Point>(&[]), cast_pod::<Point>(&[])), (Ok(&[][..]), Ok(&[][..])));
}

#[test]
fn a_part_of_an_element_is_refused() {
    let bytes = points();
    let refused = Err(CastError::Length { element: 12, length: 37 });
    assert_eq!((cast::<Point>(&bytes.0[..37]), cast_pod::<Point>(&bytes.0[..37])), (refused, refused));
    assert_eq!(
        refused.map(|_| ()).map_err(|error| error.to_string()),
        Err("expected a whole number of elements of 12 bytes, found 37 bytes".to_owned())
    );
}

#[test]
fn bytes_that_are_not_aligned_are_refused() {
    let mut bytes = points();
    bytes.0.copy_within(..36, 1);
    let refused = Err(CastError::Alignment { align: 4 });
    assert_eq!((cast::<Point>(&bytes.0[1..37]), cast_pod::<Point>(&bytes.0[1..37])), (refused, refused));
    bytes.0.copy_within(1..37, 4);
    assert!(cast::<Point>(&bytes.0[4..]).is_ok());
}

#[test]
fn an_element_at_fault_is_refused_at_its_offset() {
    let mut bytes = points();
    bytes.0[35] = 1;
    bytes.0[12 + 9] = 2;
    for error in [cast::<Point>(&bytes.0[..36]).err(), cast_pod::<Point>(&bytes.0[..36]).err()] {
        let Some(CastError::Element(error)) = error else { panic!("{error:?}") };
        assert_eq!(
            (error.code, error.contract, error.field, error.offset),
            (Code::UnknownBits, "Point", "faults", 21)
        );
    }
    bytes.0[12 + 9] = 0;
    let Err(CastError::Element(error)) = cast::<Point>(&bytes.0[..36]) else { panic!("accepted") };
    assert_eq!((error.code, error.offset), (Code::ReservedNotZero, 34));
}

/// Declares a pair in a byte order and layout.
macro_rules! pair {
    ($name:ident [$($repr:tt)*] $($keys:tt)*) => {
        #[derive(WireContract, zerocopy::FromBytes, zerocopy::Immutable, zerocopy::KnownLayout, Debug, PartialEq)]
        #[derive(bytemuck::AnyBitPattern, Clone, Copy)]
        #[repr(C)]
        #[wire(descriptor, $($keys)*)]
        struct $name {
            a: u32,
            #[wire($($repr)*)]
            b: u16,
            c: [u8; 2],
        }
    };
}

pair!(Little[endian = little] endian = little);
pair!(Big[endian = big] endian = big);
pair!(Native[endian = native] endian = native);
pair!(Mixed[endian = big] endian = little);
pair!(Packed[endian = little] layout = packed);

#[test]
fn only_the_byte_order_of_the_machine_can_be_cast() {
    let bytes = points();
    let bytes = &bytes.0[..16];
    assert!(cast::<Native>(bytes).is_ok() && cast_pod::<Native>(bytes).is_ok());
    let (same, other) = if cfg!(target_endian = "little") {
        (cast::<Little>(bytes).err(), cast::<Big>(bytes).err())
    } else {
        (cast::<Big>(bytes).err(), cast::<Little>(bytes).err())
    };
    assert_eq!((same, other), (None, Some(CastError::ByteOrder)));
    assert_eq!(cast::<Mixed>(bytes), Err(CastError::ByteOrder), "one field is enough");
    assert_eq!(cast_pod::<Mixed>(bytes), Err(CastError::ByteOrder));
}

#[test]
fn a_packed_contract_is_not_its_rust_struct() {
    let bytes = points();
    assert_eq!(cast::<Packed>(&bytes.0[..16]), Err(CastError::Layout));
    assert_eq!(cast_pod::<Packed>(&bytes.0[..16]), Err(CastError::Layout));
}

/// A contract that holds one in the other byte order, and one that holds a packed one.
#[derive(WireContract, zerocopy::FromBytes, zerocopy::Immutable, zerocopy::KnownLayout, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
struct HoldsMixed {
    first: u32,
    mixed: Mixed,
}

#[derive(WireContract, zerocopy::FromBytes, zerocopy::Immutable, zerocopy::KnownLayout, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
struct HoldsPacked {
    first: [u8; 4],
    packed: Packed,
}

#[test]
fn what_a_contract_holds_counts_too() {
    let bytes = points();
    assert_eq!(cast::<HoldsMixed>(&bytes.0[..12]), Err(CastError::ByteOrder));
    assert_eq!(cast::<HoldsPacked>(&bytes.0[..12]), Err(CastError::Layout));
}

#[test]
fn zerocopy_and_bytemuck_work_beside() {
    let bytes = points();
    let point = Point::from_bytes(&bytes.0[..12]).unwrap();
    assert_eq!(zerocopy::IntoBytes::as_bytes(&point), &bytes.0[..12]);
    assert_eq!(bytemuck::bytes_of(&point), point.to_bytes().unwrap());
}
