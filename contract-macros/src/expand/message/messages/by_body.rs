//! Several messages that are told apart by the variant of the union that is the body.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

use super::super::super::ends;
use super::super::at_type;
use super::{beside, made};
use crate::check::{Contract, Messages, VariantHolds};

/// The functions of `Message`.
pub(super) fn functions(contract: &Contract<'_>, messages: &Messages<'_>, body: &Path) -> TokenStream {
    let (krate, name) = (contract.krate, &contract.about.name);
    let arms = Arms { messages, body };
    let (opened, read, whole) = (arms.opened(), arms.read(name), arms.whole());
    let nothing_beside = quote!(::core::result::Result::Ok(__wire::message::Vec::new()));
    let fds = arms.asked("fds", &quote!(, #name), &nothing_beside);
    let count = arms.asked("count", &TokenStream::new(), &quote!(0));
    let import = arms.asked("import", &TokenStream::new(), &quote!(::core::result::Result::Ok(())));
    // A variant that the union has and the messages lack is said at the union's name.
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

/// What the document of a union's variant is asked, which a message is of.
fn hold(holds: &VariantHolds<'_>, item: &str) -> TokenStream {
    let part = beside(holds, "Part");
    at_type(holds.ty, &quote!(__wire::message::Hold::<#part>), item)
}

/// What is said of each variant in turn.
struct Arms<'m> {
    messages: &'m Messages<'m>,
    /// The union.
    body: &'m Path,
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
        let body = self.body;
        self.each(
            |member| {
                quote! {
                    #body::#member =>
                        __wire::message::beside::none(__fds.len(), #name).map(|()| Self::#member),
                }
            },
            |member, holds| {
                let (of, held, made) = (beside(holds, "of"), hold(holds, "held"), made(member, holds));
                quote!(#body::#member(__part) => #of(#held(__part), __fds, #name).map(#made),)
            },
        )
    }

    /// From the message to the union's variant.
    fn whole(&self) -> TokenStream {
        let body = self.body;
        self.each(
            |member| quote!(Self::#member => #body::#member,),
            |member, holds| {
                let (part, hold) = (beside(holds, "part"), hold(holds, "hold"));
                let copy = quote!(__wire::message::beside::Copied::copied(#part(__message)));
                quote!(Self::#member(__message) => #body::#member(#hold(#copy)),)
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
