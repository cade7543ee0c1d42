//! The text of an abi struct's record.

use super::{Object, quoted};
use crate::check::{Abi, About};
use crate::ty::Written;

/// What the wire id covers.
pub(super) fn wire(about: &About, abi: &Abi<'_>) -> String {
    let mut object = Object::new();
    object.text("kind", "abi");
    object.text("name", about.was.as_ref().unwrap_or(&about.name));
    let first_name = |index: usize| {
        let field = &abi.fields[index];
        field.was.as_ref().unwrap_or(&field.name)
    };
    object.list(
        "fields",
        abi.fields.iter().enumerate().map(|(index, field)| {
            let mut entry = Object::new();
            entry.text("name", first_name(index));
            if let Some((count, _)) = field.counted_by {
                entry.text("counted_by", first_name(count));
            }
            function_params(&mut entry, &field.written);
            entry.close()
        }),
    );
    object.close()
}

/// The names of what the functions in a type take.
pub(super) fn function_params(entry: &mut Object, written: &Written<'_>) {
    let functions = written.functions();
    if functions.is_empty() {
        return;
    }
    entry.list(
        "params",
        functions.into_iter().map(|function| {
            let names: Vec<String> = function.params.iter().map(|(name, _, _)| quoted(name)).collect();
            format!("[{}]", names.join(","))
        }),
    );
}

/// What the source id covers besides, of each field.
pub(super) fn members(abi: &Abi<'_>) -> Vec<String> {
    abi.fields
        .iter()
        .map(|field| {
            let mut member = Object::new();
            if field.was.is_some() {
                member.text("name", &field.name);
            }
            member.optional("docs", Some(&field.docs).filter(|docs| !docs.is_empty()));
            member.optional("c_name", field.c_name.as_ref());
            member.optional("c_type", field.c_type.as_ref());
            if let Some(since) = field.since {
                member.raw("since", since);
            }
            member.optional("deprecated", field.deprecated.as_ref());
            member.close()
        })
        .collect()
}
