//! The same bytes on every machine: 64 and 32 bits, little- and big-endian.

use wirecontract::{Code, Contract, Flags, Open, WireContract};
use wirecontract_msrv::{Defect, Event, Frame, Local, Mode, Quantity, Sample};

fn sample() -> Sample {
    Sample {
        time: 0x0102_0304_0506_0708,
        quantity: Quantity::Pressure,
        valid: true,
        defects: Flags::from(Defect::Clipped) | Defect::Interpolated,
        mode: Open::from(Mode::Averaged),
        value: 1.5,
        spare: [0; 8],
    }
}

fn frame() -> Frame {
    let mut name = [0; 12];
    name[..5].copy_from_slice(b"front");
    let nothing = Sample {
        time: 0,
        quantity: Quantity::None,
        valid: false,
        defects: Flags::empty(),
        mode: Open::from(Mode::Single),
        value: 0.0,
        spare: [0; 8],
    };
    Frame {
        magic: Frame::MAGIC,
        version: 2,
        count: 1,
        samples: [sample(), nothing],
        name,
        checksum: 0x1122_3344,
        grid: [[1, -1, 2], [-2, 3, -3]],
        tilt: -5,
        spare: [0; 3],
        ticks: -2,
        gain: -0.5,
        serial: 0xA1B2_C3D4,
        bytes: 1 << 40,
        taps: [1, 2, 3, 0xFFFF],
    }
}

const SAMPLE: [u8; 32] = [
    8, 7, 6, 5, 4, 3, 2, 1, // time
    2, 1, 1, 0x80, // quantity, valid, defects
    0xF9, 0xFF, 0xFF, 0xFF, // mode
    0, 0, 0, 0, 0, 0, 0xF8, 0x3F, // value
    0, 0, 0, 0, 0, 0, 0, 0, // spare
];

fn frame_bytes() -> [u8; 136] {
    let mut bytes = [0; 136];
    bytes[..8].copy_from_slice(b"FRME\0\x02\0\x01");
    bytes[8..40].copy_from_slice(&SAMPLE);
    bytes[72..77].copy_from_slice(b"front");
    bytes[84..88].copy_from_slice(&[0x44, 0x33, 0x22, 0x11]);
    bytes[88..100].copy_from_slice(&[0, 1, 0xFF, 0xFF, 0, 2, 0xFF, 0xFE, 0, 3, 0xFF, 0xFD]);
    bytes[100] = 0xFB;
    bytes[104..112].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]);
    bytes[112..120].copy_from_slice(&[0xBF, 0, 0, 0, 0xA1, 0xB2, 0xC3, 0xD4]);
    bytes[120..128].copy_from_slice(&[0, 0, 1, 0, 0, 0, 0, 0]);
    bytes[128..].copy_from_slice(&[0, 1, 0, 2, 0, 3, 0xFF, 0xFF]);
    bytes
}

#[test]
fn a_sample_has_the_declared_bytes() {
    assert_eq!(sample().to_bytes(), Ok(SAMPLE));
    assert_eq!(Sample::from_bytes(&SAMPLE), Ok(sample()));
}

#[test]
fn a_frame_has_the_declared_bytes() {
    assert_eq!(frame().to_bytes(), Ok(frame_bytes()));
    assert_eq!(Frame::from_bytes(&frame_bytes()), Ok(frame()));
}

#[test]
fn bytes_need_no_alignment() {
    let mut shifted = [0; 137];
    shifted[1..].copy_from_slice(&frame_bytes());
    let (value, rest) = Frame::read_prefix(&shifted[1..]).unwrap();
    assert_eq!((value, rest.len()), (frame(), 0));
}

#[test]
fn packed_bytes_have_no_gaps() {
    let event = Event { code: 9, time: 0x0807_0605_0403_0201, count: 0x0D0C_0B0A };
    let bytes = [9, 1, 2, 3, 4, 5, 6, 7, 8, 0x0A, 0x0B, 0x0C, 0x0D];
    assert_eq!(event.to_bytes(), Ok(bytes));
    assert_eq!(Event::from_bytes(&bytes), Ok(event));
}

