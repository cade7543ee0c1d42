//! What is no function of C, as a whole; and keys.

#![allow(unused_variables)]

use wirecontract::{WireContract, wire_export, wire_library};

#[wire_export]
pub async fn later() {}

#[wire_export]
pub fn generic<T>(it: &T) {}

#[wire_export]
pub fn named<'a>(it: &'a str) {}

#[wire_export]
pub extern "system" fn system() {}

#[wire_export]
#[unsafe(no_mangle)]
pub fn mangled() {}

#[wire_export]
#[unsafe(export_name = "other")]
pub fn exported() {}

#[wire_export]
pub struct Struct;

#[wire_export(prefix = "Sensor")]
pub fn prefix() {}

#[wire_export(prefix = 3, prefix = "a", other, c_name = "1st")]
pub fn keys() {}

#[wire_export(prefix = "a")]
pub fn last_error() {}

#[wire_export(prefix = "a")]
pub fn a_mean_wire_id() {}

#[wire_export]
pub fn parameters(
    #[wire(other)] a: u8,
    #[wire(names(b))] b: u8,
    #[wire(was = c)] c: u8,
    #[wire(was = a)] d: u8,
    #[cfg(all())] e: u8,
) {
}

#[wire_export]
pub fn callback(
    #[wire(names(a))] a: &mut dyn FnMut(u8, u8) -> Result<(), wirecontract::CallbackError>,
    #[wire(names(a, a))] b: &mut dyn FnMut(u8, u8) -> Result<(), wirecontract::CallbackError>,
) {
}

#[derive(WireContract)]
#[wire(handle, exclusive)]
pub struct Camera;

pub trait Opens {
    fn open();
}

#[wire_export]
impl Opens for Camera {
    fn open() {}
}

pub struct Boxed<T>(T);

#[wire_export]
impl<T> Boxed<T> {}

#[wire_export(c_name = "camera")]
impl Camera {
    pub fn destroy(&self) {}

    pub fn boxed(self: Box<Self>) {}

    #[wire(since = 0)]
    pub fn since(&self) {}

    #[wire(skip, c_name = "skipped")]
    pub fn skipped(&self) {}

    #[wire(c_name = "hidden")]
    fn hidden(&self) {}

    pub async fn wait(&self) {}

    #[cfg_attr(all(), inline, wire(skip))]
    #[cfg_attr(any(), cfg_attr(all(), wire(since = 2)))]
    pub fn conditional(&self) {}
}

#[wire_export(prefix = "a", version = 0)]
pub fn before_the_first() {}

#[wire_export(prefix = "a", version = 2, version = 3)]
pub fn two_versions() {}

wire_library!(prefix = "9");
wire_library!(prefixes = "a");

fn main() {
    mangled();
    keys();
    parameters(1, 2, 3, 4, 5);
    Camera.destroy();
    Camera.hidden();
}
