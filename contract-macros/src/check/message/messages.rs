//! The rules of enums of messages.

use syn::{Fields, Ident, Path, Type};

use super::Member;
use crate::eval;
use crate::parse::{Declaration, Value};
use crate::report::Report;
use crate::ty::{Held, item};

/// Several legal messages.
pub(crate) struct Messages<'a> {
    pub(crate) by: Selector<'a>,
    pub(crate) variants: Vec<MessageVariant<'a>>,
}

/// What says which message it is.
pub(crate) enum Selector<'a> {
    /// A field of the first part, which all have.
    Tag(&'a [Ident]),
    /// The variants of a union.
    Body(&'a Path),
}

/// One of several legal messages.
pub(crate) struct MessageVariant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) holds: Option<VariantHolds<'a>>,
    /// The number in the tag.
    pub(crate) value: Option<u64>,
    pub(crate) is_open: bool,
    pub(crate) member: Member,
}

/// What a variant of several legal messages holds.
pub(crate) struct VariantHolds<'a> {
    pub(crate) ty: &'a Type,
    /// Whether it stands in a `Box`.
    pub(crate) is_boxed: bool,
    /// Whether the type is written out, so that it is no contract: of a union's variant beside its tag.
    pub(crate) is_plain: bool,
}

impl<'a> VariantHolds<'a> {
    fn of(ty: &'a Type) -> Self {
        match (Held::of(ty), item(ty)) {
            (Held::Boxed(_), Some(inner)) => VariantHolds { is_boxed: true, ..VariantHolds::of(inner) },
            (held, _) => VariantHolds { ty, is_boxed: false, is_plain: !matches!(held, Held::Other) },
        }
    }
}

/// The messages of a declaration, if they are legal as far as can be seen without types.
pub(in crate::check) fn messages<'a>(
    declaration: &'a Declaration<'a>,
    report: &mut Report,
) -> Option<Messages<'a>> {
    let before = report.len();
    let keys = &declaration.container;
    for rule in &keys.rules {
        report.at(&rule.key, "several messages have no rules of their own: each has its own");
    }
    if let Some((_, span)) = keys.max_bytes {
        report.span(span, "each of several messages says how long it may be: remove `max_bytes`");
    }
    if declaration.values.is_empty() {
        report.at(declaration.ident, "messages without variants have no value: give them at least one");
    }
    let by = match (&keys.tag_field, &keys.body) {
        (Some(tag), None) if tag.len() < 2 => {
            report.at(&tag[0], "expected `tag = part.field`: a field of the first part");
            return None;
        }
        (Some(tag), None) => Selector::Tag(tag),
        (None, Some(body)) => Selector::Body(body),
        (Some(tag), Some(_)) => {
            report.at(&tag[0], "messages are told apart by a `tag` or by a `body`: remove one");
            return None;
        }
        (None, None) => {
            if !keys.said.iter().any(|key| key == "tag" || key == "body") {
                report.at(
                    declaration.ident,
                    "say how the messages are told apart: `tag = part.field` (a number in the first part, which all have), \
                     or `body = Union` (documents: one message for each variant of the union)",
                );
            }
            return None;
        }
    };
    let variants: Vec<MessageVariant<'_>> =
        declaration.values.iter().filter_map(|value| one(declaration, value, &by, report)).collect();
    distinct(&variants, report);
    counted_on(declaration, &variants, report);
    (report.len() == before).then_some(Messages { by, variants })
}

