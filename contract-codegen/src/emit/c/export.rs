//! What a library exports: the structs that handles are known by, and prototypes whose comments say who owns what.

mod notes;

use serde::Serialize;

use super::abi::declaration;
use super::library::wire_id;
use super::literal::{comment_with, remarks};
use crate::emit::{EmitInput, Family};
use crate::model::{
    AbiType, Access, Body, CallbackParam, ContractId, Function, Out, OutForm, ParamForm, Pass,
};
use crate::names::c as names;

/// The widest prototype that stands in one line.
const WIDTH: usize = 120;

/// The handles and functions of a family.
#[derive(Serialize)]
pub(super) struct ExportsView {
    api: String,
    /// The header with what a package's functions share.
    pub(super) library: String,
    handles: Vec<HandleView>,
    functions: Vec<FunctionView>,
    ids: Vec<IdView>,
}

#[derive(Serialize)]
struct HandleView {
    #[serde(rename = "type")]
    type_name: String,
    docs: Vec<String>,
}

#[derive(Serialize)]
struct FunctionView {
    symbol: String,
    docs: Vec<String>,
    parameters: Vec<String>,
    /// Whether each parameter has a line of its own.
    wrapped: bool,
}

#[derive(Serialize)]
struct IdView {
    name: String,
    constant: String,
    wire_id: String,
}

/// What a family exports: each handle, then what ends it and its methods, then the other functions.
pub(crate) fn exported<'a>(
    input: &'a EmitInput<'_>,
    family: &Family,
) -> (Vec<ContractId>, Vec<(ContractId, &'a Function)>) {
    let of = |id: ContractId| &input.catalog.get(id).body;
    let handles: Vec<ContractId> =
        family.contracts.iter().copied().filter(|&id| matches!(of(id), Body::Handle(_))).collect();
    let mut functions: Vec<(ContractId, &Function)> = family
        .contracts
        .iter()
        .filter_map(|&id| if let Body::Function(function) = of(id) { Some((id, function)) } else { None })
        .collect();
    let place = |function: &Function| {
        let handle = function.method_of?;
        handles.iter().position(|&other| other == handle)
    };
    functions.sort_by_key(|(_, function)| place(function).unwrap_or(handles.len()));
    (handles, functions)
}

/// The view of what a family exports; nothing of one that exports nothing.
pub(super) fn exports(input: &EmitInput<'_>, family: &Family) -> Option<ExportsView> {
    let (handles, functions) = exported(input, family);
    if handles.is_empty() && functions.is_empty() {
        return None;
    }
    let package = &family.package;
    let ids = handles.iter().copied().chain(functions.iter().map(|(id, _)| *id)).map(|id| {
        let contract = input.catalog.get(id);
        IdView {
            name: contract.name.clone(),
            constant: names::export_wire_id(package, contract),
            wire_id: wire_id(contract),
        }
    });
    let ids = ids.collect();
    let api = names::api_macro(package);
    let mut views = Vec::new();
    let mut functions = functions.into_iter().peekable();
    for &handle in &handles {
        views.push(destroy(input, handle));
        while let Some((id, function)) = functions.next_if(|(_, function)| function.method_of == Some(handle))
        {
            views.push(function_view(input, id, function));
        }
    }
    views.extend(functions.map(|(id, function)| function_view(input, id, function)));
    for view in &mut views {
        let width = api.len() + view.symbol.len() + view.parameters.join(", ").len();
        view.wrapped = width + " wc_status ();".len() > WIDTH;
    }
    Some(ExportsView {
        api,
        library: names::library_header(package),
        handles: handles.iter().map(|&id| handle_view(input, id)).collect(),
        functions: views,
        ids,
    })
}

fn handle_view(input: &EmitInput<'_>, id: ContractId) -> HandleView {
    let contract = input.catalog.get(id);
    let handle = contract.handle();
    let mut facts = vec![format!(
        "It lives in the library and is known here by a number: a copy is the same one. `{}` ends it.",
        handle.destroy
    )];
    facts.push(match handle.access {
        Access::Exclusive => {
            "The thread that made it uses it: others are told WC_STATUS_BUSY, but for ending it.".to_owned()
        }
        Access::Shared => "Any threads use it, at the same time too.".to_owned(),
    });
    facts.extend(remarks(contract.since, contract.deprecated.as_deref()));
    HandleView { type_name: type_name(input, id), docs: comment_with(&contract.docs, &facts) }
}

fn destroy(input: &EmitInput<'_>, id: ContractId) -> FunctionView {
    let contract = input.catalog.get(id);
    let parameter =
        "`handle`: ended and zeroed; not NULL. Zero is nothing to end. One that is in use is dropped behind that call."
            .to_owned();
    let statuses = "Gives WC_STATUS_OK, WC_STATUS_NULL_ARGUMENT, WC_STATUS_BAD_HANDLE for one that was ended before, or \
                    WC_STATUS_PANIC where dropping it panics, unless that is behind another call: it is ended then too."
        .to_owned();
    FunctionView {
        symbol: contract.handle().destroy.clone(),
        docs: paragraphs(
            &format!("Ends {}.", notes::with_article(&contract.name)),
            &[vec![parameter], vec![statuses]],
        ),
        parameters: vec![format!("{} *handle", type_name(input, id))],
        wrapped: false,
    }
}

fn function_view(input: &EmitInput<'_>, id: ContractId, function: &Function) -> FunctionView {
    let contract = input.catalog.get(id);
    let remarks = remarks(contract.since, contract.deprecated.as_deref());
    let said = [notes::parameters(input, function), notes::statuses(input, function), remarks];
    FunctionView {
        symbol: function.symbol.clone(),
        docs: paragraphs(&contract.docs, &said),
        parameters: parameters(input, function),
        wrapped: false,
    }
}

/// The lines of a comment: documentation, and paragraphs below it.
fn paragraphs(docs: &str, paragraphs: &[Vec<String>]) -> Vec<String> {
    let mut lines = comment_with(docs, &[]);
    for paragraph in paragraphs.iter().filter(|lines| !lines.is_empty()) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(paragraph.iter().flat_map(|line| comment_with("", &wrapped(line))));
    }
    lines
}

