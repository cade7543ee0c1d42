//! The C header of a family, and `core.h`, which every one of them includes.
//!
//! A header reads in two passes: `check` looks at the bytes and stops at the first fault, then `decode` copies
//! and cannot fail. Writing mirrors it: `refuse` looks at the value, `encode` copies, `settle` puts in what is
//! not the value's to say (magic, version, zeros). An older version of a descriptor that grows is read as the newest,
//! put together in an image on the stack. Rules come after the fields: on the bytes in reading, on the value in
//! writing. Recipes and unions are structs that point to what somebody else owns; `check` is what a writer looks at. Messages
//! are structs of these, with what stands behind and comes beside them where the caller has it. Where the wire is the struct and the host is little-endian,
//! each copy is one `memcpy`. A struct that is shared in memory has no functions: its layout is asserted. What a library exports stands behind all that it is made of, and `library.h` has what a package's functions share. The text is in `templates/c`; what stands in its gaps is worked out in [`view`]
//! and [`steps`].

pub(crate) mod abi;
mod check;
pub(crate) mod default;
pub(crate) mod export;
mod expression;
mod foreign;
pub(crate) mod growth;
pub(crate) mod includes;
mod init;
mod library;
mod lines;
pub(crate) mod literal;
pub(crate) mod message;
mod operand;
mod place;
pub(crate) mod recipe;
pub(crate) mod render;
mod rules;
mod steps;
pub(crate) mod traits;
pub(crate) mod types;
pub(crate) mod view;

use minijinja::Environment;
use serde::Serialize;

use crate::emit::{Artifact, EmitError, EmitInput, Family, PackageConfig, Syntax, codes, negotiate};
use crate::model::Body;
use crate::names;
use render::{environment, render};

/// Raised whenever the text of `core.h` changes: two headers of different text must not meet in one program.
pub(crate) const CORE_VERSION: u32 = 7;

/// `core.h` and the header of every selected family.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let templates = templates();
    let core = render_core(&templates, &codes());
    let mut errors = names::c::check(input, &core);
    errors.extend(includes::check(input));
    errors.extend(literal::check(input));
    errors.extend(foreign::check(input));
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut artifacts = vec![Artifact {
        path: "include/wirecontract/core.h".to_owned(),
        body: core,
        contracts: Vec::new(),
        syntax: Syntax::C,
    }];
    let traits = traits::of_all(input);
    artifacts.extend(libraries(input).into_iter().map(|package| Artifact {
        path: format!("include/{}", names::c::library_header(package)),
        body: render(&templates, "library.h", &library::header(input, package)),
        contracts: library::contracts(input, package),
        syntax: Syntax::C,
    }));
    for family in input.selected_families().filter(|family| has_header(input, family)) {
        artifacts.push(Artifact {
            path: format!("include/{}", names::c::header(family)),
            body: render(&templates, "family.h", &view::header(input, &traits, family)),
            contracts: family.contracts.clone(),
            syntax: Syntax::C,
        });
    }
    artifacts.extend(negotiate::c(input));
    Ok(artifacts)
}

/// The packages of selected families that export anything.
fn libraries<'a>(input: &'a EmitInput<'_>) -> Vec<&'a PackageConfig> {
    let mut packages: Vec<&PackageConfig> = input.selected_families().map(|family| &family.package).collect();
    packages.sort_by_key(|package| &package.package);
    packages.dedup_by_key(|package| &package.package);
    packages.retain(|package| !library::contracts(input, package).is_empty());
    packages
}

/// Whether a family declares anything besides names of functions.
pub(crate) fn has_header(input: &EmitInput<'_>, family: &Family) -> bool {
    !family.contracts.iter().all(|&id| matches!(input.catalog.get(id).body, Body::Symbols(_)))
}

/// What `core.h` is filled with.
#[derive(Serialize)]
struct Core {
    version: u32,
    codes: Vec<Code>,
    arrays: [(&'static str, &'static str); 14],
}

#[derive(Serialize)]
struct Code {
    number: i32,
    name: String,
    constant: String,
}

fn render_core(templates: &Environment<'_>, codes: &[(i32, &str)]) -> String {
    let code = |&(number, name): &(i32, &str)| Code {
        number,
        name: name.to_owned(),
        constant: name.to_ascii_uppercase(),
    };
    let codes = codes.iter().map(code).collect();
    render(templates, "core.h", &Core { version: CORE_VERSION, codes, arrays: types::CORE_ARRAYS })
}

fn templates() -> Environment<'static> {
    environment(&[
        ("core.h", include_str!("../../templates/c/core.h.jinja")),
        ("family.h", include_str!("../../templates/c/family.h.jinja")),
        ("comment", include_str!("../../templates/c/comment.jinja")),
        ("spoken", include_str!("../../templates/c/spoken.h.jinja")),
        ("descriptor", include_str!("../../templates/c/descriptor.h.jinja")),
        ("functions", include_str!("../../templates/c/functions.h.jinja")),
        ("growth", include_str!("../../templates/c/growth.h.jinja")),
        ("versions", include_str!("../../templates/c/versions.h.jinja")),
        ("steps", include_str!("../../templates/c/steps.h.jinja")),
        ("enumeration", include_str!("../../templates/c/enumeration.h.jinja")),
        ("flags", include_str!("../../templates/c/flags.h.jinja")),
        ("recipe", include_str!("../../templates/c/recipe.h.jinja")),
        ("union", include_str!("../../templates/c/union.h.jinja")),
        ("recipe_functions", include_str!("../../templates/c/recipe_functions.h.jinja")),
        ("documents", include_str!("../../templates/c/documents.h.jinja")),
        ("helpers", include_str!("../../templates/c/helpers.h.jinja")),
        ("float", include_str!("../../templates/c/float.h.jinja")),
        ("values", include_str!("../../templates/c/values.h.jinja")),
        ("abi", include_str!("../../templates/c/abi.h.jinja")),
        ("library.h", include_str!("../../templates/c/library.h.jinja")),
        ("api", include_str!("../../templates/c/api.h.jinja")),
        ("export", include_str!("../../templates/c/export.h.jinja")),
        ("message", include_str!("../../templates/c/message.h.jinja")),
        ("message_parts", include_str!("../../templates/c/message_parts.h.jinja")),
        ("message_fds", include_str!("../../templates/c/message_fds.h.jinja")),
        ("message_read", include_str!("../../templates/c/message_read.h.jinja")),
        ("message_write", include_str!("../../templates/c/message_write.h.jinja")),
        ("message_document", include_str!("../../templates/c/message_document.h.jinja")),
        ("messages", include_str!("../../templates/c/messages.h.jinja")),
        ("messages_by_tag", include_str!("../../templates/c/messages_by_tag.h.jinja")),
        ("messages_by_body", include_str!("../../templates/c/messages_by_body.h.jinja")),
        ("wanted", include_str!("../../templates/c/wanted.h.jinja")),
        ("numbers", include_str!("../../templates/c/numbers.h.jinja")),
    ])
}
