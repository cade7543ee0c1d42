//! Enumerations: named integers, closed unless wrapped in [`Open`](crate::Open).

use crate::Contract;
use crate::scalar::Integer;

/// A fieldless enum with a fixed integer type and explicit values. Implemented by `#[derive(WireContract)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enumeration contract",
    note = "derive `WireContract` on a fieldless enum with a `repr` and explicit values, and mark it `#[wire(enumeration)]`"
)]
pub trait Enumeration: Contract + Copy + 'static {
    /// The integer that stands for a value.
    type Repr: Integer;

    /// Every value with its names, by ascending number.
    const VALUES: &'static [Value<Self>];

    /// Whether one of the values is 0.
    #[doc(hidden)]
    const HAS_ZERO: bool;

    /// Whether JSON spells a value by its name, and by its number otherwise.
    const SPELLED_AS_NAMES: bool = true;

    /// Whether a name is read in any case, and with ASCII white space around it.
    const FOLD: bool = false;

    /// The value that a number stands for.
    fn from_value(number: Self::Repr) -> Option<Self>;

    /// The value of a number that has one; some value for any other. Shorter than a way through `Option`.
    #[doc(hidden)]
    fn from_valid(number: Self::Repr) -> Self;

    /// The number that stands for the value.
    fn value(self) -> Self::Repr;

    /// The name as text carries it.
    fn name(self) -> &'static str;

    /// The value of that name, or of that alias.
    fn from_name(name: &str) -> Option<Self> {
        let name = if Self::FOLD { name.trim_ascii() } else { name };
        let is_it = |other: &str| if Self::FOLD { other.eq_ignore_ascii_case(name) } else { other == name };
        Self::VALUES
            .iter()
            .find(|value| is_it(value.name) || value.aliases.iter().any(|alias| is_it(alias)))
            .map(|value| value.value)
    }
}

/// A value of an enumeration or of flags, with the names it has.
#[derive(Clone, Copy, Debug)]
pub struct Value<E: 'static> {
    /// The value.
    pub value: E,
    /// The name as text carries it.
    pub name: &'static str,
    /// Names that are read and never written.
    pub aliases: &'static [&'static str],
}

/// What the derive calls for an enumeration in bytes.
pub mod wire {
    use super::Enumeration;
    use crate::error::{At, Refuse};
    use crate::scalar::Integer;
    use crate::wire_type::Endian;

    /// Refuses a number without a name.
    #[inline(always)]
    pub fn validate<E: Enumeration, R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R> {
        let number = E::Repr::get(bytes, endian);
        match E::from_value(number) {
            Some(_) => Ok(()),
            None => Err(R::value(at, E::NAME, number.found())),
        }
    }

    /// The value of bytes that were validated in the same function: the optimiser sees that there is one.
    #[inline(always)]
    pub fn decode<E: Enumeration>(bytes: &[u8], endian: Endian) -> E {
        E::from_value(E::Repr::get(bytes, endian)).unwrap_or(E::VALUES[0].value)
    }

    /// The value of bytes that were validated elsewhere, as those of a view were.
    #[inline(always)]
    pub fn view<E: Enumeration>(bytes: &[u8], endian: Endian) -> E {
        E::from_valid(E::Repr::get(bytes, endian))
    }

    /// Writes the number.
    #[inline(always)]
    pub fn encode<E: Enumeration>(value: &E, bytes: &mut [u8], endian: Endian) {
        value.value().put(bytes, endian);
    }
}

/// The wire type of an enumeration, from its `Enumeration` impl.
#[doc(hidden)]
#[macro_export]
macro_rules! __enumeration_wire_type {
    ($enumeration:ident) => {
        #[automatically_derived]
        impl __wire::WireType for $enumeration {
            const SHAPE: __wire::Shape = __wire::Shape::enumeration::<Self>(false);
            type View<'a> = Self;
            type Slice<'a> = __wire::ArrayView<'a, Self>;

            #[inline(always)]
            fn validate<R: __wire::Refuse>(
                bytes: &[u8],
                endian: __wire::Endian,
                at: __wire::At,
            ) -> ::core::result::Result<(), R> {
                __wire::enumeration::validate::<Self, R>(bytes, endian, at)
            }

            #[inline(always)]
            fn decode(bytes: &[u8], endian: __wire::Endian) -> Self {
                __wire::enumeration::decode(bytes, endian)
            }

            #[inline(always)]
            fn encode(&self, bytes: &mut [u8], endian: __wire::Endian) {
                __wire::enumeration::encode(self, bytes, endian)
            }

            #[inline(always)]
            fn view_of(bytes: &[u8], endian: __wire::Endian) -> Self {
                __wire::enumeration::view(bytes, endian)
            }

            #[inline(always)]
            fn slice_of(bytes: &[u8], endian: __wire::Endian) -> __wire::ArrayView<'_, Self> {
                __wire::ArrayView::new(bytes, endian)
            }
        }

        $crate::__enumeration_json_type!($enumeration);
        $crate::__never_in_memory!($enumeration, AbiEnumeration);
    };
}

/// Nothing: the feature `json` is off.
#[cfg(not(feature = "json"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __enumeration_json_type {
    ($enumeration:ident) => {};
}

/// Nothing: the feature `json` is off.
#[cfg(not(feature = "json"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __descriptor_json_type {
    ($descriptor:ident) => {};
}

/// Nothing: the feature `json` is off.
#[cfg(not(feature = "json"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __refused_json_type {
    ($($any:tt)*) => {};
}
