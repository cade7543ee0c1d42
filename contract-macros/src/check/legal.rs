//! What passes the checks: a model in which only legal contracts can be written.

use proc_macro2::{Span, TokenStream};
use syn::{Ident, Path, Type, Visibility};

use super::{Abi, Handle, Message, Messages};
use crate::parse::{Endian, Spelled, Spelling};
use crate::rule::{Checked, Scope};
use crate::ty::{Held, Known};

/// A legal contract.
pub(crate) struct Contract<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) krate: &'a Path,
    pub(crate) about: About,
    pub(crate) body: Body<'a>,
}

/// What is said of a contract that Rust does not need.
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) version: Option<u32>,
    /// Versions before this one that are read and written as well, and their wire ids; the oldest first.
    pub(crate) earlier: Vec<(u32, u64)>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) was: Option<String>,
    pub(crate) c_name: Option<String>,
}

/// What a contract is.
pub(crate) enum Body<'a> {
    Descriptor(Descriptor<'a>),
    Enumeration(Values<'a>),
    Flags(Values<'a>, Openness),
    Recipe(Recipe<'a>),
    Union(Union<'a>),
    Abi(Abi<'a>),
    Handle(Handle),
    Message(Box<Message<'a>>),
    Messages(Messages<'a>),
}

/// Whether bits without a name are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Openness {
    Open,
    Closed,
}

/// A legal descriptor.
pub(crate) struct Descriptor<'a> {
    pub(crate) packed: bool,
    pub(crate) size: Option<(u64, Span)>,
    /// Sizes by version, of one that grows.
    pub(crate) sizes: Vec<(u64, Span)>,
    pub(crate) fields: Vec<Field<'a>>,
    pub(crate) rules: Vec<Checked>,
}

/// A field of a legal descriptor.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) ty: &'a Type,
    pub(crate) known: Known,
    pub(crate) endian: Endian,
    /// Where the field says its own byte order.
    pub(crate) own_endian: Option<Span>,
    pub(crate) offset: Option<(u64, Span)>,
    pub(crate) role: Role,
    /// The field that counts it.
    pub(crate) counted_by: Option<usize>,
    /// When it may be other than zero.
    pub(crate) one_of: Option<Checked>,
    /// What its absence stands for in versions that have it not; of a descriptor that grows.
    pub(crate) default: Option<(FieldDefault, Span)>,
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) was: Option<String>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
}

impl Descriptor<'_> {
    /// Whether it declares its size by version.
    pub(crate) fn grows(&self) -> bool {
        !self.sizes.is_empty()
    }
}

impl Field<'_> {
    /// The first version of a growing descriptor that has it.
    pub(crate) fn added(&self) -> u32 {
        self.since.unwrap_or(1)
    }
}

/// What the absence of a descriptor's field stands for.
pub(crate) enum FieldDefault {
    /// Zero bytes.
    Zero,
    /// A value that is written down.
    Written(Literal),
}

/// What a field is for.
pub(crate) enum Role {
    Value,
    Magic(Vec<u8>),
    Version(u64),
    Reserved { zero: bool },
    LengthOf(Vec<usize>),
    Text,
}

/// A legal enumeration, or legal flags.
pub(crate) struct Values<'a> {
    pub(crate) repr: Ident,
    /// How JSON spells it.
    pub(crate) spelled: Spelled,
    /// Whether readers of JSON pass over the case of names.
    pub(crate) fold: bool,
    pub(crate) values: Vec<Value<'a>>,
    pub(crate) data: Vec<DataKey>,
}

/// A named number.
pub(crate) struct Value<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) number: i128,
    pub(crate) wire_name: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) data: Vec<Datum>,
    pub(crate) docs: String,
    pub(crate) c_name: Option<String>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
}

/// A key that every value carries data for.
pub(crate) struct DataKey {
    pub(crate) ident: Ident,
    pub(crate) ty: TokenStream,
}

/// Data of a value.
#[derive(Clone)]
pub(crate) enum Datum {
    Integer(i128),
    Bool(bool),
    Text(String),
}

/// The bounds of a document.
pub(crate) struct Limits {
    pub(crate) max_bytes: u32,
    pub(crate) max_depth: u32,
    /// Where each is declared; the contract's name where it is not.
    pub(crate) spans: [Span; 2],
}

