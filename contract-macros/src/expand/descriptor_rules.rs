//! The rules of a descriptor, over bytes and over a value.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::descriptor::{call, count_in_bytes, count_within, decoded, most, offset, slice};
use super::rule::{self, Access, Says};
use super::rule_bounds;
use crate::check::{Contract, Descriptor, Field, Role, descriptor_scope};
use crate::rule::{Checked, Moment, Place, What};
use crate::ty::Known;

/// What the rules look up, and what other contracts' rules may ask of the fields.
pub(super) fn items(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let scope = descriptor_scope(contract.about.name.clone(), &descriptor.fields);
    let constants = all(descriptor).map(|rule| rule::constants(rule, contract.ident, &scope));
    let lengths = all(descriptor).flat_map(|rule| &rule.operands).filter_map(|operand| match &operand.what {
        What::Length(place) => length_checked(descriptor, place),
        _ => None,
    });
    let measured = descriptor.fields.iter().enumerate().filter_map(|(index, field)| {
        let is_measured = field.counted_by.is_some() || matches!(field.role, Role::Text);
        let length = OfValue(descriptor).length(index, field.ident.span());
        is_measured.then(|| rule::length_of(contract.ident, field.ident, &length))
    });
    let fixed = descriptor.fields.iter().filter_map(|field| {
        let is_fixed = matches!(field.role, Role::Magic(_) | Role::Version(_) | Role::Reserved { .. });
        is_fixed.then(|| rule::fixed_as(contract.ident, field.ident))
    });
    let known = OfTypes(descriptor);
    let kept = descriptor.rules.iter().map(|rule| rule_bounds::check(rule, &contract.about.name, &known));
    let conditions = descriptor.fields.iter().filter_map(|field| {
        let (name, on) = (&contract.about.name, (field.name.as_str(), Says::Zero));
        Some(rule_bounds::check_condition(field.one_of.as_ref()?, name, on, &known))
    });
    quote!(#(#constants)* #(#lengths)* #(#measured)* #(#fixed)* #(#kept)* #(#conditions)*)
}

/// The fields of a descriptor, as their types are.
struct OfTypes<'d, 'a>(&'d Descriptor<'a>);

impl rule_bounds::Known for OfTypes<'_, '_> {
    fn range(&self, field: usize) -> TokenStream {
        let ty = self.0.fields[field].ty;
        quote!(__wire::Probe::<#ty>::RANGE)
    }

    fn length(&self, field: usize) -> TokenStream {
        let field = &self.0.fields[field];
        let ty = field.ty;
        // What is counted, and text, may be shorter.
        let from =
            (field.counted_by.is_some() || matches!(field.role, Role::Text)).then(|| quote!(.from_zero()));
        quote!(__wire::Probe::<#ty>::LENGTH #from)
    }
}

/// That a type which the macro does not see through has a length.
fn length_checked(descriptor: &Descriptor<'_>, place: &Place) -> Option<TokenStream> {
    let field = &descriptor.fields[place.field];
    let unseen = place.rest.is_empty() && field.counted_by.is_none() && field.known == Known::Other;
    let (index, name) = (place.field, &field.name);
    unseen.then(|| {
        quote_spanned!(place.span=> const _: () = __wire::rule::check_length(&__WIRE_LAYOUT.shapes[#index], #name);)
    })
}

/// Every condition and rule.
fn all<'d>(descriptor: &'d Descriptor<'_>) -> impl Iterator<Item = &'d Checked> {
    descriptor.fields.iter().filter_map(|field| field.one_of.as_ref()).chain(&descriptor.rules)
}

/// Whether all-zero bytes are known to break none of the rules of reading. Conditions say nothing of zero.
pub(super) fn hold_of_zero(descriptor: &Descriptor<'_>) -> bool {
    let length = |operand: &crate::rule::Operand| {
        let (What::Length(place) | What::Product(place) | What::Least(place)) = &operand.what else {
            return None;
        };
        let Place { field, rest, .. } = place;
        let field = &descriptor.fields[*field];
        match &field.known {
            _ if !rest.is_empty() => None,
            _ if field.counted_by.is_some() || matches!(field.role, Role::Text) => Some(0),
            Known::Array(_, length) => *length,
            _ => None,
        }
    };
    let mut rules = descriptor.rules.iter().filter(|rule| rule.moment == Moment::Read);
    rules.all(|rule| rule.holds_of_zero(&length))
}

/// The conditions and rules of reading, behind all checks of fields.
pub(super) fn of_bytes(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let refuse = |how: TokenStream| move |stated: TokenStream, values: TokenStream| quote!(return ::core::result::Result::Err(__R::#how(at, #stated, #values)););
    statements(contract, descriptor, Moment::Read, &OfBytes(descriptor), &refuse)
}

/// The same of a value that is to be written.
pub(super) fn of_value(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let refuse = |how: TokenStream| move |stated: TokenStream, values: TokenStream| quote!(return ::core::result::Result::Err(__R::#how(at, #stated, #values)););
    statements(contract, descriptor, Moment::Read, &OfValue(descriptor), &refuse)
}

/// What an importer asks of a value: nested descriptors by offset, then the conditions and rules of importing.
pub(super) fn import(contract: &Contract<'_>, descriptor: &Descriptor<'_>) -> TokenStream {
    let nested = descriptor.fields.iter().enumerate().map(|(index, field)| {
        if field.known.is_plain() || !matches!(field.role, Role::Value) || field.known == bool() {
            return TokenStream::new();
        }
        let (member, start) = (field.ident, offset(index));
        let import = match field.counted_by {
            Some(count) => {
                let count = count_within(descriptor, index, count);
                call(field, "import_counted", &quote!(&self.#member, #count, offset + #start))
            }
            None => call(field, "import", &quote!(&self.#member, offset + #start)),
        };
        quote!(#import?;)
    });
    let nested: TokenStream = nested.collect();
    let refuse = |how: TokenStream| move |stated: TokenStream, values: TokenStream| quote!(return ::core::result::Result::Err(__wire::WireError::#how(#stated, (#values)(), offset)););
    let own = statements(contract, descriptor, Moment::Import, &OfValue(descriptor), &refuse);
    if nested.is_empty() && own.is_empty() {
        return TokenStream::new();
    }
    quote! {
        #[inline]
        fn import(&self, offset: usize) -> ::core::result::Result<(), __wire::WireError> {
            #nested
            #own
            ::core::result::Result::Ok(())
        }
    }
}

fn bool() -> Known {
    Known::of(&syn::parse_quote!(bool))
}

/// The conditions and rules of a moment. `refuse` takes the word for what is violated.
fn statements<F: FnOnce(TokenStream, TokenStream) -> TokenStream>(
    contract: &Contract<'_>,
    descriptor: &Descriptor<'_>,
    moment: Moment,
    access: &dyn Reader,
    refuse: &dyn Fn(TokenStream) -> F,
) -> TokenStream {
    let name = &contract.about.name;
    let mut statements = TokenStream::new();
    for (index, field) in descriptor.fields.iter().enumerate() {
        let Some(condition) = field.one_of.as_ref().filter(|condition| condition.moment == moment) else {
            continue;
        };
        let used = access.used(index, field);
        let says = (field.name.as_str(), Says::Zero);
        let refuse = refuse(quote!(condition));
        statements.extend(rule::checked_condition(condition, name, says, &used, access.access(), refuse));
    }
    for rule in descriptor.rules.iter().filter(|rule| rule.moment == moment) {
        statements.extend(rule::checked(rule, name, access.access(), refuse(quote!(rule))));
    }
    statements
}

/// How the fields of a descriptor are read.
trait Reader: Access {
    /// Whether a field is other than zero, or than empty.
    fn used(&self, index: usize, field: &Field<'_>) -> TokenStream;

    /// Itself.
    fn access(&self) -> &dyn Access;
}

/// The fields in bytes of which every field was found right.
struct OfBytes<'d>(&'d Descriptor<'d>);

impl Access for OfBytes<'_> {
    fn field(&self, field: usize, span: Span) -> TokenStream {
        let value = decoded(field, &self.0.fields[field]);
        quote_spanned!(span=> ({ #value }))
    }

    fn length(&self, field: usize, span: Span) -> TokenStream {
        let number = match &self.0.fields[field] {
            Field { counted_by: Some(count), .. } => count_in_bytes(*count, &self.0.fields[*count]),
            Field { role: Role::Text, .. } => {
                let bytes = slice(field);
                quote!(__wire::counted::text_length(#bytes))
            }
            _ => dimension(field),
        };
        quote_spanned!(span=> (#number as i128))
    }

    fn present(&self, _: usize, _: Span) -> TokenStream {
        quote!(true)
    }

    fn documents(&self) -> bool {
        false
    }
}

impl Reader for OfBytes<'_> {
    fn used(&self, index: usize, field: &Field<'_>) -> TokenStream {
        used(index, field, self, |count| count_in_bytes(count, &self.0.fields[count]))
    }

    fn access(&self) -> &dyn Access {
        self
    }
}

/// The fields of `self`, of which every field was found right.
struct OfValue<'d>(&'d Descriptor<'d>);

impl Access for OfValue<'_> {
    fn field(&self, field: usize, span: Span) -> TokenStream {
        rule::of_self(self.0.fields[field].ident, span)
    }

    fn length(&self, field: usize, span: Span) -> TokenStream {
        let number = match &self.0.fields[field] {
            Field { counted_by: Some(count), .. } => {
                let count = &self.0.fields[*count];
                let member = count.ident;
                call(count, "count", &quote!(&self.#member))
            }
            text @ Field { role: Role::Text, .. } => {
                let member = text.ident;
                let bytes = call(text, "bytes", &quote!(&self.#member));
                quote!(__wire::counted::text_length(#bytes))
            }
            _ => dimension(field),
        };
        quote_spanned!(span=> (#number as i128))
    }

    fn present(&self, _: usize, _: Span) -> TokenStream {
        quote!(true)
    }

    fn documents(&self) -> bool {
        false
    }
}

impl Reader for OfValue<'_> {
    fn used(&self, index: usize, field: &Field<'_>) -> TokenStream {
        used(index, field, self, |count| {
            let count = &self.0.fields[count];
            let member = count.ident;
            call(count, "count", &quote!(&self.#member))
        })
    }

    fn access(&self) -> &dyn Access {
        self
    }
}

/// Whether a field is other than zero, or has an element that counts and is.
fn used(
    index: usize,
    field: &Field<'_>,
    access: &dyn Access,
    count: impl FnOnce(usize) -> TokenStream,
) -> TokenStream {
    let span = field.ident.span();
    if matches!(field.role, Role::Text) {
        let length = access.length(index, span);
        return quote!((#length != 0));
    }
    let value = access.field(index, span);
    match field.counted_by {
        Some(counter) => {
            let (count, most) = (count(counter), most(&[index]));
            quote_spanned!(span=> __wire::rule::used_within(&#value, __wire::counted::within(#count, #most)))
        }
        None => quote_spanned!(span=> __wire::rule::used(&#value)),
    }
}

/// How many elements an array has that no count counts.
fn dimension(field: usize) -> TokenStream {
    quote!(const { __WIRE_LAYOUT.shapes[#field].dims[0] })
}
