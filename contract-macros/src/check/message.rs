//! The rules of messages.

use syn::ext::IdentExt;
use syn::{Fields, Ident, Path, Type};

use super::{c_name, old_names, renamed};
use crate::eval;
use crate::parse::{self, Declaration, Field, MOST_FDS, Value};
use crate::report::Report;
use crate::rule::{self, Checked, Presence, Scope, Seen, Sort, Subject};
use crate::ty::{Held, item, optional};

/// The longest message with a tail, where nothing else is said.
const MAX_BYTES: u32 = 1 << 20;

/// A legal message.
pub(crate) struct Message<'a> {
    /// The longest, of one with a tail.
    pub(crate) max_bytes: u32,
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) tail: Option<Tail<'a>>,
    pub(crate) fds: Vec<FdGroup<'a>>,
    pub(crate) rules: Vec<Checked>,
    /// What the rules see.
    pub(crate) scope: Scope<'a>,
}

/// What every field of a message says of itself.
pub(crate) struct Said {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) was: Option<String>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
}

/// A part of a legal message.
pub(crate) struct Part<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) said: Said,
}

/// The tail of a legal message.
pub(crate) struct Tail<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) length: TailLength,
    pub(crate) said: Said,
}

/// How long a tail is.
pub(crate) enum TailLength {
    Rest,
    Count(Checked),
    Bytes(Checked),
}

/// File descriptors beside a legal message.
pub(crate) struct FdGroup<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) form: FdForm,
    pub(crate) said: Said,
}

/// How many there are.
pub(crate) enum FdForm {
    One,
    Optional(Option<Checked>),
    Many { least: u32, most: u32, count: Option<Checked> },
}

impl FdForm {
    /// The fewest and the most, where the parts do not say how many there are.
    pub(crate) fn flexible(&self) -> Option<(u32, u32)> {
        match self {
            FdForm::Optional(None) => Some((0, 1)),
            FdForm::Many { least, most, count: None } if least != most => Some((*least, *most)),
            _ => None,
        }
    }

    /// The most.
    pub(crate) fn most(&self) -> u32 {
        match self {
            FdForm::One | FdForm::Optional(_) => 1,
            FdForm::Many { most, .. } => *most,
        }
    }
}

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
    pub(crate) was: Option<String>,
    pub(crate) docs: String,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
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

/// The message of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Message<'a>> {
    let before = report.len();
    let keys = &declaration.container;
    for (key, said) in [("tag", keys.tag_field.is_some()), ("body", keys.body.is_some())] {
        if said {
            report.at(
                declaration.ident,
                format_args!("`{key}` tells several messages apart, which are an enum: remove it"),
            );
        }
    }
    let fields = &declaration.fields;
    for field in fields {
        placed(field, report);
    }
    in_order(declaration, report);
    if !fields.iter().any(is_part) {
        report.at(
            declaration.ident,
            "a message without a part has nothing to say: a descriptor, a recipe or a union comes first",
        );
    }
    if report.len() != before {
        return None;
    }
    let scope = scope(declaration);
    let count = fields.iter().filter(|field| is_part(field)).count();
    let parts = fields.iter().filter(|field| is_part(field));
    let parts =
        parts.map(|field| Part { ident: field.ident, ty: field.ty, said: said(field, report) }).collect();
    let tail = fields.iter().find(|field| field.tail.is_some());
    let tail = tail.and_then(|field| tail_of(field, count, &scope, report));
    let groups = fields.iter().filter(|field| is_fds(field));
    let fds: Vec<FdGroup<'_>> = groups.filter_map(|field| group(field, count, &scope, report)).collect();
    counted(&fds, report);
    let max_bytes = max_bytes(declaration, report);
    old_names(
        fields.iter().zip(scope.fields.iter()).map(|(field, subject)| (field.ident, &subject.accepted, None)),
        report,
    );
    let rules = rule::all(&keys.rules, &scope, report);
    (report.len() == before).then_some(Message { max_bytes, parts, tail, fds, rules, scope })
}

fn is_fds(field: &Field<'_>) -> bool {
    field.fds.is_some() || field.said("fd").is_some()
}

fn is_part(field: &Field<'_>) -> bool {
    !is_fds(field) && field.tail.is_none()
}

