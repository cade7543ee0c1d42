//! Attributes of Rust on functions that are exported.

#![deny(deprecated, unused)]

use wirecontract::{WireContract, wire_export};

use super::c::Handle;

/// A lamp.
#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "t")]
pub struct Lamp {
    level: u32,
}

// Under a condition that does not hold stands what would be an error or a second function of the same symbol.
#[wire_export(prefix = "t")]
impl Lamp {
    pub fn new() -> Self {
        Lamp { level: 3 }
    }

    #[cfg(any())]
    pub fn level(&self) -> Nowhere {
        0
    }

    #[cfg(test)]
    pub fn level(&self) -> u32 {
        self.level
    }

    #[cfg_attr(all(), cfg(any()), allow(dead_code))]
    pub fn dim(&mut self) -> Nowhere {
        0
    }

    #[cfg_attr(any(), cfg(any()))]
    #[cfg_attr(all(), inline, cfg_attr(all(), cfg(all())))]
    #[cfg(not(any()))]
    pub fn dim(&mut self) -> u32 {
        self.level -= 1;
        self.level
    }

    /// As it was.
    #[deprecated(note = "dim it")]
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::unused_self, non_snake_case)]
    #[inline(never)]
    #[cold]
    #[track_caller]
    pub fn old(&self, by: u32) -> u32 {
        let UNUSUAL = 7;
        UNUSUAL * by
    }
}

#[wire_export(prefix = "t")]
#[cfg(any())]
impl Lamp {
    pub fn nowhere(&self) -> u32 {
        nowhere()
    }
}

#[wire_export(prefix = "t")]
#[cfg(test)]
impl Lamp {
    #[cfg(any())]
    pub fn bright(&self) -> bool {
        nowhere()
    }

    pub fn bright(&self) -> bool {
        self.level > 1
    }
}

#[wire_export(prefix = "t")]
#[cfg_attr(all(), cfg(any()))]
fn either() -> u32 {
    nowhere()
}

#[wire_export(prefix = "t")]
#[cfg_attr(any(), cfg(any()))]
#[deprecated]
fn either() -> u32 {
    5
}

unsafe extern "C" {
    fn t_lamp_new(out: *mut Handle) -> i32;
    fn t_lamp_level(lamp: Handle, out: *mut u32) -> i32;
    fn t_lamp_dim(lamp: Handle, out: *mut u32) -> i32;
    fn t_lamp_old(lamp: Handle, by: u32, out: *mut u32) -> i32;
    fn t_lamp_bright(lamp: Handle, out: *mut u8) -> i32;
    fn t_either(out: *mut u32) -> i32;
}

#[test]
fn a_function_of_c_is_there_under_the_conditions_of_its_function_and_of_the_impl() {
    let (mut lamp, mut out, mut is_bright) = (Handle::NONE, 0, 0);
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(t_lamp_new(&raw mut lamp), 0);
        assert_eq!((t_lamp_level(lamp, &raw mut out), out), (0, 3));
        assert_eq!((t_lamp_dim(lamp, &raw mut out), out), (0, 2));
        assert_eq!((t_lamp_bright(lamp, &raw mut is_bright), is_bright), (0, 1));
        assert_eq!((t_either(&raw mut out), out), (0, 5));
    }
}

#[test]
fn what_rust_warns_of_it_says_at_calls_in_rust_alone() {
    let (mut lamp, mut out) = (Handle::NONE, 0);
    // SAFETY: as the header says.
    unsafe {
        assert_eq!(t_lamp_new(&raw mut lamp), 0);
        assert_eq!((t_lamp_old(lamp, 2, &raw mut out), out), (0, 14));
    }
}
