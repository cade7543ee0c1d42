//! What recipes and unions have in common.

use proc_macro2::{Literal as Token, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::key;
use super::probed;
use super::rule::{self, Access};
use crate::check::{Bounds, Limits, Literal, Number};
use crate::parse::Spelling;
use crate::rule::Checked;
use crate::ty::{Held, item};

/// A recipe or a union as a value in a document.
pub(super) fn json_type(ident: &Ident, krate: &Path) -> TokenStream {
    quote!(#krate::__members_impls!(#ident);)
}

/// `MAX_BYTES` and `MAX_DEPTH`.
pub(super) fn limits(limits: &Limits) -> (Token, Token) {
    (Token::u32_unsuffixed(limits.max_bytes), Token::u32_unsuffixed(limits.max_depth))
}

/// What const evaluation checks of the limits: that a document is within them.
pub(super) fn check_limits(limits: &Limits, ident: &Ident, name: &str) -> TokenStream {
    let [bytes, depth] = limits.spans;
    let least = quote!(<#ident as __wire::Members>::LEAST);
    let (max_bytes, max_depth) = self::limits(limits);
    let bytes = quote_spanned!(bytes=> const _: () = __wire::check_max_bytes(#least, #max_bytes, #name););
    let depth = quote_spanned!(depth=> const _: () = __wire::check_max_depth(#least, #max_depth, #name););
    quote!(#bytes #depth)
}

/// A check of a rule, in a function that gives a `Result<_, WireError>`.
pub(super) fn rule(
    rule: &Checked,
    contract: &str,
    krate: &Path,
    access: &dyn Access,
    offset: &TokenStream,
) -> TokenStream {
    rule::checked(
        rule,
        contract,
        access,
        |rule, values| quote!(return ::core::result::Result::Err(#krate::WireError::rule(#rule, (#values)(), #offset));),
    )
}

/// `Members::check`.
pub(super) fn check(krate: &Path, rules: &TokenStream) -> TokenStream {
    if rules.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn check(&self, offset: usize) -> ::core::result::Result<(), #krate::WireError> {
            #rules
            ::core::result::Result::Ok(())
        }
    }
}

/// `Members::import`.
pub(super) fn import(krate: &Path, body: &TokenStream) -> TokenStream {
    if body.is_empty() {
        return TokenStream::new();
    }
    quote! {
        fn import(&self, fd_count: usize) -> ::core::result::Result<(), #krate::WireError> {
            let _ = fd_count;
            #body
            ::core::result::Result::Ok(())
        }
    }
}

/// That a type which the macro does not see through is no descriptor without a spelling, and no open enumeration in the
/// other one, is checked by const evaluation: `function` says it of a key, or of a variant's content.
pub(super) fn check_spelled(
    ty: &Type,
    held: &Held,
    spelled: Option<Spelling>,
    function: &str,
    name: &str,
) -> TokenStream {
    if spelled.is_some() || !matches!(held.innermost(), Held::Open(_) | Held::Other) {
        return TokenStream::new();
    }
    let (shape, function) = (key::shape(ty, None), Ident::new(function, ty.span()));
    quote_spanned!(ty.span()=> const _: () = __wire::#function(&#shape, #name);)
}

/// That a type whose bytes are spelled as text is no descriptor that grows is checked by const evaluation.
pub(super) fn check_one_size(ty: &Type, held: &Held, spelled: Option<Spelling>, name: &str) -> TokenStream {
    let is_bytes = spelled.is_some_and(|spelling| spelling != Spelling::DecimalString);
    if !is_bytes || !matches!(held.innermost(), Held::Other) {
        return TokenStream::new();
    }
    let shape = key::shape(ty, spelled);
    quote_spanned!(ty.span()=> const _: () = __wire::check_one_size(&#shape, #name);)
}

/// Bounds of types that the macro does not see through are checked by const evaluation.
pub(super) fn check_bounds(
    ty: &Type,
    held: &Held,
    spelled: Option<Spelling>,
    bounds: &Bounds,
    name: &str,
) -> TokenStream {
    if !matches!(held.innermost(), Held::Open(_) | Held::Other) {
        return TokenStream::new();
    }
    let shape = key::shape(ty, spelled);
    let mut checks = TokenStream::new();
    for (number, span) in [bounds.min, bounds.max].into_iter().flatten() {
        let check = match number {
            Number::Integer(number) => {
                let number = key::integer_token(number);
                quote_spanned!(span=> __wire::check_integer(&#shape, #number, #name))
            }
            Number::Float(number) => {
                let number = key::float_token(number);
                quote_spanned!(span=> __wire::check_float(&#shape, #number, #name))
            }
        };
        checks.extend(quote!(const _: () = #check;));
    }
    if let Some((_, span)) = bounds.max_len {
        checks.extend(quote_spanned!(span=> const _: () = __wire::check_max_len(&#shape, #name);));
    }
    if let Some((_, span)) = bounds.max_items {
        checks.extend(quote_spanned!(span=> const _: () = __wire::check_max_items(&#shape, #name);));
    }
    checks
}

/// A default that const evaluation checks: one of a type that the macro does not see through, and bits that flags do not
/// have.
pub(super) fn check_default(
    default: &Literal,
    at: Span,
    (ty, held): (&Type, &Held),
    spelled: Option<Spelling>,
    name: &str,
) -> TokenStream {
    let written = match (default, held) {
        (Literal::Integer(bits), Held::Flags(of)) => {
            let bits = key::integer_token(*bits);
            // That the type is no set of flags is said at the type.
            let known = quote_spanned!(of.span()=> <#of as __wire::FlagSet>::KNOWN_BITS);
            let open = quote_spanned!(of.span()=> <#of as __wire::FlagSet>::OPEN);
            return quote_spanned!(at=> const _: () = __wire::check_bits(#bits, #known, #open, #name););
        }
        (Literal::List(items), Held::Vec(of) | Held::Array(of, _)) => {
            let Some(ty) = item(ty) else { return TokenStream::new() };
            return items.iter().map(|item| check_default(item, at, (ty, of), spelled, name)).collect();
        }
        (Literal::Integer(number), Held::Other) => {
            let number = key::integer_token(*number);
            quote!(Integer(#number))
        }
        (Literal::Float(number), Held::Other) => {
            let number = key::float_token(*number);
            quote!(Float(#number))
        }
        (Literal::Bool(_), Held::Other) => quote!(Truth),
        (Literal::Text(_), Held::Other) => quote!(Text),
        (Literal::List(items), Held::Other) => {
            let count = items.len();
            quote!(List(#count))
        }
        _ => return TokenStream::new(),
    };
    let shape = key::shape(ty, spelled);
    quote_spanned!(at=> const _: () = __wire::check_default(&#shape, __wire::Written::#written, #name);)
}

/// A part or a variant whose keys stand in another object: what is written of its type.
pub(super) struct Part<'a> {
    ty: &'a Type,
    index: usize,
}

impl<'a> Part<'a> {
    pub(super) fn new(ty: &'a Type, index: usize) -> Self {
        Part { ty, index }
    }

    fn is(&self) -> Ident {
        format_ident!("__WIRE_IS_{}", self.index)
    }

    /// The type, or one that has no value where the type has no keys.
    pub(super) fn members(&self) -> Ident {
        format_ident!("__WireMembers{}", self.index)
    }

    /// Something of [`members`](Self::members) as one that has keys.
    pub(super) fn of(&self, name: &str) -> TokenStream {
        let (members, name) = (self.members(), format_ident!("{name}"));
        quote!(<#members as __wire::Members>::#name)
    }

    /// The way between the type and [`members`](Self::members).
    pub(super) fn way(&self, name: &str) -> TokenStream {
        let (is, ty, name) = (self.is(), self.ty, format_ident!("{name}"));
        quote!(<__wire::If<#is> as __wire::MembersOf<#ty>>::#name)
    }

    /// What the record says of the type.
    pub(super) fn shape(&self) -> TokenStream {
        let members = self.members();
        quote!(__wire::JsonShape::members::<#members>())
    }

    /// What is said of the type once. That it has no keys is said here and nowhere else.
    pub(super) fn declared(&self) -> TokenStream {
        let (ty, is, members, way) = (self.ty, self.is(), self.members(), self.way("Members"));
        let asked = quote_spanned!(ty.span()=> <#ty as __wire::Members>::COUNT);
        let probed = probed(ty, "IS_MEMBERS");
        quote! {
            const #is: bool = #probed;
            type #members = #way;
            const _: usize = #asked;
        }
    }
}

/// What makes [`Part::declared`] true.
pub(super) fn probes() -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use __wire::Otherwise as _;
    }
}
