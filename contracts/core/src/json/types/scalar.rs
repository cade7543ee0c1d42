//! Integers, floats and bools.

use alloc::borrow::Cow;

use super::JsonType;
use crate::error::{FloatBits, Place, Range};
use crate::float::{Buffer, spell};
use crate::json::number::parse;
use crate::json::shape::Spelled;
use crate::json::{Bounds, DecimalString, JsonShape, Plain, Reader, Stop, Writer};
use crate::scalar::Integer;
use crate::wire_type::WireType;
use crate::{Code, Expected, Found};

/// An integer's type with what a declaration says of it.
#[inline(always)]
fn range<T: Integer>(bounds: &Bounds) -> (i128, i128) {
    (bounds.min.max(T::MIN), bounds.max.min(T::MAX))
}

/// A number that the type is known to hold.
#[inline(always)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the low bits are all there are")]
pub(super) fn narrow<T: Integer>(number: i128) -> T {
    T::from_u64(number as u64)
}

/// The number as it is.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, clippy::cast_lossless, reason = "bits of a signed number, extended")]
pub(super) fn widen<T: Integer>(number: T) -> i128 {
    if T::SIGNED { number.to_u64() as i64 as i128 } else { number.to_u64() as i128 }
}

/// Reads an integer and says where it started.
#[inline(always)]
pub(super) fn read_any(reader: &mut Reader<'_>, place: &'static Place) -> Result<i128, Stop> {
    match reader.short_integer() {
        Some(number) => Ok(i128::from(number)),
        None => reader.long_integer(place),
    }
}

#[inline(always)]
fn read_integer<T: Integer>(
    reader: &mut Reader<'_>,
    place: &'static Place,
    bounds: &Bounds,
) -> Result<T, Stop> {
    let (min, max) = range::<T>(bounds);
    let start = reader.at;
    let number = read_any(reader, place)?;
    if number < min || number > max {
        return Err(reader.out_of_range(place, start, min, max));
    }
    Ok(narrow(number))
}

/// Writes an integer without looking at its bounds.
#[inline(always)]
pub(super) fn write_any<T: Integer>(number: T, writer: &mut Writer) {
    let number = widen(number);
    #[allow(clippy::cast_possible_truncation, reason = "of a type of at most 64 bits")]
    writer.integer(number.unsigned_abs() as u64, number < 0);
}

#[inline(always)]
fn write_integer<T: Integer>(
    number: T,
    writer: &mut Writer,
    place: &'static Place,
    bounds: &Bounds,
    quote: &str,
) -> Result<(), Stop> {
    let (min, max) = range::<T>(bounds);
    let start = writer.out.len();
    writer.raw(quote);
    write_any(number, writer);
    writer.raw(quote);
    let number = widen(number);
    if number < min || number > max {
        let expected = Expected::Integer(Range::new(min, max));
        return Err(writer.refuse_written(start, place, Code::OutOfRange, expected));
    }
    Ok(())
}

