//! Writes one frame header to standard output: `cargo run --example frame > frame.bin`.

use std::io::Write;

use sensor_sdk::frame::{FrameFlag, FrameHeader, PixelFormat, Region};
use wirecontract::WireContract;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut header = FrameHeader {
        magic: FrameHeader::MAGIC,
        version: FrameHeader::VERSION,
        format: PixelFormat::Kelvin,
        flags: FrameFlag::Saturated.into(),
        sequence: 41,
        timestamp_ns: 1_700_000_000_000_000_000,
        window: Region { x: 0, y: 0, width: 640, height: 512 },
        hot_spots: [Region::default(); 4],
        hot_spot_count: 0,
        _pad: 0,
    };
    header.set_hot_spots(&[Region { x: 320, y: 200, width: 12, height: 9 }])?;
    std::io::stdout().write_all(&header.to_bytes()?)?;
    Ok(())
}
