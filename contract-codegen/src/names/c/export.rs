//! The words of what a library exports.

use super::{constant_stem, escape};
use crate::emit::PackageConfig;
use crate::model::{Body, Contract, Function, ParamForm};

/// The header of a package's library as `#include` names it: `sensor/library.h`.
pub fn library_header(package: &PackageConfig) -> String {
    format!("{}/library.h", package.include_dir)
}

/// What stands in front of every prototype: `SENSOR_API`.
pub fn api_macro(package: &PackageConfig) -> String {
    format!("{}_API", package.c_prefix.to_ascii_uppercase())
}

/// What a program defines that is linked with the library's archive: `SENSOR_STATIC`.
pub fn static_macro(package: &PackageConfig) -> String {
    format!("{}_STATIC", package.c_prefix.to_ascii_uppercase())
}

/// The function that holds the headers against the library: `sensor_check_abi`.
pub fn check_abi(package: &PackageConfig) -> String {
    format!("{}_check_abi", package.c_prefix)
}

/// The functions that every library has: the last error, and freeing what it gave.
pub fn library_functions(package: &PackageConfig) -> [String; 2] {
    ["last_error", "bytes_free"].map(|function| format!("{}_{function}", package.c_prefix))
}

/// The symbols that are of a contract: none, but of what is exported.
pub fn symbols(contract: &Contract) -> Vec<&str> {
    match &contract.body {
        Body::Handle(handle) => vec![&handle.destroy],
        Body::Function(function) => vec![&function.symbol],
        Body::Symbols(symbols) if symbols.is_library => symbols.names.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What the library says a symbol's wire id with: `sensor_mean_wire_id`.
pub fn wire_id_symbol(symbol: &str) -> String {
    format!("{symbol}_wire_id")
}

/// What the headers say the wire id of something exported with.
pub fn export_wire_id(package: &PackageConfig, contract: &Contract) -> String {
    match &contract.body {
        Body::Function(function) => format!("{}_WIRE_ID", function.symbol.to_ascii_uppercase()),
        Body::Symbols(_) => format!("{}_LIBRARY_WIRE_ID", package.c_prefix.to_ascii_uppercase()),
        _ => format!("{}_WIRE_ID", constant_stem(package, contract)),
    }
}

/// The parameter that counts a slice's items.
pub fn length_parameter(name: &str) -> String {
    escape(&format!("{name}_length"))
}

/// The parameter that a callback is told first.
pub fn context_parameter(name: &str) -> String {
    escape(&format!("{name}_context"))
}

/// What a callback is told first, as it calls it itself.
pub const CONTEXT: &str = "context";

/// The parameters of a form, by name.
pub fn form_parameters(form: &ParamForm, name: &str) -> Vec<String> {
    let own = escape(name);
    match form {
        ParamForm::Slice { .. } => vec![own, length_parameter(name)],
        ParamForm::Callback(_) => vec![own, context_parameter(name)],
        _ => vec![own],
    }
}

/// The scopes of a function's parameters: its own, with the results behind, and one for each callback. With each name
/// comes the one that the declaration has.
pub fn scopes(function: &Function) -> Vec<Vec<(String, &str)>> {
    let named = |form, name| form_parameters(form, name).into_iter().map(|it| (it, name)).collect::<Vec<_>>();
    let mut own: Vec<(String, &str)> =
        function.params.iter().flat_map(|param| named(&param.form, param.name.as_str())).collect();
    own.extend(function.outs.iter().map(|out| (escape(&out.name), out.name.as_str())));
    let callbacks = function.params.iter().filter_map(|param| match &param.form {
        ParamForm::Callback(params) => {
            let told = params.iter().flat_map(|told| named(&told.form, told.name.as_str()));
            let context = (CONTEXT.to_owned(), "context, which every callback has,");
            Some([context].into_iter().chain(told).collect())
        }
        _ => None,
    });
    let callbacks: Vec<_> = callbacks.collect();
    [own].into_iter().chain(callbacks).collect()
}