fn one<'a>(
    declaration: &Declaration<'_>,
    value: &'a Value<'a>,
    by: &Selector<'_>,
    report: &mut Report,
) -> Option<MessageVariant<'a>> {
    let by_tag = matches!(by, Selector::Tag(_));
    let open = value.said("open");
    let holds = match value.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            fields.unnamed.first().map(|field| VariantHolds::of(&field.ty))
        }
        Fields::Unit if !by_tag && open.is_none() => None,
        _ => {
            match open {
                Some(_) if !by_tag => report.at(
                    value.ident,
                    format_args!(
                        "the open variant keeps messages of tags that the union does not know: write \
                         `{}(wirecontract::UnknownMessage)`",
                        value.ident
                    ),
                ),
                _ => report.at(
                    value.ident,
                    format_args!("a variant holds one message: write `{0}({0}Message)`", value.ident),
                ),
            }
            return None;
        }
    };
    if let Some(holds) = holds.as_ref().filter(|holds| holds.is_plain) {
        match Held::of(holds.ty) {
            _ if by_tag => report.at(
                holds.ty,
                "a number in the first part tells these messages apart: write a struct `#[wire(message)]`",
            ),
            Held::UnknownVariant => report.at(
                holds.ty,
                "what comes with an unknown tag may have file descriptors beside it: write `wirecontract::UnknownMessage`",
            ),
            held => {
                if let Some(why) = held.refusal() {
                    report.at(holds.ty, why);
                } else if holds.is_boxed {
                    report.at(holds.ty, "a `Box` holds a message, a recipe or a union here: write its content");
                }
            }
        }
    }
    let number = match (value.discriminant, by_tag, open) {
        (Some(expression), false, _) => {
            report.at(expression, "the union's variants say which message it is: remove the number");
            None
        }
        // The number of the open variant is nobody's.
        (_, false, _) | (_, true, Some(_)) => None,
        (None, true, None) => {
            report.at(
                value.ident,
                format_args!(
                    "the number of `{0}` stands in the tag, so it is said: write `{0}(…) = N`",
                    value.ident
                ),
            );
            None
        }
        (Some(expression), true, None) => match eval::integer(expression).map(u64::try_from) {
            Some(Ok(number)) => Some(number),
            _ => {
                report.at(expression, "expected a number written out, from 0 on");
                None
            }
        },
    };
    if by_tag && declaration.repr.is_empty() && value.discriminant.is_some() {
        report.at(
            declaration.ident,
            "numbers of variants that hold something need a `repr`: write `#[repr(u32)]`, or another integer",
        );
    }
    let member = Member::of_variant(value, report);
    if let Some(was) = value.was.as_ref().filter(|_| !by_tag) {
        report.span(was.span, "a variant has the name of the union's, which documents have: remove `was`");
    }
    Some(MessageVariant { ident: value.ident, holds, value: number, is_open: open.is_some(), member })
}

/// No two variants have one number, and one at most takes all others.
fn distinct(variants: &[MessageVariant<'_>], report: &mut Report) {
    for (index, variant) in variants.iter().enumerate() {
        let same = |other: &&MessageVariant<'_>| {
            variant.value.is_some_and(|value| other.value == Some(value))
                || (variant.is_open && other.is_open)
        };
        if let Some(other) = variants[..index].iter().find(same) {
            match variant.value {
                Some(value) => report.at(
                    variant.ident,
                    format_args!("`{}` and `{}` are both {value}", other.ident, variant.ident),
                ),
                None => report
                    .at(variant.ident, format_args!("`{}` takes every other message already", other.ident)),
            }
        }
    }
}

/// The compiler counts on from the variant before where no number is written, at the open variant too: what it gets is
/// nobody's.
fn counted_on(declaration: &Declaration<'_>, variants: &[MessageVariant<'_>], report: &mut Report) {
    let mut next = Some(0);
    for value in &declaration.values {
        let own = match value.discriminant {
            Some(expression) => eval::integer(expression),
            None => next,
        };
        let same = |variant: &&MessageVariant<'_>| own.is_some() && variant.value.map(i128::from) == own;
        if let (Some(_), Some(number), Some(other)) = (value.said("open"), own, variants.iter().find(same)) {
            report.at(
                value.ident,
                format_args!(
                    "the compiler counts `{0}` as {number}, which is `{1}`: write a number that no message has, \
                     `{0}(…) = N`, or let it stand behind the highest one",
                    value.ident, other.ident
                ),
            );
        }
        next = own.map(|own| own + 1);
    }
}
