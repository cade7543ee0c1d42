//! The text of the records of handles, functions and libraries.

use super::{Object, abi, package, quoted};
use crate::check::{About, Handle};
use crate::export::{Function, Passing};
use crate::parse::Access;
use crate::ty::Written;

/// What the wire id of a handle covers.
pub(super) fn handle(about: &About, handle: &Handle) -> String {
    let mut object = Object::new();
    object.text("kind", "handle");
    object.text("name", &about.name);
    object.text(
        "access",
        match handle.access {
            Access::Exclusive => "exclusive",
            Access::Shared => "shared",
        },
    );
    object.text("symbol", &handle.symbol);
    object.close()
}

/// What the wire id of a function covers.
pub(super) fn function(function: &Function) -> String {
    let mut object = Object::new();
    object.text("kind", "function");
    object.text("symbol", &function.symbol);
    object.list(
        "params",
        function.params.iter().map(|param| {
            let mut entry = Object::new();
            entry.text("name", param.was.as_ref().unwrap_or(&param.name));
            match &param.passing {
                Passing::Callback { names, .. } => {
                    entry.list("args", names.iter().map(|name| quoted(name)));
                }
                Passing::Plain(ty) => abi::function_params(&mut entry, &Written::of(ty)),
                _ => {}
            }
            entry.close()
        }),
    );
    object.list("outs", function.outs.iter().map(|out| quoted(&out.name)));
    object.close()
}

/// What the source id of a function covers besides.
pub(super) fn function_source(function: &Function) -> String {
    let mut object = Object::new();
    object.text("name", &function.name);
    object.optional("docs", Some(&function.docs).filter(|docs| !docs.is_empty()));
    for (key, number) in [("version", function.version), ("since", function.since)] {
        if let Some(number) = number {
            object.raw(key, number);
        }
    }
    object.optional("deprecated", function.deprecated.as_ref());
    object.text("prefix", &function.prefix);
    package(&mut object);
    object.list(
        "members",
        function.params.iter().map(|param| {
            let mut member = Object::new();
            if param.was.is_some() {
                member.text("name", &param.name);
            }
            member.close()
        }),
    );
    object.close()
}

/// What the wire id of a library covers.
pub(super) fn library(prefix: &str, symbols: &[String]) -> String {
    let mut object = Object::new();
    object.text("kind", "library");
    object.text("name", prefix);
    object.list("symbols", symbols.iter().map(|symbol| quoted(symbol)));
    object.close()
}

/// What the source id of a library covers besides.
pub(super) fn library_source() -> String {
    let mut object = Object::new();
    package(&mut object);
    object.list("members", std::iter::empty());
    object.close()
}
