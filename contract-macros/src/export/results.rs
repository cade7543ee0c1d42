//! What a function gives.

use syn::ext::IdentExt;
use syn::{Ident, ReturnType, Type};

use super::types::{is_written, refuse, std_type};
use super::{Failing, Out};
use crate::report::Report;
use crate::ty::{Form, Written, show, types};

/// The most results.
const MOST: usize = 8;

/// All that a function gives.
pub(super) struct Results {
    pub(super) outs: Vec<Out>,
    pub(super) failing: Failing,
    /// Whether they come as a tuple.
    pub(super) is_tuple: bool,
}

/// What a function gives.
pub(super) fn results(output: &ReturnType, names: Option<&[Ident]>, report: &mut Report) -> Option<Results> {
    let (given, failing) = match output {
        ReturnType::Default => (None, Failing::Never),
        ReturnType::Type(_, ty) => fallible(ty, report)?,
    };
    let members: Vec<&Type> = match given {
        None => Vec::new(),
        Some(Type::Tuple(tuple)) => tuple.elems.iter().collect(),
        Some(one) => vec![one],
    };
    if members.len() > MOST {
        return refuse(output, "a function gives at most 8 results: put some in an abi struct", report);
    }
    let is_tuple = matches!(given, None | Some(Type::Tuple(_)));
    let names = named(names, members.len(), !is_tuple, report);
    let outs: Vec<Option<Out>> = members
        .iter()
        .zip(names?)
        .map(|(ty, name)| {
            let is_plain = member(ty, report)?;
            Some(Out { name, ty: (*ty).clone(), is_plain })
        })
        .collect();
    Some(Results { outs: outs.into_iter().collect::<Option<_>>()?, failing, is_tuple })
}

/// The type that a function gives when it does not fail; whether it may, and with what.
fn fallible<'a>(ty: &'a Type, report: &mut Report) -> Option<(Option<&'a Type>, Failing)> {
    let ty = plain(ty);
    let Type::Path(path) = ty else { return Some((Some(ty), Failing::Never)) };
    match path.path.segments.last() {
        Some(last) if last.ident == "Result" => match types(&last.arguments).as_slice() {
            [given] => Some((Some(plain(given)), Failing::Unsaid)),
            [given, error, ..] => Some((Some(plain(given)), Failing::With(Box::new((*error).clone())))),
            [] => refuse(ty, "write the type that the function gives: `Result<T, E>`", report),
        },
        _ => Some((Some(ty), Failing::Never)),
    }
}

fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => plain(&inner.elem),
        Type::Group(inner) => plain(&inner.elem),
        other => other,
    }
}

/// The names of the results.
fn named(names: Option<&[Ident]>, count: usize, is_one: bool, report: &mut Report) -> Option<Vec<String>> {
    let Some(names) = names else {
        return Some(match count {
            1 if is_one => vec!["out".to_owned()],
            _ => (1..=count).map(|number| format!("out_{number}")).collect(),
        });
    };
    if names.len() != count {
        let at: Vec<_> = names.iter().collect();
        return refuse(
            quote::quote!(#(#at)*),
            format_args!("the function gives {count}, and here stand {} names", names.len()),
            report,
        );
    }
    Some(names.iter().map(|name| name.unraw().to_string()).collect())
}

/// Whether what a function gives is written out.
fn member(ty: &Type, report: &mut Report) -> Option<bool> {
    match plain(ty) {
        Type::Reference(reference) => refuse(
            ty,
            match &*reference.elem {
                Type::Slice(_) => {
                    "C would keep what Rust may drop: fill a `&mut [T]` of the caller, or give `Vec<u8>`"
                        .to_owned()
                }
                Type::Path(path) if path.path.is_ident("str") => {
                    "C would keep what Rust may drop: give a `String`".to_owned()
                }
                other => format!("C would keep what Rust may drop: give `{}`", show(other)),
            },
            report,
        ),
        Type::Tuple(_) => {
            refuse(ty, "C has no tuples: give the members one by one, or an abi struct", report)
        }
        Type::Array(array) => refuse(
            ty,
            format_args!(
                "C gets no arrays from functions: fill a `&mut [{}]` of the caller, or give an abi struct",
                show(&array.elem)
            ),
            report,
        ),
        Type::TraitObject(_) | Type::ImplTrait(_) | Type::FnPtr(_) => no_function(ty, report),
        Type::Path(path) if path.qself.is_none() => match std_type(&path.path) {
            Some((name, arguments)) => std_member(ty, &name, &arguments, report),
            None => is_written(ty, report),
        },
        _ => is_written(ty, report),
    }
}

fn std_member(ty: &Type, name: &str, arguments: &[&Type], report: &mut Report) -> Option<bool> {
    match (name, arguments) {
        ("String", []) => Some(false),
        ("Vec", [item]) if is_byte(item) => Some(false),
        ("Vec" | "VecDeque", [item]) if matches!(Written::of(item).form, Form::Scalar(_) | Form::C(..)) => {
            refuse(
                ty,
                format_args!(
                    "C frees text and bytes: fill a `&mut [{}]` of the caller, or give `Vec<u8>`",
                    show(item)
                ),
                report,
            )
        }
        ("Vec" | "VecDeque", [_]) => refuse(
            ty,
            "C frees text and bytes: give a recipe that holds them, which crosses as JSON, or fill a `&mut [T]` of the \
             caller with abi structs",
            report,
        ),
        ("CString" | "OsString" | "PathBuf", []) => {
            refuse(ty, "text crosses as UTF-8: give a `String`", report)
        }
        ("Option", [_]) if matches!(Written::of(ty).form, Form::Function(_)) => no_function(ty, report),
        ("Option", [inner]) => refuse(
            ty,
            format_args!(
                "C has no absent values: give `(bool, {0})`, or `Result<{0}, E>` with a code that means absent",
                show(inner)
            ),
            report,
        ),
        ("Result", _) => {
            refuse(ty, "a function fails as a whole: write `Result<(…), E>` around the tuple", report)
        }
        ("Box" | "Rc" | "Arc" | "Cow", [inner, ..]) => {
            let given = if is_text(inner) { "String".to_owned() } else { show(inner) };
            refuse(ty, format_args!("C has no such pointer: give `{given}`"), report)
        }
        ("HashMap" | "BTreeMap" | "HashSet" | "BTreeSet", _) => {
            refuse(ty, "C has no such type: give a recipe, which crosses as JSON", report)
        }
        // Also a bool: what Rust gives is one.
        ("bool", []) => Some(true),
        _ => is_written(ty, report),
    }
}

/// Whether it is `str`.
pub(super) fn is_text(ty: &Type) -> bool {
    matches!(plain(ty), Type::Path(path) if path.path.is_ident("str"))
}

fn is_byte(ty: &Type) -> bool {
    matches!(plain(ty), Type::Path(path) if path.path.is_ident("u8"))
}

fn no_function(ty: &Type, report: &mut Report) -> Option<bool> {
    refuse(ty, "what a function gives is data: export what this would call as a function of its own", report)
}
