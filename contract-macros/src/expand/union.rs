//! A union: its tag, and the variant that it says.

mod again;
mod read;

use proc_macro2::{Literal as Token, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::document::{self, Part};
use super::key;
use super::record::{self, Words};
use super::rule::{self, OfSelf};
use super::rule_bounds;
use crate::check::{Bounds, Content, Contract, Tagging, Union, Variant, WhenAbsent};
use crate::parse::Moment;
use crate::record::Text;

/// The expansion of a union.
pub(crate) fn expand(contract: &Contract<'_>, union: &Union<'_>) -> TokenStream {
    let (ident, krate) = (contract.ident, contract.krate);
    let adjacent = matches!(union.tagging, Tagging::Adjacent { .. });
    let shapes = union.variants.iter().enumerate().map(|(index, variant)| match &variant.content {
        Content::Nothing => quote!(__wire::JsonShape::NOTHING),
        Content::Value { ty, .. } if !adjacent => Part::new(ty, index).shape(),
        Content::Value { ty, .. } => key::shape(ty, None),
        Content::Other => quote!(__wire::JsonShape::UNKNOWN),
    });
    let record = record::contract_and_record(
        ident,
        krate,
        &quote!(Union),
        &Text::of(contract),
        &Words::Shapes(shapes.collect()),
    );
    let form = Form { contract, union };
    let keys = form.keys();
    let checks = form.checks();
    let members = form.members();
    let json_type = document::json_type(ident, krate);
    let limits = document::check_limits(&union.limits, ident, &contract.about.name);
    let constants = union.rules.iter().map(|rule| {
        let constants = rule::constants(rule, ident, &union.scope);
        let check = rule_bounds::check(rule, &contract.about.name, &NoFields);
        quote!(#constants #check)
    });
    let variants: Vec<&Ident> = union.variants.iter().map(|variant| variant.ident).collect();
    let position = form.each(|index, _| {
        let index = Token::usize_unsuffixed(index);
        (false, quote!(#index))
    });
    let rules = rule::of_union(ident, &variants, &position);
    let inherent = form.inherent();
    quote! {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, unused_qualifications, unused_braces, unused_parens, nonstandard_style, deprecated)]
        const _: () = {
            use #krate::__private as __wire;

            #record
            #keys
            #checks
            #(#constants)*
            #members
            const _: &__wire::Keys = <#ident as __wire::Members>::KEYS;
            #limits
            #json_type
            #rules
            #inherent
        };
    }
}

/// The rules of a union see its variant, and no fields.
struct NoFields;

impl rule_bounds::Known for NoFields {
    fn range(&self, _: usize) -> TokenStream {
        quote!(__wire::rule::Interval::ANY)
    }

    fn length(&self, _: usize) -> TokenStream {
        quote!(__wire::rule::Interval::ANY)
    }
}

/// A union whose expansion is written.
struct Form<'u, 'a> {
    contract: &'u Contract<'a>,
    union: &'u Union<'a>,
}

impl<'u, 'a> Form<'u, 'a> {
    fn tag(&self) -> Option<&'u str> {
        match &self.union.tagging {
            Tagging::Internal { tag, .. } | Tagging::Adjacent { tag, .. } => Some(tag),
            Tagging::Untagged => None,
        }
    }

    fn content_key(&self) -> Option<&'u str> {
        match &self.union.tagging {
            Tagging::Adjacent { content, .. } => Some(content),
            _ => None,
        }
    }

    fn is_last(&self) -> bool {
        matches!(
            self.union.tagging,
            Tagging::Internal { last: true, .. } | Tagging::Adjacent { last: true, .. }
        )
    }

    /// The keys as the runtime wants them.
    fn keys(&self) -> TokenStream {
        let name = &self.contract.about.name;
        let one = |ident: &str, value: Option<&str>| {
            let (ident, key) = (format_ident!("{ident}"), key::new_key(name, value?));
            Some(quote!(static #ident: __wire::Key = #key;))
        };
        let (tag, content) = (one("__WIRE_TAG", self.tag()), one("__WIRE_CONTENT", self.content_key()));
        quote!(#tag #content)
    }

    /// What const evaluation checks: all that depends on what types are.
    fn checks(&self) -> TokenStream {
        if self.content_key().is_some() {
            let checks = self.union.variants.iter().map(|variant| {
                let Content::Value { ty, held, default } = &variant.content else {
                    return TokenStream::new();
                };
                let name = &variant.name;
                let unspelled = document::check_spelled(ty, held, None, "check_content", name);
                let default = default.as_ref();
                let default = default.map(|(default, at)| document::check_default(default, *at, held, name));
                quote!(#unspelled #default)
            });
            return checks.collect();
        }
        let checks = self.union.variants.iter().enumerate().filter_map(|(index, variant)| {
            let Content::Value { ty, .. } = &variant.content else { return None };
            let (part, name) = (Part::new(ty, index), &variant.name);
            let (declared, shape) = (part.declared(), part.shape());
            let check = quote_spanned!(ty.span()=> const _: () = __wire::check_recipe(&#shape, #name););
            Some(quote!(#declared #check))
        });
        let checks: TokenStream = checks.collect();
        let (probes, tried) = (document::probes(), self.tried());
        quote!(#probes #checks #tried)
    }

    /// What const evaluation checks of variants without tags: that none writes what is read as an earlier one.
    fn tried(&self) -> TokenStream {
        if self.tag().is_some() {
            return TokenStream::new();
        }
        let variants = self.union.variants.iter().enumerate();
        let tried = variants.clone().filter_map(|(index, variant)| {
            let Content::Value { ty, .. } = &variant.content else { return None };
            let (members, name) = (Part::new(ty, index).members(), &variant.name);
            Some(quote!(__wire::Tried::new::<#members>(#name)))
        });
        let name = &self.contract.about.name;
        let checks = variants.skip(1).map(|(index, variant)| {
            let index = Token::usize_unsuffixed(index);
            quote_spanned!(variant.ident.span()=> const _: () = __wire::check_tried(__WIRE_TRIED, #index, #name);)
        });
        quote! {
            const __WIRE_TRIED: &[__wire::Tried] = &[#(#tried),*];
            #(#checks)*
        }
    }

    /// A `match` of `self`: of each variant whether its value is named `value`, and what is done.
    fn each(&self, mut arm: impl FnMut(usize, &Variant<'a>) -> (bool, TokenStream)) -> TokenStream {
        let arms = self.union.variants.iter().enumerate().map(|(index, variant)| {
            let (names, body) = arm(index, variant);
            let ident = variant.ident;
            let pattern = match (&variant.content, names) {
                (Content::Nothing, _) => quote!(Self::#ident),
                (_, true) => quote!(Self::#ident(value)),
                (_, false) => quote!(Self::#ident(..)),
            };
            quote!(#pattern => #body,)
        });
        quote!(match self { #(#arms)* })
    }

    fn members(&self) -> TokenStream {
        let (ident, krate) = (self.contract.ident, self.contract.krate);
        let count = self.count();
        let (claimed, least) = (self.claimed(), self.least());
        let (max_bytes, max_depth) = document::limits(&self.union.limits);
        let (fields, reading) = (self.fields(), self.reading());
        let access = OfSelf(&self.union.scope);
        let rules = |moment: Moment, offset: TokenStream| -> TokenStream {
            let rules = self.union.rules.iter().filter(|rule| rule.moment == moment);
            rules
                .map(|rule| document::rule(rule, &self.contract.about.name, krate, &access, &offset))
                .collect()
        };
        let check = document::check(krate, &rules(Moment::Read, quote!(offset)));
        let (write, misread) = (self.write(), self.misread());
        let nested = self.nested("import", "of", &quote!(, fd_count), true);
        let import_rules = rules(Moment::Import, quote!(0));
        let import = document::import(krate, &quote!(#nested #import_rules));
        let fill = self.nested("fill", "of_mut", &TokenStream::new(), false);
        let fill = (!fill.is_empty()).then(|| quote!(fn fill(&mut self) { #fill }));
        quote! {
            #fields

            #[automatically_derived]
            impl __wire::Members for #ident {
                type Fields = __WireFields;
                const COUNT: usize = #count;
                const REQUIRED: &'static [&'static str] = &[];
                #claimed
                const LEAST: __wire::Least = #least;
                const MAX_BYTES: usize = #max_bytes;
                const MAX_DEPTH: usize = #max_depth;
                #reading
                #check

                fn write(&self, writer: &mut __wire::Writer) -> ::core::result::Result<(), __wire::Stop> {
                    #write
                }

                #misread

                #import
                #fill
            }
        }
    }

    /// The keys of the object, and the check that no two contracts claim one.
    fn claimed(&self) -> TokenStream {
        let own: Vec<&str> = self.tag().into_iter().chain(self.content_key()).collect();
        let internal = self.content_key().is_none();
        let mut variants: Vec<TokenStream> = Vec::new();
        let mut checks = TokenStream::new();
        for (index, variant) in self.union.variants.iter().enumerate().filter(|_| internal) {
            let Content::Value { ty, .. } = &variant.content else { continue };
            let part = Part::new(ty, index);
            let (keys, shape) = (part.of("KEYS"), part.shape());
            let (span, contract, name) = (variant.ident.span(), &self.contract.about.name, &variant.name);
            // Of what is no recipe, `check_recipe` says so.
            checks.extend(quote_spanned! {span=>
                if #shape.is_recipe() {
                    __wire::check_keys(&[#(#own),*], &[], #keys, #contract, #name);
                }
            });
            variants.push(keys);
        }
        let is_open =
            internal && self.union.variants.iter().any(|variant| matches!(variant.content, Content::Other));
        let denies = self.union.variants.iter().enumerate().filter_map(|(index, variant)| {
            match (&variant.content, internal) {
                (Content::Value { ty, .. }, true) => Some(Part::new(ty, index).of("DENIES")),
                _ => None,
            }
        });
        quote! {
            const DENIES: bool = false #(|| #denies)*;
            const KEYS: &'static __wire::Keys = {
                #checks
                &__wire::Keys { own: &[#(#own),*], parts: &[], variants: &[#(#variants),*], is_open: #is_open }
            };
        }
    }

    /// The least that the members have: those of the variant with the least.
    fn least(&self) -> TokenStream {
        let head = |key: &str| Token::usize_unsuffixed(key::head(key).len());
        let variants = self.union.variants.iter().enumerate().map(|(index, variant)| {
            let tag = self.tag().filter(|_| variant.when_absent == WhenAbsent::No).map(|tag| {
                let names = std::iter::once(&variant.tag).chain(&variant.aliases);
                let shortest = names.map(|name| key::quoted(name).len()).min().unwrap_or(2);
                let (head, shortest) = (head(tag), Token::usize_unsuffixed(shortest));
                quote!(__wire::Least::tag(#head, #shortest),)
            });
            let content = match (&variant.content, self.content_key()) {
                (Content::Value { ty, .. }, None) => Part::new(ty, index).of("LEAST"),
                (Content::Value { ty, default: None, .. }, Some(content)) => {
                    let (head, value) = (head(content), key::least(ty, None, &Bounds::default()));
                    quote!(__wire::Least::member(#head, #value))
                }
                _ => TokenStream::new(),
            };
            quote!(__wire::Least::all(&[#tag #content]))
        });
        quote!(__wire::Least::one_of(&[#(#variants),*]))
    }

    /// Positions: that of the tag, and those of the variant that has the most.
    fn count(&self) -> TokenStream {
        if self.content_key().is_some() {
            return quote!(2);
        }
        let variants = self.union.variants.iter().enumerate();
        let counts = variants.filter_map(|(index, variant)| match &variant.content {
            Content::Value { ty, .. } => Some(Part::new(ty, index).of("COUNT")),
            _ => None,
        });
        let most = quote!(__wire::most_positions(&[#(#counts),*]));
        if self.tag().is_some() { quote!(1 + #most) } else { most }
    }

    fn write(&self) -> TokenStream {
        let last = self.is_last();
        self.each(|index, variant| {
            let tag = match (self.tag(), variant.when_absent) {
                (Some(tag), WhenAbsent::No | WhenAbsent::Default) => {
                    let text = format!("{}{}", key::head(tag), key::quoted(&variant.tag));
                    quote!(writer.raw(#text);)
                }
                _ => TokenStream::new(),
            };
            let content = match (&variant.content, self.content_key()) {
                (Content::Nothing, _) => TokenStream::new(),
                (Content::Value { ty, .. }, None) => {
                    let of = Part::new(ty, index).way("of");
                    quote!(__wire::put_members(writer, #of(value))?;)
                }
                (Content::Value { ty, .. }, Some(_)) => {
                    let put = key::call(ty, None, "put", &quote!(value, writer, &__WIRE_CONTENT));
                    quote!(#put?;)
                }
                (Content::Other, content) => {
                    let known = self.known_tags();
                    let write = match content {
                        Some(_) => quote!(write_adjacent(writer, &__WIRE_TAG, &__WIRE_CONTENT, #last, &[#(#known),*])),
                        None => quote!(write_internal(writer, &__WIRE_TAG, #last, &[#(#known),*])),
                    };
                    return (true, quote!(value.#write));
                }
            };
            let names = !content.is_empty();
            let (before, behind) = if last { (TokenStream::new(), tag) } else { (tag, TokenStream::new()) };
            let body = quote! {{
                #before
                #content
                #behind
                ::core::result::Result::Ok(())
            }};
            (names, body)
        })
    }

    /// Every tag that says a variant.
    fn known_tags(&self) -> Vec<&str> {
        let tagged = self.union.variants.iter().filter(|variant| {
            variant.when_absent != WhenAbsent::NoTag && !matches!(variant.content, Content::Other)
        });
        tagged
            .flat_map(|variant| std::iter::once(&variant.tag).chain(&variant.aliases))
            .map(String::as_str)
            .collect()
    }

    /// A function of what the variant holds, where that may be a contract.
    fn nested(&self, function: &str, way: &str, argument: &TokenStream, gives: bool) -> TokenStream {
        let mut any = false;
        let question = gives.then(|| quote!(?));
        let each = self.each(|index, variant| match &variant.content {
            Content::Value { ty, held, .. } if held.nests() => {
                any = true;
                let call = if self.content_key().is_some() {
                    key::call(ty, None, function, &quote!(value #argument))
                } else {
                    let part = Part::new(ty, index);
                    let (function, way) = (part.of(function), part.way(way));
                    quote!(#function(#way(value) #argument))
                };
                (true, quote!(#call #question))
            }
            _ => (false, quote!(())),
        });
        if any { quote!(#each;) } else { TokenStream::new() }
    }

    /// What the enum gets besides the traits.
    fn inherent(&self) -> TokenStream {
        let (ident, vis) = (self.contract.ident, self.contract.vis);
        let tag = self.tag().map(|_| {
            let each = self.each(|_, variant| match (&variant.content, variant.when_absent) {
                (Content::Other, _) => (true, quote!(&value.tag)),
                (_, WhenAbsent::NoTag) => (false, quote!("")),
                _ => {
                    let tag = &variant.tag;
                    (false, quote!(#tag))
                }
            });
            let empty = if self.union.variants.iter().any(|variant| variant.when_absent == WhenAbsent::NoTag)
            {
                " Empty where none is written."
            } else {
                ""
            };
            let docs = format!("The tag that says the variant.{empty}");
            quote! {
                #[doc = #docs]
                #[must_use]
                #vis fn tag(&self) -> &str {
                    #each
                }
            }
        });
        quote! {
            #[automatically_derived]
            #[allow(dead_code)]
            impl #ident {
                #tag

                /// The same, with every absent key that has a default as that default, in what it holds.
                #[must_use]
                #vis fn with_defaults(mut self) -> Self {
                    __wire::Members::fill(&mut self);
                    self
                }
            }
        }
    }
}
