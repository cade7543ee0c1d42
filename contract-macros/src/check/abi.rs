//! The rules of abi structs.

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt;

use super::{c_name, old_names, renamed};
use crate::eval;
use crate::parse::{self, Declaration, DeclaredSize};
use crate::report::Report;
use crate::ty::{Form, Function, Written};

/// A legal abi struct.
pub(crate) struct Abi<'a> {
    pub(crate) sizes: Vec<DeclaredSize>,
    pub(crate) fields: Vec<AbiField<'a>>,
}

/// A field of a legal abi struct.
pub(crate) struct AbiField<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) written: Written<'a>,
    /// The field that says how many items are behind the pointer, and where that is said.
    pub(crate) counted_by: Option<(usize, Span)>,
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) was: Option<String>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
    /// What C calls the type of the function pointer.
    pub(crate) c_type: Option<String>,
}

/// Where a type stands in another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Field,
    /// Behind a pointer.
    Pointee,
    /// In an array.
    Item,
    /// In an array behind a pointer.
    PointedItem,
    /// A parameter or result.
    Passed,
}

/// The abi struct of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Abi<'a>> {
    let before = report.len();
    if declaration.fields.is_empty() {
        report.at(
            declaration.ident,
            "an abi struct has a field: an empty struct is of no bytes in C and of one in C++",
        );
        return None;
    }
    repr(declaration, report);
    one_size(declaration, report);
    let mut fields: Vec<AbiField<'_>> =
        declaration.fields.iter().map(|field| plain(declaration, field, report)).collect();
    for (index, field) in declaration.fields.iter().enumerate() {
        fields[index].counted_by = counted_by(declaration, &fields, index, field, report);
        fields[index].c_type = c_type(field, &fields[index].written, report);
    }
    old_names(fields.iter().map(|field| (field.ident, &field.name, field.was.as_ref())), report);
    let sizes = declaration.container.sizes.iter().flat_map(|(sizes, _)| sizes.iter().cloned()).collect();
    (report.len() == before).then_some(Abi { sizes, fields })
}

/// The layout is that of `repr(C)` and nothing else: the other languages say it anew, and C has no word for more.
fn repr(declaration: &Declaration<'_>, report: &mut Report) {
    let has = |word: &str| declaration.repr.iter().find(|repr| *repr == word);
    if let Some(word) = has("packed") {
        report.at(
            word,
            "C has no packed structs: write `#[repr(C)]` alone, and show the padding that C puts in",
        );
    } else if let Some(word) = has("align") {
        report.at(word, "a struct of C is aligned as its fields are: write `#[repr(C)]` alone");
    } else if let Some(word) = has("transparent") {
        report.at(word, "write `#[repr(C)]`: an abi struct has the layout of a C struct");
    } else if has("C").is_none() {
        report.at(declaration.ident, "an abi struct needs `#[repr(C)]`, so that Rust lays it out as C does");
    } else if let Some(word) = declaration.repr.iter().find(|word| *word != "C") {
        report.at(word, "write `#[repr(C)]` alone: an abi struct has the layout of a C struct");
    }
}

/// A size depends on the machine.
fn one_size(declaration: &Declaration<'_>, report: &mut Report) {
    if let Some((size, span)) = declaration.container.size {
        report.span(
            span,
            format_args!(
                "the size of an abi struct depends on the machine: write `size(lp64 = {size})`, and other data models \
                 beside it"
            ),
        );
    }
}

/// A field without its count; every type in it is one that C has.
fn plain<'a>(
    declaration: &Declaration<'_>,
    field: &'a parse::Field<'a>,
    report: &mut Report,
) -> AbiField<'a> {
    let written = Written::of(field.ty);
    judge(Some(declaration.ident), &written, Place::Field, report);
    let name = field.ident.unraw().to_string();
    renamed(field.was.as_ref(), &name, report);
    AbiField {
        ident: field.ident,
        written,
        counted_by: None,
        name,
        docs: field.docs.clone(),
        was: field.was.as_ref().map(|was| was.name.clone()),
        since: field.since.map(|(since, _)| since),
        deprecated: field.deprecated.clone(),
        c_name: field.c_name.as_ref().and_then(|name| c_name(name, report)),
        c_type: None,
    }
}

/// A type has a name of its own in C where it is a pointer to a function: of others the name is said at the contract.
fn c_type(field: &parse::Field<'_>, written: &Written<'_>, report: &mut Report) -> Option<String> {
    let name = field.c_type.as_ref()?;
    if !matches!(written.form, Form::Function(_)) {
        report.at(
            name,
            "`c_type` names the type of a function pointer in C: write `Option<unsafe extern \"C\" fn(…)>` out, or remove \
             it",
        );
        return None;
    }
    c_name(name, report)
}

