//! What is expanded for a declaration that was refused: impls that compile and are never run, so that one mistake
//! gives one error and not one for each use.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Data, Ident, Type};

use super::accessors::constant;
use crate::parse::{Declaration, Field, Kind};

/// The stub of a declaration.
pub(crate) fn stub(declaration: &Declaration<'_>) -> TokenStream {
    if !declaration.input.generics.params.is_empty() {
        return TokenStream::new();
    }
    match (&declaration.input.data, declaration.kind) {
        (Data::Struct(_), _) => descriptor(declaration),
        (Data::Enum(_), Some(Kind::Flags)) => flags(declaration),
        (Data::Enum(_), _) => enumeration(declaration),
        (Data::Union(_), _) => TokenStream::new(),
    }
}

fn wrap(declaration: &Declaration<'_>, kind: &TokenStream, items: &TokenStream) -> TokenStream {
    let (ident, krate) = (declaration.ident, &declaration.krate);
    let name = ident.to_string();
    quote! {
        #[allow(warnings, clippy::all)]
        const _: () = {
            use #krate::__private as __wire;

            #[automatically_derived]
            impl #krate::Contract for #ident {
                const NAME: &'static str = #name;
                const KIND: #krate::Kind = #krate::Kind::#kind;
                const WIRE_ID: u64 = 0;
                const SOURCE_ID: u64 = 0;
            }
            #items
        };
    }
}

fn descriptor(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, vis) = (declaration.ident, &declaration.krate, declaration.vis);
    let view = format_ident!("{ident}View");
    let wire_type = wire_type(declaration, &quote!(#view<'a>));
    let accessors = declaration.fields.iter().map(|field| accessors(declaration, field));
    let items = quote! {
        #wire_type

        #[automatically_derived]
        impl #krate::WireContract for #ident {
            const WIRE_SIZE: usize = 1;
            type Bytes = [u8; 1];
            const ZEROED: [u8; 1] = [0];
        }

        impl #ident {
            #(#accessors)*
        }
    };
    let rest = wrap(declaration, &quote!(Descriptor), &items);
    quote! {
        #[doc = "A view of a contract that was refused."]
        #[allow(dead_code)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #vis struct #view<'a>(&'a [u8]);
        #rest
    }
}

/// The accessors that uses of the struct would miss.
fn accessors(declaration: &Declaration<'_>, field: &Field<'_>) -> TokenStream {
    let (krate, vis, member) = (&declaration.krate, field.vis, field.ident);
    let set = format_ident!("set_{}", member.unraw());
    let constant = constant(member);
    let ty = field.ty;
    let counted = declaration.fields.iter().any(|other| other.length_of.iter().any(|name| name == member));
    if field.magic.is_some() || field.version.is_some() {
        return quote!(#vis const #constant: #ty = ::core::panic!("this contract was refused"););
    }
    if field.text.is_some() {
        return quote! {
            #vis fn #member(&self) -> ::core::result::Result<&str, #krate::WireError> {
                ::core::unimplemented!()
            }
            #vis fn #set(&mut self, _: &str) -> ::core::result::Result<(), #krate::WireError> {
                ::core::unimplemented!()
            }
        };
    }
    if let (true, Type::Array(array)) = (counted, ty) {
        let element = &array.elem;
        return quote! {
            #vis fn #member(&self) -> &[#element] {
                ::core::unimplemented!()
            }
            #vis fn #set(&mut self, _: &[#element]) -> ::core::result::Result<(), #krate::WireError> {
                ::core::unimplemented!()
            }
        };
    }
    TokenStream::new()
}

fn enumeration(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, repr) = (declaration.ident, &declaration.krate, repr(declaration));
    let wire_type = wire_type(declaration, &quote!(Self));
    wrap(
        declaration,
        &quote!(Enumeration),
        &quote! {
            #[automatically_derived]
            impl #krate::Enumeration for #ident {
                type Repr = #repr;
                const VALUES: &'static [#krate::Value<Self>] = &[];
                const HAS_ZERO: bool = true;
                fn from_value(_: #repr) -> ::core::option::Option<Self> {
                    ::core::unimplemented!()
                }
                fn from_valid(_: #repr) -> Self {
                    ::core::unimplemented!()
                }
                fn value(self) -> #repr {
                    ::core::unimplemented!()
                }
                fn name(self) -> &'static str {
                    ::core::unimplemented!()
                }
            }
            #wire_type
        },
    )
}

fn flags(declaration: &Declaration<'_>) -> TokenStream {
    let (ident, krate, repr) = (declaration.ident, &declaration.krate, repr(declaration));
    wrap(
        declaration,
        &quote!(Flags),
        &quote! {
            #[automatically_derived]
            impl #krate::FlagSet for #ident {
                type Repr = #repr;
                const VALUES: &'static [#krate::Value<Self>] = &[];
                const KNOWN_BITS: u64 = 0;
                const OPEN: bool = true;
                fn bits(self) -> #repr {
                    ::core::unimplemented!()
                }
            }
        },
    )
}

fn repr(declaration: &Declaration<'_>) -> Ident {
    let known = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"];
    let found = declaration.repr.iter().find(|word| known.iter().any(|known| *word == known));
    found.cloned().unwrap_or_else(|| format_ident!("u32"))
}

fn wire_type(declaration: &Declaration<'_>, view: &TokenStream) -> TokenStream {
    let ident = declaration.ident;
    quote! {
        #[automatically_derived]
        impl __wire::WireType for #ident {
            const SHAPE: __wire::Shape = __wire::Shape::scalar(2, 1);
            type View<'a> = #view;
            type Slice<'a> = __wire::ArrayView<'a, Self>;
            fn validate<R: __wire::Refuse>(_: &[u8], _: __wire::Endian, _: __wire::At) -> ::core::result::Result<(), R> {
                ::core::unimplemented!()
            }
            fn decode(_: &[u8], _: __wire::Endian) -> Self {
                ::core::unimplemented!()
            }
            fn encode(&self, _: &mut [u8], _: __wire::Endian) {
                ::core::unimplemented!()
            }
            fn view_of(_: &[u8], _: __wire::Endian) -> Self::View<'_> {
                ::core::unimplemented!()
            }
            fn slice_of(_: &[u8], _: __wire::Endian) -> Self::Slice<'_> {
                ::core::unimplemented!()
            }
        }
    }
}
