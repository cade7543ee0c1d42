//! What the generated classes of `contracts` are made of: a descriptor is an image of its bytes, and a table that says what
//! stands where in it; a recipe or a union is the declared value.
//!
//! A class has the constructor, the errors and the values of the pure module's, whose enumerations, flags and `WireError`
//! it uses.

mod argument;
mod buffer;
mod construct;
mod descriptor;
mod document;
mod get;
mod image;
mod layout;
mod message;
mod messages;
mod owned;
mod plain;
mod pure;
mod put;
mod quick;
mod values;

pub(crate) use argument::Argument;
pub(crate) use descriptor::{
    Descriptor, Grown, construct, from_bytes, from_bytes_or_newer, get_buffer, hash, is_equal, read_prefix,
    reduce, replace, repr, to_bytes, to_bytes_of, validate_import, value, version_of,
};
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use descriptor::{declared, prefixed};
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use document::{
    Document, any, are_equal, construct_document, descriptor, from_dict, from_json, from_json_lenient,
    hash_values, json, member, no_variant, or_default, reduce_values, replace_values, repr_values,
    taken_array, taken_descriptor, taken_flags, taken_json, taken_texts, taken_value, texts, to_dict,
    to_json, tuple, unknown_variant, validate_document, with_defaults,
};
pub(crate) use image::Image;
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use image::found;
pub(crate) use layout::{Element, Endian, Field, Gap, Layout, Role, Scalar, kept, make};
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use message::{
    Carried, MessageClass, Of, close_message, construct_message, detach_message, from_message, group,
    import_message, is_closed, made, no_copies, part, quick_tail, repr_message, to_message,
};
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use messages::{
    Choice, Holds, MessagesClass, Variant, close_choice, construct_open, construct_variant, detach_choice,
    import_choice, is_choice_closed, of_messages, open_fds, reduce_choice, value_of, write_choice,
};
#[allow(unused_imports, reason = "the classes use what some contract has")]
pub(crate) use quick::{
    quick_bool, quick_bytes, quick_descriptor, quick_document, quick_flags, quick_float, quick_integer,
    quick_items, quick_json, quick_named, quick_open, quick_single, quick_text, quick_texts, quick_value,
};
pub(crate) use values::Values;
