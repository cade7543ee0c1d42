//! The rules of one exported function.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, Ident, LitStr, Pat, Path, Receiver, ReceiverKind, ReturnType, Safety, Signature, Token,
    Type,
};

use super::conditions::conditions;
use super::results::{Results, results};
use super::types::param;
use super::{Function, Out, Param, Passing};
use crate::attr::{self, Form, Item, set_once};
use crate::check::{c_name, name, stem};
use crate::expand::named;
use crate::parse::{OldName, none_of, old_name};
use crate::report::Report;

/// The most parameters of a function, its receiver among them.
pub(super) const MOST_PARAMETERS: usize = 16;

/// A function as it stands.
pub(super) struct Source<'a> {
    pub(super) krate: &'a Path,
    pub(super) prefix: String,
    pub(super) owner: Option<&'a Path>,
    pub(super) attributes: &'a [Attribute],
    pub(super) signature: &'a Signature,
    /// Its keys.
    pub(super) own: Vec<&'a Item>,
}

/// The keys of a function.
#[derive(Default)]
struct Keys {
    c_name: Option<LitStr>,
    version: Option<(u32, Span)>,
    since: Option<(u32, Span)>,
    deprecated: Option<String>,
    out: Option<Vec<Ident>>,
}

/// Holds a function against every rule. None when something was wrong.
pub(super) fn check(source: &Source<'_>, report: &mut Report) -> Option<Function> {
    let before = report.len();
    let keys = keys(source, report);
    let signature = source.signature;
    called_as_it_is(source, report);
    let symbol = symbol(source, keys.c_name.as_ref(), report);
    few_parameters(signature, report);
    let params: Vec<Option<Param>> =
        signature.inputs.iter().map(|input| parameter(source, input, report)).collect();
    let output = match &signature.output {
        ReturnType::Default => ReturnType::Default,
        ReturnType::Type(arrow, ty) => ReturnType::Type(*arrow, Box::new(without_self(ty, source.owner))),
    };
    let results = results(&output, keys.out.as_deref(), report);
    let params: Vec<Param> = params.into_iter().collect::<Option<_>>()?;
    let Results { outs, failing, is_tuple } = results?;
    names(source, &params, &outs, report);
    if report.len() > before {
        return None;
    }
    let own_name = name(&signature.ident);
    let owner_name = source.owner.map(owner_name);
    Some(Function {
        krate: source.krate.clone(),
        symbol: symbol?,
        prefix: source.prefix.clone(),
        name: owner_name.map_or_else(|| own_name.clone(), |owner| format!("{owner}::{own_name}")),
        ident: signature.ident.clone(),
        owner: source.owner.cloned(),
        docs: attr::docs(source.attributes),
        version: keys.version.map(|(version, _)| version),
        since: keys.since.map(|(since, _)| since),
        deprecated: keys.deprecated,
        is_unsafe: matches!(signature.safety, Safety::Unsafe(_)),
        failing,
        gives_tuple: is_tuple,
        params,
        outs,
        conditions: conditions(source.attributes),
    })
}

fn keys(source: &Source<'_>, report: &mut Report) -> Keys {
    let mut keys = Keys::default();
    for item in &source.own {
        match item.name().as_str() {
            "c_name" => {
                let name = item.text(report);
                set_once(&mut keys.c_name, name, item, report);
            }
            "version" => {
                let version = item.version(report);
                set_once(&mut keys.version, version, item, report);
            }
            "since" => {
                let since = item.version(report);
                set_once(&mut keys.since, since, item, report);
            }
            "deprecated" => {
                let why = item.text(report).map(|why| why.value());
                set_once(&mut keys.deprecated, why, item, report);
            }
            "out" => {
                let names = list(item, report);
                set_once(&mut keys.out, names, item, report);
            }
            _ => {
                let known = match source.owner {
                    Some(_) => "c_name, version, since, deprecated, out, skip",
                    None => "prefix, c_name, version, since, deprecated, out, crate",
                };
                none_of(item, known, report);
            }
        }
    }
    keys
}

/// `key(name, other_name)`.
fn list(item: &Item, report: &mut Report) -> Option<Vec<Ident>> {
    let names = match &item.form {
        Form::List(tokens) if !tokens.is_empty() => {
            syn::parse::Parser::parse2(Punctuated::<Ident, Token![,]>::parse_terminated, tokens.clone()).ok()
        }
        _ => None,
    };
    if names.is_none() {
        report.at(&item.key, format_args!("expected names: `{}(name, other_name)`", item.key));
    }
    names.map(|names| names.into_iter().collect())
}