/// A field is one thing, and says no more than what belongs to it.
fn placed(field: &Field<'_>, report: &mut Report) {
    let one = field.said("fd").is_some();
    if usize::from(one) + usize::from(field.fds.is_some()) + usize::from(field.tail.is_some()) > 1 {
        report.at(
            field.ident,
            "a field is a tail, one file descriptor (`fd`) or several (`fds(…)`): write one of them",
        );
        return;
    }
    if let Some(condition) = field.present_if.as_ref().filter(|_| !one) {
        report
            .at(&condition.key, "`present_if` says when one file descriptor is there: it stands behind `fd`");
    }
    if let Some(count) = field.count.as_ref().filter(|_| field.fds.is_none()) {
        report.at(&count.key, "`count` says how many file descriptors there are: it stands behind `fds(…)`");
    }
    if let Some(open) = field.said("open") {
        report.at(
            open,
            "`open` says that a variant takes every other message: it stands on one of several messages",
        );
    }
    let expected = match () {
        () if field.fds.is_some() => "Vec<OwnedFd>",
        () if one && field.present_if.is_some() => "Option<OwnedFd>",
        () if one => "OwnedFd",
        () => {
            if is_part(field) && mentions_fd(field.ty) {
                report.at(
                    field.ty,
                    "a file descriptor does not stand in the bytes: write `#[wire(fd)]`, or `#[wire(fds(1..=4))]` of several",
                );
            }
            return;
        }
    };
    let inner = match (field.fds.is_some(), optional(field.ty)) {
        (true, _) => item(field.ty).filter(|_| matches!(Held::of(field.ty), Held::Vec(_))),
        (false, Some(inner)) => Some(inner),
        (false, None) => Some(field.ty).filter(|_| field.present_if.is_none()),
    };
    if !inner.is_some_and(is_owned_fd) {
        report.at(field.ty, format_args!("the message owns what comes with it: write `{expected}`"));
    }
}

fn is_owned_fd(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "OwnedFd"))
}

fn mentions_fd(ty: &Type) -> bool {
    is_owned_fd(ty) || item(ty).or_else(|| optional(ty)).is_some_and(is_owned_fd)
}

/// Parts, then the tail, then file descriptors.
fn in_order(declaration: &Declaration<'_>, report: &mut Report) {
    let rank = |field: &Field<'_>| {
        if is_part(field) {
            0
        } else if field.tail.is_some() {
            1
        } else {
            2
        }
    };
    let mut highest: Option<(u8, &Field<'_>)> = None;
    for field in &declaration.fields {
        let rank = rank(field);
        match highest {
            Some((1, other)) if rank == 1 => report.at(
                field.ident,
                format_args!("`{}` is the tail, and a message has one: nothing stands behind it", other.ident),
            ),
            Some((high, other)) if high > rank => report.at(
                field.ident,
                format_args!(
                    "`{}` stands behind `{}`: parts come first, then the tail, then file descriptors, in the order of the \
                     message",
                    field.ident, other.ident
                ),
            ),
            _ => highest = Some((rank, field)),
        }
    }
}

fn said(field: &Field<'_>, report: &mut Report) -> Said {
    let name = field.ident.unraw().to_string();
    renamed(field.was.as_ref(), &name, report);
    Said {
        name,
        docs: field.docs.clone(),
        was: field.was.as_ref().map(|was| was.name.clone()),
        since: field.since.map(|(since, _)| since),
        deprecated: field.deprecated.clone(),
        c_name: field.c_name.as_ref().and_then(|name| c_name(name, report)),
    }
}

/// What rules see of the fields.
fn scope<'a>(declaration: &'a Declaration<'_>) -> Scope<'a> {
    let fields = declaration.fields.iter().map(|field| Subject {
        ident: field.ident,
        accepted: field.was.as_ref().map_or_else(|| field.ident.unraw().to_string(), |was| was.name.clone()),
        seen: match () {
            () if is_fds(field) => Seen::Fds,
            () if field.tail.is_some() => match Held::of(field.ty) {
                Held::Text => Seen::Long("text"),
                _ => Seen::Long("a tail"),
            },
            () => Seen::Other,
        },
        presence: if is_fds(field) && optional(field.ty).is_some() {
            Presence::Optional
        } else {
            Presence::Always
        },
    });
    let mut scope = Scope::new(declaration.ident.unraw().to_string(), fields.collect());
    scope.message = true;
    scope
}

