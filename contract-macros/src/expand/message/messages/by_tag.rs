//! Several messages that a number in the first part tells apart.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use super::super::super::{ends, rule};
use super::super::at_type;
use super::{made, message, types};
use crate::check::{Contract, MessageVariant, Messages};

/// The functions of `Message`.
pub(super) fn functions(contract: &Contract<'_>, messages: &Messages<'_>, tag: &[Ident]) -> TokenStream {
    let Some(first) = types(messages).next() else { return TokenStream::new() };
    let text = tag.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
    let told = Told { contract, messages, tag, text, first: first_of(first, "First") };
    let (krate, checks, first) = (contract.krate, told.checks(), &told.first);
    let tag = rule::number_within(&quote!(__first), &tag[1..]);
    let (read, written, imported) = (told.read(), told.written(), told.imported());
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            #checks
            let __first: #first = __wire::message::first(__bytes)?;
            match #tag {
                #read
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            match self {
                #written
            }
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            match self {
                #imported
            }
        }
    }
}

/// What is asked of the tag alone.
pub(super) fn told(contract: &Contract<'_>, messages: &Messages<'_>, tag: &[Ident]) -> TokenStream {
    let Some(first) = types(messages).next() else { return TokenStream::new() };
    let text = tag.iter().map(|word| word.unraw().to_string()).collect::<Vec<_>>().join(".");
    let told = Told { contract, messages, tag, text, first: first_of(first, "First") };
    let (ident, krate, first) = (contract.ident, contract.krate, &told.first);
    let (found, own) = (
        rule::number_within(&quote!(__first), &tag[1..]),
        rule::number_within(&quote!((*__first)), &tag[1..]),
    );
    let (which, checked) = (told.which(), told.checked());
    quote! {
        #[automatically_derived]
        impl __wire::message::Told for #ident {
            type First = #first;

            fn which(__bytes: &[u8]) -> ::core::result::Result<usize, #krate::WireError> {
                let __first: #first = __wire::message::first(__bytes)?;
                match #found {
                    #which
                }
            }

            fn check(
                __first: &Self::First,
                __which: usize,
            ) -> ::core::result::Result<(), #krate::WireError> {
                __wire::message::part::check(__first)?;
                let __tag = #own;
                match __which {
                    #checked
                    _ => ::core::result::Result::Ok(()),
                }
            }
        }
    }
}

