//! Rust from a legal contract.

mod abi;
mod accessors;
mod descriptor;
mod descriptor_rules;
mod document;
mod export;
mod growth;
mod handle;
mod key;
mod message;
mod recipe;
mod record;
mod rule;
mod rule_bounds;
mod stub;
mod union;
mod values;
mod view;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, Type};

use crate::check::{Body, Contract, Openness};

pub(crate) use abi::named;
pub(crate) use export::{function, library, owner};
pub(crate) use stub::stub;

/// The expansion of a contract.
pub(crate) fn contract(contract: &Contract<'_>) -> TokenStream {
    match &contract.body {
        Body::Descriptor(descriptor) => descriptor::expand(contract, descriptor),
        Body::Enumeration(values) => values::enumeration(contract, values),
        Body::Flags(values, open) => values::flags(contract, values, *open == Openness::Open),
        Body::Recipe(recipe) => recipe::expand(contract, recipe),
        Body::Union(union) => union::expand(contract, union),
        Body::Abi(abi) => abi::expand(contract, abi),
        Body::Handle(handle) => handle::expand(contract, handle),
        Body::Message(message) => message::one(contract, message),
        Body::Messages(messages) => message::messages(contract, messages),
    }
}

/// Where a type begins and where it ends: of what stands between two tokens at these, the compiler's errors are at the
/// whole type.
fn ends(ty: &Type) -> (Span, Span) {
    let mut tokens = ty.to_token_stream().into_iter();
    let Some(first) = tokens.next() else { return (Span::call_site(), Span::call_site()) };
    match tokens.last() {
        None => (first.span(), first.span()),
        Some(TokenTree::Group(group)) => (first.span(), group.span_close()),
        Some(last) => (first.span(), last.span()),
    }
}

/// An expression of a field's value, at its type: what is wrong with that is then one error, however often such a value is
/// written. What is between parentheses stays where it is: names of the expansion have no meaning at the declaration.
fn over(ty: &Type, expression: TokenStream) -> TokenStream {
    let (start, end) = ends(ty);
    let mut tokens: Vec<TokenTree> = expression.into_iter().collect();
    let last = tokens.len().saturating_sub(1);
    for (index, token) in tokens.iter_mut().enumerate() {
        let is_inner = matches!(token, TokenTree::Group(_)) && index < last;
        token.set_span(if index == 0 || is_inner { start } else { end });
    }
    tokens.into_iter().collect()
}

/// What `Probe` says of a type, asked at the type.
fn probed(ty: &Type, constant: &str) -> TokenStream {
    let (start, end) = ends(ty);
    let (before, constant) = (quote_spanned!(start=> __wire::Probe::<), Ident::new(constant, end));
    let behind = quote_spanned!(end=> >::#constant);
    quote!(#before #ty #behind)
}
