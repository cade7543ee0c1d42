//! What rules may ask of a contract, its own and those of others.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Ident;
use syn::ext::IdentExt;

use crate::record::fold;

/// What other contracts' rules may ask of an optional key that has a default. `value` is an expression, over `self`,
/// of the value or the default, `ty` its type.
pub(crate) fn or_default(owner: &Ident, field: &Ident, ty: &TokenStream, value: &TokenStream) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::OrDefault<#name> for #owner {
            type Value = #ty;
            #[inline]
            fn or_default(&self) -> #ty {
                #value
            }
        }
    }
}

/// What other contracts' rules may ask of a field whose length is not that of its type. `length` is an expression, over
/// `self`, of an `i128` or of what can be cast to `u64`.
pub(crate) fn length_of(owner: &Ident, field: &Ident, length: &TokenStream) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::LengthOf<#name> for #owner {
            #[inline]
            fn length_of(&self) -> u64 {
                (#length) as u64
            }
        }
    }
}

/// That no other contract's rules may ask for a field, which is written as declared.
pub(crate) fn fixed_as(owner: &Ident, field: &Ident) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::FixedAs<#name> for #owner {}
    }
}

/// What other contracts' rules may ask of the elements of an optional array of integers that has a default. `array` is an
/// expression, over `self`, of the array or the default.
pub(crate) fn elements_of(owner: &Ident, field: &Ident, array: &TokenStream) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::ElementsOf<#name> for #owner {
            #[inline]
            fn product_of(&self) -> ::core::option::Option<i128> {
                __wire::rule::product(&#array, i128::MAX)
            }

            #[inline]
            fn least_of(&self) -> ::core::option::Option<i128> {
                __wire::rule::least(&#array, i128::MAX)
            }
        }
    }
}

/// What rules may ask of an enumeration: its number, its names, what its values carry.
pub(crate) fn of_enumeration(
    ident: &Ident,
    krate: &syn::Path,
    members: &[(String, i128)],
    keys: &[(Ident, KeySort)],
) -> TokenStream {
    let named = named(ident, members, keys);
    let carried = keys.iter().enumerate().filter(|(_, (_, sort))| *sort != KeySort::Text).map(
        |(index, (key, _))| quote!(#index => <i128 as ::core::convert::From<_>>::from(Self::#key(self)),),
    );
    // An enumeration that is not `Copy` is refused where it is made one, and nowhere else.
    let copy = quote!(where for<'__any> #ident: ::core::marker::Copy);
    quote! {
        #named

        #[automatically_derived]
        impl __wire::rule::Operand for #ident #copy {
            type Sort = i128;
            const TAG: __wire::rule::Interval = <Self as __wire::rule::Ranged>::RANGE;
            #[inline(always)]
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::option::Option::Some(__wire::rule::wide(<Self as #krate::Enumeration>::value(*self)))
            }
        }

        #[automatically_derived]
        impl __wire::rule::Carries for #ident #copy {
            #[inline(always)]
            fn carried(self, key: usize) -> i128 {
                match key {
                    #(#carried)*
                    _ => 0,
                }
            }
        }

        #[automatically_derived]
        impl __wire::rule::Keyed for #ident #copy {
            const NAMES: __wire::rule::Names = <Self as __wire::rule::Named>::NAMES;
            #[inline(always)]
            fn carried(&self, key: usize) -> ::core::option::Option<i128> {
                ::core::option::Option::Some(<Self as __wire::rule::Carries>::carried(*self, key))
            }
        }

        #[automatically_derived]
        impl __wire::rule::Used for #ident #copy {
            #[inline(always)]
            fn is_used(&self) -> bool {
                <Self as __wire::rule::Operand>::operand(self) != ::core::option::Option::Some(0)
            }
        }
    }
}

/// What a data key carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySort {
    Number,
    Condition,
    Text,
}

/// The names that rules may say of flags, or of a union (its variants by position).
pub(crate) fn named(ident: &Ident, members: &[(String, i128)], keys: &[(Ident, KeySort)]) -> TokenStream {
    let contract = ident.unraw().to_string();
    let (names, numbers) = (members.iter().map(|(name, _)| name), members.iter().map(|(_, number)| number));
    let numbers = numbers.map(|number| Literal::i128_unsuffixed(*number));
    let keys = keys.iter().map(|(key, sort)| {
        let key = key.unraw().to_string();
        let sort = match sort {
            KeySort::Number => quote!(Number),
            KeySort::Condition => quote!(Condition),
            KeySort::Text => quote!(Text),
        };
        quote!((#key, __wire::rule::KeySort::#sort))
    });
    quote! {
        #[automatically_derived]
        impl __wire::rule::Named for #ident {
            const NAMES: __wire::rule::Names = __wire::rule::Names {
                contract: #contract,
                members: ::core::option::Option::Some(&[#((#names, #numbers)),*]),
                keys: &[#(#keys),*],
            };
        }
    }
}

/// What rules may ask of a union: the position of its variant. `variants` are the names, `position` an expression, over
/// `self`, of a `usize`.
pub(crate) fn of_union(ident: &Ident, variants: &[&Ident], position: &TokenStream) -> TokenStream {
    let members: Vec<(String, i128)> =
        variants.iter().zip(0..).map(|(variant, index)| (variant.unraw().to_string(), index)).collect();
    let named = named(ident, &members, &[]);
    quote! {
        #named

        #[automatically_derived]
        impl __wire::rule::Operand for #ident {
            type Sort = i128;
            #[inline]
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::option::Option::Some((#position) as i128)
            }
        }
    }
}

/// The same of an enumeration, of flags or of a union that was refused: impls that compile, and of which nothing more
/// is said.
pub(crate) fn refused(declaration: &crate::parse::Declaration<'_>, whole: bool) -> TokenStream {
    let ident = declaration.ident;
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let nothing =
        quote!(__wire::rule::Names { contract: "", members: ::core::option::Option::None, keys: &[] });
    let named = quote! {
        impl #generics __wire::rule::Named for #ident #arguments #clause {
            const NAMES: __wire::rule::Names = #nothing;
        }
    };
    if !whole {
        return named;
    }
    quote! {
        #named
        impl #generics __wire::rule::Operand for #ident #arguments #clause {
            type Sort = i128;
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::unimplemented!()
            }
        }
        impl #generics __wire::rule::Keyed for #ident #arguments #clause {
            const NAMES: __wire::rule::Names = #nothing;
            fn carried(&self, _: usize) -> ::core::option::Option<i128> {
                ::core::unimplemented!()
            }
        }
        impl #generics __wire::rule::Used for #ident #arguments #clause {
            fn is_used(&self) -> bool {
                ::core::unimplemented!()
            }
        }
    }
}

/// The hash of a field's name, as a parameter of a type.
pub(super) fn hash(name: &Ident) -> Literal {
    Literal::u64_suffixed(fold(name.unraw().to_string().bytes()))
}
