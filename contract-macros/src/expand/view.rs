//! Getters over bytes that were checked.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::descriptor::{call, count_in_bytes, endian, most, offset, probe, slice};
use super::growth;
use crate::check::{Contract, Descriptor, Field, Role};
use crate::ty::Known;

/// The name of a descriptor's view.
pub(crate) fn ident(contract: &Contract<'_>) -> Ident {
    format_ident!("{}View", contract.ident)
}

/// The view's struct, and its impls.
pub(crate) fn expand(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> (TokenStream, TokenStream) {
    let (view, vis, ident, krate) = (ident(contract), contract.vis, contract.ident, contract.krate);
    let docs = format!("Getters over the bytes of a [`{ident}`] that were checked; nothing is copied.");
    let name = view.to_string();
    let getters = (0..descriptor.fields.len()).filter_map(|index| getter(contract, descriptor, index));
    let (bytes, version) = if descriptor.grows() {
        (quote!([u8]), quote!(version: u64,))
    } else {
        (quote!([u8; <#ident as #krate::WireContract>::WIRE_SIZE]), TokenStream::new())
    };
    let decoded = if descriptor.grows() {
        quote! {{
            let mut image = [0; __WIRE_LAYOUT.size];
            __WIRE_GROWTH.complete(&mut image, view.bytes, view.version);
            if view.version > __WIRE_GROWTH.newest() {
                <#ident as __wire::WireType>::say_version(&mut image, __WIRE_GROWTH.newest());
            }
            <#ident as __wire::WireType>::decode(&image, __wire::Endian::Native)
        }}
    } else {
        quote!(<#ident as __wire::WireType>::decode(view.bytes, __wire::Endian::Native))
    };
    let item = quote! {
        #[doc = #docs]
        #[allow(clippy::all, clippy::pedantic, dead_code, nonstandard_style)]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #vis struct #view<'a> {
            bytes: &'a #bytes,
            #version
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
                #decoded
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #view<'_> {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __wire::debug(f, #name, self.bytes)
            }
        }
    };
    (item, impls)
}

fn getter(contract: &Contract<'_>, descriptor: &Descriptor<'_>, index: usize) -> Option<TokenStream> {
    let field = &descriptor.fields[index];
    let (vis, member) = (field.vis, field.ident);
    let bytes = slice(index);
    let docs = if field.docs.is_empty() { format!("Field `{}`.", field.name) } else { field.docs.clone() };
    let (result, value) = match (&field.role, field.counted_by) {
        (Role::Reserved { .. }, _) => return None,
        (Role::Text, _) => (quote!(&'a str), quote!(__wire::counted::text(#bytes).unwrap_or_default())),
        (_, Some(count)) => {
            let count = count_in_bytes(count, &descriptor.fields[count]);
            let (start, most) = (offset(index), most(&[index]));
            let end = quote!(#start + count * const { __WIRE_LAYOUT.shapes[#index].stride() });
            let view = view_of(field, index, &quote!(&bytes[#start..#end]));
            (
                view_type(contract, field, index),
                quote! {{
                    let count = __wire::counted::within(#count, #most);
                    #view
                }},
            )
        }
        (Role::Version(newest), _) if descriptor.grows() => {
            let ty = view_type(contract, field, index);
            let (value, newest) = (view_of(field, index, &bytes), Literal::u64_unsuffixed(*newest));
            // One that is newer is read as if it were the newest that is known.
            (ty, quote!(::core::cmp::Ord::min(#value, #newest)))
        }
        _ => {
            let value = growth::last_view(descriptor, index, field);
            (view_type(contract, field, index), value.unwrap_or_else(|| view_of(field, index, &bytes)))
        }
    };
    let bytes = match field.added() {
        _ if !descriptor.grows() => quote!(&'a [u8; __WIRE_LAYOUT.size] = self.bytes),
        1 => quote!(&'a [u8] = self.bytes),
        since => {
            let since = Literal::u64_unsuffixed(since.into());
            quote!(&'a [u8] = if self.version < #since { &__WIRE_DEFAULTS } else { self.bytes })
        }
    };
    Some(quote! {
        #[doc = #docs]
        #[inline]
        #vis fn #member(&self) -> #result {
            let bytes: #bytes;
            #value
        }
    })
}

fn view_of(field: &Field<'_>, index: usize, bytes: &TokenStream) -> TokenStream {
    let order = endian(field);
    if field.known.is_plain() {
        return call(field, "view_of", &quote!(#bytes, #order));
    }
    let (ty, probe) = (field.ty, probe(index));
    quote!(<__wire::If<#probe> as __wire::ViewOf<#ty>>::view_of(#bytes, #order))
}

/// What a getter gives.
fn view_type(contract: &Contract<'_>, field: &Field<'_>, index: usize) -> TokenStream {
    let (krate, ty) = (contract.krate, field.ty);
    match (&field.known, ty) {
        (Known::Scalar(_), _) => quote!(#ty),
        (known @ Known::Array(element, _), syn::Type::Array(array)) if known.is_plain() => {
            if matches!(&**element, Known::Scalar(scalar) if scalar.name == "u8") {
                quote!(&'a [u8])
            } else {
                let element = &array.elem;
                quote!(#krate::ArrayView<'a, #element>)
            }
        }
        (known, _) if known.is_plain() => quote_spanned!(ty.span()=> #krate::View<'a, #ty>),
        _ => {
            let probe = probe(index);
            quote_spanned!(ty.span()=> #krate::View<'a, #ty, #probe>)
        }
    }
}
