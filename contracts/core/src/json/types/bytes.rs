//! Bytes, and descriptors, spelled as text.

use alloc::vec;
use alloc::vec::Vec;

use super::JsonType;
use crate::error::{Place, Spelling};
use crate::json::shape::Spelled;
use crate::json::spelling::{
    base64_bytes, base64_length, hex_bytes, hex_length, uuid_digits, write_base64, write_hex, write_uuid,
};
use crate::json::{Base64, Bounds, Hex, JsonShape, Reader, Stop, Uuid, Writer};
use crate::{Code, Expected, WireContract, WireError};

/// Hexadecimal or base64.
trait Spells {
    const SPELLED: Spelled;
    const SPELLING: Spelling;
    /// How many bytes a text spells, if it does.
    fn length(text: &[u8]) -> Option<usize>;
    /// The bytes, into room for them.
    fn bytes(text: &[u8], room: &mut [u8]);
    fn write(out: &mut Vec<u8>, bytes: &[u8]);
}

impl Spells for Hex {
    const SPELLED: Spelled = Spelled::Hex;
    const SPELLING: Spelling = Spelling::Hex;

    fn length(text: &[u8]) -> Option<usize> {
        hex_length(text)
    }

    fn bytes(text: &[u8], room: &mut [u8]) {
        room.iter_mut().zip(hex_bytes(text)).for_each(|(place, byte)| *place = byte);
    }

    fn write(out: &mut Vec<u8>, bytes: &[u8]) {
        write_hex(out, bytes);
    }
}

impl Spells for Base64 {
    const SPELLED: Spelled = Spelled::Base64;
    const SPELLING: Spelling = Spelling::Base64;

    fn length(text: &[u8]) -> Option<usize> {
        base64_length(text)
    }

    fn bytes(text: &[u8], room: &mut [u8]) {
        room.iter_mut().zip(base64_bytes(text)).for_each(|(place, byte)| *place = byte);
    }

    fn write(out: &mut Vec<u8>, bytes: &[u8]) {
        write_base64(out, bytes);
    }
}

#[cold]
fn misspelled(
    reader: &mut Reader<'_>,
    place: &'static Place,
    start: usize,
    spelling: Spelling,
    bytes: Option<usize>,
) -> Stop {
    let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok());
    let found = reader.brief(start);
    reader.refuse(place, start, Code::BadEncoding, Expected::Encoded { spelling, bytes }, found)
}

/// Reads exactly as many bytes as there is room for.
fn read_exact<S: Spells>(
    reader: &mut Reader<'_>,
    place: &'static Place,
    room: &mut [u8],
) -> Result<(), Stop> {
    let start = reader.at;
    let text = reader.string(place, usize::MAX)?;
    if S::length(text.as_bytes()) != Some(room.len()) {
        return Err(misspelled(reader, place, start, S::SPELLING, Some(room.len())));
    }
    S::bytes(text.as_bytes(), room);
    Ok(())
}

fn read_bytes<S: Spells>(
    reader: &mut Reader<'_>,
    place: &'static Place,
    bounds: &Bounds,
) -> Result<Vec<u8>, Stop> {
    let start = reader.at;
    let text = reader.string(place, usize::MAX)?;
    match S::length(text.as_bytes()) {
        None => Err(misspelled(reader, place, start, S::SPELLING, None)),
        Some(length) if length > bounds.max_len => Err(reader.too_long(place, start, bounds.max_len, length)),
        Some(length) => {
            let mut bytes = vec![0; length];
            S::bytes(text.as_bytes(), &mut bytes);
            Ok(bytes)
        }
    }
}

fn write_bytes<S: Spells>(writer: &mut Writer, bytes: &[u8]) {
    writer.out.push(b'"');
    S::write(&mut writer.out, bytes);
    writer.out.push(b'"');
}

fn read_descriptor<S: Spells, D: WireContract>(
    reader: &mut Reader<'_>,
    place: &'static Place,
) -> Result<D, Stop> {
    let start = reader.at;
    let mut bytes = D::ZEROED;
    read_exact::<S>(reader, place, bytes.as_mut())?;
    let value = D::from_bytes(bytes.as_ref());
    let value = value.map_err(|fault| WireError { offset: start, ..fault });
    match value {
        Ok(value) => Ok(value),
        Err(fault) => {
            reader.admit(Err(fault))?;
            Err(Stop)
        }
    }
}

