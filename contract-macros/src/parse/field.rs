//! Keys of a field.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, Ident};

use super::places::{Place, unknown};
use super::{Condition, Field, Moment, Reserved, RuleTokens, Spelling, Tail, endian, old_name};
use crate::attr::{self, Form, Item, set_once};
use crate::eval;
use crate::parse::Kind;
use crate::report::Report;
use crate::ty::show;

/// Reads a field with a name.
pub(super) fn field<'a>(input: &'a syn::Field, kind: Option<Kind>, report: &mut Report) -> Option<Field<'a>> {
    let mut field = Field {
        ident: input.ident.as_ref()?,
        vis: &input.vis,
        ty: &input.ty,
        docs: attr::docs(&input.attrs),
        said: Vec::new(),
        magic: None,
        version: None,
        reserved: None,
        length_of: None,
        text: None,
        endian: None,
        offset: None,
        c_name: None,
        was: None,
        since: None,
        deprecated: None,
        name: None,
        default: None,
        default_zero: None,
        required_if: None,
        one_of: None,
        min: None,
        max: None,
        max_len: None,
        max_items: None,
        spelling: None,
        counted_by: None,
        c_type: None,
        tail: None,
        fds: None,
        present_if: None,
        count: None,
    };
    for item in attr::items(&input.attrs, report) {
        field.said.push(item.key.clone());
        if !(zero(&mut field, &item, kind, report)
            || common(&mut field, &item, report)
            || of_descriptors(&mut field, &item, report)
            || of_messages(&mut field, &item, report)
            || of_recipes(&mut field, &item, report))
        {
            field.said.pop();
            unknown(&item, Place::Member, kind, report);
        }
    }
    Some(field)
}

/// `default` without a value, which says something in descriptors only.
fn zero(field: &mut Field<'_>, item: &Item, kind: Option<Kind>, report: &mut Report) -> bool {
    let is_zero =
        kind == Some(Kind::Descriptor) && item.name() == "default" && matches!(item.form, Form::Word);
    if is_zero {
        set_once(&mut field.default_zero, Some(item.key.clone()), item, report);
    }
    is_zero
}

/// Keys that fields of every kind have.
fn common(field: &mut Field<'_>, item: &Item, report: &mut Report) -> bool {
    match item.name().as_str() {
        "c_name" => {
            let name = item.text(report);
            set_once(&mut field.c_name, name, item, report);
        }
        "was" => {
            let was = old_name(item, report);
            set_once(&mut field.was, was, item, report);
        }
        "since" => {
            let since = item.version(report);
            set_once(&mut field.since, since, item, report);
        }
        "deprecated" => {
            let why = item.text(report).map(|why| why.value());
            set_once(&mut field.deprecated, why, item, report);
        }
        "c_type" => {
            let name = item.text(report);
            set_once(&mut field.c_type, name, item, report);
        }
        "counted_by" => {
            let count: Option<Ident> = item.value("field", report);
            set_once(&mut field.counted_by, count, item, report);
        }
        "one_of" => {
            let condition = one_of(item, report);
            set_once(&mut field.one_of, condition, item, report);
        }
        _ => return false,
    }
    true
}

/// Keys of a descriptor's field.
fn of_descriptors(field: &mut Field<'_>, item: &Item, report: &mut Report) -> bool {
    match item.name().as_str() {
        "magic" => {
            let magic = item.value("b\"…\"", report);
            set_once(&mut field.magic, magic, item, report);
        }
        "version" => {
            let version = item.integer(u64::MAX, report);
            set_once(&mut field.version, version, item, report);
        }
        "reserved" => {
            let reserved = match &item.form {
                Form::Word => Some(Reserved::Ignored),
                Form::List(tokens) if tokens.to_string() == "zero" => Some(Reserved::Zero),
                _ => {
                    report.at(
                        &item.key,
                        "expected `reserved` (ignored on read) or `reserved(zero)` (refused unless zero)",
                    );
                    None
                }
            };
            set_once(&mut field.reserved, reserved.map(|reserved| (reserved, item.span())), item, report);
        }
        "length_of" => {
            if field.length_of.is_none() {
                field.length_of = Some(item.names(report));
            } else {
                report.at(&item.key, "`length_of` stands twice: name all fields in one, `length_of(f, g)`");
            }
        }
        "text" => {
            if item.word(report) {
                set_once(&mut field.text, Some(item.span()), item, report);
            }
        }
        "endian" => {
            let endian = endian(item, report).map(|endian| (endian, item.span()));
            set_once(&mut field.endian, endian, item, report);
        }
        "offset" => {
            let offset = item.integer(u32::MAX.into(), report);
            set_once(&mut field.offset, offset, item, report);
        }
        _ => return false,
    }
    true
}

