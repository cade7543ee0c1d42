//! Reading: which variant the tag says, and what was read of it so far.

use proc_macro2::{Literal as Token, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::super::document::Part;
use super::super::{key, over};
use super::Form;
use crate::check::{Content, Variant, WhenAbsent};

/// What an object has been read as so far: the name of a variant's state.
pub(super) fn state(index: usize) -> Ident {
    format_ident!("V{index}")
}

impl<'a> Form<'_, 'a> {
    /// What was read so far.
    pub(super) fn fields(&self) -> TokenStream {
        let krate = self.contract.krate;
        let adjacent = self.content_key().is_some();
        let states = self.union.variants.iter().enumerate().map(|(index, variant)| {
            let state = state(index);
            match (&variant.content, adjacent) {
                (Content::Nothing, _) => quote!(#state),
                (Content::Value { ty, .. }, true) => quote!(#state(::core::option::Option<#ty>)),
                (Content::Value { ty, .. }, false) => {
                    let fields = Part::new(ty, index).of("Fields");
                    quote!(#state(#fields))
                }
                (Content::Other, true) => {
                    quote!(#state(__wire::String, ::core::option::Option<#krate::Json>))
                }
                (Content::Other, false) => quote!(#state(__wire::String, __wire::Rest)),
            }
        });
        let nowhere = self.tag().map(|_| quote!(Nowhere,));
        quote! {
            #[doc(hidden)]
            pub struct __WireFields {
                seen: bool,
                variant: __WireVariant,
            }

            enum __WireVariant {
                #nowhere
                #(#states,)*
            }
        }
    }

    /// The functions of `Members` that read.
    pub(super) fn reading(&self) -> TokenStream {
        let begin = self.begin();
        let (index, read, absent) = (self.index(), self.read(), self.absent());
        let finish = self.finish();
        let (denies, rest) = (self.denies(), self.rest());
        quote! {
            fn begin(reader: &__wire::Reader<'_>, object: __wire::Object) -> __WireFields {
                #begin
                __WireFields { seen: false, variant }
            }

            fn index(fields: &__WireFields, key: &str) -> ::core::option::Option<usize> {
                #index
            }

            fn read(
                fields: &mut __WireFields,
                index: usize,
                reader: &mut __wire::Reader<'_>,
            ) -> ::core::result::Result<(), __wire::Stop> {
                #read
            }

            fn absent(
                fields: &mut __WireFields,
                index: usize,
                reader: &mut __wire::Reader<'_>,
                object: __wire::Object,
            ) -> ::core::result::Result<(), __wire::Stop> {
                let _ = (&fields, &reader, &object);
                #absent
            }

            fn finish(
                fields: __WireFields,
                reader: &mut __wire::Reader<'_>,
                object: __wire::Object,
            ) -> ::core::result::Result<Self, __wire::Stop> {
                let _ = (&reader, &object);
                #finish
            }

            #denies
            #rest
        }
    }

    /// A `match` of what was read so far, that is called `fields`; `otherwise` is of no variant.
    fn each_state(
        &self,
        of: &TokenStream,
        otherwise: &TokenStream,
        mut arm: impl FnMut(usize, &Variant<'a>) -> Option<TokenStream>,
    ) -> TokenStream {
        let mut all = true;
        let arms: Vec<TokenStream> = self
            .union
            .variants
            .iter()
            .enumerate()
            .filter_map(|(index, variant)| {
                let Some(body) = arm(index, variant) else {
                    all = false;
                    return None;
                };
                let state = state(index);
                let pattern = match (&variant.content, self.content_key()) {
                    (Content::Nothing, _) => quote!(__WireVariant::#state),
                    (Content::Other, _) => quote!(__WireVariant::#state(_tag, fields)),
                    _ => quote!(__WireVariant::#state(fields)),
                };
                Some(quote!(#pattern => #body,))
            })
            .collect();
        // An untagged union is always one of its variants.
        let otherwise = (!all || self.tag().is_some()).then(|| quote!(_ => #otherwise,));
        quote!(match #of { #(#arms)* #otherwise })
    }

    /// The state of a variant of which nothing was read yet.
    fn fresh(&self, index: usize, variant: &Variant<'_>) -> TokenStream {
        let state = state(index);
        match (&variant.content, self.content_key()) {
            (Content::Nothing, _) => quote!(__WireVariant::#state),
            (Content::Value { ty, .. }, Some(_)) => {
                let none = over(ty, quote!(::core::option::Option::None));
                quote!(__WireVariant::#state(#none))
            }
            (Content::Value { ty, .. }, None) => {
                let begin = Part::new(ty, index).of("begin");
                quote!(__WireVariant::#state(#begin(reader, object)))
            }
            (Content::Other, _) => {
                quote!(__WireVariant::#state(__wire::String::from(&*name), ::core::default::Default::default()))
            }
        }
    }

    fn begin(&self) -> TokenStream {
        let variants = || self.union.variants.iter().enumerate();
        let Some(tag) = self.tag() else {
            let required = variants().filter_map(|(index, variant)| match &variant.content {
                Content::Value { ty, .. } => Some(Part::new(ty, index).of("REQUIRED")),
                _ => None,
            });
            let count = self.union.variants.len();
            let arms = variants().map(|(index, variant)| {
                let fresh = self.fresh(index, variant);
                let index = Token::usize_unsuffixed(index);
                if usize::to_string(&(count - 1)) == index.to_string() {
                    quote!(_ => #fresh,)
                } else {
                    quote!(#index => #fresh,)
                }
            });
            return quote! {
                let variant = match __wire::choose(reader, object, &[#(#required),*]) { #(#arms)* };
            };
        };
        let arms = variants().filter(|(_, variant)| {
            variant.when_absent != WhenAbsent::NoTag && !matches!(variant.content, Content::Other)
        });
        let arms = arms.map(|(index, variant)| {
            let (tag, aliases, fresh) = (&variant.tag, &variant.aliases, self.fresh(index, variant));
            quote!(#tag #(| #aliases)* => #fresh,)
        });
        let find = |is: fn(&Variant<'_>) -> bool| {
            variants()
                .find(|(_, variant)| is(variant))
                .map_or_else(|| quote!(__WireVariant::Nowhere), |(index, variant)| self.fresh(index, variant))
        };
        let other = find(|variant| matches!(variant.content, Content::Other));
        let absent = find(|variant| variant.when_absent != WhenAbsent::No);
        let forgive = self.union.lenient.then(|| {
            let known = self.closed_tags();
            quote!(.or_absent(reader, #known))
        });
        quote! {
            let variant = match __wire::Tag::find(reader, object, #tag) #forgive {
                __wire::Tag::Name(name) => match &*name {
                    #(#arms)*
                    _ => #other,
                },
                __wire::Tag::Absent => #absent,
                __wire::Tag::Faulty => __WireVariant::Nowhere,
            };
        }
    }

    fn index(&self) -> TokenStream {
        let none = quote!(::core::option::Option::None);
        let of_variant = self.each_state(&quote!(&fields.variant), &none, |index, variant| {
            match (&variant.content, self.content_key(), self.tag()) {
                (Content::Nothing, ..) | (Content::Other, None, _) => None,
                (Content::Value { .. } | Content::Other, Some(content), _) => Some(quote! {{
                    let _ = fields;
                    if key == #content { ::core::option::Option::Some(1) } else { #none }
                }}),
                (Content::Value { ty, .. }, None, tag) => {
                    let index = Part::new(ty, index).of("index");
                    Some(match tag {
                        Some(_) => quote! {
                            match #index(fields, key) {
                                ::core::option::Option::Some(index) => ::core::option::Option::Some(1 + index),
                                ::core::option::Option::None => #none,
                            }
                        },
                        None => quote!(#index(fields, key)),
                    })
                }
            }
        });
        match self.tag() {
            Some(tag) => quote! {
                if key == #tag {
                    return ::core::option::Option::Some(0);
                }
                #of_variant
            },
            None => of_variant,
        }
    }

    fn read(&self) -> TokenStream {
        let stop = quote!(::core::result::Result::Err(__wire::Stop));
        let of_variant = self.each_state(&quote!(&mut fields.variant), &stop, |index, variant| {
            match (&variant.content, self.content_key(), self.tag()) {
                (Content::Nothing, ..) | (Content::Other, None, _) => None,
                (Content::Value { ty, .. }, Some(_), _) => {
                    Some(key::call(ty, None, "take", &quote!(fields, reader, &__WIRE_CONTENT)))
                }
                (Content::Other, Some(_), _) => {
                    Some(quote!(__wire::JsonType::take(fields, reader, &__WIRE_CONTENT)))
                }
                (Content::Value { ty, .. }, None, tag) => {
                    let read = Part::new(ty, index).of("read");
                    let index = if tag.is_some() { quote!(index - 1) } else { quote!(index) };
                    Some(quote!(#read(fields, #index, reader)))
                }
            }
        });
        if self.tag().is_none() {
            return of_variant;
        }
        let take = if self.union.lenient {
            let known = self.closed_tags();
            quote!(take_lenient_tag(&mut fields.seen, is_known, #known, reader, &__WIRE_TAG.place))
        } else {
            quote!(take_tag(&mut fields.seen, is_known, reader, &__WIRE_TAG.place))
        };
        quote! {
            if index == 0 {
                let is_known = !::core::matches!(fields.variant, __WireVariant::Nowhere);
                return __wire::#take;
            }
            #of_variant
        }
    }

    /// Every tag there is, where no others are kept.
    fn closed_tags(&self) -> TokenStream {
        if self.union.variants.iter().any(|variant| matches!(variant.content, Content::Other)) {
            return quote!(::core::option::Option::None);
        }
        let known = self.known_tags();
        quote!(::core::option::Option::Some(&[#(#known),*]))
    }

    fn absent(&self) -> TokenStream {
        let ok = quote!(::core::result::Result::Ok(()));
        let of_variant = self.each_state(&quote!(&mut fields.variant), &ok, |index, variant| {
            match (&variant.content, self.content_key(), self.tag()) {
                (Content::Value { default: None, .. }, Some(_), _) => Some(quote! {{
                    let _ = fields;
                    __wire::missing(reader, object, &__WIRE_CONTENT.place)
                }}),
                (Content::Value { ty, .. }, None, tag) => {
                    let absent = Part::new(ty, index).of("absent");
                    let index = if tag.is_some() { quote!(index - 1) } else { quote!(index) };
                    Some(quote!(#absent(fields, #index, reader, object)))
                }
                _ => None,
            }
        });
        if self.tag().is_none() {
            return of_variant;
        }
        quote! {
            if index == 0 {
                return match fields.variant {
                    __WireVariant::Nowhere => __wire::missing(reader, object, &__WIRE_TAG.place),
                    _ => #ok,
                };
            }
            #of_variant
        }
    }

    fn finish(&self) -> TokenStream {
        let krate = self.contract.krate;
        let missing = quote!(__wire::missing(reader, object, &__WIRE_TAG.place));
        self.each_state_owned(&missing, |index, variant| {
            let ident = variant.ident;
            let value = match (&variant.content, self.content_key()) {
                (Content::Nothing, _) => return quote!(::core::result::Result::Ok(Self::#ident)),
                (Content::Value { ty, .. }, None) => {
                    let part = Part::new(ty, index);
                    let (give, finish) = (part.way("give"), part.of("finish_checked"));
                    quote!(#give(#finish(fields, reader, object)?))
                }
                (Content::Value { ty, held, default: Some((default, _)) }, Some(_)) => {
                    let default = key::value(default, ty, held);
                    quote! {
                        match fields {
                            ::core::option::Option::Some(value) => value,
                            ::core::option::Option::None => #default,
                        }
                    }
                }
                (Content::Value { ty, .. }, Some(_)) => {
                    key::required(ty, quote!((fields)), &quote!(&__WIRE_CONTENT))
                }
                (Content::Other, Some(_)) => quote!(#krate::UnknownVariant { tag, content: fields }),
                (Content::Other, None) => quote!(#krate::UnknownVariant::of_rest(tag, fields)),
            };
            quote!(::core::result::Result::Ok(Self::#ident(#value)))
        })
    }

    fn each_state_owned(
        &self,
        otherwise: &TokenStream,
        mut arm: impl FnMut(usize, &Variant<'a>) -> TokenStream,
    ) -> TokenStream {
        let arms = self.union.variants.iter().enumerate().map(|(index, variant)| {
            let (state, body) = (state(index), arm(index, variant));
            match &variant.content {
                Content::Nothing => quote!(__WireVariant::#state => #body,),
                Content::Other => quote!(__WireVariant::#state(tag, fields) => #body,),
                Content::Value { .. } => quote!(__WireVariant::#state(fields) => #body,),
            }
        });
        let otherwise = self.tag().map(|_| quote!(__WireVariant::Nowhere => #otherwise,));
        quote!(match fields.variant { #(#arms)* #otherwise })
    }

    /// The recipe of a variant whose keys stand in the union's object says whether others may.
    fn denies(&self) -> TokenStream {
        if self.content_key().is_some() {
            return TokenStream::new();
        }
        let none = quote!(::core::option::Option::None);
        let each =
            self.each_state(&quote!(&fields.variant), &none, |index, variant| match &variant.content {
                Content::Value { ty, .. } => {
                    let denies = Part::new(ty, index).of("denies");
                    Some(quote!(#denies(fields)))
                }
                _ => None,
            });
        quote! {
            fn denies(fields: &__WireFields) -> ::core::option::Option<&'static str> {
                #each
            }
        }
    }

    fn rest(&self) -> TokenStream {
        if self.content_key().is_some() {
            return TokenStream::new();
        }
        let none = quote!(::core::option::Option::None);
        let each =
            self.each_state(&quote!(&mut fields.variant), &none, |index, variant| match &variant.content {
                Content::Value { ty, .. } => {
                    let rest = Part::new(ty, index).of("rest");
                    Some(quote!(#rest(fields)))
                }
                Content::Other => Some(quote!(::core::option::Option::Some(fields))),
                Content::Nothing => None,
            });
        quote! {
            fn rest(fields: &mut __WireFields) -> ::core::option::Option<&mut __wire::Rest> {
                #each
            }
        }
    }
}
