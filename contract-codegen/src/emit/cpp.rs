//! The C++17 header of a family, and `core.hpp`, which every one of them includes.
//!
//! It stands on the C header of the same family: a struct converts to and from its C twin, and the C functions
//! read, write and check, so the two cannot disagree about a byte or a verdict. A recipe's struct holds views, as its C
//! twin does: nothing is copied until it is asked for, and what a value is filled with has to outlive it. A struct that is
//! shared in memory is C's own under another name. A message owns the elements of its tail, and no file descriptor. The text is in `templates/cpp`.

mod export;
mod message;
mod recipe;
mod view;

use minijinja::Environment;
use serde::Serialize;

use super::c::render::{environment, render};
use super::c::traits;
use super::c::{CORE_VERSION, has_header};
use crate::emit::{Artifact, EmitError, EmitInput, Syntax, codes, negotiate};
use crate::names;

/// `core.hpp` and the header of every selected family.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let errors = names::cpp::check(input);
    if !errors.is_empty() {
        return Err(errors);
    }
    let templates = templates();
    let mut artifacts = vec![Artifact {
        path: "include/wirecontract/core.hpp".to_owned(),
        body: render(&templates, "core.hpp", &Core { version: CORE_VERSION, codes: codes() }),
        contracts: Vec::new(),
        syntax: Syntax::C,
    }];
    let traits = traits::of_all(input);
    for family in input.selected_families().filter(|family| has_header(input, family)) {
        artifacts.push(Artifact {
            path: format!("include/{}", names::cpp::header(family)),
            body: render(&templates, "family.hpp", &view::header(input, &traits, family)),
            contracts: family.contracts.clone(),
            syntax: Syntax::C,
        });
    }
    artifacts.extend(negotiate::cpp(input));
    Ok(artifacts)
}

/// What `core.hpp` is filled with.
#[derive(Serialize)]
struct Core {
    version: u32,
    codes: Vec<(i32, &'static str)>,
}

fn templates() -> Environment<'static> {
    environment(&[
        ("core.hpp", include_str!("../../templates/cpp/core.hpp.jinja")),
        ("failure", include_str!("../../templates/cpp/failure.hpp.jinja")),
        ("calls", include_str!("../../templates/cpp/calls.hpp.jinja")),
        ("export", include_str!("../../templates/cpp/export.hpp.jinja")),
        ("family.hpp", include_str!("../../templates/cpp/family.hpp.jinja")),
        ("comment", include_str!("../../templates/c/comment.jinja")),
        ("descriptor", include_str!("../../templates/cpp/descriptor.hpp.jinja")),
        ("enumeration", include_str!("../../templates/cpp/enumeration.hpp.jinja")),
        ("flags", include_str!("../../templates/cpp/flags.hpp.jinja")),
        ("recipe", include_str!("../../templates/cpp/recipe.hpp.jinja")),
        ("message", include_str!("../../templates/cpp/message.hpp.jinja")),
        ("messages", include_str!("../../templates/cpp/messages.hpp.jinja")),
        ("message_calls", include_str!("../../templates/cpp/message_calls.hpp.jinja")),
        ("abi", include_str!("../../templates/cpp/abi.hpp.jinja")),
        ("union", include_str!("../../templates/cpp/union.hpp.jinja")),
    ])
}
