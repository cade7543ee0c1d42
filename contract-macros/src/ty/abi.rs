//! What can be said of a type in an abi struct by reading it: as much as is written out. What is behind an alias, the
//! traits say.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Expr, Ident, PointerMutability, ReturnType, Type, TypeFnPtr};

use super::held::types;
use super::{SCALARS, Scalar, show};

/// C's own types as `core::ffi` has them, with the constant of each one's shape.
const C_TYPES: [(&str, &str); 11] = [
    ("c_char", "CHAR"),
    ("c_schar", "SCHAR"),
    ("c_uchar", "UCHAR"),
    ("c_short", "SHORT"),
    ("c_ushort", "USHORT"),
    ("c_int", "INT"),
    ("c_uint", "UINT"),
    ("c_long", "LONG"),
    ("c_ulong", "ULONG"),
    ("c_longlong", "LONGLONG"),
    ("c_ulonglong", "ULONGLONG"),
];

/// The most parameters of a function.
const MAX_PARAMETERS: usize = 16;

/// A type as it is written.
pub(crate) struct Written<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) form: Form<'a>,
}

/// What is written.
pub(crate) enum Form<'a> {
    /// One of C's own: the name in `core::ffi`, and the constant of its shape.
    C(&'static str, &'static str),
    /// A fixed-width integer, a float or a bool.
    Scalar(Scalar),
    /// `usize` or `isize`.
    Size,
    /// `c_void`.
    Void,
    Pointer {
        to: Box<Written<'a>>,
        is_const: bool,
    },
    /// `Option<unsafe extern "C" fn(…)>`.
    Function(Function<'a>),
    Array {
        item: Box<Written<'a>>,
        length: &'a Expr,
    },
    /// A type that C does not have, with what to write instead.
    Refused(String),
    /// Anything else.
    Other,
}

/// A function as it is written.
pub(crate) struct Function<'a> {
    /// The parameters with their names; empty where there is none.
    pub(crate) params: Vec<(String, Option<&'a Ident>, Written<'a>)>,
    pub(crate) result: Option<Box<Written<'a>>>,
    /// What is no function of C, and what to write instead.
    pub(crate) faults: Vec<(TokenStream, &'static str)>,
}

