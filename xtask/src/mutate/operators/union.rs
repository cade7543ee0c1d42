//! Variants of unions.

use wirecontract_codegen::model::{Catalog, Content, ContractId, Tagging, Union, WhenAbsent};

use super::recipe::others;
use super::{Candidates, at, union};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).union();
    tagging(catalog, id, body, found);
    bounds(catalog, id, body, found);
    for (index, variant) in body.variants.iter().enumerate() {
        let place = at(catalog, id, &variant.name);
        // No document says the name of a variant that has no tag.
        if !variant.tag.is_empty() && body.tagging != Tagging::Untagged {
            let to = format!("{}_other", variant.tag);
            found.put("variant.tag", &*place, format!("{} → {to}", variant.tag), move |catalog| {
                union(catalog, id).variants[index].tag.clone_from(&to);
            });
            found.put("variant.alias", &*place, "no alias → other", move |catalog| {
                union(catalog, id).variants[index].aliases.push("other_alias".to_owned());
            });
        }
        if body.variants.len() > 1 {
            found.put("variant.removed", &*place, "removed", move |catalog| {
                union(catalog, id).variants.remove(index);
            });
        }
        if let Some(next) = body.variants.get(index + 1) {
            // A number in C, and of an untagged union what is tried first.
            found.put(
                "variant.order",
                &*place,
                format!("changes places with {}", next.name),
                move |catalog| {
                    union(catalog, id).variants.swap(index, index + 1);
                },
            );
            if !variant.tag.is_empty() && !next.tag.is_empty() && body.tagging != Tagging::Untagged {
                found.put(
                    "variant.swapped",
                    &*place,
                    format!("{} ↔ {}", variant.tag, next.tag),
                    move |catalog| {
                        let variants = &mut union(catalog, id).variants;
                        let (before, behind) = variants.split_at_mut(index + 1);
                        std::mem::swap(&mut before[index].tag, &mut behind[0].tag);
                    },
                );
            }
            if variant.content != next.content
                && ![&variant.content, &next.content].contains(&&Content::Other)
            {
                found.put("variant.content", &*place, format!("that of {}", next.name), move |catalog| {
                    let variants = &mut union(catalog, id).variants;
                    variants[index].content = variants[index + 1].content.clone();
                });
            }
        }
        if let Content::Value { ty, default } = &variant.content {
            for (_, change, other) in others(ty) {
                let default = default.clone();
                found.put("variant.type", &*place, change, move |catalog| {
                    union(catalog, id).variants[index].content =
                        Content::Value { ty: other.clone(), default: default.clone() };
                });
            }
        }
        let when_absent = match variant.when_absent {
            WhenAbsent::No if body.absent().is_none() && body.tagging != Tagging::Untagged => {
                Some(WhenAbsent::Default)
            }
            WhenAbsent::No => None,
            WhenAbsent::Default | WhenAbsent::NoTag => Some(WhenAbsent::No),
        };
        if let Some(other) = when_absent {
            let change = format!("{:?} → {other:?}", variant.when_absent);
            let tag = if variant.tag.is_empty() { format!("tag_{index}") } else { variant.tag.clone() };
            found.put("variant.absent", &*place, change, move |catalog| {
                let variant = &mut union(catalog, id).variants[index];
                variant.when_absent = other;
                variant.tag.clone_from(&tag);
            });
        }
    }
}

fn tagging(catalog: &Catalog, id: ContractId, body: &Union, found: &mut Candidates) {
    let place = at(catalog, id, "");
    let mut put = |operator, change: String, tagging: Tagging| {
        found.put(operator, &*place, change, move |catalog| {
            union(catalog, id).tagging = tagging.clone();
        });
    };
    match &body.tagging {
        Tagging::Internal { tag, last } => {
            let other = format!("{tag}_other");
            put("union.tag", format!("{tag} → {other}"), Tagging::Internal { tag: other, last: *last });
            let change = format!("tag_last: {last} → {}", !last);
            put("union.tag_last", change, Tagging::Internal { tag: tag.clone(), last: !last });
            let content = "content".to_owned();
            let adjacent = Tagging::Adjacent { tag: tag.clone(), content, last: *last };
            put("union.tagging", "internal → adjacent".to_owned(), adjacent);
        }
        Tagging::Adjacent { tag, content, last } => {
            let of = |tag: &str, content: &str| Tagging::Adjacent {
                tag: tag.to_owned(),
                content: content.to_owned(),
                last: *last,
            };
            put("union.tag", format!("{tag} → other"), of("other", content));
            put("union.content", format!("{content} → other"), of(tag, "other"));
            put("union.tag", format!("{tag} ↔ {content}"), of(content, tag));
        }
        Tagging::Untagged => {
            put(
                "union.tagging",
                "untagged → a tag".to_owned(),
                Tagging::Internal { tag: "kind".to_owned(), last: false },
            );
        }
    }
}

fn bounds(catalog: &Catalog, id: ContractId, body: &Union, found: &mut Candidates) {
    let place = at(catalog, id, "");
    let (bytes, depth, lenient) = (body.max_bytes, body.max_depth, body.lenient);
    found.put("union.max_bytes", &*place, format!("{bytes} → {}", bytes / 2), move |catalog| {
        union(catalog, id).max_bytes = bytes / 2;
    });
    found.put("union.max_depth", &*place, format!("{depth} → {}", depth - 1), move |catalog| {
        union(catalog, id).max_depth = depth - 1;
    });
    if body.absent().is_some() {
        found.put("union.lenient", &*place, format!("lenient: {lenient} → {}", !lenient), move |catalog| {
            union(catalog, id).lenient = !lenient;
        });
    }
}
