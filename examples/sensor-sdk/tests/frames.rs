//! What an author would check of the declarations.

use sensor_sdk::frame::{FrameFlag, FrameHeader, PixelFormat, Region};
use sensor_sdk::unit::{Calibration, CameraInfo, Model};
use wirecontract::{Code, Enumeration, Flags, Open, WireContract};

fn header() -> FrameHeader {
    let mut header = FrameHeader {
        magic: FrameHeader::MAGIC,
        version: FrameHeader::VERSION,
        format: PixelFormat::Kelvin,
        flags: FrameFlag::Saturated | FrameFlag::AfterGap,
        sequence: 7,
        timestamp_ns: 1_000_000_007,
        window: Region { x: 0, y: 0, width: 640, height: 512 },
        hot_spots: [Region::default(); 4],
        hot_spot_count: 0,
        _pad: 0,
    };
    header.set_hot_spots(&[Region { x: 10, y: 20, width: 3, height: 4 }]).expect("one fits in four");
    header
}

#[test]
fn a_header_survives_the_wire() {
    let bytes = header().to_bytes().expect("legal");
    assert_eq!(bytes.len(), 72);
    assert_eq!(FrameHeader::from_bytes(&bytes), Ok(header()));
    let view = FrameHeader::view(&bytes).expect("legal");
    assert_eq!(view.hot_spots().get(0).map(|region| region.x()), Some(10));
    assert_eq!(view.format().bytes_per_pixel(), 4);
}

#[test]
fn a_count_beyond_its_array_is_refused_at_the_count() {
    let mut bytes = header().to_bytes().expect("legal");
    bytes[64] = 5;
    let error = FrameHeader::from_bytes(&bytes).expect_err("five of four");
    assert_eq!((error.code, error.field, error.offset), (Code::LengthExceeds, "hot_spot_count", 64));
    assert_eq!(
        error.to_string(),
        "FrameHeader.hot_spot_count at byte 64: length_exceeds: expected at most 4, found 5"
    );
}

#[test]
fn a_model_from_a_newer_driver_is_kept() {
    let mut info = CameraInfo {
        magic: CameraInfo::MAGIC,
        model: Open::from_raw(900),
        firmware: 0x0102,
        serial: 42,
        label: [0; 32],
        bad_rows: [0; 6],
        bad_row_count: 0,
        reserved: 0,
    };
    info.set_label("north gate").expect("fits");
    info.set_bad_rows(&[7, 300]).expect("fits");
    let read = CameraInfo::from_bytes(&info.to_bytes().expect("legal")).expect("legal");
    assert_eq!((read.model.known(), read.model.raw(), read.label()), (None, 900, Ok("north gate")));
    assert_eq!(Model::from_name("mwir"), Some(Model::Mwir320));
}

#[test]
fn a_calibration_block_is_packed_and_big_endian() {
    let block = Calibration {
        version: Calibration::VERSION,
        taken_at: 1,
        gain_offset: [0.5, 273.15],
        planck: [1.0, 2.0, 3.0],
        shutter_centikelvin: -1,
        with_lens: true,
        spare: 9,
    };
    let bytes = block.to_bytes().expect("legal");
    assert_eq!(bytes.len(), 43);
    assert_eq!(bytes[..9], [2, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!((bytes[37..41].to_vec(), bytes[41], bytes[42]), (vec![0xff; 4], 1, 0));
    assert_eq!(Flags::<FrameFlag>::from_bits(8), None);
}
