//! Getters over bytes that were checked.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::accessors::element;
use super::descriptor::{endian, offset, slice, wire_type_of};
use crate::check::{Contract, Descriptor, Field, Role};

/// The name of a descriptor's view.
pub(crate) fn ident(contract: &Contract<'_>) -> Ident {
    format_ident!("{}View", contract.ident)
}

/// The view's struct, and its impls.
pub(crate) fn expand(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> (TokenStream, TokenStream) {
    let (view, vis, ident, krate) = (ident(contract), contract.vis, contract.ident, contract.krate);
    let docs = format!("Getters over the bytes of a [`{ident}`] that were checked; nothing is copied.");
    let name = view.to_string();
    let getters =
        descriptor.fields.iter().enumerate().filter_map(|(index, field)| getter(descriptor, index, field));
    let item = quote! {
        #[doc = #docs]
        #[allow(clippy::all, clippy::pedantic, dead_code)]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #vis struct #view<'a> {
            bytes: &'a [u8; <#ident as #krate::WireContract>::WIRE_SIZE],
        }
    };
    let impls = quote! {
        #[automatically_derived]
        #[allow(dead_code)]
        impl<'a> #view<'a> {
            #(#getters)*
        }

        #[automatically_derived]
        impl ::core::convert::AsRef<[u8]> for #view<'_> {
            fn as_ref(&self) -> &[u8] {
                self.bytes
            }
        }

        #[automatically_derived]
        impl ::core::convert::From<#view<'_>> for #ident {
            #[inline]
            fn from(view: #view<'_>) -> Self {
                <#ident as __wire::WireType>::decode(view.bytes, __wire::Endian::Native)
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #view<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#name).field("bytes", &self.bytes).finish()
            }
        }
    };
    (item, impls)
}

fn getter(descriptor: &Descriptor<'_>, index: usize, field: &Field<'_>) -> Option<TokenStream> {
    let (vis, member, ty) = (field.vis, field.ident, field.ty);
    let (bytes, wire_type, order) = (slice(index), wire_type_of(field), endian(field));
    let docs = if field.docs.is_empty() { format!("Field `{}`.", field.name) } else { field.docs.clone() };
    let (result, value) = match (&field.role, field.counted_by) {
        (Role::Reserved { .. }, _) => return None,
        (Role::Text, _) => (quote!(&'a str), quote!(__wire::counted::text(#bytes).unwrap_or_default())),
        (_, Some(count)) => {
            let element = element(field);
            let count_field = &descriptor.fields[count];
            let (count_bytes, count_type, count_order) =
                (slice(count), wire_type_of(count_field), endian(count_field));
            let start = offset(index);
            (
                quote_spanned!(ty.span()=> <#element as __wire::WireType>::Slice<'a>),
                quote! {{
                    let count = #count_type::decode(#count_bytes, #count_order);
                    let count = __wire::counted::within(count, <#ty as __wire::Array>::LEN);
                    let size = <#element as __wire::WireType>::SHAPE.bytes();
                    <#element as __wire::WireType>::slice_of(&bytes[#start..#start + count * size], #order)
                }},
            )
        }
        _ => (quote_spanned!(ty.span()=> #wire_type::View<'a>), quote!(#wire_type::view_of(#bytes, #order))),
    };
    Some(quote! {
        #[doc = #docs]
        #[inline]
        #vis fn #member(&self) -> #result {
            let bytes: &'a [u8; __WIRE_LAYOUT.size] = self.bytes;
            #value
        }
    })
}
