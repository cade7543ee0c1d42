//! One of several messages: by a number in the first part, or by the variant of a union of documents.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::super::ends;
use super::super::record::{self, Words};
use super::super::rule;
use super::at_type;
use crate::check::{Contract, MessageVariant, Messages, Selector, VariantHolds};
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
            let shapes = messages.variants.iter().map(|variant| match &variant.holds {
                Some(holds) => beside(holds, "SHAPE"),
                None => quote!(__wire::JsonShape::NOTHING),
            });
            let shapes = std::iter::once(quote!(#union::SHAPE)).chain(shapes).collect();
            let held = messages.variants.iter().filter_map(|variant| variant.holds.as_ref());
            let fds = largest(held.map(|holds| beside(holds, "MOST")));
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

/// What the first part of a message is asked.
fn first_of(ty: &Type, item: &str) -> TokenStream {
    at_type(ty, &quote!(<#ty as __wire::message::HasFirst>), item)
}

/// What the document of a union's variant is asked, which a message is of.
fn hold(holds: &VariantHolds<'_>, item: &str) -> TokenStream {
    let part = beside(holds, "Part");
    at_type(holds.ty, &quote!(__wire::message::Hold::<#part>), item)
}

fn by_tag(contract: &Contract<'_>, messages: &Messages<'_>, tag: &[Ident]) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let text = tag.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
    let tag_of_read = rule::number_within(&quote!(__first), &tag[1..]);
    let tag_of_written = rule::number_within(&quote!((*__first)), &tag[1..]);
    let Some(first) = types(messages).next() else { return TokenStream::new() };
    let first_type = first_of(first, "First");
    let tags = tags(messages, tag, &text, &first_type);
    let read = |variant: &MessageVariant<'_>| {
        let holds = variant.holds.as_ref()?;
        let (from_message, made) = (message(contract, holds.ty, "from_message"), made(variant.ident, holds));
        Some(quote!(#from_message(__bytes, __fds).map(#made)))
    };
    let known_read = messages.variants.iter().filter_map(|variant| {
        let (value, read) = (Literal::u64_unsuffixed(variant.value?), read(variant)?);
        Some(quote!(::core::option::Option::Some(#value) => #read,))
    });
    let open = messages.variants.iter().find(|variant| variant.is_open);
    let otherwise = match open.and_then(read) {
        Some(read) => quote!(_ => #read,),
        None => quote! {
            __found => ::core::result::Result::Err(__wire::message::beside::unknown_tag(#name, #text, __found)),
        },
    };
    let known = messages.variants.iter().filter_map(|variant| variant.value.map(Literal::u64_unsuffixed));
    let known: Vec<Literal> = known.collect();
    let written = messages.variants.iter().filter_map(|variant| {
        let (member, ty) = (variant.ident, variant.holds.as_ref()?.ty);
        let check = match variant.value {
            Some(value) => quote!(__wire::message::beside::check_tag(#name, #text, #value, __tag)?;),
            None => quote!(__wire::message::beside::check_open(#name, #text, &[#(#known),*], __tag)?;),
        };
        let (first, to_message) = (first_of(ty, "first"), message(contract, ty, "to_message"));
        Some(quote! {
            Self::#member(__message) => {
                let __first = #first(__message);
                __wire::message::part::check(__first)?;
                let __tag = #tag_of_written;
                #check
                #to_message(__message)
            }
        })
    });
    let imported = messages.variants.iter().filter_map(|variant| {
        let validate_import = message(contract, variant.holds.as_ref()?.ty, "validate_import");
        let member = variant.ident;
        Some(quote!(Self::#member(__message) => #validate_import(__message),))
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
            #tags
            let __first: #first_type = __wire::message::first(__bytes)?;
            match #tag_of_read {
                #(#known_read)*
                #otherwise
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            fn __wire_same<__M: __wire::message::HasFirst<First = #first_type>>() {}
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

/// That the tag is in the first part of each message, as that part is called, and that it may be the number of each.
fn tags(messages: &Messages<'_>, tag: &[Ident], text: &str, first_type: &TokenStream) -> TokenStream {
    let (part, fields) = (tag[0].unraw().to_string(), &tag[1..]);
    let at = tag[tag.len() - 1].span();
    let range = quote_spanned! {at=>
        const __WIRE_TAG: __wire::rule::Interval =
            __wire::rule::tag_of(|__first: &#first_type| &(*__first)#(.#fields)*);
    };
    let each = messages.variants.iter().filter_map(|variant| {
        let ty = variant.holds.as_ref()?.ty;
        let (name, (start, _)) = (first_of(ty, "NAME"), ends(ty));
        let begins =
            quote_spanned!(start=> const _: () = __wire::message::part::check_first(#name, #part, #text););
        let number = variant.value.map(|value| {
            let (own, at) = (variant.ident.unraw().to_string(), variant.ident.span());
            quote_spanned!(at=> const _: () = __wire::rule::check_tag(__WIRE_TAG, #text, #own, #value);)
        });
        Some(quote!(#begins #number))
    });
    quote!(#range #(#each)*)
}

fn by_body(contract: &Contract<'_>, messages: &Messages<'_>, body: &Path) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let each = |nothing: &dyn Fn(&Ident) -> TokenStream,
                held: &dyn Fn(&Ident, &VariantHolds<'_>) -> TokenStream|
     -> TokenStream {
        let variants = messages.variants.iter();
        variants
            .map(|variant| match &variant.holds {
                Some(holds) => held(variant.ident, holds),
                None => nothing(variant.ident),
            })
            .collect()
    };
    let asked = |item: &str, arguments: TokenStream, of_nothing: TokenStream| {
        each(&|member| quote!(Self::#member => #of_nothing,), &|member, holds| {
            let asked = beside(holds, item);
            quote!(Self::#member(__message) => #asked(__message #arguments),)
        })
    };
    let read = each(
        &|member| {
            quote! {
                #body::#member => __wire::message::beside::none(__fds.len(), #name).map(|()| Self::#member),
            }
        },
        &|member, holds| {
            let (of, held, made) = (beside(holds, "of"), hold(holds, "held"), made(member, holds));
            quote!(#body::#member(__part) => #of(#held(__part), __fds, #name).map(#made),)
        },
    );
    let whole = each(&|member| quote!(Self::#member => #body::#member,), &|member, holds| {
        let (part, hold) = (beside(holds, "part"), hold(holds, "hold"));
        let copy = quote!(__wire::message::beside::Copied::copied(#part(__message)));
        quote!(Self::#member(__message) => #body::#member(#hold(#copy)),)
    });
    let none = TokenStream::new;
    let fds = asked("fds", quote!(, #name), quote!(::core::result::Result::Ok(__wire::message::Vec::new())));
    let count = asked("count", none(), quote!(0));
    let import = asked("import", none(), quote!(::core::result::Result::Ok(())));
    let opened = each(&|_| TokenStream::new(), &|member, holds| {
        let is_open = messages.variants.iter().any(|variant| variant.ident == member && variant.is_open);
        let (is_unknown, (start, _)) = (beside(holds, "IS_UNKNOWN"), ends(holds.ty));
        quote_spanned!(start=> const _: () = __wire::message::beside::check_kept(#is_unknown, #is_open);)
    });
    // A variant that the union has and the messages lack is said at the union's name.
    let document = quote_spanned!(body.span()=> <#body as #krate::WireJson>::from_json(__bytes)?);
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            #opened
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