fn write_descriptor<S: Spells, D: WireContract>(writer: &mut Writer, value: &D) -> Result<(), Stop> {
    match value.to_bytes() {
        Ok(bytes) => {
            write_bytes::<S>(writer, bytes.as_ref());
            Ok(())
        }
        Err(fault) => Err(writer.keep(WireError { offset: 0, ..fault })),
    }
}

macro_rules! spelled {
    ($($spelling:ident)*) => { $(
        impl<const N: usize> JsonType<$spelling> for [u8; N] {
            const SHAPE: JsonShape = JsonShape::fixed_bytes(N).spelled($spelling::SPELLED);

            fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
                let mut bytes = [0; N];
                read_exact::<$spelling>(reader, place, &mut bytes)?;
                Ok(bytes)
            }

            fn write(&self, writer: &mut Writer, _: &'static Place, _: &Bounds) -> Result<(), Stop> {
                write_bytes::<$spelling>(writer, self);
                Ok(())
            }
        }

        impl JsonType<$spelling> for Vec<u8> {
            const SHAPE: JsonShape = JsonShape::BYTES.spelled($spelling::SPELLED);

            fn read(
                reader: &mut Reader<'_>,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<Self, Stop> {
                read_bytes::<$spelling>(reader, place, bounds)
            }

            fn write(
                &self,
                writer: &mut Writer,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<(), Stop> {
                writer.bounded(place, bounds.max_len, self.len())?;
                write_bytes::<$spelling>(writer, self);
                Ok(())
            }
        }

        impl<D: WireContract> JsonType<$spelling> for D {
            const SHAPE: JsonShape = JsonShape::descriptor::<D>().spelled($spelling::SPELLED);

            fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
                read_descriptor::<$spelling, D>(reader, place)
            }

            fn write(&self, writer: &mut Writer, _: &'static Place, _: &Bounds) -> Result<(), Stop> {
                write_descriptor::<$spelling, D>(writer, self)
            }

            fn import(&self, _: usize) -> Result<(), WireError> {
                self.validate_import().map_err(|fault| WireError { offset: 0, ..fault })
            }
        }
    )* };
}

spelled! { Hex Base64 }

/// A descriptor of which is not said how it is spelled: `check_spelled` refuses it in every declaration, in words about
/// descriptors, where a missing impl would be an error in words about traits.
#[doc(hidden)]
#[macro_export]
macro_rules! __descriptor_json_type {
    ($descriptor:ident) => {
        #[automatically_derived]
        impl $crate::__private::JsonType for $descriptor {
            const SHAPE: $crate::__private::JsonShape = $crate::__private::JsonShape::descriptor::<Self>();

            fn read(
                _: &mut $crate::__private::Reader<'_>,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<Self, $crate::__private::Stop> {
                ::core::result::Result::Err($crate::__private::Stop)
            }

            fn write(
                &self,
                _: &mut $crate::__private::Writer,
                _: &'static $crate::__private::Place,
                _: &$crate::__private::Bounds,
            ) -> ::core::result::Result<(), $crate::__private::Stop> {
                ::core::result::Result::Err($crate::__private::Stop)
            }
        }
    };
}

impl JsonType<Uuid> for [u8; 16] {
    const SHAPE: JsonShape = JsonShape::fixed_bytes(16).spelled(Spelled::Uuid);

    fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
        let start = reader.at;
        let text = reader.string(place, usize::MAX)?;
        let Some(digits) = uuid_digits(text.as_bytes()) else {
            return Err(misspelled(reader, place, start, Spelling::Uuid, Some(16)));
        };
        let mut bytes = [0; 16];
        Hex::bytes(&digits, &mut bytes);
        Ok(bytes)
    }

    fn write(&self, writer: &mut Writer, _: &'static Place, _: &Bounds) -> Result<(), Stop> {
        writer.out.push(b'"');
        write_uuid(&mut writer.out, self);
        writer.out.push(b'"');
        Ok(())
    }
}
