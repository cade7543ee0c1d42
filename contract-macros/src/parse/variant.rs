//! Keys of a variant: a value of an enumeration, a flag, or one of a union's contracts.

use proc_macro2::TokenStream;
use syn::{Expr, Fields, LitStr};

use super::places::{Place, unknown};
use super::{Datum, Kind, Value, old_name};
use crate::attr::{self, Form, Item, set_once};
use crate::report::Report;

/// Reads a variant.
pub(super) fn value<'a>(variant: &'a syn::Variant, kind: Option<Kind>, report: &mut Report) -> Value<'a> {
    let mut value = Value {
        ident: &variant.ident,
        fields: &variant.fields,
        has_fields: !matches!(variant.fields, Fields::Unit),
        discriminant: variant.discriminant.as_ref().map(|(_, expression)| expression),
        docs: attr::docs(&variant.attrs),
        said: Vec::new(),
        name: None,
        aliases: Vec::new(),
        data: Vec::new(),
        default: None,
        c_name: None,
        was: None,
        since: None,
        deprecated: None,
    };
    for item in attr::items(&variant.attrs, report) {
        value.said.push(item.key.clone());
        if !key(&mut value, &item, report) {
            value.said.pop();
            unknown(&item, Place::Member, kind, report);
        }
    }
    value
}

fn key(value: &mut Value<'_>, item: &Item, report: &mut Report) -> bool {
    match item.name().as_str() {
        "name" => {
            let name = item.text(report);
            set_once(&mut value.name, name, item, report);
        }
        "alias" => {
            let aliases = match &item.form {
                Form::List(tokens) | Form::Value(tokens) => list::<LitStr>(tokens),
                Form::Word => Vec::new(),
            };
            if aliases.is_empty() {
                report.at(&item.key, "expected `alias(\"…\")`, with one name or several");
            }
            aliases.iter().for_each(|alias| attr::without_nul(alias, report));
            value.aliases.extend(aliases);
        }
        "data" => data(value, item, report),
        "default" => {
            let default: Option<Expr> = item.value("VALUE", report);
            set_once(&mut value.default, default, item, report);
        }
        // A word that stands is in `said`.
        "no_tag" | "open" => {
            item.word(report);
            if value.said.iter().filter(|key| **key == item.key).count() > 1 {
                report.at(&item.key, format_args!("`{}` stands twice", item.key));
            }
        }
        "c_name" => {
            let name = item.text(report);
            set_once(&mut value.c_name, name, item, report);
        }
        "was" => {
            let was = old_name(item, report);
            set_once(&mut value.was, was, item, report);
        }
        "since" => {
            let since = item.version(report);
            set_once(&mut value.since, since, item, report);
        }
        "deprecated" => {
            let why = item.text(report).map(|why| why.value());
            set_once(&mut value.deprecated, why, item, report);
        }
        _ => return false,
    }
    true
}

fn data(value: &mut Value<'_>, item: &Item, report: &mut Report) {
    let Form::List(tokens) = &item.form else {
        report.at(&item.key, "expected `data(key = literal, …)`");
        return;
    };
    let parser = syn::punctuated::Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
    match syn::parse::Parser::parse2(parser, tokens.clone()) {
        Ok(pairs) => {
            for pair in pairs {
                match pair.path.get_ident() {
                    Some(key) => {
                        if let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &pair.value {
                            attr::without_nul(text, report);
                        }
                        value.data.push(Datum { key: key.clone(), value: pair.value });
                    }
                    None => report.at(&pair.path, "expected a key: one word"),
                }
            }
        }
        Err(_) => report.at(tokens, "expected `data(key = literal, …)`"),
    }
}

fn list<T: syn::parse::Parse>(tokens: &TokenStream) -> Vec<T> {
    let parser = syn::punctuated::Punctuated::<T, syn::Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, tokens.clone())
        .map(|list| list.into_iter().collect())
        .unwrap_or_default()
}
