//! What a function says of itself.

use std::collections::BTreeSet;

use super::super::scope::Scope;
use super::super::text::docstring;
use super::value;
use crate::model::{AbiType, ContractId, FunctionParam, OutForm, ParamForm, Pass};
use crate::names::python as names;

/// The docstring of a function.
pub(super) fn function(scope: &Scope<'_>, id: ContractId, indent: usize) -> String {
    let contract = scope.catalog.get(id);
    let function = contract.function();
    let params: Vec<String> = function.params.iter().filter_map(|param| note(scope, id, param)).collect();
    let outs: Vec<String> = function.outs.iter().map(|out| format!("`{}`", out.name)).collect();
    let several = if outs.len() > 1 { format!("Gives {}.", outs.join(", ")) } else { String::new() };
    let has_handle = function.outs.iter().any(|out| matches!(out.form, OutForm::Handle(_)));
    let handle = if has_handle { "Whoever gets a handle closes it." } else { "" };
    let gives = format!("{several} {handle}");
    let promise = if function.is_unsafe {
        "Unsafe: what its addresses point to has to be as the library expects it, which nothing checks."
    } else {
        ""
    };
    let version = contract.version.map(|version| format!(" Version {version}.")).unwrap_or_default();
    let since = contract.since.map(|since| format!(" Since version {since}.")).unwrap_or_default();
    let calls = format!("Calls `{}`; `CallError` where that refuses.{version}{since}", function.symbol);
    let deprecated = contract.deprecated.as_ref().map(|why| format!("Deprecated: {why}")).unwrap_or_default();
    docstring(indent, &[&contract.docs, &params.join("\n"), &gives, promise, &calls, &deprecated])
}

fn note(scope: &Scope<'_>, id: ContractId, param: &FunctionParam) -> Option<String> {
    let name = format!("`{}`", names::parameter(&param.name));
    let what = |ty: &AbiType| match ty {
        AbiType::Scalar(scalar) => value::scalar_name(*scalar).to_owned(),
        AbiType::Enumeration(id) | AbiType::Flags(id) => scope.catalog.get(*id).repr().to_string(),
        AbiType::Struct(id) => scope.catalog.get(*id).name.clone(),
        _ => "pointers".to_owned(),
    };
    Some(match &param.form {
        ParamForm::Slice { item, is_mut: true } => {
            format!("{name}: a writable C-contiguous buffer of {}, which is written where it is.", what(item))
        }
        ParamForm::Slice { item, .. } => format!(
            "{name}: a C-contiguous buffer of {}, which is read where it is, or a sequence, which is copied.",
            what(item)
        ),
        ParamForm::Reference { is_mut: true, .. } => format!("{name} is written where it is."),
        ParamForm::Handle { pass: Pass::Taken, .. } if param.name == "self" => {
            "The handle is closed, though the call may fail; not where an argument is refused.".to_owned()
        }
        ParamForm::Handle { pass: Pass::Taken, .. } => {
            format!("{name} is closed, though the call may fail; not where an argument is refused.")
        }
        ParamForm::Value(AbiType::Pointer { .. }) => format!("{name}: an address; None is NULL."),
        ParamForm::Value(AbiType::Function(_)) => {
            let class = value::function_name(scope, id, param).expect("it is a function");
            format!("{name}: made by `{class}` and kept as long as the library may call it; None is NULL.")
        }
        ParamForm::Callback(params) => {
            let told: BTreeSet<&str> = params.iter().map(|param| param.name.as_str()).collect();
            let told: Vec<String> = if told.len() == params.len() {
                params.iter().map(|param| format!("`{}`", param.name)).collect()
            } else {
                Vec::new()
            };
            let with = if told.is_empty() { String::new() } else { format!(" with {}", told.join(", ")) };
            format!(
                "{name} is called{with} before the call ends; what it is given it may keep. Its result is not used, and \
                 what it raises is raised behind the call, which it ends."
            )
        }
        _ => return None,
    })
}
