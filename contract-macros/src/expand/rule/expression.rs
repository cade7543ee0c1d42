//! Rust of an expression: its value, and what it reads.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

use super::asked::hash;
use super::lookup::constant;
use super::{Access, spanned, this};
use crate::rule::{Checked, Node, Op, Operand, Place, Sort, What};

/// What an expression's value is: an `i128` or a `bool`, in a function that gives an `Option`.
pub(super) fn node(rule: &Checked, node: &Node, access: &dyn Access) -> TokenStream {
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

/// Two fields of types that the macro does not see, or what their values carry.
fn either(rule: &Checked, op: Op, span: Span, left: &Node, right: &Node, access: &dyn Access) -> TokenStream {
    let key = |node: &Node| match node {
        Node::Operand(index, ..) => match &rule.operands[*index].what {
            What::Data(_, lookup) => Some(constant(rule, *lookup)),
            _ => None,
        },
        _ => None,
    };
    let side = |node: &Node, other: Option<Ident>| match node {
        Node::Operand(index, _, span) => match &rule.operands[*index].what {
            What::Value(place) => {
                let value = reached(place, access);
                quote_spanned!(*span=> &#value)
            }
            What::Data(place, lookup) => {
                let datum = sorted_datum(rule, place, *lookup, other.as_ref(), access);
                quote_spanned!(*span=> &#datum)
            }
            _ => TokenStream::new(),
        },
        _ => TokenStream::new(),
    };
    let (left, right) = (side(left, key(right)), side(right, key(left)));
    let not = if op == Op::Ne { quote!(!) } else { TokenStream::new() };
    quote_spanned!(span=> (#not __wire::rule::equal(#left, #right)?))
}

/// What an enumeration's value carries for a key, as a number or as a condition: which of the two, the key's constant
/// says, or that of the `other` key where an enumeration was refused.
fn sorted_datum(
    rule: &Checked,
    place: &Place,
    lookup: usize,
    other: Option<&Ident>,
    access: &dyn Access,
) -> TokenStream {
    let (value, at) = (reached(place, access), place.span);
    let key = spanned(&constant(rule, lookup), at);
    let beside = spanned(other.unwrap_or(&key), at);
    quote_spanned! {at=>
        __wire::rule::Datum::<{ #key.is_condition_beside(#beside) }>(__wire::rule::datum(&#value, #key.index)?)
    }
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
        What::Product(place) => elements("product", place, access),
        What::Least(place) => elements("least", place, access),
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
            let datum = quote_spanned!(at=> __wire::rule::datum(&#value, #key.index)?);
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
pub(super) fn read(rule: &Checked, operand: &Operand, access: &dyn Access) -> TokenStream {
    let either = match &operand.what {
        What::Value(place) if operand.sort == Sort::Either => Some(reached(place, access)),
        What::Data(place, lookup) if operand.sort == Sort::Either => {
            Some(sorted_datum(rule, place, *lookup, None, access))
        }
        _ => None,
    };
    if let Some(value) = either {
        let value = quote_spanned!(operand.span=> __wire::rule::Operand::operand(&#value));
        return computed(rule, &quote!(_), &value);
    }
    let value = self::operand(rule, operand, operand.sort, operand.span, access);
    let sort = if operand.sort == Sort::Condition { quote!(bool) } else { quote!(i128) };
    computed(rule, &sort, &quote!(::core::option::Option::Some(#value)))
}

/// An expression in which `?` means that there is no value.
pub(super) fn computed(rule: &Checked, sort: &TokenStream, value: &TokenStream) -> TokenStream {
    let nested =
        rule.operands.iter().any(|operand| operand.place().is_some_and(|place| !place.rest.is_empty()));
    let traits = nested.then(|| {
        quote! {
            #[allow(unused_imports)]
            use __wire::rule::{
                Counted as _, CountedPlain as _, Documented as _, Fixed as _, Listed as _, ListedPlain as _, Measured as _, MeasuredDefault as _,
                MeasuredPlain as _, Plain as _,
            };
        }
    });
    quote! {
        (|| -> ::core::option::Option<#sort> {
            #traits
            #value
        })()
    }
}

/// The value at a place.
pub(crate) fn reached(place: &Place, access: &dyn Access) -> TokenStream {
    let (own, rest) = (access.field(place.field, place.first), &place.rest);
    match rest.split_last() {
        Some((last, between)) => {
            let key = key(&own, between, last);
            quote_spanned!(place.span=> (&#key).value())
        }
        None => quote_spanned!(place.span=> #own),
    }
}

/// A number that other contracts' rules could ask for, or nothing: that of a field of `own`, which lies within these.
pub(crate) fn number_within(own: &TokenStream, fields: &[Ident]) -> TokenStream {
    let Some((last, between)) = fields.split_last() else { return quote!(__wire::rule::number(&#own)) };
    let (key, at) = (key(own, between, last), last.span());
    quote_spanned! {at=> {
        #[allow(unused_imports)]
        use __wire::rule::{Fixed as _, Plain as _};
        __wire::rule::number(&(&#key).value())
    }}
}

/// The length at a place.
fn measured(place: &Place, access: &dyn Access) -> TokenStream {
    let Some((last, between)) = place.rest.split_last() else {
        return access.length(place.field, place.span);
    };
    let key = key(&access.field(place.field, place.first), between, last);
    quote_spanned!(place.span=> __wire::rule::length(&(&&#key).measured()))
}

/// What a function says of the elements of the array at a place.
fn elements(function: &str, place: &Place, access: &dyn Access) -> TokenStream {
    let (own, at) = (access.field(place.field, place.first), place.span);
    let function = Ident::new(function, at);
    if let Some((last, between)) = place.rest.split_last() {
        let key = key(&own, between, last);
        return quote_spanned!(at=> (&#key).#function((&#key).count())?);
    }
    let count = if access.documents() { quote!(i128::MAX) } else { access.length(place.field, place.span) };
    quote_spanned!(at=> __wire::rule::#function(&#own, #count)?)
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
