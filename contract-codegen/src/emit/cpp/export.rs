//! What a library exports in C++: a class for each handle, and functions that call C's.

mod body;
mod forms;

use serde::Serialize;

use super::view::name_of;
use crate::emit::c::export::{exported, type_name as c_type};
use crate::emit::c::literal::{comment_with, remarks};
use crate::emit::{EmitInput, Family};
use crate::model::{Access, Contract, ContractId, Function, Out, Pass};
use crate::names::{c, cpp};

/// The handles and functions of a family.
#[derive(Serialize)]
pub(super) struct ExportsView {
    classes: Vec<ClassView>,
    /// What functions give several results in.
    results: Vec<ResultView>,
    /// Of classes and of none.
    functions: Vec<FunctionView>,
}

#[derive(Serialize)]
struct ClassView {
    name: String,
    docs: Vec<String>,
    c_type: String,
    destroy: String,
    last_error: String,
    constant: String,
    wire_id: String,
    /// Whether no method is called so.
    has_close: bool,
}

#[derive(Serialize)]
struct ResultView {
    name: String,
    function: String,
    members: Vec<String>,
}

#[derive(Serialize)]
struct FunctionView {
    name: String,
    docs: Vec<String>,
    /// The class that it is a member of.
    class: Option<String>,
    is_static: bool,
    /// What stands behind the parameters.
    qualifier: &'static str,
    parameters: String,
    result: String,
    body: Vec<String>,
    /// Whether it takes a handle, which SWIG has no word for.
    takes: bool,
    constant: String,
    wire_id: String,
    c_name: String,
}

/// A function where it is declared.
#[derive(Clone, Copy)]
struct Place<'a> {
    input: &'a EmitInput<'a>,
    family: &'a Family,
    contract: &'a Contract,
    function: &'a Function,
    /// The handle whose class it is a member of.
    class: Option<ContractId>,
}

impl Place<'_> {
    /// The handle that a call is made on, if it is made on one.
    fn receiver(&self) -> Option<Pass> {
        self.class?;
        let first = self.function.params.first()?;
        match first.form {
            crate::model::ParamForm::Handle { pass, .. } if first.name == "self" => Some(pass),
            _ => None,
        }
    }

    /// A contract's name, qualified where it is of another family.
    fn name(&self, id: ContractId) -> String {
        name_of(self.input, self.family, id)
    }
}

/// The view of what a family exports; nothing of one that exports nothing.
pub(super) fn exports(input: &EmitInput<'_>, family: &Family) -> Option<ExportsView> {
    let (handles, functions) = exported(input, family);
    if handles.is_empty() && functions.is_empty() {
        return None;
    }
    let places: Vec<Place<'_>> = functions
        .into_iter()
        .map(|(id, function)| Place {
            input,
            family,
            contract: input.catalog.get(id),
            function,
            class: function.method_of.filter(|handle| handles.contains(handle)),
        })
        .collect();
    let several = places.iter().filter(|place| place.function.outs.len() > 1);
    Some(ExportsView {
        results: several.map(result_view).collect(),
        classes: handles.iter().map(|&id| class_view(input, family, id, &places)).collect(),
        functions: places.iter().map(function_view).collect(),
    })
}

fn class_view(input: &EmitInput<'_>, family: &Family, id: ContractId, places: &[Place<'_>]) -> ClassView {
    let contract = input.catalog.get(id);
    let handle = contract.handle();
    let mut methods = places.iter().filter(|place| place.class == Some(id));
    let has_close = !methods.any(|place| cpp::function(place.contract, true) == "close");
    let mut facts = vec![
        "It is ended where this object is destroyed. Moved from, it is none, which every call refuses as"
            .to_owned(),
        "`bad_handle`.".to_owned(),
        match handle.access {
            Access::Exclusive => {
                "The thread that made it uses it: others are told `busy`, but for ending it.".to_owned()
            }
            Access::Shared => "Any threads use it, at the same time too.".to_owned(),
        },
    ];
    facts.extend(remarks(contract.since, contract.deprecated.as_deref()));
    ClassView {
        name: cpp::type_name(contract),
        docs: comment_with(&contract.docs, &facts),
        c_type: c_type(input, id),
        destroy: handle.destroy.clone(),
        last_error: c::library_functions(&family.package)[0].clone(),
        constant: c::export_wire_id(&family.package, contract),
        wire_id: format!("UINT64_C(0x{:016x})", contract.wire_id),
        has_close,
    }
}

fn result_view(place: &Place<'_>) -> ResultView {
    let member = |out: &Out| forms::member(place, out);
    ResultView {
        name: cpp::result_type(place.contract),
        function: place.contract.name.clone(),
        members: place.function.outs.iter().map(member).collect(),
    }
}

fn function_view(place: &Place<'_>) -> FunctionView {
    let Place { contract, function, family, .. } = *place;
    let receiver = place.receiver();
    let body = body::body(place);
    let mut facts = vec![format!("Calls `{}`, whose comment says more of what it takes.", function.symbol)];
    if function.is_unsafe {
        facts.push("Unsafe: its caller keeps the promises above, which nothing checks.".to_owned());
    }
    facts.extend(remarks(contract.since, contract.deprecated.as_deref()));
    FunctionView {
        name: cpp::function(contract, place.class.is_some()),
        docs: comment_with(&contract.docs, &facts),
        class: place.class.map(|id| place.name(id)),
        is_static: place.class.is_some() && receiver.is_none(),
        qualifier: match receiver {
            Some(Pass::Borrowed) => " const",
            Some(Pass::Taken) => " &&",
            Some(Pass::BorrowedMut) | None => "",
        },
        takes: receiver == Some(Pass::Taken) || body.takes,
        parameters: body.parameters.join(", "),
        result: format!("::wirecontract::result<{}, ::wirecontract::failure>", forms::result(place)),
        body: body.lines,
        constant: c::export_wire_id(&family.package, contract),
        wire_id: format!("UINT64_C(0x{:016x})", contract.wire_id),
        c_name: function.symbol.clone(),
    }
}
