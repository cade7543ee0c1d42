//! Every rule a declaration can break, one function a rule; what passes is a contract of [`legal`].

mod abi;
mod bounds;
mod default;
mod descriptor;
mod document;
mod growth;
mod handle;
mod legal;
mod message;
mod recipe;
mod union;
mod values;

use syn::ext::IdentExt;
use syn::{Data, Fields, Ident};

pub(crate) use abi::{Abi, AbiField, passed};
pub(crate) use default::float;

pub(crate) use descriptor::scope as descriptor_scope;
pub(crate) use handle::{Handle, prefix, stem};
pub(crate) use legal::{
    About, Body, Bounds, Content, Contract, DataKey, Datum, Descriptor, Field, FieldDefault, Key, Limits,
    Literal, Number, Openness, Presence, Recipe, Role, Tagging, Union, Value, Values, Variant, WhenAbsent,
};
pub(crate) use message::{
    FdForm, FdGroup, Member, Message, MessageVariant, Messages, Part, Selector, Tail, TailLength,
    VariantHolds,
};

use crate::parse::{Declaration, Kind, OldName, Place};
use crate::report::Report;

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
            Body::Messages(message::messages(declaration, report)?)
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
                        "say what kind of contract this is: `#[wire(enumeration)]` (one of several values), \
                         `#[wire(flags)]` (any of several bits), `#[wire(union, tag = \"…\")]` (one of several recipes), \
                         `#[wire(message, tag = part.field)]` or `#[wire(message, body = Union)]` (one of several \
                         messages), or `#[wire(handle, …)]` (an object)"
                    } else {
                        "say what kind of contract this is: `#[wire(descriptor)]` (bytes), `#[wire(recipe)]` (JSON), \
                         `#[wire(message)]` (what a socket carries at once), `#[wire(abi)]` (memory) or \
                         `#[wire(handle, …)]` (an object)"
                    },
                );
            }
            None
        }
    }
}

/// Keys that say nothing for this kind are refused rather than passed over.
fn foreign_keys(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) {
    foreign(&declaration.container.said, (kind, Place::Contract), kind.article(), report);
    for field in &declaration.fields {
        foreign(&field.said, (kind, Place::Member), &format!("a field of {}", kind.article()), report);
    }
    let what = match kind {
        Kind::Flags => "a flag",
        Kind::Union => "a variant of a union",
        Kind::Message => "one of several messages",
        _ => "a value of an enumeration",
    };
    for value in &declaration.values {
        foreign(&value.said, (kind, Place::Member), what, report);
    }
}

fn foreign(said: &[Ident], (kind, place): (Kind, Place), what: &str, report: &mut Report) {
    for (index, key) in said.iter().enumerate() {
        let name = key.unraw().to_string();
        let is_first = !said[..index].contains(key);
        if !is_first || kind.has(&name, place) {
            continue;
        }
        match kind.elsewhere(&name, place) {
            Some(there) => {
                report.at(key, format_args!("`{key}` says nothing of {what}: it stands {there}"));
            }
            None => report.at(key, format_args!("`{key}` says nothing of {what}: remove it")),
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
