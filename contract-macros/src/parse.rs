//! Tokens to a declaration, with spans kept. Nothing is judged here but the form of attributes.

mod container;
mod field;
mod places;
mod variant;

pub(crate) use container::ONE_SIZE;
pub(crate) use field::MOST_FDS;
pub(crate) use places::{Place, none_of};

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Ident, LitByteStr, LitStr, Path, Type, Visibility};

use crate::attr::{self, Form, Item};
use crate::report::Report;

/// A declaration as it stands.
pub(crate) struct Declaration<'a> {
    pub(crate) input: &'a DeriveInput,
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) docs: String,
    pub(crate) kind: Option<Kind>,
    pub(crate) krate: Path,
    pub(crate) repr: Vec<Ident>,
    pub(crate) container: Container,
    pub(crate) fields: Vec<Field<'a>>,
    pub(crate) values: Vec<Value<'a>>,
}

/// The kinds this derive knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Descriptor,
    Enumeration,
    Flags,
    Recipe,
    Union,
    Abi,
    Handle,
    Message,
}

impl Kind {
    /// The kind in a sentence.
    pub(crate) fn article(self) -> &'static str {
        match self {
            Kind::Descriptor => "a descriptor",
            Kind::Enumeration => "an enumeration",
            Kind::Flags => "flags",
            Kind::Recipe => "a recipe",
            Kind::Union => "a union",
            Kind::Abi => "an abi struct",
            Kind::Handle => "a handle",
            Kind::Message => "a message",
        }
    }

    /// The keys that its container has.
    pub(crate) fn container_keys(self) -> &'static str {
        match self {
            Kind::Descriptor => {
                "version, earlier, size, layout, endian, rule, at, c_name, crate, since, deprecated, was"
            }
            Kind::Enumeration => {
                "version, earlier, rename_all, as, case, c_name, crate, since, deprecated, was"
            }
            Kind::Flags => {
                "version, earlier, rename_all, open, closed, as, c_name, crate, since, deprecated, was"
            }
            Kind::Recipe => {
                "version, earlier, rename_all, deny_unknown, max_bytes, max_depth, rule, at, c_name, crate, since, deprecated, \
                 was"
            }
            Kind::Union => {
                "version, earlier, rename_all, tag, content, untagged, tag_default, tag_last, lenient, max_bytes, max_depth, \
                 rule, at, c_name, crate, since, deprecated, was"
            }
            Kind::Abi => "version, earlier, size, c_name, crate, since, deprecated, was",
            Kind::Handle => "version, exclusive, shared, prefix, c_name, crate, since, deprecated",
            Kind::Message => {
                "version, earlier, max_bytes, tag, body, rule, at, c_name, crate, since, deprecated, was"
            }
        }
    }

    /// The keys that its fields, values or variants have.
    pub(crate) fn member_keys(self) -> &'static str {
        match self {
            Kind::Descriptor => {
                "magic, version, reserved, length_of, text, endian, offset, one_of, default, c_name, was, since, deprecated"
            }
            Kind::Enumeration => "name, alias, data, c_name, since, deprecated",
            Kind::Flags => "name, alias, c_name, since, deprecated",
            Kind::Recipe => {
                "name, default, skip_default, nullable, null_when_absent, required_if, one_of, min, max, max_len, \
                 max_items, decimal_string, hex, base64, uuid, flatten, lenient, not_imported, c_name, was, since, \
                 deprecated"
            }
            Kind::Union => "name, alias, default, no_tag, open, c_name, since, deprecated",
            Kind::Abi => "counted_by, c_type, c_name, was, since, deprecated",
            Kind::Handle => "nothing",
            Kind::Message => "tail, fds, count, fd, present_if, open, c_name, was, since, deprecated",
        }
    }
}

/// Keys of a container.
#[derive(Default)]
pub(crate) struct Container {
    /// Every key that stands here and is known.
    pub(crate) said: Vec<Ident>,
    pub(crate) version: Option<(u32, Span)>,
    /// Versions before this one that are read and written as well, and the key.
    pub(crate) earlier: Option<(Vec<Earlier>, Ident)>,
    pub(crate) size: Option<(u64, Span)>,
    /// Sizes by data model, and the key.
    pub(crate) sizes: Option<(Vec<DeclaredSize>, Ident)>,
    /// Sizes by version, from the first on, and the key.
    pub(crate) versions: Option<(Vec<(u64, Span)>, Ident)>,
    pub(crate) packed: Option<(bool, Span)>,
    pub(crate) endian: Option<(Endian, Span)>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    pub(crate) rename_all: Option<(String, Span)>,
    pub(crate) open: Option<(bool, Span)>,
    pub(crate) spelled: Option<(Spelled, Span)>,
    pub(crate) fold: Option<bool>,
    pub(crate) deny_unknown: Option<Span>,
    pub(crate) max_bytes: Option<(u64, Span)>,
    pub(crate) max_depth: Option<(u64, Span)>,
    pub(crate) rules: Vec<RuleTokens>,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) untagged: Option<Span>,
    pub(crate) tag_default: Option<Ident>,
    pub(crate) tag_last: Option<Span>,
    pub(crate) lenient: Option<Span>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
    pub(crate) was: Option<OldName>,
    pub(crate) access: Option<(Access, Span)>,
    pub(crate) prefix: Option<LitStr>,
    /// The field that says which message it is, from the first part in, of several messages.
    pub(crate) tag_field: Option<Vec<Ident>>,
    /// The union whose variants say it.
    pub(crate) body: Option<Path>,
}

