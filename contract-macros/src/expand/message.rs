//! Messages: their parts, their tail, and who gets which of the file descriptors beside them.

mod several;

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::document;
use super::ends;
use super::record::{self, Words};
use super::rule::{self, Access};
use crate::check::{Contract, FdForm, FdGroup, Message, TailLength};
use crate::parse::Moment;
use crate::record::Text;
use crate::rule::{Checked, Scope};

pub(crate) use several::several;

/// The fields of a message while it is read or written: references to parts and tail, and how many file descriptors each
/// group has, under the fields' names.
struct Locals<'s, 'a>(&'s Scope<'a>);

impl Locals<'_, '_> {
    fn at(&self, field: usize, span: Span) -> Ident {
        let mut ident = self.0.fields[field].ident.clone();
        ident.set_span(span);
        ident
    }
}

impl Access for Locals<'_, '_> {
    fn field(&self, field: usize, span: Span) -> TokenStream {
        let ident = self.at(field, span);
        quote_spanned!(span=> (*#ident))
    }

    fn length(&self, field: usize, span: Span) -> TokenStream {
        let ident = self.at(field, span);
        if self.0.fields[field].seen == crate::rule::Seen::Fds {
            quote_spanned!(span=> (#ident as i128))
        } else {
            quote_spanned!(span=> (#ident.len() as i128))
        }
    }

    fn present(&self, field: usize, span: Span) -> TokenStream {
        let ident = self.at(field, span);
        quote_spanned!(span=> (#ident > 0))
    }

    fn documents(&self) -> bool {
        true
    }
}

/// The expansion of a message.
pub(crate) fn one(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let (ident, krate, name) = (contract.ident, contract.krate, &contract.about.name);
    let text = Text::of(contract);
    let record =
        record::contract_and_record(ident, krate, &quote!(Message), &text, &Words::Shapes(shapes(message)));
    let constants = expressions(message).map(|rule| rule::constants(rule, ident, &message.scope));
    let parts: Vec<&Ident> = message.parts.iter().map(|part| part.ident).collect();
    let types: Vec<_> = message.parts.iter().map(|part| part.ty).collect();
    let groups: Vec<&Ident> = message.fds.iter().map(|group| group.ident).collect();
    let (tail, tail_type): (Vec<_>, Vec<_>) = message.tail.iter().map(|tail| (tail.ident, tail.ty)).unzip();
    let alone = alone(message);
    let max_bytes = max_bytes(message);
    let max_fds =
        Literal::usize_unsuffixed(message.fds.iter().map(|group| group.form.most() as usize).sum::<usize>());
    let exact = exact(contract, message);
    let check = checks(contract, message, Moment::Read);
    let import_rules = checks(contract, message, Moment::Import);
    let bounded = (!tail.is_empty()).then(|| {
        quote! { __wire::message::tail::Tail::bounded(#name, __bytes.len(), <#ident as #krate::Message>::MAX_BYTES)?; }
    });
    let end = match &message.tail {
        None => quote!(__wire::message::part::end(#name, __bytes, __at)?;),
        Some(tail) => {
            let (tail_ident, ty) = (tail.ident, tail.ty);
            quote! {
                let (__tail, __said) = __wire_tail(#(&#parts,)* __at);
                let __count = __tail.elements(__said, <#ty as __wire::message::tail::Tailed>::SIZE, __bytes.len())?;
                let __end = __at + __count * <#ty as __wire::message::tail::Tailed>::SIZE;
                let #tail_ident = <#ty as __wire::message::tail::Tailed>::read(&__bytes[__at..__end], __tail)?;
            }
        }
    };
    let tail_of = message.tail.as_ref().map(|_| tail_of(contract, message));
    let count = Literal::usize_unsuffixed(groups.len());
    let names = message.fds.iter().map(|group| &group.said.name);
    let taken = message.fds.iter().enumerate().map(|(index, group)| taken(index, group));
    let held: Vec<TokenStream> = message.fds.iter().map(held).collect();
    let borrowed = message.fds.iter().map(borrowed);
    let write_tail = message.tail.as_ref().map(|tail| {
        let (tail_ident, ty) = (tail.ident, tail.ty);
        quote! {
            let __at = __bytes.len();
            let (__tail, __said) = __wire_tail(#(#parts,)* __at);
            <#ty as __wire::message::tail::Tailed>::write(#tail_ident, &mut __bytes)?;
            __wire::message::tail::Tail::bounded(#name, __bytes.len(), <Self as #krate::Message>::MAX_BYTES)?;
            __tail.elements(__said, <#ty as __wire::message::tail::Tailed>::SIZE, __bytes.len())?;
        }
    });
    let import_tail = message.tail.as_ref().map(|tail| {
        let (tail_ident, ty) = (tail.ident, tail.ty);
        quote!(<#ty as __wire::message::tail::Tailed>::import(#tail_ident, __at)?;)
    });
    let single = single(contract, message);
    let (first, first_member) = message.parts.first().map(|part| (part.ty, part.ident)).unzip();
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, unused_variables, unused_mut, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record
            #(#constants)*
            #alone
            #exact
            #tail_of

            fn __wire_check(
                #(#parts: &#types,)* #(#tail: &#tail_type,)* __counts: [usize; #count],
            ) -> ::core::result::Result<(), #krate::WireError> {
                let [#(#groups),*] = __counts;
                #check
                ::core::result::Result::Ok(())
            }

            fn __wire_of(
                #(#parts: #types,)* #(#tail: #tail_type,)* __fds: __wire::message::Vec<__wire::message::OwnedFd>,
            ) -> ::core::result::Result<#ident, #krate::WireError> {
                let __exact = __wire_exact(#(&#parts,)*)?;
                let __counts =
                    __wire::message::beside::share(#name, __exact, __WIRE_FLEXIBLE, __fds.len())?;
                __wire_check(#(&#parts,)* #(&#tail,)* __counts)?;
                let mut __fds = ::core::iter::IntoIterator::into_iter(__fds);
                #(#taken)*
                ::core::result::Result::Ok(#ident { #(#parts,)* #(#tail,)* #(#groups,)* })
            }

            fn __wire_beside(
                __message: &#ident,
            ) -> ::core::result::Result<__wire::message::Vec<__wire::message::BorrowedFd<'_>>, #krate::WireError> {
                let #ident { #(#parts,)* #(#tail,)* #(#groups,)* } = __message;
                let __held: [usize; #count] = [#(#held),*];
                let mut __beside = __wire::message::Vec::new();
                #(#borrowed)*
                let __exact = __wire_exact(#(#parts,)*)?;
                __wire::message::beside::held(#name, [#(#names),*], __exact, __WIRE_FLEXIBLE, __held)?;
                __wire_check(#(#parts,)* #(#tail,)* __held)?;
                ::core::result::Result::Ok(__beside)
            }

            #[automatically_derived]
            impl #krate::Message for #ident {
                const MAX_BYTES: usize = #max_bytes;
                const MAX_FDS: usize = #max_fds;

                fn from_message(
                    __bytes: &[u8],
                    __fds: __wire::message::Vec<__wire::message::OwnedFd>,
                ) -> ::core::result::Result<Self, #krate::WireError> {
                    #bounded
                    let mut __at = 0;
                    #(let #parts: #types = __wire::message::part::read(__bytes, &mut __at)?;)*
                    #end
                    __wire_of(#(#parts,)* #(#tail,)* __fds)
                }

                fn to_message(
                    &self,
                ) -> ::core::result::Result<
                    (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
                    #krate::WireError,
                > {
                    let #ident { #(#parts,)* #(#tail,)* .. } = self;
                    let mut __bytes = __wire::message::Vec::new();
                    #(__wire::message::part::write(#parts, &mut __bytes)?;)*
                    #write_tail
                    let __beside = __wire_beside(self)?;
                    ::core::result::Result::Ok((__bytes, __beside))
                }

                fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
                    let #ident { #(#parts,)* #(#tail,)* #(#groups,)* } = self;
                    let [#(#groups),*]: [usize; #count] = [#(#held),*];
                    let __came = 0 #(+ #groups)*;
                    let mut __at = 0;
                    #(
                        __wire::message::part::import(#parts, __at, __came)?;
                        __at += <__wire::message::part::As<#types> as __wire::message::Carried<#types>>::MOST;
                    )*
                    #import_tail
                    #import_rules
                    ::core::result::Result::Ok(())
                }
            }

            #[automatically_derived]
            impl __wire::message::HasFirst for #ident {
                type First = #first;

                fn first(&self) -> &#first {
                    &self.#first_member
                }
            }

            #single
        };
    }
}

/// Rules, conditions and numbers.
fn expressions<'m>(message: &'m Message<'_>) -> impl Iterator<Item = &'m Checked> {
    let length = message.tail.iter().filter_map(|tail| match &tail.length {
        TailLength::Rest => None,
        TailLength::Count(number) | TailLength::Bytes(number) => Some(number),
    });
    let groups = message.fds.iter().filter_map(|group| match &group.form {
        FdForm::Optional(condition) => condition.as_ref(),
        FdForm::Many { count, .. } => count.as_ref(),
        FdForm::One => None,
    });
    length.chain(groups).chain(&message.rules)
}

/// Shapes of the parts, then of the tail.
fn shapes(message: &Message<'_>) -> Vec<TokenStream> {
    let carried = |ty: &syn::Type| {
        let (start, end) = ends(ty);
        let before =
            quote_spanned!(start=> <__wire::message::part::As<#ty> as __wire::message::Carried<#ty>>);
        quote_spanned!(end=> #before::SHAPE)
    };
    let parts = message.parts.iter().map(|part| carried(part.ty));
    let tail = message.tail.iter().map(|tail| match tail.item {
        None => quote!(__wire::JsonShape::TEXT),
        Some(item) if is_byte(item) => quote!(__wire::JsonShape::list(&__wire::JsonShape::scalar(2))),
        Some(item) => {
            let item = carried(item);
            quote!(__wire::JsonShape::list(&#item))
        }
    });
    parts.chain(tail).collect()
}

fn is_byte(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("u8"))
}

/// A document ends where the message does.
fn alone(message: &Message<'_>) -> TokenStream {
    let others = message.parts.len() > 1 || message.tail.is_some();
    message
        .parts
        .iter()
        .map(|part| {
            let (ty, (start, _)) = (part.ty, ends(part.ty));
            quote_spanned! {start=>
                const _: () = __wire::message::part::check_alone(
                    <__wire::message::part::As<#ty> as __wire::message::Carried<#ty>>::IS_DOCUMENT,
                    #others,
                );
            }
        })
        .collect()
}

fn max_bytes(message: &Message<'_>) -> TokenStream {
    if message.tail.is_some() {
        let most = Literal::usize_unsuffixed(message.max_bytes as usize);
        return quote!(#most);
    }
    let types = message.parts.iter().map(|part| part.ty);
    quote!(0 #(+ <__wire::message::part::As<#types> as __wire::message::Carried<#types>>::MOST)*)
}

/// How many file descriptors the exact groups get, as the parts say, and which group gets the others.
fn exact(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let (parts, types): (Vec<_>, Vec<_>) = message.parts.iter().map(|part| (part.ident, part.ty)).unzip();
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

/// Where the tail begins, and how long the parts say it is.
fn tail_of(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let Some(tail) = &message.tail else { return TokenStream::new() };
    let (ident, krate, name) = (contract.ident, contract.krate, &contract.about.name);
    let (parts, types): (Vec<_>, Vec<_>) = message.parts.iter().map(|part| (part.ident, part.ty)).unzip();
    let (access, field) = (Locals(&message.scope), &tail.said.name);
    let said = match &tail.length {
        TailLength::Rest => quote!(Rest),
        TailLength::Count(number) => {
            let number = rule::number(number, &access);
            quote!(Count(#number))
        }
        TailLength::Bytes(number) => {
            let number = rule::number(number, &access);
            quote!(Bytes(#number))
        }
    };
    quote! {
        fn __wire_tail(
            #(#parts: &#types,)* __at: usize,
        ) -> (__wire::message::tail::Tail, __wire::message::tail::Said) {
            let __tail = __wire::message::tail::Tail {
                contract: #name,
                field: #field,
                at: __at,
                most: <#ident as #krate::Message>::MAX_BYTES,
            };
            (__tail, __wire::message::tail::Said::#said)
        }
    }
}

/// Rules of one moment.
fn checks(contract: &Contract<'_>, message: &Message<'_>, moment: Moment) -> TokenStream {
    let access = Locals(&message.scope);
    let rules = message.rules.iter().filter(|rule| rule.moment == moment);
    rules
        .map(|rule| document::rule(rule, &contract.about.name, contract.krate, &access, &quote!(0)))
        .collect()
}

/// Takes the file descriptors of a group.
fn taken(index: usize, group: &FdGroup<'_>) -> TokenStream {
    let (ident, index) = (group.ident, Literal::usize_unsuffixed(index));
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
fn held(group: &FdGroup<'_>) -> TokenStream {
    let ident = group.ident;
    match &group.form {
        FdForm::One => quote!(1),
        FdForm::Optional(_) => quote!(::core::option::Option::is_some(#ident) as usize),
        FdForm::Many { .. } => quote!(#ident.len()),
    }
}

fn borrowed(group: &FdGroup<'_>) -> TokenStream {
    let ident = group.ident;
    match &group.form {
        FdForm::One => quote!(__beside.push(__wire::message::AsFd::as_fd(#ident));),
        FdForm::Optional(_) => quote!(__beside.extend(#ident.as_ref().map(__wire::message::AsFd::as_fd));),
        FdForm::Many { .. } => quote!(__beside.extend(#ident.iter().map(__wire::message::AsFd::as_fd));),
    }
}

/// What a variant of a union of documents asks of a message of one part.
fn single(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let ([part], None) = (message.parts.as_slice(), &message.tail) else { return TokenStream::new() };
    let (member, ty) = (part.ident, part.ty);
    quote! {
        #[automatically_derived]
        impl __wire::message::Document for #ident {
            type Part = #ty;

            fn of(
                __part: #ty,
                __fds: __wire::message::Vec<__wire::message::OwnedFd>,
            ) -> ::core::result::Result<Self, #krate::WireError> {
                __wire_of(__part, __fds)
            }

            fn part(&self) -> &#ty {
                &self.#member
            }

            fn fds(
                &self,
            ) -> ::core::result::Result<__wire::message::Vec<__wire::message::BorrowedFd<'_>>, #krate::WireError> {
                __wire_beside(self)
            }
        }
    }
}
