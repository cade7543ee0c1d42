//! Tokens to a declaration, with spans kept. Nothing is judged here but the form of attributes.

use proc_macro2::Span;
use syn::{Attribute, Data, DeriveInput, Expr, Fields, Ident, LitByteStr, LitStr, Path, Type, Visibility};

use crate::attr::{self, Form, Item, set_once};
use crate::case;
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
}

/// Keys of a container.
#[derive(Default)]
pub(crate) struct Container {
    pub(crate) version: Option<(u32, Span)>,
    pub(crate) size: Option<(u64, Span)>,
    pub(crate) packed: Option<(bool, Span)>,
    pub(crate) endian: Option<(Endian, Span)>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    pub(crate) rename_all: Option<(String, Span)>,
    pub(crate) open: Option<(bool, Span)>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
    pub(crate) was: Option<String>,
}

/// Byte order as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Endian {
    Little,
    Big,
    Native,
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) ty: &'a Type,
    pub(crate) docs: String,
    pub(crate) magic: Option<LitByteStr>,
    pub(crate) version: Option<(u64, Span)>,
    pub(crate) reserved: Option<(Reserved, Span)>,
    pub(crate) length_of: Option<Vec<Ident>>,
    pub(crate) text: Option<Span>,
    pub(crate) endian: Option<(Endian, Span)>,
    pub(crate) offset: Option<(u64, Span)>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) was: Option<String>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
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
    pub(crate) has_fields: bool,
    pub(crate) discriminant: Option<&'a Expr>,
    pub(crate) docs: String,
    pub(crate) name: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) data: Vec<Datum>,
    pub(crate) c_name: Option<LitStr>,
    pub(crate) since: Option<(u32, Span)>,
    pub(crate) deprecated: Option<String>,
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
    for item in attr::items(&input.attrs, report) {
        container_key(&mut declaration, &item, report);
    }
    if let Some(path) = declaration.container.krate.take() {
        declaration.krate = path;
    }
    match &input.data {
        Data::Struct(data) => {
            if let Fields::Named(named) = &data.fields {
                declaration.fields = named.named.iter().filter_map(|input| field(input, report)).collect();
            }
        }
        Data::Enum(data) => {
            declaration.values = data.variants.iter().map(|variant| value(variant, report)).collect();
        }
        Data::Union(_) => {}
    }
    declaration
}

fn container_key(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "descriptor" | "enumeration" | "flags" => {
            let kind = match item.name().as_str() {
                "descriptor" => Kind::Descriptor,
                "enumeration" => Kind::Enumeration,
                _ => Kind::Flags,
            };
            if declaration.kind.is_some() {
                report.at(&item.key, "a contract is of one kind");
            } else if item.word(report) {
                declaration.kind = Some(kind);
            }
        }
        "recipe" | "union" | "abi" => report.at(
            &item.key,
            format_args!(
                "this version has no contracts of kind `{}`: it has `descriptor`, `enumeration` and `flags`",
                item.key
            ),
        ),
        "crate" => {
            let path = match &item.form {
                Form::Value(tokens) => syn::parse::Parser::parse2(Path::parse_mod_style, tokens.clone()).ok(),
                _ => None,
            };
            if path.is_none() {
                report.at(&item.key, "expected `crate = path::of::wirecontract`");
            }
            set_once(&mut keys.krate, path, item, report);
        }
        "version" => {
            let version = item.version(report);
            set_once(&mut keys.version, version, item, report);
        }
        "size" => {
            if matches!(item.form, Form::List(_)) {
                report.at(&item.key, "a contract of this version has one size: write `size = N`");
            } else {
                let size = item.integer(u32::MAX.into(), report);
                set_once(&mut keys.size, size, item, report);
            }
        }
        "layout" => {
            let packed = word(item, &["natural", "packed"], report);
            let packed = packed.map(|word| (word == "packed", item.span()));
            set_once(&mut keys.packed, packed, item, report);
        }
        "endian" => {
            let endian = endian(item, report).map(|endian| (endian, item.span()));
            set_once(&mut keys.endian, endian, item, report);
        }
        "c_name" => {
            let name = item.text(report);
            set_once(&mut keys.c_name, name, item, report);
        }
        "rename_all" => {
            let style = item.text(report).and_then(|style| {
                if case::STYLES.contains(&style.value().as_str()) {
                    Some((style.value(), item.span()))
                } else {
                    report.at(&style, format_args!("expected one of {}", case::STYLES.join(", ")));
                    None
                }
            });
            set_once(&mut keys.rename_all, style, item, report);
        }
        "open" | "closed" => {
            if item.word(report) {
                let open = (item.name() == "open", item.span());
                if let Some((other, _)) = keys.open.filter(|(other, _)| *other != open.0) {
                    let other = if other { "open" } else { "closed" };
                    report.at(
                        &item.key,
                        format_args!("flags are not both `{other}` and `{}`: remove one", item.key),
                    );
                } else {
                    set_once(&mut keys.open, Some(open), item, report);
                }
            }
        }
        "since" => {
            let since = item.version(report);
            set_once(&mut keys.since, since, item, report);
        }
        "deprecated" => {
            let why = item.text(report).map(|why| why.value());
            set_once(&mut keys.deprecated, why, item, report);
        }
        "was" => {
            let was = old_name(item, report);
            set_once(&mut keys.was, was, item, report);
        }
        _ => unknown(
            item,
            "descriptor, enumeration, flags, version, size, layout, endian, c_name, crate, rename_all, open, closed, \
             since, deprecated, was",
            report,
        ),
    }
}