/// Holds a type, in a struct or in none, and all that is in it against every rule of types.
fn judge(struct_: Option<&Ident>, written: &Written<'_>, place: Place, report: &mut Report) {
    refused(written, report);
    void(written, place, report);
    array(written, place, report);
    own(struct_, written, place, report);
    if let Form::Function(function) = &written.form {
        called_as_c_calls(function, report);
        parameter_names(function, report);
    }
    let inner = match &written.form {
        Form::Pointer { .. } => Place::Pointee,
        Form::Array { .. } if matches!(place, Place::Pointee | Place::PointedItem) => Place::PointedItem,
        Form::Array { .. } => Place::Item,
        _ => Place::Passed,
    };
    // The order in which they are written: a result stands behind the parameters.
    let mut parts = written.parts();
    if matches!(&written.form, Form::Function(function) if function.result.is_some()) {
        parts.rotate_left(1);
    }
    for part in parts {
        judge(struct_, part, inner, report);
    }
}

/// Holds what a function takes or gives by value against the same rules.
pub(crate) fn passed(written: &Written<'_>, report: &mut Report) {
    judge(None, written, Place::Passed, report);
}

/// C has the type.
fn refused(written: &Written<'_>, report: &mut Report) {
    if let Form::Refused(why) = &written.form {
        report.at(written.ty, why);
    }
}

/// `void` is behind a pointer.
fn void(written: &Written<'_>, place: Place, report: &mut Report) {
    if matches!(written.form, Form::Void) && place != Place::Pointee {
        report.at(written.ty, "`c_void` has no size: it stands behind a pointer, as in `*mut c_void`");
    }
}

/// An array has items, and is nothing that a function takes or gives.
fn array(written: &Written<'_>, place: Place, report: &mut Report) {
    let Form::Array { length, .. } = &written.form else { return };
    if place == Place::Passed {
        report.at(
            written.ty,
            "C passes no arrays to functions and gets none from them: write a pointer to the first item",
        );
    } else if eval::integer(length) == Some(0) {
        report.at(written.ty, "an array of no items is no type of C: remove the field");
    }
}

/// A struct holds itself behind a pointer only; so do its functions, which are known before its ids are.
fn own(struct_: Option<&Ident>, written: &Written<'_>, place: Place, report: &mut Report) {
    let Some(own) = struct_ else { return };
    let syn::Type::Path(path) = written.ty else { return };
    if !path.path.get_ident().is_some_and(|ident| ident == "Self" || ident == own) {
        return;
    }
    match place {
        Place::Pointee => {}
        Place::Field | Place::Item => {
            report.at(
                written.ty,
                format_args!("`{own}` has no room for another `{own}`: write a pointer, `*mut {own}`"),
            );
        }
        Place::PointedItem => {
            report.at(
                written.ty,
                format_args!(
                    "C does not know the size of `{own}` here: write a pointer to the first, `*mut {own}`"
                ),
            );
        }
        Place::Passed => {
            report.at(
                written.ty,
                format_args!(
                    "`{own}` holds this function, which so has no `{own}` by value: write a pointer, `*mut {own}`"
                ),
            );
        }
    }
}

/// A function is one of C.
fn called_as_c_calls(function: &Function<'_>, report: &mut Report) {
    for (at, why) in &function.faults {
        report.at(at, why);
    }
}

/// No two parameters have one name.
fn parameter_names(function: &Function<'_>, report: &mut Report) {
    for (index, (name, ident, _)) in function.params.iter().enumerate() {
        if function.params[..index].iter().any(|(other, _, _)| !name.is_empty() && other == name) {
            report.at(ident, format_args!("two parameters are called `{name}`: in C each has its own name"));
        }
    }
}

/// What counts a pointer's items is an integer beside it.
fn counted_by(
    declaration: &Declaration<'_>,
    fields: &[AbiField<'_>],
    index: usize,
    field: &parse::Field<'_>,
    report: &mut Report,
) -> Option<(usize, Span)> {
    let name = field.counted_by.as_ref()?;
    let before = report.len();
    let Some(count) = fields.iter().position(|other| other.ident.unraw() == name.unraw()) else {
        report.at(
            name,
            format_args!("`{}` has no field `{name}` that says how many items there are", declaration.ident),
        );
        return None;
    };
    if count == index {
        report.at(name, "a pointer does not count its own items");
    } else if !fields[count].written.form.may_count() {
        report.at(name, format_args!("`{name}` is no integer: `counted_by` names the field that counts"));
    }
    if !fields[index].written.form.may_point() {
        report.at(
            field.ty,
            "`counted_by` says how many items are behind a pointer: write `*mut T` or `*const T`",
        );
    }
    (report.len() == before).then(|| (count, name.span()))
}
