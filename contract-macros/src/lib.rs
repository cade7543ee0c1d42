//! The macros of the `wirecontract` crate.
//!
//! A declaration walks one way: [`parse`] turns tokens into a declaration and keeps their spans, [`check`] holds
//! it against every rule and gives a model in which only legal contracts can be written, [`expand`] writes Rust
//! from that. Errors are collected on the way and raised together.

mod attr;
mod case;
mod check;
mod eval;
mod expand;
mod export;
mod near;
mod parse;
mod record;
mod report;
mod rule;
mod ty;

use proc_macro::TokenStream;
use syn::DeriveInput;

use crate::report::Report;

/// Makes a function, or the functions of an `impl`, ones that other languages call: see the documentation of the
/// `wirecontract` crate.
#[proc_macro_attribute]
pub fn wire_export(arguments: TokenStream, item: TokenStream) -> TokenStream {
    export::export(&arguments.into(), &item.into()).into()
}

/// Makes what a library of exported functions has once: see the documentation of the `wirecontract` crate.
#[proc_macro]
pub fn wire_library(tokens: TokenStream) -> TokenStream {
    export::library(&tokens.into()).into()
}

/// Declares a struct or an enum as a contract: see the documentation of the `wirecontract` crate.
#[proc_macro_derive(WireContract, attributes(wire))]
pub fn derive_wire_contract(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    let mut report = Report::default();
    let declaration = parse::declaration(&input, &mut report);
    let contract = check::contract(&declaration, &mut report);
    match contract {
        Some(contract) if report.is_empty() => expand::contract(&contract),
        _ => {
            let errors = report.into_compile_errors();
            let stub = expand::stub(&declaration);
            quote::quote!(#errors #stub)
        }
    }
    .into()
}
