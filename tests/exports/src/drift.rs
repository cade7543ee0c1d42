//! A function that a later version of the library has in another form, under the same symbol.

#[cfg(not(scale = "missing"))]
use wirecontract::wire_export;

/// Scales a value.
#[cfg(scale = "declared")]
#[wire_export(prefix = "rig")]
pub fn scale(value: f64, factor: f64) -> f64 {
    value * factor
}

/// Scales a value.
#[cfg(scale = "renamed")]
#[wire_export(prefix = "rig")]
pub fn scale(value: f64, gain: f64) -> f64 {
    value * gain
}

/// Scales a value.
#[cfg(scale = "removed")]
#[wire_export(prefix = "rig")]
pub fn scale(value: f64) -> f64 {
    value
}

/// Scales a value.
#[cfg(scale = "retyped")]
#[wire_export(prefix = "rig")]
pub fn scale(value: f64, factor: f32) -> f64 {
    value * f64::from(factor)
}

/// Scales a value.
#[cfg(scale = "reordered")]
#[wire_export(prefix = "rig")]
pub fn scale(factor: f64, value: f64) -> f64 {
    value * factor
}

/// Scales a value.
#[cfg(scale = "gained")]
#[wire_export(prefix = "rig")]
pub fn scale(value: f64, factor: f64, offset: f64) -> f64 {
    value * factor + offset
}