/// Keys of a recipe's field.
fn of_recipes(field: &mut Field<'_>, item: &Item, report: &mut Report) -> bool {
    match item.name().as_str() {
        "name" => {
            let name = item.text(report);
            set_once(&mut field.name, name, item, report);
        }
        "default" => {
            let default: Option<Expr> = item.value("VALUE", report);
            set_once(&mut field.default, default, item, report);
        }
        // A word that stands is in `said`.
        "skip_default" | "nullable" | "null_when_absent" | "flatten" | "lenient" | "not_imported" => {
            item.word(report);
            twice(field, item, report);
        }
        "required_if" => {
            let condition = required_if(item, report);
            set_once(&mut field.required_if, condition, item, report);
        }
        "min" => {
            let min: Option<Expr> = item.value("N", report);
            set_once(&mut field.min, min, item, report);
        }
        "max" => {
            let max: Option<Expr> = item.value("N", report);
            set_once(&mut field.max, max, item, report);
        }
        "max_len" => {
            let most = item.integer(u32::MAX.into(), report);
            set_once(&mut field.max_len, most, item, report);
        }
        "max_items" => {
            let most = item.integer(u32::MAX.into(), report);
            set_once(&mut field.max_items, most, item, report);
        }
        "decimal_string" | "hex" | "base64" | "uuid" => spelling(field, item, report),
        _ => return false,
    }
    true
}

/// Keys of a message's field.
fn of_messages(field: &mut Field<'_>, item: &Item, report: &mut Report) -> bool {
    match item.name().as_str() {
        "tail" => {
            let tail = tail(item, report);
            set_once(&mut field.tail, tail, item, report);
        }
        // A word that stands is in `said`.
        "fd" => {
            item.word(report);
            twice(field, item, report);
        }
        // Of a variant, and never of a field: which says so where a message is checked.
        "open" => {}
        "fds" => {
            let range = fds(item, report);
            set_once(&mut field.fds, Some(range), item, report);
        }
        "present_if" => {
            let condition = match &item.form {
                Form::List(tokens) if !tokens.is_empty() => {
                    Some(Condition { key: item.key.clone(), rule: rule(item, tokens.clone(), None) })
                }
                _ => {
                    report.at(&item.key, "expected `present_if(CONDITION)`");
                    None
                }
            };
            set_once(&mut field.present_if, condition, item, report);
        }
        "count" => {
            let count = number(item, report);
            set_once(&mut field.count, count, item, report);
        }
        _ => return false,
    }
    true
}

/// `tail`, `tail(count = EXPRESSION)` or `tail(bytes = EXPRESSION)`.
fn tail(item: &Item, report: &mut Report) -> Option<Tail> {
    let tokens = match &item.form {
        Form::Word => return Some(Tail::Rest),
        Form::List(tokens) => tokens,
        Form::Value(_) => &TokenStream::new(),
    };
    let inner = attr::inner(tokens, report);
    match inner.as_slice() {
        [one] if one.name() == "count" => number(one, report).map(Tail::Count),
        [one] if one.name() == "bytes" => number(one, report).map(Tail::Bytes),
        _ => {
            report.at(
                &item.key,
                "expected `tail` (to the end of the message), `tail(count = NUMBER)` (of elements) or \
                 `tail(bytes = NUMBER)`",
            );
            None
        }
    }
}

/// `key = EXPRESSION`, a number over the parts of a message.
fn number(item: &Item, report: &mut Report) -> Option<RuleTokens> {
    match &item.form {
        Form::Value(tokens) if !tokens.is_empty() => Some(rule(item, tokens.clone(), None)),
        _ => {
            report.at(&item.key, format_args!("expected `{} = NUMBER`, a field of a part for one", item.key));
            None
        }
    }
}

/// `fds(N)`, `fds(A..=B)`. A field of which that is wrong has file descriptors all the same: one.
fn fds(item: &Item, report: &mut Report) -> (u32, u32, Span) {
    let said = match &item.form {
        Form::List(tokens) => syn::parse2::<Expr>(tokens.clone()).ok(),
        _ => None,
    };
    if let Some((least, most)) = said.as_ref().and_then(half_open) {
        report.at(&item.key, format_args!("the last number counts: write `fds({least}..={most})`"));
        return (least, most, item.span());
    }
    match said.as_ref().and_then(bounds_of) {
        Some((least, most)) if least <= most && (1..=MOST_FDS).contains(&most) => {
            return (least, most, item.span());
        }
        Some(_) => report.at(
            &item.key,
            format_args!(
                "from A to B file descriptors, `fds(A..=B)`: A is no more than B, and B from 1 to {MOST_FDS}"
            ),
        ),
        None => {
            report.at(&item.key, "expected how many file descriptors there are: `fds(N)` or `fds(A..=B)`");
        }
    }
    (1, 1, item.span())
}

/// The range `A..B`, which says one number less than it shows.
fn half_open(said: &Expr) -> Option<(u32, u32)> {
    match said {
        Expr::Range(range) if matches!(range.limits, syn::RangeLimits::HalfOpen(_)) => {
            let (least, end) = bounds_of(said)?;
            Some((least, end.checked_sub(1)?))
        }
        _ => None,
    }
}

/// As many file descriptors as Linux takes beside one message.
pub(crate) const MOST_FDS: u32 = 253;

fn bounds_of(said: &Expr) -> Option<(u32, u32)> {
    let number = |expression: &Expr| u32::try_from(eval::integer(expression)?).ok();
    match said {
        Expr::Range(range) => {
            let (start, end) = (range.start.as_deref()?, range.end.as_deref()?);
            Some((number(start)?, number(end)?))
        }
        one => number(one).map(|count| (count, count)),
    }
}

