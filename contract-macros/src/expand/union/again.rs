//! Written members that are read again: whether they say the variant that was written.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::document::Part;
use super::Form;
use super::read::state;
use crate::check::Content;

impl Form<'_, '_> {
    /// The function of `Members` that holds the value against what its own members say.
    pub(super) fn misread(&self) -> TokenStream {
        let none = quote!(::core::option::Option::None);
        let inside = self.content_key().is_none();
        let arms = self.union.variants.iter().enumerate().map(|(index, variant)| {
            let (ident, state) = (variant.ident, state(index));
            match &variant.content {
                Content::Nothing => quote!((Self::#ident, __WireVariant::#state) => #none,),
                Content::Value { ty, .. } if inside => {
                    let part = Part::new(ty, index);
                    let (misread, of) = (part.of("misread"), part.way("of"));
                    quote!((Self::#ident(value), __WireVariant::#state(fields)) => #misread(#of(value), fields),)
                }
                _ => quote!((Self::#ident(..), __WireVariant::#state(..)) => #none,),
            }
        });
        let place = match self.tag() {
            Some(_) => quote!(&__WIRE_TAG.place),
            None => {
                let name = &self.contract.about.name;
                quote!(&__wire::Place { contract: #name, field: "" })
            }
        };
        // Of a union without tags that has one variant, nothing is left.
        let otherwise = (self.tag().is_some() || self.union.variants.len() > 1)
            .then(|| quote!(_ => ::core::option::Option::Some(#place),));
        quote! {
            #[cold]
            fn misread(
                &self,
                fields: &__WireFields,
            ) -> ::core::option::Option<&'static __wire::Place> {
                match (self, &fields.variant) { #(#arms)* #otherwise }
            }
        }
    }
}
