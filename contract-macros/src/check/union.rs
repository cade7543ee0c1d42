//! The rules of unions.

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Fields, Ident};

use super::{Bounds, Content, Tagging, Union, Variant, WhenAbsent, c_name, default, document};
use crate::case;
use crate::parse::{Declaration, Value};
use crate::report::Report;
use crate::rule::Scope;
use crate::ty::{Held, optional, show};

/// The most variants of an untagged union.
const MAX_TRIED: usize = 64;

/// The union of a declaration, if it is legal as far as can be seen without types.
pub(super) fn check<'a>(declaration: &'a Declaration<'a>, report: &mut Report) -> Option<Union<'a>> {
    let before = report.len();
    if declaration.values.is_empty() {
        report.at(declaration.ident, "a union without variants has no value: give it at least one");
        return None;
    }
    let limits = document::limits(declaration, report);
    let tagging = tagging(declaration, report);
    // Where nobody said how variants are told apart, nothing more can be said of them.
    let tagging = tagging?;
    untagged(declaration, &tagging, report);
    absent(declaration, &tagging, report);
    lenient(declaration, &tagging, report);
    let variants: Vec<Variant<'_>> =
        declaration.values.iter().filter_map(|value| variant(declaration, value, &tagging, report)).collect();
    open(declaration, &tagging, report);
    distinct(&variants, declaration, report);
    let mut scope = Scope::new(declaration.ident.unraw().to_string(), Vec::new());
    (scope.union, scope.fds) = (true, true);
    let rules = document::rules(declaration, &scope, report);
    let lenient = declaration.container.lenient.is_some();
    (report.len() == before).then_some(Union { tagging, lenient, limits, variants, rules, scope })
}

/// How a document says which variant it is, is said once.
fn tagging(declaration: &Declaration<'_>, report: &mut Report) -> Option<Tagging> {
    let keys = &declaration.container;
    for name in keys.tag.iter().chain(&keys.content) {
        document::not_empty(name, "a key", report);
    }
    let last = keys.tag_last.is_some();
    match (&keys.tag, &keys.content, keys.untagged) {
        (Some(tag), None, None) => Some(Tagging::Internal { tag: tag.value(), last }),
        (Some(tag), Some(content), None) => {
            if tag.value() == content.value() {
                report.at(content, "the tag and the content are two keys: write another name for one");
                return None;
            }
            Some(Tagging::Adjacent { tag: tag.value(), content: content.value(), last })
        }
        (None, None, Some(_)) => {
            if let Some(span) = keys.tag_last {
                report.span(span, "an untagged union writes no tag: remove `tag_last`");
            }
            Some(Tagging::Untagged)
        }
        (tag, content, Some(span)) => {
            let word = if tag.is_some() { "tag" } else { "content" };
            let _ = content;
            report.span(span, format_args!("a union is not both `untagged` and with a `{word}`: remove one"));
            None
        }
        (None, Some(content), None) => {
            report.at(content, "content is told apart by a tag beside it: write `tag = \"…\"` too");
            None
        }
        // A `tag` that could not be read was reported.
        (None, None, None) if said(&keys.said, "tag") => None,
        (None, None, None) => {
            report.at(
                declaration.ident,
                "say how documents tell the variants apart: `tag = \"…\"` (a key), `tag = \"…\", content = \"…\"` (two \
                 keys), or `untagged`",
            );
            None
        }
    }
}

fn said(said: &[Ident], key: &str) -> bool {
    said.iter().any(|said| said == key)
}

/// Variants without tags are tried one after the other, and a schema says of each that none before it fits.
fn untagged(declaration: &Declaration<'_>, tagging: &Tagging, report: &mut Report) {
    if let (Tagging::Untagged, Some(value)) = (tagging, declaration.values.get(MAX_TRIED)) {
        report.at(
            value.ident,
            format_args!(
                "an untagged union has at most {MAX_TRIED} variants, which are tried one after the other: write \
                 `tag = \"…\"`"
            ),
        );
    }
}

