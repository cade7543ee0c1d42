//! One of several messages: by a number in the first part, or by the variant of a union of documents.

mod by_body;
mod by_tag;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use super::super::record::{self, Words};
use super::at_type;
use crate::check::{Contract, Messages, Selector, VariantHolds};
use crate::record::Text;

/// The expansion of several messages.
pub(crate) fn messages(contract: &Contract<'_>, messages: &Messages<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let (shapes, its, functions, most_bytes, most_fds) = match messages.by {
        Selector::Tag(tag) => {
            let shapes = types(messages).map(|ty| quote!(__wire::JsonShape::message::<#ty>())).collect();
            let bytes = largest(types(messages).map(|ty| message(contract, ty, "MAX_BYTES")));
            let fds = largest(types(messages).map(|ty| message(contract, ty, "MAX_FDS")));
            let told = by_tag::told(contract, messages, tag);
            (shapes, told, by_tag::functions(contract, messages, tag), bytes, fds)
        }
        Selector::Body(body) => {
            let union = quote!(<__wire::message::part::As<#body> as __wire::message::Carried<#body>>);
            let shapes = messages.variants.iter().map(|variant| match &variant.holds {
                Some(holds) => beside(holds, "SHAPE"),
                None => quote!(__wire::JsonShape::NOTHING),
            });
            let shapes = std::iter::once(quote!(#union::SHAPE)).chain(shapes).collect();
            let held = messages.variants.iter().filter_map(|variant| variant.holds.as_ref());
            let fds = largest(held.map(|holds| beside(holds, "MOST")));
            let its = by_body::union(contract, messages, body);
            (shapes, its, by_body::functions(contract, messages, body), quote!(#union::MOST), fds)
        }
    };
    let text = Text::of(contract);
    let record = record::contract_and_record(ident, krate, &quote!(Messages), &text, &Words::Shapes(shapes));
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, unused_variables, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record
            #its

            #[automatically_derived]
            impl #krate::Message for #ident {
                const MAX_BYTES: usize = #most_bytes;
                const MAX_FDS: usize = #most_fds;

                #functions
            }
        };
    }
}

fn types<'m>(messages: &'m Messages<'_>) -> impl Iterator<Item = &'m Type> {
    messages.variants.iter().filter_map(|variant| Some(variant.holds.as_ref()?.ty))
}

/// The largest of several constants.
fn largest(all: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(__wire::message::largest(&[#(#all),*]))
}

/// What a variant of a union of documents holds.
fn beside(holds: &VariantHolds<'_>, item: &str) -> TokenStream {
    let ty = holds.ty;
    let crosses =
        if holds.is_plain { quote!(__wire::cross::Plain) } else { quote!(__wire::message::part::As<#ty>) };
    at_type(ty, &quote!(<#crosses as __wire::message::Beside<#ty>>), item)
}

/// From what was read to the variant.
fn made(name: &Ident, holds: &VariantHolds<'_>) -> TokenStream {
    if holds.is_boxed {
        quote!(|__message| Self::#name(__wire::message::Box::new(__message)))
    } else {
        quote!(Self::#name)
    }
}

/// What a message is asked.
fn message(contract: &Contract<'_>, ty: &Type, item: &str) -> TokenStream {
    let krate = contract.krate;
    at_type(ty, &quote!(<#ty as #krate::Message>), item)
}
