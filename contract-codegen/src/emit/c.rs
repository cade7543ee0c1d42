//! The C header of a family, and `core.h`, which every one of them includes.
//!
//! A header reads in two passes: `check` looks at the bytes and stops at the first fault, then `decode` copies
//! and cannot fail. Writing mirrors it: `refuse` looks at the value, `encode` copies, `settle` puts in what is
//! not the value's to say (magic, version, zeros). Where the wire is the struct and the host is little-endian,
//! each copy is one `memcpy`. The text is in `templates/c`; what stands in its gaps is worked out in [`view`]
//! and [`steps`].

pub(crate) mod includes;
pub(crate) mod literal;
pub(crate) mod render;
mod steps;
pub(crate) mod view;

use minijinja::Environment;
use serde::Serialize;

use crate::emit::{Artifact, EmitError, EmitInput, Syntax};
use crate::names;
use render::{environment, render};

/// Raised whenever the text of `core.h` changes: two headers of different text must not meet in one program.
pub(crate) const CORE_VERSION: u32 = 1;

/// Every code with its name, until the core crate's enumeration is asked instead.
pub(crate) const CODES: &[(i32, &str)] = &[
    (0, "ok"),
    (1, "too_short"),
    (2, "trailing_bytes"),
    (3, "bad_magic"),
    (4, "unsupported_version"),
    (5, "unknown_value"),
    (6, "unknown_bits"),
    (7, "length_exceeds"),
    (8, "reserved_not_zero"),
    (9, "bad_text"),
    (10, "rule_violated"),
    (11, "not_json"),
    (12, "bad_utf8"),
    (13, "too_large"),
    (14, "too_deep"),
    (15, "too_many"),
    (16, "duplicate_key"),
    (17, "unknown_key"),
    (18, "missing_key"),
    (19, "wrong_type"),
    (20, "out_of_range"),
    (21, "bad_encoding"),
    (22, "unknown_tag"),
    (23, "null_not_allowed"),
    (24, "condition_violated"),
    (25, "fd_count"),
    (26, "fd_kind"),
    (27, "id_mismatch"),
    (28, "null_argument"),
    (29, "bad_handle"),
    (30, "busy"),
    (31, "panic"),
    (32, "io"),
    (33, "timeout"),
    (34, "peer_closed"),
    (35, "refused"),
];

/// `core.h` and the header of every selected family.
pub fn emit(input: &EmitInput<'_>) -> Result<Vec<Artifact>, Vec<EmitError>> {
    let templates = templates();
    let core = render_core(&templates, CODES);
    let mut errors = names::c::check(input, &core);
    errors.extend(includes::check(input));
    errors.extend(literal::check(input));
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut artifacts = vec![Artifact {
        path: "include/wirecontract/core.h".to_owned(),
        body: core,
        contracts: Vec::new(),
        syntax: Syntax::C,
    }];
    for family in input.selected_families() {
        artifacts.push(Artifact {
            path: format!("include/{}", names::c::header(family)),
            body: render(&templates, "family.h", &view::header(input, family)),
            contracts: family.contracts.clone(),
            syntax: Syntax::C,
        });
    }
    Ok(artifacts)
}

/// What `core.h` is filled with.
#[derive(Serialize)]
struct Core {
    version: u32,
    codes: Vec<Code>,
}

#[derive(Serialize)]
struct Code {
    code: i32,
    name: String,
    constant: String,
}

fn render_core(templates: &Environment<'_>, codes: &[(i32, &str)]) -> String {
    let code = |&(code, name): &(i32, &str)| Code {
        code,
        name: name.to_owned(),
        constant: name.to_ascii_uppercase(),
    };
    let codes = codes.iter().map(code).collect();
    render(templates, "core.h", &Core { version: CORE_VERSION, codes })
}

fn templates() -> Environment<'static> {
    environment(&[
        ("core.h", include_str!("../../templates/c/core.h.jinja")),
        ("family.h", include_str!("../../templates/c/family.h.jinja")),
        ("comment", include_str!("../../templates/c/comment.jinja")),
        ("descriptor", include_str!("../../templates/c/descriptor.h.jinja")),
        ("functions", include_str!("../../templates/c/functions.h.jinja")),
        ("steps", include_str!("../../templates/c/steps.h.jinja")),
        ("enumeration", include_str!("../../templates/c/enumeration.h.jinja")),
        ("flags", include_str!("../../templates/c/flags.h.jinja")),
    ])
}
