#![allow(missing_docs, reason = "contracts of this test alone")]
//! Descriptors that grow, in Rust: every version is read and written, and says what it has not by its defaults.

use wirecontract::{Code, Contract, Flags, Open, WireContract};

/// How pixels are packed.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[wire(enumeration)]
pub enum Packing {
    /// One after the other.
    Tight = 1,
    /// Rows begin at multiples of 64 bytes.
    Rows = 2,
}

/// What a peer can do.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
#[wire(flags)]
pub enum Ability {
    /// It maps memory.
    Map = 1,
    /// It waits for fences.
    Fence = 2,
}

/// A box.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
#[wire(descriptor, size = 4)]
pub struct Region {
    /// Column.
    pub x: u16,
    /// Row.
    pub y: u16,
}

type Bias = i16;

/// Says its version itself.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, version = 3, size(v1 = 16, v2 = 48, v3 = 48))]
#[wire(rule(gain <= 1000))]
pub struct Frame {
    #[wire(magic = b"GROW")]
    pub magic: [u8; 4],
    #[wire(version = 3)]
    pub version: u16,
    pub width: u16,
    pub height: u32,
    /// Reserved until version 3 put it to use.
    #[wire(since = 3, default = 0)]
    pub crop: u32,
    #[wire(since = 2, default = 100)]
    pub gain: u32,
    #[wire(since = 2, default = -7)]
    pub bias: Bias,
    #[wire(since = 2, default = Rows)]
    pub packing: Packing,
    #[wire(since = 2, default = Tight)]
    pub next_packing: Open<Packing>,
    #[wire(since = 2, default = Map | Fence)]
    pub abilities: Flags<Ability>,
    #[wire(since = 2, default = [1, 2])]
    pub levels: [u8; 2],
    #[wire(since = 2, default = 1.5)]
    pub scale: f32,
    #[wire(since = 2, default)]
    pub region: Region,
    #[wire(since = 2, default = "lwir", text)]
    pub name: [u8; 8],
    #[wire(since = 2, default = true)]
    pub is_hot: bool,
    #[wire(reserved, since = 2)]
    pub _pad: [u8; 3],
}

/// What is last grows, and so does what holds it; the length says the version.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 4, v2 = 10))]
pub struct Tail {
    pub kind: u16,
    pub id: u16,
    #[wire(since = 2, default = 9)]
    pub weight: u16,
    #[wire(since = 2, length_of = items, default = 1)]
    pub count: u16,
    #[wire(since = 2, default = [5])]
    pub items: [u16; 1],
}

/// Grows with what stands last in it.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, size(v1 = 12, v2 = 18))]
pub struct Message {
    #[wire(magic = b"MESG")]
    pub magic: [u8; 4],
    #[wire(version = 2)]
    pub version: u16,
    pub sequence: u16,
    pub tail: Tail,
}

const FIRST: &[u8] = b"GROW\x01\0\x80\x02\xe0\x01\0\0\xff\xff\xff\xff";

fn newest() -> Frame {
    Frame {
        magic: Frame::MAGIC,
        version: 1,
        width: 640,
        height: 480,
        crop: 0,
        gain: 100,
        bias: -7,
        packing: Packing::Rows,
        next_packing: Open::from(Packing::Tight),
        abilities: Ability::Map | Ability::Fence,
        levels: [1, 2],
        scale: 1.5,
        region: Region { x: 0, y: 0 },
        name: *b"lwir\0\0\0\0",
        is_hot: true,
        _pad: [0; 3],
    }
}

#[test]
fn an_older_version_is_read_with_the_defaults_of_what_it_has_not() {
    assert_eq!(Frame::WIRE_SIZES, [16, 48, 48]);
    assert_eq!(Frame::version_of(FIRST), Ok(1));
    assert_eq!(Frame::from_bytes(FIRST), Ok(newest()));
}

#[test]
fn what_was_reserved_is_not_looked_at_in_versions_that_had_it_reserved() {
    let mut bytes = newest().to_bytes().unwrap();
    assert_eq!(bytes[4], 3, "the newest version is written");
    bytes[12..16].copy_from_slice(&77_u32.to_le_bytes());
    assert_eq!(Frame::from_bytes(&bytes).unwrap().crop, 77);
    bytes[4] = 2;
    assert_eq!(Frame::from_bytes(&bytes).unwrap().crop, 0);
    assert_eq!(Frame::view(&bytes).unwrap().crop(), 0);
}