#[test]
fn native_bytes_are_the_machines() {
    let local = Local { fd: -3, page: 7 };
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&(-3_i32).to_ne_bytes());
    bytes[4..].copy_from_slice(&7_u32.to_ne_bytes());
    assert_eq!(local.to_bytes(), Ok(bytes));
    assert_eq!(Local::from_bytes(&bytes), Ok(local));
}

#[test]
fn a_counted_field_gives_and_takes_its_valid_elements() {
    let mut value = frame();
    assert_eq!(value.samples(), [sample()]);
    value.set_samples(&[sample(), sample()]).unwrap();
    assert_eq!(value.count, 2);
    assert_eq!(value.to_bytes().unwrap()[6..8], [0, 2]);
}

#[test]
fn every_refusal_names_contract_field_and_offset() {
    let refusal = |change: fn(&mut [u8; 136])| {
        let mut bytes = frame_bytes();
        change(&mut bytes);
        let error = Frame::from_bytes(&bytes).unwrap_err();
        assert_eq!(Frame::view(&bytes).err(), Some(error));
        (error.code, error.contract, error.field, error.offset)
    };
    assert_eq!(refusal(|bytes| bytes[0] = b'f'), (Code::BadMagic, "Frame", "magic", 0));
    assert_eq!(refusal(|bytes| bytes[5] = 3), (Code::UnsupportedVersion, "Frame", "version", 4));
    assert_eq!(refusal(|bytes| bytes[7] = 3), (Code::LengthExceeds, "Frame", "count", 6));
    assert_eq!(refusal(|bytes| bytes[40 + 8] = 9), (Code::UnknownValue, "Sample", "quantity", 48));
    assert_eq!(refusal(|bytes| bytes[8 + 9] = 2), (Code::UnknownValue, "Sample", "valid", 17));
    assert_eq!(refusal(|bytes| bytes[8 + 10] = 2), (Code::UnknownBits, "Sample", "defects", 18));
    assert_eq!(refusal(|bytes| bytes[8 + 31] = 1), (Code::ReservedNotZero, "Sample", "spare", 32));
    assert_eq!(refusal(|bytes| bytes[78] = 1), (Code::BadText, "Frame", "name", 72));
}

#[test]
fn a_wrong_length_is_refused_before_anything_else() {
    let bytes = [0; 137];
    let short = Frame::from_bytes(&bytes[..135]).unwrap_err();
    assert_eq!((short.code, short.offset), (Code::TooShort, 135));
    let long = Frame::from_bytes(&bytes).unwrap_err();
    assert_eq!((long.code, long.offset), (Code::TrailingBytes, 136));
}

#[test]
fn what_a_newer_side_sends_is_kept_where_it_may() {
    let mut bytes = SAMPLE;
    bytes[12..16].copy_from_slice(&77_i32.to_le_bytes());
    let value = Sample::from_bytes(&bytes).unwrap();
    assert_eq!((value.mode.raw(), value.mode.known()), (77, None));
    assert_eq!(value.to_bytes(), Ok(bytes));
}

#[test]
fn the_data_of_a_value_is_asked_of_the_value() {
    assert_eq!((Quantity::Pressure.unit(), Quantity::Temperature.digits()), ("Pa", 2));
    assert_eq!(Quantity::None.unit(), "");
}

#[test]
fn a_refusal_reads_the_same_everywhere() {
    let mut bytes = frame_bytes();
    bytes[8 + 10] = 2;
    assert_eq!(
        Frame::from_bytes(&bytes).unwrap_err().to_string(),
        "Sample.defects at byte 18: unknown_bits: expected bits within 0x8001, found 32770"
    );
}

#[test]
fn contracts_have_distinct_ids() {
    assert_ne!(Frame::WIRE_ID, Sample::WIRE_ID);
    assert_ne!(Frame::WIRE_ID, Frame::SOURCE_ID);
}

/// Figures, and not a comparison of two builds, since a build for one machine does not see another's.
#[test]
fn ids_are_the_same_on_every_machine() {
    assert_eq!([Frame::WIRE_ID, Local::WIRE_ID], [0x3a19_1b64_a322_69a4, 0xb831_5dbf_4efc_ab18]);
}
