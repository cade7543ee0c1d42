//! One of several messages: by a number in the first part, or by the variant of a union of documents.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::super::ends;
use super::super::record::{self, Words};
use super::at_type;
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
            let bytes = largest(held.iter().map(|(_, ty)| message(contract, ty, "MAX_BYTES")));
            let fds = largest(held.iter().map(|(_, ty)| message(contract, ty, "MAX_FDS")));
            (shapes, functions, bytes, fds)
        }
        Selector::Body(body) => {
            let union = quote!(<__wire::message::part::As<#body> as __wire::message::Carried<#body>>);
            let of = |variant: &MessageVariant<'_>| match variant.ty {
                None => quote!(__wire::JsonShape::NOTHING),
                Some(ty) => beside(ty, "SHAPE"),
            };
            let shapes =
                std::iter::once(quote!(#union::SHAPE)).chain(messages.variants.iter().map(of)).collect();
            let fds = largest(held.iter().map(|(_, ty)| beside(ty, "MOST")));
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

/// What a variant of a union of documents holds.
fn beside(ty: &Type, item: &str) -> TokenStream {
    at_type(ty, &quote!(<__wire::message::part::As<#ty> as __wire::message::Beside<#ty>>), item)
}

/// What a message is asked.
fn message(contract: &Contract<'_>, ty: &Type, item: &str) -> TokenStream {
    let krate = contract.krate;
    at_type(ty, &quote!(<#ty as #krate::Message>), item)
}

/// What the first part of a message is asked.
fn first_of(ty: &Type, item: &str) -> TokenStream {
    at_type(ty, &quote!(<#ty as __wire::message::HasFirst>), item)
}

/// What the document of a union's variant is asked, which a message is of.
fn hold(ty: &Type, item: &str) -> TokenStream {
    let part = beside(ty, "Part");
    at_type(ty, &quote!(__wire::message::Hold::<#part>), item)
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
    let first_type = first_of(first, "First");
    let read = held.iter().filter_map(|(variant, ty)| {
        let (name, value) = (variant.ident, Literal::u64_unsuffixed(variant.value?));
        let from_message = message(contract, ty, "from_message");
        Some(quote!(::core::option::Option::Some(#value) => #from_message(__bytes, __fds).map(Self::#name),))
    });
    let open = held.iter().find(|(variant, _)| variant.is_open);
    let otherwise = match open {
        Some((variant, ty)) => {
            let (name, from_message) = (variant.ident, message(contract, ty, "from_message"));
            quote!(_ => #from_message(__bytes, __fds).map(Self::#name),)
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
        let (first, to_message) = (first_of(ty, "first"), message(contract, ty, "to_message"));
        quote! {
            Self::#member(__message) => {
                let __tag = __wire::rule::number(&#first(__message) #(.#rest)*);
                #check
                #to_message(__message)
            }
        }
    });
    let imported = held.iter().map(|(variant, ty)| {
        let (member, validate_import) = (variant.ident, message(contract, ty, "validate_import"));
        quote!(Self::#member(__message) => #validate_import(__message),)
    });
    let same = held.iter().map(|(_, ty)| {
        let (start, _) = ends(ty);
        quote_spanned!(start=> let _ = __wire_same::<#ty>;)
    });
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            let __first: #first_type = __wire::message::first(__bytes)?;
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
            fn __wire_same<M: __wire::message::HasFirst<First = #first_type>>() {}
            #(#same)*
            match self {
                #(#written)*
            }
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            match self {
                #(#imported)*
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
                let (of, held) = (beside(ty, "of"), hold(ty, "held"));
                quote!(#body::#member(__part) => #of(#held(__part), __fds).map(Self::#member),)
            }
        }
    });
    let written = messages.variants.iter().map(|variant| {
        let member = variant.ident;
        match variant.ty {
            None => quote!(Self::#member => (#body::#member, __wire::message::Vec::new()),),
            Some(ty) => {
                let (part, fds, hold) = (beside(ty, "part"), beside(ty, "fds"), hold(ty, "hold"));
                quote! {
                    Self::#member(__message) => (
                        #body::#member(#hold(::core::clone::Clone::clone(#part(__message)))),
                        #fds(__message)?,
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
                let import = beside(ty, "import");
                quote!(Self::#member(__message) => #import(__message),)
            }
        }
    });
    // A variant that the union has and the messages lack is said at the union's name.
    let document = quote_spanned!(body.span()=> <#body as #krate::WireJson>::from_json(__bytes)?);
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            match #document {
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
