//! The rules of enumerations and flags.

use quote::quote;
use syn::ext::IdentExt;
use syn::{Expr, Ident, Lit};

use super::{DataKey, Datum, Value, Values, c_name};
use crate::parse::{self, Declaration, Spelled};
use crate::report::Report;
use crate::{case, eval};

const INTEGERS: [&str; 8] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];

/// The enumeration of a declaration, if it is legal.
pub(super) fn enumeration<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Values<'a>> {
    let before = report.len();
    let (repr, mut values) = common(declaration, &INTEGERS, report)?;
    let mut data = data(declaration, report);
    let fold = declaration.container.fold.unwrap_or(false);
    if fold {
        distinct_folded(declaration, &values, report);
    }
    if report.len() == before {
        canonical(&mut values, &mut data);
    }
    let spelled = spelled(declaration, Spelled::Names);
    (report.len() == before).then_some(Values { repr, spelled, fold, values, data })
}

/// The flags of a declaration, if they are legal.
pub(super) fn flags<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Values<'a>> {
    let before = report.len();
    let (repr, mut values) = common(declaration, &INTEGERS[..4], report)?;
    let mut seen: Vec<&Value<'_>> = Vec::new();
    for value in &values {
        if value.number == 0 {
            report.at(value.ident, "a flag has at least one bit: no flag is `Flags::empty()`");
        } else if let Some(other) =
            seen.iter().find(|other| other.number != value.number && other.number & value.number != 0)
        {
            report.at(
                value.ident,
                format_args!(
                    "`{}` and `{}` overlap in bits {:#x}: each bit belongs to one flag; combine flags with `|` instead",
                    other.ident,
                    value.ident,
                    other.number & value.number
                ),
            );
        }
        seen.push(value);
    }
    canonical(&mut values, &mut Vec::new());
    let spelled = spelled(declaration, Spelled::Integer);
    if let (Some((Spelled::Names, span)), Some((true, _))) =
        (declaration.container.spelled, declaration.container.open)
    {
        report.span(
            span,
            "bits without a name have no name to be spelled by: write `as = integer`, or remove `open`",
        );
    }
    (report.len() == before).then_some(Values { repr, spelled, fold: false, values, data: Vec::new() })
}

/// How JSON spells them.
fn spelled(declaration: &Declaration<'_>, default: Spelled) -> Spelled {
    declaration.container.spelled.map_or(default, |(spelled, _)| spelled)
}

/// Where readers pass over case and white space around a name, names differ in more than these.
fn distinct_folded(declaration: &Declaration<'_>, values: &[Value<'_>], report: &mut Report) {
    let fold =
        |name: &str| name.trim_matches(|letter: char| letter.is_ascii_whitespace()).to_ascii_lowercase();
    let mut names: Vec<(&str, &Ident)> = Vec::new();
    for value in values {
        for name in std::iter::once(&value.wire_name).chain(&value.aliases) {
            let equal = |(taken, _): &&(&str, &Ident)| fold(taken) == fold(name) && *taken != name;
            if fold(name).is_empty() && !name.is_empty() {
                report.at(
                    value.ident,
                    format_args!(
                        "a name of `{}` is white space, which `case = fold` passes over",
                        value.ident
                    ),
                );
            } else if let Some((taken, other)) = names.iter().find(equal) {
                report.at(
                    value.ident,
                    format_args!(
                        "`{taken}` of `{other}` and `{name}` of `{}` of `{}` differ only in what `case = fold` passes \
                         over: remove one",
                        value.ident, declaration.ident
                    ),
                );
            }
            names.push((name, value.ident));
        }
    }
}

/// The order in which a declaration lists values, names and data says nothing: equal contracts have one order, and one
/// wire id.
fn canonical(values: &mut [Value<'_>], data: &mut Vec<DataKey>) {
    values.sort_by_key(|value| value.number);
    let mut order: Vec<usize> = (0..data.len()).collect();
    order.sort_by_key(|&index| data[index].ident.unraw().to_string());
    for value in values {
        value.aliases.sort();
        value.data = order.iter().map(|&index| value.data[index].clone()).collect();
    }
    *data = order
        .iter()
        .map(|&index| DataKey { ident: data[index].ident.clone(), ty: data[index].ty.clone() })
        .collect();
}

fn common<'a>(
    declaration: &'a Declaration<'a>,
    reprs: &[&str],
    report: &mut Report,
) -> Option<(Ident, Vec<Value<'a>>)> {
    if declaration.values.is_empty() {
        report.at(declaration.ident, "an enum without values has nothing to say: give it at least one");
        return None;
    }
    let repr = repr(declaration, reprs, report);
    let values: Vec<_> = declaration
        .values
        .iter()
        .filter_map(|value| one(declaration, value, repr.as_ref(), report))
        .collect();
    unique(declaration, &values, report);
    repr.map(|repr| (repr, values))
}

