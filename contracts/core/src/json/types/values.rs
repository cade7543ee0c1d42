//! Enumerations and flags.

use super::JsonType;
use super::scalar::{narrow, read_any, write_any};
use crate::error::Place;
use crate::json::{Bounds, JsonShape, OpenName, Reader, Stop, Writer};
use crate::scalar::Integer;
use crate::{Code, Enumeration, Expected, FlagSet, Flags, Found, Open};

/// Reads a value of an enumeration.
pub fn read<E: Enumeration>(reader: &mut Reader<'_>, place: &'static Place) -> Result<E, Stop> {
    let start = reader.at;
    let value = if E::SPELLED_AS_NAMES {
        E::from_name(&reader.string(place, usize::MAX)?)
    } else {
        let number = read_any(reader, place)?;
        let is_number = (E::Repr::MIN..=E::Repr::MAX).contains(&number);
        if is_number { E::from_value(narrow(number)) } else { None }
    };
    match value {
        Some(value) => Ok(value),
        None => Err(reader.unknown(place, start, E::NAME)),
    }
}

/// Writes a value of an enumeration.
pub fn write<E: Enumeration>(value: E, writer: &mut Writer) -> Result<(), Stop> {
    if E::SPELLED_AS_NAMES {
        writer.string(value.name());
    } else {
        write_any(value.value(), writer);
    }
    Ok(())
}

impl Reader<'_> {
    #[cold]
    fn unknown(&mut self, place: &'static Place, start: usize, contract: &'static str) -> Stop {
        let found = self.brief(start);
        self.refuse(place, start, Code::UnknownValue, Expected::ValueOf(contract), found)
    }
}

/// The JSON type of an enumeration, from its `Enumeration` impl.
#[doc(hidden)]
#[macro_export]
macro_rules! __enumeration_json_type {
    ($enumeration:ident) => {
        #[automatically_derived]
        impl $crate::__private::JsonType for $enumeration
        where
            // One that is not `Copy` is refused where it is made an enumeration, and nowhere else.
            for<'__any> $enumeration: ::core::marker::Copy,
        {
            const SHAPE: $crate::__private::JsonShape =
                $crate::__private::JsonShape::enumeration::<Self>(false);

            fn read(
                reader: &mut $crate::__private::Reader<'_>,
                place: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<Self, $crate::__private::Stop> {
                $crate::__private::read_enumeration(reader, place)
            }

            fn write(
                &self,
                writer: &mut $crate::__private::Writer,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<(), $crate::__private::Stop> {
                $crate::__private::write_enumeration(*self, writer)
            }
        }
    };
}

impl<E: Enumeration> JsonType for Open<E> {
    const SHAPE: JsonShape = JsonShape::open_number::<E>();

    fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
        let start = reader.at;
        let number = read_any(reader, place)?;
        if !(E::Repr::MIN..=E::Repr::MAX).contains(&number) {
            return Err(reader.out_of_range(place, start, E::Repr::MIN, E::Repr::MAX));
        }
        Ok(Open::from_raw(narrow(number)))
    }

    fn write(&self, writer: &mut Writer, _: &'static Place, _: &Bounds) -> Result<(), Stop> {
        write_any(self.raw(), writer);
        Ok(())
    }
}

impl<E: Enumeration> JsonType for OpenName<E> {
    const SHAPE: JsonShape = JsonShape::open_name::<E>();

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        let start = reader.at;
        let name = reader.string(place, usize::MAX)?;
        // The bound is of what is kept: a value has the names that the enumeration gives it, however long.
        match E::from_name(&name) {
            Some(value) => Ok(value.into()),
            None if name.len() > bounds.max_len => {
                Err(reader.too_long(place, start, bounds.max_len, name.len()))
            }
            None => Ok(OpenName::from_name(&name)),
        }
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        if self.known().is_none() {
            writer.bounded(place, bounds.max_len, self.name().len())?;
        }
        writer.string(self.name());
        Ok(())
    }
}

impl<E: FlagSet> JsonType for Flags<E> {
    const SHAPE: JsonShape = JsonShape::flags::<E>();

    fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
        if E::SPELLED_AS_NAMES {
            return read_names(reader, place);
        }
        let start = reader.at;
        let number = read_any(reader, place)?;
        if !(0..=E::Repr::MAX).contains(&number) {
            return Err(reader.out_of_range(place, start, 0, E::Repr::MAX));
        }
        let bits: E::Repr = narrow(number);
        Flags::from_bits(bits).ok_or_else(|| {
            let (expected, found) = (Expected::BitsWithin(E::KNOWN_BITS), Found::Unsigned(bits.to_u64()));
            reader.refuse(place, start, Code::UnknownBits, expected, found)
        })
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, _: &Bounds) -> Result<(), Stop> {
        if self.unknown_bits() != 0 && !E::OPEN {
            return Err(unknown_bits(*self, writer, place));
        }
        if !E::SPELLED_AS_NAMES {
            write_any(self.bits(), writer);
            return Ok(());
        }
        let start = writer.open();
        let mut named = Flags::<E>::empty();
        for value in E::VALUES.iter().filter(|value| self.contains(value.value)) {
            writer.out.push(b',');
            writer.string(value.name);
            named.insert(value.value);
        }
        writer.close(start, *b"[]");
        // A part of a mask may have no name of its own.
        if named == *self { Ok(()) } else { Err(unknown_bits(*self, writer, place)) }
    }
}

#[cold]
fn unknown_bits<E: FlagSet>(flags: Flags<E>, writer: &mut Writer, place: &'static Place) -> Stop {
    let (expected, found) = (Expected::BitsWithin(E::KNOWN_BITS), Found::Unsigned(flags.bits().to_u64()));
    writer.refuse(place, Code::UnknownBits, expected, found)
}

fn read_names<E: FlagSet>(reader: &mut Reader<'_>, place: &'static Place) -> Result<Flags<E>, Stop> {
    reader.open_array(place)?;
    let mut flags = Flags::empty();
    let mut is_there = reader.first_item();
    while is_there {
        let start = reader.at;
        let name = reader.string(place, usize::MAX)?;
        let is_it = |value: &crate::Value<E>| value.name == name || value.aliases.contains(&&*name);
        let Some(value) = E::VALUES.iter().find(|value| is_it(value)) else {
            return Err(reader.unknown(place, start, E::NAME));
        };
        // No two flags have a bit in common.
        if flags.contains(value.value) {
            let found = reader.brief(start);
            let expected = Expected::Words("each flag once");
            return Err(reader.refuse(place, start, Code::DuplicateKey, expected, found));
        }
        flags.insert(value.value);
        is_there = reader.next_item()?;
    }
    Ok(flags)
}
