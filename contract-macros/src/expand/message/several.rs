//! One of several messages: by a number in the first part, or by the variant of a union of documents.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Ident, Path, Type};

use super::super::ends;
use super::super::record::{self, Words};
use crate::check::{Contract, MessageVariant, Messages, Selector};
use crate::record::Text;

/// The expansion of several messages.
pub(crate) fn several(contract: &Contract<'_>, messages: &Messages<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let held: Vec<(&MessageVariant<'_>, &Type)> =
        messages.variants.iter().filter_map(|variant| Some((variant, variant.ty?))).collect();
    let (shapes, functions, most_bytes, most_fds) = match messages.by {
        Selector::Tag(tag) => {
            let shapes = held.iter().map(|(_, ty)| quote!(__wire::JsonShape::message::<#ty>())).collect();
            let functions = by_tag(contract, messages, &held, tag);
            let bytes = largest(held.iter().map(|(_, ty)| quote!(<#ty as #krate::Message>::MAX_BYTES)));
            let fds = largest(held.iter().map(|(_, ty)| quote!(<#ty as #krate::Message>::MAX_FDS)));
            (shapes, functions, bytes, fds)
        }
        Selector::Body(body) => {
            let union = quote!(<__wire::message::part::As<#body> as __wire::message::Carried<#body>>);
            let of = |variant: &MessageVariant<'_>| match variant.ty {
                None => quote!(__wire::JsonShape::NOTHING),
                Some(ty) => {
                    let beside = beside(ty);
                    quote!(#beside::SHAPE)
                }
            };
            let shapes =
                std::iter::once(quote!(#union::SHAPE)).chain(messages.variants.iter().map(of)).collect();
            let fds = largest(held.iter().map(|(_, ty)| {
                let beside = beside(ty);
                quote!(#beside::MOST)
            }));
            (shapes, by_body(contract, messages, body), quote!(#union::MOST), fds)
        }
    };
    let text = Text::of(contract);
    let record = record::contract_and_record(ident, krate, &quote!(Messages), &text, &Words::Shapes(shapes));
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, unused_variables, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record

            #[automatically_derived]
            impl #krate::Message for #ident {
                const MAX_BYTES: usize = #most_bytes;
                const MAX_FDS: usize = #most_fds;

                #functions
            }
        };
    }
}

/// The largest of several constants.
fn largest(all: impl Iterator<Item = TokenStream>) -> TokenStream {
    quote!(__wire::message::largest(&[#(#all),*]))
}

/// What a variant of a union of documents holds, asked at its type.
fn beside(ty: &Type) -> TokenStream {
    let (start, _) = ends(ty);
    quote::quote_spanned!(start=> <__wire::message::part::As<#ty> as __wire::message::Beside<#ty>>)
}

fn by_tag(
    contract: &Contract<'_>,
    messages: &Messages<'_>,
    held: &[(&MessageVariant<'_>, &Type)],
    tag: &[Ident],
) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let text = tag.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
    let rest = &tag[1..];
    let Some((_, first)) = held.first() else { return TokenStream::new() };
    let read = held.iter().filter_map(|(variant, ty)| {
        let (name, value) = (variant.ident, Literal::u64_unsuffixed(variant.value?));
        Some(quote! {
            ::core::option::Option::Some(#value) => {
                <#ty as #krate::Message>::from_message(__bytes, __fds).map(Self::#name)
            }
        })
    });
    let open = held.iter().find(|(variant, _)| variant.is_open);
    let otherwise = match open {
        Some((variant, ty)) => {
            let name = variant.ident;
            quote!(_ => <#ty as #krate::Message>::from_message(__bytes, __fds).map(Self::#name),)
        }
        None => quote! {
            __found => ::core::result::Result::Err(__wire::message::beside::unknown_tag(#name, #text, __found)),
        },
    };
    let known = messages.variants.iter().filter_map(|variant| variant.value.map(Literal::u64_unsuffixed));
    let known: Vec<Literal> = known.collect();
    let written = held.iter().map(|(variant, ty)| {
        let member = variant.ident;
        let check = match variant.value {
            Some(value) => quote!(__wire::message::beside::check_tag(#name, #text, #value, __tag)?;),
            None => quote!(__wire::message::beside::check_open(#name, #text, &[#(#known),*], __tag)?;),
        };
        quote! {
            Self::#member(__message) => {
                let __first = __wire_first::<#ty>(&__message);
                let __tag = __wire_tag(__first);
                #check
                <#ty as #krate::Message>::to_message(__message)
            }
        }
    });
    let members: Vec<&Ident> = held.iter().map(|(variant, _)| variant.ident).collect();
    let types = held.iter().map(|(_, ty)| ty);
    let same = quote!(#(let _ = __wire_first::<#types>;)*);
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            let mut __at = 0;
            let __first: <#first as __wire::message::HasFirst>::First =
                __wire::message::part::read(__bytes, &mut __at)?;
            match __wire::rule::number(&__first #(.#rest)*) {
                #(#read)*
                #otherwise
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            fn __wire_first<M: __wire::message::HasFirst<First = <#first as __wire::message::HasFirst>::First>>(
                __message: &M,
            ) -> &M::First {
                __wire::message::HasFirst::first(__message)
            }
            fn __wire_tag(__first: &<#first as __wire::message::HasFirst>::First) -> ::core::option::Option<i128> {
                __wire::rule::number(&__first #(.#rest)*)
            }
            #same
            match self {
                #(#written)*
            }
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            match self {
                #(Self::#members(__message) => #krate::Message::validate_import(__message),)*
            }
        }
    }
}

fn by_body(contract: &Contract<'_>, messages: &Messages<'_>, body: &Path) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let read = messages.variants.iter().map(|variant| {
        let member = variant.ident;
        match variant.ty {
            None => quote! {
                #body::#member => {
                    __wire::message::beside::share(#name, [], ::core::option::Option::None, __fds.len())?;
                    ::core::result::Result::Ok(Self::#member)
                }
            },
            Some(ty) => {
                let beside = beside(ty);
                quote! {
                    #body::#member(__part) => {
                        #beside::of(__wire::message::Hold::held(__part), __fds).map(Self::#member)
                    }
                }
            }
        }
    });
    let written = messages.variants.iter().map(|variant| {
        let member = variant.ident;
        match variant.ty {
            None => quote!(Self::#member => (#body::#member, __wire::message::Vec::new()),),
            Some(ty) => {
                let beside = beside(ty);
                quote! {
                    Self::#member(__message) => (
                        #body::#member(__wire::message::Hold::hold(::core::clone::Clone::clone(#beside::part(__message)))),
                        #beside::fds(__message)?,
                    ),
                }
            }
        }
    });
    let imported = messages.variants.iter().map(|variant| {
        let member = variant.ident;
        match variant.ty {
            None => quote!(Self::#member => ::core::result::Result::Ok(()),),
            Some(ty) => {
                let beside = beside(ty);
                quote!(Self::#member(__message) => #beside::import(__message),)
            }
        }
    });
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            match <#body as #krate::WireJson>::from_json(__bytes)? {
                #(#read)*
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            let (__body, __beside) = match self {
                #(#written)*
            };
            let mut __bytes = __wire::message::Vec::new();
            #krate::WireJson::write_json(&__body, &mut __bytes)?;
            ::core::result::Result::Ok((__bytes, __beside))
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            match self {
                #(#imported)*
            }
        }
    }
}
