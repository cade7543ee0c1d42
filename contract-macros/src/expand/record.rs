//! The record that a contract leaves in the compiled library.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::record::Text;

/// `impl Contract` and the record. `words` is an expression for the words, or none where a contract has none.
///
/// The attributes that place the record have call-site spans, which `#![forbid(unsafe_code)]` lets pass.
pub(crate) fn contract_and_record(
    ident: &syn::Ident,
    krate: &syn::Path,
    kind: &TokenStream,
    text: &Text,
    words: Option<&TokenStream>,
) -> TokenStream {
    let name = ident.unraw().to_string();
    let (wire, source) = (text.wire_hash(), text.source_hash());
    let (count, words) = match words {
        Some(layout) => (quote!(__wire::words_length(&#layout)), quote!(__wire::words(&#layout))),
        None => (quote!(0), quote!([])),
    };
    let wire_id =
        if words.is_empty() { quote!(#wire) } else { quote!(__wire::wire_id(#wire, &__WIRE_WORDS)) };
    let head = format!(
        "{}\n{}\n{{\"package_version\":\"{}\",\"module\":\"",
        text.wire, text.source, text.package_version
    );
    let site = Span::call_site();
    let export = format!("wirecontract_record_{wire:016x}_{source:016x}_{:x}", counter());
    let place = quote_spanned! {site=>
        #[used]
        #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".note.wirec"))]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__wirec,regular,no_dead_strip"))]
        #[cfg_attr(windows, unsafe(link_section = ".wirec"), unsafe(export_name = #export))]
    };
    quote! {
        const __WIRE_WORDS: [u32; #count] = #words;

        #[automatically_derived]
        impl #krate::Contract for #ident {
            const NAME: &'static str = #name;
            const KIND: #krate::Kind = #krate::Kind::#kind;
            const WIRE_ID: u64 = #wire_id;
            const SOURCE_ID: u64 = __wire::source_id(#source, ::core::module_path!(), &__WIRE_WORDS);
        }

        const __WIRE_TEXT: &str = __wire::text(::core::concat!(
            #head, ::core::module_path!(), "\",\"line\":", ::core::line!(), ",\"column\":", ::core::column!(), "}\n",
            ::core::file!()
        ));

        #place
        static __WIRE_RECORD: __wire::Record<{ #count }, { __WIRE_TEXT.len() }> = __wire::Record::new(
            <#ident as #krate::Contract>::WIRE_ID,
            <#ident as #krate::Contract>::SOURCE_ID,
            __WIRE_WORDS,
            __WIRE_TEXT,
        );
    }
}

/// Tells apart two contracts of one text in one crate, as in two functions.
fn counter() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
