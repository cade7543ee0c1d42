//! What a derived reader accepts, and what it refuses: the first fault in the shared order, and where it is.

mod derive;

use derive::{Axis, Fault, Frame, Mode, Stamp, bytes, frame};
use wirecontract::{Code, Expected, Found, WireContract, WireError};

/// The refusal of bytes that were changed, the same from all three readers.
fn refused(change: impl Fn(&mut [u8; 96])) -> WireError {
    let mut bytes = bytes();
    change(&mut bytes);
    let error = Frame::from_bytes(&bytes).unwrap_err();
    assert_eq!(Frame::view(&bytes).err(), Some(error));
    assert_eq!(Frame::read_prefix(&bytes).err(), Some(error));
    error
}

fn place(error: WireError) -> (Code, &'static str, &'static str, usize) {
    (error.code, error.contract, error.field, error.offset)
}

#[test]
fn bytes_and_value_are_one() {
    assert_eq!(Frame::from_bytes(&bytes()), Ok(frame()));
    assert_eq!(frame().to_bytes(), Ok(bytes()));
}

#[test]
fn the_length_is_looked_at_first() {
    for length in 0..96 {
        let bytes = vec![0xFF; length];
        let error = Frame::from_bytes(&bytes).unwrap_err();
        assert_eq!(place(error), (Code::TooShort, "Frame", "", length));
        assert_eq!((error.expected, error.found), (Expected::Size(96), Found::Unsigned(length as u64)));
        assert_eq!(Frame::view(&bytes).err(), Some(error));
        assert_eq!(Frame::read_prefix(&bytes).err(), Some(error));
    }
    let error = Frame::from_bytes(&[0xFF; 99]).unwrap_err();
    assert_eq!(place(error), (Code::TrailingBytes, "Frame", "", 96));
    assert_eq!(error.to_string(), "Frame at byte 96: trailing_bytes: expected 96 bytes, found 99");
    assert_eq!(Frame::view(&[0xFF; 99]).err(), Some(error));
}

#[test]
fn a_prefix_leaves_the_rest() {
    let mut more = bytes().to_vec();
    more.extend([1, 2, 3]);
    assert_eq!(Frame::read_prefix(&more), Ok((frame(), &[1, 2, 3][..])));
    assert_eq!(Frame::read_prefix(&bytes()), Ok((frame(), &[][..])));
}

#[test]
fn magic_comes_before_version_and_both_before_every_other_field() {
    let all_wrong = |bytes: &mut [u8; 96]| bytes.fill(0xFF);
    let error = refused(all_wrong);
    assert_eq!(place(error), (Code::BadMagic, "Frame", "magic", 8));
    assert_eq!(
        error.to_string(),
        "Frame.magic at byte 8: bad_magic: expected bytes 4652414d454652414d454652414d454652414d45, found bytes \
         ffffffffffffffffffffffffffffffff",
        "of what came, the first 16 bytes"
    );
    let version = refused(|bytes| {
        bytes.fill(0xFF);
        bytes[8..28].copy_from_slice(b"FRAMEFRAMEFRAMEFRAME");
    });
    assert_eq!(
        version.to_string(),
        "Frame.version at byte 4: unsupported_version: expected 1, found 4294967295"
    );
    assert_eq!(place(refused(|bytes| bytes[4] = 0)), (Code::UnsupportedVersion, "Frame", "version", 4));
}

