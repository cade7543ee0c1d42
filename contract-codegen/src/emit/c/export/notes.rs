//! What a prototype's comment says of parameters and statuses: what each is, whether it may be NULL, who owns it.

use super::{size, type_name};
use crate::emit::EmitInput;
use crate::model::{AbiScalar, AbiType, Function, OutForm, ParamForm, Pass, Scalar};
use crate::names::c as names;

/// A line for each parameter and each result.
pub(super) fn parameters(input: &EmitInput<'_>, function: &Function) -> Vec<String> {
    let mut lines = Vec::new();
    if function.is_unsafe {
        lines.push("Unsafe: its caller keeps the promises above, which nothing checks.".to_owned());
    }
    for param in &function.params {
        let name = names::escape(&param.name);
        lines.push(format!("`{name}`: {}", taken(input, &param.form, &param.name)));
        if let ParamForm::Callback(_) = param.form {
            let context = names::context_parameter(&param.name);
            lines.push(format!("`{context}`: handed to `{name}` as it is; may be NULL."));
        }
    }
    for out in &function.outs {
        lines.push(format!("`{}`: {}", names::escape(&out.name), given(input, function, &out.form)));
    }
    lines
}

fn taken(input: &EmitInput<'_>, form: &ParamForm, name: &str) -> String {
    let use_of = |is_mut: bool| if is_mut { "read and written" } else { "read" };
    let apart = |is_mut: bool| if is_mut { " Overlaps no other argument." } else { "" };
    match form {
        ParamForm::Value(AbiType::Pointer { .. }) => {
            "a pointer that is not looked at before the function has it; may be NULL.".to_owned()
        }
        ParamForm::Value(AbiType::Function(_)) => "a function; may be NULL.".to_owned(),
        ParamForm::Value(AbiType::Enumeration(id)) => {
            format!("a value of `{}`, or another number.", type_name(input, *id))
        }
        ParamForm::Value(AbiType::Flags(id)) if input.catalog.get(*id).flags().open => {
            format!("bits of `{}`, or others.", type_name(input, *id))
        }
        ParamForm::Value(AbiType::Flags(id)) => {
            format!("bits of `{}`, and no others.", type_name(input, *id))
        }
        ParamForm::Value(_) => "by value.".to_owned(),
        ParamForm::Closed(id) => format!("a value of `{}`, and no other number.", type_name(input, *id)),
        ParamForm::Reference { is_mut, is_nullable, .. } => {
            let null = if *is_nullable { "may be NULL" } else { "not NULL" };
            format!("{null}; aligned, and {} during the call only.{}", use_of(*is_mut), apart(*is_mut))
        }
        ParamForm::Slice { is_mut, .. } => format!(
            "points to `{}` items, {} during the call only; NULL for none.{}",
            names::length_parameter(name),
            use_of(*is_mut),
            apart(*is_mut)
        ),
        ParamForm::Text { is_nullable } => {
            let null = if *is_nullable { "may be NULL" } else { "not NULL" };
            format!("UTF-8 that a NUL ends, read during the call only; {null}.")
        }
        ParamForm::Descriptor(id) => format!(
            "the bytes that `{}_write` makes of one, read during the call only; not NULL.",
            names::stem(&input.family_of(*id).package, input.catalog.get(*id))
        ),
        ParamForm::Document(id) => format!(
            "JSON of {}, read during the call only; its `data` is not NULL.",
            input.catalog.get(*id).name
        ),
        ParamForm::Handle { pass: Pass::Borrowed, .. } => {
            "used during the call, and the caller's still.".to_owned()
        }
        ParamForm::Handle { pass: Pass::BorrowedMut, .. } => {
            "used during the call, by nobody else meanwhile, and the caller's still.".to_owned()
        }
        ParamForm::Handle { pass: Pass::Taken, .. } => {
            "taken and zeroed, also where the function fails; where an argument is refused it stays the caller's. Not NULL.".to_owned()
        }
        ParamForm::Callback(_) => {
            "called during the call only; not NULL. What it is told lives until it returns; what it gives, if not \
             WC_STATUS_OK, the function is told."
                .to_owned()
        }
    }
}

fn given(input: &EmitInput<'_>, function: &Function, form: &OutForm) -> String {
    let free = format!("{}_bytes_free", function.prefix);
    match form {
        OutForm::Value(_) | OutForm::Closed(_) => "written; not NULL.".to_owned(),
        OutForm::Fd { is_given: true } => {
            "a file descriptor, the caller's, who closes it; not NULL. -1 where there is none.".to_owned()
        }
        OutForm::Fd { is_given: false } => {
            "a file descriptor, which nobody else closes; not NULL. -1 where there is none.".to_owned()
        }
        OutForm::Text => format!("a text, the caller's, who frees it with `{free}`; not NULL."),
        OutForm::Bytes => format!("bytes, the caller's, who frees them with `{free}`; not NULL."),
        OutForm::Document(id) => format!(
            "JSON of {}, the caller's, who frees it with `{free}`; not NULL.",
            input.catalog.get(*id).name
        ),
        OutForm::Descriptor(id) => format!(
            "room for {} bytes, written, which `{}_read` reads; not NULL.",
            size(input, *id),
            names::stem(&input.family_of(*id).package, input.catalog.get(*id))
        ),
        OutForm::Handle(id) => {
            let contract = input.catalog.get(*id);
            format!(
                "{}, the caller's, who ends it with `{}`; not NULL.",
                with_article(&contract.name),
                contract.handle().destroy
            )
        }
    }
}