/// What the first part of a message is asked.
fn first_of(ty: &Type, item: &str) -> TokenStream {
    at_type(ty, &quote!(<#ty as __wire::message::HasFirst>), item)
}

/// Messages, and where their tag is.
struct Told<'c> {
    contract: &'c Contract<'c>,
    messages: &'c Messages<'c>,
    /// The first part, and the way to the field in it.
    tag: &'c [Ident],
    /// The same in words.
    text: String,
    /// The type of the first part, which all of them have.
    first: TokenStream,
}

impl Told<'_> {
    /// That each message has the first part that the tag is in, and that the tag may be the number of each.
    fn checks(&self) -> TokenStream {
        let Told { tag, text, first, .. } = self;
        let (part, fields) = (tag[0].unraw().to_string(), &tag[1..]);
        let at = tag[tag.len() - 1].span();
        let range = quote_spanned! {at=>
            const __WIRE_TAG: __wire::rule::Interval =
                __wire::rule::tag_of(|__first: &#first| &(*__first)#(.#fields)*);
        };
        let each = self.messages.variants.iter().filter_map(|variant| {
            let ty = variant.holds.as_ref()?.ty;
            let (start, _) = ends(ty);
            // A part of another type is refused as such, and nothing is asked of its name.
            let begins = quote_spanned! {start=>
                const _: () = __wire::message::part::check_first::<#ty, #first>(#part, #text);
            };
            let number = variant.value.map(|value| {
                let (own, at) = (variant.ident.unraw().to_string(), variant.ident.span());
                quote_spanned!(at=> const _: () = __wire::rule::check_tag(__WIRE_TAG, #text, #own, #value);)
            });
            Some(quote!(#begins #number))
        });
        quote!(#range #(#each)*)
    }

    /// From each number to its message; the open variant, or an error, where the number is nobody's.
    fn read(&self) -> TokenStream {
        let (name, text) = (&self.contract.about.name, &self.text);
        let of = |variant: &MessageVariant<'_>| {
            let holds = variant.holds.as_ref()?;
            let from_message = message(self.contract, holds.ty, "from_message");
            let made = made(variant.ident, holds);
            Some(quote!(#from_message(__bytes, __fds).map(#made)))
        };
        let known = self.messages.variants.iter().filter_map(|variant| {
            let (value, read) = (Literal::u64_unsuffixed(variant.value?), of(variant)?);
            Some(quote!(::core::option::Option::Some(#value) => #read,))
        });
        let open = self.messages.variants.iter().find(|variant| variant.is_open);
        let otherwise = match open.and_then(of) {
            Some(read) => quote!(_ => #read,),
            None => quote! {
                __found => ::core::result::Result::Err(
                    __wire::message::beside::unknown_tag(#name, #text, __found),
                ),
            },
        };
        quote!(#(#known)* #otherwise)
    }

    /// From each number to the position of its variant.
    fn which(&self) -> TokenStream {
        let (name, text) = (&self.contract.about.name, &self.text);
        let positions = || self.messages.variants.iter().enumerate();
        let known = positions().filter_map(|(index, variant)| {
            let (value, index) = (Literal::u64_unsuffixed(variant.value?), Literal::usize_unsuffixed(index));
            Some(quote!(::core::option::Option::Some(#value) => ::core::result::Result::Ok(#index),))
        });
        let otherwise = match positions().find(|(_, variant)| variant.is_open) {
            Some((index, _)) => {
                let index = Literal::usize_unsuffixed(index);
                quote!(_ => ::core::result::Result::Ok(#index),)
            }
            None => quote! {
                __found => ::core::result::Result::Err(
                    __wire::message::beside::unknown_tag(#name, #text, __found),
                ),
            },
        };
        quote!(#(#known)* #otherwise)
    }

    /// That the tag is the number of the variant at a position.
    fn checked(&self) -> TokenStream {
        let each = self.messages.variants.iter().enumerate().map(|(index, variant)| {
            let (index, check) = (Literal::usize_unsuffixed(index), self.check(variant));
            quote!(#index => #check,)
        });
        each.collect()
    }

    /// That the tag is the number of a variant.
    fn check(&self, variant: &MessageVariant<'_>) -> TokenStream {
        let (name, text) = (&self.contract.about.name, &self.text);
        if let Some(value) = variant.value {
            return quote!(__wire::message::beside::check_tag(#name, #text, #value, __tag));
        }
        let variants = self.messages.variants.iter();
        let known = variants.filter_map(|variant| variant.value.map(Literal::u64_unsuffixed));
        quote!(__wire::message::beside::check_open(#name, #text, &[#(#known),*], __tag))
    }

    /// Each message to what crosses, once its tag is the number of its variant.
    fn written(&self) -> TokenStream {
        let tag = rule::number_within(&quote!((*__first)), &self.tag[1..]);
        let each = self.messages.variants.iter().filter_map(|variant| {
            let (member, ty) = (variant.ident, variant.holds.as_ref()?.ty);
            let check = self.check(variant);
            let (first, to_message) = (first_of(ty, "first"), message(self.contract, ty, "to_message"));
            Some(quote! {
                Self::#member(__message) => {
                    let __first = #first(__message);
                    __wire::message::part::check(__first)?;
                    let __tag = #tag;
                    #check?;
                    #to_message(__message)
                }
            })
        });
        each.collect()
    }

    fn imported(&self) -> TokenStream {
        let each = self.messages.variants.iter().filter_map(|variant| {
            let validate_import = message(self.contract, variant.holds.as_ref()?.ty, "validate_import");
            let member = variant.ident;
            Some(quote!(Self::#member(__message) => #validate_import(__message),))
        });
        each.collect()
    }
}
