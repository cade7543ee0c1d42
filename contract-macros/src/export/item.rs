//! `#[wire_export]` on a function and on an `impl`: its keys, and the item without the attributes that only it reads.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{FnArg, ImplItem, Item, ItemFn, ItemImpl, LitStr, Path, Signature, Type, Visibility};

use super::conditions::refuse_keys;
use super::function::{self, Source};
use crate::attr::{self, Form, set_once};
use crate::check::prefix;
use crate::expand;
use crate::parse::none_of;
use crate::report::Report;

/// The item with the functions of C beside it, as many of them as are legal.
pub(crate) fn export(arguments: &TokenStream, tokens: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let keys = attr::inner(arguments, &mut report);
    let item: Item = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#error #tokens);
        }
    };
    let (item, wrappers) = match item {
        Item::Fn(item) => free(&keys, item, &mut report),
        Item::Impl(item) => methods(&keys, item, &mut report),
        other => {
            let at = other.to_token_stream().into_iter().next();
            report.at(at, "functions are exported, and the functions of an `impl` of a handle");
            (other.into_token_stream(), TokenStream::new())
        }
    };
    let errors = report.into_compile_errors();
    quote!(#errors #item #wrappers)
}

/// The keys of all that is exported.
#[derive(Default)]
struct Keys {
    krate: Option<Path>,
    prefix: Option<LitStr>,
}

/// What stands in `#[wire_export(…)]`, and what of it is of one function.
fn keys<'a>(items: &'a [attr::Item], report: &mut Report) -> (Keys, Vec<&'a attr::Item>) {
    let mut keys = Keys::default();
    let mut others = Vec::new();
    for item in items {
        match item.name().as_str() {
            "crate" => {
                let path = item.path(report);
                set_once(&mut keys.krate, path, item, report);
            }
            "prefix" => {
                let prefix = item.text(report);
                set_once(&mut keys.prefix, prefix, item, report);
            }
            _ => others.push(item),
        }
    }
    (keys, others)
}

fn free(items: &[attr::Item], mut item: ItemFn, report: &mut Report) -> (TokenStream, TokenStream) {
    let (keys, mut own) = keys(items, report);
    let inner = attr::items(&item.attrs, report);
    own.extend(&inner);
    let krate = keys.krate.unwrap_or_else(|| syn::parse_quote!(::wirecontract));
    let function = prefix(keys.prefix.as_ref(), report).and_then(|prefix| {
        let source =
            Source { krate: &krate, prefix, owner: None, attributes: &item.attrs, signature: &item.sig, own };
        function::check(&source, report)
    });
    let wrapper = function.map(|function| expand::function(&function));
    strip(&mut item.attrs);
    bare(&mut item.sig);
    (item.into_token_stream(), wrapper.unwrap_or_default())
}

fn methods(items: &[attr::Item], mut item: ItemImpl, report: &mut Report) -> (TokenStream, TokenStream) {
    let (keys, others) = keys(items, report);
    for item in others {
        none_of(item, "prefix, crate", report);
    }
    let krate = keys.krate.unwrap_or_else(|| syn::parse_quote!(::wirecontract));
    let owner = owner(&item, report);
    let prefix = prefix(keys.prefix.as_ref(), report);
    let mut wrappers = owner.as_ref().map(|owner| expand::owner(&krate, owner)).unwrap_or_default();
    for member in &mut item.items {
        let ImplItem::Fn(method) = member else { continue };
        refuse_keys(&mut method.attrs, report);
        let own = attr::items(&method.attrs, report);
        let is_skipped = own.iter().any(|key| key.name() == "skip" && matches!(key.form, Form::Word));
        let is_public = matches!(method.vis, Visibility::Public(_));
        if is_skipped && own.len() > 1 {
            report.at(&own[0].key, "a function that is skipped has no other keys");
        } else if !is_public && !own.is_empty() {
            report
                .at(&own[0].key, "a function that is not `pub` is not exported: make it so, or remove this");
        }
        if let (true, false, Some(owner), Some(prefix)) = (is_public, is_skipped, &owner, &prefix) {
            let source = Source {
                krate: &krate,
                prefix: prefix.clone(),
                owner: Some(owner),
                attributes: &method.attrs,
                signature: &method.sig,
                own: own.iter().collect(),
            };
            let function = function::check(&source, report);
            wrappers.extend(function.map(|function| expand::function(&function)));
        }
        strip(&mut method.attrs);
        bare(&mut method.sig);
    }
    (item.into_token_stream(), wrappers)
}

/// The type of an `impl`.
fn owner(item: &ItemImpl, report: &mut Report) -> Option<Path> {
    if let Some((of, _)) = &item.trait_ {
        report.at(of, "what a trait asks for is not exported: export functions of the type that call it");
        return None;
    }
    if !item.generics.params.is_empty() {
        report.at(&item.generics.params, "an exported function has no generic parameters: C sees one type");
        return None;
    }
    match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        other => {
            report.at(other, "functions of a handle are exported, and free functions");
            None
        }
    }
}

/// Takes off what only this macro reads.
fn strip(attributes: &mut Vec<syn::Attribute>) {
    attributes.retain(|attribute| !attribute.path().is_ident("wire"));
}

/// The function as Rust has it: not of C, since it takes what C has not.
fn bare(signature: &mut Signature) {
    signature.abi = None;
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => strip(&mut receiver.attrs),
            FnArg::Typed(param) => strip(&mut param.attrs),
        }
    }
}
