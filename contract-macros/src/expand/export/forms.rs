//! Types of the core that parameters and results of a function of C have, and what of these is in the record.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, Path, Type};

use crate::expand::abi::{Position, shape};
use crate::expand::ends;
use crate::export::{Out, Passed, Passing};
use crate::ty::{Form, Written};

/// A generic type of the core's of this one, at it. Where the type does not cross, it is one all the same: [`asked`] says
/// so, and nothing else.
pub(super) fn of(generic: &str, ty: &Type) -> TokenStream {
    let can = match generic {
        "Value" => "BY_VALUE",
        "Reference" => "BY_REFERENCE",
        "MutReference" => "BY_MUT_REFERENCE",
        "Out" => "GIVEN",
        "Pass" => "PASSED",
        _ => "IN_MEMORY",
    };
    let (generic, can) = (Ident::new(generic, Span::call_site()), Ident::new(can, Span::call_site()));
    quote! {
        __wire::export::#generic<#ty, __wire::export::AsIf<#ty, { __wire::export::Can::<#ty>::#can }>>
    }
}

/// What a type is in C, asked at it.
fn asked(function: &str, ty: &Type) -> TokenStream {
    let (start, end) = ends(ty);
    let function = Ident::new(function, start);
    let (before, behind) = (quote_spanned!(start=> __wire::export::#function::<), quote_spanned!(end=> >()));
    quote!(#before #ty #behind)
}

/// Whether an error of a function is one, asked at it.
pub(super) fn fails(error: &Type) -> TokenStream {
    let asked = asked("fails", error);
    quote!(const _: () = #asked;)
}

/// Whether functions of a type are exported, asked at it.
pub(super) fn has_functions(owner: &Path) -> TokenStream {
    let asked = asked("has_functions", &syn::parse_quote!(#owner));
    quote!(const _: () = #asked;)
}

/// What a value in memory is in C, whose own types are other types there than Rust has for them.
fn in_memory(ty: &Type) -> TokenStream {
    let written = Written::of(ty);
    match written.form {
        Form::C(..) => shape(None, &written, Position::Value),
        _ => asked("in_memory", ty),
    }
}

/// The same of a type that is written out.
fn plain(ty: &Type) -> TokenStream {
    let shape = shape(None, &Written::of(ty), Position::Value);
    quote!(__wire::export::Form::value(#shape))
}

/// The form of a parameter.
pub(super) fn param(passing: &Passing) -> TokenStream {
    let pointed = |of: TokenStream, ty: &Type, is_mut: bool| {
        let (shape, changed) = (in_memory(ty), is_mut.then(|| quote!(.changed())));
        quote!(__wire::export::Form::#of(#shape) #changed)
    };
    let is_c = |ty: &Type| matches!(Written::of(ty).form, Form::C(..));
    match passing {
        Passing::Plain(ty) => plain(ty),
        Passing::Value(ty) => asked("by_value", ty),
        Passing::Reference { ty, is_mut } if is_c(ty) => pointed(quote!(reference), ty, *is_mut),
        Passing::Reference { ty, is_mut: false } => asked("by_reference", ty),
        Passing::Reference { ty, is_mut: true } => asked("by_mut_reference", ty),
        Passing::Optional { ty, is_mut } => {
            let form = pointed(quote!(reference), ty, *is_mut);
            quote!(#form.nullable())
        }
        Passing::Slice { ty, is_mut } => pointed(quote!(slice), ty, *is_mut),
        Passing::Text { is_optional: false } => quote!(__wire::export::Form::TEXT),
        Passing::Text { is_optional: true } => quote!(__wire::export::Form::TEXT.nullable()),
        Passing::Callback { params, .. } => {
            let forms = params.iter().map(|param| match param {
                Passed::Plain(ty) => plain(ty),
                Passed::Value(ty) => asked("passed", ty),
                Passed::Reference(ty) => pointed(quote!(reference), ty, false),
                Passed::Slice(ty) => pointed(quote!(slice), ty, false),
                Passed::Text => quote!(__wire::export::Form::TEXT),
            });
            quote!(__wire::export::Form::callback(const { &[#(&#forms),*] }))
        }
    }
}

pub(super) fn reference(is_mut: bool) -> &'static str {
    if is_mut { "MutReference" } else { "Reference" }
}

pub(super) fn optional(is_mut: bool) -> &'static str {
    if is_mut { "OptionalMut" } else { "Optional" }
}

pub(super) fn items(is_mut: bool) -> &'static str {
    if is_mut { "ItemsMut" } else { "Items" }
}

/// The form of a result.
pub(super) fn out(out: &Out) -> TokenStream {
    if out.is_plain { plain(&out.ty) } else { asked("given", &out.ty) }
}
