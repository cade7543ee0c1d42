//! Keys of a container.

use proc_macro2::Span;
use syn::Ident;

use super::places::{Place, unknown};
use super::{
    Access, DATA_MODELS, Declaration, DeclaredSize, Earlier, Kind, Moment, RuleTokens, Spelled, endian,
    moment, old_name, word,
};
use crate::attr::{self, Form, Item, set_once};
use crate::case;
use crate::report::Report;

/// What is said of sizes by data model where nothing depends on the machine.
pub(crate) const ONE_SIZE: &str = "a descriptor has the same size on every machine: write `size = N`, or `size(v1 = N, …)` of one that grows";

/// One key of a container.
pub(super) fn key(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) {
    if let Some(it) = Kind::of(&item.name()) {
        kind(declaration, it, item, report);
        return;
    }
    declaration.container.said.push(item.key.clone());
    if !(common(declaration, item, report)
        || of_descriptors(declaration, item, report)
        || of_values(declaration, item, report)
        || of_documents(declaration, item, report)
        || of_messages(declaration, item, report)
        || of_unions(declaration, item, report)
        || of_handles(declaration, item, report))
    {
        declaration.container.said.pop();
        unknown(item, Place::Contract, declaration.kind, report);
    }
}

fn kind(declaration: &mut Declaration<'_>, kind: Kind, item: &Item, report: &mut Report) {
    if declaration.kind.is_some() {
        report.at(&item.key, "a contract is of one kind");
    } else if item.word(report) {
        declaration.kind = Some(kind);
    }
}

/// Keys that every kind has.
fn common(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "crate" => {
            let path = item.path(report);
            set_once(&mut keys.krate, path, item, report);
        }
        "version" => {
            let version = item.version(report);
            set_once(&mut keys.version, version, item, report);
        }
        "earlier" => {
            let earlier = earlier(item, report).map(|earlier| (earlier, item.key.clone()));
            set_once(&mut keys.earlier, earlier, item, report);
        }
        "c_name" => {
            let name = item.text(report);
            set_once(&mut keys.c_name, name, item, report);
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
        _ => return false,
    }
    true
}

/// `earlier(v1 = 0x0123456789abcdef, …)`, the oldest first.
fn earlier(item: &Item, report: &mut Report) -> Option<Vec<Earlier>> {
    let tokens = match &item.form {
        Form::List(tokens) if !tokens.is_empty() => tokens,
        _ => {
            report.at(
                &item.key,
                "expected `earlier(v1 = 0x0123456789abcdef, …)`: versions before this one, and their wire ids, which \
                 contracts.lock has",
            );
            return None;
        }
    };
    let mut all: Vec<Earlier> = Vec::new();
    for inner in attr::inner(tokens, report) {
        let name = inner.name();
        let version = name.strip_prefix('v').filter(|digits| !digits.starts_with(['0', '+']));
        let Some(version) = version.and_then(|digits| digits.parse::<u32>().ok()) else {
            report.at(&inner.key, format_args!("`{name}` is no version: write `v1 = …`, `v2 = …`"));
            continue;
        };
        let Some((wire_id, _)) = inner.integer(u64::MAX, report) else { continue };
        let found = Earlier { version, wire_id, span: inner.span() };
        match all.iter().find(|other| other.version == version || other.wire_id == wire_id) {
            Some(other) if other.version == version => {
                report.at(&inner.key, format_args!("`{name}` stands twice"));
            }
            Some(other) => report.at(
                &inner.key,
                format_args!(
                    "`v{}` has this wire id already, and two versions of one id are one: remove one of them",
                    other.version
                ),
            ),
            None => all.push(found),
        }
    }
    all.sort_by_key(|earlier| earlier.version);
    Some(all)
}

/// Keys of descriptors, and of abi structs what is like them.
fn of_descriptors(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "size" => {
            if let Form::List(tokens) = &item.form {
                let inner = attr::inner(tokens, report);
                if inner.first().is_some_and(|first| version_of(first).is_some()) {
                    let versions = versions(&inner, report);
                    set_once(&mut keys.versions, Some((versions, item.key.clone())), item, report);
                } else {
                    let sizes = sizes(&inner, item, report);
                    set_once(&mut keys.sizes, Some((sizes, item.key.clone())), item, report);
                }
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
        _ => return false,
    }
    true
}

/// The version that a key of `size(…)` names.
fn version_of(item: &Item) -> Option<u64> {
    item.name().strip_prefix('v')?.parse().ok()
}

/// `size(v1 = N, v2 = N, …)`: every version, in order.
fn versions(inner: &[Item], report: &mut Report) -> Vec<(u64, Span)> {
    let mut sizes = Vec::new();
    for (item, version) in inner.iter().zip(1_u64..) {
        if item.name() != format!("v{version}") {
            report.at(
                &item.key,
                format_args!("expected `v{version} = N`: versions stand in order, each once, from v1 on"),
            );
            break;
        }
        sizes.extend(item.integer(u32::MAX.into(), report));
    }
    sizes
}

/// `size(lp64 = N, …)`.
fn sizes(inner: &[Item], item: &Item, report: &mut Report) -> Vec<DeclaredSize> {
    let mut sizes: Vec<DeclaredSize> = Vec::new();
    for inner in inner {
        let name = inner.name();
        match DATA_MODELS.iter().position(|(model, _)| *model == name) {
            None => report.at(
                &inner.key,
                format_args!(
                    "`{name}` is no data model: these are lp64, llp64, ilp32_u64_4 (as i386) and ilp32_u64_8 (as 32-bit \
                     Arm)"
                ),
            ),
            Some(model) if sizes.iter().any(|other| other.model == model) => {
                report.at(&inner.key, format_args!("`{name}` stands twice"));
            }
            Some(model) => {
                let size = inner.integer(u32::MAX.into(), report);
                sizes.extend(size.map(|(size, span)| DeclaredSize { model, size, span }));
            }
        }
    }
    if inner.is_empty() {
        report.at(
            &item.key,
            "expected the bytes of each version, `size(v1 = N, …)`, or of an abi struct those in each data model, \
             `size(lp64 = N, …)`",
        );
    }
    sizes
}

/// Keys of enumerations and flags.
fn of_values(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
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
        "as" => {
            let spelled = word(item, &["names", "integer"], report);
            let spelled = spelled.map(|word| match word {
                "names" => (Spelled::Names, item.span()),
                _ => (Spelled::Integer, item.span()),
            });
            set_once(&mut keys.spelled, spelled, item, report);
        }
        "case" => {
            let fold = word(item, &["exact", "fold"], report).map(|word| word == "fold");
            set_once(&mut keys.fold, fold, item, report);
        }
        _ => return false,
    }
    true
}