#[test]
fn a_view_of_an_older_version_gives_the_same_values() {
    let view = Frame::view(FIRST).unwrap();
    assert_eq!(view.as_ref(), FIRST);
    assert_eq!((view.version(), view.width(), view.crop(), view.gain(), view.bias()), (1, 640, 0, 100, -7));
    assert_eq!(view.packing(), Packing::Rows);
    assert_eq!(view.next_packing(), Open::from(Packing::Tight));
    assert_eq!(view.abilities(), Ability::Map | Ability::Fence);
    assert_eq!((view.levels(), view.scale(), view.name(), view.is_hot()), (&[1, 2][..], 1.5, "lwir", true));
    assert_eq!(view.region().x(), 0);
    assert_eq!(Frame::from(view), newest());
}

#[test]
fn the_order_of_faults_is_least_length_magic_version_length_of_that_version() {
    let refusal = |bytes: &[u8]| {
        let error = Frame::from_bytes(bytes).unwrap_err();
        assert_eq!(Frame::view(bytes).err(), Some(error));
        error.to_string()
    };
    assert_eq!(refusal(&FIRST[..15]), "Frame at byte 15: too_short: expected 16 bytes, found 15");
    assert_eq!(
        refusal(b"grow\x09\0\x80\x02\xe0\x01\0\0\0\0\0"),
        "Frame at byte 15: too_short: expected 16 bytes, found 15"
    );
    let with = |at: usize, byte: u8, length: usize| {
        let mut bytes = FIRST.to_vec();
        bytes[at] = byte;
        bytes.resize(length, 0);
        bytes
    };
    assert_eq!(
        refusal(&with(0, b'g', 17)),
        "Frame.magic at byte 0: bad_magic: expected bytes 47524f57, found bytes 67524f57"
    );
    assert_eq!(
        refusal(&with(4, 4, 17)),
        "Frame.version at byte 4: unsupported_version: expected 1 to 3, found 4"
    );
    assert_eq!(refusal(&with(4, 2, 16)), "Frame at byte 16: too_short: expected 48 bytes, found 16");
    assert_eq!(refusal(&with(4, 1, 48)), "Frame at byte 16: trailing_bytes: expected 16 bytes, found 48");
    assert_eq!(refusal(&with(4, 3, 49)), "Frame at byte 48: trailing_bytes: expected 48 bytes, found 49");
    // Behind all these, the fields and rules of the version that it is.
    let mut bytes = newest().to_bytes().unwrap();
    bytes[4] = 2;
    bytes[16..20].copy_from_slice(&1001_u32.to_le_bytes());
    assert!(refusal(&bytes).starts_with("Frame at byte 0: rule_violated: expected gain <= 1000"));
}

#[test]
fn a_newer_version_is_read_only_where_that_is_asked_for() {
    let mut bytes = newest().to_bytes().unwrap().to_vec();
    bytes.extend([1, 2, 3]);
    bytes[4] = 4;
    assert_eq!(Frame::from_bytes(&bytes).unwrap_err().code, Code::UnsupportedVersion);
    let read = Frame::from_bytes_or_newer(&bytes).unwrap();
    assert_eq!(read, Frame { version: 3, ..newest() }, "the newest that is known");
    let view = Frame::view_or_newer(&bytes).unwrap();
    assert_eq!((view.version(), view.as_ref().len()), (3, 48));
    assert_eq!(Frame::from(view).version, 3);
    // Those that are known stay exact.
    assert_eq!(Frame::from_bytes_or_newer(FIRST), Ok(newest()));
    bytes[4] = 3;
    assert_eq!(Frame::from_bytes_or_newer(&bytes).unwrap_err().code, Code::TrailingBytes);
    bytes[4] = 4;
    assert_eq!(
        Frame::from_bytes_or_newer(&bytes[..40]).unwrap_err().to_string(),
        "Frame at byte 40: too_short: expected 48 bytes, found 40"
    );
}

#[test]
fn without_a_version_field_the_length_says_the_version() {
    let tail = Tail::from_bytes(&[1, 0, 2, 0]).unwrap();
    assert_eq!(tail, Tail { kind: 1, id: 2, weight: 9, count: 1, items: [5] });
    assert_eq!(Tail::view(&[1, 0, 2, 0]).unwrap().items().get(0), Some(5));
    assert_eq!(Tail::version_of(&[0; 10]), Ok(2));
    let refusal = |length: usize| Tail::from_bytes(&[0; 12][..length]).unwrap_err().to_string();
    assert_eq!(refusal(3), "Tail at byte 3: too_short: expected 4 bytes, found 3");
    assert_eq!(refusal(5), "Tail at byte 5: too_short: expected 10 bytes, found 5");
    assert_eq!(refusal(11), "Tail at byte 10: trailing_bytes: expected 10 bytes, found 11");
    assert_eq!(Tail::from_bytes_or_newer(&[0; 11]).unwrap().weight, 0);
    assert_eq!(Tail::view_or_newer(&[0; 11]).unwrap().as_ref(), [0; 10]);
}

