//! Written members that are read again: whether each part is the variant that was written.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::document::Part;
use super::read::slot;
use crate::check::Recipe;

/// The function of `Members` that holds the value against what its own members say.
pub(super) fn misread(recipe: &Recipe<'_>) -> TokenStream {
    let mut parts = recipe.keys.iter().enumerate().filter(|(_, key)| key.flatten).map(|(index, key)| {
        let (member, slot, of) = (key.ident, slot(index), Part::new(key.ty, index).way("of"));
        quote!(fields.#slot.misread(#of(&self.#member)))
    });
    let Some(first) = parts.next() else { return TokenStream::new() };
    quote! {
        #[cold]
        fn misread(&self, fields: &__WireFields) -> ::core::option::Option<&'static __wire::Place> {
            #first #(.or_else(|| #parts))*
        }
    }
}
