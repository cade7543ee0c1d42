//! Rules that recipes and unions share.

use proc_macro2::Span;
use syn::{LitStr, Type};

use super::Limits;
use crate::parse::Declaration;
use crate::report::Report;
use crate::rule::{self, Checked, Scope};
use crate::ty::Held;

const MAX_BYTES: u32 = 1 << 20;
const MAX_DEPTH: u32 = 64;

/// The deepest that a reader goes, whatever is declared: each level takes stack.
const DEEPEST: u64 = 128;

/// A document has at least its brackets, and a depth that every reader can go to.
pub(super) fn limits(declaration: &Declaration<'_>, report: &mut Report) -> Limits {
    let keys = &declaration.container;
    let mut within = |said: Option<(u64, Span)>, default: u32, least: u64, most: u64, key: &str| match said {
        None => default,
        Some((number, span)) if number < least || number > most => {
            report.span(span, format_args!("`{key}` is a number from {least} to {most}"));
            default
        }
        Some((number, _)) => u32::try_from(number).unwrap_or(default),
    };
    let at = |said: Option<(u64, Span)>| said.map_or(declaration.ident.span(), |(_, span)| span);
    Limits {
        spans: [at(keys.max_bytes), at(keys.max_depth)],
        max_bytes: within(keys.max_bytes, MAX_BYTES, 2, u32::MAX.into(), "max_bytes"),
        max_depth: within(keys.max_depth, MAX_DEPTH, 1, DEEPEST, "max_depth"),
    }
}

/// The rules of a container.
pub(super) fn rules(declaration: &Declaration<'_>, scope: &Scope<'_>, report: &mut Report) -> Vec<Checked> {
    rule::all(&declaration.container.rules, scope, report)
}

/// A key or a tag says something.
pub(super) fn not_empty(name: &LitStr, what: &str, report: &mut Report) {
    if name.value().is_empty() {
        report.at(name, format_args!("{what} is not empty: errors name it"));
    }
}

/// A document can carry the type.
pub(super) fn carried(declaration: &Declaration<'_>, ty: &Type, held: &Held, report: &mut Report) -> bool {
    if let Some(why) = held.refusal() {
        report.at(ty, why);
        return false;
    }
    if holds(ty, &declaration.ident.to_string()) {
        report.at(
            ty,
            format_args!(
                "`{}` holds itself, and a contract's id covers the ids of what it holds: write `wirecontract::Json`, or \
                 another contract",
                declaration.ident
            ),
        );
        return false;
    }
    true
}

/// Whether a type mentions a name.
fn holds(ty: &Type, name: &str) -> bool {
    match ty {
        Type::Paren(inner) => holds(&inner.elem, name),
        Type::Group(inner) => holds(&inner.elem, name),
        Type::Array(array) => holds(&array.elem, name),
        Type::Path(path) if path.qself.is_none() => {
            if path.path.is_ident(name) {
                return true;
            }
            path.path.segments.last().is_some_and(|last| match &last.arguments {
                syn::PathArguments::AngleBracketed(arguments) => arguments
                    .args
                    .iter()
                    .any(|argument| matches!(argument, syn::GenericArgument::Type(ty) if holds(ty, name))),
                _ => false,
            })
        }
        _ => false,
    }
}