/// The integer that stands for the enum is said: C's choice for an enum depends on the compiler's flags.
fn repr(declaration: &Declaration<'_>, reprs: &[&str], report: &mut Report) -> Option<Ident> {
    if let Some(word) = declaration.repr.iter().find(|word| *word == "align") {
        report.at(word, "`repr(align)` makes the enum larger than the integer that stands for it: remove it");
    }
    let found = declaration.repr.iter().find(|word| reprs.iter().any(|repr| *word == repr));
    if let Some(word) = found {
        return Some(word.clone());
    }
    let wide =
        declaration.repr.iter().find(|word| !matches!(word.to_string().as_str(), "C" | "align" | "packed"));
    let signed = wide.filter(|word| INTEGERS.iter().any(|integer| word == integer));
    if let Some(word) = signed {
        report.at(
            word,
            format_args!("flags are bits of an unsigned integer: write one of {}", reprs.join(", ")),
        );
    } else if let Some(word) = wide {
        report
            .at(word, format_args!("`{word}` is not the same everywhere: write one of {}", reprs.join(", ")));
    } else {
        report.at(
            declaration.ident,
            format_args!(
                "the integer that stands for `{}` is not said: write `#[repr(u32)]`, or another of {}",
                declaration.ident,
                reprs.join(", ")
            ),
        );
    }
    None
}

/// A value has no fields, an explicit number, and one that the integer holds.
fn one<'a>(
    declaration: &Declaration<'_>,
    value: &'a parse::Value<'a>,
    repr: Option<&Ident>,
    report: &mut Report,
) -> Option<Value<'a>> {
    if value.has_fields {
        report.at(
            value.ident,
            "a value with fields has no fixed form in C: write a tag field and a struct for each",
        );
        return None;
    }
    let Some(expression) = value.discriminant else {
        report.at(
            value.ident,
            format_args!("the number of `{0}` is on the wire, so it is said: write `{0} = N`", value.ident),
        );
        return None;
    };
    let Some(number) = eval::integer(expression) else {
        report.at(
            expression,
            "expected a number written out: the generators read the declaration, not the program",
        );
        return None;
    };
    if let Some(repr) = repr {
        let (low, high) = range(&repr.to_string());
        if number < low || number > high {
            report
                .at(expression, format_args!("{number} does not fit in {repr}, which holds {low} to {high}"));
        }
    }
    let wire_name = match (&value.name, &declaration.container.rename_all) {
        (Some(name), _) => name.value(),
        (None, Some((style, _))) => case::rename(&value.ident.unraw().to_string(), style),
        (None, None) => value.ident.unraw().to_string(),
    };
    Some(Value {
        ident: value.ident,
        number,
        wire_name,
        aliases: value.aliases.iter().map(syn::LitStr::value).collect(),
        data: value.data.iter().filter_map(|datum| literal(&datum.value)).collect(),
        docs: value.docs.clone(),
        c_name: value.c_name.as_ref().and_then(|name| c_name(name, report)),
        since: value.since.map(|(since, _)| since),
        deprecated: value.deprecated.clone(),
    })
}

/// No two values have one number, and no two names of any value are equal.
fn unique(declaration: &Declaration<'_>, values: &[Value<'_>], report: &mut Report) {
    let mut names: Vec<(&str, &Ident)> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(other) = values[..index].iter().find(|other| other.number == value.number) {
            report.at(
                value.ident,
                format_args!(
                    "`{}` and `{}` are both {}: for a second name write `#[wire(alias(\"{1}\"))]` on the first",
                    other.ident, value.ident, value.number
                ),
            );
        }
        for name in std::iter::once(&value.wire_name).chain(&value.aliases) {
            if name.is_empty() {
                report.at(value.ident, format_args!("a name of `{}` is empty: write one", value.ident));
            } else if names.iter().any(|(taken, other)| taken == name && *other == value.ident) {
                report.at(
                    value.ident,
                    format_args!("`{name}` names `{}` twice: remove the alias", value.ident),
                );
            } else if let Some((_, other)) = names.iter().find(|(taken, _)| taken == name) {
                report.at(
                    value.ident,
                    format_args!(
                        "`{name}` names both `{other}` and `{}` of `{}`",
                        value.ident, declaration.ident
                    ),
                );
            }
            names.push((name, value.ident));
        }
    }
}