fn read_decimal(
    reader: &mut Reader<'_>,
    place: &'static Place,
    (min, max): (i128, i128),
) -> Result<i128, Stop> {
    let start = reader.at;
    let text: Cow<'_, str> = reader.string(place, usize::MAX)?;
    let digits = text.strip_prefix('-').unwrap_or(&text);
    let is_decimal = match digits.as_bytes() {
        [b'0'] => text.len() == 1,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_decimal {
        let found = reader.brief(start);
        return Err(reader.refuse(place, start, Code::BadEncoding, Expected::Words("decimal digits"), found));
    }
    let number = parse(&text);
    if number < min || number > max {
        return Err(reader.out_of_range(place, start, min, max));
    }
    Ok(number)
}

macro_rules! integers {
    ($($type:ident)*) => { $(
        impl JsonType for $type {
            const SHAPE: JsonShape = JsonShape::scalar(<$type as WireType>::SHAPE.code);

            #[inline]
            fn read(
                reader: &mut Reader<'_>,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<Self, Stop> {
                read_integer(reader, place, bounds)
            }

            #[inline]
            fn write(
                &self,
                writer: &mut Writer,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<(), Stop> {
                write_integer(*self, writer, place, bounds, "")
            }
        }

        impl JsonType<DecimalString> for $type {
            const SHAPE: JsonShape = <$type as JsonType<Plain>>::SHAPE.spelled(Spelled::Decimal);

            fn read(
                reader: &mut Reader<'_>,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<Self, Stop> {
                read_decimal(reader, place, range::<$type>(bounds)).map(narrow)
            }

            fn write(
                &self,
                writer: &mut Writer,
                place: &'static Place,
                bounds: &Bounds,
            ) -> Result<(), Stop> {
                write_integer(*self, writer, place, bounds, "\"")
            }
        }
    )* };
}

integers! { u8 i8 u16 i16 u32 i32 u64 i64 }

impl JsonType for bool {
    const SHAPE: JsonShape = JsonShape::scalar(<bool as WireType>::SHAPE.code);

    fn read(reader: &mut Reader<'_>, place: &'static Place, _: &Bounds) -> Result<Self, Stop> {
        let rest = reader.text.as_bytes().get(reader.at..).unwrap_or_default();
        let (truth, length) = match rest {
            [b't', b'r', b'u', b'e', ..] => (true, 4),
            [b'f', b'a', b'l', b's', b'e', ..] => (false, 5),
            _ => return Err(reader.mismatch(place, "true or false")),
        };
        reader.at += length;
        Ok(truth)
    }

    #[inline]
    fn write(&self, writer: &mut Writer, _: &'static Place, _: &Bounds) -> Result<(), Stop> {
        writer.raw(if *self { "true" } else { "false" });
        Ok(())
    }
}

/// What a float's bounds ask for.
fn expected(bounds: &Bounds) -> Expected {
    let bound = |bound: f64| bound.is_finite().then(|| FloatBits::new(bound));
    Expected::Number { least: bound(bounds.least), most: bound(bounds.most) }
}

const FINITE: Expected = Expected::Number { least: None, most: None };

fn read_float(
    reader: &mut Reader<'_>,
    place: &'static Place,
    bounds: &Bounds,
    nearest: fn(f64) -> f64,
) -> Result<f64, Stop> {
    let start = reader.at;
    let number = nearest(reader.float(place)?);
    if number.is_infinite() {
        return Err(reader.outside(place, start, FINITE));
    }
    if number < bounds.least || number > bounds.most {
        return Err(reader.outside(place, start, expected(bounds)));
    }
    Ok(number)
}

fn write_float(number: f64, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
    if !number.is_finite() {
        let found = Found::brief(spell(number, &mut Buffer::new()));
        return Err(writer.refuse(place, Code::OutOfRange, FINITE, found));
    }
    let start = writer.out.len();
    writer.float(number);
    if number < bounds.least || number > bounds.most {
        return Err(writer.refuse_written(start, place, Code::OutOfRange, expected(bounds)));
    }
    Ok(())
}

/// The nearest `f32`, as an `f64`; infinite when it is beyond.
#[allow(clippy::cast_possible_truncation, reason = "rounded to the nearest")]
fn nearest_f32(number: f64) -> f64 {
    f64::from(number as f32)
}

impl JsonType for f64 {
    const SHAPE: JsonShape = JsonShape::scalar(<f64 as WireType>::SHAPE.code);

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        read_float(reader, place, bounds, |number| number)
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        write_float(*self, writer, place, bounds)
    }
}

impl JsonType for f32 {
    const SHAPE: JsonShape = JsonShape::scalar(<f32 as WireType>::SHAPE.code);

    #[allow(clippy::cast_possible_truncation, reason = "an f32, widened")]
    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        read_float(reader, place, bounds, nearest_f32).map(|number| number as f32)
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        write_float(f64::from(*self), writer, place, bounds)
    }
}
