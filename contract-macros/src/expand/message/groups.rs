//! Who gets which of the file descriptors beside a message.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::super::rule;
use super::{Locals, variable};
use crate::check::{Contract, FdForm, FdGroup, Message};
use crate::rule::Checked;

/// How many file descriptors the exact groups get, as the parts say, and which group is flexible and gets the others.
pub(super) fn exact(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let krate = contract.krate;
    let (parts, types): (Vec<_>, Vec<_>) =
        message.parts.iter().map(|part| (variable(part.ident), part.ty)).unzip();
    let count = Literal::usize_unsuffixed(message.fds.len());
    let counts = message.fds.iter().map(|group| count_of(contract, message, group));
    let flexible = flexible(message);
    quote! {
        const __WIRE_FLEXIBLE: ::core::option::Option<__wire::message::beside::Flexible> = #flexible;

        fn __wire_exact(
            #(#parts: &#types,)*
        ) -> ::core::result::Result<[usize; #count], #krate::WireError> {
            ::core::result::Result::Ok([#(#counts),*])
        }
    }
}

/// How many a group gets, over the parts; of the flexible one it is 0.
fn count_of(contract: &Contract<'_>, message: &Message<'_>, group: &FdGroup<'_>) -> TokenStream {
    let (name, field) = (&contract.about.name, &group.member.name);
    match &group.form {
        _ if group.form.flexible().is_some() => quote!(0),
        FdForm::One => quote!(1),
        FdForm::Optional(None) => quote!(0),
        FdForm::Optional(Some(condition)) => when(contract, message, condition, field),
        FdForm::Many { most, count: None, .. } => {
            let most = Literal::usize_unsuffixed(*most as usize);
            quote!(#most)
        }
        FdForm::Many { least, most, count: Some(number) } => {
            let number = rule::number(number, &Locals(&message.scope));
            quote!(__wire::message::beside::said(#number, (#name, #field), #least, #most)?)
        }
    }
}

/// One when the condition holds, otherwise none.
fn when(contract: &Contract<'_>, message: &Message<'_>, condition: &Checked, field: &str) -> TokenStream {
    let (krate, access) = (contract.krate, Locals(&message.scope));
    let holds = rule::condition(condition, &access);
    let (stated, values) = (rule::stated(condition, &contract.about.name), rule::values(condition, &access));
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

/// The group that gets what the exact ones leave, and within which bounds.
fn flexible(message: &Message<'_>) -> TokenStream {
    let mut groups = message.fds.iter().enumerate();
    match groups.find_map(|(index, group)| Some((index, group.form.flexible()?))) {
        None => quote!(::core::option::Option::None),
        Some((index, (least, most))) => {
            let [index, least, most] = [index, least as usize, most as usize].map(Literal::usize_unsuffixed);
            quote! {
                ::core::option::Option::Some(__wire::message::beside::Flexible {
                    index: #index,
                    least: #least,
                    most: #most,
                })
            }
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
