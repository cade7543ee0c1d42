//! What can be said of a type in a document by reading it.

use syn::{GenericArgument, PathArguments, Type};

use super::{SCALARS, Scalar, length, show};

/// The most arrays in each other: a record has no deeper types, with an option around them and what they hold.
const MAX_ARRAYS: usize = 30;

/// A type as it is written.
#[derive(Clone)]
pub(crate) enum Held {
    /// An integer, a float or a bool.
    Scalar(Scalar),
    /// `String`.
    Text,
    /// `Vec<T>`.
    Vec(Box<Held>),
    /// `[T; N]`, with its length if it is a literal.
    Array(Box<Held>, Option<u64>),
    /// `BTreeMap<String, String>`.
    Map,
    /// `wirecontract::Json`.
    Json,
    /// `Open<E>` and `OpenName<E>`, with the enumeration.
    Open(Box<Type>),
    /// `Flags<E>`, with the enum.
    Flags(Box<Type>),
    /// `Box<T>`.
    Boxed(Box<Held>),
    /// `wirecontract::UnknownVariant`.
    UnknownVariant,
    /// A type that no document carries, with what to write instead.
    Refused(String),
    /// Anything else.
    Other,
}

impl Held {
    /// What is known of a type; `Option` is none that a document carries.
    pub(crate) fn of(ty: &Type) -> Held {
        match ty {
            Type::Paren(inner) => Held::of(&inner.elem),
            Type::Group(inner) => Held::of(&inner.elem),
            Type::Array(array) => Held::Array(Box::new(Held::item(&array.elem)), length(&array.len)),
            Type::Path(path) if path.qself.is_none() => Held::of_path(&path.path),
            Type::Reference(reference) => match &*reference.elem {
                Type::Path(path) if path.path.is_ident("str") => {
                    refused("a contract owns its text: write `String`")
                }
                Type::Slice(slice) => {
                    refused(&format!("a contract owns its items: write `Vec<{}>`", show(&slice.elem)))
                }
                other => refused(&format!("a contract owns what it holds: write `{}`", show(other))),
            },
            Type::Ptr(_) => refused("a pointer points into one process: write the value itself, or a handle"),
            Type::FnPtr(_) => {
                refused("a function pointer points into one process: write a number that names the function")
            }
            Type::Slice(slice) => {
                refused(&format!("a slice has no owner: write `Vec<{}>`", show(&slice.elem)))
            }
            Type::Tuple(tuple) if tuple.elems.is_empty() => {
                refused("`()` has no value in JSON: leave it out")
            }
            Type::Tuple(_) => refused(
                "the parts of a tuple have no names, and names are the keys: write a recipe, or `[T; N]` where all are \
                 of one type",
            ),
            Type::TraitObject(_) | Type::ImplTrait(_) => {
                refused("a trait object has no declared form: write a union, one variant for each type")
            }
            Type::Never(_) => refused("`!` has no value: leave the key out"),
            _ => Held::Other,
        }
    }

    /// Whether it is an array of integers.
    pub(crate) fn is_integers(&self) -> bool {
        let (Held::Vec(item) | Held::Array(item, _)) = self else { return false };
        matches!(&**item, Held::Scalar(scalar) if !matches!(scalar.name, "bool" | "f32" | "f64"))
    }

    /// What is known of an array's item.
    fn item(ty: &Type) -> Held {
        match optional(ty) {
            Some(inner) => refused(&format!(
                "an item of an array is always there: write `{}`, or a recipe with an optional key",
                show(inner)
            )),
            None => Held::of(ty),
        }
    }

