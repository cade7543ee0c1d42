//! What recipes and unions write of a value: how it is spelled, its bounds, its default.

use proc_macro2::{Delimiter, Group, Literal as Token, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Type};

use super::{ends, over};
use crate::check::{Bounds, Key, Literal, Number, Presence, float};
use crate::parse::Spelling;
use crate::ty::{Held, item};

/// The marker of a spelling.
pub(super) fn spelling(spelling: Option<Spelling>) -> TokenStream {
    match spelling {
        None => quote!(__wire::Plain),
        Some(Spelling::DecimalString) => quote!(__wire::DecimalString),
        Some(Spelling::Hex) => quote!(__wire::Hex),
        Some(Spelling::Base64) => quote!(__wire::Base64),
        Some(Spelling::Uuid) => quote!(__wire::Uuid),
    }
}

/// A function of the type as one that JSON has.
///
/// All that mentions the type mentions it here or in [`shape`], and has the type's span: the error of a type that is
/// not one is then the same everywhere, and the compiler says it once.
pub(super) fn call(
    ty: &Type,
    spelled: Option<Spelling>,
    function: &str,
    arguments: &TokenStream,
) -> TokenStream {
    let ((span, end), spelling) = (ends(ty), spelling(spelled));
    let function = Ident::new(function, span);
    // Of a plain call, the compiler would blame an argument and not the type; a block comes in between.
    let function = quote_spanned!(span=> ({ <#ty as __wire::JsonType<#spelling>>::#function }));
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments.clone());
    arguments.set_span(end);
    quote!(#function #arguments)
}

/// What was read of a required key of that type, out of the slot that the tokens `taken` are.
pub(super) fn required(ty: &Type, taken: TokenStream, key: &TokenStream) -> TokenStream {
    let taken = over(ty, taken);
    let value = over(ty, quote!(__wire::required(#taken, reader, object, #key)));
    over(ty, quote!((#value)?))
}

/// What the type looks like in the record.
pub(super) fn shape(ty: &Type, spelled: Option<Spelling>) -> TokenStream {
    let spelling = spelling(spelled);
    quote_spanned!(ty.span()=> <#ty as __wire::JsonType<#spelling>>::SHAPE)
}

/// The least that a value of the type has.
pub(super) fn least(ty: &Type, spelled: Option<Spelling>, bounds: &Bounds) -> TokenStream {
    let shape = shape(ty, spelled);
    let (min, max) = range(bounds);
    quote!(#shape.least(#min, #max))
}

/// From where to where integers go as far as bounds say.
pub(super) fn range(bounds: &Bounds) -> (TokenStream, TokenStream) {
    let bound = |bound: Option<(Number, Span)>, otherwise: i128| match bound {
        Some((Number::Integer(number), _)) => integer_token(number),
        _ => integer_token(otherwise),
    };
    (bound(bounds.min, i64::MIN.into()), bound(bounds.max, u64::MAX.into()))
}

/// A key as the runtime wants it.
pub(super) fn key(contract: &str, key: &Key<'_>) -> TokenStream {
    let new = new_key(contract, &key.key);
    let bounds = bounds(&key.bounds);
    let absence = match (&key.presence, key.nullable) {
        (Presence::Optional { null_when_absent: true, .. }, _) => quote!(.null_when_absent()),
        (_, true) => quote!(.nullable()),
        _ => TokenStream::new(),
    };
    let lenient = key.lenient.then(|| quote!(.lenient()));
    quote!(#new #bounds #absence #lenient)
}

/// A key without bounds.
pub(super) fn new_key(contract: &str, key: &str) -> TokenStream {
    let head = head(key);
    quote!(__wire::Key::new(#contract, #key, #head))
}

/// A comma, the key as JSON has it, and a colon.
pub(super) fn head(key: &str) -> String {
    format!(",{}:", quoted(key))
}

/// A string in the one form that is written.
pub(super) fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\u{c}' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            control if control < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn bounds(bounds: &Bounds) -> TokenStream {
    let number = |bound: Option<_>, integer: &str, as_float: &str| {
        let Some((number, span)) = bound else { return TokenStream::new() };
        let (integer, as_float) = (Ident::new(integer, span), Ident::new(as_float, span));
        let token = float_token(float(number));
        match number {
            Number::Integer(number) => {
                let number = integer_token(number);
                // Whether it is an integer or a float, only the compiler may know; one of the two is asked.
                quote!(.#integer(#number).#as_float(#token))
            }
            Number::Float(_) => quote!(.#as_float(#token)),
        }
    };
    let count = |bound: Option<(u32, _)>, name: &str| {
        let Some((most, span)) = bound else { return TokenStream::new() };
        let (name, most) = (Ident::new(name, span), Token::u32_unsuffixed(most));
        quote!(.#name(#most))
    };
    let (min, max) = (number(bounds.min, "min", "least"), number(bounds.max, "max", "most"));
    let (length, items) = (count(bounds.max_len, "max_len"), count(bounds.max_items, "max_items"));
    quote!(#min #max #length #items)
}

pub(super) fn integer_token(number: i128) -> TokenStream {
    let token = Token::u128_unsuffixed(number.unsigned_abs());
    if number < 0 { quote!(-#token) } else { quote!(#token) }
}

pub(super) fn float_token(number: f64) -> TokenStream {
    let token = Token::f64_unsuffixed(number.abs());
    if number.is_sign_negative() { quote!(-#token) } else { quote!(#token) }
}

/// A declared default as a value of the type.
pub(super) fn value(default: &Literal, ty: &Type, held: &Held) -> TokenStream {
    let span = ty.span();
    match (default, held) {
        (Literal::Integer(bits), Held::Flags(_)) => {
            let bits = integer_token(*bits);
            quote_spanned!(span=> <#ty>::from_bits(#bits).unwrap_or_default())
        }
        (Literal::Value(path), Held::Other) if path.segments.len() == 1 => named(path, Some(ty)),
        (default, Held::Other) => unseen(default, ty),
        (Literal::Integer(number), _) => spanned(integer_token(*number), span),
        (Literal::Float(number), _) => spanned(float_token(*number), span),
        (Literal::Bool(truth), _) => spanned(quote!(#truth), span),
        (Literal::Text(text), _) => quote_spanned!(span=> <#ty as ::core::convert::From<&str>>::from(#text)),
        (Literal::Value(path), Held::Open(of)) => {
            let named = named(path, Some(of));
            quote_spanned!(span=> <#ty as ::core::convert::From<#of>>::from(#named))
        }
        (Literal::Value(path), _) if path.segments.len() == 1 => named(path, Some(ty)),
        (Literal::Value(path), _) => quote_spanned!(span=> <#ty as ::core::convert::From<_>>::from(#path)),
        (Literal::Flags(all), held) => {
            let of = match held {
                Held::Flags(of) => Some(&**of),
                _ => None,
            };
            let mut names = all.iter().map(|path| named(path, of));
            let first = names.next();
            quote_spanned!(span=> <#ty as ::core::convert::From<_>>::from(#first) #(| #names)*)
        }
        (Literal::List(items), held) => {
            let of_item = match (held, item(ty)) {
                (Held::Vec(held) | Held::Array(held, _), Some(ty)) => Some((&**held, ty)),
                _ => None,
            };
            let items = items.iter().map(|item| match of_item {
                Some((held, ty)) => value(item, ty, held),
                None => inferred(item, ty),
            });
            quote_spanned!(span=> <#ty as ::core::convert::From<_>>::from([#(#items),*]))
        }
    }
}

/// A default of a type that the macro does not see through: whether it has such values, `check_default` says.
fn unseen(default: &Literal, ty: &Type) -> TokenStream {
    let span = ty.span();
    let probed = |function: &str, value: TokenStream| {
        let function = Ident::new(function, span);
        quote_spanned! {span=> {
            #[allow(unused_imports)]
            use __wire::OtherwiseDefault as _;
            __wire::Probe::<#ty>::#function(#value)
        }}
    };
    match default {
        Literal::Integer(number) => probed("integer", integer_token(*number)),
        Literal::Float(number) => probed("float", float_token(*number)),
        Literal::Bool(truth) => probed("truth", quote!(#truth)),
        Literal::Text(text) => probed("text", quote!(#text)),
        Literal::List(items) if items.is_empty() => probed("none", TokenStream::new()),
        Literal::List(items) => {
            let items = items.iter().map(|item| inferred(item, ty));
            quote_spanned! {span=> {
                #[allow(unused_imports)]
                use __wire::OtherwiseDefault as _;
                type __List = __wire::If<{ __wire::Probe::<#ty>::IS_LIST }>;
                <__List as __wire::ListOf<#ty>>::list(
                    <<__List as __wire::ListOf<#ty>>::Taker as __wire::Takes<_>>::take([#(#items),*]),
                )
            }}
        }
        Literal::Value(_) | Literal::Flags(_) => inferred(default, ty),
    }
}

/// A value whose type is nowhere said: where it stands, it is inferred.
fn inferred(default: &Literal, ty: &Type) -> TokenStream {
    let span = ty.span();
    match default {
        Literal::Integer(number) => spanned(integer_token(*number), span),
        Literal::Float(number) => spanned(float_token(*number), span),
        Literal::Bool(truth) => spanned(quote!(#truth), span),
        Literal::Text(text) => quote_spanned!(span=> ::core::convert::From::<&str>::from(#text)),
        Literal::List(items) => {
            let items = items.iter().map(|item| inferred(item, ty));
            quote_spanned!(span=> ::core::convert::From::from([#(#items),*]))
        }
        Literal::Value(path) => quote_spanned!(span=> <#ty as ::core::convert::From<_>>::from(#path)),
        Literal::Flags(all) => {
            let mut names = all.iter();
            let first = names.next();
            quote_spanned!(span=> <#ty as ::core::convert::From<_>>::from(#first) #(| #names)*)
        }
    }
}

/// The same tokens, as if they stood at the type: whether it has such values, only the compiler knows.
fn spanned(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(at).collect()
}

/// A value of an enumeration, or a flag.
fn named(path: &syn::Path, of: Option<&Type>) -> TokenStream {
    match (path.get_ident(), of) {
        (Some(name), Some(of)) => quote_spanned!(name.span()=> <#of>::#name),
        _ => quote!(#path),
    }
}

/// What the method of an optional key that has a default gives.
pub(super) fn accessor_type(ty: &Type, held: &Held) -> TokenStream {
    match (held, item(ty)) {
        (Held::Text, _) => quote!(&str),
        (Held::Vec(of), Some(item)) if matches!(**of, Held::Scalar(_)) => quote!(&[#item]),
        _ => quote!(#ty),
    }
}