fn field<'a>(input: &'a syn::Field, report: &mut Report) -> Option<Field<'a>> {
    let mut field = Field {
        ident: input.ident.as_ref()?,
        vis: &input.vis,
        ty: &input.ty,
        docs: attr::docs(&input.attrs),
        magic: None,
        version: None,
        reserved: None,
        length_of: None,
        text: None,
        endian: None,
        offset: None,
        c_name: None,
        was: None,
        since: None,
        deprecated: None,
    };
    for item in attr::items(&input.attrs, report) {
        field_key(&mut field, &item, report);
    }
    Some(field)
}

fn field_key(field: &mut Field<'_>, item: &Item, report: &mut Report) {
    match item.name().as_str() {
        "magic" => {
            let magic = item.value("b\"…\"", report);
            set_once(&mut field.magic, magic, item, report);
        }
        "version" => {
            let version = item.integer(u64::MAX, report);
            set_once(&mut field.version, version, item, report);
        }
        "reserved" => {
            let reserved = match &item.form {
                Form::Word => Some(Reserved::Ignored),
                Form::List(tokens) if tokens.to_string() == "zero" => Some(Reserved::Zero),
                _ => {
                    report.at(
                        &item.key,
                        "expected `reserved` (ignored on read) or `reserved(zero)` (refused unless zero)",
                    );
                    None
                }
            };
            set_once(&mut field.reserved, reserved.map(|reserved| (reserved, item.span())), item, report);
        }
        "length_of" => {
            if field.length_of.is_none() {
                field.length_of = Some(item.names(report));
            } else {
                report.at(&item.key, "`length_of` stands twice: name all fields in one, `length_of(f, g)`");
            }
        }
        "text" => {
            if item.word(report) {
                set_once(&mut field.text, Some(item.span()), item, report);
            }
        }
        "endian" => {
            let endian = endian(item, report).map(|endian| (endian, item.span()));
            set_once(&mut field.endian, endian, item, report);
        }
        "offset" => {
            let offset = item.integer(u32::MAX.into(), report);
            set_once(&mut field.offset, offset, item, report);
        }
        "c_name" => {
            let name = item.text(report);
            set_once(&mut field.c_name, name, item, report);
        }
        "was" => {
            let was = old_name(item, report);
            set_once(&mut field.was, was, item, report);
        }
        "since" => {
            let since = item.version(report);
            set_once(&mut field.since, since, item, report);
        }
        "deprecated" => {
            let why = item.text(report).map(|why| why.value());
            set_once(&mut field.deprecated, why, item, report);
        }
        _ => unknown(
            item,
            "magic, version, reserved, length_of, text, endian, offset, c_name, was, since, deprecated",
            report,
        ),
    }
}

fn value<'a>(variant: &'a syn::Variant, report: &mut Report) -> Value<'a> {
    let mut value = Value {
        ident: &variant.ident,
        has_fields: !matches!(variant.fields, Fields::Unit),
        discriminant: variant.discriminant.as_ref().map(|(_, expression)| expression),
        docs: attr::docs(&variant.attrs),
        name: None,
        aliases: Vec::new(),
        data: Vec::new(),
        c_name: None,
        since: None,
        deprecated: None,
    };
    for item in attr::items(&variant.attrs, report) {
        value_key(&mut value, &item, report);
    }
    value
}

fn value_key(value: &mut Value<'_>, item: &Item, report: &mut Report) {
    match item.name().as_str() {
        "name" => {
            let name = item.text(report);
            set_once(&mut value.name, name, item, report);
        }
        "alias" => {
            let aliases = match &item.form {
                Form::List(tokens) | Form::Value(tokens) => list::<LitStr>(tokens),
                Form::Word => Vec::new(),
            };
            if aliases.is_empty() {
                report.at(&item.key, "expected `alias(\"…\")`, with one name or several");
            }
            value.aliases.extend(aliases);
        }
        "data" => match &item.form {
            Form::List(tokens) => {
                let parser =
                    syn::punctuated::Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
                match syn::parse::Parser::parse2(parser, tokens.clone()) {
                    Ok(pairs) => {
                        for pair in pairs {
                            match pair.path.get_ident() {
                                Some(key) => value.data.push(Datum { key: key.clone(), value: pair.value }),
                                None => report.at(&pair.path, "expected a key: one word"),
                            }
                        }
                    }
                    Err(_) => report.at(tokens, "expected `data(key = literal, …)`"),
                }
            }
            _ => report.at(&item.key, "expected `data(key = literal, …)`"),
        },
        "c_name" => {
            let name = item.text(report);
            set_once(&mut value.c_name, name, item, report);
        }
        "since" => {
            let since = item.version(report);
            set_once(&mut value.since, since, item, report);
        }
        "deprecated" => {
            let why = item.text(report).map(|why| why.value());
            set_once(&mut value.deprecated, why, item, report);
        }
        _ => unknown(item, "name, alias, data, c_name, since, deprecated", report),
    }
}

fn list<T: syn::parse::Parse>(tokens: &proc_macro2::TokenStream) -> Vec<T> {
    let parser = syn::punctuated::Punctuated::<T, syn::Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, tokens.clone())
        .map(|list| list.into_iter().collect())
        .unwrap_or_default()
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
fn old_name(item: &Item, report: &mut Report) -> Option<String> {
    match &item.form {
        Form::Value(tokens) => match syn::parse2::<LitStr>(tokens.clone()) {
            Ok(text) => Some(text.value()),
            Err(_) => item.value::<Ident>("\"old name\"", report).map(|name| name.to_string()),
        },
        _ => {
            report.at(&item.key, "expected `was = \"old name\"`");
            None
        }
    }
}

fn unknown(item: &Item, known: &str, report: &mut Report) {
    report.at(&item.key, format_args!("unknown key `{}`: here stand {known}", item.key));
}
