//! The words of what a library exports.

use super::{Scopes, namespace, type_name};
use crate::emit::{EmitInput, Family};
use crate::model::{Contract, Function, Out};
use crate::names::c;

/// What every generated class of a handle defines, besides `close`, for which a method of that name may stand.
const HANDLE_NAMES: [&str; 6] = ["adopt", "c", "c_", "end", "release", "wire_id"];

/// A handle's method, or a function that is none: its name in Rust. A method whose class is another family's has its
/// handle's name in front.
pub fn function(contract: &Contract, is_member: bool) -> String {
    let function = contract.function();
    let word = function.word(&contract.name);
    if is_member && HANDLE_NAMES.contains(&word) {
        // With an underscore alone, `c` would be the member that holds the handle.
        let behind = if HANDLE_NAMES.contains(&&*format!("{word}_")) { "_method" } else { "_" };
        return format!("{word}{behind}");
    }
    if is_member || function.method_of.is_none() {
        return c::escape(word);
    }
    c::escape(&c::snake(&contract.name.replace("::", "_")))
}

/// The struct that a function gives several results in.
pub fn result_type(contract: &Contract) -> String {
    let function = contract.function();
    let name = if function.method_of.is_none() { function.word(&contract.name) } else { &contract.name };
    let words = name.split("::").flat_map(|part| part.split('_'));
    let capitalized = words.map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    });
    format!("{}Result", capitalized.collect::<String>())
}

/// A member of that struct.
pub fn result_member(out: &Out) -> String {
    c::escape(&out.name)
}

impl Scopes {
    /// A function's name, in its class or in the namespace, and what it gives.
    pub(super) fn function(
        &mut self,
        input: &EmitInput<'_>,
        family: &Family,
        contract: &Contract,
        body: &Function,
    ) {
        let namespace = namespace(family);
        let owner = c::label(contract, "");
        let class = body.method_of.filter(|id| family.contracts.contains(id)).map(|id| input.catalog.get(id));
        let name = function(contract, class.is_some());
        self.identifier(&name, &owner);
        match class {
            Some(class) => {
                self.member(&namespace, &format!("{namespace}::{}", type_name(class)), &name, &owner);
            }
            None => {
                self.claim(&namespace, &name, &owner);
                self.functions.insert(format!("{namespace}::{name}"));
            }
        }
        for param in &body.params {
            self.identifier(&param.name, &format!("the parameter {} of {owner}", param.name));
        }
        if body.outs.len() > 1 {
            let result = result_type(contract);
            self.claim(&namespace, &result, &owner);
            for out in &body.outs {
                let owner = format!("the result {} of {owner}", out.name);
                self.identifier(&out.name, &owner);
                self.member(&namespace, &format!("{namespace}::{result}"), &result_member(out), &owner);
            }
        }
    }
}