#[test]
fn the_other_fields_come_in_the_order_of_their_offsets() {
    let from = |start: usize| {
        refused(move |bytes| {
            for byte in &mut bytes[start..] {
                *byte = 0xFF;
            }
            bytes[4..8].copy_from_slice(&[1, 0, 0, 0]);
            bytes[8..28].copy_from_slice(b"FRAMEFRAMEFRAMEFRAME");
        })
    };
    assert_eq!(place(from(0)), (Code::UnknownValue, "Frame", "ok", 0));
    assert_eq!(place(from(1)), (Code::LengthExceeds, "Frame", "count", 28));
    assert_eq!(place(from(30)), (Code::UnknownValue, "Axis", "mode", 32));
    assert_eq!(place(from(34)), (Code::UnknownValue, "Axis", "locked", 34));
    assert_eq!(place(from(35)), (Code::UnknownBits, "Axis", "faults", 35));
    assert_eq!(place(from(36)), (Code::UnknownValue, "Axis", "mode", 40));
    assert_eq!(place(from(60)), (Code::BadText, "Frame", "name", 64));
    assert_eq!(place(from(72)), (Code::BadMagic, "Stamp", "magic", 72));
    assert_eq!(place(from(74)), (Code::UnsupportedVersion, "Stamp", "version", 74));
    assert_eq!(place(from(75)), (Code::ReservedNotZero, "Stamp", "spare", 75));
    assert_eq!(place(from(76)), (Code::LengthExceeds, "Frame", "pairs", 76));
}

#[test]
fn a_fault_in_an_array_is_at_its_element_also_past_the_count() {
    assert_eq!(place(refused(|bytes| bytes[56] = 5)), (Code::UnknownValue, "Axis", "mode", 56));
    assert_eq!(place(refused(|bytes| bytes[59] = 8)), (Code::UnknownBits, "Axis", "faults", 59));
}

/// Arrays of what can be wrong by itself, one of them inside another descriptor.
#[derive(WireContract, Debug)]
#[repr(C)]
#[wire(descriptor, endian = big)]
struct Inner {
    modes: [[Mode; 2]; 2],
}

#[derive(WireContract, Debug)]
#[repr(C)]
#[wire(descriptor)]
struct Outer {
    flags: [wirecontract::Flags<Fault>; 2],
    bools: [[bool; 3]; 2],
    inner: [Inner; 2],
}

#[test]
fn offsets_are_absolute_in_the_outermost_bytes() {
    let refused = |at: usize, byte: u8| {
        let mut bytes = [0; 24];
        bytes[at] = byte;
        let error = Outer::from_bytes(&bytes).unwrap_err();
        (error.contract, error.field, error.offset, error.found)
    };
    assert_eq!(refused(1, 0x40), ("Outer", "flags", 1, Found::Unsigned(0x40)));
    assert_eq!(refused(6, 2), ("Outer", "bools", 6, Found::Unsigned(2)));
    assert_eq!(refused(8, 1), ("Inner", "modes", 8, Found::Signed(256)), "big-endian, as Inner says");
    assert_eq!(refused(23, 9), ("Inner", "modes", 22, Found::Signed(9)));
}

#[test]
fn each_refusal_says_what_was_expected_and_what_came() {
    let text = |change: fn(&mut [u8; 96])| refused(change).to_string();
    assert_eq!(text(|bytes| bytes[0] = 2), "Frame.ok at byte 0: unknown_value: expected 0 or 1, found 2");
    assert_eq!(
        text(|bytes| bytes[28] = 3),
        "Frame.count at byte 28: length_exceeds: expected at most 2, found 3"
    );
    assert_eq!(
        text(|bytes| bytes[32..34].copy_from_slice(&[0xFE, 0xFF])),
        "Axis.mode at byte 32: unknown_value: expected a value of Mode, found -2"
    );
    assert_eq!(
        text(|bytes| bytes[35] = 0x49),
        "Axis.faults at byte 35: unknown_bits: expected bits within 0x87, found 73"
    );
    assert_eq!(
        text(|bytes| bytes[67] = b'x'.wrapping_add(0x80)),
        "Frame.name at byte 64: bad_text: expected UTF-8 text ended by NUL"
    );
    assert_eq!(
        text(|bytes| bytes[74] = 4),
        "Stamp.version at byte 74: unsupported_version: expected 1 to 3, found 4"
    );
    assert_eq!(
        text(|bytes| bytes[75] = 0xAB),
        "Stamp.spare at byte 75: reserved_not_zero: expected zero, found 171"
    );
    assert_eq!(
        text(|bytes| bytes[76] = 3),
        "Frame.pairs at byte 76: length_exceeds: expected at most 2, found 3",
        "the smallest array of several"
    );
}

