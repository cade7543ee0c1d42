//! What can be said of a field's type by reading it. An alias or a contract is not known here: const evaluation
//! and trait bounds check those.

mod abi;
mod held;

use quote::ToTokens;
use syn::{Expr, GenericArgument, PathArguments, Type};

use crate::eval;

pub(crate) use abi::{Form, Function, Written};
pub(crate) use held::{Held, item, optional, types};

/// The most dimensions an array may have.
const MAX_RANK: usize = 4;

/// A type as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Known {
    /// An integer, a float or a bool.
    Scalar(Scalar),
    /// An array, with its length if it is a literal.
    Array(Box<Known>, Option<u64>),
    /// A type that has no place on the wire, with what to write instead.
    Refused(String),
    /// Anything else.
    Other,
}

/// A scalar as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scalar {
    /// The word.
    pub(crate) name: &'static str,
    /// Bytes, and alignment on the wire.
    pub(crate) size: u64,
}

const SCALARS: [Scalar; 11] = [
    Scalar { name: "bool", size: 1 },
    Scalar { name: "u8", size: 1 },
    Scalar { name: "i8", size: 1 },
    Scalar { name: "u16", size: 2 },
    Scalar { name: "i16", size: 2 },
    Scalar { name: "u32", size: 4 },
    Scalar { name: "i32", size: 4 },
    Scalar { name: "u64", size: 8 },
    Scalar { name: "i64", size: 8 },
    Scalar { name: "f32", size: 4 },
    Scalar { name: "f64", size: 8 },
];

impl Scalar {
    /// Whether it counts.
    pub(crate) fn is_unsigned(self) -> bool {
        self.name.starts_with('u')
    }

    /// The largest count it can say; only asked of unsigned ones.
    pub(crate) fn max(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size)
    }

    /// The least and the greatest value of an integer.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size;
        match (self.is_integer(), self.is_unsigned()) {
            (false, _) => None,
            (true, true) => Some((0, (1 << bits) - 1)),
            (true, false) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        }
    }

    /// Whether it is a float.
    pub(crate) fn is_float(self) -> bool {
        self.name.starts_with('f')
    }

    /// Whether every bit pattern is a value.
    pub(crate) fn is_plain(self) -> bool {
        self.name != "bool"
    }

    /// Whether it is an integer.
    pub(crate) fn is_integer(self) -> bool {
        self.name.starts_with(['u', 'i'])
    }
}

impl Known {
    /// What is known of a type.
    pub(crate) fn of(ty: &Type) -> Known {
        match ty {
            Type::Paren(inner) => Known::of(&inner.elem),
            Type::Group(inner) => Known::of(&inner.elem),
            Type::Array(array) => Known::Array(Box::new(Known::of(&array.elem)), length(&array.len)),
            Type::Path(path) if path.qself.is_none() => Known::of_path(&path.path),
            Type::Reference(_) => refused("a reference points into one process: write the value itself"),
            Type::Ptr(_) => refused("a pointer points into one process: write the value itself, or a handle"),
            Type::FnPtr(_) => {
                refused("a function pointer points into one process: write a number that names the function")
            }
            Type::Slice(_) => {
                refused("a slice has no fixed size: write `[T; N]` with a `#[wire(length_of = …)]` count")
            }
            Type::Tuple(tuple) if tuple.elems.is_empty() => refused("`()` has no bytes: leave it out"),
            Type::Tuple(_) => {
                refused("a tuple has no fixed layout: write a struct that derives `WireContract`")
            }
            Type::TraitObject(_) | Type::ImplTrait(_) => {
                refused("a trait object has no fixed layout: write a struct that derives `WireContract`")
            }
            Type::Never(_) => refused("`!` has no value: leave the field out"),
            _ => Known::Other,
        }
    }

