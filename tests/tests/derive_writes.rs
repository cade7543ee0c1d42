//! What a derived writer writes and refuses, and the accessors of counted and text fields.

mod derive;

use derive::{Axis, Fault, Mode, Stamp, axis, bytes, frame, no_axis};
use wirecontract::{Code, Expected, Flags, Found, WireContract, WireError};

fn place(error: WireError) -> (Code, &'static str, &'static str, usize) {
    (error.code, error.contract, error.field, error.offset)
}

#[test]
fn magic_version_and_reserved_are_written_as_declared_whatever_the_value_holds() {
    let mut value = frame();
    value.magic = [0xAA; 20];
    value.version = 77;
    value.skipped = [1, 2, 3];
    value.stamp = Stamp { magic: [0; 2], version: 1, spare: 9 };
    assert_eq!(value.to_bytes(), Ok(bytes()));
}

#[test]
fn elements_past_a_count_are_written_as_zero_and_not_looked_at() {
    let unknown = Flags::<Fault>::all();
    let mut value = frame();
    value.axes[1] = [axis(), Axis { faults: unknown, ..axis() }];
    value.left = [7, 8, 9];
    value.right = [0x0908, 1];
    assert_eq!(value.to_bytes(), Ok(bytes()));
    value.count = 0;
    let written = value.to_bytes().unwrap();
    assert_eq!(written[28..30], [0, 0]);
    assert_eq!(written[32..64], [0; 32]);
}

#[test]
fn a_count_beyond_its_array_is_refused() {
    let mut value = frame();
    value.count = 3;
    let error = value.to_bytes().unwrap_err();
    assert_eq!(place(error), (Code::LengthExceeds, "Frame", "count", 28));
    assert_eq!((error.expected, error.found), (Expected::AtMost(2), Found::Unsigned(3)));
    value.name = [b'x'; 6];
    assert_eq!(value.to_bytes().map_err(place), Err(place(error)), "the first fault by offset");
    value.count = 1;
    assert_eq!(value.to_bytes().map_err(place), Err((Code::BadText, "Frame", "name", 64)));
    value.name = [0; 6];
    value.pairs = 3;
    assert_eq!(value.to_bytes().map_err(place), Err((Code::LengthExceeds, "Frame", "pairs", 76)));
}

#[test]
fn writing_into_a_buffer_says_how_much_and_leaves_it_alone_when_refused() {
    let mut buffer = [0xEE; 100];
    assert_eq!(frame().write_to(&mut buffer), Ok(96));
    assert_eq!((&buffer[..96], &buffer[96..]), (&bytes()[..], &[0xEE; 4][..]));

    let mut wrong = frame();
    wrong.count = 3;
    let mut buffer = [0xEE; 96];
    assert_eq!(wrong.write_to(&mut buffer).map_err(place), Err((Code::LengthExceeds, "Frame", "count", 28)));
    assert_eq!(buffer, [0xEE; 96]);

    let mut short = [0xEE; 95];
    let error = wrong.write_to(&mut short).unwrap_err();
    assert_eq!(place(error), (Code::TooShort, "Frame", "", 95), "the capacity before anything else");
    assert_eq!((error.expected, error.found), (Expected::Size(96), Found::Unsigned(95)));
    assert_eq!(short, [0xEE; 95]);
}

#[test]
fn a_counted_field_gives_the_elements_that_count() {
    let mut value = frame();
    assert_eq!(value.axes(), [[axis(), no_axis()]]);
    assert_eq!((value.left(), value.right()), ([7].as_slice(), [0x0908].as_slice()));
    value.count = u16::MAX;
    assert_eq!(value.axes().len(), 2, "never more than there are");
}

#[test]
fn setting_a_counted_field_sets_its_count_and_clears_the_rest() {
    let mut value = frame();
    value.axes = [[axis(), axis()], [axis(), axis()]];
    value.set_axes(&[]).unwrap();
    assert_eq!((value.count, &value.axes), (0, &[[no_axis(), no_axis()], [no_axis(), no_axis()]]));
    value.set_axes(&[[axis(), axis()], [no_axis(), axis()]]).unwrap();
    assert_eq!(value.count, 2);
    let before = value.clone();
    let three = [[axis(), axis()], [axis(), axis()], [axis(), axis()]];
    let error = value.set_axes(&three).unwrap_err();
    assert_eq!(place(error), (Code::LengthExceeds, "Frame", "count", 28));
    assert_eq!((error.expected, error.found), (Expected::AtMost(2), Found::Unsigned(3)));
    assert_eq!(value, before, "refused, and left as it was");
}

