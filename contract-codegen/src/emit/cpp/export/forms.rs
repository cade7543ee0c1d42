//! The C++ types of what functions take and give.

use super::Place;
use crate::emit::c::abi::{declaration, scalar_word};
use crate::emit::cpp::view::std_type;
use crate::model::{AbiType, CallbackParam, Out, OutForm, ParamForm};
use crate::names::cpp;

/// What a number, a struct or a pointer is; without a name.
pub(super) fn value(place: &Place<'_>, ty: &AbiType) -> String {
    match ty {
        AbiType::Scalar(scalar) => std_type(scalar_word(*scalar)),
        AbiType::Enumeration(id) | AbiType::Struct(id) => place.name(*id),
        AbiType::Flags(id) => format!("::wirecontract::flags<{}>", place.name(*id)),
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            declaration(place.input, ty, "")
        }
    }
}

/// A parameter or a member of such a type.
fn declared(place: &Place<'_>, ty: &AbiType, name: &str) -> String {
    match ty {
        AbiType::Array { .. } | AbiType::Pointer { .. } | AbiType::Function(_) => {
            declaration(place.input, ty, name)
        }
        _ => format!("{} {name}", value(place, ty)),
    }
}

/// Whether C has an integer for it.
pub(super) fn is_integer_in_c(ty: &AbiType) -> bool {
    matches!(ty, AbiType::Enumeration(_) | AbiType::Flags(_))
}

/// A parameter of a function.
pub(super) fn parameter(place: &Place<'_>, form: &ParamForm, name: &str) -> String {
    match form {
        ParamForm::Value(ty @ AbiType::Struct(_)) => format!("const {} &{name}", value(place, ty)),
        ParamForm::Value(ty) => declared(place, ty, name),
        ParamForm::Closed(id) => format!("{} {name}", place.name(*id)),
        ParamForm::Reference { to, is_mut, is_nullable } => {
            let is_const = if *is_mut { "" } else { "const " };
            let sigil = if *is_nullable { "*" } else { "&" };
            format!("{is_const}{} {sigil}{name}", value(place, to))
        }
        ParamForm::Slice { item, is_mut } => {
            let view = if *is_mut { "mutable_view" } else { "view" };
            format!("::wirecontract::{view}<{}> {name}", value(place, item))
        }
        ParamForm::Text { .. } => format!("const ::wirecontract::c_text &{name}"),
        ParamForm::Descriptor(id) => format!("const {} &{name}", place.name(*id)),
        ParamForm::Document(_) => format!("std::string_view {name}"),
        ParamForm::Handle { contract, pass } => {
            let ty = place.name(*contract);
            match pass {
                crate::model::Pass::Borrowed => format!("const {ty} &{name}"),
                crate::model::Pass::BorrowedMut => format!("{ty} &{name}"),
                crate::model::Pass::Taken => format!("{ty} &&{name}"),
            }
        }
        ParamForm::Callback(params) => format!("{} {name}", callback(place, params)),
    }
}

/// The type of what is called back.
pub(super) fn callback(place: &Place<'_>, params: &[CallbackParam]) -> String {
    let told: Vec<String> = params.iter().map(|param| told(place, &param.form)).collect();
    format!("::wirecontract::callback<{}>", told.join(", "))
}

fn told(place: &Place<'_>, form: &ParamForm) -> String {
    match form {
        ParamForm::Value(ty) => value(place, ty),
        ParamForm::Closed(id) => place.name(*id),
        ParamForm::Reference { to, is_nullable, .. } => {
            format!("const {} {}", value(place, to), if *is_nullable { "*" } else { "&" })
        }
        ParamForm::Slice { item, .. } => format!("::wirecontract::view<{}>", value(place, item)),
        ParamForm::Text { is_nullable: true } => "const char *".to_owned(),
        ParamForm::Text { .. } => "std::string_view".to_owned(),
        ParamForm::Descriptor(_)
        | ParamForm::Document(_)
        | ParamForm::Handle { .. }
        | ParamForm::Callback(_) => unreachable!("a callback is told values, references, slices and texts"),
    }
}

/// What a call gives if nothing fails.
pub(super) fn result(place: &Place<'_>) -> String {
    match place.function.outs.as_slice() {
        [] => "void".to_owned(),
        [out] => given(place, &out.form),
        _ => cpp::result_type(place.contract),
    }
}

/// A member of the struct of several results.
pub(super) fn member(place: &Place<'_>, out: &Out) -> String {
    let name = cpp::result_member(out);
    match &out.form {
        OutForm::Value(ty) => declared(place, ty, &name),
        form => format!("{} {name}", given(place, form)),
    }
}

fn given(place: &Place<'_>, form: &OutForm) -> String {
    match form {
        OutForm::Value(ty) => value(place, ty),
        OutForm::Closed(id) | OutForm::Descriptor(id) | OutForm::Handle(id) => place.name(*id),
        OutForm::Text | OutForm::Document(_) => "::wirecontract::owned_text".to_owned(),
        OutForm::Bytes => "::wirecontract::owned_bytes".to_owned(),
        OutForm::Fd { .. } => "std::int32_t".to_owned(),
    }
}