impl<'a> Written<'a> {
    /// What is written of a type.
    pub(crate) fn of(ty: &'a Type) -> Written<'a> {
        Written { ty, form: Form::of(ty) }
    }

    /// The types in it, in the order in which the record has them.
    pub(crate) fn parts(&self) -> Vec<&Written<'a>> {
        match &self.form {
            Form::Pointer { to: part, .. } | Form::Array { item: part, .. } => vec![part],
            Form::Function(function) => {
                let result = function.result.as_deref().into_iter();
                result.chain(function.params.iter().map(|(_, _, ty)| ty)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The functions in it, in the order in which the record has them.
    pub(crate) fn functions(&self) -> Vec<&Function<'a>> {
        let own = match &self.form {
            Form::Function(function) => Some(function),
            _ => None,
        };
        own.into_iter().chain(self.parts().into_iter().flat_map(Written::functions)).collect()
    }
}

impl<'a> Form<'a> {
    fn of(ty: &'a Type) -> Form<'a> {
        match ty {
            Type::Paren(inner) => Form::of(&inner.elem),
            Type::Group(inner) => Form::of(&inner.elem),
            Type::Array(array) => {
                Form::Array { item: Box::new(Written::of(&array.elem)), length: &array.len }
            }
            Type::Ptr(pointer) => match &*pointer.elem {
                Type::Tuple(tuple) if tuple.elems.is_empty() => {
                    refused("C has no pointer to nothing: write `*mut c_void`, which points at anything")
                }
                _ => Form::Pointer {
                    to: Box::new(Written::of(&pointer.elem)),
                    is_const: matches!(pointer.mutability, PointerMutability::Const(_)),
                },
            },
            Type::Path(path) if path.qself.is_none() => Form::of_path(&path.path),
            Type::FnPtr(_) => {
                refused("foreign code may pass NULL: write `Option<unsafe extern \"C\" fn(…)>`")
            }
            Type::Reference(reference) => refused(&format!(
                "a reference promises more than foreign code keeps: write `*{} {}`",
                if reference.mutability.is_some() { "mut" } else { "const" },
                match &*reference.elem {
                    Type::Path(path) if path.path.is_ident("str") => "c_char".to_owned(),
                    Type::Slice(slice) => format!("{}` with `#[wire(counted_by = …)]", show(&slice.elem)),
                    other => show(other),
                }
            )),
            Type::Slice(slice) => refused(&format!(
                "C knows no length of a slice: write `*mut {}` with `#[wire(counted_by = …)]`",
                show(&slice.elem)
            )),
            Type::Tuple(tuple) if tuple.elems.is_empty() => refused("`()` is no value of C: leave it out"),
            Type::Tuple(_) => refused("a tuple has no fixed layout: write an abi struct"),
            Type::TraitObject(_) | Type::ImplTrait(_) => {
                refused("a trait object has a layout that only Rust knows: write `*mut c_void`")
            }
            Type::Never(_) => refused("`!` is no value of C: leave it out"),
            _ => Form::Other,
        }
    }

    fn of_path(path: &'a syn::Path) -> Form<'a> {
        let Some(last) = path.segments.last() else { return Form::Other };
        let name = last.ident.to_string();
        let arguments = types(&last.arguments);
        if arguments.is_empty() {
            if let Some((name, shape)) = C_TYPES.into_iter().find(|(c_type, _)| *c_type == name) {
                return Form::C(name, shape);
            }
            if name == "c_void" {
                return Form::Void;
            }
        }
        if path.segments.len() == 1 {
            if let Some(scalar) = SCALARS.into_iter().find(|scalar| scalar.name == name) {
                return Form::Scalar(scalar);
            }
        }
        let first = path.segments[0].ident.to_string();
        if path.segments.len() == 1 || matches!(first.as_str(), "std" | "alloc" | "core") {
            Form::of_std(&name, &arguments)
        } else {
            Form::Other
        }
    }

    /// A type of the standard library, or one that is called so.
    fn of_std(name: &str, arguments: &[&'a Type]) -> Form<'a> {
        match (name, arguments) {
            ("usize" | "isize", []) => Form::Size,
            ("Option", [inner]) => Form::optional(inner),
            ("char", []) => refused("not every 32-bit number is a `char`: write `u32`, or `c_char` for C's"),
            ("u128" | "i128", []) => refused(
                "C has no 128-bit integer with one alignment everywhere: write `[u64; 2]`, in an abi struct",
            ),
            ("f16" | "f128", []) => refused("not every target has this float: write its bits"),
            ("str" | "String" | "CString" | "CStr" | "OsString" | "PathBuf", _) => {
                refused("text of C is behind a pointer: write `*const c_char`")
            }
            ("Vec" | "VecDeque", [item, ..]) => refused(&format!(
                "C does not know this layout: write `*mut {}` with `#[wire(counted_by = …)]`",
                show(item)
            )),
            ("Box" | "Rc" | "Arc" | "Cow" | "NonNull" | "Cell" | "RefCell" | "Mutex", [inner, ..]) => {
                refused(&format!(
                    "foreign code may pass NULL and knows no owner: write `*mut {}`, and say who frees it",
                    show(inner)
                ))
            }
            ("HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "Result", _) => {
                refused("C does not know this layout: write `*mut c_void`, or an abi struct")
            }
            ("PhantomData", _) => refused("`PhantomData` has no bytes: leave it out"),
            (name, []) => match name.strip_prefix("NonZero").map(str::to_lowercase) {
                Some(integer) if SCALARS.iter().any(|scalar| scalar.name == integer) => {
                    refused(&format!("foreign code may write 0: write `{integer}`"))
                }
                _ => Form::Other,
            },
            _ => Form::Other,
        }
    }

    /// What is in an `Option`: a function, or an alias of one.
    fn optional(inner: &'a Type) -> Form<'a> {
        match inner {
            Type::Paren(inner) => Form::optional(&inner.elem),
            Type::Group(inner) => Form::optional(&inner.elem),
            Type::FnPtr(function) => Form::Function(Function::of(function)),
            Type::Ptr(_) => refused(&format!("a pointer may be null by itself: write `{}`", show(inner))),
            Type::Reference(reference) => refused(&format!(
                "a reference promises more than foreign code keeps: write `*{} {}`, which may be null",
                if reference.mutability.is_some() { "mut" } else { "const" },
                show(&reference.elem)
            )),
            Type::Path(path) => match Form::of_path(&path.path) {
                Form::Other => Form::Other,
                Form::Refused(why) => Form::Refused(why),
                _ => refused("C has no absent numbers: write a value that means absent, or a pointer"),
            },
            _ => refused("C has no absent values: write a value that means absent, or a pointer"),
        }
    }

    /// Whether it is, or may be, an integer.
    pub(crate) fn may_count(&self) -> bool {
        match self {
            Form::C(..) | Form::Size | Form::Other | Form::Refused(_) => true,
            Form::Scalar(scalar) => scalar.is_integer(),
            _ => false,
        }
    }

    /// Whether it is, or may be, a pointer.
    pub(crate) fn may_point(&self) -> bool {
        matches!(self, Form::Pointer { .. } | Form::Other | Form::Refused(_))
    }
}

impl<'a> Function<'a> {
    fn of(written: &'a TypeFnPtr) -> Function<'a> {
        let params = written.inputs.iter().map(|input| {
            let name = input.name.as_ref().map(|(name, _)| name).filter(|name| *name != "_");
            (name.map(|name| name.unraw().to_string()).unwrap_or_default(), name, Written::of(&input.ty))
        });
        let result = match &written.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => match &**ty {
                Type::Tuple(tuple) if tuple.elems.is_empty() => None,
                ty => Some(Box::new(Written::of(ty))),
            },
        };
        Function { params: params.collect(), result, faults: faults(written) }
    }
}

/// What is not as C has it, and where.
fn faults(written: &TypeFnPtr) -> Vec<(TokenStream, &'static str)> {
    let mut faults = Vec::new();
    if let Some(lifetimes) = &written.lifetimes {
        faults.push((lifetimes.to_token_stream(), "C knows no lifetimes: write pointers and no `for<…>`"));
    }
    let is_c = match &written.abi {
        Some(abi) => abi.name.as_ref().is_none_or(|name| name.value() == "C"),
        None => false,
    };
    if !is_c || written.unsafety.is_none() {
        let at = match &written.abi {
            Some(abi) if !is_c => abi.to_token_stream(),
            _ => written.fn_token.to_token_stream(),
        };
        faults.push((
            at,
            "foreign code is called as C calls, and nothing of what it does is checked: write `unsafe extern \"C\" fn(…)`",
        ));
    }
    if let Some(variadic) = &written.variadic {
        faults.push((
            variadic.to_token_stream(),
            "Python and others cannot pass any number of arguments: write each parameter",
        ));
    }
    if written.inputs.len() > MAX_PARAMETERS {
        faults.push((
            written.inputs.to_token_stream(),
            "a function has at most 16 parameters here: put some in an abi struct",
        ));
    }
    faults
}

fn refused<'a>(why: &str) -> Form<'a> {
    Form::Refused(why.to_owned())
}
