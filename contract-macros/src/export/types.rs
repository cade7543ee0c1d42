//! What a function takes, as far as one sees it by reading; what is behind a name, traits say.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{PathArguments, ReturnType, Type, TypeParamBound, TypeReference, TypeTraitObject};

use super::function::MOST_PARAMETERS;
use super::results::is_text;
use super::{Passed, Passing};
use crate::check::passed;
use crate::report::Report;
use crate::ty::{Form, Written, show, types};

/// What is said of everything that is to be called later.
const CALLBACK: &str =
    "write `&mut dyn FnMut(…) -> Result<(), CallbackError>`, which is called while the call lasts";

/// How a parameter crosses.
pub(super) fn param(ty: &Type, report: &mut Report) -> Option<Passing> {
    if let Some(why) = fds(ty) {
        return refuse(ty, why, report);
    }
    match ty {
        Type::Paren(inner) => param(&inner.elem, report),
        Type::Group(inner) => param(&inner.elem, report),
        Type::Reference(reference) => referenced(reference, report),
        Type::Path(path) if path.qself.is_none() => match std_type(&path.path) {
            Some((name, arguments)) => named(ty, &name, &arguments, report),
            None => by_value(ty, report),
        },
        Type::Slice(slice) => refuse(ty, format_args!("write `&[{}]`", show(&slice.elem)), report),
        Type::TraitObject(_) | Type::ImplTrait(_) => refuse(ty, CALLBACK, report),
        Type::Tuple(_) => refuse(ty, "C has no tuples: write a parameter for each, or an abi struct", report),
        Type::Array(array) => refuse(
            ty,
            format_args!(
                "C passes no arrays to functions: write `&[{}]`, and check its length",
                show(&array.elem)
            ),
            report,
        ),
        _ => by_value(ty, report),
    }
}

/// What is said of file descriptors that have an owner: C passes their numbers.
fn fds(ty: &Type) -> Option<&'static str> {
    const ONE: &str = "C passes the number of a file descriptor and keeps it: write `RawFd`, and borrow it \
                       (`BorrowedFd::borrow_raw`) or own a copy of that (`try_clone_to_owned`)";
    const SEVERAL: &str = "C passes the numbers of file descriptors and keeps them: write `&[RawFd]`";
    match ty {
        Type::Paren(inner) => fds(&inner.elem),
        Type::Group(inner) => fds(&inner.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match (last.ident.to_string().as_str(), types(&last.arguments).as_slice()) {
                ("OwnedFd" | "BorrowedFd" | "LentFd", []) => Some(ONE),
                ("Option", [inner]) => fds(inner)
                    .map(|_| "C passes the number of a file descriptor: write `RawFd`, and take -1 for none"),
                ("Vec", [inner]) => fds(inner).map(|_| SEVERAL),
                _ => None,
            }
        }
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => fds(&slice.elem).map(|_| match reference.mutability {
                Some(_) => "a function gives file descriptors in places for them: write `&mut [FdPlace]`",
                None => SEVERAL,
            }),
            inner => fds(inner),
        },
        Type::Slice(slice) => fds(&slice.elem).map(|_| SEVERAL),
        _ => None,
    }
}

/// The last word of a type of the standard library, or of one that is called so, and its arguments.
pub(super) fn std_type(path: &syn::Path) -> Option<(String, Vec<&Type>)> {
    let last = path.segments.last()?;
    let first = path.segments[0].ident.to_string();
    let is_std = path.segments.len() == 1 || matches!(first.as_str(), "std" | "alloc" | "core");
    is_std.then(|| (last.ident.to_string(), types(&last.arguments)))
}

fn named(ty: &Type, name: &str, arguments: &[&Type], report: &mut Report) -> Option<Passing> {
    match (name, arguments) {
        ("Option", [inner]) => optional(ty, inner, report),
        ("String", []) => refuse(ty, "C keeps its text: write `&str`", report),
        ("CString" | "CStr" | "OsString" | "OsStr" | "PathBuf", []) => {
            refuse(ty, "text crosses as UTF-8: write `&str`", report)
        }
        ("Vec" | "VecDeque", [item]) => {
            refuse(ty, format_args!("C keeps its memory: write `&[{}]`", show(item)), report)
        }
        ("Box" | "Rc" | "Arc" | "Cow", [inner, ..]) if is_callable(inner) => refuse(ty, CALLBACK, report),
        ("Box" | "Rc" | "Arc" | "Cow", [inner, ..]) if is_text(inner) => {
            refuse(ty, "C has no such pointer: write `&str`", report)
        }
        ("Box" | "Rc" | "Arc" | "Cow", [inner, ..]) => {
            refuse(ty, format_args!("C has no such pointer: write `&{0}` or `{0}`", show(inner)), report)
        }
        ("HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "Result", _) => {
            refuse(ty, "C has no such type: write a recipe, which crosses as JSON", report)
        }
        _ => by_value(ty, report),
    }
}