    fn of_path(path: &syn::Path) -> Held {
        let Some(last) = path.segments.last() else { return Held::Other };
        let name = last.ident.to_string();
        if path.segments.len() == 1 {
            if let Some(scalar) = SCALARS.into_iter().find(|scalar| scalar.name == name) {
                return Held::Scalar(scalar);
            }
            if name == "Self" {
                return refused(
                    "a contract that holds itself has no id of its own: write `wirecontract::Json`, or another contract",
                );
            }
        }
        let first = path.segments[0].ident.to_string();
        let arguments = types(&last.arguments);
        match (name.as_str(), &arguments[..]) {
            ("Value" | "Map" | "Number", _) if first == "serde_json" => {
                return refused("write `wirecontract::Json`, which keeps any JSON as it was written");
            }
            ("Uuid", []) if first == "uuid" => return refused("write `[u8; 16]` with `#[wire(uuid)]`"),
            ("Json", []) => return Held::Json,
            ("UnknownVariant", []) => return Held::UnknownVariant,
            ("Open" | "OpenName", [ty]) => return Held::Open(Box::new((*ty).clone())),
            ("Flags", [ty]) => return Held::Flags(Box::new((*ty).clone())),
            _ => {}
        }
        if path.segments.len() == 1 || matches!(first.as_str(), "std" | "alloc" | "core") {
            Held::of_std(&name, &arguments)
        } else {
            Held::Other
        }
    }

    /// What is known of a type of the standard library, or of one that is called so.
    fn of_std(name: &str, arguments: &[&Type]) -> Held {
        match (name, arguments) {
            ("String", []) => Held::Text,
            ("Vec", [item]) => Held::Vec(Box::new(Held::item(item))),
            ("Box", [Type::Path(path)]) if path.path.is_ident("str") => refused("write `String`"),
            ("Box", [ty]) => Held::Boxed(Box::new(Held::of(ty))),
            ("BTreeMap", [key, value]) => match (Held::of(key), Held::of(value)) {
                (Held::Text | Held::Other, Held::Text | Held::Other) => Held::Map,
                _ => refused(
                    "an object of any keys holds text: write `BTreeMap<String, String>`, a recipe where the keys are \
                     known, or `wirecontract::Json`",
                ),
            },
            ("HashMap", _) => refused(
                "a `HashMap` has another order each time, and equal values are written equal: write \
                 `BTreeMap<String, String>`",
            ),
            ("HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" | "BinaryHeap", [item]) => {
                refused(&format!("a JSON array is a list: write `Vec<{}>`", show(item)))
            }
            ("usize", []) => refused("`usize` has another size on another target: write `u64` (or `u32`)"),
            ("isize", []) => refused("`isize` has another size on another target: write `i64` (or `i32`)"),
            ("char", []) => {
                refused("JSON has no characters: write `String` with `#[wire(max_len = 4)]`, or `u32`")
            }
            ("u128" | "i128", []) => {
                refused("no other language has this integer: write `u64`, or `[u8; 16]` with `#[wire(hex)]`")
            }
            ("f16", []) => refused("not every target has this float: write `f32`"),
            ("f128", []) => refused("not every target has this float: write `f64`"),
            ("str", []) => refused("a contract owns its text: write `String`"),
            ("CString" | "OsString" | "PathBuf", []) => refused(
                "JSON carries UTF-8 and this may be something else: write `String`, or `Vec<u8>` with \
                 `#[wire(base64)]`",
            ),
            ("Cow", [Type::Path(path)]) if path.path.is_ident("str") => {
                refused("a contract owns its text: write `String`")
            }
            ("Rc" | "Arc" | "Cow" | "Cell" | "RefCell" | "Mutex", [ty]) => {
                refused(&format!("a contract owns what it holds: write `{}`", show(ty)))
            }
            ("Duration" | "Instant" | "SystemTime", []) => refused(
                "a time has no one form in JSON: write an integer whose name says the unit, as `timeout_ns: u64`",
            ),
            ("Result", _) => refused("write a union with a variant for each outcome"),
            ("PhantomData", _) => refused("`PhantomData` has no value: leave it out"),
            ("Option", [inner]) => refused(&format!(
                "a key is there or is not: write `Option<{}>`, with `#[wire(nullable)]` where null is read as absent",
                show(optional(inner).unwrap_or(inner))
            )),
            (name, []) => match name.strip_prefix("NonZero").map(str::to_lowercase) {
                Some(integer) if SCALARS.iter().any(|scalar| scalar.name == integer) => refused(&format!(
                    "other languages have no such type: write `{integer}` with `#[wire(min = 1)]`"
                )),
                _ => Held::Other,
            },
            _ => Held::Other,
        }
    }

