//! From what a sensor counts to temperatures, and from these to colours that people see.

use wirecontract::{Code, Failure, WireContract, wire_export};

use crate::unit::Calibration;

/// Fills `kelvin` with the temperatures that `counts` stand for, one for each.
///
/// `kelvin` is as long as `counts`, else it fails with `length_exceeds`.
#[wire_export(prefix = "sensor")]
pub fn sensor_calibrate(
    calibration: &Calibration,
    counts: &[u16],
    kelvin: &mut [f32],
) -> Result<(), Failure> {
    if kelvin.len() != counts.len() {
        let message = format!("expected room for {} temperatures, found {}", counts.len(), kelvin.len());
        return Err(Failure::new(Code::LengthExceeds, message));
    }
    let [gain, offset] = calibration.gain_offset;
    for (kelvin, &count) in kelvin.iter_mut().zip(counts) {
        *kelvin = (f64::from(count) * gain + offset) as f32;
    }
    Ok(())
}

/// Greys for a range of temperatures, black to white. It is never changed: any threads use one at the same time.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "sensor")]
pub struct Palette {
    coldest: f32,
    hottest: f32,
}

#[wire_export(prefix = "sensor")]
impl Palette {
    /// A palette from `coldest` (black) to `hottest` (white), in Kelvin.
    ///
    /// Fails with `out_of_range` where the second is not above the first.
    pub fn between(coldest: f32, hottest: f32) -> Result<Self, Failure> {
        if coldest < hottest {
            Ok(Palette { coldest, hottest })
        } else {
            let message = format!("expected the hottest above {coldest} Kelvin, found {hottest}");
            Err(Failure::new(Code::OutOfRange, message))
        }
    }

    /// Fills `rgba` with the colours of temperatures in Kelvin: four bytes for each, opaque, what is beyond the range at
    /// its end.
    ///
    /// Fails with `length_exceeds` where `rgba` is not four times as long as `kelvin`.
    pub fn paint(&self, kelvin: &[f32], rgba: &mut [u8]) -> Result<(), Failure> {
        if rgba.len() / 4 != kelvin.len() || rgba.len() % 4 != 0 {
            let message = format!("expected room for {} colours, found {} bytes", kelvin.len(), rgba.len());
            return Err(Failure::new(Code::LengthExceeds, message));
        }
        for (&kelvin, rgba) in kelvin.iter().zip(rgba.chunks_exact_mut(4)) {
            let share = (kelvin - self.coldest) / (self.hottest - self.coldest);
            let grey = (share.clamp(0.0, 1.0) * 255.0).round() as u8;
            rgba.copy_from_slice(&[grey, grey, grey, 255]);
        }
        Ok(())
    }
}
