//! A handle: where its objects are, and what destroys them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::export::{c_text, exported, wire_id_symbol};
use super::record::{self, Words};
use crate::check::{Contract, Handle};
use crate::parse::Access;
use crate::record::Text;

/// The expansion of a handle.
pub(crate) fn expand(contract: &Contract<'_>, handle: &Handle) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let (prefix, name) = (&handle.prefix, &contract.about.name);
    let tag = quote!(__wire::export::tag(#prefix, #name));
    let text = Text::of(contract);
    let record = record::contract_and_record(ident, krate, &quote!(Handle), &text, &Words::Tag(tag.clone()));
    let (crosses, handle_trait, table) = match handle.access {
        Access::Exclusive => ("Exclusive", "ExclusiveHandle", "ExclusiveTable"),
        Access::Shared => ("Shared", "SharedHandle", "SharedTable"),
    };
    let word = |word: &str| Ident::new(word, Span::call_site());
    let (crosses, table) = (word(crosses), word(table));
    let handle_trait = Ident::new(handle_trait, ident.span());
    let implemented = quote_spanned!(ident.span()=> __wire::export::#handle_trait for #ident);
    // Where objects of this type are not for all threads, the compiler says so of the static, at the word.
    let objects = quote_spanned!(handle.access_span=> __wire::export::#table<#ident>);
    let symbol = c_text(&handle.symbol);
    let place = exported(&handle.symbol);
    let wire_id = wire_id_symbol(&handle.symbol, &quote!(<#ident as #krate::Contract>::WIRE_ID));
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record

            #[automatically_derived]
            impl __wire::Crosses for #ident {
                type As = __wire::cross::#crosses;
            }

            #[automatically_derived]
            impl #implemented {
                fn table() -> &'static __wire::export::#table<Self> {
                    static TABLE: #objects = __wire::export::#table::new(#tag);
                    &TABLE
                }
            }

            #place
            unsafe extern "C" fn __wire_destroy(handle: *mut __wire::export::CHandle) -> i32 {
                // What C promises is what this asks.
                unsafe { __wire::export::destroy::<__wire::cross::#crosses, #ident>(#symbol, handle) }
            }

            #wire_id
        };
    }
}
