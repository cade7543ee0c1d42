//! Messages: their parts, their tail, and who gets which of the file descriptors beside them.

mod bounds;
mod groups;
mod messages;
mod tail;

use proc_macro2::{Group, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use super::document;
use super::ends;
use super::record::{self, Words};
use super::rule::{self, Access};
use crate::check::{Contract, FdForm, Message, TailLength};
use crate::parse::Moment;
use crate::record::Text;
use crate::rule::{Checked, Scope};

pub(crate) use messages::messages;

/// The fields of a message while it is read or written: references to parts and tail, and how many file descriptors each
/// group has, in variables of their own.
struct Locals<'s, 'a>(&'s Scope<'a>);

/// The variable for a field. It is not called as the field is, which may be the name of a constant or of a value (`None`)
/// where the message is declared, and in a pattern would be that.
fn variable(field: &Ident) -> Ident {
    format_ident!("__its_{}", field.unraw(), span = field.span())
}

impl Locals<'_, '_> {
    fn at(&self, field: usize, span: Span) -> Ident {
        let mut variable = variable(self.0.fields[field].ident);
        variable.set_span(span);
        variable
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
    let (ident, krate) = (contract.ident, contract.krate);
    let text = Text::of(contract);
    let record =
        record::contract_and_record(ident, krate, &quote!(Message), &text, &Words::Shapes(shapes(message)));
    let constants = expressions(message).map(|rule| rule::constants(rule, ident, &message.scope));
    let alone = alone(message);
    let kept = bounds::checks(contract, message);
    let exact = groups::exact(contract, message);
    let tail_of = tail::of(contract, message);
    let fields = Fields::of(message);
    let (checking, importing) = (checking(contract, message, &fields), importing(contract, message, &fields));
    let (reading, writing) = (reading(contract, message, &fields), writing(contract, message, &fields));
    let (joining, beside) = (joining(contract, message, &fields), beside(contract, message, &fields));
    let implemented = implemented(contract, message, &fields);
    let apart = apart(contract, &fields);
    let (first, first_member) = message.parts.first().map(|part| (part.ty, part.ident)).unzip();
    let name = message.parts.first().map(|part| &part.member.name);
    let single = single(contract, message);
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, unused_variables, unused_mut, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record
            #(#constants)*
            #alone
            #(#kept)*
            #exact
            #tail_of
            #checking
            #importing
            #reading
            #writing
            #joining
            #beside
            #implemented
            #apart

            #[automatically_derived]
            impl __wire::message::HasFirst for #ident {
                type First = #first;
                const NAME: &'static str = #name;

                fn first(&self) -> &#first {
                    &self.#first_member
                }
            }

            #single
        };
    }
}

/// Types of the fields, and the variables for them.
struct Fields<'m> {
    parts: Vec<Ident>,
    types: Vec<&'m Type>,
    tail: Vec<Ident>,
    tail_type: Vec<&'m Type>,
    groups: Vec<Ident>,
    /// Each field with its variable, as a pattern and an expression of the struct have them.
    all: TokenStream,
}

