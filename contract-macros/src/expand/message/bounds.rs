//! What const evaluation checks of a message: that some value keeps its rules and numbers, and that its parts have room.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::super::rule_bounds::{self, Known};
use super::super::{ends, rule};
use super::{Locals, carried, variable};
use crate::check::{Contract, FdForm, Message, Part, TailLength};
use crate::rule::Place;

/// The fields of a message: parts have no value of their own, and groups as many file descriptors as they declare.
impl Known for Message<'_> {
    fn range(&self, _: usize) -> TokenStream {
        quote!(__wire::rule::Interval::ANY)
    }

    fn length(&self, field: usize) -> TokenStream {
        let before = self.parts.len() + usize::from(self.tail.is_some());
        let (least, most) = match field.checked_sub(before).and_then(|index| self.fds.get(index)) {
            Some(group) => group.form.range(),
            None if field >= self.parts.len() => (0, self.max_bytes),
            None => return quote!(__wire::rule::Interval::ANY.from_zero()),
        };
        quote!(__wire::rule::Interval::between(#least as i128, #most as i128))
    }

    fn within(&self, place: &Place) -> TokenStream {
        match self.parts.get(place.field) {
            Some(part) => self.reached(part, place),
            None => quote!(__wire::rule::Interval::ANY),
        }
    }
}

impl Message<'_> {
    /// From where to where goes a field of a part, whose type method resolution finds.
    fn reached(&self, part: &Part<'_>, place: &Place) -> TokenStream {
        let (at, ty, variable) = (place.span, part.ty, variable(part.ident));
        let value = rule::reached(place, &Locals(&self.scope));
        let range = quote_spanned!(at=> (&&__wire::rule::Reached(#value)).range());
        quote! {{
            #[allow(unused_imports)]
            use __wire::rule::{
                BehindReference as _, Documented as _, Fixed as _, InPlace as _, Plain as _, Unknown as _,
            };
            __wire::rule::range_of(|#variable: &#ty| #range)
        }}
    }
}

/// The checks, at the level of items.
pub(super) fn checks(contract: &Contract<'_>, message: &Message<'_>) -> Vec<TokenStream> {
    let name = &contract.about.name;
    let rules = message.rules.iter().map(|rule| rule_bounds::check(rule, name, message));
    let groups = message.fds.iter().filter_map(|group| {
        let field = group.member.name.as_str();
        match &group.form {
            FdForm::Optional(Some(condition)) => {
                Some(rule_bounds::check_present(condition, name, field, message))
            }
            FdForm::Many { least, most, count: Some(count) } => {
                Some(rule_bounds::check_count(count, name, field, (*least, *most), message))
            }
            _ => None,
        }
    });
    let tail = message.tail.as_ref().and_then(|tail| match &tail.length {
        TailLength::Rest => None,
        TailLength::Count(number) | TailLength::Bytes(number) => {
            Some(rule_bounds::check_count(number, name, &tail.member.name, (0, message.max_bytes), message))
        }
    });
    rules.chain(groups).chain(tail).chain(room(contract, message)).collect()
}

/// That the parts of a message with a tail are not longer than it may be.
fn room(contract: &Contract<'_>, message: &Message<'_>) -> Option<TokenStream> {
    message.tail.as_ref()?;
    let (name, most) = (&contract.about.name, message.max_bytes);
    let sizes = message.parts.iter().map(|part| carried(part.ty, "MOST"));
    let is_document = carried(message.parts.first()?.ty, "IS_DOCUMENT");
    let at = message.bound.unwrap_or_else(|| ends(message.parts[0].ty).0);
    Some(quote_spanned! {at=>
        const _: () = __wire::message::part::check_room(#name, #most as usize, #is_document, 0 #(+ #sizes)*);
    })
}