#[test]
fn what_stands_last_grows_with_what_holds_it() {
    let bytes = b"MESG\x01\0\x07\0\x01\0\x02\0";
    let message = Message::from_bytes(bytes).unwrap();
    assert_eq!(message.tail, Tail { kind: 1, id: 2, weight: 9, count: 1, items: [5] });
    let view = Message::view(bytes).unwrap();
    assert_eq!((view.tail().weight(), view.tail().as_ref()), (9, &bytes[8..]));
    assert_eq!(Message::from(view), message);
    let mut written = [0; 18];
    assert_eq!(message.write_version_to(1, &mut written), Ok(12));
    assert_eq!(&written[..12], bytes);
    let other = Message { tail: Tail { weight: 8, ..message.tail.clone() }, ..message };
    assert_eq!(
        other.write_version_to(1, &mut written).unwrap_err().to_string(),
        "Tail.weight at byte 12: unsupported_version: expected its default, before version 2"
    );
    assert_eq!(other.write_version_to(2, &mut written), Ok(18));
}

#[test]
fn a_value_is_written_as_an_older_version_has_it_or_refused() {
    let frame = newest();
    let mut bytes = [0xee; 64];
    assert_eq!(frame.write_version_to(1, &mut bytes), Ok(16));
    assert_eq!(&bytes[..12], &FIRST[..12]);
    assert_eq!(bytes[12..17], [0, 0, 0, 0, 0xee], "what is reserved there is zero");
    assert_eq!(frame.write_version_to(2, &mut bytes), Ok(48));
    assert_eq!(Frame::from_bytes(&bytes[..48]), Ok(Frame { version: 2, ..newest() }));
    let refusal = |frame: &Frame, version: u32, capacity: usize| {
        let mut bytes = [0xee; 64];
        let error = frame.write_version_to(version, &mut bytes[..capacity]).unwrap_err();
        assert_eq!(bytes, [0xee; 64], "nothing is written when it is refused");
        error.to_string()
    };
    assert_eq!(refusal(&frame, 0, 64), "Frame at byte 0: unsupported_version: expected 1 to 3, found 0");
    assert_eq!(refusal(&frame, 4, 64), "Frame at byte 0: unsupported_version: expected 1 to 3, found 4");
    assert_eq!(refusal(&frame, 1, 15), "Frame at byte 15: too_short: expected 16 bytes, found 15");
    let cropped = Frame { crop: 1, ..newest() };
    assert_eq!(
        refusal(&cropped, 2, 64),
        "Frame.crop at byte 12: unsupported_version: expected its default, before version 3"
    );
    assert!(cropped.write_version_to(3, &mut [0; 48]).is_ok());
    let named = Frame { name: [0; 8], ..newest() };
    assert!(refusal(&named, 1, 64).starts_with("Frame.name at byte 36: unsupported_version"));
    assert!(refusal(&Frame { gain: 1001, ..newest() }, 1, 64).contains("rule_violated"));
}

#[test]
fn a_prefix_ends_where_its_version_field_says() {
    let mut bytes = FIRST.to_vec();
    bytes.extend([9; 40]);
    let (frame, rest) = Frame::read_prefix(&bytes).unwrap();
    assert_eq!((frame, rest), (newest(), &[9; 40][..]));
    bytes[4] = 2;
    assert_eq!(
        Frame::read_prefix(&bytes[..40]).unwrap_err().to_string(),
        "Frame at byte 40: too_short: expected 48 bytes, found 40"
    );
}

#[test]
fn every_part_of_growing_is_part_of_the_wire_id() {
    /// One field behind another.
    macro_rules! contract {
        ($name:ident, $($wire:tt)*) => {{
            #[derive(WireContract, Clone, Debug, PartialEq)]
            #[repr(C)]
            #[wire(descriptor, $($wire)*)]
            struct Thing { a: u16, b: u16 }
            Thing::WIRE_ID
        }};
    }
    let one = contract!(A, size = 4);
    assert_ne!(one, contract!(B, size(v1 = 4)), "one that may grow is another contract");
    macro_rules! grown {
        ($since:literal, $default:literal, $($wire:tt)*) => {{
            #[derive(WireContract, Clone, Debug, PartialEq)]
            #[repr(C)]
            #[wire(descriptor, $($wire)*)]
            struct Thing { a: u16, #[wire(since = $since, default = $default)] b: u16 }
            Thing::WIRE_ID
        }};
    }
    let ids = [
        one,
        contract!(C, size(v1 = 4)),
        grown!(2, 0, size(v1 = 2, v2 = 4)),
        grown!(2, 1, size(v1 = 2, v2 = 4)),
    ];
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id), "{ids:x?}");
    }
}
