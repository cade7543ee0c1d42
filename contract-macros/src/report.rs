//! Errors, pushed as they are found and raised together.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The errors of one declaration.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// An error at tokens.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// An error at a span.
    pub(crate) fn span(&mut self, span: Span, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new(span, message));
    }

    /// An error of the parser.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether nothing was wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// How many errors there are.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// One `compile_error!` an error.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.errors.iter().map(syn::Error::to_compile_error).collect()
    }
}
