//! The record that a contract leaves in the compiled library.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::record::{Text, fold};

/// What the words of a record are put together from.
pub(crate) enum Words {
    /// There are none.
    None,
    /// The layout of a descriptor.
    Layout,
    /// The layout of a descriptor that grows, and its defaults.
    Grown,
    /// Expressions of the shapes of keys or variants.
    Shapes(Vec<TokenStream>),
    /// The fields of an abi struct.
    Abi,
    /// The tag of a handle.
    Tag(TokenStream),
}

/// `impl Contract` and the record.
///
/// The attributes that place the record have call-site spans, which `#![forbid(unsafe_code)]` lets pass.
pub(crate) fn contract_and_record(
    ident: &syn::Ident,
    krate: &syn::Path,
    kind: &TokenStream,
    text: &Text,
    words: &Words,
) -> TokenStream {
    let name = ident.unraw().to_string();
    let (wire, source) = (text.wire_hash(), text.source_hash());
    let (shapes, count, words, wire_id) = match words {
        Words::None => (TokenStream::new(), quote!(0), quote!([]), quote!(#wire)),
        Words::Layout => (
            TokenStream::new(),
            quote!(__wire::words_length(&__WIRE_LAYOUT)),
            quote!(__wire::words(&__WIRE_LAYOUT)),
            quote!(__wire::wire_id(#wire, &__WIRE_WORDS, 2)),
        ),
        Words::Grown => (
            TokenStream::new(),
            quote!(__wire::grown_words_length(&__WIRE_LAYOUT, __WIRE_GROWTH)),
            quote!(__wire::grown_words(&__WIRE_LAYOUT, __WIRE_GROWTH)),
            quote!(__wire::wire_id(#wire, &__WIRE_WORDS, 2 + __WIRE_GROWTH.tail_words())),
        ),
        Words::Shapes(shapes) => (
            quote!(const __WIRE_SHAPES: &[__wire::JsonShape] = &[#(#shapes),*];),
            quote!(__wire::json_words_length(__WIRE_SHAPES)),
            quote!(__wire::json_words(__WIRE_SHAPES)),
            quote!(__wire::json_wire_id(#wire, &__WIRE_WORDS)),
        ),
        Words::Abi => (
            TokenStream::new(),
            quote!(__wire::abi_words_length(&__WIRE_FIELDS)),
            quote!(__wire::abi_words(&__WIRE_FIELDS)),
            quote!(__wire::abi_wire_id(#wire, &__WIRE_FIELDS)),
        ),
        Words::Tag(tag) => (
            TokenStream::new(),
            quote!(1),
            quote!([#tag as u32]),
            quote!(__wire::source_id(#wire, "", &__WIRE_WORDS)),
        ),
    };
    let spoken = spoken(text);
    let crossing = crossing(ident, krate, kind);
    let record = record(
        text,
        &count,
        &quote!(<#ident as #krate::Contract>::WIRE_ID),
        &quote!(<#ident as #krate::Contract>::SOURCE_ID),
    );
    quote! {
        #shapes
        const __WIRE_WORDS: [u32; #count] = #words;

        #[automatically_derived]
        impl #krate::Contract for #ident {
            const NAME: &'static str = #name;
            const KIND: #krate::Kind = #krate::Kind::#kind;
            const WIRE_ID: u64 = #wire_id;
            const SOURCE_ID: u64 = __wire::source_id(#source, ::core::module_path!(), &__WIRE_WORDS);
            #spoken
        }

        #crossing

        #record
    }
}

/// What a hello says of the contract, where that is other than the trait's defaults.
fn spoken(text: &Text) -> TokenStream {
    let name = &text.spoken.name;
    let version = text.spoken.version.map(|version| quote!(const VERSION: u32 = #version;));
    let earlier = (!text.spoken.earlier.is_empty()).then(|| {
        let earlier = text.spoken.earlier.iter().map(|(version, wire_id)| quote!((#version, #wire_id)));
        quote!(const EARLIER: &'static [(u32, u64)] = &[#(#earlier),*];)
    });
    quote! {
        const PATH: &'static str = ::core::concat!(::core::module_path!(), "::", #name);
        #version
        #earlier
    }
}

/// As what the contract crosses to C.
fn crossing(ident: &syn::Ident, krate: &syn::Path, kind: &TokenStream) -> TokenStream {
    let kind = kind.to_string();
    let crosses = match kind.as_str() {
        // It depends on who may use the object.
        "Handle" => return TokenStream::new(),
        "Enumeration" => "Number",
        "Flags" => "Flag",
        "Recipe" | "Union" => "Document",
        "Abi" => "Memory",
        "Messages" => "Message",
        other => other,
    };
    let crosses = syn::Ident::new(crosses, Span::call_site());
    quote! {
        #[automatically_derived]
        impl #krate::__private::Crosses for #ident {
            type As = __wire::cross::#crosses;
        }
    }
}

/// The record itself, of words that are `__WIRE_WORDS`.
pub(crate) fn record(
    text: &Text,
    count: &TokenStream,
    wire_id: &TokenStream,
    source_id: &TokenStream,
) -> TokenStream {
    let (wire, source) = (text.wire_hash(), text.source_hash());
    let head = format!(
        "{}\n{}\n{{\"package_version\":\"{}\",\"module\":\"",
        text.wire, text.source, text.package_version
    );
    let site = Span::call_site();
    let export = export_name(wire, source);
    let place = quote_spanned! {site=>
        #[used]
        #[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".note.wirec"))]
        #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__wirec,regular,no_dead_strip"))]
        #[cfg_attr(windows, unsafe(link_section = ".wirec"), unsafe(export_name = #export))]
    };
    quote! {
        const __WIRE_TEXT: &str = __wire::text(::core::concat!(
            #head, ::core::module_path!(), "\",\"line\":", ::core::line!(), ",\"column\":", ::core::column!(), "}\n",
            ::core::file!()
        ));

        #place
        static __WIRE_RECORD: __wire::Record<{ #count }, { __WIRE_TEXT.len() }> = __wire::Record::new(
            #wire_id,
            #source_id,
            __WIRE_WORDS,
            __WIRE_TEXT,
        );
    }
}

/// The name under which Windows keeps a record. No two records of one program have one name: it tells apart crates as
/// the compiler does, and the contracts of one crate by a count, since two functions may declare the same.
fn export_name(wire: u64, source: u64) -> String {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    let krate = crate_tag(std::env::args(), |name| std::env::var(name).ok());
    format!("wirecontract_record_{wire:016x}_{source:016x}_{krate:016x}_{count:x}")
}

/// What the crate being compiled differs in from every other of a program. Cargo gives the compiler a value for this
/// (`-C metadata`), which covers version, source and target kind; without cargo, the environment has to do.
fn crate_tag(arguments: impl Iterator<Item = String>, variable: impl Fn(&str) -> Option<String>) -> u64 {
    let mut previous = String::new();
    let mut told = Vec::new();
    for argument in arguments {
        let value = argument.strip_prefix("-C").unwrap_or(&argument);
        if value.starts_with("metadata=") || previous == "--crate-name" {
            told.push(value.to_owned());
        }
        previous = argument;
    }
    let names = ["CARGO_PKG_NAME", "CARGO_PKG_VERSION", "CARGO_CRATE_NAME", "CARGO_BIN_NAME"];
    told.extend(names.iter().map(|name| variable(name).unwrap_or_default()));
    fold(told.iter().flat_map(|word| word.bytes().chain([0])))
}

#[cfg(test)]
mod tests {
    use super::crate_tag;

    #[test]
    fn two_versions_and_two_crates_of_a_package_are_told_apart() {
        let tag = |arguments: &[&str], version: &str| {
            let version = version.to_owned();
            let variable = move |name: &str| (name == "CARGO_PKG_VERSION").then(|| version.clone());
            crate_tag(arguments.iter().map(|&argument| argument.to_owned()), variable)
        };
        let tags = [
            tag(&["rustc", "--crate-name", "a", "-C", "metadata=1"], "0.1.0"),
            tag(&["rustc", "--crate-name", "a", "-C", "metadata=2"], "0.1.0"),
            tag(&["rustc", "--crate-name", "b", "-Cmetadata=1"], "0.1.0"),
            tag(&["rustc", "--crate-name", "a", "-C", "metadata=1"], "0.2.0"),
            tag(&["rustc"], ""),
        ];
        for (index, tag) in tags.iter().enumerate() {
            assert!(!tags[..index].contains(tag), "{tags:x?}");
        }
        // What differs between two machines that build the same says nothing.
        assert_eq!(
            tag(&["/a/rustc", "--crate-name", "a", "--out-dir", "/a", "-Cmetadata=1"], "0.1.0"),
            tag(&["/b/rustc", "--crate-name", "a", "--out-dir", "/b", "-C", "metadata=1"], "0.1.0"),
        );
    }
}