    /// Why the type, or what it holds, is carried by no document.
    pub(crate) fn refusal(&self) -> Option<&str> {
        match self {
            Held::Refused(why) => Some(why),
            Held::Array(_, Some(0)) => Some("an array of no items says nothing: remove the key"),
            Held::Array(_, Some(count)) if *count > u32::MAX.into() => {
                Some("an array has less than 4 Gi items: write `Vec<T>`")
            }
            Held::Array(..) | Held::Vec(_) if self.arrays() > MAX_ARRAYS => {
                Some("arrays are at most 30 deep in each other: put the inner ones in a recipe")
            }
            Held::Boxed(held) => match &**held {
                Held::Other => None,
                other => Some(
                    other.refusal().unwrap_or("a `Box` holds a recipe or a union here: write its content"),
                ),
            },
            Held::UnknownVariant => {
                Some("only the open variant of a union holds this: write `wirecontract::Json`")
            }
            Held::Array(item, _) | Held::Vec(item) => item.refusal(),
            _ => None,
        }
    }

    /// How many arrays are plain to see in each other.
    fn arrays(&self) -> usize {
        match self {
            Held::Array(item, _) | Held::Vec(item) => 1 + item.arrays(),
            _ => 0,
        }
    }

    /// What arrays hold in the end.
    pub(crate) fn innermost(&self) -> &Held {
        match self {
            Held::Array(item, _) | Held::Vec(item) => item.innermost(),
            other => other,
        }
    }

    /// Whether it may be, or may hold, a contract that has rules at import or defaults.
    pub(crate) fn nests(&self) -> bool {
        matches!(self.innermost(), Held::Other | Held::Boxed(_))
    }

    /// Whether it is, or may be, a recipe or union: whether keys of it can stand beside others.
    pub(crate) fn may_have_keys(&self) -> bool {
        matches!(self, Held::Other)
    }

    /// What it is, in a sentence.
    pub(crate) fn article(&self) -> &'static str {
        match self {
            Held::Scalar(scalar) if scalar.name == "bool" => "a bool",
            Held::Scalar(scalar) if scalar.is_integer() => "an integer",
            Held::Scalar(_) => "a float",
            Held::Text => "text",
            Held::Vec(_) => "a list",
            Held::Array(..) => "an array",
            Held::Map => "a map",
            Held::Json => "any JSON",
            Held::Open(_) => "an enumeration",
            Held::Flags(_) => "flags",
            _ => "a contract",
        }
    }
}

/// What is in an `Option`.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
    let path = match ty {
        Type::Paren(inner) => return optional(&inner.elem),
        Type::Group(inner) => return optional(&inner.elem),
        Type::Path(path) if path.qself.is_none() => &path.path,
        _ => return None,
    };
    let (first, last) = (path.segments.first()?, path.segments.last()?);
    let std = path.segments.len() == 1 || first.ident == "std" || first.ident == "core";
    match &types(&last.arguments)[..] {
        [inner] if std && last.ident == "Option" => Some(inner),
        _ => None,
    }
}

/// What a list or an array holds, where its type is written out.
pub(crate) fn item(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Paren(inner) => item(&inner.elem),
        Type::Group(inner) => item(&inner.elem),
        Type::Array(array) => Some(&array.elem),
        Type::Path(path) => match &types(&path.path.segments.last()?.arguments)[..] {
            [item] => Some(item),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn types(arguments: &PathArguments) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

fn refused(why: &str) -> Held {
    Held::Refused(why.to_owned())
}
