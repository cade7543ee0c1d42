//! A descriptor: layout, checks, reading and writing.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::{accessors, record, view};
use crate::check::{Contract, Descriptor, Field, Role};
use crate::parse::Endian;
use crate::record::Text;

/// The expansion of a descriptor.
pub(crate) fn expand(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let layout = layout(descriptor);
    let checks = checks(contract, descriptor);
    let record = record::contract_and_record(
        ident,
        krate,
        &quote!(Descriptor),
        &Text::of(contract),
        Some(&quote!(__WIRE_LAYOUT)),
    );
    let wire_type = wire_type(contract, descriptor);
    let accessors = accessors::expand(contract, descriptor);
    let (view, view_impl) = view::expand(contract, descriptor);
    quote! {
        #view

        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications)]
        const _: () = {
            use #krate::__private as __wire;

            #layout
            #checks
            #record
            #wire_type

            #[automatically_derived]
            impl #krate::WireContract for #ident {
                const WIRE_SIZE: usize = __WIRE_LAYOUT.size;
                type Bytes = [u8; __WIRE_LAYOUT.size];
                const ZEROED: Self::Bytes = [0; __WIRE_LAYOUT.size];
            }

            #accessors
            #view_impl
        };
    }
}

fn layout(descriptor: &Descriptor<'_>) -> TokenStream {
    let count = descriptor.fields.len();
    let how = if descriptor.packed { quote!(packed) } else { quote!(natural) };
    let shapes = descriptor.fields.iter().map(|field| {
        let (shape, endian) = (shape(field), endian(field));
        quote!(#shape.in_order(#endian))
    });
    quote! {
        const __WIRE_LAYOUT: __wire::Layout<#count> = __wire::Layout::#how([#(#shapes),*]);
    }
}

/// What const evaluation checks: all that depends on what types are.
fn checks(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let ident = contract.ident;
    let name = &contract.about.name;
    let mut together = TokenStream::new();
    let mut apart = TokenStream::new();
    let mut check = |span: proc_macro2::Span, plain: bool, call: TokenStream| {
        if plain {
            together.extend(quote_spanned!(span=> #call;));
        } else {
            apart.extend(quote_spanned!(span=> const _: () = #call;));
        }
    };
    // Padding was checked by the macro up to the first type that it could not see through.
    let seen = descriptor.fields.iter().take_while(|field| field.known.layout().is_some()).count();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let (span, field_name) = (field.ident.span(), &field.name);
        let is_plain = field.known.layout().is_some();
        if !descriptor.packed && index >= seen {
            check(span, false, quote!(__wire::check_padding(__WIRE_LAYOUT.gaps[#index], #name, #field_name)));
        }
        if let Some((offset, span)) = field.offset {
            let offset = Literal::u64_unsuffixed(offset);
            check(
                span,
                false,
                quote!(__wire::check_offset(#offset, __WIRE_LAYOUT.offsets[#index], #name, #field_name)),
            );
        }
        let shape = quote!(&__WIRE_LAYOUT.shapes[#index]);
        match &field.role {
            Role::Value => {}
            Role::Magic(magic) => {
                let length = magic.len();
                check(field.ty.span(), is_plain, quote!(__wire::check_magic(#length, #shape, #field_name)));
            }
            Role::Version(version) => {
                check(field.ty.span(), is_plain, quote!(__wire::check_count(#shape, #field_name)));
                let (ty, version) = (field.ty, Literal::u64_unsuffixed(*version));
                if !is_plain {
                    let message = format!("the type of field `{field_name}` does not hold {version}");
                    check(
                        field.ty.span(),
                        false,
                        quote!(::core::assert!((#version as #ty) as u64 == #version, #message)),
                    );
                }
            }
            Role::Reserved { .. } => {
                check(field.ty.span(), is_plain, quote!(__wire::check_reserved(#shape, #field_name)));
            }
            Role::LengthOf(_) => {
                check(field.ty.span(), is_plain, quote!(__wire::check_count(#shape, #field_name)));
            }
            Role::Text => check(field.ty.span(), is_plain, quote!(__wire::check_text(#shape, #field_name))),
        }
        if field.counted_by.is_some() && !field.known.is_plain() {
            check(field.ty.span(), false, quote!(__wire::check_counted_element(#shape, #field_name)));
        }
    }
    if !descriptor.packed && seen < descriptor.fields.len() {
        check(
            ident.span(),
            false,
            quote!(__wire::check_aligned_end(__WIRE_LAYOUT.tail, __WIRE_LAYOUT.align, #name)),
        );
    }
    if let Some((size, span)) = descriptor.size {
        let size = Literal::u64_unsuffixed(size);
        check(span, false, quote!(__wire::check_size(#size, __WIRE_LAYOUT.size, #name)));
    }
    let mirrored = mirrored(contract, descriptor);
    quote! {
        const _: () = { #together #mirrored };
        #apart
    }
}

/// The Rust struct is laid out as the wire is; what padding checks let through cannot fail this.
fn mirrored(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    if descriptor.packed {
        return TokenStream::new();
    }
    let (ident, name) = (contract.ident, &contract.about.name);
    let offsets = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let member = field.ident;
        let what = format!("the offset of field `{}`", field.name);
        quote_spanned! {field.ident.span()=>
            __wire::check_rust(__WIRE_LAYOUT.offsets[#index], ::core::mem::offset_of!(#ident, #member), #name, #what);
        }
    });
    quote! {
        if __WIRE_LAYOUT.mirrored && __WIRE_LAYOUT.tail == 0 && __WIRE_LAYOUT.no_gaps() {
            __wire::check_rust(__WIRE_LAYOUT.size, ::core::mem::size_of::<#ident>(), #name, "the size");
            #(#offsets)*
        }
    }
}

fn wire_type(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let ident = contract.ident;
    let view = view::ident(contract);
    let zero = !descriptor.fields.iter().any(|field| match &field.role {
        Role::Magic(magic) => magic.iter().any(|&byte| byte != 0),
        Role::Version(_) => true,
        _ => false,
    });
    let validate = validate(contract, descriptor);
    let decode = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let (member, value) = (field.ident, decoded(index, field));
        quote!(#member: #value)
    });
    let check = check(contract, descriptor);
    let encode = descriptor.fields.iter().enumerate().map(|(index, field)| encoded(descriptor, index, field));
    let at = if check.is_empty() { quote!(_) } else { quote!(at) };
    // A reader checks and then decodes; only where both are in one function does the optimiser use in one what it
    // learned in the other. Beyond some size that costs more code than it saves.
    let inline = if descriptor.fields.len() <= 48 { quote!(#[inline(always)]) } else { quote!(#[inline]) };
    let validate_at = if validate.is_empty() { quote!(_) } else { quote!(at) };
    quote! {
        #[automatically_derived]
        impl __wire::WireType for #ident {
            const SHAPE: __wire::Shape = __wire::Shape::descriptor::<Self, _>(&__WIRE_LAYOUT, #zero);
            type View<'a> = #view<'a>;
            type Slice<'a> = __wire::ArrayView<'a, Self>;

            #inline
            fn validate<R: __wire::Refuse>(
                bytes: &[u8],
                _: __wire::Endian,
                #validate_at: __wire::At,
            ) -> ::core::result::Result<(), R> {
                let bytes: &[u8; __WIRE_LAYOUT.size] = __wire::exact(bytes);
                let _ = bytes;
                #validate
                ::core::result::Result::Ok(())
            }

            #inline
            fn decode(bytes: &[u8], _: __wire::Endian) -> Self {
                let bytes: &[u8; __WIRE_LAYOUT.size] = __wire::exact(bytes);
                #ident { #(#decode),* }
            }

            #inline
            fn check<R: __wire::Refuse>(&self, #at: __wire::At) -> ::core::result::Result<(), R> {
                #check
                ::core::result::Result::Ok(())
            }

            #inline
            fn encode(&self, bytes: &mut [u8], _: __wire::Endian) {
                let bytes: &mut [u8; __WIRE_LAYOUT.size] = __wire::exact_mut(bytes);
                #(#encode)*
            }

            #inline
            fn zero() -> Self {
                Self::decode(&[0; __WIRE_LAYOUT.size], __wire::Endian::Native)
            }

            #inline
            fn view_of(bytes: &[u8], _: __wire::Endian) -> #view<'_> {
                #view { bytes: __wire::exact(bytes) }
            }

            #inline
            fn slice_of(bytes: &[u8], endian: __wire::Endian) -> __wire::ArrayView<'_, Self> {
                __wire::ArrayView::new(bytes, endian)
            }
        }
    }
}

/// Magic first, then version, then the other fields in order, which is that of their offsets.
fn validate(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let rank = |field: &Field<'_>| match field.role {
        Role::Magic(_) => 0,
        Role::Version(_) => 1,
        _ => 2,
    };
    let mut fields: Vec<(usize, &Field<'_>)> = descriptor.fields.iter().enumerate().collect();
    fields.sort_by_key(|(_, field)| rank(field));
    fields.into_iter().map(|(index, field)| validated(contract, descriptor, index, field)).collect()
}

fn validated(
    contract: &Contract<'_>,
    descriptor: &Descriptor<'_>,
    index: usize,
    field: &Field<'_>,
) -> TokenStream {
    let (bytes, at, endian) = (slice(index), at(contract, index, field), endian(field));
    let wire_type = wire_type_of(field);
    match &field.role {
        Role::Magic(magic) => {
            let length = magic.len();
            let magic = Literal::byte_string(magic);
            quote! {
                if *__wire::exact::<#length>(#bytes) != *#magic {
                    return ::core::result::Result::Err(R::magic(#at, #magic, #bytes));
                }
            }
        }
        Role::Version(version) => {
            quote!(__wire::counted::version(#wire_type::decode(#bytes, #endian), #version, #at)?;)
        }
        Role::Reserved { zero: false } => TokenStream::new(),
        Role::Reserved { zero: true } => quote!(__wire::counted::check_zero(#bytes, #at)?;),
        Role::LengthOf(targets) => {
            let most = most(descriptor, targets);
            quote!(__wire::counted::check(#wire_type::decode(#bytes, #endian), #most, #at)?;)
        }
        Role::Text => quote!(__wire::counted::check_text(#bytes, #at)?;),
        Role::Value if field.known.is_plain() => TokenStream::new(),
        Role::Value => quote!(#wire_type::validate(#bytes, #endian, #at)?;),
    }
}

fn decoded(index: usize, field: &Field<'_>) -> TokenStream {
    let (bytes, endian, wire_type) = (slice(index), endian(field), wire_type_of(field));
    quote!(#wire_type::decode(#bytes, #endian))
}

/// What a Rust value can hold and the wire cannot, in the order of offsets.
fn check(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let checks = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let (member, at) = (field.ident, at(contract, index, field));
        let wire_type = wire_type_of(field);
        match (&field.role, field.counted_by) {
            (Role::Magic(_) | Role::Version(_) | Role::Reserved { .. }, _) => TokenStream::new(),
            (Role::LengthOf(targets), _) => {
                let most = most(descriptor, targets);
                quote!(__wire::counted::check(self.#member, #most, #at)?;)
            }
            (Role::Text, _) => quote!(__wire::counted::check_text(&self.#member, #at)?;),
            (Role::Value, _) if field.known.is_plain() => TokenStream::new(),
            (Role::Value, Some(count)) => {
                let count = descriptor.fields[count].ident;
                quote!(__wire::counted::check_valid(&self.#member, self.#count, #at)?;)
            }
            (Role::Value, None) => quote!(#wire_type::check(&self.#member, #at)?;),
        }
    });
    checks.collect()
}

fn encoded(descriptor: &Descriptor<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (start, end) = (offset(index), end(index));
    let bytes = quote!(&mut bytes[#start..#end]);
    let (member, endian, wire_type, ty) = (field.ident, endian(field), wire_type_of(field), field.ty);
    match (&field.role, field.counted_by) {
        (Role::Magic(magic), _) => {
            let magic = Literal::byte_string(magic);
            quote!(bytes[#start..#end].copy_from_slice(#magic);)
        }
        (Role::Version(version), _) => {
            let version = Literal::u64_unsuffixed(*version);
            quote!(#wire_type::encode(&(#version as #ty), #bytes, #endian);)
        }
        (Role::Reserved { .. }, _) => quote!(bytes[#start..#end].fill(0);),
        (_, Some(count)) => {
            let count = descriptor.fields[count].ident;
            quote!(__wire::counted::encode(&self.#member, self.#count, #bytes, #endian);)
        }
        _ => quote!(#wire_type::encode(&self.#member, #bytes, #endian);),
    }
}

/// The smallest of the arrays that a count counts.
pub(super) fn most(descriptor: &Descriptor<'_>, targets: &[usize]) -> TokenStream {
    let lengths = targets.iter().map(|&target| {
        let ty = descriptor.fields[target].ty;
        quote_spanned!(ty.span()=> <#ty as __wire::Array>::LEN)
    });
    quote!(const { __wire::least(&[#(#lengths),*]) })
}

/// Bytes from the start of the descriptor to a field.
pub(super) fn offset(index: usize) -> TokenStream {
    quote!(const { __WIRE_LAYOUT.offsets[#index] })
}

fn end(index: usize) -> TokenStream {
    quote!(const { __WIRE_LAYOUT.end(#index) })
}

/// The bytes of a field, out of an array of all.
pub(super) fn slice(index: usize) -> TokenStream {
    let (start, end) = (offset(index), end(index));
    quote!(&bytes[#start..#end])
}

/// A field as errors state it.
pub(super) fn at(contract: &Contract<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (contract, name, offset) = (&contract.about.name, &field.name, offset(index));
    quote!(at.field(&__wire::Place { contract: #contract, field: #name }, #offset))
}

/// Byte order of a field.
pub(super) fn endian(field: &Field<'_>) -> TokenStream {
    match field.endian {
        Endian::Little => quote!(__wire::Endian::Little),
        Endian::Big => quote!(__wire::Endian::Big),
        Endian::Native => quote!(__wire::Endian::Native),
    }
}

/// The field's type as one that has a form on the wire. All uses have the type's span, so that a type without one
/// is one error.
pub(super) fn wire_type_of(field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(ty.span()=> <#ty as __wire::WireType>)
}

fn shape(field: &Field<'_>) -> TokenStream {
    let wire_type = wire_type_of(field);
    quote_spanned!(field.ty.span()=> #wire_type::SHAPE)
}
