//! Every rule a declaration can break, one function a rule; what passes is a contract in which only legal ones can
//! be written.

mod descriptor;
mod values;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Data, Fields, Ident, Path, Type, Visibility};

use crate::parse::{Declaration, Endian, Kind};
use crate::report::Report;
use crate::ty::Known;

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
    pub(crate) fields: Vec<Field<'a>>,
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
    pub(crate) name: String,
    pub(crate) docs: String,
    pub(crate) was: Option<String>,
    pub(crate) since: Option<u32>,
    pub(crate) deprecated: Option<String>,
    pub(crate) c_name: Option<String>,
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

/// Holds a declaration against every rule. None when something was wrong that leaves no contract; the report has
/// it.
pub(crate) fn contract<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Contract<'a>> {
    generics(declaration, report);
    let kind = kind(declaration, report)?;
    foreign_keys(declaration, kind, report);
    let keys = &declaration.container;
    let c_name = keys.c_name.as_ref().and_then(|name| c_name(name, report));
    let body = match kind {
        Kind::Descriptor => Body::Descriptor(descriptor::check(declaration, report)?),
        Kind::Enumeration => Body::Enumeration(values::enumeration(declaration, report)?),
        Kind::Flags => {
            let open = matches!(keys.open, Some((true, _)));
            let open = if open { Openness::Open } else { Openness::Closed };
            Body::Flags(values::flags(declaration, report)?, open)
        }
    };
    Some(Contract {
        ident: declaration.ident,
        vis: declaration.vis,
        krate: &declaration.krate,
        about: About {
            name: declaration.ident.unraw().to_string(),
            docs: declaration.docs.clone(),
            version: keys.version.map(|(version, _)| version),
            since: keys.since.map(|(since, _)| since),
            deprecated: keys.deprecated.clone(),
            was: keys.was.clone(),
            c_name,
        },
        body,
    })
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
        Some(kind) if (kind == Kind::Descriptor) != is_enum => Some(kind),
        Some(Kind::Descriptor) => {
            report.at(
                declaration.ident,
                "a descriptor is a struct: for an enum write `#[wire(enumeration)]` or `#[wire(flags)]`",
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
                        "say what kind of contract this is: `#[wire(enumeration)]` or `#[wire(flags)]`"
                    } else {
                        "say what kind of contract this is: `#[wire(descriptor)]`"
                    },
                );
            }
            None
        }
    }
}

/// Keys that say nothing for this kind are refused rather than passed over.
fn foreign_keys(declaration: &Declaration<'_>, kind: Kind, report: &mut Report) {
    let keys = &declaration.container;
    let mut refuse = |at: Option<Span>, key: &str| {
        if let Some(span) = at {
            let kind = match kind {
                Kind::Descriptor => "a descriptor",
                Kind::Enumeration => "an enumeration",
                Kind::Flags => "flags",
            };
            report.span(span, format_args!("`{key}` says nothing of {kind}: remove it"));
        }
    };
    if kind == Kind::Descriptor {
        refuse(keys.rename_all.as_ref().map(|(_, span)| *span), "rename_all");
    } else {
        refuse(keys.size.map(|(_, span)| span), "size");
        refuse(keys.packed.map(|(_, span)| span), "layout");
        refuse(keys.endian.map(|(_, span)| span), "endian");
    }
    if kind != Kind::Flags {
        let word = if matches!(keys.open, Some((true, _))) { "open" } else { "closed" };
        refuse(keys.open.map(|(_, span)| span), word);
    }
}

/// A name that C takes.
fn c_name(name: &syn::LitStr, report: &mut Report) -> Option<String> {
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
