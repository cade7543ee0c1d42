//! Enumerations and flags.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Ident;
use syn::ext::IdentExt;

use super::record::{self, Words};
use super::rule::{self, KeySort};
use crate::case;
use crate::check::{Contract, Datum, Value, Values};
use crate::parse::Spelled;
use crate::record::Text;

/// The expansion of an enumeration.
pub(crate) fn enumeration(contract: &Contract<'_>, values: &Values<'_>) -> TokenStream {
    let (ident, krate, repr) = (contract.ident, contract.krate, &values.repr);
    let record =
        record::contract_and_record(ident, krate, &quote!(Enumeration), &Text::of(contract), &Words::None);
    let table = table(krate, values);
    let has_zero = values.values.iter().any(|value| value.number == 0);
    let members: Vec<&Ident> = values.values.iter().map(|value| value.ident).collect();
    let numbers: Vec<Literal> =
        values.values.iter().map(|value| Literal::i128_unsuffixed(value.number)).collect();
    let names = values.values.iter().map(|value| &value.wire_name);
    let spelling = spelling(values, Spelled::Names);
    let Some((last, early)) = members.split_last() else { return TokenStream::new() };
    let early_numbers = &numbers[..early.len()];
    let rules = rule::of_enumeration(ident, krate, &members_of(values), &keys(values));
    let inherent = inherent(contract, values);
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record

            #[automatically_derived]
            impl #krate::Enumeration for #ident {
                type Repr = #repr;
                const VALUES: &'static [#krate::Value<Self>] = &[#table];
                const HAS_ZERO: bool = #has_zero;
                #spelling

                #[inline]
                fn from_value(number: #repr) -> ::core::option::Option<Self> {
                    match number {
                        #(#numbers => ::core::option::Option::Some(Self::#members),)*
                        #[allow(unreachable_patterns)]
                        _ => ::core::option::Option::None,
                    }
                }

                #[inline(always)]
                fn from_valid(number: #repr) -> Self {
                    match number {
                        #(#early_numbers => Self::#early,)*
                        _ => Self::#last,
                    }
                }

                #[inline]
                fn value(self) -> #repr {
                    self as #repr
                }

                fn name(self) -> &'static str {
                    match self {
                        #(Self::#members => #names,)*
                    }
                }
            }

            #krate::__enumeration_wire_type!(#ident);

            #rules

            #inherent
        };
    }
}

/// The expansion of flags.
pub(crate) fn flags(contract: &Contract<'_>, values: &Values<'_>, open: bool) -> TokenStream {
    let (ident, krate, repr) = (contract.ident, contract.krate, &values.repr);
    let record = record::contract_and_record(ident, krate, &quote!(Flags), &Text::of(contract), &Words::None);
    let table = table(krate, values);
    let known = values.values.iter().fold(0, |bits, value| bits | value.number);
    let known = Literal::i128_unsuffixed(known);
    let spelling = spelling(values, Spelled::Integer);
    let named = rule::named(ident, &members_of(values), &[]);
    let inherent = inherent(contract, values);
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record

            #[automatically_derived]
            impl #krate::FlagSet for #ident {
                type Repr = #repr;
                const VALUES: &'static [#krate::Value<Self>] = &[#table];
                const KNOWN_BITS: u64 = #known;
                const OPEN: bool = #open;
                #spelling

                #[inline]
                fn bits(self) -> #repr {
                    self as #repr
                }
            }

            #named

            #[automatically_derived]
            impl<__T: ::core::convert::Into<#krate::Flags<Self>>> ::core::ops::BitOr<__T> for #ident {
                type Output = #krate::Flags<Self>;

                #[inline]
                fn bitor(self, other: __T) -> #krate::Flags<Self> {
                    #krate::Flags::from(self) | other
                }
            }

            #krate::__never_in_memory!(#ident, AbiFlags);

            #inherent
        };
    }
}

/// The names of values in a declaration, which rules say.
fn members_of(values: &Values<'_>) -> Vec<(String, i128)> {
    values.values.iter().map(|value| (value.ident.unraw().to_string(), value.number)).collect()
}

/// What a rule may ask of values.
fn keys(values: &Values<'_>) -> Vec<(Ident, KeySort)> {
    let sort = |index: usize| match values.values.first().map(|value| &value.data[index]) {
        Some(Datum::Integer(_)) => KeySort::Number,
        Some(Datum::Bool(_)) => KeySort::Condition,
        _ => KeySort::Text,
    };
    values.data.iter().enumerate().map(|(index, key)| (key.ident.clone(), sort(index))).collect()
}

/// How JSON spells it, where that is not what the trait says of its own.
fn spelling(values: &Values<'_>, default: Spelled) -> TokenStream {
    let names = values.spelled == Spelled::Names;
    let spelled = (values.spelled != default).then(|| quote!(const SPELLED_AS_NAMES: bool = #names;));
    let fold = values.fold.then(|| {
        quote!(
            const FOLD: bool = true;
        )
    });
    quote!(#spelled #fold)
}

fn table(krate: &syn::Path, values: &Values<'_>) -> TokenStream {
    let entries = values.values.iter().map(|value| {
        let (member, name, aliases) = (value.ident, &value.wire_name, &value.aliases);
        quote!(#krate::Value { value: Self::#member, name: #name, aliases: &[#(#aliases),*] })
    });
    quote!(#(#entries),*)
}

/// Aliases as constants, and data as methods.
fn inherent(contract: &Contract<'_>, values: &Values<'_>) -> TokenStream {
    let (ident, vis) = (contract.ident, contract.vis);
    let mut taken: Vec<Ident> = values.values.iter().map(|value| value.ident.clone()).collect();
    let mut aliases = Vec::new();
    for value in &values.values {
        for alias in &value.aliases {
            // A name that is no identifier, or that spells as another does, is left to `from_name`.
            let Ok(constant) = syn::parse_str::<Ident>(&case::constant(alias)) else { continue };
            if taken.contains(&constant) {
                continue;
            }
            let member = value.ident;
            let docs = format!("Another name of `{member}`.");
            aliases.push(quote! {
                #[doc = #docs]
                #vis const #constant: Self = Self::#member;
            });
            taken.push(constant);
        }
    }
    let data = values.data.iter().enumerate().map(|(index, key)| {
        let (name, ty) = (&key.ident, &key.ty);
        let members = values.values.iter().map(|value| value.ident);
        let literals = values.values.iter().map(|value| literal(value, index));
        let docs = format!("The data `{name}` of each value.");
        quote! {
            #[doc = #docs]
            #vis const fn #name(self) -> #ty {
                match self {
                    #(Self::#members => #literals,)*
                }
            }
        }
    });
    let items: Vec<TokenStream> = aliases.into_iter().chain(data).collect();
    if items.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl #ident {
            #(#items)*
        }
    }
}

fn literal(value: &Value<'_>, index: usize) -> TokenStream {
    match &value.data[index] {
        Datum::Integer(number) => {
            let number = Literal::i128_unsuffixed(*number);
            quote!(#number)
        }
        Datum::Bool(truth) => quote!(#truth),
        Datum::Text(text) => quote!(#text),
    }
}