/// A legal recipe.
pub(crate) struct Recipe<'a> {
    pub(crate) deny_unknown: bool,
    pub(crate) limits: Limits,
    pub(crate) keys: Vec<Key<'a>>,
    pub(crate) rules: Vec<Checked>,
    /// What the rules see.
    pub(crate) scope: Scope<'a>,
}

impl Recipe<'_> {
    /// Conditions and rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &Checked> {
        let conditions = self.keys.iter().flat_map(|key| key.required_if.iter().chain(&key.one_of));
        conditions.chain(&self.rules)
    }
}

/// A key of a legal recipe.
#[allow(clippy::struct_excessive_bools, reason = "each is a word of the declaration")]
pub(crate) struct Key<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    /// The field's type as it is declared.
    pub(crate) ty: &'a Type,
    /// What it holds when it is there: the type without `Option`.
    pub(crate) inner: &'a Type,
    /// What can be said of [`inner`](Self::inner) by reading it.
    pub(crate) held: Held,
    pub(crate) presence: Presence,
    /// Where the default stands.
    pub(crate) default_at: Option<Span>,
    pub(crate) nullable: bool,
    pub(crate) required_if: Option<Checked>,
    pub(crate) one_of: Option<Checked>,
    pub(crate) spelling: Option<(Spelling, Span)>,
    pub(crate) bounds: Bounds,
    pub(crate) flatten: bool,
    pub(crate) lenient: bool,
    /// Whether `validate_import` does not go into what the key holds.
    pub(crate) not_imported: bool,
    /// The field's name in Rust.
    pub(crate) name: String,
    /// The key in JSON; of a flattened key, the field's name.
    pub(crate) key: String,
    pub(crate) docs: String,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
}

/// Whether a key must be there, and what it means when it is not.
pub(crate) enum Presence {
    /// It must.
    Required,
    /// It may be absent and stays absent; the default is what absence stands for.
    Optional { default: Option<Literal>, null_when_absent: bool },
    /// It may be absent and is then read as the default.
    Defaulted { default: Literal, skip: bool },
}

impl Presence {
    /// The declared default.
    pub(crate) fn default(&self) -> Option<&Literal> {
        match self {
            Presence::Required => None,
            Presence::Optional { default, .. } => default.as_ref(),
            Presence::Defaulted { default, .. } => Some(default),
        }
    }
}

/// Bounds as they are declared, each with where it stands.
#[derive(Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<(Number, Span)>,
    pub(crate) max: Option<(Number, Span)>,
    pub(crate) max_len: Option<(u32, Span)>,
    pub(crate) max_items: Option<(u32, Span)>,
}

/// A number as it is declared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

/// A declared default.
#[derive(Clone)]
pub(crate) enum Literal {
    Integer(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    /// A value of an enumeration: its name, and the path where one is written.
    Value(Path),
    /// Flags, each once, by name.
    Flags(Vec<Path>),
    List(Vec<Literal>),
}

/// A legal union.
pub(crate) struct Union<'a> {
    pub(crate) tagging: Tagging,
    /// Whether lenient reading takes a tag at fault for an absent one.
    pub(crate) lenient: bool,
    pub(crate) limits: Limits,
    pub(crate) variants: Vec<Variant<'a>>,
    pub(crate) rules: Vec<Checked>,
    /// What the rules see.
    pub(crate) scope: Scope<'a>,
}

/// How a document says which variant it is.
pub(crate) enum Tagging {
    Internal { tag: String, last: bool },
    Adjacent { tag: String, content: String, last: bool },
    Untagged,
}

/// A variant of a legal union.
pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) content: Content<'a>,
    pub(crate) when_absent: WhenAbsent,
    /// The name in Rust.
    pub(crate) name: String,
    /// The name in JSON; empty of a variant that is written without one, or with the one it keeps.
    pub(crate) tag: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) docs: String,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
}

/// What a variant holds.
pub(crate) enum Content<'a> {
    Nothing,
    Value {
        ty: &'a Type,
        held: Held,
        /// What absent content stands for, and where that is said.
        default: Option<(Literal, Span)>,
    },
    /// A tag that no variant has, and what came with it.
    Other,
}

/// Whether an absent tag says a variant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhenAbsent {
    No,
    Default,
    NoTag,
}