/// An absent tag says at most one variant, and one that is there.
fn absent(declaration: &Declaration<'_>, tagging: &Tagging, report: &mut Report) {
    let keys = &declaration.container;
    let without: Vec<(&Value<'_>, &Ident)> = declaration
        .values
        .iter()
        .filter_map(|value| value.said("no_tag").map(|word| (value, word)))
        .collect();
    if matches!(tagging, Tagging::Untagged) {
        if let Some(name) = &keys.tag_default {
            report.at(name, "an untagged union has no tag that could be absent: remove `tag_default`");
        }
        for (_, word) in &without {
            report.at(word, "an untagged union has no tag that could be absent: remove `no_tag`");
        }
        return;
    }
    for (value, word) in without.iter().skip(1) {
        report.at(
            word,
            format_args!(
                "an absent tag says one variant, and says `{}` already: give `{}` a tag",
                without[0].0.ident, value.ident
            ),
        );
    }
    let Some(name) = &keys.tag_default else { return };
    let Some(value) = declaration.values.iter().find(|value| value.ident.unraw() == name.unraw()) else {
        let variants: Vec<String> =
            declaration.values.iter().map(|value| value.ident.unraw().to_string()).collect();
        report.at(
            name,
            format_args!("`{}` has no variant `{name}`: it has {}", declaration.ident, variants.join(", ")),
        );
        return;
    };
    if value.said("open").is_some() {
        report.at(name, "the open variant keeps tags that no other has: an absent one is none of them");
    } else if let Some((_, word)) = without.first() {
        report.at(
            word,
            format_args!("an absent tag says `{name}`, by `tag_default`: remove `no_tag` or `tag_default`"),
        );
    }
}

/// A tag that counts as absent must say a variant.
fn lenient(declaration: &Declaration<'_>, tagging: &Tagging, report: &mut Report) {
    let keys = &declaration.container;
    let Some(span) = keys.lenient else { return };
    if matches!(tagging, Tagging::Untagged) {
        report.span(span, "an untagged union has no tag that could be at fault: remove `lenient`");
        return;
    }
    // A `tag_default` that could not be read was reported.
    let says_absent = said(&keys.said, "tag_default")
        || declaration.values.iter().any(|value| value.said("no_tag").is_some());
    if !says_absent {
        report.span(
            span,
            "a tag at fault counts as an absent one in lenient reading, and an absent one says no variant: write \
             `tag_default = Variant`, or `no_tag` on a variant",
        );
    }
}

/// A variant holds nothing, or one value that can stand where its union puts it.
fn variant<'a>(
    declaration: &Declaration<'_>,
    value: &'a Value<'a>,
    tagging: &Tagging,
    report: &mut Report,
) -> Option<Variant<'a>> {
    if let Some(number) = value.discriminant {
        report.at(number, "a variant of a union has a tag and no number: remove it");
    }
    let content = content(declaration, value, tagging, report)?;
    let name = value.ident.unraw().to_string();
    let no_tag = value.said("no_tag").is_some();
    let untagged = matches!(tagging, Tagging::Untagged);
    if let Some(alias) =
        value.aliases.first().filter(|_| (no_tag || untagged) && value.said("open").is_none())
    {
        report.at(alias, "a variant without a tag has no other tags: remove the alias");
    }
    if let (Some(name), true) = (value.said("name"), no_tag && value.said("open").is_none()) {
        report
            .at(name, "this variant is written without a tag, so that it has no name in JSON: remove `name`");
    }
    if let Some(name) = &value.name {
        document::not_empty(name, "a tag", report);
    }
    for alias in &value.aliases {
        document::not_empty(alias, "a tag", report);
    }
    let is_default =
        declaration.container.tag_default.as_ref().is_some_and(|said| said.unraw() == value.ident.unraw());
    Some(Variant {
        ident: value.ident,
        content,
        when_absent: match (no_tag, is_default) {
            (true, _) => WhenAbsent::NoTag,
            (false, true) => WhenAbsent::Default,
            (false, false) => WhenAbsent::No,
        },
        tag: match (&value.name, &declaration.container.rename_all) {
            // It is written without one, or with that which it keeps.
            _ if no_tag || value.said("open").is_some() => String::new(),
            (Some(name), _) => name.value(),
            (None, Some((style, _))) => case::rename(&name, style),
            (None, None) => name.clone(),
        },
        name,
        // The order in which a declaration lists them says nothing.
        aliases: {
            let mut aliases: Vec<String> = value.aliases.iter().map(syn::LitStr::value).collect();
            aliases.sort();
            aliases
        },
        docs: value.docs.clone(),
        since: value.since.map(|(since, _)| since),
        deprecated: value.deprecated.clone(),
        c_name: value.c_name.as_ref().and_then(|name| c_name(name, report)),
    })
}

