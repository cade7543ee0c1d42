//! Handles, exported functions and mere symbols as a record has them.

use std::collections::BTreeMap;

use super::super::json::Json;
use super::super::words::export::{
    BYTES, CALLBACK, CLOSED, DESCRIPTOR, DOCUMENT, FD, HANDLE, HOLDS, METHOD, MUT, NULLABLE, OWNED,
    REFERENCE, SLICE, TEXT, UNSAFE, VALUE,
};
use super::abi::{Writer, parameter_names};
use super::{Word, accepted, present};
use crate::model::{
    Access, CallbackParam, Catalog, ContractId, Function, FunctionParam, Handle, Out, OutForm, ParamForm,
    Pass, Symbols,
};

/// The words of a function whose contracts have these ids (wire, source).
pub(super) fn words(
    catalog: &Catalog,
    function: &Function,
    ids: &BTreeMap<ContractId, (u64, u64)>,
) -> Vec<Word> {
    let mut writer = Writer { catalog, ids, words: Vec::new() };
    let unsafety = if function.is_unsafe { UNSAFE } else { 0 };
    let method = if function.method_of.is_some() { METHOD } else { 0 };
    writer.put([method | unsafety, count(&function.params), count(&function.outs)]);
    if let Some(handle) = function.method_of {
        writer.ids(handle);
    }
    function.params.iter().for_each(|param| form(&mut writer, &param.form));
    function.outs.iter().for_each(|it| out(&mut writer, it));
    writer.words
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("there are few")
}

fn bit(is_set: bool, bit: u32) -> u32 {
    if is_set { bit } else { 0 }
}

fn form(writer: &mut Writer<'_>, form: &ParamForm) {
    match form {
        ParamForm::Value(ty) => {
            writer.put([VALUE]);
            writer.ty(ty);
        }
        ParamForm::Closed(id) => writer.held(CLOSED | HOLDS, *id),
        ParamForm::Reference { to, is_mut, is_nullable } => {
            writer.put([REFERENCE | bit(*is_mut, MUT) | bit(*is_nullable, NULLABLE)]);
            writer.ty(to);
        }
        ParamForm::Slice { item, is_mut } => {
            writer.put([SLICE | bit(*is_mut, MUT)]);
            writer.ty(item);
        }
        ParamForm::Text { is_nullable } => writer.put([TEXT | bit(*is_nullable, NULLABLE)]),
        ParamForm::Descriptor(id) => writer.held(DESCRIPTOR | HOLDS, *id),
        ParamForm::Document(id) => writer.held(DOCUMENT | HOLDS, *id),
        ParamForm::Handle { contract, pass } => {
            let how = match pass {
                Pass::Borrowed => 0,
                Pass::BorrowedMut => MUT,
                Pass::Taken => OWNED,
            };
            writer.held(HANDLE | how | HOLDS, *contract);
        }
        ParamForm::Callback(params) => {
            writer.put([CALLBACK, count(params)]);
            params.iter().for_each(|param| self::form(writer, &param.form));
        }
    }
}

fn out(writer: &mut Writer<'_>, out: &Out) {
    match &out.form {
        OutForm::Value(ty) => {
            writer.put([VALUE]);
            writer.ty(ty);
        }
        OutForm::Closed(id) => writer.held(CLOSED | HOLDS, *id),
        OutForm::Text => writer.put([TEXT]),
        OutForm::Bytes => writer.put([BYTES]),
        OutForm::Descriptor(id) => writer.held(DESCRIPTOR | HOLDS, *id),
        OutForm::Document(id) => writer.held(DOCUMENT | HOLDS, *id),
        OutForm::Handle(id) => writer.held(HANDLE | HOLDS, *id),
        OutForm::Fd { is_given } => writer.put([FD | bit(*is_given, OWNED)]),
    }
}

type Members = Vec<(String, Json)>;

/// What the wire id covers of a handle.
pub(super) fn handle(handle: &Handle) -> Members {
    let access = match handle.access {
        Access::Exclusive => "exclusive",
        Access::Shared => "shared",
    };
    present([("access", Some(Json::text(access))), ("symbol", Some(Json::text(&handle.destroy)))])
}

/// What it covers of symbols.
pub(super) fn symbols(symbols: &Symbols) -> Members {
    vec![("symbols".into(), Json::Array(symbols.names.iter().map(Json::text).collect()))]
}

/// What it covers of a function; its name in Rust is not part of it.
pub(super) fn function(function: &Function) -> Members {
    let param = |param: &FunctionParam| {
        let mut names = Vec::new();
        types(&param.form, &mut names);
        let args = match &param.form {
            ParamForm::Callback(params) => {
                Some(Json::Array(params.iter().map(|param| Json::text(&param.name)).collect()))
            }
            _ => None,
        };
        let mut json = vec![("name".into(), accepted(&param.name, param.was.as_ref()))];
        json.extend(present([("args", args), ("params", (!names.is_empty()).then_some(Json::Array(names)))]));
        Json::Object(json)
    };
    let outs = function.outs.iter().map(|out| Json::text(&out.name));
    vec![
        ("symbol".into(), Json::text(&function.symbol)),
        ("params".into(), Json::Array(function.params.iter().map(param).collect())),
        ("outs".into(), Json::Array(outs.collect())),
    ]
}

/// Names of the parameters of function types in a form.
fn types(form: &ParamForm, names: &mut Vec<Json>) {
    match form {
        ParamForm::Value(ty) | ParamForm::Reference { to: ty, .. } | ParamForm::Slice { item: ty, .. } => {
            parameter_names(ty, names);
        }
        ParamForm::Callback(params) => {
            params.iter().for_each(|CallbackParam { form, .. }| types(form, names));
        }
        _ => {}
    }
}

/// What the source id covers besides of a function's parameters.
pub(super) fn source_members(function: &Function) -> Vec<Json> {
    let now = |param: &FunctionParam| param.was.as_ref().map(|_| Json::text(&param.name));
    function.params.iter().map(|param| Json::Object(present([("name", now(param))]))).collect()
}
