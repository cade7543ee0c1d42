//! Reading: a slot a key, filled as keys come.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::super::document::Part;
use super::super::{key, over};
use super::spelled;
use crate::check::{Contract, Key, Presence, Recipe};

/// The slots: of a required key an option, of one that may be absent an option of an option.
pub(super) fn fields(recipe: &Recipe<'_>) -> TokenStream {
    let types = recipe.keys.iter().enumerate().map(|(index, key)| {
        let (slot, inner) = (slot(index), key.inner);
        if key.flatten {
            let part = Part::new(key.ty, index).members();
            quote!(#slot: __wire::Part<#part>)
        } else if matches!(key.presence, Presence::Required) {
            quote!(#slot: ::core::option::Option<#inner>)
        } else {
            quote!(#slot: ::core::option::Option<::core::option::Option<#inner>>)
        }
    });
    quote! {
        #[doc(hidden)]
        pub struct __WireFields {
            #(#types,)*
        }
    }
}

pub(super) fn slot(index: usize) -> Ident {
    format_ident!("f{index}")
}

/// The functions of `Members` that read.
pub(super) fn expand(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let ident = contract.ident;
    let indexed = || recipe.keys.iter().enumerate();
    let begin = indexed().map(|(index, key)| {
        let slot = slot(index);
        if key.flatten {
            quote!(#slot: __wire::Part::begin(reader, object))
        } else {
            // At the type, where the compiler says what is wrong with it already.
            let none = over(key.inner, quote!(::core::option::Option::None));
            quote!(#slot: #none)
        }
    });
    let (by_key, by_part) = index(recipe);
    let read = indexed().map(|(index, key)| read(recipe, index, key));
    let absent = indexed().filter_map(|(index, key)| absent(recipe, index, key));
    let finish = indexed().map(|(index, key)| finish(recipe, index, key));
    let denies = recipe.deny_unknown.then(|| {
        let name = &contract.about.name;
        quote! {
            fn denies(_: &__WireFields) -> ::core::option::Option<&'static str> {
                ::core::option::Option::Some(#name)
            }
        }
    });
    let rest = rest(recipe);
    quote! {
        #[inline]
        fn begin(reader: &__wire::Reader<'_>, object: __wire::Object) -> __WireFields {
            let _ = (reader, object);
            __WireFields { #(#begin,)* }
        }

        #[inline]
        fn index(fields: &__WireFields, key: &str) -> ::core::option::Option<usize> {
            let _ = fields;
            match key {
                #by_key
                _ => {
                    #by_part
                    ::core::option::Option::None
                }
            }
        }

        #[inline]
        fn read(
            fields: &mut __WireFields,
            index: usize,
            reader: &mut __wire::Reader<'_>,
        ) -> ::core::result::Result<(), __wire::Stop> {
            match index {
                #(#read)*
                _ => ::core::result::Result::Err(__wire::Stop),
            }
        }

        fn absent(
            fields: &mut __WireFields,
            index: usize,
            reader: &mut __wire::Reader<'_>,
            object: __wire::Object,
        ) -> ::core::result::Result<(), __wire::Stop> {
            let _ = (&fields, &reader, &object);
            match index {
                #(#absent)*
                _ => ::core::result::Result::Ok(()),
            }
        }

        #[inline]
        fn finish(
            fields: __WireFields,
            reader: &mut __wire::Reader<'_>,
            object: __wire::Object,
        ) -> ::core::result::Result<Self, __wire::Stop> {
            let _ = (&reader, &object);
            ::core::result::Result::Ok(#ident { #(#finish,)* })
        }

        #denies
        #rest
    }
}

/// The arms of the keys' own positions, and the question to each flattened part.
fn index(recipe: &Recipe<'_>) -> (TokenStream, TokenStream) {
    let (mut by_key, mut by_part) = (TokenStream::new(), TokenStream::new());
    for (index, key) in recipe.keys.iter().enumerate() {
        let (position, slot) = (recipe.position(index), slot(index));
        if key.flatten {
            by_part.extend(quote! {
                if let ::core::option::Option::Some(index) = fields.#slot.index(key) {
                    return ::core::option::Option::Some(#position + index);
                }
            });
        } else {
            let key = &key.key;
            by_key.extend(quote!(#key => ::core::option::Option::Some(#position),));
        }
    }
    (by_key, by_part)
}

fn read(recipe: &Recipe<'_>, index: usize, key: &Key<'_>) -> TokenStream {
    let (position, slot) = (recipe.position(index), slot(index));
    if key.flatten {
        let next = recipe.position(index + 1);
        return quote!(#position..#next => fields.#slot.read(index - #position, reader),);
    }
    let function = if matches!(key.presence, Presence::Required) { "take" } else { "take_optional" };
    let place = recipe.key(index);
    let take = key::call(key.inner, spelled(key), function, &quote!(&mut fields.#slot, reader, #place));
    quote!(#position => #take,)
}

fn absent(recipe: &Recipe<'_>, index: usize, key: &Key<'_>) -> Option<TokenStream> {
    let (position, slot) = (recipe.position(index), slot(index));
    if key.flatten {
        let next = recipe.position(index + 1);
        return Some(quote!(#position..#next => fields.#slot.absent(index - #position, reader, object),));
    }
    let place = recipe.key(index);
    matches!(key.presence, Presence::Required)
        .then(|| quote!(#position => __wire::missing(reader, object, &(#place).place),))
}

fn finish(recipe: &Recipe<'_>, index: usize, key: &Key<'_>) -> TokenStream {
    let (member, slot) = (key.ident, slot(index));
    let value = match &key.presence {
        _ if key.flatten => {
            let give = Part::new(key.ty, index).way("give");
            quote!(#give(fields.#slot.finish(reader, object)?))
        }
        Presence::Required => key::required(key.inner, quote!((fields).#slot), &recipe.key(index)),
        Presence::Optional { .. } => {
            let taken = over(key.inner, quote!((fields).#slot));
            over(key.inner, quote!(::core::option::Option::flatten(#taken)))
        }
        Presence::Defaulted { default, .. } => {
            let default = key::value(default, key.inner, &key.held);
            quote! {
                match fields.#slot {
                    ::core::option::Option::Some(::core::option::Option::Some(value)) => value,
                    _ => #default,
                }
            }
        }
    };
    quote!(#member: #value)
}

/// Members that are nobody's go to the first part that keeps them.
fn rest(recipe: &Recipe<'_>) -> TokenStream {
    let parts: Vec<Ident> =
        recipe.keys.iter().enumerate().filter(|(_, key)| key.flatten).map(|(index, _)| slot(index)).collect();
    if parts.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn rest(fields: &mut __WireFields) -> ::core::option::Option<&mut __wire::Rest> {
            #(
                let rest = fields.#parts.rest();
                if rest.is_some() {
                    return rest;
                }
            )*
            ::core::option::Option::None
        }
    }
}