#[test]
fn text_ends_at_its_first_nul_and_only_zeros_follow() {
    let name = |name: &[u8; 6]| {
        let mut bytes = bytes();
        bytes[64..70].copy_from_slice(name);
        Frame::from_bytes(&bytes).map(|frame| frame.name().map(str::to_owned))
    };
    assert_eq!(name(b"\0\0\0\0\0\0"), Ok(Ok(String::new())));
    assert_eq!(name(b"abcde\0"), Ok(Ok("abcde".into())));
    assert_eq!(name(b"\xC3\xA4\0\0\0\0"), Ok(Ok("ä".into())));
    for bad in [
        b"abcdef",
        b"gr\xC3\xB6\xC3\x9F",
        b"ab\0d\0\0",
        b"\0\0\0\0\0a",
        b"\xC3\0\0\0\0\0",
        b"\xFF\0\0\0\0\0",
        b"\xED\xA0\x80\0\0\0",
    ] {
        assert_eq!(name(bad).map_err(place), Err((Code::BadText, "Frame", "name", 64)), "{bad:?}");
    }
}

#[test]
fn what_cannot_be_wrong_is_never_refused() {
    let mut bytes = bytes();
    bytes[1..4].fill(0xFF);
    bytes[30..32].fill(0xFF);
    bytes[36..40].fill(0xFF);
    bytes[70..72].fill(0xFF);
    bytes[77..80].fill(0xFF);
    bytes[80..96].fill(0xFF);
    let frame = Frame::from_bytes(&bytes).unwrap();
    assert_eq!((frame.skipped, frame.open.raw(), frame.open.known()), ([0xFF; 3], -1, None));
    assert_eq!(
        (frame.axes[0][0].ticks, frame.hints.bits(), frame.hints.unknown_bits()),
        (-1, 0xFFFF, 0x7FFE)
    );
    assert!(frame.bits.is_nan() && frame.wide.is_nan());
}

#[test]
fn versions_from_the_first_to_the_newest_are_read() {
    let version = |version: u8| Stamp::from_bytes(&[b'S', b'T', version, 0]).map(|stamp| stamp.version);
    assert_eq!((version(1), version(2), version(3)), (Ok(1), Ok(2), Ok(3)));
    assert!(version(0).is_err() && version(4).is_err());
}

#[test]
fn bits_of_floats_are_kept_also_of_signalling_nans() {
    let mut bytes = bytes();
    bytes[84..88].copy_from_slice(&0x7FA0_0001_u32.to_le_bytes());
    bytes[88..96].copy_from_slice(&0x7FF4_0000_0000_0001_u64.to_be_bytes());
    let frame = Frame::from_bytes(&bytes).unwrap();
    assert_eq!((frame.bits.to_bits(), frame.wide.to_bits()), (0x7FA0_0001, 0x7FF4_0000_0000_0001));
    assert_eq!(frame.to_bytes(), Ok(bytes));
    let view = Frame::view(&bytes).unwrap();
    assert_eq!((view.bits().to_bits(), view.wide().to_bits()), (0x7FA0_0001, 0x7FF4_0000_0000_0001));
}

#[test]
fn errors_compare_by_all_that_they_say() {
    let (one, other) = (refused(|bytes| bytes[0] = 2), refused(|bytes| bytes[0] = 3));
    assert_eq!(one, refused(|bytes| bytes[0] = 2));
    assert_ne!(one, other);
    assert_eq!(one.found, Found::Unsigned(2));
    let _: &dyn std::error::Error = &one;
    assert_eq!(
        Axis::from_bytes(&[0; 7]).map_err(|error| error.to_string()),
        Err("Axis at byte 7: too_short: expected 8 bytes, found 7".into())
    );
}