/// `vK = ID`: a version before this one, and the wire id that it had.
pub(crate) struct Earlier {
    pub(crate) version: u32,
    pub(crate) wire_id: u64,
    pub(crate) span: Span,
}

/// Who may use an object behind a handle at one time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Exclusive,
    Shared,
}

/// A name that something was first accepted under, and where it stands.
pub(crate) struct OldName {
    pub(crate) name: String,
    pub(crate) span: Span,
}

/// The data models: how a declaration calls each, and the crate.
pub(crate) const DATA_MODELS: [(&str, &str); 4] = [
    ("lp64", "Lp64"),
    ("llp64", "Llp64"),
    ("ilp32_u64_4", "Ilp32U64Align4"),
    ("ilp32_u64_8", "Ilp32U64Align8"),
];

/// The size that is declared for one data model.
#[derive(Clone)]
pub(crate) struct DeclaredSize {
    /// Which one, of [`DATA_MODELS`].
    pub(crate) model: usize,
    pub(crate) size: u64,
    pub(crate) span: Span,
}

/// Byte order as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Endian {
    Little,
    Big,
    Native,
}

/// How JSON spells enumerations and flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelled {
    Names,
    Integer,
}

/// When a rule is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Moment {
    Read,
    Import,
}

/// A rule as it stands.
pub(crate) struct RuleTokens {
    /// The word that begins it, `rule` or another.
    pub(crate) key: Ident,
    /// What stands between the parentheses, without `at`: an expression, with a name before it or not.
    pub(crate) tokens: TokenStream,
    /// When it is checked, where that is said.
    pub(crate) at: Option<Moment>,
}

impl RuleTokens {
    /// When it is checked.
    pub(crate) fn moment(&self) -> Moment {
        self.at.unwrap_or(Moment::Read)
    }
}

/// A condition on one field: `required_if`, or `one_of` as the expression it stands for.
pub(crate) struct Condition {
    pub(crate) key: Ident,
    pub(crate) rule: RuleTokens,
}

/// How a value is spelled in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    DecimalString,
    Hex,
    Base64,
    Uuid,
}

impl Spelling {
    /// The word in a declaration.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Spelling::DecimalString => "decimal_string",
            Spelling::Hex => "hex",
            Spelling::Base64 => "base64",
            Spelling::Uuid => "uuid",
        }
    }
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) ty: &'a Type,
    pub(crate) docs: String,
    /// Every key that stands here and is known.
    pub(crate) said: Vec<Ident>,
    pub(crate) magic: Option<LitByteStr>,
    pub(crate) version: Option<(u64, Span)>,
    pub(crate) reserved: Option<(Reserved, Span)>,
    pub(crate) length_of: Option<Vec<Ident>>,
    pub(crate) text: Option<Span>,
    pub(crate) endian: Option<(Endian, Span)>,
    pub(crate) offset: Option<(u64, Span)>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) was: Option<OldName>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
    pub(crate) name: Option<LitStr>,
    pub(crate) default: Option<Expr>,
    /// Where `default` stands without a value.
    pub(crate) default_zero: Option<Ident>,
    pub(crate) required_if: Option<Condition>,
    pub(crate) one_of: Option<Condition>,
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) max_len: Option<(u64, Span)>,
    pub(crate) max_items: Option<(u64, Span)>,
    pub(crate) spelling: Option<(Spelling, Span)>,
    pub(crate) counted_by: Option<Ident>,
    pub(crate) c_type: Option<LitStr>,
    pub(crate) tail: Option<Tail>,
    /// The fewest and the most file descriptors of a group.
    pub(crate) fds: Option<(u32, u32, Span)>,
    pub(crate) present_if: Option<Condition>,
    pub(crate) count: Option<RuleTokens>,
}

/// How long the tail of a message is.
pub(crate) enum Tail {
    /// To the end.
    Rest,
    /// So many elements.
    Count(RuleTokens),
    /// So many bytes.
    Bytes(RuleTokens),
}

