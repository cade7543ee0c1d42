//! An abi struct: its layout in every data model, what is checked of that, and its record.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

use super::ends;
use super::record::{self, Words};
use crate::check::{Abi, AbiField, Contract};
use crate::parse::DATA_MODELS;
use crate::record::Text;
use crate::ty::{Form, Written};

/// The expansion of an abi struct.
pub(crate) fn expand(contract: &Contract<'_>, abi: &Abi<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let layout = layout(contract, abi);
    let checks = checks(contract, abi);
    let proofs = abi.fields.iter().map(|field| proofs(&field.written));
    let record = record::contract_and_record(ident, krate, &quote!(Abi), &Text::of(contract), &Words::Abi);
    let members = abi.fields.iter().map(|field| field.ident);
    let zeros = abi.fields.iter().map(|field| zero(contract, &field.written));
    let bools = abi
        .fields
        .iter()
        .filter(|field| may_hold_bool(&field.written))
        .map(|field| bad_bool(contract, field));
    let name = &contract.about.name;
    let wire_name = contract.about.was.as_ref().unwrap_or(name);
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #layout
            #checks
            #(#proofs)*
            #record

            #[automatically_derived]
            impl #krate::AbiStruct for #ident {
                const LAYOUT: #krate::AbiLayout = __WIRE_FIELDS.layout(&__WIRE_PLACES);
                const ZERO: Self = #ident { #(#members: #zeros),* };
            }

            #[automatically_derived]
            impl __wire::AbiType for #ident {
                const SHAPE: __wire::AbiShape = __wire::AbiShape::structure::<Self>(
                    __WIRE_FIELDS.sizes,
                    __WIRE_FIELDS.aligns,
                    __WIRE_FIELDS.fault,
                );
                const ZERO: Self = __wire::zeroed();

                #[inline]
                unsafe fn bad_bool(at: *const Self) -> ::core::option::Option<__wire::BadBool> {
                    #[allow(unused_imports)]
                    use __wire::NoBools as _;

                    #(
                        let bad = unsafe { #bools };
                        if bad.is_some() {
                            return bad;
                        }
                    )*
                    ::core::option::Option::None
                }
            }

            #[automatically_derived]
            impl __wire::AbiPointee for #ident {
                const POINTEE: __wire::AbiShape =
                    __wire::AbiShape::pointed(#wire_name, __wire::abi_key(::core::module_path!(), #name));
            }

            #krate::__never_serialised!(#ident);
        };
    }
}

