//! Rust of rules: an expression over a value or over bytes, what const evaluation looks up for it, and what an error
//! says of it.
//!
//! All that mentions a word of a rule has that word's span, so that the compiler's error about it stands there.

mod asked;
mod expression;
mod lookup;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

pub(crate) use asked::{
    KeySort, elements_of, fixed_as, length_of, named, of_enumeration, of_union, or_default, refused,
};
pub(crate) use expression::{number_within, reached};
pub(crate) use lookup::constants;

use crate::rule::{Checked, Presence, Scope};
use expression::{computed, node, read};

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

/// A number: an expression of `Option<i128>`, none when it cannot be computed.
pub(crate) fn number(rule: &Checked, access: &dyn Access) -> TokenStream {
    let value = node(rule, &rule.node, access);
    computed(rule, &quote!(i128), &quote!(::core::option::Option::Some(#value)))
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