/// No more than a record has room for.
fn few_parameters(signature: &Signature, report: &mut Report) {
    if let Some(more) = signature.inputs.iter().nth(MOST_PARAMETERS) {
        report.at(
            more,
            format_args!(
                "a function has at most {MOST_PARAMETERS} parameters: put some in an abi struct or a recipe"
            ),
        );
    }
}

/// It is one function, and one that returns when it is done.
fn called_as_it_is(source: &Source<'_>, report: &mut Report) {
    let signature = source.signature;
    if let Some(word) = &signature.asyncness {
        report.at(
            word,
            "C waits for what it calls: export a function that blocks, or one that takes a callback",
        );
    }
    if !signature.generics.params.is_empty() {
        report.at(
            &signature.generics.params,
            "an exported function has no generic parameters: C sees one type, and references that last as long as \
             the call",
        );
    } else if let Some(clause) = &signature.generics.where_clause {
        report.at(clause, "an exported function has no `where` clause");
    }
    if let Some(variadic) = &signature.variadic {
        report.at(variadic, "Python and others cannot pass any number of arguments: write each parameter");
    }
    if let Some(name) = signature.abi.as_ref().and_then(|abi| abi.name.as_ref()) {
        if name.value() != "C" {
            report.at(name, "an exported function is called as C calls: write `extern \"C\"`, or nothing");
        }
    }
    for attribute in source.attributes {
        if is_symbol(attribute) {
            report.at(
                attribute,
                "the symbol is that of the function of C which this makes: remove it, and say another with \
                 `c_name = \"…\"`",
            );
        }
    }
}

/// `#[no_mangle]`, `#[export_name = "…"]`, and both as `#[unsafe(…)]`.
fn is_symbol(attribute: &Attribute) -> bool {
    let words = ["no_mangle", "export_name"];
    if attribute.path().is_ident("unsafe") {
        return attribute.meta.require_list().is_ok_and(|list| {
            list.tokens
                .clone()
                .into_iter()
                .next()
                .is_some_and(|first| words.contains(&first.to_string().as_str()))
        });
    }
    words.iter().any(|word| attribute.path().is_ident(word))
}

/// The function of C.
fn symbol(source: &Source<'_>, said: Option<&LitStr>, report: &mut Report) -> Option<String> {
    let (ident, prefix) = (&source.signature.ident, &source.prefix);
    let name = name(ident);
    let symbol = match (said, source.owner) {
        (Some(said), _) => c_name(said, report)?,
        (None, Some(owner)) => format!("{prefix}_{}_{name}", stem(&owner_name(owner))),
        (None, None) if name.starts_with(&format!("{prefix}_")) => name.clone(),
        (None, None) => format!("{prefix}_{name}"),
    };
    let at = said.map_or_else(|| ident.to_token_stream(), ToTokens::to_token_stream);
    if !symbol.is_ascii() {
        report.at(at, "C has no such names: say one with `c_name = \"…\"`");
    } else if source.owner.is_some() && said.is_none() && name == "destroy" {
        report.at(at, format_args!("`{symbol}` destroys the handle: give this another name"));
    } else if symbol == format!("{prefix}_last_error") || symbol == format!("{prefix}_bytes_free") {
        report
            .at(at, format_args!("`{symbol}` is a function that every library has: give this another name"));
    } else if symbol.ends_with("_wire_id") {
        report.at(at, "names that end with `_wire_id` are those of ids of functions: give this another name");
    } else {
        return Some(symbol);
    }
    None
}

/// The name of a type.
fn owner_name(owner: &Path) -> String {
    owner.segments.last().map(|last| name(&last.ident)).unwrap_or_default()
}

fn parameter(source: &Source<'_>, input: &FnArg, report: &mut Report) -> Option<Param> {
    let input = match input {
        FnArg::Receiver(receiver) => return self_(source, receiver, report),
        FnArg::Typed(input) => input,
    };
    let ident = match &*input.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(&pat.ident),
        other => {
            report.at(other, "a parameter has one name, the same in every language: write `name: T`");
            None
        }
    };
    let (mut was, mut names) = (None, None);
    conditioned(&input.attrs, report);
    for item in attr::items(&input.attrs, report) {
        match item.name().as_str() {
            "was" => {
                let old = old_name(&item, report);
                set_once(&mut was, old, &item, report);
            }
            "names" => {
                let list = list(&item, report);
                set_once(&mut names, list, &item, report);
            }
            _ => none_of(&item, "names, was", report),
        }
    }
    let ty = without_self(&input.ty, source.owner);
    let mut passing = param(&ty, report)?;
    callback_names(&mut passing, names, report);
    let name = name(ident?);
    crate::check::renamed(was.as_ref(), &name, report);
    Some(Param { name, was: was.map(|was: OldName| was.name), passing })
}

