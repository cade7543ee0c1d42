//! Rust of rules: an expression over a value or over bytes, what const evaluation looks up for it, and what an error
//! says of it.
//!
//! All that mentions a word of a rule has that word's span, so that the compiler's error about it stands there.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

use crate::record::fold;
use crate::rule::{Checked, Lookup, LookupOf, Node, Op, Operand, Place, Presence, Scope, Sort, What};

/// How an expansion reads a contract's own fields.
pub(crate) trait Access {
    /// An expression of the field's value, on which fields can be named by `.`.
    fn field(&self, field: usize, span: Span) -> TokenStream;

    /// An expression of a length, an `i128`.
    fn length(&self, field: usize, span: Span) -> TokenStream {
        let field = self.field(field, span);
        quote_spanned!(span=> __wire::rule::length(&#field))
    }

    /// An expression of whether an optional field is there.
    fn present(&self, field: usize, span: Span) -> TokenStream;

    /// Whether fields may be keys of documents, of which some have defaults.
    fn documents(&self) -> bool;
}

/// The fields of `self`, which is a recipe; `fd_count` is a parameter where rules ask for it.
pub(crate) struct OfSelf<'s, 'a>(pub(crate) &'s Scope<'a>);

impl Access for OfSelf<'_, '_> {
    fn field(&self, field: usize, span: Span) -> TokenStream {
        let subject = &self.0.fields[field];
        if subject.presence == Presence::OrDefault {
            let (this, ident) = (this(span), spanned(subject.ident, span));
            return quote_spanned!(span=> ({ #this.#ident() }));
        }
        of_self(subject.ident, span)
    }

    fn present(&self, field: usize, span: Span) -> TokenStream {
        let field = of_self(self.0.fields[field].ident, span);
        quote_spanned!(span=> __wire::rule::present(&#field))
    }

    fn documents(&self) -> bool {
        true
    }
}

/// A field of `self`, between parentheses of the word's span: of tokens that are of two spans, as the field is of the
/// declaration and `self` of the expansion, the compiler would blame the whole expansion.
pub(crate) fn of_self(ident: &Ident, span: Span) -> TokenStream {
    let (this, ident) = (this(span), spanned(ident, span));
    quote_spanned!(span=> (*({ &#this.#ident })))
}

/// `self` at a word.
fn this(span: Span) -> TokenStream {
    let span = span.resolved_at(Span::call_site());
    quote_spanned!(span=> self)
}

/// A field's name at a word.
fn spanned(ident: &Ident, span: Span) -> Ident {
    let mut ident = ident.clone();
    ident.set_span(span);
    ident
}

/// The constants of a rule, once at the level of items. `owner` is the contract that declares it.
pub(crate) fn constants(rule: &Checked, owner: &Ident, scope: &Scope<'_>) -> TokenStream {
    let constants = rule.lookups.iter().enumerate().map(|(index, lookup)| {
        let (name, span) = (constant(rule, index), lookup.span);
        let (ty, value) = looked_up(lookup, owner, scope);
        let name = spanned(&name, span);
        quote_spanned!(span=> const #name: #ty = #value;)
    });
    constants.collect()
}

fn constant(rule: &Checked, lookup: usize) -> Ident {
    quote::format_ident!("__RULE_{}_{}", rule.id, lookup)
}

fn looked_up(lookup: &Lookup, owner: &Ident, scope: &Scope<'_>) -> (TokenStream, TokenStream) {
    let span = lookup.span;
    let number = quote!(i128);
    // The type of a field is found by asking for it: a macro cannot name the type of a field of a field.
    let field = |place: &Place| {
        let at = place.span;
        let ident = spanned(scope.fields[place.field].ident, place.first);
        let owner = spanned(owner, at);
        let rest = &place.rest;
        quote_spanned!(at=> |__owner: &#owner| &__owner.#ident #(.#rest)*)
    };
    match &lookup.of {
        LookupOf::ValueOf(place, value) => {
            let (field, value) = (field(place), value.unraw().to_string());
            (number, quote_spanned!(span=> __wire::rule::named(__wire::rule::names_of(#field), #value)))
        }
        LookupOf::FlagOf(place, value) => {
            let (field, value) = (field(place), value.unraw().to_string());
            (number, quote_spanned!(span=> __wire::rule::flag(__wire::rule::flags_of(#field), #value)))
        }
        LookupOf::ValueIn(path, value) => {
            let value = value.unraw().to_string();
            let names = quote_spanned!(span=> <#path as __wire::rule::Named>::NAMES);
            (number, quote_spanned!(span=> __wire::rule::named(#names, #value)))
        }
        LookupOf::Variant(value) => {
            let value = value.unraw().to_string();
            let names = quote_spanned!(span=> <#owner as __wire::rule::Named>::NAMES);
            (number, quote_spanned!(span=> __wire::rule::named(#names, #value)))
        }
        LookupOf::Key(place, key, sort) => {
            let (field, key) = (field(place), key.unraw().to_string());
            let sort = if *sort == Sort::Condition { quote!(Condition) } else { quote!(Number) };
            let call = quote_spanned! {span=>
                __wire::rule::key(__wire::rule::keys_of(#field), #key, __wire::rule::KeySort::#sort)
            };
            (quote!(usize), call)
        }
    }
}

/// The rule as errors state it: an expression of a `Rule`.
pub(crate) fn stated(rule: &Checked, contract: &str) -> TokenStream {
    let (name, text) = (rule.name.as_deref().unwrap_or(""), &rule.text);
    let operands = rule.operands.iter().map(|operand| &operand.text);
    quote! {
        __wire::rule::Rule { contract: #contract, name: #name, text: #text, operands: &[#(#operands),*] }
    }
}

/// What the rule read, for its error: an expression of `Values`.
pub(crate) fn values(rule: &Checked, access: &dyn Access) -> TokenStream {
    let items = rule.operands.iter().take(5).map(|operand| {
        let value = read(rule, operand, access);
        quote!(__wire::rule::item(#value))
    });
    quote!(__wire::rule::Values::new(&[#(#items),*]))
}

/// Whether the rule holds: an expression of `Option<bool>`, none when it cannot be computed.
pub(crate) fn condition(rule: &Checked, access: &dyn Access) -> TokenStream {
    let value = node(rule, &rule.node, access);
    computed(rule, &quote!(bool), &quote!(::core::option::Option::Some(#value)))
}

/// An expression in which `?` means that there is no value.
fn computed(rule: &Checked, sort: &TokenStream, value: &TokenStream) -> TokenStream {
    let nested =
        rule.operands.iter().any(|operand| operand.place().is_some_and(|place| !place.rest.is_empty()));
    let traits = nested.then(|| {
        quote! {
            #[allow(unused_imports)]
            use __wire::rule::{Documented as _, Measured as _, MeasuredDefault as _, MeasuredPlain as _, Plain as _};
        }
    });
    quote! {
        (|| -> ::core::option::Option<#sort> {
            #traits
            #value
        })()
    }
}

/// A check of a rule: a statement that hands the rule (an expression of `&'static Rule`) and what it read (an
/// expression of a closure that gives `Values`) to `refuse` when it does not hold.
pub(crate) fn checked(
    rule: &Checked,
    contract: &str,
    access: &dyn Access,
    refuse: impl FnOnce(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let (condition, stated, values) = (condition(rule, access), stated(rule, contract), values(rule, access));
    let refuse = refuse(quote!(&#stated), quote!(|| #values));
    quote! {
        if #condition != ::core::option::Option::Some(true) {
            #refuse
        }
    }
}

/// What a condition says of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// `required_if` of a key.
    Required,
    /// `one_of` of a key.
    Absent,
    /// `one_of` of a descriptor's field.
    Zero,
}

/// A check of a condition on a field: a statement that hands the condition (an expression of `&'static Condition`) and
/// what it read (an expression of a closure that gives `Values`) to `refuse` when it does not hold.
///
/// `field` is the field or the JSON key as errors state it, `used` an expression of whether it is there, or other than
/// zero: only when the answer matters, the rule is computed.
pub(crate) fn checked_condition(
    rule: &Checked,
    contract: &str,
    (field, says): (&str, Says),
    used: &TokenStream,
    access: &dyn Access,
    refuse: impl FnOnce(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let (condition, stated, values) = (condition(rule, access), stated(rule, contract), values(rule, access));
    let (says, matters, holds) = match says {
        Says::Required => (quote!(Required), quote!(!#used), false),
        Says::Absent => (quote!(Absent), quote!(#used), true),
        Says::Zero => (quote!(Zero), quote!(#used), true),
    };
    let stated =
        quote!(__wire::rule::Condition { field: #field, says: __wire::rule::Says::#says, rule: #stated });
    let refuse = refuse(quote!(&#stated), quote!(|| #values));
    quote! {
        if #matters && #condition != ::core::option::Option::Some(#holds) {
            #refuse
        }
    }
}

/// What an expression's value is: an `i128` or a `bool`, in a function that gives an `Option`.
fn node(rule: &Checked, node: &Node, access: &dyn Access) -> TokenStream {
    let inner = |inner| self::node(rule, inner, access);
    match node {
        Node::Integer(number) => {
            let number = Literal::i128_suffixed(*number);
            quote!(#number)
        }
        Node::Truth(truth) => quote!(#truth),
        Node::Named(lookup) => {
            let name = constant(rule, *lookup);
            quote!(#name)
        }
        Node::Operand(index, sort, span) => operand(rule, &rule.operands[*index], *sort, *span, access),
        Node::Not(value) => {
            let value = inner(value);
            quote!((!#value))
        }
        Node::Negate(value) => {
            let value = inner(value);
            quote!(__wire::rule::neg(#value)?)
        }
        Node::Int(value) => {
            let value = inner(value);
            quote!(<i128 as ::core::convert::From<bool>>::from(#value))
        }
        Node::Binary(op, sort, span, left, right) => {
            if let (Sort::Either, Op::Eq | Op::Ne) = (sort, op) {
                return either(rule, *op, *span, left, right, access);
            }
            let (left, right) = (inner(left), inner(right));
            let function = match op {
                Op::Add => quote!(add),
                Op::Sub => quote!(sub),
                Op::Mul => quote!(mul),
                Op::Div => quote!(div),
                Op::Rem => quote!(rem),
                _ => {
                    let token: TokenStream = match op {
                        Op::Eq => quote!(==),
                        Op::Ne => quote!(!=),
                        Op::Lt => quote!(<),
                        Op::Le => quote!(<=),
                        Op::Gt => quote!(>),
                        Op::Ge => quote!(>=),
                        Op::And => quote!(&&),
                        _ => quote!(||),
                    };
                    return quote!((#left #token #right));
                }
            };
            quote!(__wire::rule::#function(#left, #right)?)
        }
    }
}

/// Two fields of types that the macro does not see.
fn either(rule: &Checked, op: Op, span: Span, left: &Node, right: &Node, access: &dyn Access) -> TokenStream {
    let side = |node: &Node| match node {
        Node::Operand(index, _, span) => match &rule.operands[*index].what {
            What::Value(place) => {
                let value = reached(place, access);
                quote_spanned!(*span=> &#value)
            }
            _ => TokenStream::new(),
        },
        _ => TokenStream::new(),
    };
    let (left, right) = (side(left), side(right));
    let not = if op == Op::Ne { quote!(!) } else { TokenStream::new() };
    quote_spanned!(span=> (#not __wire::rule::equal(#left, #right)?))
}

/// An operand in an expression.
fn operand(rule: &Checked, operand: &Operand, sort: Sort, span: Span, access: &dyn Access) -> TokenStream {
    match &operand.what {
        What::Value(place) => {
            let value = reached(place, access);
            if sort == Sort::Condition {
                quote_spanned!(span=> __wire::rule::truth(&#value)?)
            } else {
                quote_spanned!(span=> __wire::rule::number(&#value)?)
            }
        }
        What::Length(place) => measured(place, access),
        What::Present(place) => present(place, access),
        What::Has(place, lookup) => {
            let (value, flag) = (reached(place, access), constant(rule, *lookup));
            let at = place.span;
            let number = quote_spanned!(at=> __wire::rule::number(&#value)?);
            quote!(__wire::rule::has(#number, #flag))
        }
        What::Data(place, lookup) => {
            let (value, key) = (reached(place, access), constant(rule, *lookup));
            let at = place.span;
            let datum = quote_spanned!(at=> __wire::rule::datum(&#value, #key)?);
            if sort == Sort::Condition { quote!((#datum != 0)) } else { datum }
        }
        What::Variant => {
            let this = this(span);
            quote_spanned!(span=> __wire::rule::number(#this)?)
        }
        What::FdCount => quote!((fd_count as i128)),
    }
}

/// An operand as an `Option` of it, for an error.
fn read(rule: &Checked, operand: &Operand, access: &dyn Access) -> TokenStream {
    if let (What::Value(place), Sort::Either) = (&operand.what, operand.sort) {
        let (value, span) = (reached(place, access), operand.span);
        let value = quote_spanned!(span=> __wire::rule::Operand::operand(&#value));
        return computed(rule, &quote!(_), &value);
    }
    let value = self::operand(rule, operand, operand.sort, operand.span, access);
    let sort = if operand.sort == Sort::Condition { quote!(bool) } else { quote!(i128) };
    computed(rule, &sort, &quote!(::core::option::Option::Some(#value)))
}

/// The value at a place.
fn reached(place: &Place, access: &dyn Access) -> TokenStream {
    let (own, rest) = (access.field(place.field, place.first), &place.rest);
    match rest.split_last() {
        Some((last, between)) if access.documents() => {
            let key = key(&own, between, last);
            quote_spanned!(place.span=> (&#key).value())
        }
        _ => quote_spanned!(place.span=> #own #(.#rest)*),
    }
}

/// The length at a place.
fn measured(place: &Place, access: &dyn Access) -> TokenStream {
    let Some((last, between)) = place.rest.split_last() else {
        return access.length(place.field, place.span);
    };
    let key = key(&access.field(place.field, place.first), between, last);
    quote_spanned!(place.span=> __wire::rule::length(&(&&#key).measured()))
}

/// Whether what is at a place is there.
fn present(place: &Place, access: &dyn Access) -> TokenStream {
    if place.rest.is_empty() {
        return access.present(place.field, place.span);
    }
    let (own, rest) = (access.field(place.field, place.first), &place.rest);
    quote_spanned!(place.span=> __wire::rule::present(&#own #(.#rest)*))
}

/// A field of another contract, of which only the name is known.
fn key(own: &TokenStream, between: &[Ident], last: &Ident) -> TokenStream {
    let (span, name) = (last.span(), hash(last));
    quote_spanned!(span=> __wire::rule::Key::<_, _, #name>(&#own #(.#between)*, &#own #(.#between)*.#last))
}

/// The hash of a field's name, as a parameter of a type.
fn hash(name: &Ident) -> Literal {
    Literal::u64_suffixed(fold(name.unraw().to_string().bytes()))
}

/// What other contracts' rules may ask of an optional key that has a default. `value` is an expression, over `self`,
/// of the value or the default, `ty` its type.
pub(crate) fn or_default(owner: &Ident, field: &Ident, ty: &TokenStream, value: &TokenStream) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::OrDefault<#name> for #owner {
            type Value = #ty;
            #[inline]
            fn or_default(&self) -> #ty {
                #value
            }
        }
    }
}

/// What other contracts' rules may ask of a field whose length is not that of its type. `length` is an expression, over
/// `self`, of an `i128` or of what can be cast to `u64`.
pub(crate) fn length_of(owner: &Ident, field: &Ident, length: &TokenStream) -> TokenStream {
    let name = hash(field);
    quote! {
        #[automatically_derived]
        impl __wire::rule::LengthOf<#name> for #owner {
            #[inline]
            fn length_of(&self) -> u64 {
                (#length) as u64
            }
        }
    }
}

/// What rules may ask of an enumeration: its number, its names, what its values carry.
pub(crate) fn of_enumeration(
    ident: &Ident,
    krate: &syn::Path,
    members: &[(String, i128)],
    keys: &[(Ident, KeySort)],
) -> TokenStream {
    let named = named(ident, members, keys);
    let carried = keys.iter().enumerate().filter(|(_, (_, sort))| *sort != KeySort::Text).map(
        |(index, (key, _))| quote!(#index => <i128 as ::core::convert::From<_>>::from(Self::#key(self)),),
    );
    // An enumeration that is not `Copy` is refused where it is made one, and nowhere else.
    let copy = quote!(where for<'__any> #ident: ::core::marker::Copy);
    quote! {
        #named

        #[automatically_derived]
        impl __wire::rule::Operand for #ident #copy {
            type Sort = i128;
            #[inline(always)]
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::option::Option::Some(__wire::rule::wide(<Self as #krate::Enumeration>::value(*self)))
            }
        }

        #[automatically_derived]
        impl __wire::rule::Carries for #ident #copy {
            #[inline(always)]
            fn carried(self, key: usize) -> i128 {
                match key {
                    #(#carried)*
                    _ => 0,
                }
            }
        }

        #[automatically_derived]
        impl __wire::rule::Keyed for #ident #copy {
            const NAMES: __wire::rule::Names = <Self as __wire::rule::Named>::NAMES;
            #[inline(always)]
            fn carried(&self, key: usize) -> ::core::option::Option<i128> {
                ::core::option::Option::Some(<Self as __wire::rule::Carries>::carried(*self, key))
            }
        }

        #[automatically_derived]
        impl __wire::rule::Used for #ident #copy {
            #[inline(always)]
            fn is_used(&self) -> bool {
                <Self as __wire::rule::Operand>::operand(self) != ::core::option::Option::Some(0)
            }
        }
    }
}

/// What a data key carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeySort {
    Number,
    Condition,
    Text,
}

/// The names that rules may say of flags, or of a union (its variants by position).
pub(crate) fn named(ident: &Ident, members: &[(String, i128)], keys: &[(Ident, KeySort)]) -> TokenStream {
    let contract = ident.unraw().to_string();
    let (names, numbers) = (members.iter().map(|(name, _)| name), members.iter().map(|(_, number)| number));
    let numbers = numbers.map(|number| Literal::i128_unsuffixed(*number));
    let keys = keys.iter().map(|(key, sort)| {
        let key = key.unraw().to_string();
        let sort = match sort {
            KeySort::Number => quote!(Number),
            KeySort::Condition => quote!(Condition),
            KeySort::Text => quote!(Text),
        };
        quote!((#key, __wire::rule::KeySort::#sort))
    });
    quote! {
        #[automatically_derived]
        impl __wire::rule::Named for #ident {
            const NAMES: __wire::rule::Names = __wire::rule::Names {
                contract: #contract,
                members: ::core::option::Option::Some(&[#((#names, #numbers)),*]),
                keys: &[#(#keys),*],
            };
        }
    }
}

/// What rules may ask of a union: the position of its variant. `variants` are the names, `position` an expression, over
/// `self`, of a `usize`.
pub(crate) fn of_union(ident: &Ident, variants: &[&Ident], position: &TokenStream) -> TokenStream {
    let members: Vec<(String, i128)> =
        variants.iter().zip(0..).map(|(variant, index)| (variant.unraw().to_string(), index)).collect();
    let named = named(ident, &members, &[]);
    quote! {
        #named

        #[automatically_derived]
        impl __wire::rule::Operand for #ident {
            type Sort = i128;
            #[inline]
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::option::Option::Some((#position) as i128)
            }
        }
    }
}

/// The same of an enumeration, of flags or of a union that was refused: impls that compile, and of which nothing more
/// is said.
pub(crate) fn refused(declaration: &crate::parse::Declaration<'_>, whole: bool) -> TokenStream {
    let ident = declaration.ident;
    let (generics, arguments, clause) = declaration.input.generics.split_for_impl();
    let nothing =
        quote!(__wire::rule::Names { contract: "", members: ::core::option::Option::None, keys: &[] });
    let named = quote! {
        impl #generics __wire::rule::Named for #ident #arguments #clause {
            const NAMES: __wire::rule::Names = #nothing;
        }
    };
    if !whole {
        return named;
    }
    quote! {
        #named
        impl #generics __wire::rule::Operand for #ident #arguments #clause {
            type Sort = i128;
            fn operand(&self) -> ::core::option::Option<i128> {
                ::core::unimplemented!()
            }
        }
        impl #generics __wire::rule::Keyed for #ident #arguments #clause {
            const NAMES: __wire::rule::Names = #nothing;
            fn carried(&self, _: usize) -> ::core::option::Option<i128> {
                ::core::unimplemented!()
            }
        }
        impl #generics __wire::rule::Used for #ident #arguments #clause {
            fn is_used(&self) -> bool {
                ::core::unimplemented!()
            }
        }
    }
}