impl<'m> Fields<'m> {
    fn of(message: &Message<'m>) -> Fields<'m> {
        let (parts, types) = message.parts.iter().map(|part| (variable(part.ident), part.ty)).unzip();
        let (tail, tail_type) = message.tail.iter().map(|tail| (variable(tail.ident), tail.ty)).unzip();
        let names = message.parts.iter().map(|part| part.ident);
        let names = names.chain(message.tail.iter().map(|tail| tail.ident));
        let names = names.chain(message.fds.iter().map(|group| group.ident));
        let all = names
            .map(|name| (name, variable(name)))
            .map(|(name, variable)| quote!(#name: #variable,))
            .collect();
        let groups = message.fds.iter().map(|group| variable(group.ident)).collect();
        Fields { parts, types, tail, tail_type, groups, all }
    }

    /// How many groups there are.
    fn count(&self) -> Literal {
        Literal::usize_unsuffixed(self.groups.len())
    }
}

/// The rules that readers and writers check.
fn checking(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, groups, .. } = fields;
    let (krate, count) = (contract.krate, fields.count());
    let check = checks(contract, message, Moment::Read);
    quote! {
        fn __wire_check(
            #(#parts: &#types,)* #(#tail: &#tail_type,)* __counts: [usize; #count],
        ) -> ::core::result::Result<(), #krate::WireError> {
            let [#(#groups),*] = __counts;
            #check
            ::core::result::Result::Ok(())
        }
    }
}

/// The parts and the tail of bytes, and how many file descriptors each group gets of so many.
fn reading(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, .. } = fields;
    let (krate, name, count) = (contract.krate, &contract.about.name, fields.count());
    let take = types.iter().map(|ty| carried(ty, "take"));
    let (bounded, end) = tail::read(contract, message);
    quote! {
        fn __wire_read(
            __bytes: &[u8],
        ) -> ::core::result::Result<(#(#types,)* #(#tail_type,)*), #krate::WireError> {
            #bounded
            let mut __at = 0;
            #(let #parts = #take(__bytes, &mut __at)?;)*
            #end
            ::core::result::Result::Ok((#(#parts,)* #(#tail,)*))
        }

        fn __wire_share(
            #(#parts: &#types,)* #(#tail: &#tail_type,)* __came: usize,
        ) -> ::core::result::Result<[usize; #count], #krate::WireError> {
            let __exact = __wire_exact(#(#parts,)*)?;
            let __counts = __wire::message::beside::share(#name, __exact, __WIRE_FLEXIBLE, __came)?;
            __wire_check(#(#parts,)* #(#tail,)* __counts)?;
            ::core::result::Result::Ok(__counts)
        }
    }
}

/// The bytes of parts and tail, and that the groups have as many file descriptors as these say.
fn writing(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, .. } = fields;
    let (krate, name, count) = (contract.krate, &contract.about.name, fields.count());
    let names = message.fds.iter().map(|group| &group.member.name);
    let put = types.iter().map(|ty| carried(ty, "put"));
    let write_tail = tail::write(message);
    quote! {
        fn __wire_bytes(
            #(#parts: &#types,)* #(#tail: &#tail_type,)*
        ) -> ::core::result::Result<__wire::message::Vec<u8>, #krate::WireError> {
            let mut __bytes = __wire::message::Vec::new();
            #(#put(#parts, &mut __bytes)?;)*
            #write_tail
            ::core::result::Result::Ok(__bytes)
        }

        fn __wire_held(
            #(#parts: &#types,)* #(#tail: &#tail_type,)* __held: [usize; #count],
        ) -> ::core::result::Result<(), #krate::WireError> {
            let __exact = __wire_exact(#(#parts,)*)?;
            __wire::message::beside::held(#name, [#(#names),*], __exact, __WIRE_FLEXIBLE, __held)?;
            __wire_check(#(#parts,)* #(#tail,)* __held)
        }
    }
}

/// Puts a message together of what was read and of what came beside it.
fn joining(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, all, .. } = fields;
    let (ident, krate) = (contract.ident, contract.krate);
    let taken = message.fds.iter().enumerate().map(|(index, group)| groups::taken(index, group));
    quote! {
        fn __wire_of(
            #(#parts: #types,)* #(#tail: #tail_type,)* __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<#ident, #krate::WireError> {
            let __counts = __wire_share(#(&#parts,)* #(&#tail,)* __fds.len())?;
            let mut __fds = ::core::iter::IntoIterator::into_iter(__fds);
            #(#taken)*
            ::core::result::Result::Ok(#ident { #all })
        }
    }
}

/// What goes beside a message, once it is as its parts say.
fn beside(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, tail, all, .. } = fields;
    let (ident, krate) = (contract.ident, contract.krate);
    let held = message.fds.iter().map(groups::held);
    let borrowed = message.fds.iter().map(groups::borrowed);
    quote! {
        fn __wire_beside(
            __message: &#ident,
        ) -> ::core::result::Result<__wire::message::Vec<__wire::message::BorrowedFd<'_>>, #krate::WireError> {
            let #ident { #all } = __message;
            let __held = [#(#held),*];
            let mut __beside = __wire::message::Vec::new();
            #(#borrowed)*
            __wire_held(#(#parts,)* #(#tail,)* __held)?;
            ::core::result::Result::Ok(__beside)
        }
    }
}

/// `Message`.
fn implemented(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, tail, all, .. } = fields;
    let (ident, krate) = (contract.ident, contract.krate);
    let max_bytes = max_bytes(message);
    let max_fds = message.fds.iter().map(|group| group.form.most() as usize).sum::<usize>();
    let max_fds = Literal::usize_unsuffixed(max_fds);
    let held = message.fds.iter().map(groups::held);
    quote! {
        #[automatically_derived]
        impl #krate::Message for #ident {
            const MAX_BYTES: usize = #max_bytes;
            const MAX_FDS: usize = #max_fds;

            fn from_message(
                __bytes: &[u8],
                __fds: __wire::message::Vec<__wire::message::OwnedFd>,
            ) -> ::core::result::Result<Self, #krate::WireError> {
                let (#(#parts,)* #(#tail,)*) = __wire_read(__bytes)?;
                __wire_of(#(#parts,)* #(#tail,)* __fds)
            }

            fn to_message(
                &self,
            ) -> ::core::result::Result<
                (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
                #krate::WireError,
            > {
                let #ident { #all } = self;
                let __bytes = __wire_bytes(#(#parts,)* #(#tail,)*)?;
                let __beside = __wire_beside(self)?;
                ::core::result::Result::Ok((__bytes, __beside))
            }

            fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
                let #ident { #all } = self;
                __wire_imported(#(#parts,)* #(#tail,)* [#(#held),*])
            }
        }
    }
}

/// What is asked of a message by the numbers of its file descriptors.
fn apart(contract: &Contract<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, .. } = fields;
    let (ident, krate, count) = (contract.ident, contract.krate, fields.count());
    quote! {
        #[automatically_derived]
        impl __wire::message::Apart for #ident {
            type Parts = (#(#types,)* #(#tail_type,)*);
            type Counts = [usize; #count];

            fn read(__bytes: &[u8]) -> ::core::result::Result<Self::Parts, #krate::WireError> {
                __wire_read(__bytes)
            }

            fn share(
                (#(#parts,)* #(#tail,)*): &Self::Parts,
                __came: usize,
            ) -> ::core::result::Result<Self::Counts, #krate::WireError> {
                __wire_share(#(#parts,)* #(#tail,)* __came)
            }

            fn bytes(
                (#(#parts,)* #(#tail,)*): &Self::Parts,
            ) -> ::core::result::Result<__wire::message::Vec<u8>, #krate::WireError> {
                __wire_bytes(#(#parts,)* #(#tail,)*)
            }

            fn held(
                (#(#parts,)* #(#tail,)*): &Self::Parts,
                __held: Self::Counts,
            ) -> ::core::result::Result<(), #krate::WireError> {
                __wire_held(#(#parts,)* #(#tail,)* __held)
            }

            fn import(
                (#(#parts,)* #(#tail,)*): &Self::Parts,
                __held: Self::Counts,
            ) -> ::core::result::Result<(), #krate::WireError> {
                __wire_imported(#(#parts,)* #(#tail,)* __held)
            }

            fn import_alone(
                (#(#parts,)* #(#tail,)*): &Self::Parts,
                __held: Self::Counts,
            ) -> ::core::result::Result<(), #krate::WireError> {
                __wire_import(#(#parts,)* #(#tail,)* __held)
            }
        }
    }
}

/// What its parts, its tail and the message itself declare at import; and the message's own rules alone.
fn importing(contract: &Contract<'_>, message: &Message<'_>, fields: &Fields<'_>) -> TokenStream {
    let Fields { parts, types, tail, tail_type, groups, .. } = fields;
    let (krate, count) = (contract.krate, fields.count());
    let each = |item| types.iter().map(move |ty| carried(ty, item));
    let (import, most) = (each("import"), each("MOST"));
    let import_tail = tail::import(message);
    let rules = checks(contract, message, Moment::Import);
    quote! {
        fn __wire_imported(
            #(#parts: &#types,)* #(#tail: &#tail_type,)* __held: [usize; #count],
        ) -> ::core::result::Result<(), #krate::WireError> {
            let [#(#groups),*] = __held;
            let __came = 0 #(+ #groups)*;
            let mut __at = 0;
            #(
                #import(#parts, __at, __came)?;
                __at += #most;
            )*
            #import_tail
            __wire_import(#(#parts,)* #(#tail,)* __held)
        }

        fn __wire_import(
            #(#parts: &#types,)* #(#tail: &#tail_type,)* __held: [usize; #count],
        ) -> ::core::result::Result<(), #krate::WireError> {
            let [#(#groups),*] = __held;
            #rules
            ::core::result::Result::Ok(())
        }
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

/// An item of a trait of a type, asked at the type: what is wrong with that is then one error, however often it is asked.
fn at_type(ty: &Type, of: &TokenStream, item: &str) -> TokenStream {
    let (start, end) = ends(ty);
    let item = Ident::new(item, end);
    let of = spanned(of.clone(), start);
    quote_spanned!(end=> #of::#item)
}

/// Tokens at another place, those of types that the declaration wrote among them.
fn spanned(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            let mut moved = Group::new(group.delimiter(), spanned(group.stream(), span));
            moved.set_span(span);
            return TokenTree::Group(moved);
        }
        token.set_span(span.resolved_at(token.span()));
        token
    };
    tokens.into_iter().map(at).collect()
}

/// What a part is carried as.
fn carried(ty: &Type, item: &str) -> TokenStream {
    at_type(ty, &quote!(<__wire::message::part::As<#ty> as __wire::message::Carried<#ty>>), item)
}

/// Shapes of the parts, then of the tail.
fn shapes(message: &Message<'_>) -> Vec<TokenStream> {
    let carried = |ty| carried(ty, "SHAPE");
    let parts = message.parts.iter().map(|part| carried(part.ty));
    let tail = message.tail.iter().map(|tail| tail::tailed(tail, "SHAPE"));
    parts.chain(tail).collect()
}

/// A document ends where the message does.
fn alone(message: &Message<'_>) -> TokenStream {
    let others = message.parts.len() > 1 || message.tail.is_some();
    message
        .parts
        .iter()
        .map(|part| {
            let (is_document, (start, _)) = (carried(part.ty, "IS_DOCUMENT"), ends(part.ty));
            quote_spanned! {start=>
                const _: () = __wire::message::part::check_alone(#is_document, #others);
            }
        })
        .collect()
}

fn max_bytes(message: &Message<'_>) -> TokenStream {
    if message.tail.is_some() {
        let most = Literal::usize_unsuffixed(message.max_bytes as usize);
        return quote!(#most);
    }
    let most = message.parts.iter().map(|part| carried(part.ty, "MOST"));
    quote!(0 #(+ #most)*)
}

/// Rules of one moment.
fn checks(contract: &Contract<'_>, message: &Message<'_>, moment: Moment) -> TokenStream {
    let access = Locals(&message.scope);
    let rules = message.rules.iter().filter(|rule| rule.moment == moment);
    rules
        .map(|rule| document::rule(rule, &contract.about.name, contract.krate, &access, &quote!(0)))
        .collect()
}

/// What a variant of a union of documents asks of a message of one part.
fn single(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let ([part], None) = (message.parts.as_slice(), &message.tail) else { return TokenStream::new() };
    let (member, ty) = (part.ident, part.ty);
    let Fields { parts, all, .. } = Fields::of(message);
    let held: Vec<TokenStream> = message.fds.iter().map(groups::held).collect();
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

            fn count(&self) -> usize {
                let #ident { #all } = self;
                0 #(+ #held)*
            }

            fn import(&self) -> ::core::result::Result<(), #krate::WireError> {
                let #ident { #all } = self;
                __wire_import(#(#parts,)* [#(#held),*])
            }

            fn fds(
                &self,
            ) -> ::core::result::Result<__wire::message::Vec<__wire::message::BorrowedFd<'_>>, #krate::WireError> {
                __wire_beside(self)
            }
        }
    }
}
