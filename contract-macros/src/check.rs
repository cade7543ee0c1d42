//! Every rule a declaration can break, one function a rule; what passes is a contract in which only legal ones can
//! be written.

mod abi;
mod bounds;
mod default;
mod descriptor;
mod document;
mod growth;
mod handle;
mod message;
mod recipe;
mod union;
mod values;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Data, Fields, Ident, Path, Type, Visibility};

pub(crate) use abi::{Abi, AbiField, passed};
pub(crate) use default::float;

pub(crate) use descriptor::scope as descriptor_scope;
pub(crate) use handle::{Handle, prefix, stem};
pub(crate) use message::{
    FdForm, FdGroup, Message, MessageVariant, Messages, Said, Selector, Tail, TailLength, VariantHolds,
};

use crate::parse::{Declaration, Endian, Kind, OldName, Spelled, Spelling};
use crate::report::Report;
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

/// Holds a declaration against every rule. None when something was wrong that leaves no contract; the report has
/// it.
pub(crate) fn contract<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Contract<'a>> {
    generics(declaration, report);
    let kind = kind(declaration, report)?;
    with_json(declaration, kind, report)?;
    with_export(declaration, kind, report)?;
    with_message(declaration, kind, report)?;
    foreign_keys(declaration, kind, report);
    let keys = &declaration.container;
    let c_name = keys.c_name.as_ref().and_then(|name| c_name(name, report));
    renamed(keys.was.as_ref(), &declaration.ident.unraw().to_string(), report);
    since(declaration, report);
    let version = growth::version(declaration, kind, report);
    if kind != Kind::Handle {
        earlier(declaration, version, report);
    }
    let body = match kind {
        Kind::Descriptor => Body::Descriptor(descriptor::check(declaration, report)?),
        Kind::Enumeration => Body::Enumeration(values::enumeration(declaration, report)?),
        Kind::Flags => {
            let open = matches!(keys.open, Some((true, _)));
            let open = if open { Openness::Open } else { Openness::Closed };
            Body::Flags(values::flags(declaration, report)?, open)
        }
        Kind::Recipe => Body::Recipe(recipe::check(declaration, report)?),
        Kind::Union => Body::Union(union::check(declaration, report)?),
        Kind::Abi => Body::Abi(abi::check(declaration, report)?),
        Kind::Handle => Body::Handle(handle::check(declaration, report)?),
        Kind::Message if matches!(declaration.input.data, Data::Enum(_)) => {
            Body::Messages(message::several(declaration, report)?)
        }
        Kind::Message => Body::Message(Box::new(message::check(declaration, report)?)),
    };
    Some(Contract {
        ident: declaration.ident,
        vis: declaration.vis,
        krate: &declaration.krate,
        about: About {
            name: declaration.ident.unraw().to_string(),
            docs: declaration.docs.clone(),
            version,
            earlier: keys
                .earlier
                .iter()
                .flat_map(|(earlier, _)| earlier)
                .map(|it| (it.version, it.wire_id))
                .collect(),
            since: keys.since.map(|(since, _)| since),
            deprecated: keys.deprecated.clone(),
            was: keys.was.as_ref().map(|was| was.name.clone()),
            c_name,
        },
        body,
    })
}

/// What is written for JSON contracts stands on what wirecontract has only with its feature: one error says so, and not
/// each of the words that are missing.
fn with_json(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) -> Option<()> {
    if cfg!(feature = "json") || !matches!(kind, Kind::Recipe | Kind::Union) {
        return Some(());
    }
    report.at(
        declaration.ident,
        format_args!(
            "{} is a JSON contract, and needs the feature `json` of `wirecontract`: it is a default one, and left out \
             with `default-features = false`",
            kind.article()
        ),
    );
    None
}

/// So are handles, with theirs.
fn with_export(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) -> Option<()> {
    if cfg!(feature = "export") || kind != Kind::Handle {
        return Some(());
    }
    report.at(declaration.ident, "a handle needs the feature `export` of `wirecontract`");
    None
}

/// So are messages, with theirs.
fn with_message(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) -> Option<()> {
    if cfg!(feature = "message") || kind != Kind::Message {
        return Some(());
    }
    report.at(declaration.ident, "a message needs the feature `message` of `wirecontract`, on Unix");
    None
}

/// Nothing is there since a version that the contract has not reached.
fn since(declaration: &Declaration<'_>, report: &mut Report) {
    let keys = &declaration.container;
    let Some((version, _)) = keys.version else { return };
    let fields = declaration.fields.iter().map(|field| field.since);
    let values = declaration.values.iter().map(|value| value.since);
    for (since, span) in fields.chain(values).chain([keys.since]).flatten() {
        if since > version {
            report.span(
                span,
                format_args!(
                    "the contract is of version {version}, and this is there since {since}: write `version = {since}` on \
                     the contract, or an earlier `since`"
                ),
            );
        }
    }
}

/// How many versions of a contract a hello can say: `wirecontract::hello::MOST_VERSIONS`.
const MOST_VERSIONS: usize = 64;

/// What is earlier than a version has a lower number.
fn earlier(declaration: &Declaration<'_>, version: Option<u32>, report: &mut Report) {
    let keys = &declaration.container;
    let Some((earlier, key)) = &keys.earlier else { return };
    let Some(version) = version else {
        report.at(
            key,
            "nothing is earlier than the first version: write `version = N`, which version this one is",
        );
        return;
    };
    for it in earlier.iter().filter(|it| it.version >= version) {
        let name = it.version;
        report.span(
            it.span,
            format_args!("the contract is of version {version}, and `v{name}` is no earlier one"),
        );
    }
    if earlier.len() >= MOST_VERSIONS {
        report.at(
            key,
            format_args!(
                "a hello says {MOST_VERSIONS} versions of a contract at most, this one among them: leave out the oldest"
            ),
        );
    }
}

