//! A function of C beside a function of Rust. What it does is in the core's generic functions: here stands what takes
//! which parameter, and in which order.

mod forms;
mod wrapper;

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::abi::proofs;
use super::record;
use crate::export::{Failing, Function, Library, Passed, Passing};
use crate::record::Text;
use crate::ty::Written;

/// Lints that look at what a macro writes.
fn allowed() -> TokenStream {
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, nonstandard_style, improper_ctypes_definitions, deprecated)]
    }
}

/// The function of C, its record and its id.
pub(crate) fn function(function: &Function) -> TokenStream {
    let (krate, conditions, allowed) = (&function.krate, &function.conditions, allowed());
    let record = record(function);
    let wrapper = wrapper::expand(function);
    let wire_id = wire_id_symbol(&function.symbol, &quote!(__WIRE_ID));
    quote! {
        #(#conditions)*
        #allowed
        const _: () = {
            use #krate::__private as __wire;
            use __wire::export::Cannot as _;

            #record
            #wrapper
            #wire_id
        };
    }
}

/// That an exported `impl` is of a handle, asked at its type.
pub(crate) fn owner(krate: &Path, owner: &Path) -> TokenStream {
    let (asked, allowed) = (forms::has_functions(owner), allowed());
    quote! {
        #allowed
        const _: () = {
            use #krate::__private as __wire;
            #asked
        };
    }
}

/// What is in the record: all that the compiler knows of the types.
fn record(function: &Function) -> TokenStream {
    let text = Text::of_function(function);
    let (wire, source) = (text.wire_hash(), text.source_hash());
    let params: Vec<TokenStream> = function.params.iter().map(|param| forms::param(&param.passing)).collect();
    let outs: Vec<TokenStream> = function.outs.iter().map(forms::out).collect();
    let is_unsafe = function.is_unsafe;
    let method_of = match &function.owner {
        Some(owner) => quote! {
            ::core::option::Option::Some(__wire::export::Can::<#owner>::IDS)
        },
        None => quote!(::core::option::Option::None),
    };
    let checks = checks(function);
    let count = quote!(__wire::export::function_words_length(&__WIRE_SIGNATURE));
    let record = record::record(&text, &count, &quote!(__WIRE_ID), &quote!(__WIRE_SOURCE_ID));
    quote! {
        const __WIRE_PARAMS: &[&__wire::export::Form] = &[#(&#params),*];
        const __WIRE_OUTS: &[&__wire::export::Form] = &[#(&#outs),*];
        #checks
        const __WIRE_SIGNATURE: __wire::export::Signature = __wire::export::Signature {
            method_of: #method_of,
            is_unsafe: #is_unsafe,
            params: __WIRE_PARAMS,
            outs: __WIRE_OUTS,
        };
        const __WIRE_WORDS: [u32; #count] = __wire::export::function_words(&__WIRE_SIGNATURE);
        const __WIRE_ID: u64 = __wire::export::function_wire_id(#wire, &__WIRE_SIGNATURE);
        const __WIRE_SOURCE_ID: u64 = __wire::source_id(#source, ::core::module_path!(), &__WIRE_WORDS);

        #record
    }
}

/// What const evaluation checks of the types, and that what is called as C's types is that.
fn checks(function: &Function) -> TokenStream {
    let params = function.params.iter().enumerate().map(|(index, param)| {
        let (name, at) = (&param.name, span(&param.passing));
        quote_spanned!(at=> const _: () = __wire::export::check_param(__WIRE_PARAMS[#index], #name);)
    });
    let outs = function.outs.iter().enumerate().map(|(index, out)| {
        let (name, at) = (&out.name, out.ty.span());
        quote_spanned!(at=> const _: () = __wire::export::check_out(__WIRE_OUTS[#index], #name);)
    });
    let types = function.params.iter().flat_map(|param| written(&param.passing));
    let types = types.chain(function.outs.iter().map(|out| &out.ty));
    let proofs = types.map(|ty| proofs(&Written::of(ty)));
    let fails = match &function.failing {
        Failing::With(error) => forms::fails(error),
        _ => TokenStream::new(),
    };
    quote!(#(#params)* #(#outs)* #(#proofs)* #fails)
}

/// The types in a parameter that may be written out.
fn written(passing: &Passing) -> Vec<&Type> {
    match passing {
        Passing::Plain(ty)
        | Passing::Value(ty)
        | Passing::Reference { ty, .. }
        | Passing::Optional { ty, .. }
        | Passing::Slice { ty, .. } => vec![ty],
        Passing::Text { .. } => Vec::new(),
        Passing::Callback { params, .. } => params
            .iter()
            .filter_map(|param| match param {
                Passed::Plain(ty) | Passed::Value(ty) | Passed::Reference(ty) | Passed::Slice(ty) => Some(ty),
                Passed::Text => None,
            })
            .collect(),
    }
}

fn span(passing: &Passing) -> Span {
    written(passing).first().map_or_else(Span::call_site, Spanned::span)
}

/// What a library has once.
pub(crate) fn library(library: &Library) -> TokenStream {
    let (krate, prefix, allowed) = (&library.krate, &library.prefix, allowed());
    let symbols = [format!("{prefix}_last_error"), format!("{prefix}_bytes_free")];
    let text = Text::of_library(prefix, &symbols);
    let (wire, source) = (text.wire_hash(), text.source_hash());
    let record = record::record(&text, &quote!(0), &quote!(#wire), &quote!(__WIRE_SOURCE_ID));
    let [last_error, bytes_free] = &symbols;
    let functions = [
        (last_error, quote!(last_error), quote!(CFailure)),
        (bytes_free, quote!(bytes_free), quote!(COwnedBytes)),
    ]
    .map(|(symbol, function, ty)| {
        let (place, name) = (exported(symbol), c_text(symbol));
        let wire_id = wire_id_symbol(symbol, &quote!(#wire));
        quote! {
            const _: () = {
                #place
                unsafe extern "C" fn __wire_function(it: *mut __wire::export::#ty) -> i32 {
                    unsafe { __wire::export::#function(#name, it) }
                }

                #wire_id
            };
        }
    });
    quote! {
        #allowed
        const _: () = {
            use #krate::__private as __wire;

            #[cfg(panic = "abort")]
            ::core::compile_error!(
                "a panic in an exported function is reported to its caller, and with `panic = \"abort\"` it would end the \
                 process: remove that from the profile"
            );

            const __WIRE_WORDS: [u32; 0] = [];
            const __WIRE_SOURCE_ID: u64 = __wire::source_id(#source, ::core::module_path!(), &__WIRE_WORDS);

            #record
            #(#functions)*
        };
    }
}

/// What makes the next function one that C finds.
///
/// Attributes and `unsafe` have call-site spans, which `#![forbid(unsafe_code)]` lets pass.
pub(super) fn exported(symbol: &str) -> TokenStream {
    let site = Span::call_site();
    quote_spanned!(site=> #[unsafe(export_name = #symbol)])
}

/// The data beside a function that says its wire id, so that who loads it can compare before calling anything.
pub(super) fn wire_id_symbol(symbol: &str, wire_id: &TokenStream) -> TokenStream {
    let place = exported(&format!("{symbol}_wire_id"));
    quote! {
        #place
        static __WIRE_ID_OF_FUNCTION: u64 = #wire_id;
    }
}

/// A name as a text of C.
pub(super) fn c_text(name: &str) -> Literal {
    Literal::c_string(&std::ffi::CString::new(name).unwrap_or_default())
}
