//! The rules of handles.

use proc_macro2::Span;
use syn::LitStr;

use crate::case;
use crate::parse::{Access, Declaration};
use crate::report::Report;

/// A legal handle.
pub(crate) struct Handle {
    pub(crate) access: Access,
    /// The word that says it.
    pub(crate) access_span: Span,
    pub(crate) prefix: String,
    /// The function that destroys it.
    pub(crate) symbol: String,
}

/// The handle of a declaration, if it is legal.
pub(super) fn check(declaration: &Declaration<'_>, report: &mut Report) -> Option<Handle> {
    let keys = &declaration.container;
    let access = access(declaration, report);
    let prefix = prefix(keys.prefix.as_ref(), report)?;
    let symbol = format!("{prefix}_{}_destroy", stem(&super::name(declaration.ident)));
    let (access, access_span) = access?;
    Some(Handle { access, access_span, prefix, symbol })
}

/// Whether others may use the object meanwhile is nobody's guess.
fn access(declaration: &Declaration<'_>, report: &mut Report) -> Option<(Access, Span)> {
    let access = declaration.container.access;
    if access.is_none() && report.is_empty() {
        report.at(
            declaration.ident,
            "say who uses the object at one time: `#[wire(handle, exclusive)]` (the thread that made it) or \
             `#[wire(handle, shared)]` (any number of threads)",
        );
    }
    access
}

/// What functions of a type are called after, in C.
pub(crate) fn stem(name: &str) -> String {
    case::rename(name, "snake_case")
}

/// What every name of the library begins with: the package's name, where no other is said.
pub(crate) fn prefix(said: Option<&LitStr>, report: &mut Report) -> Option<String> {
    let Some(said) = said else {
        return Some(std::env::var("CARGO_PKG_NAME").unwrap_or_default().replace('-', "_"));
    };
    let text = said.value();
    let legal = text.starts_with(|letter: char| letter.is_ascii_lowercase())
        && !text.ends_with('_')
        && text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if legal {
        return Some(text);
    }
    report.at(
        said,
        "expected what names in C begin with, as `prefix = \"sensor\"`: lower-case letters, digits and `_`",
    );
    None
}