fn twice(field: &Field<'_>, item: &Item, report: &mut Report) {
    if field.said.iter().filter(|key| **key == item.key).count() > 1 {
        report.at(&item.key, format_args!("`{}` stands twice", item.key));
    }
}

/// A value is spelled in one way.
fn spelling(field: &mut Field<'_>, item: &Item, report: &mut Report) {
    if !item.word(report) {
        return;
    }
    let spelling = match item.name().as_str() {
        "decimal_string" => Spelling::DecimalString,
        "hex" => Spelling::Hex,
        "base64" => Spelling::Base64,
        _ => Spelling::Uuid,
    };
    match field.spelling {
        Some((other, _)) if other != spelling => report.at(
            &item.key,
            format_args!(
                "a value is not spelled both as `{}` and as `{}`: remove one",
                other.word(),
                item.key
            ),
        ),
        _ => set_once(&mut field.spelling, Some((spelling, item.span())), item, report),
    }
}

/// `required_if(EXPRESSION)`, with `at = import` behind it or not.
fn required_if(item: &Item, report: &mut Report) -> Option<Condition> {
    let what = "expected `required_if(EXPRESSION)` or `required_if(EXPRESSION, at = import)`";
    let Form::List(tokens) = &item.form else {
        report.at(&item.key, what);
        return None;
    };
    let mut parts = split(tokens);
    let at = trailing_moment(&mut parts).map_err(|error| report.push(error)).ok()?;
    match <[TokenStream; 1]>::try_from(parts) {
        Ok([tokens]) => Some(Condition { key: item.key.clone(), rule: rule(item, tokens, at) }),
        Err(_) => {
            report.at(&item.key, what);
            None
        }
    }
}

/// `one_of(TAG: A, B)`, with `at = import` behind it or not: `TAG == A || TAG == B`.
fn one_of(item: &Item, report: &mut Report) -> Option<Condition> {
    let what =
        "expected `one_of(TAG: A, B)`: the field that says, and the values with which this one may be there";
    let Form::List(tokens) = &item.form else {
        report.at(&item.key, what);
        return None;
    };
    let mut parts = split(tokens);
    let at = trailing_moment(&mut parts).map_err(|error| report.push(error)).ok()?;
    let Some((tag, first)) = parts.first().and_then(at_colon) else {
        report.at(&item.key, what);
        return None;
    };
    parts[0] = first;
    if tag.is_empty() || parts.iter().any(TokenStream::is_empty) {
        report.at(&item.key, what);
        return None;
    }
    let said = |part: &TokenStream| match syn::parse2(part.clone()).ok().as_ref().and_then(eval::integer) {
        Some(number) => number.to_string(),
        None => part.to_string(),
    };
    for (index, part) in parts.iter().enumerate() {
        if parts[..index].iter().any(|other| said(other) == said(part)) {
            report.at(part, format_args!("`one_of` names `{}` twice: remove one", show(part)));
            return None;
        }
    }
    let tokens = quote!(#(#tag == #parts)||*);
    Some(Condition { key: item.key.clone(), rule: rule(item, tokens, at) })
}

fn rule(item: &Item, tokens: TokenStream, at: Option<Moment>) -> RuleTokens {
    RuleTokens { key: item.key.clone(), tokens, at }
}

/// What stands before, between and behind commas; nothing behind a last one.
fn split(tokens: &TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens.clone() {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            _ => {}
        }
    }
    if parts.len() > 1 && parts.last().is_some_and(TokenStream::is_empty) {
        parts.pop();
    }
    parts
}

/// Takes `at = import` from the end.
fn trailing_moment(parts: &mut Vec<TokenStream>) -> syn::Result<Option<Moment>> {
    let Some(last) = parts.last() else { return Ok(None) };
    let words: Vec<TokenTree> = last.clone().into_iter().collect();
    let is_equals =
        |index: usize| matches!(words.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == '=');
    let is_at = matches!(words.first(), Some(TokenTree::Ident(at)) if at == "at");
    // `at == 3` is an expression about a field of that name.
    if !is_at || !is_equals(1) || is_equals(2) {
        return Ok(None);
    }
    let moment = match &words[2..] {
        [TokenTree::Ident(word)] if word == "read" => Moment::Read,
        [TokenTree::Ident(word)] if word == "import" => Moment::Import,
        _ => return Err(syn::Error::new_spanned(last, "expected `at = read | import`")),
    };
    parts.pop();
    Ok(Some(moment))
}

/// What stands before and behind a single `:`.
fn at_colon(tokens: &TokenStream) -> Option<(TokenStream, TokenStream)> {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    let colon = tokens.iter().position(is_colon)?;
    if tokens.get(colon + 1).is_some_and(is_colon) {
        return None;
    }
    let collect = |tokens: &[TokenTree]| tokens.iter().cloned().collect::<TokenStream>();
    Some((collect(&tokens[..colon]), collect(&tokens[colon + 1..])))
}
