//! What absent keys stand for: the methods that say it, and what fills it in.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use super::super::document::Part;
use super::super::{key, rule};
use super::{is_optional, spelled};
use crate::check::{Contract, Key, Literal, Presence, Recipe};
use crate::ty::{Held, item};

/// Every absent key that has a default, as that default.
pub(super) fn fill(recipe: &Recipe<'_>) -> TokenStream {
    let filled = recipe.keys.iter().enumerate().filter_map(|(index, key)| {
        let member = key.ident;
        let own = match &key.presence {
            Presence::Optional { default: Some(default), .. } => {
                let default = key::value(default, key.inner, &key.held);
                quote! {
                    if self.#member.is_none() {
                        self.#member = ::core::option::Option::Some(#default);
                    }
                }
            }
            _ if key.held.nests() => {
                if key.flatten {
                    let of_mut = Part::new(key.ty, index).way("of_mut");
                    quote!(__wire::Members::fill(#of_mut(&mut self.#member));)
                } else {
                    let function = if is_optional(key) { "fill_optional" } else { "fill" };
                    let fill = key::call(key.inner, spelled(key), function, &quote!(&mut self.#member));
                    quote!(#fill;)
                }
            }
            _ => return None,
        };
        Some(own)
    });
    let filled: Vec<TokenStream> = filled.collect();
    if filled.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn fill(&mut self) {
            #(#filled)*
        }
    }
}

/// What the struct gets besides the traits: what an absent key stands for.
pub(super) fn inherent(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let (ident, vis) = (contract.ident, contract.vis);
    let accessors = recipe.keys.iter().filter_map(accessor);
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            #(#accessors)*

            /// The same, with every absent key that has a default as that default; also in what it holds.
            #[must_use]
            #vis fn with_defaults(mut self) -> Self {
                __wire::Members::fill(&mut self);
                self
            }
        }
    }
}

/// The method that gives an optional key's value, or what its absence stands for.
fn accessor(key: &Key<'_>) -> Option<TokenStream> {
    let Presence::Optional { default: Some(default), .. } = &key.presence else { return None };
    let (vis, member, ty) = (key.vis, key.ident, key.inner);
    let docs = format!("`{}`, or what its absence stands for.", key.name);
    let result = key::accessor_type(ty, &key.held);
    let (given, absent) = match (&key.held, default, item(ty)) {
        (Held::Text, Literal::Text(text), _) => (quote!(value), quote!(#text)),
        (Held::Vec(of), Literal::List(items), Some(item)) if matches!(**of, Held::Scalar(_)) => {
            let items = items.iter().map(|default| key::value(default, item, of));
            (quote!(value), quote!(&[#(#items),*]))
        }
        _ => (quote!(::core::clone::Clone::clone(value)), key::value(default, ty, &key.held)),
    };
    Some(quote! {
        #[doc = #docs]
        #[must_use]
        #vis fn #member(&self) -> #result {
            match &self.#member {
                ::core::option::Option::Some(value) => #given,
                ::core::option::Option::None => #absent,
            }
        }
    })
}

/// What the rules of other contracts may ask of an optional key that has a default.
pub(super) fn asked(ident: &Ident, key: &Key<'_>) -> Option<TokenStream> {
    let Presence::Optional { default: Some(_), .. } = &key.presence else { return None };
    let (member, ty): (&Ident, &Type) = (key.ident, key.inner);
    match &key.held {
        Held::Text | Held::Vec(_) | Held::Array(..) => {
            let length = rule::length_of(ident, member, &quote!(self.#member().len()));
            let elements =
                key.held.is_integers().then(|| rule::elements_of(ident, member, &quote!(self.#member())));
            Some(quote!(#length #elements))
        }
        _ => Some(rule::or_default(ident, member, &quote!(#ty), &quote!(self.#member()))),
    }
}
