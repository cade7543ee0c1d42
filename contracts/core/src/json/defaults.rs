//! Defaults of types that the macro does not see through: an alias, or a contract where a number stands.
//!
//! The value is made through [`Probe`], also where the type has none of that sort: what is wrong is said once, by
//! [`check_default`], at the default and in words about it.

use alloc::vec::Vec;

use super::JsonShape;
use super::shape::Sort;
use crate::layout::check::Message;
use crate::probe::{If, Probe};

/// Numbers, which a default is written as.
#[doc(hidden)]
pub trait Numeric {
    /// The number; whether it fits, [`check_default`] says.
    fn of_integer(number: i128) -> Self;
}

/// Floats, which a default with a point is written for.
#[doc(hidden)]
pub trait Floating {
    /// The nearest number.
    fn of_float(number: f64) -> Self;
}

macro_rules! numeric {
    ($($type:ident)*) => { $(
        impl Numeric for $type {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "const evaluation has checked that it fits"
            )]
            fn of_integer(number: i128) -> Self {
                number as $type
            }
        }
    )* };
}

numeric! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }

impl Floating for f32 {
    #[allow(clippy::cast_possible_truncation, reason = "the nearest is what is meant")]
    fn of_float(number: f64) -> f32 {
        number as f32
    }
}

impl Floating for f64 {
    fn of_float(number: f64) -> f64 {
        number
    }
}

impl<T: Numeric> Probe<T> {
    /// A default that is written as an integer.
    pub fn integer(number: i128) -> T {
        T::of_integer(number)
    }
}

impl<T: Floating> Probe<T> {
    /// A default that is written as a float.
    pub fn float(number: f64) -> T {
        T::of_float(number)
    }
}

impl Probe<bool> {
    /// A default that is written as `true` or `false`.
    pub fn truth(truth: bool) -> bool {
        truth
    }
}

impl<T: for<'a> From<&'a str>> Probe<T> {
    /// A default that is written as a string.
    pub fn text(text: &str) -> T {
        T::from(text)
    }
}

impl<I> Probe<Vec<I>> {
    /// A default may be written as a list.
    pub const IS_LIST: bool = true;

    /// A default that is written as a list of no items, of which nothing else says the type.
    pub fn none() -> Vec<I> {
        Vec::new()
    }
}

impl<I, const N: usize> Probe<[I; N]> {
    /// A default may be written as a list, of so many items.
    pub const IS_LIST: bool = true;
}

/// What [`Probe`] makes of all other types: nothing that is ever run.
#[doc(hidden)]
pub trait OtherwiseDefault<T>: Sized {
    /// It has no items.
    const IS_LIST: bool = false;

    /// It is no number.
    fn integer(_: i128) -> T {
        unreachable!("const evaluation has refused it")
    }

    /// It is no float.
    fn float(_: f64) -> T {
        unreachable!("const evaluation has refused it")
    }

    /// It is no bool.
    fn truth(_: bool) -> T {
        unreachable!("const evaluation has refused it")
    }

    /// It is no list, or never an empty one.
    fn none() -> T {
        unreachable!("const evaluation has refused it")
    }

    /// It is no text.
    fn text(_: &str) -> T {
        unreachable!("const evaluation has refused it")
    }
}

impl<T> OtherwiseDefault<T> for Probe<T> {}

/// What a list is given to, also where the type is none.
#[doc(hidden)]
pub trait ListOf<T> {
    /// What takes the items.
    type Taker;
    /// The list.
    fn list(taken: Self::Taker) -> T;
}

/// What takes items.
#[doc(hidden)]
pub trait Takes<A> {
    /// The items.
    fn take(items: A) -> Self;
}

/// A list.
#[doc(hidden)]
pub struct Taken<T>(T);

/// What is no list.
#[doc(hidden)]
pub struct Left;

impl<T> ListOf<T> for If<true> {
    type Taker = Taken<T>;

    fn list(taken: Taken<T>) -> T {
        taken.0
    }
}

impl<T> ListOf<T> for If<false> {
    type Taker = Left;

    fn list(_: Left) -> T {
        unreachable!("const evaluation has refused it")
    }
}

impl<I, const M: usize> Takes<[I; M]> for Taken<Vec<I>> {
    fn take(items: [I; M]) -> Self {
        Taken(Vec::from(items))
    }
}

impl<I, const N: usize, const M: usize> Takes<[I; M]> for Taken<[I; N]> {
    fn take(items: [I; M]) -> Self {
        match Vec::from(items).try_into() {
            Ok(items) => Taken(items),
            Err(_) => unreachable!("const evaluation has refused another number of items"),
        }
    }
}

impl<A, const N: usize> Takes<[A; N]> for Left {
    fn take(_: [A; N]) -> Self {
        Left
    }
}

/// A default as it is written.
#[derive(Clone, Copy)]
pub enum Written {
    /// An integer.
    Integer(i128),
    /// A number with a point.
    Float(f64),
    /// `true` or `false`.
    Truth,
    /// A string.
    Text,
    /// A list of so many items.
    List(usize),
}

/// Refuses a default that the type has not.
#[track_caller]
#[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is what is meant")]
pub const fn check_default(shape: &JsonShape, default: Written, field: &str) {
    let message = Message::new().text("the default of `").text(field).text("` ");
    let is_one = match (shape.sort(), default) {
        (Sort::Integer, Written::Integer(number)) => {
            if let Some((least, most)) = shape.range() {
                if number < least || number > most {
                    message
                        .text("does not fit in its type, which holds ")
                        .signed(least)
                        .text(" to ")
                        .signed(most)
                        .fail();
                }
            }
            true
        }
        (Sort::Float, Written::Float(number)) => {
            if shape.is_f32() && !(number as f32).is_finite() {
                message.text("is no finite f32: write a number nearer to zero").fail();
            }
            true
        }
        (Sort::Float, Written::Integer(_)) | (Sort::Truth, Written::Truth) | (Sort::Text, Written::Text) => {
            true
        }
        (Sort::List | Sort::Bytes, Written::List(count)) => {
            if let Some(length) = shape.length() {
                if length != count {
                    message
                        .text("has ")
                        .signed(count as i128)
                        .text(" items and its type ")
                        .signed(length as i128)
                        .fail();
                }
            }
            true
        }
        _ => false,
    };
    if is_one {
        return;
    }
    let written = match default {
        Written::Integer(_) | Written::Float(_) => "is a number",
        Written::Truth => "is a bool",
        Written::Text => "is a string",
        Written::List(_) => "is a list",
    };
    let wanted = match shape.sort() {
        Sort::Integer => "its type an integer: write `default = 0`",
        Sort::Float => "its type a float: write `default = 0.5`",
        Sort::Truth => "its type a bool: write `default = true` or `default = false`",
        Sort::Text => "its type text: write `default = \"…\"`",
        Sort::Enumeration => "its type an enumeration: write the name of a value, `default = Name`",
        Sort::Flags => "its type flags: write `default = Enum::A | Enum::B`",
        Sort::Bytes => "its type bytes: write a list of them, `default = [0x01, 0x02]`",
        Sort::List => "its type a list: write `default = [0]`",
        Sort::Other => "its type one whose values cannot be written out: write `Option<…>`",
    };
    message.text(written).text(", and ").text(wanted).fail()
}
