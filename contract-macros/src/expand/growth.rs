//! A descriptor that grows: its sizes, the bytes of its defaults, and how its version is said.

use proc_macro2::{Group, Literal as Token, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use super::descriptor::{at, call, count_in_bytes, encoded_version, endian, offset, slice};
use super::key::{float_token, integer_token};
use super::over;
use crate::check::{Contract, Descriptor, Field, FieldDefault, Literal, Role};
use crate::ty::Held;

/// The constants of its growth; nothing for one that does not grow.
pub(super) fn constants(descriptor: &Descriptor<'_>) -> TokenStream {
    if !descriptor.grows() {
        return TokenStream::new();
    }
    let sizes = descriptor.sizes.iter().map(|(size, _)| Token::u64_unsuffixed(*size));
    let image = image(descriptor);
    let holes =
        descriptor.fields.iter().enumerate().filter(|(_, field)| field.added() > 1).map(|(index, field)| {
            let since = field.added() as usize;
            quote! {
                if __WIRE_LAYOUT.offsets[#index] < __WIRE_SIZES[#since - 2] {
                    holes[count] = __wire::Hole {
                        since: #since as u64,
                        start: __WIRE_LAYOUT.offsets[#index],
                        end: __WIRE_LAYOUT.end(#index),
                    };
                    count += 1;
                }
            }
        });
    let most = descriptor.fields.iter().filter(|field| field.added() > 1).count();
    let last = last(descriptor).map_or_else(
        || quote!(::core::option::Option::None),
        |(index, _)| {
            quote! {
                match __WIRE_LAYOUT.shapes[#index].growth {
                    ::core::option::Option::Some(growth) => {
                        ::core::option::Option::Some((__WIRE_LAYOUT.offsets[#index], growth))
                    }
                    ::core::option::Option::None => ::core::option::Option::None,
                }
            }
        },
    );
    let has_version = descriptor.fields.iter().any(|field| matches!(field.role, Role::Version(_)));
    quote! {
        const __WIRE_SIZES: &[usize] = &[#(#sizes),*];
        const __WIRE_IMAGE: __wire::Image<{ __WIRE_LAYOUT.size }> = #image;
        const __WIRE_HOLES: (usize, [__wire::Hole; #most]) = {
            let mut holes = [__wire::Hole { since: 0, start: 0, end: 0 }; #most];
            let mut count = 0;
            #(#holes)*
            (count, holes)
        };
        static __WIRE_DEFAULTS: [u8; __WIRE_LAYOUT.size] = __WIRE_IMAGE.native;
        const __WIRE_GROWTH: &__wire::Growth = &__wire::Growth {
            sizes: __WIRE_SIZES,
            defaults: &__WIRE_IMAGE.native,
            agreed: &__WIRE_IMAGE.agreed,
            holes: __WIRE_HOLES.1.split_at(__WIRE_HOLES.0).0,
            last: #last,
            has_version: #has_version,
        };
    }
}

/// The field that may hold another descriptor that grows.
fn last<'d, 'a>(descriptor: &'d Descriptor<'a>) -> Option<(usize, &'d Field<'a>)> {
    let (index, field) = descriptor.fields.iter().enumerate().next_back()?;
    (!field.known.is_plain() && matches!(field.role, Role::Value)).then_some((index, field))
}

/// What const evaluation checks of it.
pub(super) fn checks(
    contract: &Contract<'_>,
    descriptor: &Descriptor<'_>,
    check: &mut dyn FnMut(TokenStream),
) {
    let name = &contract.about.name;
    let declared: Vec<Token> =
        descriptor.sizes.iter().map(|(size, _)| Token::u64_unsuffixed(*size)).collect();
    let is_last = |index: usize| index + 1 == descriptor.fields.len();
    for (index, field) in descriptor.fields.iter().enumerate() {
        if !field.known.is_plain() {
            let (at, field_name, grows, is_last) =
                (field.ty.span(), &field.name, descriptor.grows(), is_last(index));
            check(quote_spanned! {at=>
                __wire::check_growing(&__WIRE_LAYOUT.shapes[#index], #is_last, #grows, #name, #field_name)
            });
        }
    }
    let Some((newest, span)) = descriptor.sizes.last() else { return };
    let (version, newest) = (descriptor.sizes.len() as u64, Token::u64_unsuffixed(*newest));
    check(quote_spanned! {*span=>
        __wire::check_newest_size(#version, #newest, __WIRE_LAYOUT.size, __WIRE_LAYOUT.sound, #name)
    });
    for (index, field) in descriptor.fields.iter().enumerate() {
        let (at, field_name, since) = (field.ident.span(), &field.name, field.added() as usize);
        let may_grow = is_last(index) && !field.known.is_plain();
        if may_grow {
            check(quote_spanned! {at=>
                __wire::check_last(
                    &__WIRE_LAYOUT.shapes[#index], __WIRE_LAYOUT.offsets[#index], &[#(#declared),*], #name, #field_name
                )
            });
        }
        if let Some((_, span)) = &field.default {
            let image = with_default(quote!(__wire::Image::<{ __WIRE_LAYOUT.size }>::CHECKED), index, field);
            check(all_at(quote!({ let _ = #image; }), *span));
        }
        let grown = may_grow.then(|| quote!(&& __WIRE_LAYOUT.shapes[#index].growth.is_none()));
        // Where something grows that may not, it is said there.
        let grown = quote!(&& !__WIRE_LAYOUT.grows_within() #grown);
        check(quote_spanned! {at=>
            __wire::check_since(
                (__WIRE_LAYOUT.offsets[#index], __WIRE_LAYOUT.end(#index)), #since, &[#(#declared),*],
                __WIRE_LAYOUT.sound #grown, #name, #field_name
            )
        });
    }
}

/// The tokens with one span, those in groups too: what const evaluation says of a chain of calls stands where all of it
/// does.
fn all_at(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |token: TokenTree| match token {
        TokenTree::Group(group) => {
            let mut moved = Group::new(group.delimiter(), all_at(group.stream(), span));
            moved.set_span(span);
            TokenTree::Group(moved)
        }
        mut other => {
            other.set_span(span);
            other
        }
    };
    tokens.into_iter().map(at).collect()
}

/// The bytes of all defaults.
fn image(descriptor: &Descriptor<'_>) -> TokenStream {
    let mut image = quote!(__wire::Image::ZERO);
    for (index, field) in descriptor.fields.iter().enumerate() {
        image = with_default(image, index, field);
    }
    if let Some((index, _)) = last(descriptor) {
        let start = offset(index);
        image = quote!(#image.last(#start, __WIRE_LAYOUT.shapes[#index].growth));
    }
    image
}

/// The image with the default of a field, where it has one.
fn with_default(image: TokenStream, index: usize, field: &Field<'_>) -> TokenStream {
    let Some((default, span)) = &field.default else { return image };
    let (name, span) = (&field.name, *span);
    let shape = quote!(&__WIRE_LAYOUT.shapes[#index]);
    let image = match default {
        FieldDefault::Zero => quote_spanned!(span=> #image.zero(#shape, #name)),
        FieldDefault::Written(Literal::Text(text)) if matches!(field.role, Role::Text) => {
            let start = offset(index);
            quote_spanned!(span=> #image.text(#shape, #start, #text, #name))
        }
        FieldDefault::Written(literal) => {
            let place = Place { index, field, span };
            place.written(&image, literal, (field.ty, &Held::of(field.ty)), &quote!(0), 0)
        }
    };
    // What takes the place of reserved bytes was written as zero.
    let since = field.added() as usize;
    quote_spanned!(span=> #image.hole(
        __WIRE_LAYOUT.offsets[#index] < __WIRE_SIZES[#since - 2],
        (__WIRE_LAYOUT.offsets[#index], __WIRE_LAYOUT.end(#index)),
        #name
    ))
}

/// The default of one field.
struct Place<'d, 'a> {
    index: usize,
    field: &'d Field<'a>,
    span: Span,
}

impl Place<'_, '_> {
    /// The image with a value: of the element that is so many behind the first, in the type that is so deep in arrays.
    fn written(
        &self,
        image: &TokenStream,
        literal: &Literal,
        (ty, held): (&Type, &Held),
        element: &TokenStream,
        depth: usize,
    ) -> TokenStream {
        let (index, name, span) = (self.index, &self.field.name, self.span);
        let (shape, start) = (quote!(&__WIRE_LAYOUT.shapes[#index]), offset(index));
        let put = |word: &str, value: TokenStream| {
            let word = syn::Ident::new(word, span);
            quote_spanned!(span=> #image.#word(#shape, #start, #element, #value, #name))
        };
        match literal {
            Literal::Integer(number) => put("integer", integer_token(*number)),
            Literal::Float(number) => put("float", float_token(*number)),
            Literal::Bool(truth) => put("boolean", quote!(#truth)),
            Literal::Text(_) => put("is_text", TokenStream::new()),
            Literal::Value(path) => put("value", number(path, named(ty, held), span)),
            Literal::Flags(all) => {
                let bits = all.iter().map(|path| number(path, named(ty, held), span));
                put("value", quote!(#(#bits)|*))
            }
            Literal::List(items) => {
                let (count, inner) = (items.len(), item(ty));
                let mut image = quote_spanned!(span=> #image.items(#shape, #depth, #count, #name));
                for (place, literal) in items.iter().enumerate() {
                    let element = quote!((#element) * __WIRE_LAYOUT.shapes[#index].dims[#depth] + #place);
                    image = self.written(&image, literal, (inner, &Held::of(inner)), &element, depth + 1);
                }
                image
            }
        }
    }
}

/// The type of an array's items, as far as it is written.
fn item(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => &array.elem,
        Type::Paren(inner) => item(&inner.elem),
        Type::Group(inner) => item(&inner.elem),
        other => other,
    }
}

/// The enum that a value of the type is one of.
fn named<'t>(ty: &'t Type, held: &'t Held) -> &'t Type {
    match held {
        Held::Open(of) | Held::Flags(of) => of,
        _ => ty,
    }
}

/// The number of a value that is written by its name.
fn number(path: &Path, of: &Type, span: Span) -> TokenStream {
    if path.segments.len() == 1 {
        let value = over(of, quote!(<#of>::#path));
        return quote_spanned!(span=> (#value as i128));
    }
    quote_spanned!(span=> (#path as i128))
}

/// The functions of [`WireType`] that only a descriptor which grows has.
pub(super) fn functions(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    if !descriptor.grows() {
        return TokenStream::new();
    }
    let said = said_version(contract, descriptor);
    let written = descriptor.fields.iter().enumerate().find_map(|(index, field)| {
        matches!(field.role, Role::Version(_)).then(|| encoded_version(index, field, &quote!(version)))
    });
    let held_back = held_back(contract, descriptor);
    let view = super::view::ident(contract);
    quote! {
        #[inline]
        fn said_version<__R: __wire::Refuse>(
            bytes: &[u8],
            at: __wire::At,
            may_be_newer: bool,
        ) -> ::core::result::Result<u64, __R> {
            let _ = (bytes, at, may_be_newer);
            #said
        }

        fn say_version(bytes: &mut [u8], version: u64) {
            let _ = (&bytes, version);
            #written
        }

        fn held_back<__R: __wire::Refuse>(
            bytes: &[u8],
            version: u64,
            at: __wire::At,
        ) -> ::core::result::Result<(), __R> {
            let _ = (bytes, version, at);
            #held_back
            ::core::result::Result::Ok(())
        }

        #[inline]
        fn view_of_version(bytes: &[u8], _: __wire::Endian, version: u64) -> #view<'_> {
            #view { bytes, version }
        }
    }
}

/// Magic first, then the version; of a descriptor without a version field, 0.
fn said_version(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let mut said = TokenStream::new();
    let fields = || descriptor.fields.iter().enumerate();
    for (index, field) in fields().filter(|(_, field)| matches!(field.role, Role::Magic(_))) {
        said.extend(super::descriptor::validated(contract, index, field));
    }
    for (index, field) in fields() {
        let Role::Version(newest) = &field.role else { continue };
        let (at, count) = (at(contract, index, field), count_in_bytes(index, field));
        let newest = Token::u64_unsuffixed(*newest);
        return quote! {
            #said
            let version: u64 = #count;
            if !(may_be_newer && version > #newest) {
                __wire::counted::version(version, #newest, #at)?;
            }
            ::core::result::Result::Ok(version)
        };
    }
    quote!(#said ::core::result::Result::Ok(0))
}

fn held_back(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let mut held = TokenStream::new();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let (at, bytes) = (at(contract, index, field), slice(index));
        if field.added() > 1 && !matches!(field.role, Role::Reserved { .. }) {
            let since = Token::u64_unsuffixed(field.added().into());
            let (start, end) = (offset(index), super::descriptor::end(index));
            held.extend(quote! {
                if version < #since && *#bytes != __WIRE_DEFAULTS[#start..#end] {
                    return ::core::result::Result::Err(__R::held_back(#at, #since));
                }
            });
        }
    }
    if let Some((index, field)) = last(descriptor) {
        let (at, bytes) = (at(contract, index, field), slice(index));
        let nested = call(field, "held_back", &quote!(#bytes, version, #at));
        held.extend(quote!(#nested?;));
    }
    held
}

/// The view of a field's bytes, of what may stand last and grow.
pub(super) fn last_view(descriptor: &Descriptor<'_>, index: usize, field: &Field<'_>) -> Option<TokenStream> {
    let (last, _) = last(descriptor).filter(|_| descriptor.grows())?;
    if last != index {
        return None;
    }
    let (ty, order, probe, start) = (field.ty, endian(field), super::descriptor::probe(index), offset(index));
    Some(quote! {
        <__wire::If<#probe> as __wire::ViewOf<#ty>>::view_of_version(&bytes[#start..], #order, self.version)
    })
}
