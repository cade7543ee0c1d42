//! The rules of declared values: defaults, and bounds of them.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprLit, Lit, Path, UnOp};

use super::bounds::is_bytes;
use super::{Bounds, Literal, Number};
use crate::attr;
use crate::eval;
use crate::parse::Spelling;
use crate::report::Report;
use crate::ty::Held;

/// What a default is a value of.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) held: &'a Held,
    pub(super) bounds: &'a Bounds,
    /// How bytes of it are spelled as text, if they are.
    pub(super) spelling: Option<Spelling>,
}

impl Of<'_> {
    fn spells_bytes(self) -> bool {
        self.spelling.is_some_and(|spelling| spelling != Spelling::DecimalString)
    }
}

/// A value that is written down, and that the type can be.
pub(super) fn check(expression: &Expr, of: Of<'_>, report: &mut Report) -> Option<Literal> {
    let Some(literal) = literal(expression) else {
        report.at(
            expression,
            "expected a value written out: a number, `true`, `false`, a string, the name of a value, flags joined by \
             `|`, or a list `[…]` of these",
        );
        return None;
    };
    without_nul(expression, report);
    fit(literal, expression, of, report)
}

/// No text in it has a NUL.
fn without_nul(expression: &Expr, report: &mut Report) {
    match strip(expression) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => attr::without_nul(text, report),
        Expr::Array(array) => array.elems.iter().for_each(|item| without_nul(item, report)),
        _ => {}
    }
}

/// A number that is written down.
pub(super) fn number(expression: &Expr) -> Option<Number> {
    match literal(expression)? {
        Literal::Integer(number) => Some(Number::Integer(number)),
        Literal::Float(number) => Some(Number::Float(number)),
        _ => None,
    }
}

fn literal(expression: &Expr) -> Option<Literal> {
    if let Some(number) = eval::integer(expression) {
        return Some(Literal::Integer(number));
    }
    match expression {
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        Expr::Lit(literal) => match &literal.lit {
            // One that is beyond every float is infinite here, and refused where it stands.
            Lit::Float(number) => number.base10_parse().ok().map(Literal::Float),
            Lit::Bool(truth) => Some(Literal::Bool(truth.value)),
            Lit::Str(text) => Some(Literal::Text(text.value())),
            _ => None,
        },
        Expr::Unary(unary) => match (unary.op, literal(&unary.expr)?) {
            (UnOp::Neg(_), Literal::Float(number)) => Some(Literal::Float(-number)),
            _ => None,
        },
        Expr::Path(path) if path.qself.is_none() => Some(Literal::Value(path.path.clone())),
        Expr::Binary(_) => flags(expression).map(Literal::Flags),
        Expr::Array(array) => array.elems.iter().map(literal).collect::<Option<_>>().map(Literal::List),
        _ => None,
    }
}

/// Whether it is, or holds, a number that is beyond every float.
fn is_infinite(literal: &Literal) -> bool {
    match literal {
        Literal::Float(number) => !number.is_finite(),
        Literal::List(items) => items.iter().any(is_infinite),
        _ => false,
    }
}

/// What is said of a number that a float is infinite instead of.
pub(super) fn not_finite(float: &str) -> String {
    format!("this is no finite {float}, and JSON has no infinity: write a number nearer to zero")
}

/// Names joined by `|`.
fn flags(expression: &Expr) -> Option<Vec<Path>> {
    match expression {
        Expr::Paren(inner) => flags(&inner.expr),
        Expr::Group(inner) => flags(&inner.expr),
        Expr::Path(path) if path.qself.is_none() => Some(vec![path.path.clone()]),
        Expr::Binary(binary) if matches!(binary.op, BinOp::BitOr(_)) => {
            let mut all = flags(&binary.left)?;
            all.extend(flags(&binary.right)?);
            Some(all)
        }
        _ => None,
    }
}

