//! `wire_library!`: what a library of exported functions has once.

use proc_macro2::TokenStream;
use syn::Path;

use crate::attr::{self, set_once};
use crate::check::prefix;
use crate::expand;
use crate::parse::none_of;
use crate::report::Report;

/// A library.
pub(crate) struct Library {
    pub(crate) krate: Path,
    pub(crate) prefix: String,
}

/// The functions of a library.
pub(crate) fn library(tokens: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let (mut krate, mut said) = (None, None);
    for item in attr::inner(tokens, &mut report) {
        match item.name().as_str() {
            "crate" => {
                let path = item.path(&mut report);
                set_once(&mut krate, path, &item, &mut report);
            }
            "prefix" => {
                let text = item.text(&mut report);
                set_once(&mut said, text, &item, &mut report);
            }
            _ => none_of(&item, "prefix, crate", &mut report),
        }
    }
    match prefix(said.as_ref(), &mut report) {
        Some(prefix) if report.is_empty() => {
            let krate = krate.unwrap_or_else(|| syn::parse_quote!(::wirecontract));
            expand::library(&Library { krate, prefix })
        }
        _ => report.into_compile_errors(),
    }
}
