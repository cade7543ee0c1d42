//! The rules of messages.

mod messages;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Ident, LitStr, Type};

use super::{c_name, old_names, renamed};
use crate::parse::{self, Declaration, Field, MOST_FDS, OldName, Value};
use crate::report::Report;
use crate::rule::{self, Checked, Presence, Scope, Seen, Sort, Subject};
use crate::ty::{Held, item, optional};

pub(super) use messages::messages;
pub(crate) use messages::{MessageVariant, Messages, Selector, VariantHolds};

/// The longest message with a tail, where nothing else is said.
const MAX_BYTES: u32 = 1 << 20;

/// A legal message.
pub(crate) struct Message<'a> {
    /// The longest, of one with a tail.
    pub(crate) max_bytes: u32,
    /// Where that is said.
    pub(crate) bound: Option<Span>,
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) tail: Option<Tail<'a>>,
    pub(crate) fds: Vec<FdGroup<'a>>,
    pub(crate) rules: Vec<Checked>,
    /// What the rules see.
    pub(crate) scope: Scope<'a>,
}

/// What a field of a message, or a variant of several, says of itself.
pub(crate) struct Member {
    /// Without `r#`.
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
    pub(crate) member: Member,
}

/// The tail of a legal message.
pub(crate) struct Tail<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) length: TailLength,
    pub(crate) member: Member,
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
    pub(crate) member: Member,
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

    /// The fewest and the most that are declared.
    pub(crate) fn range(&self) -> (u32, u32) {
        match self {
            FdForm::One => (1, 1),
            FdForm::Optional(_) => (0, 1),
            FdForm::Many { least, most, .. } => (*least, *most),
        }
    }

    /// The most.
    pub(crate) fn most(&self) -> u32 {
        self.range().1
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
    let parts = parts
        .map(|field| Part { ident: field.ident, ty: field.ty, member: Member::of_field(field, report) })
        .collect();
    let tail = fields.iter().find(|field| field.tail.is_some());
    let tail = tail.and_then(|field| tail_of(field, count, &scope, report));
    let groups = fields.iter().filter(|field| is_fds(field));
    let fds: Vec<FdGroup<'_>> = groups.filter_map(|field| group(field, count, &scope, report)).collect();
    counted(&fds, report);
    let max_bytes = max_bytes(declaration, report);
    let bound = keys.max_bytes.map(|(_, span)| span);
    old_names(
        fields.iter().zip(scope.fields.iter()).map(|(field, subject)| (field.ident, &subject.accepted, None)),
        report,
    );
    let rules = rule::all(&keys.rules, &scope, report);
    (report.len() == before).then_some(Message { max_bytes, bound, parts, tail, fds, rules, scope })
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

impl Member {
    fn of_field(field: &Field<'_>, report: &mut Report) -> Self {
        let Field { ident, docs, was, since, deprecated, c_name, .. } = field;
        Member::of(ident, docs, was.as_ref(), *since, deprecated.as_ref(), c_name.as_ref(), report)
    }

    fn of_variant(value: &Value<'_>, report: &mut Report) -> Self {
        let Value { ident, docs, was, since, deprecated, c_name, .. } = value;
        Member::of(ident, docs, was.as_ref(), *since, deprecated.as_ref(), c_name.as_ref(), report)
    }

    fn of(
        ident: &Ident,
        docs: &str,
        was: Option<&OldName>,
        since: Option<(u32, Span)>,
        deprecated: Option<&String>,
        in_c: Option<&LitStr>,
        report: &mut Report,
    ) -> Self {
        let name = ident.unraw().to_string();
        renamed(was, &name, report);
        Member {
            name,
            docs: docs.to_owned(),
            was: was.map(|was| was.name.clone()),
            since: since.map(|(since, _)| since),
            deprecated: deprecated.cloned(),
            c_name: in_c.and_then(|name| c_name(name, report)),
        }
    }

    /// The name that it was first accepted under.
    pub(crate) fn first_name(&self) -> &str {
        self.was.as_ref().unwrap_or(&self.name)
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
    if inner.is_some_and(|inner| matches!(Held::of(inner), Held::Scalar(scalar) if scalar.name != "u8")) {
        report.at(
            field.ty,
            "the elements of a tail are descriptors or bytes: write `Vec<D>` with a descriptor `D` of one field, whose order \
             of bytes that says, or `Vec<u8>`",
        );
        return None;
    }
    let mut number = |tokens| rule::over_parts(tokens, Sort::Number, parts, scope, report);
    let length = match field.tail.as_ref()? {
        parse::Tail::Rest => TailLength::Rest,
        parse::Tail::Count(tokens) => TailLength::Count(number(tokens)?),
        parse::Tail::Bytes(tokens) => TailLength::Bytes(number(tokens)?),
    };
    Some(Tail { ident: field.ident, ty: field.ty, length, member: Member::of_field(field, report) })
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
    Some(FdGroup { ident: field.ident, form, member: Member::of_field(field, report) })
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