fn is_callable(ty: &Type) -> bool {
    matches!(ty, Type::TraitObject(_) | Type::ImplTrait(_))
}

/// A type that is written out, or one that says itself how it crosses.
fn by_value(ty: &Type, report: &mut Report) -> Option<Passing> {
    is_written(ty, report).map(|is_plain| {
        let ty = ty.clone();
        if is_plain { Passing::Plain(ty) } else { Passing::Value(ty) }
    })
}

/// Whether a type is written out, so that nothing is asked of it. A bool is not, since C may pass other numbers.
pub(super) fn is_written(ty: &Type, report: &mut Report) -> Option<bool> {
    let written = Written::of(ty);
    let before = report.len();
    passed(&written, report);
    if matches!(ty, Type::Infer(_) | Type::Macro(_) | Type::Verbatim(_)) {
        report.at(ty, "write the type out: it is a contract");
    }
    let is_plain = match written.form {
        Form::C(..) | Form::Size | Form::Pointer { .. } | Form::Function(_) => true,
        Form::Scalar(scalar) => scalar.is_plain(),
        _ => false,
    };
    (report.len() == before).then_some(is_plain)
}

fn referenced(reference: &TypeReference, report: &mut Report) -> Option<Passing> {
    match within(reference, report)? {
        Target::Text if reference.mutability.is_some() => refuse(
            reference,
            "text of C is not changed: write `&str`, and give what it becomes as a `String`",
            report,
        ),
        Target::Text => Some(Passing::Text { is_optional: false }),
        Target::Slice(ty) => Some(Passing::Slice { ty, is_mut: reference.mutability.is_some() }),
        Target::Callable(object) => callback(reference, object, report),
        Target::One(ty) => Some(Passing::Reference { ty, is_mut: reference.mutability.is_some() }),
    }
}

/// What may be absent.
fn optional(ty: &Type, inner: &Type, report: &mut Report) -> Option<Passing> {
    let reference = match inner {
        Type::Paren(inner) => return optional(ty, &inner.elem, report),
        Type::Group(inner) => return optional(ty, &inner.elem, report),
        Type::Reference(reference) => reference,
        Type::FnPtr(_) => return by_value(ty, report),
        Type::Path(_) if matches!(Written::of(ty).form, Form::Other) => return by_value(ty, report),
        _ => {
            return refuse(
                ty,
                format_args!(
                    "C has no absent values: write `Option<&{}>`, or a value that means absent",
                    show(inner)
                ),
                report,
            );
        }
    };
    match within(reference, report)? {
        Target::Text if reference.mutability.is_none() => Some(Passing::Text { is_optional: true }),
        Target::Text => refuse(reference, "text of C is not changed: write `Option<&str>`", report),
        Target::Slice(item) => {
            refuse(ty, format_args!("a slice may be empty by itself: write `&[{}]`", show(&item)), report)
        }
        Target::Callable(_) => {
            refuse(ty, "a callback is always there: write a second function without one", report)
        }
        Target::One(ty) => Some(Passing::Optional { ty, is_mut: reference.mutability.is_some() }),
    }
}

/// What a reference is to.
enum Target<'a> {
    Text,
    Slice(Type),
    Callable(&'a TypeTraitObject),
    One(Type),
}

fn within<'a>(reference: &'a TypeReference, report: &mut Report) -> Option<Target<'a>> {
    if let Some(lifetime) = &reference.lifetime {
        report
            .at(lifetime, "what C passes lasts as long as the call: write the reference without a lifetime");
        return None;
    }
    target(&reference.elem, report)
}