fn tail_of<'a>(
    field: &'a Field<'a>,
    parts: usize,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<Tail<'a>> {
    let is_text = matches!(Held::of(field.ty), Held::Text);
    let inner = item(field.ty).filter(|_| matches!(Held::of(field.ty), Held::Vec(_)));
    if inner.is_none() && !is_text {
        report.at(field.ty, "a tail is a list of descriptors, `Vec<D>`, bytes, `Vec<u8>`, or text, `String`");
        return None;
    }
    let mut number = |tokens| rule::over_parts(tokens, Sort::Number, parts, scope, report);
    let length = match field.tail.as_ref()? {
        parse::Tail::Rest => TailLength::Rest,
        parse::Tail::Count(tokens) => TailLength::Count(number(tokens)?),
        parse::Tail::Bytes(tokens) => TailLength::Bytes(number(tokens)?),
    };
    Some(Tail { ident: field.ident, ty: field.ty, length, said: said(field, report) })
}

fn group<'a>(
    field: &'a Field<'a>,
    parts: usize,
    scope: &Scope<'_>,
    report: &mut Report,
) -> Option<FdGroup<'a>> {
    let form = match (field.fds, optional(field.ty)) {
        (Some((least, most, _)), _) => {
            let count = match &field.count {
                None => None,
                Some(tokens) => Some(rule::over_parts(tokens, Sort::Number, parts, scope, report)?),
            };
            FdForm::Many { least, most, count }
        }
        (None, Some(_)) => FdForm::Optional(match &field.present_if {
            None => None,
            Some(condition) => {
                Some(rule::over_parts(&condition.rule, Sort::Condition, parts, scope, report)?)
            }
        }),
        (None, None) => FdForm::One,
    };
    Some(FdGroup { ident: field.ident, form, said: said(field, report) })
}

/// Who gets which file descriptor is known from the parts, and the kernel takes as many.
fn counted(groups: &[FdGroup<'_>], report: &mut Report) {
    let mut flexible = groups.iter().filter(|group| group.form.flexible().is_some());
    if let (Some(first), Some(second)) = (flexible.next(), flexible.next()) {
        report.at(
            second.ident,
            format_args!(
                "of `{}` and `{}` nothing says how many there are, and where one ends: write `count = …` or `present_if(…)`",
                first.ident, second.ident
            ),
        );
    }
    let most: u32 = groups.iter().map(|group| group.form.most()).sum();
    if let Some(last) = groups.last().filter(|_| most > MOST_FDS) {
        report.at(
            last.ident,
            format_args!(
                "up to {most} file descriptors, and Linux takes {MOST_FDS} beside one message: declare fewer"
            ),
        );
    }
}

/// How long a message with a tail may be; without one, the parts say it.
fn max_bytes(declaration: &Declaration<'_>, report: &mut Report) -> u32 {
    let has_tail = declaration.fields.iter().any(|field| field.tail.is_some());
    match declaration.container.max_bytes {
        None => MAX_BYTES,
        Some((_, span)) if !has_tail => {
            report.span(
                span,
                "a message without a tail is as long as its parts, and no longer: remove `max_bytes`",
            );
            MAX_BYTES
        }
        Some((0, span)) => {
            report.span(span, "no message is within 0 bytes");
            MAX_BYTES
        }
        Some((most, _)) => u32::try_from(most).unwrap_or(MAX_BYTES),
    }
}

/// The messages of a declaration, if they are legal as far as can be seen without types.
pub(super) fn several<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Messages<'a>> {
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
    renamed(value.was.as_ref(), &value.ident.unraw().to_string(), report);
    if let Some(was) = value.was.as_ref().filter(|_| !by_tag) {
        report.span(was.span, "a variant has the name of the union's, which documents have: remove `was`");
    }
    Some(MessageVariant {
        ident: value.ident,
        was: value.was.as_ref().map(|was| was.name.clone()),
        holds,
        value: number,
        is_open: open.is_some(),
        docs: value.docs.clone(),
        since: value.since.map(|(since, _)| since),
        deprecated: value.deprecated.clone(),
        c_name: value.c_name.as_ref().and_then(|name| c_name(name, report)),
    })
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