impl Field<'_> {
    /// Where a key stands, if it does.
    pub(crate) fn said(&self, key: &str) -> Option<&Ident> {
        self.said.iter().find(|said| *said == key)
    }
}

/// What is done with reserved bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reserved {
    Ignored,
    Zero,
}

/// A variant of an enum.
pub(crate) struct Value<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) fields: &'a Fields,
    pub(crate) has_fields: bool,
    pub(crate) discriminant: Option<&'a Expr>,
    pub(crate) docs: String,
    /// Every key that stands here and is known.
    pub(crate) said: Vec<Ident>,
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) data: Vec<Datum>,
    pub(crate) default: Option<Expr>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) was: Option<OldName>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
}

impl Value<'_> {
    /// Where a key stands, if it does.
    pub(crate) fn said(&self, key: &str) -> Option<&Ident> {
        self.said.iter().find(|said| *said == key)
    }
}

/// One `key = literal` of a value's data.
pub(crate) struct Datum {
    pub(crate) key: Ident,
    pub(crate) value: Expr,
}

/// Reads a declaration.
pub(crate) fn declaration<'a>(input: &'a DeriveInput, report: &mut Report) -> Declaration<'a> {
    let mut declaration = Declaration {
        input,
        ident: &input.ident,
        vis: &input.vis,
        docs: attr::docs(&input.attrs),
        kind: None,
        krate: syn::parse_quote!(::wirecontract),
        repr: repr(&input.attrs, report),
        container: Container::default(),
        fields: Vec::new(),
        values: Vec::new(),
    };
    let items = attr::items(&input.attrs, report);
    // What a key means, the kind says, wherever it stands.
    for is_kind in [true, false] {
        for item in items.iter().filter(|item| Kind::of(&item.name()).is_some() == is_kind) {
            container::key(&mut declaration, item, report);
        }
    }
    if let Some(path) = declaration.container.krate.take() {
        declaration.krate = path;
    }
    let kind = declaration.kind;
    if kind == Some(Kind::Handle) {
        inside(input, report);
        return declaration;
    }
    match &input.data {
        Data::Struct(data) => {
            if let Fields::Named(named) = &data.fields {
                declaration.fields =
                    named.named.iter().filter_map(|input| field::field(input, kind, report)).collect();
            }
        }
        Data::Enum(data) => {
            declaration.values =
                data.variants.iter().map(|variant| variant::value(variant, kind, report)).collect();
        }
        Data::Union(_) => {}
    }
    declaration
}

/// What is in an object is for Rust alone.
fn inside(input: &DeriveInput, report: &mut Report) {
    let fields: Vec<&syn::Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(data) => data.fields.named.iter().collect(),
    };
    for attribute in fields.into_iter().flat_map(|field| &field.attrs) {
        if attribute.path().is_ident("wire") {
            report.at(attribute, "nobody but Rust sees what is behind a handle: remove it");
        }
    }
}

/// `at = read | import`.
fn moment(item: &Item, report: &mut Report) -> Option<Moment> {
    word(item, &["read", "import"], report).map(|word| match word {
        "import" => Moment::Import,
        _ => Moment::Read,
    })
}

/// The words in `#[repr(…)]`; those that take an argument keep their name only.
fn repr(attributes: &[Attribute], report: &mut Report) -> Vec<Ident> {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if let Some(word) = meta.path.get_ident() {
                words.push(word.clone());
            }
            if meta.input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in meta.input);
                content.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        });
        if let Err(error) = parsed {
            report.push(error);
        }
    }
    words
}

fn word<'a>(item: &Item, words: &[&'a str], report: &mut Report) -> Option<&'a str> {
    let what = words.join(" | ");
    let word: Ident = item.value(&what, report)?;
    let known = words.iter().copied().find(|known| word == known);
    if known.is_none() {
        report.at(&word, format_args!("expected `{} = {what}`", item.key));
    }
    known
}

fn endian(item: &Item, report: &mut Report) -> Option<Endian> {
    word(item, &["little", "big", "native"], report).map(|word| match word {
        "little" => Endian::Little,
        "big" => Endian::Big,
        _ => Endian::Native,
    })
}

/// `was = "OldName"` or `was = old_name`.
pub(crate) fn old_name(item: &Item, report: &mut Report) -> Option<OldName> {
    match &item.form {
        Form::Value(tokens) => match syn::parse2::<LitStr>(tokens.clone()) {
            Ok(text) => Some(OldName { name: text.value(), span: text.span() }),
            Err(_) => {
                let name: Ident = item.value("\"old name\"", report)?;
                Some(OldName { name: name.unraw().to_string(), span: name.span() })
            }
        },
        _ => {
            report.at(&item.key, "expected `was = \"old name\"`");
            None
        }
    }
}
