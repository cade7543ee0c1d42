//! Memory that is not copied: structs of C, and pointers of which nothing is known.

use std::ffi::c_void;

use wirecontract::{Failure, WireContract, wire_export};

/// A point.
#[derive(WireContract, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[wire(abi)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// What its owner thinks of it.
    pub tag: *mut c_void,
}

/// The point between two.
#[wire_export(prefix = "rig")]
pub fn middle(a: &Point, b: Option<&Point>) -> Point {
    let b = b.unwrap_or(a);
    Point { x: f64::midpoint(a.x, b.x), y: f64::midpoint(a.y, b.y), tag: a.tag }
}

/// Moves a point.
#[wire_export(prefix = "rig")]
pub fn shift(point: &mut Point, by: Point) {
    point.x += by.x;
    point.y += by.y;
}

/// The sum of all coordinates.
#[wire_export(prefix = "rig")]
pub fn sum(points: &[Point]) -> f64 {
    points.iter().map(|point| point.x + point.y).sum()
}

/// Counts bytes until one is zero.
///
/// # Safety
/// `bytes` points to bytes of which one is zero.
///
/// # Errors
/// When it is null.
#[wire_export(prefix = "rig")]
pub unsafe fn count(bytes: *const u8) -> Result<usize, Failure> {
    if bytes.is_null() {
        return Err(Failure::from("no bytes"));
    }
    let mut length = 0;
    // SAFETY: as the caller promises, there is a zero ahead of everything that is not to be read.
    while unsafe { *bytes.add(length) } != 0 {
        length += 1;
    }
    Ok(length)
}
