//! What const evaluation looks up for a rule: numbers of names, positions of data keys.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

use super::spanned;
use crate::rule::{Checked, Lookup, LookupOf, Place, Scope, Sort};

/// The constants of a rule, once at the level of items. `owner` is the contract that declares it.
pub(crate) fn constants(rule: &Checked, owner: &Ident, scope: &Scope<'_>) -> TokenStream {
    let constants = rule.lookups.iter().enumerate().map(|(index, lookup)| {
        let (name, span) = (constant(rule, index), lookup.span);
        let (ty, value) = looked_up(lookup, owner, scope);
        let name = spanned(&name, span);
        quote_spanned!(span=> const #name: #ty = #value;)
    });
    constants.collect()
}

pub(super) fn constant(rule: &Checked, lookup: usize) -> Ident {
    quote::format_ident!("__RULE_{}_{}", rule.id, lookup)
}

fn looked_up(lookup: &Lookup, owner: &Ident, scope: &Scope<'_>) -> (TokenStream, TokenStream) {
    let span = lookup.span;
    let number = quote!(i128);
    // The type of a field is found by asking for it: a macro cannot name the type of a field of a field.
    let field = |place: &Place| {
        let at = place.span;
        let ident = spanned(scope.fields[place.field].ident, place.first);
        let owner = spanned(owner, at);
        let rest = &place.rest;
        quote_spanned!(at=> |__owner: &#owner| &__owner.#ident #(.#rest)*)
    };
    match &lookup.of {
        LookupOf::ValueOf(place, value) => {
            let (field, value) = (field(place), value.unraw().to_string());
            (number, quote_spanned!(span=> __wire::rule::named(__wire::rule::names_of(#field), #value)))
        }
        LookupOf::FlagOf(place, value) => {
            let (field, value) = (field(place), value.unraw().to_string());
            (number, quote_spanned!(span=> __wire::rule::flag(__wire::rule::flags_of(#field), #value)))
        }
        LookupOf::ValueIn(path, value) => {
            let value = value.unraw().to_string();
            let names = quote_spanned!(span=> <#path as __wire::rule::Named>::NAMES);
            (number, quote_spanned!(span=> __wire::rule::named(#names, #value)))
        }
        LookupOf::Variant(value) => {
            let value = value.unraw().to_string();
            let names = quote_spanned!(span=> <#owner as __wire::rule::Named>::NAMES);
            (number, quote_spanned!(span=> __wire::rule::named(#names, #value)))
        }
        LookupOf::Key(place, key, sort) => {
            let (field, key) = (field(place), key.unraw().to_string());
            let names = quote_spanned!(span=> __wire::rule::keys_of(#field));
            let wanted = match sort {
                Sort::Number => quote!(::core::option::Option::Some(__wire::rule::KeySort::Number)),
                Sort::Condition => quote!(::core::option::Option::Some(__wire::rule::KeySort::Condition)),
                Sort::Either => quote!(::core::option::Option::None),
            };
            let checked = quote_spanned!(span=> __wire::rule::key(#names, #key, #wanted));
            let value = match sort {
                // A type depends on this one: were it no constant, the compiler would say so again there.
                Sort::Either => quote_spanned! {span=> {
                    const _: __wire::rule::DataKey = #checked;
                    __wire::rule::either_key(#names, #key)
                }},
                _ => checked,
            };
            (quote!(__wire::rule::DataKey), value)
        }
    }
}