    fn of_path(path: &syn::Path) -> Known {
        let Some(last) = path.segments.last() else { return Known::Other };
        let name = last.ident.to_string();
        if path.segments.len() == 1 {
            if let Some(scalar) = SCALARS.into_iter().find(|scalar| scalar.name == name) {
                return Known::Scalar(scalar);
            }
        }
        let bare = path.segments.len() == 1
            || path.segments[0].ident == "std"
            || path.segments[0].ident == "alloc"
            || path.segments[0].ident == "core";
        if !bare {
            return Known::Other;
        }
        match (name.as_str(), &last.arguments) {
            ("usize", PathArguments::None) => {
                refused("`usize` has another size on another target: write `u64` (or `u32`)")
            }
            ("isize", PathArguments::None) => {
                refused("`isize` has another size on another target: write `i64` (or `i32`)")
            }
            ("char", PathArguments::None) => refused("not every 32-bit number is a `char`: write `u32`"),
            ("u128" | "i128", PathArguments::None) => refused(
                "C has no 128-bit integer with one alignment everywhere: write `[u64; 2]` or `[u8; 16]`",
            ),
            ("f16" | "f128", PathArguments::None) => {
                refused("not every target has this float: write its bits")
            }
            ("str" | "String" | "CString" | "OsString" | "PathBuf", PathArguments::None) => {
                refused("text on the wire has a fixed size: write `#[wire(text)] [u8; N]`")
            }
            ("Vec" | "VecDeque", PathArguments::AngleBracketed(arguments)) => {
                let element = arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(show(ty)),
                    _ => None,
                });
                let element = element.unwrap_or_else(|| "T".into());
                refused(&format!(
                    "a descriptor has a fixed size: write `[{element}; N]` with a `#[wire(length_of = …)]` count"
                ))
            }
            ("Option", PathArguments::AngleBracketed(_)) => refused(
                "absence has no bytes of its own: write a flag beside the value, or a value that means absent",
            ),
            ("Box" | "Rc" | "Arc" | "Cow" | "NonNull", PathArguments::AngleBracketed(_)) => {
                refused("a pointer points into one process: write the value itself")
            }
            ("HashMap" | "BTreeMap" | "HashSet" | "BTreeSet", PathArguments::AngleBracketed(_)) => {
                refused("a descriptor has a fixed size: write `[T; N]` with a `#[wire(length_of = …)]` count")
            }
            ("PhantomData", _) => refused("`PhantomData` has no bytes: leave it out"),
            _ => Known::Other,
        }
    }

    /// Why the type, or what it is an array of, has no place on the wire.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match self {
            Known::Refused(why) => Some(why),
            Known::Array(_, Some(0)) => {
                Some("an array of no elements has no place on the wire: remove the field")
            }
            Known::Array(..) if self.rank() > MAX_RANK => {
                Some("an array has at most four dimensions on the wire: put the others in a descriptor")
            }
            Known::Array(..) if self.layout().is_some_and(|(size, _)| size > u32::MAX.into()) => {
                Some("a descriptor is smaller than 4 GiB")
            }
            Known::Array(element, _) => element.refusal(),
            _ => None,
        }
    }

    /// How many dimensions are plain to see.
    fn rank(&self) -> usize {
        match self {
            Known::Array(element, _) => 1 + element.rank(),
            _ => 0,
        }
    }

    /// Bytes and alignment on the wire, when both are plain to see.
    pub(crate) fn layout(&self) -> Option<(u64, u64)> {
        match self {
            Known::Scalar(scalar) => Some((scalar.size, scalar.size)),
            Known::Array(element, Some(length)) => {
                let (size, align) = element.layout()?;
                Some((size.saturating_mul(*length), align))
            }
            _ => None,
        }
    }

    /// Whether it is, or is an array of, integers and floats: nothing in them can be wrong.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Known::Scalar(scalar) => scalar.is_plain(),
            Known::Array(element, _) => element.is_plain(),
            _ => false,
        }
    }
}

/// A type or a path as one writes it: tokens alone are printed with a space between any two.
pub(crate) fn show(written: &impl ToTokens) -> String {
    let mut text = written.to_token_stream().to_string();
    for (spaced, close) in [
        (" < ", "<"),
        (" >", ">"),
        (" :: ", "::"),
        (":: ", "::"),
        (" ,", ","),
        ("& ", "&"),
        ("* ", "*"),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        ("( ", "("),
        (" )", ")"),
    ] {
        text = text.replace(spaced, close);
    }
    text
}

fn refused(why: &str) -> Known {
    Known::Refused(why.to_owned())
}

fn length(expression: &Expr) -> Option<u64> {
    eval::integer(expression).and_then(|length| u64::try_from(length).ok())
}