/// Keys of what stands in a document, and rules.
fn of_documents(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "deny_unknown" => {
            if item.word(report) {
                set_once(&mut keys.deny_unknown, Some(item.span()), item, report);
            }
        }
        "max_bytes" => {
            let most = item.integer(u32::MAX.into(), report);
            set_once(&mut keys.max_bytes, most, item, report);
        }
        "max_depth" => {
            let most = item.integer(u32::MAX.into(), report);
            set_once(&mut keys.max_depth, most, item, report);
        }
        "rule" => match &item.form {
            Form::List(tokens) if !tokens.is_empty() => {
                keys.rules.push(RuleTokens { key: item.key.clone(), tokens: tokens.clone(), at: None });
            }
            _ => report.at(&item.key, "expected `rule(EXPRESSION)` or `rule(NAME: EXPRESSION)`"),
        },
        "at" => at(&mut keys.rules, item, report),
        _ => return false,
    }
    true
}

/// `at = import` says when the rule before it is checked.
fn at(rules: &mut [RuleTokens], item: &Item, report: &mut Report) {
    let moment = moment(item, report);
    match rules.last_mut() {
        None => report.at(&item.key, "`at` stands behind the rule of which it says when it is checked"),
        Some(RuleTokens { at: Some(_), .. }) => {
            report.at(&item.key, "the rule before it says already when it is checked");
        }
        Some(rule) => rule.at = Some(moment.unwrap_or(Moment::Read)),
    }
}

/// Keys of messages. A tag is a field here, where it is a text in documents.
fn of_messages(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let is_message = declaration.kind == Some(Kind::Message);
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "tag" if is_message => {
            let tag = item.value("part.field", report).and_then(|way: syn::Expr| {
                let words = field_of(&way);
                if words.is_none() {
                    report.at(
                        &way,
                        "expected `tag = part.field`: the first part of every message, and the field of it that says \
                         which one it is",
                    );
                }
                words
            });
            set_once(&mut keys.tag_field, tag, item, report);
        }
        "body" => {
            let body = item.value("Union", report);
            set_once(&mut keys.body, body, item, report);
        }
        _ => return false,
    }
    true
}

/// The words of `part.field`.
fn field_of(way: &syn::Expr) -> Option<Vec<Ident>> {
    match way {
        syn::Expr::Path(path) => path.path.get_ident().map(|word| vec![word.clone()]),
        syn::Expr::Field(field) => {
            let mut words = field_of(&field.base)?;
            match &field.member {
                syn::Member::Named(name) => words.push(name.clone()),
                syn::Member::Unnamed(_) => return None,
            }
            Some(words)
        }
        _ => None,
    }
}

/// Keys of unions.
fn of_unions(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "tag" => {
            let tag = item.text(report);
            set_once(&mut keys.tag, tag, item, report);
        }
        "content" => {
            let content = item.text(report);
            set_once(&mut keys.content, content, item, report);
        }
        "untagged" => {
            if item.word(report) {
                set_once(&mut keys.untagged, Some(item.span()), item, report);
            }
        }
        "tag_default" => {
            let variant: Option<Ident> = item.value("Variant", report);
            set_once(&mut keys.tag_default, variant, item, report);
        }
        "tag_last" => {
            if item.word(report) {
                set_once(&mut keys.tag_last, Some(item.span()), item, report);
            }
        }
        "lenient" => {
            if item.word(report) {
                set_once(&mut keys.lenient, Some(item.span()), item, report);
            }
        }
        _ => return false,
    }
    true
}

/// Keys of handles.
fn of_handles(declaration: &mut Declaration<'_>, item: &Item, report: &mut Report) -> bool {
    let keys = &mut declaration.container;
    match item.name().as_str() {
        "exclusive" | "shared" => {
            if item.word(report) {
                let is_shared = item.name() == "shared";
                let access = if is_shared { Access::Shared } else { Access::Exclusive };
                if keys.access.is_some_and(|(other, _)| other != access) {
                    report.at(&item.key, "a handle is not both `exclusive` and `shared`: remove one");
                } else {
                    set_once(&mut keys.access, Some((access, item.span())), item, report);
                }
            }
        }
        "prefix" => {
            let prefix = item.text(report);
            set_once(&mut keys.prefix, prefix, item, report);
        }
        _ => return false,
    }
    true
}
