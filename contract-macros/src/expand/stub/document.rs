//! What is expanded for recipes and unions that were refused.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Fields, Ident, Type};

use super::super::key::accessor_type;
use super::super::rule;
use crate::parse::{Declaration, Field};
use crate::ty::{Held, optional};

/// What a refused recipe has besides `Contract`.
pub(super) fn recipe(declaration: &Declaration<'_>) -> TokenStream {
    let whole = declaration.input.generics.params.is_empty();
    // Types of fields may mention parameters, which nothing outside the impl can.
    let fields: &[Field<'_>] = if whole { &declaration.fields } else { &[] };
    let asked = fields.iter().filter_map(|field| asked(field.ty, field.spelling.is_some()));
    let kept: Vec<(&Field<'_>, &Type)> = fields
        .iter()
        .filter(|field| field.default.is_some())
        .filter_map(|field| optional(field.ty).map(|inner| (field, inner)))
        .collect();
    let accessors = kept.iter().filter(|(_, inner)| is_sized(inner)).map(|(field, inner)| {
        let (vis, member) = (field.vis, field.ident);
        let result = accessor_type(inner, &Held::of(inner));
        quote!(#vis fn #member(&self) -> #result { ::core::unimplemented!() })
    });
    let ident = declaration.ident;
    let values = kept.iter().filter(|(_, inner)| is_sized(inner)).map(|(field, inner)| {
        let nothing = quote!(::core::unimplemented!());
        let held = Held::of(inner);
        match held {
            Held::Text | Held::Vec(_) | Held::Array(..) => {
                let length =
                    rule::length_of(ident, field.ident, &quote!({ let length: u64 = #nothing; length }));
                let member = field.ident;
                let elements =
                    held.is_integers().then(|| rule::elements_of(ident, member, &quote!(self.#member())));
                quote!(#length #elements)
            }
            _ => rule::or_default(ident, field.ident, &quote!(#inner), &nothing),
        }
    });
    let members = members(declaration, &quote!(#(#accessors)*));
    quote!(#(#asked)* #members #(#values)*)
}

/// What a refused union has besides `Contract`.
pub(super) fn union(declaration: &Declaration<'_>) -> TokenStream {
    let whole = declaration.input.generics.params.is_empty();
    let types = declaration.values.iter().filter_map(|value| match value.fields {
        Fields::Unnamed(fields) if whole && fields.unnamed.len() == 1 => fields.unnamed.first(),
        _ => None,
    });
    let asked = types.filter_map(|field| asked(&field.ty, false));
    let vis = declaration.vis;
    let members = members(declaration, &quote!(#vis fn tag(&self) -> &str { ::core::unimplemented!() }));
    let rules = rule::refused(declaration, true);
    quote!(#(#asked)* #members #rules)
}

/// Whether a function may give a value of the type.
fn is_sized(ty: &Type) -> bool {
    !matches!(
        ty,
        Type::Slice(_) | Type::TraitObject(_) | Type::ImplTrait(_) | Type::Reference(_) | Type::Infer(_)
    ) && !matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}

/// Asks a type that the macro cannot see through whether a document carries it: that none does would be one more
/// mistake.
fn asked(ty: &Type, spelled: bool) -> Option<TokenStream> {
    let ty = optional(ty).unwrap_or(ty);
    let held = Held::of(ty);
    if spelled || held.refusal().is_some() || !matches!(held.innermost(), Held::Other) {
        return None;
    }
    let shape = quote_spanned!(ty.span()=> <#ty as __wire::JsonType<__wire::Plain>>::SHAPE);
    Some(quote!(const _: __wire::JsonShape = #shape;))
}

fn members(declaration: &Declaration<'_>, inherent: &TokenStream) -> TokenStream {
    let (ident, krate, vis): (&Ident, _, _) = (declaration.ident, &declaration.krate, declaration.vis);
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let whole = declaration.input.generics.params.is_empty();
    let serde = whole.then(|| quote!(#krate::__serde_impls!(#ident);));
    quote! {
        #[automatically_derived]
        impl #generics __wire::Members for #ident #arguments #clause {
            type Fields = ();
            const COUNT: usize = 0;
            const REQUIRED: &'static [&'static str] = &[];
            const MAX_BYTES: usize = 0;
            const MAX_DEPTH: usize = 0;
            fn begin(_: &__wire::Reader<'_>, _: __wire::Object) {
                ::core::unimplemented!()
            }
            fn index(_: &(), _: &str) -> ::core::option::Option<usize> {
                ::core::unimplemented!()
            }
            fn read(_: &mut (), _: usize, _: &mut __wire::Reader<'_>) -> ::core::result::Result<(), __wire::Stop> {
                ::core::unimplemented!()
            }
            fn absent(
                _: &mut (),
                _: usize,
                _: &mut __wire::Reader<'_>,
                _: __wire::Object,
            ) -> ::core::result::Result<(), __wire::Stop> {
                ::core::unimplemented!()
            }
            fn finish(
                _: (),
                _: &mut __wire::Reader<'_>,
                _: __wire::Object,
            ) -> ::core::result::Result<Self, __wire::Stop> {
                ::core::unimplemented!()
            }
            fn write(&self, _: &mut __wire::Writer) -> ::core::result::Result<(), __wire::Stop> {
                ::core::unimplemented!()
            }
        }

        #[automatically_derived]
        impl #generics __wire::JsonType for #ident #arguments #clause {
            const SHAPE: __wire::JsonShape = __wire::JsonShape::members::<Self>();
            fn read(
                _: &mut __wire::Reader<'_>,
                _: &'static __wire::Place,
                _: &__wire::Bounds,
            ) -> ::core::result::Result<Self, __wire::Stop> {
                ::core::unimplemented!()
            }
            fn write(
                &self,
                _: &mut __wire::Writer,
                _: &'static __wire::Place,
                _: &__wire::Bounds,
            ) -> ::core::result::Result<(), __wire::Stop> {
                ::core::unimplemented!()
            }
        }

        #serde

        impl #generics #ident #arguments #clause {
            #inherent
            #vis fn with_defaults(self) -> Self {
                ::core::unimplemented!()
            }
        }
    }
}
