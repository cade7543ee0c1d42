//! One of several messages: by a number in the first part, or by the variant of a union of documents.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::super::ends;
use super::super::record::{self, Words};
use super::at_type;
use crate::check::{Contract, Messages, Selector};
use crate::record::Text;

/// The expansion of several messages.
pub(crate) fn several(contract: &Contract<'_>, messages: &Messages<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let (shapes, functions, most_bytes, most_fds) = match messages.by {
        Selector::Tag(tag) => {
            let shapes = types(messages).map(|ty| quote!(__wire::JsonShape::message::<#ty>())).collect();
            let functions = by_tag(contract, messages, tag);
            let bytes = largest(types(messages).map(|ty| message(contract, ty, "MAX_BYTES")));
            let fds = largest(types(messages).map(|ty| message(contract, ty, "MAX_FDS")));
            (shapes, functions, bytes, fds)
        }
        Selector::Body(body) => {
            let union = quote!(<__wire::message::part::As<#body> as __wire::message::Carried<#body>>);
            let shapes = types(messages).map(|ty| beside(ty, "SHAPE"));
            let shapes = std::iter::once(quote!(#union::SHAPE)).chain(shapes).collect();
            let fds = largest(types(messages).map(|ty| beside(ty, "MOST")));
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

fn types<'m>(messages: &'m Messages<'_>) -> impl Iterator<Item = &'m Type> {
    messages.variants.iter().map(|variant| variant.ty)
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

fn by_tag(contract: &Contract<'_>, messages: &Messages<'_>, tag: &[Ident]) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let text = tag.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
    let rest = &tag[1..];
    let Some(first) = messages.variants.first().map(|variant| variant.ty) else { return TokenStream::new() };
    let first_type = first_of(first, "First");
    let read = messages.variants.iter().filter_map(|variant| {
        let ty = variant.ty;
        let (name, value) = (variant.ident, Literal::u64_unsuffixed(variant.value?));
        let from_message = message(contract, ty, "from_message");
        Some(quote!(::core::option::Option::Some(#value) => #from_message(__bytes, __fds).map(Self::#name),))
    });
    let open = messages.variants.iter().find(|variant| variant.is_open);
    let otherwise = match open {
        Some(variant) => {
            let (name, from_message) = (variant.ident, message(contract, variant.ty, "from_message"));
            quote!(_ => #from_message(__bytes, __fds).map(Self::#name),)
        }
        None => quote! {
            __found => ::core::result::Result::Err(__wire::message::beside::unknown_tag(#name, #text, __found)),
        },
    };
    let known = messages.variants.iter().filter_map(|variant| variant.value.map(Literal::u64_unsuffixed));
    let known: Vec<Literal> = known.collect();
    let written = messages.variants.iter().map(|variant| {
        let (member, ty) = (variant.ident, variant.ty);
        let check = match variant.value {
            Some(value) => quote!(__wire::message::beside::check_tag(#name, #text, #value, __tag)?;),
            None => quote!(__wire::message::beside::check_open(#name, #text, &[#(#known),*], __tag)?;),
        };
        let (first, to_message) = (first_of(ty, "first"), message(contract, ty, "to_message"));
        quote! {
            Self::#member(__message) => {
                let __first = #first(__message);
                __wire::message::part::check(__first)?;
                let __tag = __wire::rule::number(&__first #(.#rest)*);
                #check
                #to_message(__message)
            }
        }
    });
    let imported = messages.variants.iter().map(|variant| {
        let (member, validate_import) = (variant.ident, message(contract, variant.ty, "validate_import"));
        quote!(Self::#member(__message) => #validate_import(__message),)
    });
    let same = types(messages).map(|ty| {
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
    let each = |arm: &dyn Fn(&Ident, &Type) -> TokenStream| -> TokenStream {
        messages.variants.iter().map(|variant| arm(variant.ident, variant.ty)).collect()
    };
    let asked = |item: &str| {
        each(&|member, ty| {
            let asked = beside(ty, item);
            quote!(Self::#member(__message) => #asked(__message),)
        })
    };
    let read = each(&|member, ty| {
        let (of, held) = (beside(ty, "of"), hold(ty, "held"));
        quote!(#body::#member(__part) => #of(#held(__part), __fds, #name).map(Self::#member),)
    });
    let whole = each(&|member, ty| {
        let (part, hold) = (beside(ty, "part"), hold(ty, "hold"));
        quote!(Self::#member(__message) => #body::#member(#hold(::core::clone::Clone::clone(#part(__message)))),)
    });
    let (fds, count, import) = (asked("fds"), asked("count"), asked("import"));
    // A variant that the union has and the messages lack is said at the union's name.
    let document = quote_spanned!(body.span()=> <#body as #krate::WireJson>::from_json(__bytes)?);
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            match #document {
                #read
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            let __body = match self {
                #whole
            };
            let mut __bytes = __wire::message::Vec::new();
            #krate::WireJson::write_json(&__body, &mut __bytes)?;
            let __beside = match self {
                #fds
            }?;
            ::core::result::Result::Ok((__bytes, __beside))
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            let __body = match self {
                #whole
            };
            let __count = match self {
                #count
            };
            #krate::WireJson::validate_import(&__body, __count)?;
            match self {
                #import
            }
        }
    }
}
