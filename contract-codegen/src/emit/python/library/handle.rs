//! The text of a handle's class.

use std::collections::BTreeSet;

use minijinja::{Environment, context};

use super::super::scope::Scope;
use super::super::text::{docstring, statement, string};
use super::super::{docs, render};
use crate::model::{Access, ContractId};

/// The class, with its methods.
pub(super) fn class(
    environment: &Environment<'_>,
    scope: &Scope<'_>,
    id: ContractId,
    methods: Vec<String>,
    attributes: &BTreeSet<String>,
) -> String {
    let contract = scope.catalog.get(id);
    let handle = contract.handle();
    let access = match handle.access {
        Access::Exclusive => {
            "It is the thread's that made it: in others its methods fail with the code `busy`, and `close` leaves it to \
             that thread to end it."
        }
        Access::Shared => "All threads may use it at the same time.",
    };
    let form = format!(
        "{access} Functions give it; close it, or use it in a `with` statement. What is used when it is closed is a \
         `ValueError`."
    );
    let end = format!(
        "_call.end(self, {}, _c_{1}, _library, {2})",
        scope.class(id),
        handle.destroy,
        string(&handle.destroy)
    );
    let text = render(
        environment,
        "handle",
        context! {
            class => scope.class(id),
            docstring => docs::contract(contract, &form),
            int => scope.builtin("int", attributes),
            wire_id => docs::wire_id(contract),
            close => docstring(8, &["Ends it, in the library too. Nothing happens where it is closed."]),
            end => statement(8, &end),
            methods,
        },
    );
    text.trim_end().to_owned()
}

/// The struct that it is in C.
pub(super) fn number(scope: &Scope<'_>, id: ContractId) -> String {
    let name = number_class(scope, id);
    format!("class {name}(_call.Number):\n    __slots__ = ()")
}

/// Its name.
pub(super) fn number_class(scope: &Scope<'_>, id: ContractId) -> String {
    scope.private("number", id)
}