/// A contract is one type: another one for each argument would be another contract.
fn generics(declaration: &Declaration<'_>, report: &mut Report) {
    let generics = &declaration.input.generics;
    if !generics.params.is_empty() {
        report.at(
            &generics.params,
            "a contract has no generic parameters: C and Python see one layout; write one struct for each",
        );
    } else if let Some(clause) = &generics.where_clause {
        report.at(clause, "a contract has no `where` clause");
    }
}

/// The kind is said, and is one that this item can be.
fn kind(declaration: &Declaration<'_>, report: &mut Report) -> Option<Kind> {
    // An object is whatever Rust likes.
    if declaration.kind == Some(Kind::Handle) {
        return Some(Kind::Handle);
    }
    let is_enum = match &declaration.input.data {
        Data::Enum(_) => true,
        Data::Struct(data) => {
            if let Fields::Unnamed(fields) = &data.fields {
                report
                    .at(fields, "the fields of a contract have names: they are the names in every language");
                return None;
            }
            false
        }
        Data::Union(data) => {
            report.at(data.union_token, "a Rust `union` does not say which field holds: write a struct");
            return None;
        }
    };
    match declaration.kind {
        Some(Kind::Message) => Some(Kind::Message),
        Some(kind) if matches!(kind, Kind::Descriptor | Kind::Recipe | Kind::Abi) != is_enum => Some(kind),
        Some(Kind::Descriptor) => {
            report.at(
                declaration.ident,
                "a descriptor is a struct: for an enum write `#[wire(enumeration)]` or `#[wire(flags)]`",
            );
            None
        }
        Some(Kind::Recipe) => {
            report.at(
                declaration.ident,
                "a recipe is a struct: for an enum write `#[wire(union, tag = \"…\")]` or `#[wire(enumeration)]`",
            );
            None
        }
        Some(Kind::Abi) => {
            report.at(
                declaration.ident,
                "an abi struct is a struct: of an enum write `#[wire(enumeration)]`, and hold it as `Open<E>`",
            );
            None
        }
        Some(Kind::Union) => {
            report.at(
                declaration.ident,
                "a union is an enum, one contract a variant: for a struct write `#[wire(recipe)]`",
            );
            None
        }
        Some(_) => {
            report.at(
                declaration.ident,
                "enumerations and flags are enums: for a struct write `#[wire(descriptor)]`",
            );
            None
        }
        None => {
            if report.is_empty() {
                report.at(
                    declaration.ident,
                    if is_enum {
                        "say what kind of contract this is: `#[wire(enumeration)]`, `#[wire(flags)]` or \
                         `#[wire(union, tag = \"…\")]`"
                    } else {
                        "say what kind of contract this is: `#[wire(descriptor)]` (bytes), `#[wire(recipe)]` (JSON), \
                         `#[wire(abi)]` (memory) or `#[wire(handle, …)]` (an object)"
                    },
                );
            }
            None
        }
    }
}

/// Keys that say nothing for this kind are refused rather than passed over.
fn foreign_keys(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) {
    foreign(&declaration.container.said, kind.container_keys(), kind.article(), report);
    let members = kind.member_keys();
    for field in &declaration.fields {
        foreign(&field.said, members, &format!("a field of {}", kind.article()), report);
    }
    let what = match kind {
        Kind::Flags => "a flag",
        Kind::Union => "a variant of a union",
        Kind::Message => "one of several messages",
        _ => "a value of an enumeration",
    };
    for value in &declaration.values {
        foreign(&value.said, members, what, report);
    }
}

fn foreign(said: &[Ident], known: &str, what: &str, report: &mut Report) {
    for (index, key) in said.iter().enumerate() {
        let name = key.unraw().to_string();
        let is_first = !said[..index].contains(key);
        if is_first && known.split(", ").all(|known| known.trim() != name) {
            report.at(key, format_args!("`{key}` says nothing of {what}: remove it"));
        }
    }
}

/// What something was called is another name than that which it has: its wire id would say the same without.
pub(crate) fn renamed(was: Option<&OldName>, name: &str, report: &mut Report) {
    if let Some(was) = was.filter(|was| was.name == name) {
        report.span(
            was.span,
            format_args!("`{name}` is its name still: `was` says the name before a renaming, so remove it"),
        );
    }
}

/// The names that fields had first, which the wire id covers, are distinct.
fn old_names<'a>(
    fields: impl Iterator<Item = (&'a Ident, &'a String, Option<&'a String>)>,
    report: &mut Report,
) {
    let mut taken: Vec<(&String, &String)> = Vec::new();
    for (ident, name, was) in fields {
        let first = was.unwrap_or(name);
        match taken.iter().find(|(other, _)| *other == first) {
            Some((_, other)) => report.at(
                ident,
                format_args!(
                    "`{other}` and `{name}` were both called `{first}`: a name on the wire belongs to one field, so \
                     remove a `was`"
                ),
            ),
            None => taken.push((first, name)),
        }
    }
}

/// A name as Rust has it.
pub(crate) fn name(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// A name that C takes.
pub(crate) fn c_name(name: &syn::LitStr, report: &mut Report) -> Option<String> {
    let text = name.value();
    let legal = !text.is_empty()
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !text.starts_with(|letter: char| letter.is_ascii_digit());
    if legal {
        return Some(text);
    }
    report.at(name, "expected a C name: letters, digits and `_`, not beginning with a digit");
    None
}
