//! Handles, exported functions, and functions of which only the names are declared.

use super::abi::ty;
use super::object::Object;
use super::reference;
use crate::catalog::json::Json;
use crate::emit::EmitInput;
use crate::model::{Access, Function, Handle, Out, OutForm, ParamForm, Pass, Symbols};

pub(super) fn handle(handle: &Handle, object: Object) -> Object {
    let access = match handle.access {
        Access::Exclusive => "exclusive",
        Access::Shared => "shared",
    };
    object
        .text("prefix", &handle.prefix)
        .text("access", access)
        .number("tag", handle.tag)
        .text("symbol", &handle.destroy)
}

pub(super) fn function(input: &EmitInput<'_>, function: &Function, object: Object) -> Object {
    let params =
        function.params.iter().map(|it| param(input, &it.name, it.was.as_deref(), &it.form)).collect();
    let outs = function.outs.iter().map(|it| out(input, it)).collect();
    object
        .text("prefix", &function.prefix)
        .text("symbol", &function.symbol)
        .with_if("method_of", function.method_of.map(|id| reference(input, id)))
        .flag("unsafe", function.is_unsafe)
        .with("params", Json::Array(params))
        .with("outs", Json::Array(outs))
}

pub(super) fn symbols(symbols: &Symbols, object: Object) -> Object {
    object.with("symbols", Json::Array(symbols.names.iter().map(Json::text).collect()))
}

fn param(input: &EmitInput<'_>, name: &str, was: Option<&str>, form: &ParamForm) -> Json {
    let object = Object::default().text("name", name).text_if("was", was);
    let contract =
        |form: &str, id| Object::default().text("form", form).with("contract", reference(input, id));
    let form = match form {
        ParamForm::Value(value) => Object::default().text("form", "value").and(ty(input, value)),
        ParamForm::Closed(id) => contract("closed", *id),
        ParamForm::Reference { to, is_mut, is_nullable } => Object::default()
            .text("form", "reference")
            .flag("mut", *is_mut)
            .flag("nullable", *is_nullable)
            .and(ty(input, to)),
        ParamForm::Slice { item, is_mut } => {
            Object::default().text("form", "slice").flag("mut", *is_mut).and(ty(input, item))
        }
        ParamForm::Text { is_nullable } => {
            Object::default().text("form", "text").flag("nullable", *is_nullable)
        }
        ParamForm::Descriptor(id) => contract("descriptor", *id),
        ParamForm::Document(id) => contract("document", *id),
        ParamForm::Handle { contract: id, pass } => {
            let pass = match pass {
                Pass::Borrowed => "borrowed",
                Pass::BorrowedMut => "borrowed_mut",
                Pass::Taken => "taken",
            };
            contract("handle", *id).text("pass", pass)
        }
        ParamForm::Callback(params) => {
            let args = params.iter().map(|it| param(input, &it.name, None, &it.form)).collect();
            Object::default().text("form", "callback").with("args", Json::Array(args))
        }
    };
    object.and(form).json()
}

fn out(input: &EmitInput<'_>, out: &Out) -> Json {
    let contract =
        |form: &str, id| Object::default().text("form", form).with("contract", reference(input, id));
    let form = match &out.form {
        OutForm::Value(value) => Object::default().text("form", "value").and(ty(input, value)),
        OutForm::Closed(id) => contract("closed", *id),
        OutForm::Text => Object::default().text("form", "text"),
        OutForm::Bytes => Object::default().text("form", "bytes"),
        OutForm::Descriptor(id) => contract("descriptor", *id),
        OutForm::Document(id) => contract("document", *id),
        OutForm::Handle(id) => contract("handle", *id),
        OutForm::Fd { is_given } => Object::default().text("form", fd(*is_given)),
    };
    Object::default().text("name", &out.name).and(form).json()
}

/// A file descriptor that becomes the caller's, or one that does not.
fn fd(is_given: bool) -> &'static str {
    if is_given { "fd" } else { "lent_fd" }
}
