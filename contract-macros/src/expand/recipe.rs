//! A recipe: its keys in a document, their conditions and rules.

mod absent;
mod again;
mod read;

use proc_macro2::{Literal as Token, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;

use super::document::{self, Part};
use super::key;
use super::record::{self, Words};
use super::rule::{self, OfSelf, Says};
use super::rule_bounds;
use crate::check::{Contract, Key, Presence, Recipe};
use crate::parse::{Moment, Spelling};
use crate::record::Text;
use crate::ty::Held;

/// The expansion of a recipe.
pub(crate) fn expand(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let shapes = recipe.keys.iter().enumerate().map(|(index, key)| {
        if key.flatten {
            return Part::new(key.ty, index).shape();
        }
        let shape = key::shape(key.inner, spelled(key));
        if is_optional(key) { quote!(__wire::JsonShape::option(&#shape)) } else { shape }
    });
    let record = record::contract_and_record(
        ident,
        krate,
        &quote!(Recipe),
        &Text::of(contract),
        &Words::Shapes(shapes.collect()),
    );
    let keys = keys(contract, recipe);
    let checks = recipe.keys.iter().map(|key| {
        let bounds = document::check_bounds(key.inner, &key.held, spelled(key), &key.bounds, &key.name);
        let unspelled = (!key.flatten)
            .then(|| document::check_spelled(key.inner, &key.held, spelled(key), "check_spelled", &key.name));
        let default = key.presence.default().zip(key.default_at);
        let default = default.map(|(default, at)| {
            document::check_default(default, at, (key.inner, &key.held), spelled(key), &key.name)
        });
        let one_size = document::check_one_size(key.inner, &key.held, spelled(key), &key.name);
        quote!(#unspelled #one_size #bounds #default)
    });
    let members = members(contract, recipe);
    let json_type = document::json_type(ident, krate);
    let limits = document::check_limits(&recipe.limits, ident, &contract.about.name);
    let constants = recipe.rules().map(|rule| rule::constants(rule, ident, &recipe.scope));
    let kept = recipe.rules.iter().map(|rule| rule_bounds::check(rule, &contract.about.name, recipe));
    let conditions = recipe.keys.iter().flat_map(|key| {
        let said = [(&key.required_if, Says::Required), (&key.one_of, Says::Absent)];
        said.into_iter().filter_map(|(condition, says)| {
            let (name, on) = (&contract.about.name, (key.name.as_str(), says));
            Some(rule_bounds::check_condition(condition.as_ref()?, name, on, recipe))
        })
    });
    let inherent = absent::inherent(contract, recipe);
    let asked = recipe.keys.iter().filter_map(|key| absent::asked(ident, key));
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record
            #keys
            #(#checks)*
            #(#constants)*
            #(#kept)*
            #(#conditions)*
            #members
            const _: &__wire::Keys = <#ident as __wire::Members>::KEYS;
            #limits
            #json_type
            #(#asked)*
            #inherent
        };
    }
}

impl rule_bounds::Known for Recipe<'_> {
    fn range(&self, field: usize) -> TokenStream {
        let key = &self.keys[field];
        let (ty, (min, max)) = (key.inner, key::range(&key.bounds));
        quote!(__wire::Probe::<#ty>::RANGE.within(#min, #max))
    }

    fn length(&self, field: usize) -> TokenStream {
        let key = &self.keys[field];
        let (ty, bounds) = (key.inner, &key.bounds);
        let most = match &key.held {
            Held::Vec(_) | Held::Map => {
                bounds.max_items.or(bounds.max_len.filter(|_| key.spelling.is_some()))
            }
            Held::Text => bounds.max_len,
            _ => None,
        };
        let most = most.map(|(most, _)| Token::i128_suffixed(most.into()));
        let within = most.map(|most| quote!(.within(0, #most)));
        quote!(__wire::Probe::<#ty>::LENGTH #within)
    }
}

fn spelled(key: &Key<'_>) -> Option<Spelling> {
    key.spelling.map(|(spelling, _)| spelling)
}

fn is_optional(key: &Key<'_>) -> bool {
    matches!(key.presence, Presence::Optional { .. })
}

/// The keys as the runtime wants them, and the positions of those behind a flattened part.
fn keys(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let own: Vec<TokenStream> = recipe
        .keys
        .iter()
        .filter(|key| !key.flatten)
        .map(|key| key::key(&contract.about.name, key))
        .collect();
    let count = own.len();
    let keys = (count > 0).then(|| quote!(static __WIRE_KEYS: [__wire::Key; #count] = [#(#own),*];));
    let mut positions = TokenStream::new();
    if recipe.has_parts() {
        let mut next = quote!(0);
        positions.extend(document::probes());
        for (index, key) in recipe.keys.iter().enumerate() {
            let name = at(index);
            positions.extend(quote!(const #name: usize = #next;));
            let span = if key.flatten {
                let part = Part::new(key.ty, index);
                positions.extend(part.declared());
                let count = part.of("COUNT");
                quote!(#count + 1)
            } else {
                quote!(1)
            };
            next = quote!(#name + #span);
        }
        let end = at(recipe.keys.len());
        positions.extend(quote!(const #end: usize = #next;));
    }
    quote!(#keys #positions)
}

/// The name of a position's constant.
fn at(index: usize) -> Ident {
    format_ident!("__WIRE_AT_{index}")
}

impl Recipe<'_> {
    fn has_parts(&self) -> bool {
        self.keys.iter().any(|key| key.flatten)
    }

    /// The position of a key.
    fn position(&self, index: usize) -> TokenStream {
        if self.has_parts() {
            let at = at(index);
            quote!(#at)
        } else {
            let index = Token::usize_unsuffixed(index);
            quote!(#index)
        }
    }

    /// A key as the runtime wants it.
    fn key(&self, index: usize) -> TokenStream {
        let own = Token::usize_unsuffixed(self.keys[..index].iter().filter(|key| !key.flatten).count());
        quote!(&__WIRE_KEYS[#own])
    }
}

fn members(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let ident = contract.ident;
    let end = recipe.position(recipe.keys.len());
    let required =
        recipe.keys.iter().filter(|key| !key.flatten && matches!(key.presence, Presence::Required));
    let required = required.map(|key| &key.key);
    let claimed = claimed(contract, recipe);
    let (denies, least) = (recipe.deny_unknown, least(recipe));
    let (max_bytes, max_depth) = document::limits(&recipe.limits);
    let fields = read::fields(recipe);
    let reading = read::expand(contract, recipe);
    let check = check(contract, recipe);
    let write = recipe.keys.iter().enumerate().map(|(index, key)| write(recipe, index, key));
    let misread = again::misread(recipe);
    let import = import(contract, recipe);
    let fill = absent::fill(recipe);
    quote! {
        #fields

        #[automatically_derived]
        impl __wire::Members for #ident {
            type Fields = __WireFields;
            const COUNT: usize = #end;
            const REQUIRED: &'static [&'static str] = &[#(#required),*];
            #claimed
            const DENIES: bool = #denies;
            const LEAST: __wire::Least = #least;
            const MAX_BYTES: usize = #max_bytes;
            const MAX_DEPTH: usize = #max_depth;
            #reading
            #check

            #[inline]
            fn write(&self, writer: &mut __wire::Writer) -> ::core::result::Result<(), __wire::Stop> {
                #(#write)*
                ::core::result::Result::Ok(())
            }

            #misread
            #import
            #fill
        }
    }
}

/// The least that the members have: those of the keys that must be there.
fn least(recipe: &Recipe<'_>) -> TokenStream {
    let least = recipe.keys.iter().enumerate().filter_map(|(index, key)| match key.presence {
        _ if key.flatten => Some(Part::new(key.ty, index).of("LEAST")),
        Presence::Required => {
            let head = Token::usize_unsuffixed(key::head(&key.key).len());
            let value = key::least(key.inner, spelled(key), &key.bounds);
            Some(quote!(__wire::Least::member(#head, #value)))
        }
        _ => None,
    });
    quote!(__wire::Least::all(&[#(#least),*]))
}

/// The keys of the object, and the check that no two contracts claim one.
fn claimed(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let own: Vec<&String> = recipe.keys.iter().filter(|key| !key.flatten).map(|key| &key.key).collect();
    let mut parts: Vec<TokenStream> = Vec::new();
    let mut checks = TokenStream::new();
    for (index, key) in recipe.keys.iter().enumerate().filter(|(_, key)| key.flatten) {
        let (keys, field) = (Part::new(key.ty, index).of("KEYS"), &key.name);
        let (span, name) = (key.ident.span(), &contract.about.name);
        let denies = Part::new(key.ty, index).of("DENIES");
        checks.extend(quote_spanned! {span=>
            __wire::check_keys(&[#(#own),*], &[#(#parts),*], #keys, #name, #field);
            __wire::check_part(#denies, #name, #field);
        });
        parts.push(keys);
    }
    quote! {
        const KEYS: &'static __wire::Keys = {
            #checks
            &__wire::Keys { own: &[#(#own),*], parts: &[#(#parts),*], variants: &[], is_open: false }
        };
    }
}

/// Conditions by key, then rules, of one moment.
fn rules(contract: &Contract<'_>, recipe: &Recipe<'_>, moment: Moment, offset: &TokenStream) -> TokenStream {
    let (name, krate) = (&contract.about.name, contract.krate);
    let access = OfSelf(&recipe.scope);
    let mut rules = TokenStream::new();
    for key in &recipe.keys {
        let member = key.ident;
        for (condition, says) in [(&key.required_if, Says::Required), (&key.one_of, Says::Absent)] {
            let Some(condition) = condition.as_ref().filter(|condition| condition.moment == moment) else {
                continue;
            };
            let refuse = |condition, values| {
                quote! {
                    return ::core::result::Result::Err(#krate::WireError::condition(#condition, (#values)(), #offset));
                }
            };
            let used = quote!(::core::option::Option::is_some(&self.#member));
            rules.extend(rule::checked_condition(condition, name, (&key.key, says), &used, &access, refuse));
        }
    }
    for rule in recipe.rules.iter().filter(|rule| rule.moment == moment) {
        rules.extend(document::rule(rule, name, krate, &access, offset));
    }
    rules
}

fn check(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let rules = rules(contract, recipe, Moment::Read, &quote!(offset));
    document::check(contract.krate, &rules)
}

fn write(recipe: &Recipe<'_>, index: usize, key: &Key<'_>) -> TokenStream {
    let member = key.ident;
    if key.flatten {
        let of = Part::new(key.ty, index).way("of");
        return quote!(__wire::put_members(writer, #of(&self.#member))?;);
    }
    let function = if is_optional(key) { "put_optional" } else { "put" };
    let place = recipe.key(index);
    let put = key::call(key.inner, spelled(key), function, &quote!(&self.#member, writer, #place));
    match &key.presence {
        Presence::Defaulted { default, skip: true } => {
            let (ty, default) = (key.inner, key::value(default, key.inner, &key.held));
            quote! {
                let default: #ty = #default;
                if self.#member != default {
                    #put?;
                }
            }
        }
        _ => quote!(#put?;),
    }
}

/// What is nested, in declared order; then conditions and rules at import.
fn import(contract: &Contract<'_>, recipe: &Recipe<'_>) -> TokenStream {
    let nesting = recipe.keys.iter().enumerate().filter(|(_, key)| key.held.nests() && !key.not_imported);
    let nested = nesting.map(|(index, key)| {
        let member = key.ident;
        if key.flatten {
            let of = Part::new(key.ty, index).way("of");
            return quote!(__wire::Members::import(#of(&self.#member), fd_count)?;);
        }
        let function = if is_optional(key) { "import_optional" } else { "import" };
        let import = key::call(key.inner, spelled(key), function, &quote!(&self.#member, fd_count));
        quote!(#import?;)
    });
    let rules = rules(contract, recipe, Moment::Import, &quote!(0));
    document::import(contract.krate, &quote!(#(#nested)* #rules))
}
