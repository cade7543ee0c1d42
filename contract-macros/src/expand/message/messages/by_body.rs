//! Several messages that are told apart by the variant of the union that is the body.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Ident, Path};

use super::super::super::ends;
use super::super::at_type;
use super::{beside, made};
use crate::check::{Contract, Messages, VariantHolds};

/// The functions of `Message`.
pub(super) fn functions(contract: &Contract<'_>, messages: &Messages<'_>, body: &Path) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let arms = Arms { messages };
    let (opened, read, whole) = (arms.opened(), arms.read(name), arms.whole());
    let nothing_beside = quote!(::core::result::Result::Ok(__wire::message::Vec::new()));
    let fds = arms.asked("fds", &quote!(, #name), &nothing_beside);
    let count = arms.asked("count", &TokenStream::new(), &quote!(0));
    let import = arms.asked("import", &TokenStream::new(), &quote!(::core::result::Result::Ok(())));
    let document = quote_spanned!(body.span()=> <#body as #krate::WireJson>::from_json(__bytes)?);
    quote! {
        fn from_message(
            __bytes: &[u8],
            __fds: __wire::message::Vec<__wire::message::OwnedFd>,
        ) -> ::core::result::Result<Self, #krate::WireError> {
            #opened
            match #document {
                #read
            }
        }

        fn to_message(
            &self,
        ) -> ::core::result::Result<
            (__wire::message::Vec<u8>, __wire::message::Vec<__wire::message::BorrowedFd<'_>>),
            #krate::WireError,
        > {
            let __body = match self {
                #whole
            };
            let mut __bytes = __wire::message::Vec::new();
            #krate::WireJson::write_json(&__body, &mut __bytes)?;
            let __beside = match self {
                #fds
            }?;
            ::core::result::Result::Ok((__bytes, __beside))
        }

        fn validate_import(&self) -> ::core::result::Result<(), #krate::WireError> {
            let __body = match self {
                #whole
            };
            let __count = match self {
                #count
            };
            #krate::WireJson::validate_import(&__body, __count)?;
            match self {
                #import
            }
        }
    }
}

/// The union as the functions name it, once its variants are those of the messages.
pub(super) fn union(contract: &Contract<'_>, messages: &Messages<'_>, body: &Path) -> TokenStream {
    let (name, at) = (&contract.about.name, body.span());
    let names = messages.variants.iter().map(|variant| variant.ident.unraw().to_string());
    let each = messages.variants.iter().zip(names.clone()).map(|(variant, name)| {
        let at = variant.ident.span();
        quote_spanned!(at=> __wire::message::body::check_variant(__WIRE_VARIANTS, #name))
    });
    let probed = |constant: TokenStream| {
        quote! {{
            #[allow(unused_imports)]
            use __wire::Otherwise as _;
            __wire::Probe::<#body>::#constant
        }}
    };
    let (is_union, variants) = (probed(quote!(IS_UNION)), probed(quote!(VARIANTS)));
    let is_union = quote_spanned!(at=> __wire::message::body::check_union(#is_union));
    let all =
        quote_spanned!(at=> __wire::message::body::check_variants(__WIRE_VARIANTS, #name, &[#(#names),*]));
    let once = quote_spanned!(at=> { __WIRE_IS_BODY });
    // One that is called otherwise is missing as well: what it is called is said first.
    quote! {
        const __WIRE_VARIANTS: __wire::rule::Names = #variants;
        const __WIRE_IS_BODY: bool = #is_union && #(#each &&)* #all;
        type __WireBody = <__wire::If<#once> as __wire::message::body::BodyOf<#body>>::Union;
    }
}

/// A variant of the union, at that of the messages.
fn its(member: &Ident) -> TokenStream {
    let at = member.span();
    quote_spanned!(at=> __WireBody::#member)
}

/// The same with what it holds.
fn with(member: &Ident, content: &TokenStream) -> TokenStream {
    let (its, at) = (its(member), member.span());
    quote_spanned!(at=> #its(#content))
}

/// What the document of a union's variant is asked, which a message is of.
fn hold(holds: &VariantHolds<'_>, item: &str) -> TokenStream {
    let part = beside(holds, "Part");
    at_type(holds.ty, &quote!(__wire::message::Hold::<#part>), item)
}

/// What is said of each variant in turn.
struct Arms<'m> {
    messages: &'m Messages<'m>,
}

impl Arms<'_> {
    fn each(
        &self,
        nothing: impl Fn(&Ident) -> TokenStream,
        held: impl Fn(&Ident, &VariantHolds<'_>) -> TokenStream,
    ) -> TokenStream {
        let variants = self.messages.variants.iter();
        variants
            .map(|variant| match &variant.holds {
                Some(holds) => held(variant.ident, holds),
                None => nothing(variant.ident),
            })
            .collect()
    }

    /// What the content of each is asked, with these arguments behind it.
    fn asked(&self, item: &str, arguments: &TokenStream, of_nothing: &TokenStream) -> TokenStream {
        self.each(
            |member| quote!(Self::#member => #of_nothing,),
            |member, holds| {
                let asked = beside(holds, item);
                quote!(Self::#member(__message) => #asked(__message #arguments),)
            },
        )
    }

    /// From the union's variant to the message.
    fn read(&self, name: &str) -> TokenStream {
        self.each(
            |member| {
                let its = its(member);
                quote! {
                    #its =>
                        __wire::message::beside::none(__fds.len(), #name).map(|()| Self::#member),
                }
            },
            |member, holds| {
                let (of, held, made) = (beside(holds, "of"), hold(holds, "held"), made(member, holds));
                let its = with(member, &quote!(__part));
                quote!(#its => #of(#held(__part), __fds, #name).map(#made),)
            },
        )
    }

    /// From the message to the union's variant.
    fn whole(&self) -> TokenStream {
        self.each(
            |member| {
                let its = its(member);
                quote!(Self::#member => #its,)
            },
            |member, holds| {
                let (part, hold) = (beside(holds, "part"), hold(holds, "hold"));
                let copy = quote!(__wire::message::beside::Copied::copied(#part(__message)));
                let its = with(member, &quote!(#hold(#copy)));
                quote!(Self::#member(__message) => #its,)
            },
        )
    }

    /// That the open variant, and no other, holds what keeps unknown tags.
    fn opened(&self) -> TokenStream {
        let is_open = |member: &Ident| {
            self.messages.variants.iter().any(|variant| variant.ident == member && variant.is_open)
        };
        self.each(
            |_| TokenStream::new(),
            |member, holds| {
                let is_open = is_open(member);
                let (is_unknown, (start, _)) = (beside(holds, "IS_UNKNOWN"), ends(holds.ty));
                quote_spanned! {start=>
                    const _: () = __wire::message::beside::check_kept(#is_unknown, #is_open);
                }
            },
        )
    }
}
