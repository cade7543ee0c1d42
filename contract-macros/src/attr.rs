//! `#[wire(…)]` attributes as a list of keys, each with its own tokens, so that one bad key hides no other.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Path, Token};

use crate::eval;
use crate::report::Report;

/// One key of a `#[wire(…)]`.
pub(crate) struct Item {
    /// The key.
    pub(crate) key: Ident,
    /// What follows it.
    pub(crate) form: Form,
}

/// What follows a key.
pub(crate) enum Form {
    /// Nothing.
    Word,
    /// `= tokens`.
    Value(TokenStream),
    /// `(tokens)`.
    List(TokenStream),
}

impl Item {
    /// The key as text.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }

    /// Where the key stands.
    pub(crate) fn span(&self) -> Span {
        self.key.span()
    }

    /// Whether nothing follows the key; reported otherwise.
    pub(crate) fn word(&self, report: &mut Report) -> bool {
        if matches!(self.form, Form::Word) {
            return true;
        }
        report.at(&self.key, format_args!("`{}` takes no value", self.key));
        false
    }

    /// The value after `=`, parsed; what should stand there is said when it does not.
    pub(crate) fn value<T: Parse>(&self, what: &str, report: &mut Report) -> Option<T> {
        let Form::Value(tokens) = &self.form else {
            report.at(&self.key, format_args!("`{0}` takes a value: write `{0} = {what}`", self.key));
            return None;
        };
        if tokens.is_empty() {
            report.at(&self.key, format_args!("expected `{} = {what}`", self.key));
            return None;
        }
        match syn::parse2(tokens.clone()) {
            Ok(value) => Some(value),
            Err(_) => {
                report.at(tokens, format_args!("expected `{} = {what}`", self.key));
                None
            }
        }
    }

    /// An integer after `=`, from 0 to `most`.
    pub(crate) fn integer(&self, most: u64, report: &mut Report) -> Option<(u64, Span)> {
        let expression: Expr = self.value("N", report)?;
        let Some(number) = eval::integer(&expression) else {
            report.at(&expression, format_args!("expected `{} = N`, a number from 0 to {most}", self.key));
            return None;
        };
        match u64::try_from(number) {
            Ok(number) if number <= most => Some((number, expression.span())),
            _ => {
                report.at(&expression, format_args!("`{}` is a number from 0 to {most}", self.key));
                None
            }
        }
    }

    /// A version of the contract after `=`, from 1 on.
    pub(crate) fn version(&self, report: &mut Report) -> Option<(u32, Span)> {
        let (version, span) = self.integer(u32::MAX.into(), report)?;
        if version == 0 {
            report.span(span, "versions begin at 1");
        }
        u32::try_from(version).ok().filter(|&version| version != 0).map(|version| (version, span))
    }

    /// A string literal after `=`.
    pub(crate) fn text(&self, report: &mut Report) -> Option<LitStr> {
        let text: LitStr = self.value("\"…\"", report)?;
        without_nul(&text, report);
        Some(text)
    }

    /// A path after `=`: where `wirecontract` is.
    pub(crate) fn path(&self, report: &mut Report) -> Option<Path> {
        let path = match &self.form {
            Form::Value(tokens) => Path::parse_mod_style.parse2(tokens.clone()).ok(),
            _ => None,
        };
        if path.is_none() {
            report.at(&self.key, "expected `crate = path::of::wirecontract`");
        }
        path
    }

    /// The identifier after `=`, or those between parentheses.
    pub(crate) fn names(&self, report: &mut Report) -> Vec<Ident> {
        match &self.form {
            Form::List(tokens) if !tokens.is_empty() => {
                match syn::punctuated::Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens.clone())
                {
                    Ok(names) => names.into_iter().collect(),
                    Err(_) => {
                        let key = &self.key;
                        report.at(
                            tokens,
                            format_args!("expected names of fields: `{key}(field, other_field)`"),
                        );
                        Vec::new()
                    }
                }
            }
            Form::Value(_) => self.value("field", report).into_iter().collect(),
            _ => {
                let key = &self.key;
                report.at(key, format_args!("expected `{key} = field` or `{key}(field, other_field)`"));
                Vec::new()
            }
        }
    }
}

/// Every key of every `#[wire(…)]`, in order.
pub(crate) fn items(attributes: &[Attribute], report: &mut Report) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("wire")) {
        let mut errors = Vec::new();
        let parsed = attribute.parse_args_with(|input: ParseStream| Ok(list(input, &mut errors)));
        match parsed {
            Ok(parsed) => items.extend(parsed),
            Err(_) => report.at(attribute, "expected `#[wire(…)]` with a list of keys"),
        }
        errors.into_iter().for_each(|error| report.push(error));
    }
    items
}

/// Every key between the parentheses of another.
pub(crate) fn inner(tokens: &TokenStream, report: &mut Report) -> Vec<Item> {
    let mut errors = Vec::new();
    let parsed = (|input: ParseStream<'_>| Ok(list(input, &mut errors))).parse2(tokens.clone());
    errors.into_iter().for_each(|error| report.push(error));
    parsed.unwrap_or_default()
}

/// Keys separated by commas; what is no key is reported and passed over up to the next comma.
fn list(input: ParseStream<'_>, errors: &mut Vec<syn::Error>) -> Vec<Item> {
    let mut items = Vec::new();
    while !input.is_empty() {
        let found = Ident::parse_any(input).ok();
        let is_key = found.is_some();
        if let Some(key) = found {
            items.push(Item { key, form: form(input) });
        }
        let rest = until_comma(input);
        if !is_key {
            errors.push(syn::Error::new_spanned(rest, "expected a key: a word, and what it takes"));
        } else if !rest.is_empty() {
            errors.push(syn::Error::new_spanned(rest, "expected `,` and the next key"));
        }
        let _ = input.parse::<Token![,]>();
    }
    items
}

fn form(input: ParseStream<'_>) -> Form {
    if input.parse::<Token![=]>().is_ok() {
        return Form::Value(until_comma(input));
    }
    if input.peek(syn::token::Paren) {
        if let Ok(TokenTree::Group(group)) = input.parse() {
            return Form::List(group.stream());
        }
    }
    Form::Word
}

fn until_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        match input.parse::<TokenTree>() {
            Ok(token) => token.to_tokens(&mut tokens),
            Err(_) => break,
        }
    }
    tokens
}

/// Other control characters have an escape in every language; a NUL is where C believes a text to end.
pub(crate) fn without_nul(text: &LitStr, report: &mut Report) {
    if text.value().contains('\0') {
        report.at(text, "a text ends at a NUL in C, and the others would go on: remove it");
    }
}

/// Reports a key that stands twice, and sets it otherwise.
pub(crate) fn set_once<T>(slot: &mut Option<T>, value: Option<T>, item: &Item, report: &mut Report) {
    if slot.is_some() {
        report.at(&item.key, format_args!("`{}` stands twice", item.key));
    } else if value.is_some() {
        *slot = value;
    }
}

/// Documentation comments: lines joined, one leading space removed from each.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        let syn::Meta::NameValue(meta) = &attribute.meta else { continue };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &meta.value else { continue };
        if meta.path.is_ident("doc") {
            for line in text.value().split('\n') {
                lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
            }
        }
    }
    lines.join("\n").trim_matches('\n').to_owned()
}