fn layout(contract: &Contract<'_>, abi: &Abi<'_>) -> TokenStream {
    let count = abi.fields.len();
    let names = abi.fields.iter().map(|field| &field.name);
    let consts: Vec<Ident> = (0..count).map(shape_of).collect();
    let shapes = abi.fields.iter().map(|field| shape(Some(contract.ident), &field.written, Position::Value));
    quote! {
        #(const #consts: __wire::AbiShape = #shapes;)*
        const __WIRE_FIELDS: __wire::AbiFields<#count> = __wire::AbiFields::new([#(#consts),*]);
        const __WIRE_PLACES: [__wire::AbiPlace; #count] = __WIRE_FIELDS.places([#(#names),*]);
    }
}

/// The constant that holds a field's shape.
fn shape_of(index: usize) -> Ident {
    format_ident!("__WIRE_SHAPE_{index}")
}

/// What const evaluation checks: all that depends on what types are, and that Rust lays out the struct as C does.
fn checks(contract: &Contract<'_>, abi: &Abi<'_>) -> TokenStream {
    let (ident, name) = (contract.ident, &contract.about.name);
    let fields = abi.fields.iter().enumerate().map(|(index, field)| field_checks(abi, index, field));
    let sizes = abi.sizes.iter().map(|declared| {
        let (size, model) = (Literal::u64_unsuffixed(declared.size), &DATA_MODELS[declared.model].1);
        let model = Ident::new(model, Span::call_site());
        quote_spanned! {declared.span=>
            const _: () = __wire::check_abi_size(#size, &__WIRE_FIELDS.sizes, __wire::DataModel::#model, __WIRE_FIELDS.fault, #name);
        }
    });
    let offsets = abi.fields.iter().enumerate().map(|(index, field)| {
        let (member, what) = (field.ident, format!("the offset of field `{}`", field.name));
        quote_spanned! {member.span()=>
            __wire::check_abi_rust(&__WIRE_FIELDS.offsets[#index], ::core::mem::offset_of!(#ident, #member), __WIRE_FIELDS.fault, #name, #what);
        }
    });
    let whole = quote_spanned! {ident.span()=>
        const _: () = __wire::check_abi_whole(__WIRE_FIELDS.fault, #name);
    };
    quote! {
        #(#fields)*
        #whole
        #(#sizes)*
        const _: () = {
            #(#offsets)*
            __wire::check_abi_rust(&__WIRE_FIELDS.sizes, ::core::mem::size_of::<#ident>(), __WIRE_FIELDS.fault, #name, "the size");
            __wire::check_abi_rust(&__WIRE_FIELDS.aligns, ::core::mem::align_of::<#ident>(), __WIRE_FIELDS.fault, #name, "the alignment");
        };
    }
}

/// What is checked of one field alone, so that what is wrong with another does not hide it.
fn field_checks(abi: &Abi<'_>, index: usize, field: &AbiField<'_>) -> TokenStream {
    let (shape, name, of) = (shape_of(index), &field.name, field.written.ty.span());
    let mut checks = TokenStream::new();
    if !matches!(field.written.form, Form::C(..) | Form::Scalar(_) | Form::Size) {
        checks.extend(quote_spanned!(of=> const _: () = __wire::check_abi_type(&#shape, #name);));
    }
    if let Some((count, at)) = field.counted_by {
        let (count_shape, count_name) = (shape_of(count), &abi.fields[count].name);
        checks.extend(quote_spanned! {at=>
            const _: () = __wire::check_abi_count(&#count_shape, #count_name, #name);
        });
        checks.extend(quote_spanned!(of=> const _: () = __wire::check_abi_counted(&#shape, #name);));
    }
    checks
}

/// What is called as one of C's types is that type.
pub(in crate::expand) fn proofs(written: &Written<'_>) -> TokenStream {
    let own = match written.form {
        Form::C(name, _) => {
            let (ty, name) = (written.ty, Ident::new(name, Span::call_site()));
            quote_spanned!(ty.span()=> const _: fn(#ty) -> ::core::ffi::#name = |it| it;)
        }
        Form::Void => {
            let ty = written.ty;
            quote_spanned!(ty.span()=> const _: fn(*const #ty) -> *const ::core::ffi::c_void = |it| it;)
        }
        _ => TokenStream::new(),
    };
    let parts = written.parts().into_iter().map(proofs);
    quote!(#own #(#parts)*)
}

/// What is asked of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::expand) enum Position {
    Value,
    Pointee,
    Result,
}

/// The shape of a type, as much of it as is written put together here: C's own types are other types in C than those
/// that Rust has for them.
pub(in crate::expand) fn shape(
    own: Option<&Ident>,
    written: &Written<'_>,
    position: Position,
) -> TokenStream {
    let inner = |part: &Written<'_>, position: Position| shape(own, part, position);
    match &written.form {
        Form::C(_, shape) => {
            let shape = Ident::new(shape, Span::call_site());
            quote!(__wire::AbiShape::#shape)
        }
        Form::Void => quote!(__wire::AbiShape::VOID),
        Form::Pointer { to, is_const } => {
            let to = inner(to, Position::Pointee);
            quote!(__wire::AbiShape::pointer(const { &[&#to] }, #is_const))
        }
        Form::Function(function) => {
            let result = match &function.result {
                Some(result) => inner(result, Position::Result),
                None => quote!(__wire::AbiShape::VOID),
            };
            let params = function.params.iter().map(|(_, _, ty)| inner(ty, Position::Value));
            quote!(__wire::AbiShape::function(const { &[&#result, #(&#params),*] }, true))
        }
        Form::Array { item, length } => {
            let item = inner(item, if position == Position::Result { Position::Value } else { position });
            let length = within(own, length.to_token_stream());
            quote!(__wire::AbiShape::array(const { &[&#item] }, #length))
        }
        _ => match position {
            Position::Value => asked(own, written.ty, "AbiType", "SHAPE"),
            Position::Pointee => asked(own, written.ty, "AbiPointee", "POINTEE"),
            Position::Result => asked(own, written.ty, "AbiResult", "RESULT"),
        },
    }
}

/// The value of a type that is all zero, null or absent.
fn zero(contract: &Contract<'_>, written: &Written<'_>) -> TokenStream {
    match &written.form {
        Form::C(..) => quote!(0),
        Form::Pointer { is_const: true, .. } => quote!(::core::ptr::null()),
        Form::Pointer { is_const: false, .. } => quote!(::core::ptr::null_mut()),
        Form::Function(_) => quote!(::core::option::Option::None),
        Form::Array { item, length } if is_asked(item) => {
            let item_ty = named(item.ty.to_token_stream(), contract.ident);
            let length = named(length.to_token_stream(), contract.ident);
            asked_function(written.ty, &quote!(zeros), &quote!(#item_ty, { #length }))
        }
        Form::Array { item, length } => {
            let item = zero(contract, item);
            let length = named(length.to_token_stream(), contract.ident);
            quote!([const { #item }; #length])
        }
        _ => {
            let ty = named(written.ty.to_token_stream(), contract.ident);
            asked_function(written.ty, &quote!(zero), &ty)
        }
    }
}

/// What is no bool in a field, asked at its type: of one that is wrong, the compiler says so once at one place.
fn bad_bool(contract: &Contract<'_>, field: &AbiField<'_>) -> TokenStream {
    let ((start, end), name) = (ends(field.written.ty), &field.name);
    let mut member = field.ident.clone();
    member.set_span(end);
    let ty = named(field.written.ty.to_token_stream(), contract.ident);
    // The parameter of the function is seen by no name of another macro's.
    let at = Ident::new("at", Span::call_site());
    let place = quote_spanned!(start=> &raw const (*#at));
    let place = quote_spanned!(end=> #place.#member);
    let (before, behind) =
        (quote_spanned!(start=> __wire::Bools::<), quote_spanned!(end=> >::bad(#place, #name)));
    quote!(#before #ty #behind)
}

/// Whether a bool may stand in it, as far as one sees by reading.
fn may_hold_bool(written: &Written<'_>) -> bool {
    match &written.form {
        Form::Scalar(scalar) => !scalar.is_plain(),
        Form::Array { item, .. } => may_hold_bool(item),
        Form::C(..) | Form::Size | Form::Void | Form::Pointer { .. } | Form::Function(_) => false,
        Form::Refused(_) | Form::Other => true,
    }
}

/// Whether what is in an array in the end is a type of which only the compiler knows a zero.
fn is_asked(item: &Written<'_>) -> bool {
    match &item.form {
        Form::Array { item, .. } => is_asked(item),
        Form::C(..) | Form::Pointer { .. } | Form::Function(_) => false,
        _ => true,
    }
}

/// A zero from a function, asked at the innermost type. The compiler looks into constants of a constant, and would find
/// once more that a contract was refused; it does not look into functions.
fn asked_function(ty: &Type, function: &TokenStream, arguments: &TokenStream) -> TokenStream {
    let (start, end) = ends(innermost(ty));
    let (before, behind) = (quote_spanned!(start=> __wire::#function::<), quote_spanned!(end=> >()));
    quote!(#before #arguments #behind)
}

fn innermost(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => innermost(&inner.elem),
        Type::Group(inner) => innermost(&inner.elem),
        Type::Array(array) => innermost(&array.elem),
        other => other,
    }
}

/// A constant of a type, asked at the type.
fn asked(own: Option<&Ident>, ty: &Type, of: &str, constant: &str) -> TokenStream {
    let (start, end) = ends(ty);
    let (of, constant) = (Ident::new(of, end), Ident::new(constant, end));
    let ty = within(own, ty.to_token_stream());
    let (before, behind) = (quote_spanned!(start=> <), quote_spanned!(end=> as __wire::#of>::#constant));
    quote!(#before #ty #behind)
}

/// A type outside of the struct that it stands in, if it stands in one.
fn within(own: Option<&Ident>, tokens: TokenStream) -> TokenStream {
    match own {
        Some(own) => named(tokens, own),
        None => tokens,
    }
}

/// A type outside of the struct, where `Self` is not it.
pub(crate) fn named(tokens: TokenStream, owner: &impl ToTokens) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let mut renamed = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(own) if own == "Self" => {
                renamed.extend(owner.to_token_stream().into_iter().map(|mut token| {
                    token.set_span(own.span());
                    token
                }));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), named(group.stream(), owner));
                inner.set_span(group.span());
                renamed.extend([TokenTree::Group(inner)]);
            }
            other => renamed.extend([other]),
        }
    }
    renamed
}