/// Whether two arguments can share memory, or an object, that the call writes: the core refuses them then.
fn may_overlap(function: &Function) -> bool {
    let is_place = |form: &ParamForm| matches!(form, ParamForm::Handle { pass: Pass::Taken, .. });
    let is_read = |form: &ParamForm| {
        matches!(
            form,
            ParamForm::Reference { .. }
                | ParamForm::Slice { .. }
                | ParamForm::Text { .. }
                | ParamForm::Descriptor(_)
                | ParamForm::Document(_)
        )
    };
    let is_written = |form: &ParamForm| {
        is_place(form)
            || matches!(
                form,
                ParamForm::Reference { is_mut: true, .. } | ParamForm::Slice { is_mut: true, .. }
            )
    };
    let forms = || function.params.iter().map(|param| &param.form);
    let areas = forms().filter(|form| is_place(form) || is_read(form)).count() + function.outs.len();
    let handles = forms().filter(|form| matches!(form, ParamForm::Handle { .. })).count();
    let has_changed =
        forms().any(|form| matches!(form, ParamForm::Handle { pass: Pass::Taken | Pass::BorrowedMut, .. }));
    areas > 1 && (!function.outs.is_empty() || forms().any(is_written)) || handles > 1 && has_changed
}

/// Whether bools are read from memory, where other bytes may stand.
fn has_bool(input: &EmitInput<'_>, form: &ParamForm) -> bool {
    match form {
        ParamForm::Value(ty @ AbiType::Struct(_)) => is_bool(input, ty),
        ParamForm::Reference { to, .. } => is_bool(input, to),
        ParamForm::Slice { item, .. } => is_bool(input, item),
        _ => false,
    }
}

fn is_bool(input: &EmitInput<'_>, ty: &AbiType) -> bool {
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(Scalar::Bool)) => true,
        AbiType::Array { item, .. } => is_bool(input, item),
        AbiType::Struct(id) => {
            input.catalog.get(*id).abi().fields.iter().any(|field| is_bool(input, &field.ty))
        }
        _ => false,
    }
}

/// The name of a type in a sentence.
pub(super) fn with_article(name: &str) -> String {
    let article = if name.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// What the function gives.
pub(super) fn statuses(input: &EmitInput<'_>, function: &Function) -> Vec<String> {
    let mut codes: Vec<&str> = Vec::new();
    let mut has_content = false;
    let mut add = |more: &[&'static str]| {
        for code in more {
            if !codes.contains(code) {
                codes.push(code);
            }
        }
    };
    if !function.outs.is_empty() {
        add(&["NULL_ARGUMENT"]);
    }
    // A place of one byte is aligned wherever it is.
    if function.outs.iter().any(|out| !matches!(out.form, OutForm::Descriptor(_))) {
        add(&["WRONG_TYPE"]);
    }
    if may_overlap(function) {
        add(&["RULE_VIOLATED"]);
    }
    for param in &function.params {
        if has_bool(input, &param.form) {
            add(&["UNKNOWN_VALUE"]);
        }
        match &param.form {
            ParamForm::Value(AbiType::Flags(id)) if !input.catalog.get(*id).flags().open => {
                add(&["UNKNOWN_BITS"]);
            }
            ParamForm::Value(_) => {}
            ParamForm::Closed(_) => add(&["UNKNOWN_VALUE"]),
            ParamForm::Reference { is_nullable: true, .. } => add(&["WRONG_TYPE"]),
            ParamForm::Reference { .. } => add(&["NULL_ARGUMENT", "WRONG_TYPE"]),
            ParamForm::Slice { .. } => add(&["NULL_ARGUMENT", "WRONG_TYPE", "LENGTH_EXCEEDS"]),
            ParamForm::Text { is_nullable: true } => add(&["BAD_UTF8"]),
            ParamForm::Text { .. } => add(&["NULL_ARGUMENT", "BAD_UTF8"]),
            ParamForm::Descriptor(_) | ParamForm::Document(_) => {
                has_content = true;
                add(&["NULL_ARGUMENT"]);
            }
            ParamForm::Handle { pass: Pass::Taken, .. } => add(&["NULL_ARGUMENT", "BAD_HANDLE", "BUSY"]),
            ParamForm::Handle { .. } => add(&["BAD_HANDLE", "BUSY"]),
            ParamForm::Callback(_) => add(&["NULL_ARGUMENT"]),
        }
    }
    add(&["PANIC"]);
    let codes: Vec<String> = codes.into_iter().map(|code| format!("WC_STATUS_{code}")).collect();
    let content = if has_content { ", what reading an argument finds" } else { "" };
    let mut lines = vec![format!(
        "Gives WC_STATUS_OK, {}{content}, or what the function refuses with.",
        codes.join(", ")
    )];
    lines.push(format!("{}`{}_last_error` says more.", nothing(function), function.prefix));
    lines
}

/// What is there of a call that fails.
fn nothing(function: &Function) -> &'static str {
    let fds = function.outs.iter().filter(|out| matches!(out.form, OutForm::Fd { .. })).count();
    match (function.outs.len(), fds) {
        (0, _) => "",
        (_, 0) => "Where it fails, all that it gives is zero. ",
        (all, fds) if all == fds => "Where it fails, all that it gives is -1. ",
        _ => "Where it fails, file descriptors that it gives are -1, and all else is zero. ",
    }
}