#[test]
fn arrays_with_one_count_are_set_together() {
    let mut value = frame();
    value.left = [1, 2, 3];
    value.set_pairs(&[5, 6], &[50, 60]).unwrap();
    assert_eq!((value.pairs, value.left, value.right), (2, [5, 6, 0], [50, 60]));
    let before = value.clone();
    let uneven = value.set_pairs(&[1, 2], &[1]).unwrap_err();
    assert_eq!(place(uneven), (Code::LengthExceeds, "Frame", "pairs", 76));
    assert_eq!(uneven.to_string(), "Frame.pairs at byte 76: length_exceeds: expected 2 elements, found 1");
    assert_eq!(value, before);
    let many = value.set_pairs(&[1, 2, 3], &[1, 2, 3]).unwrap_err();
    assert_eq!((many.expected, many.found), (Expected::AtMost(2), Found::Unsigned(3)));
    assert_eq!(value, before);
}

/// A count that cannot say how many there are.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
struct Long {
    #[wire(length_of = items)]
    count: u8,
    items: [u8; 300],
}

#[test]
fn a_count_says_no_more_than_its_type_can() {
    let mut value = Long { count: 1, items: [7; 300] };
    let error = value.set_items(&[0; 256]).unwrap_err();
    assert_eq!((error.expected, error.found), (Expected::AtMost(255), Found::Unsigned(256)));
    assert_eq!(value, Long { count: 1, items: [7; 300] });
    value.set_items(&[1; 255]).unwrap();
    assert_eq!((value.count, value.items().len()), (255, 255));
    assert_eq!(Long::from_bytes(&value.to_bytes().unwrap()), Ok(value));
}

/// Elements that cannot be cloned are counted all the same.
#[derive(WireContract, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
struct Once {
    a: u8,
}

#[derive(WireContract, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor)]
struct Holder {
    #[wire(length_of = items)]
    count: u8,
    items: [Once; 3],
}

#[test]
fn elements_need_not_be_cloneable_to_be_counted() {
    assert_eq!(Holder::from_bytes(&[1, 5, 6, 7]).unwrap().items(), [Once { a: 5 }]);
}

#[test]
fn text_is_read_and_set_as_text() {
    let mut value = frame();
    assert_eq!(value.name(), Ok("arm"));
    value.set_name("größ").unwrap_err();
    assert_eq!(value.name(), Ok("arm"), "refused, and left as it was");
    value.set_name("fuß").unwrap();
    assert_eq!((value.name, value.name()), (*b"fu\xC3\x9F\0\0", Ok("fuß")));
    value.set_name("").unwrap();
    assert_eq!(value.name, [0; 6]);
    let long = value.set_name("abcdef").unwrap_err();
    assert_eq!(place(long), (Code::LengthExceeds, "Frame", "name", 64), "no room for the NUL");
    assert_eq!((long.expected, long.found), (Expected::AtMost(5), Found::Unsigned(6)));
    assert_eq!(value.set_name("a\0b").map_err(place), Err((Code::BadText, "Frame", "name", 64)));
    value.name = *b"abcdef";
    assert_eq!(value.name().map_err(place), Err((Code::BadText, "Frame", "name", 64)));
}

/// The same number in each byte order.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, endian = big)]
struct Orders {
    big: u32,
    #[wire(endian = little)]
    little: u32,
    #[wire(endian = native)]
    native: u32,
    mode: Mode,
    #[wire(endian = little)]
    modes: [Mode; 3],
}

#[test]
fn each_field_is_in_its_byte_order() {
    let value = Orders {
        big: 0x0102_0304,
        little: 0x0102_0304,
        native: 0x0102_0304,
        mode: Mode::SecondGear,
        modes: [Mode::SecondGear; 3],
    };
    let bytes = value.to_bytes().unwrap();
    assert_eq!(bytes[..8], [1, 2, 3, 4, 4, 3, 2, 1]);
    assert_eq!(bytes[8..12], 0x0102_0304_u32.to_ne_bytes());
    assert_eq!(bytes[12..], [1, 44, 44, 1, 44, 1, 44, 1]);
    assert_eq!(Orders::from_bytes(&bytes), Ok(value));
}
