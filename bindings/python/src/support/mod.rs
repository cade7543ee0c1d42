//! What the generated classes of `contracts` are made of: a descriptor is an image of its bytes, and a table that says what
//! stands where in it.
//!
//! A class has the constructor, the errors and the values of the pure module's, whose enumerations, flags and `WireError`
//! it uses.

mod argument;
mod buffer;
mod construct;
mod descriptor;
mod get;
mod image;
mod layout;
mod pure;
mod put;
mod values;

pub(crate) use argument::Argument;
pub(crate) use descriptor::{
    Descriptor, Grown, construct, from_bytes, from_bytes_or_newer, get_buffer, hash, is_equal, read_prefix,
    reduce, replace, repr, to_bytes, to_bytes_of, validate_import, value, version_of,
};
pub(crate) use image::Image;
pub(crate) use layout::{Element, Endian, Field, Gap, Layout, Role, Scalar, kept, make};
pub(crate) use values::Values;
