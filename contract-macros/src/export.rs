//! Exported functions: what a function says in Rust becomes a function of C beside it, which checks what it is given and
//! lets no panic out.
//!
//! As a declaration does, a function walks one way: [`item`] takes the attributes off, [`types`] and [`results`] hold each
//! type against what can cross, `expand/export.rs` writes the function of C. The function in Rust stays as it is, also
//! where the other is refused.

mod conditions;
mod function;
mod item;
mod library;
mod results;
mod types;

use syn::{Attribute, Path, Type};

pub(crate) use item::export;
pub(crate) use library::{Library, library};

/// A legal exported function.
pub(crate) struct Function {
    pub(crate) krate: Path,
    /// The function of C.
    pub(crate) symbol: String,
    pub(crate) prefix: String,
    /// What Rust calls it, with its type.
    pub(crate) name: String,
    pub(crate) ident: syn::Ident,
    /// The type that it is a function of.
    pub(crate) owner: Option<Path>,
    pub(crate) docs: String,
    /// The version of the contract that it is, where one is declared.
    pub(crate) version: Option<u32>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) is_unsafe: bool,
    pub(crate) failing: Failing,
    /// Whether what it gives is a tuple, also of one.
    pub(crate) gives_tuple: bool,
    pub(crate) params: Vec<Param>,
    pub(crate) outs: Vec<Out>,
    /// What it is compiled under.
    pub(crate) conditions: Vec<Attribute>,
}

/// Whether a function may fail.
pub(crate) enum Failing {
    Never,
    /// With what an alias of `Result` says.
    Unsaid,
    With(Box<Type>),
}

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: String,
    /// The name before a renaming.
    pub(crate) was: Option<String>,
    pub(crate) passing: Passing,
}

/// How a parameter crosses, as far as its type says when one reads it. The types in it name what is called `Self`.
pub(crate) enum Passing {
    /// A value of a type that is written out: a number, a pointer, a function.
    Plain(Type),
    /// A value of a type that says itself how it crosses.
    Value(Type),
    Reference {
        ty: Type,
        is_mut: bool,
    },
    /// The same, or none.
    Optional {
        ty: Type,
        is_mut: bool,
    },
    Slice {
        ty: Type,
        is_mut: bool,
    },
    Text {
        is_optional: bool,
    },
    Callback {
        params: Vec<Passed>,
        names: Vec<String>,
    },
}

/// What a callback takes.
pub(crate) enum Passed {
    Plain(Type),
    Value(Type),
    Reference(Type),
    Slice(Type),
    Text,
}

/// A result.
pub(crate) struct Out {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Whether its type is written out.
    pub(crate) is_plain: bool,
}
