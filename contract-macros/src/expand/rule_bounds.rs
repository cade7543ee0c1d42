//! What const evaluation checks of a rule: that some value may keep it, by the types and bounds of what it reads.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::rule::Says;
use crate::rule::{Checked, Node, Op, Operand, Place, Sort, What};

/// What is known of a contract's own fields.
pub(super) trait Known {
    /// From where to where a field's value goes: an `Interval`.
    fn range(&self, field: usize) -> TokenStream;

    /// From where to where its length goes.
    fn length(&self, field: usize) -> TokenStream;

    /// From where to where goes a value that lies in a field.
    fn within(&self, place: &Place) -> TokenStream {
        let _ = place;
        quote!(__wire::rule::Interval::ANY)
    }
}

/// The check of a rule, once at the level of items.
pub(super) fn check(rule: &Checked, contract: &str, known: &dyn Known) -> TokenStream {
    let text = &rule.text;
    checked(
        rule,
        known,
        |value, read| quote_spanned!(rule.span=> __wire::rule::check_may_hold(#value, #text, #contract, #read)),
    )
}

/// The check of a condition on a field: it holds of some values, and not of all where it says that a key must be there.
pub(super) fn check_condition(
    condition: &Checked,
    contract: &str,
    (field, says): (&str, Says),
    known: &dyn Known,
) -> TokenStream {
    let (text, is_required_if) = (&condition.text, says == Says::Required);
    checked(condition, known, |value, read| {
        quote_spanned! {condition.span=>
            __wire::rule::check_condition(#value, #text, #contract, #field, #is_required_if, #read)
        }
    })
}

/// The check of a condition on a file descriptor: it holds of some values, and not of all.
pub(super) fn check_present(
    condition: &Checked,
    contract: &str,
    field: &str,
    known: &dyn Known,
) -> TokenStream {
    let text = &condition.text;
    checked(
        condition,
        known,
        |value, read| quote_spanned!(condition.span=> __wire::rule::check_present(#value, #text, #contract, #field, #read)),
    )
}

/// The check of a number of file descriptors, or of elements or bytes, which is sometimes one of these.
pub(super) fn check_count(
    number: &Checked,
    contract: &str,
    field: &str,
    (least, most): (u32, u32),
    known: &dyn Known,
) -> TokenStream {
    let text = &number.text;
    checked(number, known, |value, read| {
        quote_spanned! {number.span=>
            __wire::rule::check_count(
                #value, #text, #contract, #field, (#least as i128, #most as i128), #read,
            )
        }
    })
}

fn checked(
    rule: &Checked,
    known: &dyn Known,
    check: impl FnOnce(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let names: Vec<_> = (0..rule.operands.len()).map(|index| format_ident!("__OPERAND_{index}")).collect();
    let ranges: Vec<TokenStream> = rule.operands.iter().map(|operand| of_operand(operand, known)).collect();
    let read = rule.operands.iter().zip(&names).filter(|(operand, _)| operand.sort != Sort::Condition);
    let read = read.map(|(operand, name)| {
        let text = &operand.text;
        quote!((#text, #name))
    });
    let check = check(of_node(&rule.node), quote!(&[#(#read),*]));
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use __wire::Otherwise as _;
            #(#[allow(dead_code)] const #names: __wire::rule::Interval = #ranges;)*
            #check
        };
    }
}

/// What is known of an operand.
fn of_operand(operand: &Operand, known: &dyn Known) -> TokenStream {
    let own = |place: &Place| place.rest.is_empty().then_some(place.field);
    let any = quote!(__wire::rule::Interval::ANY);
    match (&operand.what, operand.sort) {
        (What::Present(_) | What::Has(..), _) | (What::Data(..), Sort::Condition) => {
            quote!(__wire::rule::Interval::CONDITION)
        }
        (What::Value(place), _) => own(place).map_or_else(|| known.within(place), |field| known.range(field)),
        (What::Length(place), _) => {
            own(place).map_or_else(|| quote!(#any.from_zero()), |field| known.length(field))
        }
        (What::Data(..) | What::Product(_) | What::Least(_), _) => any,
        (What::Variant | What::FdCount, _) => quote!(#any.from_zero()),
    }
}

fn of_node(node: &Node) -> TokenStream {
    let inner = |inner| of_node(inner);
    match node {
        Node::Integer(number) => {
            let number = Literal::i128_suffixed(*number);
            quote!(__wire::rule::Interval::one(#number))
        }
        Node::Truth(truth) => {
            let truth = Literal::i128_suffixed((*truth).into());
            quote!(__wire::rule::Interval::one(#truth))
        }
        // A constant that does not evaluate is one error, and would be a second one wherever it is asked for.
        Node::Named(_) => quote!(__wire::rule::Interval::ANY),
        Node::Operand(index, ..) => {
            let name = format_ident!("__OPERAND_{index}");
            quote!(#name)
        }
        Node::Not(value) => {
            let value = inner(value);
            quote!(#value.not())
        }
        Node::Negate(value) => {
            let value = inner(value);
            quote!(#value.neg())
        }
        Node::Int(value) => inner(value),
        Node::Binary(op, _, _, left, right) => {
            let (left, right) = (inner(left), inner(right));
            let function = format_ident!(
                "{}",
                match op {
                    Op::Add => "add",
                    Op::Sub => "sub",
                    Op::Mul => "mul",
                    Op::Div => "div",
                    Op::Rem => "rem",
                    Op::Eq => "eq",
                    Op::Ne => "ne",
                    Op::Lt => "lt",
                    Op::Le => "le",
                    Op::Gt => "gt",
                    Op::Ge => "ge",
                    Op::And => "and",
                    Op::Or => "or",
                }
            );
            quote!(#left.#function(#right))
        }
    }
}