/// The value as the type has it.
fn fit(literal: Literal, at: &Expr, of: Of<'_>, report: &mut Report) -> Option<Literal> {
    let Of { held, bounds, .. } = of;
    match (held, literal) {
        (Held::Other, other) => unseen(other, at, of, report),
        (held, literal) if of.spells_bytes() && is_bytes(held) => bytes(literal, at, of, report),
        (Held::Scalar(scalar), Literal::Integer(number)) if scalar.is_integer() => {
            let (low, high) = scalar.range()?;
            if number < low || number > high {
                let name = scalar.name;
                report.at(at, format_args!("{number} does not fit in {name}, which holds {low} to {high}"));
                return None;
            }
            within(Number::Integer(number), at.span(), bounds, report)?;
            Some(Literal::Integer(number))
        }
        #[allow(clippy::cast_precision_loss, reason = "as a float literal of so many digits would be")]
        (Held::Scalar(scalar), Literal::Integer(number)) if scalar.is_float() => {
            fit(Literal::Float(number as f64), at, of, report)
        }
        (Held::Scalar(scalar), Literal::Float(number)) if scalar.is_float() => {
            let held = rounded(number, scalar.name);
            if !held.is_finite() {
                report.at(at, not_finite(scalar.name));
                return None;
            }
            within(Number::Float(held), at.span(), bounds, report)?;
            Some(Literal::Float(number))
        }
        (Held::Scalar(scalar), Literal::Bool(truth)) if scalar.name == "bool" => Some(Literal::Bool(truth)),
        (Held::Text, Literal::Text(text)) => {
            fits_bytes(text.len(), at, bounds, report)?;
            Some(Literal::Text(text))
        }
        (Held::Open(_), Literal::Value(path)) => Some(Literal::Value(path)),
        (Held::Flags(_), Literal::Value(path)) => Some(Literal::Flags(vec![path])),
        (Held::Flags(_), Literal::Flags(all)) => Some(Literal::Flags(sorted(all))),
        (Held::Flags(_), Literal::Integer(bits)) => {
            if bits < 0 || bits > u64::MAX.into() {
                report.at(at, "flags are bits of an unsigned integer");
                return None;
            }
            Some(Literal::Integer(bits))
        }
        (Held::Vec(_) | Held::Array(..), Literal::List(items)) => list(&items, at, of, report),
        (held, _) => {
            report.at(at, expected(held));
            None
        }
    }
}

/// A value of a type that the macro does not see through: what bounds say of it is known all the same.
fn unseen(literal: Literal, at: &Expr, of: Of<'_>, report: &mut Report) -> Option<Literal> {
    let bounds = of.bounds;
    match literal {
        Literal::Flags(all) => {
            if let Some(bare) = all.iter().find(|path| path.segments.len() == 1) {
                report.at(bare, "of which flags this is one is not said: write `Enum::Flag`");
                return None;
            }
            Some(Literal::Flags(sorted(all)))
        }
        other if is_infinite(&other) => {
            report.at(at, not_finite("f64"));
            None
        }
        Literal::Integer(number) => {
            within(Number::Integer(number), at.span(), bounds, report)?;
            Some(Literal::Integer(number))
        }
        Literal::Float(number) => {
            within(Number::Float(number), at.span(), bounds, report)?;
            Some(Literal::Float(number))
        }
        Literal::Text(text) => {
            fits_bytes(text.len(), at, bounds, report)?;
            Some(Literal::Text(text))
        }
        Literal::List(items) => {
            let is_bytes = items.iter().all(|item| matches!(item, Literal::Integer(_)));
            if of.spells_bytes() && is_bytes {
                return bytes(Literal::List(items), at, of, report);
            }
            list(&items, at, of, report)
        }
        other => Some(other),
    }
}

/// Bytes that are spelled as text are a list of numbers here: a declaration is not read as a document.
fn bytes(literal: Literal, at: &Expr, of: Of<'_>, report: &mut Report) -> Option<Literal> {
    let Literal::List(items) = literal else {
        report.at(at, "expected a list of bytes, which documents have as text: `default = [0x01, 0x02]`");
        return None;
    };
    match of.held {
        Held::Array(_, Some(count)) if *count != items.len() as u64 => {
            report.at(at, format_args!("the default has {} bytes and the array {count}", items.len()));
            return None;
        }
        _ => fits_bytes(items.len(), at, of.bounds, report)?,
    }
    for (index, item) in items.iter().enumerate() {
        let place = place(at, index);
        match item {
            Literal::Integer(0..=255) => {}
            Literal::Integer(number) => {
                report.at(place, format_args!("{number} does not fit in u8, which holds 0 to 255"));
                return None;
            }
            _ => {
                report.at(place, "expected a byte: a number from 0 to 255");
                return None;
            }
        }
    }
    Some(Literal::List(items))
}