fn target<'a>(ty: &'a Type, report: &mut Report) -> Option<Target<'a>> {
    match ty {
        Type::Paren(inner) => target(&inner.elem, report),
        Type::Group(inner) => target(&inner.elem, report),
        Type::Slice(slice) => memory(&slice.elem, report).map(Target::Slice),
        Type::TraitObject(object) => Some(Target::Callable(object)),
        Type::ImplTrait(_) => refuse(ty, CALLBACK, report),
        Type::Reference(inner) => {
            refuse(ty, format_args!("C passes one pointer: write `&{}`", show(&inner.elem)), report)
        }
        Type::Array(array) => refuse(
            ty,
            format_args!(
                "C passes no arrays to functions: write `&[{}]`, and check its length",
                show(&array.elem)
            ),
            report,
        ),
        Type::Path(path) if path.path.is_ident("str") => Some(Target::Text),
        Type::Path(path) if path.qself.is_none() => match std_type(&path.path) {
            Some((name, arguments)) => match (name.as_str(), arguments.as_slice()) {
                ("String" | "CStr" | "CString" | "OsStr" | "OsString" | "PathBuf", []) => {
                    refuse(ty, "text crosses as UTF-8: write `&str`", report)
                }
                ("Vec" | "VecDeque", [item]) => {
                    refuse(ty, format_args!("C has no such type: write `&[{}]`", show(item)), report)
                }
                _ => memory(ty, report).map(Target::One),
            },
            None => memory(ty, report).map(Target::One),
        },
        _ => memory(ty, report).map(Target::One),
    }
}

/// What is behind a reference: as far as one sees, a number or a name.
fn memory(ty: &Type, report: &mut Report) -> Option<Type> {
    let written = Written::of(ty);
    match written.form {
        Form::Pointer { .. } | Form::Function(_) | Form::Array { .. } => refuse(
            ty,
            "what a function points at are numbers, `Open<E>`, `Flags<E>` and abi structs: put it in an abi struct",
            report,
        ),
        _ => is_written(ty, report).map(|_| ty.clone()),
    }
}

/// `&mut dyn FnMut(…) -> Result<(), CallbackError>`, and nothing else that can be called.
fn callback(reference: &TypeReference, object: &TypeTraitObject, report: &mut Report) -> Option<Passing> {
    let [TypeParamBound::Trait(bound)] = &*object.bounds.iter().collect::<Vec<_>>() else {
        return refuse(object, CALLBACK, report);
    };
    let Some(last) = bound.path.segments.last() else { return refuse(object, CALLBACK, report) };
    let PathArguments::Parenthesized(called) = &last.arguments else {
        return refuse(reference, CALLBACK, report);
    };
    if last.ident != "FnMut" || reference.mutability.is_none() || bound.lifetimes.is_some() {
        return refuse(reference, CALLBACK, report);
    }
    if !gives_callback_error(&called.output) {
        let at = match &called.output {
            ReturnType::Default => last.to_token_stream(),
            ReturnType::Type(_, ty) => ty.to_token_stream(),
        };
        return refuse(
            at,
            "a callback may fail, and gives nothing else: write `-> Result<(), CallbackError>`",
            report,
        );
    }
    if let Some(more) = called.inputs.iter().nth(MOST_PARAMETERS) {
        report.at(
            &more.ty,
            format_args!("a callback takes at most {MOST_PARAMETERS} arguments: put some in an abi struct"),
        );
    }
    let params: Vec<_> = called.inputs.iter().map(|input| handed(&input.ty, report)).collect();
    let params = params.into_iter().collect::<Option<Vec<_>>>()?;
    Some(Passing::Callback { params, names: Vec::new() })
}

fn gives_callback_error(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    let Type::Path(path) = &**ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let arguments = types(&last.arguments);
    let [Type::Tuple(nothing), Type::Path(error)] = arguments.as_slice() else { return false };
    let is_error = error.path.segments.last().is_some_and(|last| last.ident == "CallbackError");
    last.ident == "Result" && nothing.elems.is_empty() && is_error
}

/// How what a callback takes crosses.
fn handed(ty: &Type, report: &mut Report) -> Option<Passed> {
    match ty {
        Type::Paren(inner) => handed(&inner.elem, report),
        Type::Group(inner) => handed(&inner.elem, report),
        Type::Reference(reference) if reference.mutability.is_some() => {
            refuse(ty, "a callback changes nothing of what it takes: write `&`", report)
        }
        Type::Reference(reference) => match within(reference, report)? {
            Target::Text => Some(Passed::Text),
            Target::Slice(ty) => Some(Passed::Slice(ty)),
            Target::One(ty) => Some(Passed::Reference(ty)),
            Target::Callable(_) => refuse(ty, "a callback takes no callbacks: write two functions", report),
        },
        _ => match param(ty, report)? {
            Passing::Plain(ty) => Some(Passed::Plain(ty)),
            Passing::Value(ty) => Some(Passed::Value(ty)),
            _ => refuse(
                ty,
                "a callback takes values, `&T`, `&[T]` and `&str`: pass an empty slice for none",
                report,
            ),
        },
    }
}

/// Says that nothing crosses in this way, and what to write.
pub(super) fn refuse<T>(at: impl ToTokens, why: impl std::fmt::Display, report: &mut Report) -> Option<T> {
    let tokens: TokenStream = at.to_token_stream();
    report.at(tokens, why);
    None
}