fn sort_of(datum: &Datum) -> &'static str {
    match datum {
        Datum::Integer(_) => "an integer",
        Datum::Bool(_) => "a bool",
        Datum::Text(_) => "a string",
    }
}

/// Every value carries data for the same keys, of one type each.
fn data(declaration: &Declaration<'_>, report: &mut Report) -> Vec<DataKey> {
    let Some(first) = declaration.values.first() else { return Vec::new() };
    let mut types = Vec::new();
    for (index, datum) in first.data.iter().enumerate() {
        if first.data[..index].iter().any(|other| other.key == datum.key) {
            report.at(&datum.key, format_args!("`{}` stands twice", datum.key));
        }
        if ["value", "name", "from_value", "from_name"].iter().any(|taken| datum.key == taken) {
            report.at(
                &datum.key,
                format_args!(
                    "`{}` is a method of every enumeration: call the data something else",
                    datum.key
                ),
            );
        }
    }
    let before = report.len();
    for value in &declaration.values {
        let keys = |value: &parse::Value<'_>| {
            value.data.iter().map(|datum| datum.key.to_string()).collect::<Vec<_>>()
        };
        if keys(value) != keys(first) {
            report.at(
                value.ident,
                format_args!(
                    "every value carries data for the same keys, in one order: `{}` has ({}), `{}` has ({})",
                    first.ident,
                    keys(first).join(", "),
                    value.ident,
                    keys(value).join(", ")
                ),
            );
        }
        for datum in value.data.iter().filter(|datum| literal(&datum.value).is_none()) {
            report.at(&datum.value, "expected an integer, `true`, `false` or a string");
        }
    }
    if report.len() != before {
        return Vec::new();
    }
    for (index, datum) in first.data.iter().enumerate() {
        let all: Vec<Datum> =
            declaration.values.iter().filter_map(|value| literal(&value.data[index].value)).collect();
        let ty = match &all[0] {
            Datum::Bool(_) if all.iter().all(|datum| matches!(datum, Datum::Bool(_))) => quote!(bool),
            Datum::Text(_) if all.iter().all(|datum| matches!(datum, Datum::Text(_))) => quote!(&'static str),
            Datum::Integer(_) if all.iter().all(|datum| matches!(datum, Datum::Integer(_))) => {
                match integer_type(&all) {
                    Some(ty) => ty,
                    None => {
                        let key = &datum.key;
                        report.at(key, format_args!("the values of `{key}` fit neither in i64 nor in u64"));
                        continue;
                    }
                }
            }
            _ => {
                let key = &datum.key;
                let sort = std::mem::discriminant(&all[0]);
                let other = all.iter().position(|datum| std::mem::discriminant(datum) != sort).unwrap_or(0);
                let (what, value) = (sort_of(&all[0]), &declaration.values[other]);
                report.at(
                    &value.data[index].value,
                    format_args!(
                        "`{key}` is {what} of `{}` and {} of `{}`: write all as integers, bools or strings",
                        first.ident,
                        sort_of(&all[other]),
                        value.ident
                    ),
                );
                continue;
            }
        };
        types.push(DataKey { ident: datum.key.clone(), ty });
    }
    types
}

fn integer_type(all: &[Datum]) -> Option<proc_macro2::TokenStream> {
    let numbers: Option<Vec<i128>> = all
        .iter()
        .map(|datum| match datum {
            Datum::Integer(number) => Some(*number),
            _ => None,
        })
        .collect();
    let numbers = numbers?;
    if numbers.iter().all(|&number| i64::try_from(number).is_ok()) {
        Some(quote!(i64))
    } else if numbers.iter().all(|&number| u64::try_from(number).is_ok()) {
        Some(quote!(u64))
    } else {
        None
    }
}

fn literal(expression: &Expr) -> Option<Datum> {
    if let Some(number) = eval::integer(expression) {
        return Some(Datum::Integer(number));
    }
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(Datum::Text(text.value())),
            Lit::Bool(truth) => Some(Datum::Bool(truth.value)),
            _ => None,
        },
        _ => None,
    }
}

fn range(repr: &str) -> (i128, i128) {
    match repr {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}