/// A line as several that are no wider than a prototype.
fn wrapped(line: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in line.split(' ') {
        match lines.last_mut() {
            Some(last) if last.len() + word.len() + " * ".len() < WIDTH => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The parameters of a prototype: the declared ones, and where results are written.
fn parameters(input: &EmitInput<'_>, function: &Function) -> Vec<String> {
    let declared = function.params.iter().flat_map(|param| form(input, &param.form, &param.name));
    declared.chain(function.outs.iter().map(|out| out_parameter(input, out))).collect()
}

/// The parameters that a callback is called with.
fn told(input: &EmitInput<'_>, params: &[CallbackParam]) -> Vec<String> {
    let told = params.iter().flat_map(|param| form(input, &param.form, &param.name));
    [format!("void *{}", names::CONTEXT)].into_iter().chain(told).collect()
}

/// The parameters of a form.
pub(crate) fn form(input: &EmitInput<'_>, form: &ParamForm, declared: &str) -> Vec<String> {
    let name = names::escape(declared);
    let points_to = |to: &AbiType, is_mut: bool| {
        let pointer = AbiType::Pointer { to: Some(Box::new(to.clone())), is_const: !is_mut };
        declaration(input, &pointer, &name)
    };
    match form {
        ParamForm::Value(ty) => vec![declaration(input, ty, &name)],
        ParamForm::Closed(id) => vec![format!("{} {name}", type_name(input, *id))],
        ParamForm::Reference { to, is_mut, .. } => vec![points_to(to, *is_mut)],
        ParamForm::Slice { item, is_mut } => {
            vec![points_to(item, *is_mut), format!("size_t {}", names::length_parameter(declared))]
        }
        ParamForm::Text { .. } => vec![format!("const char *{name}")],
        ParamForm::Descriptor(id) => vec![format!("const uint8_t {name}[{}]", size(input, *id))],
        ParamForm::Document(_) => vec![format!("wc_str {name}")],
        ParamForm::Handle { contract, pass } => {
            let pointer = if *pass == Pass::Taken { "*" } else { "" };
            vec![format!("{} {pointer}{name}", type_name(input, *contract))]
        }
        ParamForm::Callback(params) => vec![
            format!("wc_status (*{name})({})", told(input, params).join(", ")),
            format!("void *{}", names::context_parameter(declared)),
        ],
    }
}

fn out_parameter(input: &EmitInput<'_>, out: &Out) -> String {
    let name = names::escape(&out.name);
    match &out.form {
        OutForm::Value(ty) => {
            let pointer = AbiType::Pointer { to: Some(Box::new(ty.clone())), is_const: false };
            declaration(input, &pointer, &name)
        }
        OutForm::Closed(id) | OutForm::Handle(id) => format!("{} *{name}", type_name(input, *id)),
        OutForm::Fd { .. } => format!("int32_t *{name}"),
        OutForm::Text | OutForm::Bytes | OutForm::Document(_) => format!("wc_owned_bytes *{name}"),
        OutForm::Descriptor(id) => format!("uint8_t {name}[{}]", size(input, *id)),
    }
}

/// The C type of a contract.
pub(crate) fn type_name(input: &EmitInput<'_>, id: ContractId) -> String {
    names::type_name(&input.family_of(id).package, input.catalog.get(id))
}

/// The constant that is a descriptor's size.
pub(super) fn size(input: &EmitInput<'_>, id: ContractId) -> String {
    format!("{}_SIZE", names::constant_stem(&input.family_of(id).package, input.catalog.get(id)))
}
