//! The rules of bounds, and of how values are spelled.

use proc_macro2::Span;
use syn::Expr;
use syn::spanned::Spanned;

use super::{Bounds, Number, default};
use crate::parse::{Field, Spelling};
use crate::report::Report;
use crate::ty::Held;

/// Bounds are said of what has them, and some value is within them.
pub(super) fn bounds(field: &Field<'_>, held: &Held, report: &mut Report) -> Bounds {
    let bytes = field.spelling.is_some_and(|(spelling, _)| spelling != Spelling::DecimalString);
    let leaf = leaf(held, bytes);
    let mut numbers = [None, None];
    for (slot, (said, word)) in numbers.iter_mut().zip([(&field.min, "min"), (&field.max, "max")]) {
        *slot = said.as_ref().and_then(|said| bound(said, word, &leaf, report));
    }
    let [min, max] = numbers;
    if let (Some((least, _)), Some((most, span))) = (min, max) {
        if default::less(most, least) {
            report.span(
                span,
                format_args!(
                    "no value is within these bounds: `min` is {} and `max` is {}",
                    default::show(least),
                    default::show(most)
                ),
            );
        }
    }
    let max_len = most(field.max_len);
    if let Some((_, span)) = max_len {
        let fixed = matches!(leaf, Leaf::Bytes(Some(_)));
        let has =
            // Of an open enumeration const evaluation knows whether it is one by name.
            matches!(
                leaf,
                Leaf::Bytes(_) | Leaf::Held(Held::Text | Held::Map | Held::Json | Held::Open(_) | Held::Other)
            );
        if fixed {
            report.span(span, "`[u8; N]` has exactly N bytes: remove `max_len`, or write `Vec<u8>`");
        } else if !has {
            let hint = match (&leaf, held) {
                (_, Held::Vec(_)) => "for the number of items write `max_items`",
                _ => "text, bytes, maps, JSON and `OpenName<E>` have one",
            };
            report.span(span, format_args!("{} has no length in bytes: {hint}", leaf.article()));
        }
    }
    let max_items = most(field.max_items);
    if let Some((_, span)) = max_items {
        if lists(held, bytes) > 1 {
            report.span(span, "of which lists this is the bound is not said: hold the inner one in a recipe");
        } else if !matches!(held, Held::Map | Held::Other)
            && (lists(held, bytes) == 0 || matches!(held, Held::Array(..)))
        {
            let hint = match (held, &leaf) {
                (_, Leaf::Bytes(_)) => "for the number of bytes write `max_len`",
                (Held::Array(..), _) => "`[T; N]` has exactly N",
                _ => "lists and maps have one",
            };
            report.span(span, format_args!("{} has no number of items to bound: {hint}", held.article()));
        }
    }
    Bounds { min, max, max_len, max_items }
}

fn most(said: Option<(u64, Span)>) -> Option<(u32, Span)> {
    said.and_then(|(most, span)| u32::try_from(most).ok().map(|most| (most, span)))
}

/// A bound is a number that the type can be.
fn bound(said: &Expr, word: &str, leaf: &Leaf<'_>, report: &mut Report) -> Option<(Number, Span)> {
    let Some(number) = default::number(said) else {
        report.at(said, format_args!("expected `{word} = N`, a number written out"));
        return None;
    };
    if matches!(number, Number::Float(number) if !number.is_finite()) {
        report.at(said, default::not_finite("f64"));
        return None;
    }
    match leaf {
        Leaf::Held(Held::Other) => {}
        Leaf::Held(Held::Scalar(scalar)) if scalar.is_float() => {
            // A bound is a value of the type: the reader of an `f32` compares what it has become.
            let bound = default::rounded(default::float(number), scalar.name);
            if !bound.is_finite() {
                report.at(said, default::not_finite(scalar.name));
                return None;
            }
            return Some((Number::Float(bound), said.span()));
        }
        Leaf::Held(Held::Scalar(scalar)) if scalar.is_integer() => {
            let (low, high) = scalar.range()?;
            let name = scalar.name;
            match number {
                Number::Float(_) => {
                    report
                        .at(said, format_args!("the bound of an integer is an integer: write `{word} = 1`"));
                    return None;
                }
                Number::Integer(number) if number < low || number > high => {
                    report.at(
                        said,
                        format_args!("{number} does not fit in {name}, which holds {low} to {high}"),
                    );
                    return None;
                }
                Number::Integer(_) => {}
            }
        }
        other => {
            report.at(
                said,
                format_args!("{} has no order to bound: only numbers have `{word}`", other.article()),
            );
            return None;
        }
    }
    Some((number, said.span()))
}

/// A spelling is said of what can be spelled so.
pub(super) fn spelling(field: &Field<'_>, held: &Held, report: &mut Report) {
    let Some((spelling, span)) = field.spelling else { return };
    let bytes = spelling != Spelling::DecimalString;
    let leaf = leaf(held, bytes);
    let wrong = match (spelling, &leaf) {
        (_, Leaf::Held(Held::Other)) | (Spelling::Uuid, Leaf::Bytes(Some(16))) => None,
        (Spelling::DecimalString, Leaf::Held(Held::Scalar(scalar))) if scalar.is_integer() => None,
        (Spelling::DecimalString, _) => {
            Some("`decimal_string` spells an integer: write it on `u64` or `i64`")
        }
        (Spelling::Uuid, Leaf::Bytes(_) | Leaf::Held(_)) => Some("a UUID has 16 bytes: write `[u8; 16]`"),
        (_, Leaf::Bytes(_)) => None,
        (_, Leaf::Held(_)) => {
            Some("this spells bytes: write it on `Vec<u8>`, on `[u8; N]` or on a descriptor")
        }
    };
    let unknown_length =
        spelling == Spelling::Uuid && matches!(leaf, Leaf::Bytes(None)) && ends_in_array(held);
    if let Some(wrong) = wrong.filter(|_| !unknown_length) {
        report.span(span, wrong);
    }
}

/// What arrays hold in the end, where bytes that are spelled as text are one thing.
enum Leaf<'h> {
    /// Bytes, and how many.
    Bytes(Option<u64>),
    /// Anything else.
    Held(&'h Held),
}

impl Leaf<'_> {
    fn article(&self) -> &'static str {
        match self {
            Leaf::Bytes(_) => "a string of bytes",
            Leaf::Held(held) => held.article(),
        }
    }
}

fn leaf(held: &Held, bytes: bool) -> Leaf<'_> {
    match held {
        Held::Array(_, length) if bytes && is_bytes(held) => Leaf::Bytes(*length),
        Held::Vec(_) if bytes && is_bytes(held) => Leaf::Bytes(None),
        Held::Array(item, _) | Held::Vec(item) => leaf(item, bytes),
        other => Leaf::Held(other),
    }
}

pub(super) fn is_bytes(held: &Held) -> bool {
    let (Held::Array(item, _) | Held::Vec(item)) = held else { return false };
    match &**item {
        Held::Scalar(scalar) => scalar.name == "u8",
        _ => false,
    }
}

fn ends_in_array(held: &Held) -> bool {
    match held {
        Held::Array(..) if is_bytes(held) => true,
        Held::Array(item, _) | Held::Vec(item) => ends_in_array(item),
        _ => false,
    }
}

/// How many levels there are whose number of items is open.
fn lists(held: &Held, bytes: bool) -> usize {
    match held {
        Held::Vec(_) | Held::Array(..) if bytes && is_bytes(held) => 0,
        Held::Vec(item) => 1 + lists(item, bytes),
        Held::Array(item, _) => lists(item, bytes),
        Held::Map => 1,
        _ => 0,
    }
}
