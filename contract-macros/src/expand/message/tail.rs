//! The tail of a message.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::rule;
use super::{Locals, at_type, variable};
use crate::check::{Contract, Message, Tail, TailLength};

/// What a type is as a tail.
pub(super) fn tailed(tail: &Tail<'_>, item: &str) -> TokenStream {
    let ty = tail.ty;
    at_type(ty, &quote!(<#ty as __wire::message::tail::Tailed>), item)
}

/// Refuses a message that is longer than any, and reads what stands behind the parts, or that nothing does.
pub(super) fn read(contract: &Contract<'_>, message: &Message<'_>) -> (TokenStream, TokenStream) {
    let (ident, krate, name) = (contract.ident, contract.krate, &contract.about.name);
    let Some(tail) = &message.tail else {
        return (TokenStream::new(), quote!(__wire::message::part::end(#name, __bytes, __at)?;));
    };
    let parts = message.parts.iter().map(|part| variable(part.ident));
    let (member, size, read) = (variable(tail.ident), tailed(tail, "SIZE"), tailed(tail, "read"));
    let bounded = quote! {
        __wire::message::tail::Tail::bounded(#name, __bytes.len(), <#ident as #krate::Message>::MAX_BYTES)?;
    };
    let end = quote! {
        let (__tail, __said) = __wire_tail(#(&#parts,)* __at);
        let __count = __tail.elements(__said, #size, __bytes.len())?;
        let __end = __at + __count * #size;
        let #member = #read(&__bytes[__at..__end], __tail)?;
    };
    (bounded, end)
}

/// Adds the tail behind the parts, once it is as long as they say.
pub(super) fn write(message: &Message<'_>) -> TokenStream {
    let Some(tail) = &message.tail else { return TokenStream::new() };
    let parts = message.parts.iter().map(|part| variable(part.ident));
    let (member, size) = (variable(tail.ident), tailed(tail, "SIZE"));
    let (count, write) = (tailed(tail, "count"), tailed(tail, "write"));
    quote! {
        let __at = __bytes.len();
        let (__tail, __said) = __wire_tail(#(#parts,)* __at);
        let __length = __tail.whole(#count(#member), #size)?;
        __tail.elements(__said, #size, __length)?;
        #write(#member, &mut __bytes)?;
    }
}

/// What the elements of the tail declare at import.
pub(super) fn import(message: &Message<'_>) -> Option<TokenStream> {
    let tail = message.tail.as_ref()?;
    let (member, import) = (variable(tail.ident), tailed(tail, "import"));
    Some(quote!(#import(#member, __at)?;))
}

/// Where the tail begins, and how long the parts say it is.
pub(super) fn of(contract: &Contract<'_>, message: &Message<'_>) -> TokenStream {
    let Some(tail) = &message.tail else { return TokenStream::new() };
    let (ident, krate, name) = (contract.ident, contract.krate, &contract.about.name);
    let (parts, types): (Vec<_>, Vec<_>) =
        message.parts.iter().map(|part| (variable(part.ident), part.ty)).unzip();
    let (access, field) = (Locals(&message.scope), &tail.member.name);
    let said = match &tail.length {
        TailLength::Rest => quote!(Rest),
        TailLength::Count(number) => {
            let number = rule::number(number, &access);
            quote!(Count(#number))
        }
        TailLength::Bytes(number) => {
            let number = rule::number(number, &access);
            quote!(Bytes(#number))
        }
    };
    quote! {
        fn __wire_tail(
            #(#parts: &#types,)* __at: usize,
        ) -> (__wire::message::tail::Tail, __wire::message::tail::Said) {
            let __tail = __wire::message::tail::Tail {
                contract: #name,
                field: #field,
                at: __at,
                most: <#ident as #krate::Message>::MAX_BYTES,
            };
            (__tail, __wire::message::tail::Said::#said)
        }
    }
}
