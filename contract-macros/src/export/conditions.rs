//! What a method is compiled under, which holds for the function of C as well: the compiler looks at an `impl` before
//! its attribute macro does, and at what is in it behind that.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::report::Report;

/// The `cfg` among attributes, also those that are themselves under a condition.
pub(super) fn conditions(attributes: &[Attribute]) -> Vec<Attribute> {
    let metas = attributes.iter().filter_map(|attribute| condition(&attribute.meta));
    metas.map(|meta| syn::parse_quote!(#[#meta])).collect()
}

/// `cfg(…)`, and of `cfg_attr(condition, …)` what says `cfg`.
fn condition(meta: &Meta) -> Option<TokenStream> {
    if meta.path().is_ident("cfg") {
        return Some(meta.to_token_stream());
    }
    let (under, parts) = conditional(meta)?;
    let held: Vec<TokenStream> = parts.iter().filter_map(condition).collect();
    (!held.is_empty()).then(|| quote!(cfg_attr(#under, #(#held),*)))
}

/// Refuses keys that are under a condition, and takes them off.
pub(super) fn refuse_keys(attributes: &mut Vec<Attribute>, report: &mut Report) {
    attributes.retain(|attribute| {
        let keys = keys(&attribute.meta);
        for key in &keys {
            report.at(
                key,
                "what is said of a function holds everywhere: write two functions, each under its `cfg`",
            );
        }
        keys.is_empty()
    });
}

fn keys(meta: &Meta) -> Vec<Meta> {
    let Some((_, parts)) = conditional(meta) else { return Vec::new() };
    let held = |part: Meta| if part.path().is_ident("wire") { vec![part] } else { keys(&part) };
    parts.into_iter().flat_map(held).collect()
}

/// The condition of a `cfg_attr`, and the attributes under it. One that is written otherwise, the compiler refuses.
fn conditional(meta: &Meta) -> Option<(Meta, Vec<Meta>)> {
    if !meta.path().is_ident("cfg_attr") {
        return None;
    }
    let list = meta.require_list().ok()?;
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let mut parts = parts.into_iter();
    Some((parts.next()?, parts.collect()))
}
