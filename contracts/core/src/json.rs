//! JSON contracts: recipes and unions, as documents.
//!
//! A document is read once, as it comes, by code that knows what is right and says nothing of what is wrong. Only when
//! it stops is the document looked at again: its UTF-8, its syntax, its keys, then by declared order.

mod bounds;
mod check;
mod defaults;
mod document;
mod keys;
mod least;
mod members;
mod number;
mod object;
mod open_name;
mod probe;
mod reader;
mod rules;
#[cfg(feature = "serde")]
pub(crate) mod serde_door;
mod shape;
mod spelling;
mod text;
mod tried;
mod types;
mod unknown;
mod value;
mod walk;
mod writer;

pub use bounds::{Base64, Bounds, DecimalString, Hex, Key, Plain, Stop, Uuid};
pub use check::{
    check_bits, check_content, check_flatten, check_float, check_integer, check_max_items, check_max_len,
    check_number, check_one_size, check_part, check_recipe, check_spelled,
};
pub use defaults::{Floating, ListOf, Numeric, OtherwiseDefault, Takes, Written, check_default};
pub use document::WireJson;
pub use keys::{Keys, check_keys};
pub use least::{Least, check_max_bytes, check_max_depth};
pub use members::{Members, Part, missing, most_positions, put_members, required};
pub use object::{Object, Rest, Tag, choose, read_object, take_lenient_tag, take_tag, write_object};
pub use open_name::OpenName;
pub use probe::{MembersOf, Nobody};
pub use reader::{Before, Reader};
pub use shape::{JsonShape, Spelled, json_wire_id, json_words, json_words_length};
pub use tried::{Tried, check_tried};
pub use types::JsonType;
pub use types::values::{read as read_enumeration, write as write_enumeration};
pub use unknown::UnknownVariant;
pub use value::Json;
pub use writer::Writer;

/// What a recipe or a union is besides [`Members`]: the type of a key, and serde's.
#[doc(hidden)]
#[macro_export]
macro_rules! __members_impls {
    ($contract:ident) => {
        #[automatically_derived]
        impl $crate::__private::JsonType for $contract {
            const SHAPE: $crate::__private::JsonShape = $crate::__private::JsonShape::members::<Self>();

            fn read(
                reader: &mut $crate::__private::Reader<'_>,
                place: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<Self, $crate::__private::Stop> {
                $crate::__private::read_object(reader, place)
            }

            fn write(
                &self,
                writer: &mut $crate::__private::Writer,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<(), $crate::__private::Stop> {
                $crate::__private::write_object(self, writer)
            }

            fn import(&self, fd_count: usize) -> ::core::result::Result<(), $crate::WireError> {
                $crate::__private::Members::import(self, fd_count)
            }

            fn fill(&mut self) {
                $crate::__private::Members::fill(self)
            }
        }

        $crate::__serde_impls!($contract);
    };
}

/// Nothing: the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($contract:ident) => {};
}

/// The JSON type of an enumeration that was refused.
#[doc(hidden)]
#[macro_export]
macro_rules! __refused_json_type {
    ({ $($generics:tt)* } $enumeration:ty, { $($clause:tt)* }) => {
        #[automatically_derived]
        impl $($generics)* $crate::__private::JsonType for $enumeration $($clause)* {
            const SHAPE: $crate::__private::JsonShape = $crate::__private::JsonShape::enumeration::<Self>(false);

            fn read(
                _: &mut $crate::__private::Reader<'_>,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<Self, $crate::__private::Stop> {
                ::core::unimplemented!()
            }

            fn write(
                &self,
                _: &mut $crate::__private::Writer,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<(), $crate::__private::Stop> {
                ::core::unimplemented!()
            }
        }
    };
}