fn content<'a>(
    declaration: &Declaration<'_>,
    value: &'a Value<'a>,
    tagging: &Tagging,
    report: &mut Report,
) -> Option<Content<'a>> {
    let field = match value.fields {
        Fields::Unit => None,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => fields.unnamed.first(),
        fields => {
            let ident = value.ident;
            report.at(
                fields,
                format_args!(
                    "a variant holds one contract: write a recipe with these keys, and `{ident}(Recipe)`"
                ),
            );
            return None;
        }
    };
    if value.said("open").is_some() {
        return open_content(value, field, report);
    }
    let adjacent = matches!(tagging, Tagging::Adjacent { .. });
    let Some(field) = field else {
        if matches!(tagging, Tagging::Untagged) {
            report
                .at(value.ident, "an untagged variant is known by its keys: write the recipe that it holds");
            return None;
        }
        if let Some(default) = &value.default {
            report.at(default, "this variant holds nothing that could have a default");
        }
        return Some(Content::Nothing);
    };
    let ty = &field.ty;
    if let Some(inner) = optional(ty) {
        let inner = show(inner);
        report.at(
            ty,
            format_args!(
                "a variant holds something or nothing: write `{inner}`, and a variant of its own that holds nothing"
            ),
        );
        return None;
    }
    let held = Held::of(ty);
    if !document::carried(declaration, ty, &held, report) {
        return None;
    }
    if !adjacent && !matches!(held, Held::Other | Held::Boxed(_)) {
        let hint = match tagging {
            Tagging::Untagged => "an untagged variant is known by its keys",
            _ => "a variant's keys stand beside the tag",
        };
        report.at(
            ty,
            format_args!(
                "{hint}, and {} has none: write a recipe, or `content = \"…\"` on the union",
                held.article()
            ),
        );
        return None;
    }
    let default = match &value.default {
        Some(default) if !adjacent => {
            report.at(
                default,
                "only content that is a key of its own can be absent: write `default` on the recipe's keys",
            );
            None
        }
        Some(default) => default::check(
            default,
            default::Of { held: &held, bounds: &Bounds::default(), spelling: None },
            report,
        )
        .map(|literal| (literal, default.span())),
        None => None,
    };
    Some(Content::Value { ty, held, default })
}

/// The open variant holds the tag and what came with it.
fn open_content<'a>(
    value: &'a Value<'a>,
    field: Option<&'a syn::Field>,
    report: &mut Report,
) -> Option<Content<'a>> {
    for key in &value.said {
        if ["name", "alias", "default", "no_tag"].iter().any(|not| key == not) {
            report.at(key, format_args!("the open variant keeps tags that no other has: remove `{key}`"));
        }
    }
    match field {
        Some(field) if matches!(Held::of(&field.ty), Held::UnknownVariant) => Some(Content::Other),
        _ => {
            let ident = value.ident;
            report.at(
                ident,
                format_args!(
                    "the open variant keeps the tag and what came with it: write `{ident}(wirecontract::UnknownVariant)`"
                ),
            );
            None
        }
    }
}

/// At most one variant keeps the tags that no other has; without tags there are none to keep.
fn open(declaration: &Declaration<'_>, tagging: &Tagging, report: &mut Report) {
    let open: Vec<&Ident> = declaration.values.iter().filter_map(|value| value.said("open")).collect();
    if matches!(tagging, Tagging::Untagged) {
        for word in open {
            report.at(word, "an untagged union has no tags that could be unknown: remove the variant");
        }
        return;
    }
    for word in open.iter().skip(1) {
        report.at(word, "one variant keeps the tags that no other has: remove this one");
    }
}

/// No two variants have one tag. Those without one have an empty one here, and no alias.
fn distinct(variants: &[Variant<'_>], declaration: &Declaration<'_>, report: &mut Report) {
    let mut tags: Vec<(&str, &Ident)> = Vec::new();
    for variant in variants {
        for tag in std::iter::once(&variant.tag).chain(&variant.aliases).filter(|tag| !tag.is_empty()) {
            if tags.iter().any(|(taken, other)| taken == tag && *other == variant.ident) {
                report.at(
                    variant.ident,
                    format_args!("`{tag}` is the tag of `{}` twice: remove the alias", variant.ident),
                );
            } else if let Some((_, other)) = tags.iter().find(|(taken, _)| taken == tag) {
                report.at(
                    variant.ident,
                    format_args!(
                        "`{tag}` is the tag of both `{other}` and `{}` of `{}`: call one something else",
                        variant.ident, declaration.ident
                    ),
                );
            }
            tags.push((tag, variant.ident));
        }
    }
}
