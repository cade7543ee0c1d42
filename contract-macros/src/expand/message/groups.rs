//! Who gets which of the file descriptors beside a message.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::super::rule;
use super::{Locals, variable};
use crate::check::{Contract, FdForm, FdGroup, Message};

/// How many file descriptors the exact groups get, as the parts say, and which group gets the others.
pub(super) fn exact(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let (parts, types): (Vec<_>, Vec<_>) =
        message.parts.iter().map(|part| (variable(part.ident), part.ty)).unzip();
    let access = Locals(&message.scope);
    let count = Literal::usize_unsuffixed(message.fds.len());
    let counts = message.fds.iter().map(|group| {
        let field = &group.said.name;
        match &group.form {
            _ if group.form.flexible().is_some() => quote!(0),
            FdForm::One => quote!(1),
            FdForm::Optional(None) => quote!(0),
            FdForm::Optional(Some(condition)) => {
                let holds = rule::condition(condition, &access);
                let (stated, values) = (rule::stated(condition, name), rule::values(condition, &access));
                quote! {
                    match #holds {
                        ::core::option::Option::Some(__holds) => __holds as usize,
                        ::core::option::Option::None => {
                            return ::core::result::Result::Err(#krate::WireError::condition(
                                &__wire::rule::Condition {
                                    field: #field,
                                    says: __wire::rule::Says::Beside,
                                    rule: #stated,
                                },
                                #values,
                                0,
                            ));
                        }
                    }
                }
            }
            FdForm::Many { most, count: None, .. } => {
                let most = Literal::usize_unsuffixed(*most as usize);
                quote!(#most)
            }
            FdForm::Many { least, most, count: Some(number) } => {
                let number = rule::number(number, &access);
                quote!(__wire::message::beside::said(#number, (#name, #field), #least, #most)?)
            }
        }
    });
    let flexible = message
        .fds
        .iter()
        .enumerate()
        .find_map(|(index, group)| group.form.flexible().map(|(least, most)| (index, least, most)));
    let flexible = match flexible {
        None => quote!(::core::option::Option::None),
        Some((index, least, most)) => {
            let number = |number: u32| Literal::usize_unsuffixed(number as usize);
            let (index, least, most) = (Literal::usize_unsuffixed(index), number(least), number(most));
            quote! {
                ::core::option::Option::Some(__wire::message::beside::Flexible {
                    index: #index,
                    least: #least,
                    most: #most,
                })
            }
        }
    };
    quote! {
        const __WIRE_FLEXIBLE: ::core::option::Option<__wire::message::beside::Flexible> = #flexible;

        fn __wire_exact(
            #(#parts: &#types,)*
        ) -> ::core::result::Result<[usize; #count], #krate::WireError> {
            ::core::result::Result::Ok([#(#counts),*])
        }
    }
}

/// Takes the file descriptors of a group.
pub(super) fn taken(index: usize, group: &FdGroup<'_>) -> TokenStream {
    let (ident, index) = (variable(group.ident), Literal::usize_unsuffixed(index));
    match &group.form {
        FdForm::One => quote!(let #ident = __wire::message::beside::next(&mut __fds);),
        FdForm::Optional(_) => quote! {
            let #ident = (__counts[#index] > 0).then(|| __wire::message::beside::next(&mut __fds));
        },
        FdForm::Many { .. } => quote! {
            let #ident = ::core::iter::Iterator::collect(::core::iter::Iterator::take(
                ::core::iter::Iterator::by_ref(&mut __fds),
                __counts[#index],
            ));
        },
    }
}

/// How many file descriptors a group has; an expression over a reference to it.
pub(super) fn held(group: &FdGroup<'_>) -> TokenStream {
    let ident = variable(group.ident);
    match &group.form {
        FdForm::One => quote!(1),
        FdForm::Optional(_) => quote!(::core::option::Option::is_some(#ident) as usize),
        FdForm::Many { .. } => quote!(#ident.len()),
    }
}

pub(super) fn borrowed(group: &FdGroup<'_>) -> TokenStream {
    let ident = variable(group.ident);
    match &group.form {
        FdForm::One => quote!(__beside.push(__wire::message::AsFd::as_fd(#ident));),
        FdForm::Optional(_) => quote!(__beside.extend(#ident.as_ref().map(__wire::message::AsFd::as_fd));),
        FdForm::Many { .. } => quote!(__beside.extend(#ident.iter().map(__wire::message::AsFd::as_fd));),
    }
}
