//! A descriptor: layout, checks, reading and writing.

use proc_macro2::{Delimiter, Group, Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::descriptor_rules as rules;
use super::record::{self, Words};
use super::{accessors, ends, growth, over, probed, view};
use crate::check::{Contract, Descriptor, Field, Role};
use crate::parse::Endian;
use crate::record::Text;
use crate::ty::Known;

/// The expansion of a descriptor.
pub(crate) fn expand(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let layout = layout(descriptor);
    let probes = probes(descriptor);
    let checks = checks(contract, descriptor);
    let words = if descriptor.grows() { Words::Grown } else { Words::Layout };
    let record = record::contract_and_record(ident, krate, &quote!(Descriptor), &Text::of(contract), &words);
    let constants = growth::constants(descriptor);
    let sizes = descriptor.grows().then(|| {
        quote!(
            const WIRE_SIZES: &'static [usize] = __WIRE_SIZES;
        )
    });
    let wire_type = wire_type(contract, descriptor);
    let rules = rules::items(contract, descriptor);
    let accessors = accessors::expand(contract, descriptor);
    let (view, view_impl) = view::expand(contract, descriptor);
    quote! {
        #view

        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #probes
            #layout
            #constants
            #checks
            #record
            #wire_type
            #rules

            #[automatically_derived]
            impl #krate::WireContract for #ident {
                const WIRE_SIZE: usize = __WIRE_LAYOUT.size;
                #sizes
                type Bytes = [u8; __WIRE_LAYOUT.size];
                const ZEROED: Self::Bytes = [0; __WIRE_LAYOUT.size];
            }

            #krate::__descriptor_json_type!(#ident);

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
        quote!(__wire::Shape::in_order(#shape, #endian))
    });
    quote! {
        const __WIRE_LAYOUT: __wire::Layout<#count> = __wire::Layout::#how([#(#shapes),*]);
    }
}

/// What const evaluation checks: all that depends on what types are.
fn checks(whole: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let (ident, contract) = (whole.ident, &whole.about.name);
    let mut together = TokenStream::new();
    let mut apart = TokenStream::new();
    // Each call stands apart and has the span of what it checks, unless the macro has seen that it cannot fail.
    let mut check = |plain: bool, call: TokenStream| {
        if plain {
            together.extend(quote!(#call;));
        } else {
            apart.extend(quote!(const _: () = #call;));
        }
    };
    // Padding was checked by the macro up to the first type that it could not see through.
    let seen = descriptor.fields.iter().take_while(|field| field.known.layout().is_some()).count();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let (at, of, name) = (field.ident.span(), field.ty.span(), &field.name);
        let plain = field.known.layout().is_some();
        // Of the type alone: what is wrong with another field's type does not hide what is wrong with this one's.
        let shape = shape(field);
        let written = matches!(field.known, Known::Array(..));
        if !plain && (descriptor.packed || written) {
            check(false, quote_spanned!(of=> __wire::check_shape(&#shape, #name)));
        }
        if !descriptor.packed && index >= seen {
            let gap = quote!(__WIRE_LAYOUT.gaps[#index]);
            let call = if plain || written {
                quote_spanned!(at=> __wire::check_padding(#gap, #contract, #name))
            } else {
                quote_spanned!(at=> __wire::check_place(__WIRE_LAYOUT.shapes[#index].fault, #gap, #contract, #name))
            };
            check(false, call);
        }
        if let Some((declared, span)) = field.offset {
            let declared = Literal::u64_unsuffixed(declared);
            let is = quote!(__WIRE_LAYOUT.offsets[#index], __WIRE_LAYOUT.sound);
            check(false, quote_spanned!(span=> __wire::check_offset(#declared, #is, #contract, #name)));
        }
        if let Some(span) = field.own_endian.filter(|_| !plain) {
            check(false, quote_spanned!(span=> __wire::check_order(&#shape, #name)));
        }
        match &field.role {
            Role::Value => {}
            Role::Magic(magic) => {
                let length = magic.len();
                check(plain, quote_spanned!(of=> __wire::check_magic(#length, &#shape, #name)));
            }
            Role::Version(version) => {
                let version = Literal::u64_unsuffixed(*version);
                check(plain, quote_spanned!(of=> __wire::check_version(#version, &#shape, #name)));
            }
            Role::Reserved { .. } => {
                check(plain, quote_spanned!(of=> __wire::check_reserved(&#shape, #name)));
            }
            Role::LengthOf(_) => check(plain, quote_spanned!(of=> __wire::check_count(&#shape, #name))),
            Role::Text => check(plain, quote_spanned!(of=> __wire::check_text(&#shape, #name))),
        }
        if field.counted_by.is_some() && field.known == Known::Other {
            check(false, quote_spanned!(of=> __wire::check_array(&#shape, #name)));
        }
        if field.counted_by.is_some() && !field.known.is_plain() {
            check(false, quote_spanned!(of=> __wire::check_counted_element(&#shape, #name)));
        }
    }
    if !descriptor.packed && seen < descriptor.fields.len() {
        let at = ident.span();
        check(
            false,
            quote_spanned!(at=> __wire::check_aligned_end(__WIRE_LAYOUT.tail, __WIRE_LAYOUT.align, #contract)),
        );
    }
    if let Some((size, at)) = descriptor.size {
        let size = Literal::u64_unsuffixed(size);
        check(
            false,
            quote_spanned!(at=> __wire::check_size(#size, __WIRE_LAYOUT.size, __WIRE_LAYOUT.sound, #contract)),
        );
    }
    growth::checks(whole, descriptor, &mut |call| check(false, call));
    let mirrored = mirrored(whole, descriptor);
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
        if __WIRE_LAYOUT.mirrored && __WIRE_LAYOUT.sound {
            __wire::check_rust(__WIRE_LAYOUT.size, ::core::mem::size_of::<#ident>(), #name, "the size");
            #(#offsets)*
        }
    }
}

fn wire_type(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let (ident, count) = (contract.ident, descriptor.fields.len());
    let view = view::ident(contract);
    let zero = !descriptor.fields.iter().any(|field| match &field.role {
        Role::Magic(magic) => magic.iter().any(|&byte| byte != 0),
        Role::Version(_) => true,
        _ => false,
    }) && rules::hold_of_zero(descriptor);
    let (mut validate, mut check) = (validate(contract, descriptor), check(contract, descriptor));
    validate.extend(rules::of_bytes(contract, descriptor));
    check.extend(rules::of_value(contract, descriptor));
    let import = rules::import(contract, descriptor);
    let decode = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let (member, value) = (field.ident, decoded(index, field));
        quote!(#member: #value)
    });
    let encode = descriptor.fields.iter().enumerate().map(|(index, field)| encoded(descriptor, index, field));
    let at = if check.is_empty() { quote!(_) } else { quote!(at) };
    // A reader checks and then decodes; only where both are in one function does the optimiser use in one what it
    // learned in the other. Beyond some size that costs more code than it saves.
    let inline = if descriptor.fields.len() <= 48 { quote!(#[inline(always)]) } else { quote!(#[inline]) };
    let validate_at = if validate.is_empty() { quote!(_) } else { quote!(at) };
    let (growing, grown) = if descriptor.grows() {
        (growth::functions(contract, descriptor), quote!(.growing(__WIRE_GROWTH)))
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    let newest = descriptor.sizes.len() as u64;
    let version = descriptor.grows().then(|| quote!(version: #newest));
    quote! {
        #[automatically_derived]
        impl __wire::WireType for #ident {
            const SHAPE: __wire::Shape = __wire::Shape::descriptor::<Self, #count>(&__WIRE_LAYOUT, #zero) #grown;
            type View<'a> = #view<'a>;
            type Slice<'a> = __wire::ArrayView<'a, Self>;

            #inline
            fn validate<__R: __wire::Refuse>(
                bytes: &[u8],
                _: __wire::Endian,
                #validate_at: __wire::At,
            ) -> ::core::result::Result<(), __R> {
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
            fn check<__R: __wire::Refuse>(&self, #at: __wire::At) -> ::core::result::Result<(), __R> {
                #check
                ::core::result::Result::Ok(())
            }

            #import

            #inline
            fn encode(&self, bytes: &mut [u8], _: __wire::Endian) {
                let bytes: &mut [u8; __WIRE_LAYOUT.size] = __wire::exact_mut(bytes);
                #(#encode)*
            }

            #inline
            fn zero() -> Self {
                <Self as __wire::WireType>::decode(&[0; __WIRE_LAYOUT.size], __wire::Endian::Native)
            }

            #inline
            fn view_of(bytes: &[u8], _: __wire::Endian) -> #view<'_> {
                #view { bytes: __wire::exact::<{ __WIRE_LAYOUT.size }>(bytes), #version }
            }

            #growing

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
    fields.into_iter().map(|(index, field)| validated(contract, index, field)).collect()
}

pub(super) fn validated(contract: &Contract<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (bytes, at, endian) = (slice(index), at(contract, index, field), endian(field));
    match &field.role {
        Role::Magic(magic) => {
            let length = magic.len();
            let magic = Literal::byte_string(magic);
            quote! {
                if *__wire::exact::<#length>(#bytes) != *#magic {
                    return ::core::result::Result::Err(__R::magic(#at, #magic, #bytes));
                }
            }
        }
        Role::Version(version) => {
            let found = count_in_bytes(index, field);
            quote!(__wire::counted::version(#found, #version, #at)?;)
        }
        Role::Reserved { zero: false } => TokenStream::new(),
        Role::Reserved { zero: true } => quote!(__wire::counted::check_zero(#bytes, #at)?;),
        Role::LengthOf(targets) => {
            let (count, most) = (count_in_bytes(index, field), most(targets));
            quote!(__wire::counted::check(#count, #most, #at)?;)
        }
        Role::Text => quote!(__wire::counted::check_text(#bytes, #at)?;),
        Role::Value if field.known.is_plain() => TokenStream::new(),
        Role::Value => {
            let validate = call(field, "validate", &quote!(#bytes, #endian, #at));
            quote!(#validate?;)
        }
    }
}

pub(super) fn decoded(index: usize, field: &Field<'_>) -> TokenStream {
    let (bytes, endian) = (slice(index), endian(field));
    call(field, "decode", &quote!(#bytes, #endian))
}

/// What a Rust value can hold and the wire cannot, in the order of offsets.
fn check(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let checks = descriptor.fields.iter().enumerate().map(|(index, field)| {
        let (own, at) = (own(field), at(contract, index, field));
        match (&field.role, field.counted_by) {
            (Role::Magic(_) | Role::Version(_) | Role::Reserved { .. }, _) => TokenStream::new(),
            (Role::LengthOf(targets), _) => {
                let (count, most) = (call(field, "count", &own), most(targets));
                quote!(__wire::counted::check(#count, #most, #at)?;)
            }
            (Role::Text, _) => {
                let bytes = call(field, "bytes", &own);
                quote!(__wire::counted::check_text(#bytes, #at)?;)
            }
            (Role::Value, _) if field.known.is_plain() => TokenStream::new(),
            (Role::Value, Some(count)) => {
                let count = count_within(descriptor, index, count);
                let check = call(field, "check_counted", &quote!(#own, #count, #at));
                quote!(#check?;)
            }
            (Role::Value, None) => {
                let check = call(field, "check", &quote!(#own, #at));
                quote!(#check?;)
            }
        }
    });
    checks.collect()
}

fn encoded(descriptor: &Descriptor<'_>, index: usize, field: &Field<'_>) -> TokenStream {
    let (start, end) = (offset(index), end(index));
    let bytes = quote!(&mut bytes[#start..#end]);
    let (own, endian) = (own(field), endian(field));
    match (&field.role, field.counted_by) {
        (Role::Magic(magic), _) => {
            let magic = Literal::byte_string(magic);
            quote!(<[u8]>::copy_from_slice(&mut bytes[#start..#end], #magic);)
        }
        (Role::Version(version), _) => {
            let version = Literal::u64_unsuffixed(*version);
            if field.known.is_plain() {
                let encode = call(field, "encode", &quote!(&#version, #bytes, #endian));
                return quote!(#encode;);
            }
            encoded_version(index, field, &version.to_token_stream())
        }
        (Role::Reserved { .. }, _) => quote!(<[u8]>::fill(&mut bytes[#start..#end], 0);),
        (_, Some(count)) => {
            let count = count_within(descriptor, index, count);
            let encode = call(field, "encode_counted", &quote!(#own, #count, #bytes, #endian));
            quote!(#encode;)
        }
        _ => {
            let encode = call(field, "encode", &quote!(#own, #bytes, #endian));
            quote!(#encode;)
        }
    }
}

/// Writes a number to a version field.
pub(super) fn encoded_version(index: usize, field: &Field<'_>, version: &TokenStream) -> TokenStream {
    let (start, end, endian) = (offset(index), end(index), endian(field));
    let number = call(field, "from_count", version);
    let encode = call(field, "encode", &quote!(&version, &mut bytes[#start..#end], #endian));
    quote! {
        if let ::core::option::Option::Some(version) = #number {
            #encode;
        }
    }
}

/// The smallest of the arrays that a count counts.
pub(super) fn most(targets: &[usize]) -> TokenStream {
    quote!(const { __wire::least(&[#(__WIRE_LAYOUT.shapes[#targets].dims[0]),*]) })
}

/// A count or a version, from the bytes.
pub(super) fn count_in_bytes(index: usize, field: &Field<'_>) -> TokenStream {
    let decoded = decoded(index, field);
    call(field, "count", &quote!(&#decoded))
}

/// How many elements of the value's array count.
pub(super) fn count_within(descriptor: &Descriptor<'_>, index: usize, count: usize) -> TokenStream {
    let count = &descriptor.fields[count];
    let (count, most) = (call(count, "count", &own(count)), most(&[index]));
    quote!(__wire::counted::within(#count, #most))
}

/// The value's own field.
fn own(field: &Field<'_>) -> TokenStream {
    let member = field.ident;
    if field.known.is_plain() { quote!(&self.#member) } else { over(field.ty, quote!(&(self).#member)) }
}

/// Bytes from the start of the descriptor to a field.
pub(super) fn offset(index: usize) -> TokenStream {
    quote!(const { __WIRE_LAYOUT.offsets[#index] })
}

pub(super) fn end(index: usize) -> TokenStream {
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

/// A function of the field's type as one that has a form on the wire.
///
/// All that mentions a field's type mentions it here, in [`probes`] or in [`shape`], and has the type's span: the
/// error of a type that is not one is then the same everywhere, and the compiler says it once.
pub(super) fn call(field: &Field<'_>, function: &str, arguments: &TokenStream) -> TokenStream {
    let (ty, (span, end)) = (field.ty, ends(field.ty));
    let function = Ident::new(function, span);
    let path = quote_spanned!(span=> <#ty as __wire::WireType>::#function);
    if field.known.is_plain() {
        return quote!(#path(#arguments));
    }
    // Of a plain call, the compiler would blame an argument and not the type; a block comes in between.
    let function = quote_spanned!(span=> ({ #path }));
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
    arguments.set_span(end);
    quote!(#function #arguments)
}

fn shape(field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(ty.span()=> <#ty as __wire::WireType>::SHAPE)
}

/// Whether each type that the macro cannot see through is one that may stand in a field: signatures need to know, to
/// be right also where it may not.
fn probes(descriptor: &Descriptor<'_>) -> TokenStream {
    let mut probes = TokenStream::new();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let ty = field.ty;
        if !field.known.is_plain() {
            let (probe, asked) = (probe(index), probed(ty, "IS_WIRE_TYPE"));
            probes.extend(quote!(const #probe: bool = #asked;));
        }
        if field.counted_by.is_some() && field.known == Known::Other {
            let (probe, asked) = (array_probe(index), probed(ty, "IS_ARRAY"));
            probes.extend(quote!(const #probe: bool = #asked;));
        }
    }
    if probes.is_empty() {
        return probes;
    }
    quote! {
        #[allow(unused_imports)]
        use __wire::Otherwise as _;
        #probes
    }
}

/// The constant that says whether a field's type may stand in a field.
pub(super) fn probe(index: usize) -> Ident {
    quote::format_ident!("__FIELD_{index}")
}

/// The constant that says whether a counted field's type is an array.
pub(super) fn array_probe(index: usize) -> Ident {
    quote::format_ident!("__ARRAY_{index}")
}