/// A function has all of its parameters or is another function.
fn conditioned(attributes: &[Attribute], report: &mut Report) {
    for attribute in attributes {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            report.at(attribute, "a function has the same parameters everywhere: write two functions");
        }
    }
}

/// What the function is called on.
fn self_(source: &Source<'_>, receiver: &Receiver, report: &mut Report) -> Option<Param> {
    let owner = source.owner?;
    let ty: Type = syn::parse2(owner.to_token_stream()).ok()?;
    for item in attr::items(&receiver.attrs, report) {
        report.at(&item.key, "nothing is said of `self`: remove it");
    }
    let passing = match &receiver.kind {
        ReceiverKind::Value => Passing::Value(at(&ty, receiver.self_token.span)),
        ReceiverKind::Reference(_, None, mutability) => {
            Passing::Reference { ty: at(&ty, receiver.self_token.span), is_mut: mutability.is_some() }
        }
        _ => {
            report.at(receiver, "write `&self`, `&mut self` or `self`");
            return None;
        }
    };
    Some(Param { name: "self".to_owned(), was: None, passing })
}

/// The type at another place, so that what is wrong with it is said there.
fn at(ty: &Type, span: Span) -> Type {
    let tokens: TokenStream = ty
        .to_token_stream()
        .into_iter()
        .map(|mut token| {
            token.set_span(span.located_at(span).resolved_at(token.span()));
            token
        })
        .collect();
    syn::parse2(tokens).unwrap_or_else(|_| ty.clone())
}

/// The names of what a callback takes.
fn callback_names(passing: &mut Passing, said: Option<Vec<Ident>>, report: &mut Report) {
    match (passing, said) {
        (Passing::Callback { params, names }, None) => {
            *names = (1..=params.len()).map(|number| format!("arg_{number}")).collect();
        }
        (Passing::Callback { params, names }, Some(said)) => {
            if said.len() != params.len() {
                report.at(
                    quote::quote!(#(#said)*),
                    format_args!("the callback takes {}, and here stand {} names", params.len(), said.len()),
                );
            }
            distinct(said.iter().map(|ident| (ident.unraw().to_string(), ident.to_token_stream())), report);
            *names = said.iter().map(|ident| ident.unraw().to_string()).collect();
        }
        (_, None) => {}
        (_, Some(said)) => {
            report.at(quote::quote!(#(#said)*), "`names` says what a callback takes: remove it");
        }
    }
}

/// In C, parameters and results stand beside each other; before a renaming they did too.
fn names(source: &Source<'_>, params: &[Param], outs: &[Out], report: &mut Report) {
    let inputs = source.signature.inputs.iter().map(ToTokens::to_token_stream);
    let output = source.signature.output.to_token_stream();
    let at: Vec<TokenStream> = inputs.chain(outs.iter().map(|_| output.clone())).collect();
    let now = params.iter().map(|param| &param.name).chain(outs.iter().map(|out| &out.name));
    let before = report.len();
    distinct(now.cloned().zip(at.iter().cloned()), report);
    if report.len() == before {
        let first = params.iter().map(|param| param.was.as_ref().unwrap_or(&param.name));
        distinct(first.chain(outs.iter().map(|out| &out.name)).cloned().zip(at), report);
    }
}

fn distinct(names: impl Iterator<Item = (String, TokenStream)>, report: &mut Report) {
    let mut taken: Vec<String> = Vec::new();
    for (name, at) in names {
        if taken.contains(&name) {
            report.at(
                at,
                format_args!("`{name}` stands twice: parameters and results have each its own name in C, so say another, \
                              of results with `out(…)`"),
            );
        }
        taken.push(name);
    }
}

/// A type that names what is called `Self`.
fn without_self(ty: &Type, owner: Option<&Path>) -> Type {
    match owner {
        Some(owner) => {
            syn::parse2(named(ty.to_token_stream(), &owner.to_token_stream())).unwrap_or_else(|_| ty.clone())
        }
        None => ty.clone(),
    }
}