/// Text, or bytes that are spelled as text, are no longer than `max_len` says.
fn fits_bytes(length: usize, at: &Expr, bounds: &Bounds, report: &mut Report) -> Option<()> {
    if let Some((most, _)) = bounds.max_len.filter(|(most, _)| length > *most as usize) {
        report.at(at, format_args!("the default has {length} bytes and `max_len` is {most}"));
        return None;
    }
    Some(())
}

/// A list has as many items as it may, each of which is a value of the item's type.
fn list(items: &[Literal], at: &Expr, of: Of<'_>, report: &mut Report) -> Option<Literal> {
    let (item, is_fixed) = match of.held {
        Held::Array(item, count) => {
            if let Some(count) = count.filter(|count| *count != items.len() as u64) {
                report.at(at, format_args!("the default has {} items and the array {count}", items.len()));
                return None;
            }
            (&**item, true)
        }
        Held::Vec(item) => (&**item, false),
        other => (other, false),
    };
    if let Some((most, _)) = of.bounds.max_items.filter(|(most, _)| !is_fixed && items.len() > *most as usize)
    {
        report.at(at, format_args!("the default has {} items and `max_items` is {most}", items.len()));
        return None;
    }
    // The number of items is bounded of the outermost list.
    let bounds = &Bounds { max_items: None, ..*of.bounds };
    let mut fitting = Vec::new();
    for (index, literal) in items.iter().enumerate() {
        let of = Of { held: item, bounds, spelling: of.spelling };
        fitting.push(fit(literal.clone(), place(at, index), of, report)?);
    }
    Some(Literal::List(fitting))
}

/// Where an item of a list stands.
fn place(list: &Expr, index: usize) -> &Expr {
    match strip(list) {
        Expr::Array(array) => array.elems.iter().nth(index).unwrap_or(list),
        _ => list,
    }
}

fn strip(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

/// A default is within the bounds that readers check.
fn within(number: Number, at: Span, bounds: &Bounds, report: &mut Report) -> Option<()> {
    for (bound, word, is_below) in [(bounds.min, "min", true), (bounds.max, "max", false)] {
        let Some((bound, _)) = bound else { continue };
        let outside = if is_below { less(number, bound) } else { less(bound, number) };
        if outside {
            let bound = show(bound);
            report.span(at, format_args!("readers refuse this default: `{word}` is {bound}"));
            return None;
        }
    }
    Some(())
}

/// Whether one number is less than another.
pub(super) fn less(left: Number, right: Number) -> bool {
    match (left, right) {
        (Number::Integer(left), Number::Integer(right)) => left < right,
        (left, right) => float(left) < float(right),
    }
}

/// A number as a float.
#[allow(clippy::cast_precision_loss, reason = "as a float literal of so many digits would be")]
pub(crate) fn float(number: Number) -> f64 {
    match number {
        Number::Integer(number) => number as f64,
        Number::Float(number) => number,
    }
}

pub(super) fn show(number: Number) -> String {
    match number {
        Number::Integer(number) => number.to_string(),
        Number::Float(number) => format!("{number:?}"),
    }
}

/// The nearest number that the float of that name has.
#[allow(clippy::cast_possible_truncation, reason = "the nearest f32 is what is meant")]
pub(super) fn rounded(number: f64, float: &str) -> f64 {
    if float == "f32" { f64::from(number as f32) } else { number }
}

/// Flags by name, each once: the order in which a declaration lists them says nothing.
fn sorted(mut all: Vec<Path>) -> Vec<Path> {
    let name = |path: &Path| path.segments.last().map(|last| last.ident.to_string());
    all.sort_by_key(name);
    all.dedup_by_key(|path| name(path));
    all
}

/// What a default of this type looks like.
fn expected(held: &Held) -> String {
    match held {
        Held::Scalar(scalar) if scalar.name == "bool" => {
            "expected `default = true` or `default = false`".into()
        }
        Held::Scalar(scalar) if scalar.is_integer() => "expected an integer: `default = 0`".into(),
        Held::Scalar(_) => "expected a number: `default = 0.5`".into(),
        Held::Text => "expected a string: `default = \"…\"`".into(),
        Held::Open(_) => "expected the name of a value: `default = Name`".into(),
        Held::Flags(_) => "expected flags: `default = A | B`, or their bits".into(),
        Held::Vec(_) | Held::Array(..) => "expected a list: `default = [0]`".into(),
        other => format!("{} has no default that can be written out: write `Option<…>`", other.article()),
    }
}
