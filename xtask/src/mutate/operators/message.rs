//! Messages: their parts, their tail and their file descriptors; and which of several it is.

use wirecontract_codegen::model::{
    Body, Catalog, Computed, ContractId, Element, Expr, FdForm, FdGroup, Member, Message, MessageField,
    Messages, Role, Rule, Scalar, Selector, Tail, TailItem, TailLength,
};

use super::rules::{others, rename};
use super::{Candidates, Promise, at};

/// Finds what of a message could be another.
pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).message();
    names(catalog, id, body, found);
    parts(catalog, id, body, found);
    if let Some(tail) = &body.tail {
        of_tail(catalog, id, tail, found);
    }
    if let Some(most) = body.max_bytes {
        for to in [most / 2, most + 1] {
            let change = format!("{most} → {to}");
            found.put("message.max_bytes", at(catalog, id, ""), change, move |catalog| {
                message(catalog, id).max_bytes = Some(to);
            });
        }
    } else if catalog.document_of(id).is_none() {
        let tail = Tail {
            member: Member { name: "behind".to_owned(), ..Member::default() },
            item: TailItem::Bytes,
            length: TailLength::Rest,
        };
        found.put("tail.added", at(catalog, id, ""), "no tail → bytes", move |catalog| {
            let body = message(catalog, id);
            body.tail = Some(tail.clone());
            body.max_bytes = Some(1 << 20);
        });
    }
    for (index, group) in body.fds.iter().enumerate() {
        of_group(catalog, id, (index, group), found);
        if let Some(next) = body.fds.get(index + 1) {
            let change = format!("changes places with {}", next.member.name);
            found.put("fds.order", at(catalog, id, &group.member.name), change, move |catalog| {
                message(catalog, id).fds.swap(index, index + 1);
            });
        }
    }
    let added =
        FdGroup { member: Member { name: "one_more".to_owned(), ..Member::default() }, form: FdForm::One };
    found.put("fds.added", at(catalog, id, ""), "a file descriptor more, the last", move |catalog| {
        message(catalog, id).fds.push(added.clone());
    });
}

/// What every field has.
fn names(catalog: &Catalog, id: ContractId, body: &Message, found: &mut Candidates) {
    for (index, field) in body.fields().enumerate() {
        let (from, to) = (field.name().to_owned(), format!("{}_other", field.name()));
        let operator = match field {
            MessageField::Part(_) => "part.name",
            MessageField::Tail(_) => "tail.name",
            MessageField::Fds(_) => "fds.name",
        };
        found.put(operator, at(catalog, id, &from), format!("{from} → {to}"), move |catalog| {
            member(message(catalog, id), index).name.clone_from(&to);
            rename(&mut catalog.contracts[id.0], &from, &to);
        });
    }
}

/// What the field of that position says of itself.
fn member(body: &mut Message, index: usize) -> &mut Member {
    let (parts, tails) = (body.parts.len(), usize::from(body.tail.is_some()));
    if index < parts {
        return &mut body.parts[index].member;
    }
    match &mut body.tail {
        Some(tail) if index == parts => &mut tail.member,
        _ => &mut body.fds[index - parts - tails].member,
    }
}

fn parts(catalog: &Catalog, id: ContractId, body: &Message, found: &mut Candidates) {
    for (index, part) in body.parts.iter().enumerate() {
        let place = at(catalog, id, &part.member.name);
        if body.parts.len() > 1 {
            found.put("part.removed", &*place, "removed", move |catalog| {
                message(catalog, id).parts.remove(index);
            });
        }
        if let Some(next) = body.parts.get(index + 1) {
            let change = format!("changes places with {}", next.member.name);
            found.put("part.order", &*place, change, move |catalog| {
                message(catalog, id).parts.swap(index, index + 1);
            });
        }
        let kind = catalog.get(part.contract).kind();
        // What is held stands before what holds it.
        let others = catalog.iter().take(id.0);
        let others = others.filter(|(other, it)| *other != part.contract && it.kind() == kind);
        for (other, contract) in others.take(3) {
            let change = format!("{} → {}", catalog.get(part.contract).name, contract.name);
            found.put("part.type", &*place, change, move |catalog| {
                message(catalog, id).parts[index].contract = other;
            });
        }
    }
}

fn of_tail(catalog: &Catalog, id: ContractId, tail: &Tail, found: &mut Candidates) {
    let place = at(catalog, id, &tail.member.name);
    let mut put = |operator, change: String, change_tail: Box<dyn Fn(&mut Tail) + Send + Sync>| {
        found.put(operator, &*place, change, move |catalog| {
            change_tail(message(catalog, id).tail.as_mut().expect("it has one"));
        });
    };
    for (word, other) in [("bytes", TailItem::Bytes), ("text", TailItem::Text)] {
        if other != tail.item {
            put("tail.item", format!("{:?} → {word}", tail.item), Box::new(move |tail| tail.item = other));
        }
    }
    let (computed, is_count) = match &tail.length {
        TailLength::Rest => (None, false),
        TailLength::Count(computed) => (Some(computed.clone()), true),
        TailLength::Bytes(computed) => (Some(computed.clone()), false),
    };
    if let Some(computed) = computed {
        put("tail.rest", "a number → to the end".to_owned(), Box::new(|tail| tail.length = TailLength::Rest));
        let other = computed.clone();
        if matches!(tail.item, TailItem::Descriptor(_)) {
            put(
                "tail.unit",
                if is_count { "elements → bytes" } else { "bytes → elements" }.to_owned(),
                Box::new(move |tail| {
                    let computed = other.clone();
                    tail.length =
                        if is_count { TailLength::Bytes(computed) } else { TailLength::Count(computed) };
                }),
            );
        }
        for text in numbers(&computed.text) {
            put(
                "tail.count",
                format!("`{}` → `{text}`", computed.text),
                Box::new(move |tail| match &mut tail.length {
                    TailLength::Count(computed) | TailLength::Bytes(computed) => {
                        computed.text.clone_from(&text);
                    }
                    TailLength::Rest => {}
                }),
            );
        }
    }
    found.put("tail.removed", &*place, "removed", move |catalog| {
        let body = message(catalog, id);
        body.tail = None;
        body.max_bytes = None;
    });
}

/// Another number than the text of one says.
fn numbers(text: &str) -> [String; 2] {
    [format!("{text} + 1"), format!("2 * ({text})")]
}

fn of_group(catalog: &Catalog, id: ContractId, (index, group): (usize, &FdGroup), found: &mut Candidates) {
    let place = at(catalog, id, &group.member.name);
    let mut put = |operator, change: String, form: FdForm| {
        found.put(operator, &*place, change, move |catalog| {
            message(catalog, id).fds[index].form = form.clone();
        });
    };
    match &group.form {
        FdForm::One => {
            put("fds.form", "one → one or none".to_owned(), FdForm::Optional { present_if: None });
            put("fds.form", "one → 0 to 2".to_owned(), FdForm::Many { least: 0, most: 2, count: None });
        }
        FdForm::Optional { present_if } => {
            put("fds.form", "one or none → one".to_owned(), FdForm::One);
            if let Some(rule) = present_if {
                put(
                    "fds.present_if",
                    format!("`{}` → none", rule.text),
                    FdForm::Optional { present_if: None },
                );
                for text in others(&rule.text).into_iter().chain([format!("!({})", rule.text)]) {
                    let change = format!("`{}` → `{text}`", rule.text);
                    let present_if = Some(Rule { text, ..rule.clone() });
                    put("fds.present_if", change, FdForm::Optional { present_if });
                }
            }
        }
        FdForm::Many { least, most, count } => {
            let (least, most) = (*least, *most);
            let many = |least, most| FdForm::Many { least, most, count: count.clone() };
            put("fds.most", format!("{most} → {}", most + 1), many(least, most + 1));
            if most > least {
                put("fds.most", format!("{most} → {}", most - 1), many(least, most - 1));
                put("fds.least", format!("{least} → {}", least + 1), many(least + 1, most));
            }
            if least > 0 {
                put("fds.least", format!("{least} → {}", least - 1), many(least - 1, most));
            }
            put("fds.form", "several → one".to_owned(), FdForm::One);
            match count {
                Some(count) => {
                    put(
                        "fds.count",
                        format!("`{}` → any number", count.text),
                        FdForm::Many { least, most, count: None },
                    );
                    for text in numbers(&count.text) {
                        let change = format!("`{}` → `{text}`", count.text);
                        let count = Some(Computed { text, expr: count.expr.clone() });
                        put("fds.count", change, FdForm::Many { least, most, count });
                    }
                }
                None => {
                    if let Some(text) = a_number(catalog, catalog.get(id).message()) {
                        let change = format!("any number → `{text}`");
                        // What stands in a record is the text, of which reading makes the expression.
                        let count = Some(Computed { text, expr: Expr::Integer(0) });
                        put("fds.count", change, FdForm::Many { least, most, count });
                    }
                }
            }
        }
    }
    found.put("fds.removed", &*place, "removed", move |catalog| {
        message(catalog, id).fds.remove(index);
    });
}

/// The way to an integer in the parts of a message.
fn a_number(catalog: &Catalog, body: &Message) -> Option<String> {
    body.parts.iter().find_map(|part| {
        let Body::Descriptor(descriptor) = &catalog.get(part.contract).body else { return None };
        let is_integer = |field: &&wirecontract_codegen::model::Field| {
            let is_scalar = matches!(field.ty.element, Element::Scalar(scalar)
                if !matches!(scalar, Scalar::Bool | Scalar::F32 | Scalar::F64));
            is_scalar && field.ty.dims.is_empty() && matches!(field.role, Role::Value | Role::LengthOf(_))
        };
        let field = descriptor.fields.iter().find(is_integer)?;
        Some(format!("{}.{}", part.member.name, field.name))
    })
}

/// Finds what of several messages could be another.
pub(super) fn find_several(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).messages();
    if let Selector::Tag { text, .. } = &body.by {
        for other in other_tags(catalog, body) {
            found.put("choice.tag", at(catalog, id, ""), format!("{text} → {other}"), move |catalog| {
                if let Selector::Tag { text, .. } = &mut messages(catalog, id).by {
                    text.clone_from(&other);
                }
            });
        }
    }
    let is_tagged = matches!(body.by, Selector::Tag { .. });
    for (index, variant) in body.variants.iter().enumerate() {
        let place = at(catalog, id, &variant.member.name);
        if is_tagged && body.variants.len() > 1 {
            found.put("choice.removed", &*place, "removed", move |catalog| {
                messages(catalog, id).variants.remove(index);
            });
        }
        if is_tagged {
            let renamed = format!("{}Other", variant.member.name);
            found.put(
                "choice.name",
                &*place,
                format!("{} → {renamed}", variant.member.name),
                move |catalog| {
                    messages(catalog, id).variants[index].member.name.clone_from(&renamed);
                },
            );
        }
        let free =
            (1..=u64::from(u8::MAX)).find(|number| body.variants.iter().all(|it| it.value != Some(*number)));
        match (variant.value, free) {
            (Some(value), Some(free)) => {
                found.put("choice.number", &*place, format!("{value} → {free}"), move |catalog| {
                    messages(catalog, id).variants[index].value = Some(free);
                });
                if body.open().is_none() {
                    found.put("choice.open", &*place, format!("{value} → every other"), move |catalog| {
                        messages(catalog, id).variants[index].value = None;
                    });
                }
            }
            (None, Some(free)) if is_tagged => {
                found.put("choice.open", &*place, format!("every other → {free}"), move |catalog| {
                    messages(catalog, id).variants[index].value = Some(free);
                });
            }
            _ => {}
        }
        let Some(next) = body.variants.get(index + 1) else { continue };
        // A number in C.
        found.put(
            "choice.order",
            &*place,
            format!("changes places with {}", next.member.name),
            move |catalog| {
                messages(catalog, id).variants.swap(index, index + 1);
            },
        );
        if is_tagged && variant.value != next.value {
            found.put(
                "choice.swapped",
                &*place,
                format!("the number of {}", next.member.name),
                move |catalog| {
                    let variants = &mut messages(catalog, id).variants;
                    let value = variants[index].value;
                    variants[index].value = std::mem::replace(&mut variants[index + 1].value, value);
                },
            );
        }
        if variant.holds != next.holds {
            found.put("choice.type", &*place, format!("what {} holds", next.member.name), move |catalog| {
                let variants = &mut messages(catalog, id).variants;
                variants[index].holds = variants[index + 1].holds.clone();
            });
        }
    }
}

/// Other integers of the first part.
fn other_tags(catalog: &Catalog, body: &Messages) -> Vec<String> {
    let Selector::Tag { text, .. } = &body.by else { return Vec::new() };
    let Some(part) = text.split('.').next() else { return Vec::new() };
    let fields = catalog.get(catalog.first_part(body)).descriptor().fields.iter();
    let fields = fields.filter(|field| field.ty.dims.is_empty() && field.role == Role::Value);
    let ways = fields.map(|field| format!("{part}.{}", field.name));
    ways.filter(|way| way != text).take(2).collect()
}

pub(super) fn message(catalog: &mut Catalog, id: ContractId) -> &mut Message {
    match &mut catalog.contracts[id.0].body {
        Body::Message(body) => body,
        _ => panic!("the operator found a message here"),
    }
}

pub(super) fn messages(catalog: &mut Catalog, id: ContractId) -> &mut Messages {
    match &mut catalog.contracts[id.0].body {
        Body::Messages(body) => body,
        _ => panic!("the operator found several messages here"),
    }
}

/// All texts of a message that say something of its fields.
pub(super) fn texts(body: &mut Message) -> Vec<&mut String> {
    let mut texts: Vec<&mut String> = body.rules.iter_mut().map(|rule| &mut rule.text).collect();
    if let Some(Tail { length: TailLength::Count(computed) | TailLength::Bytes(computed), .. }) =
        &mut body.tail
    {
        texts.push(&mut computed.text);
    }
    for group in &mut body.fds {
        match &mut group.form {
            FdForm::Many { count: Some(count), .. } => texts.push(&mut count.text),
            FdForm::Optional { present_if: Some(rule) } => texts.push(&mut rule.text),
            FdForm::One | FdForm::Many { .. } | FdForm::Optional { .. } => {}
        }
    }
    texts
}

/// Finds what of a message, or of several, changes nothing that crosses; `[same, renamed]` is what it leaves as it was.
pub(super) fn harmless(
    catalog: &Catalog,
    id: ContractId,
    [same, renamed]: [Promise; 2],
    found: &mut Candidates,
) {
    found.promise = Some(same);
    match &catalog.get(id).body {
        Body::Message(body) => {
            for (index, field) in body.fields().enumerate() {
                let place = at(catalog, id, field.name());
                found.promise = Some(same);
                found.put("docs of a member", &*place, "one sentence more", move |catalog| {
                    member(message(catalog, id), index).docs.push_str(" One more.");
                });
                if field.member().was.is_some() {
                    continue;
                }
                let (from, to) = (field.name().to_owned(), format!("{}_now", field.name()));
                // A tag names the first part as it is called.
                let is_tag = index == 0 && is_told_apart(catalog, id);
                if is_tag {
                    continue;
                }
                found.promise = Some(renamed);
                found.put("renamed member", &*place, format!("{from} → {to}, with `was`"), move |catalog| {
                    let field = member(message(catalog, id), index);
                    field.name.clone_from(&to);
                    field.was = Some(from.clone());
                    rename(&mut catalog.contracts[id.0], &from, &to);
                });
            }
        }
        Body::Messages(body) => {
            for (index, variant) in body.variants.iter().enumerate() {
                let place = at(catalog, id, &variant.member.name);
                found.put("docs of a member", place, "one sentence more", move |catalog| {
                    messages(catalog, id).variants[index].member.docs.push_str(" One more.");
                });
            }
        }
        _ => {}
    }
}

/// Whether it is one of several messages by a tag.
fn is_told_apart(catalog: &Catalog, id: ContractId) -> bool {
    catalog.contracts.iter().any(|contract| match &contract.body {
        Body::Messages(body) => {
            matches!(body.by, Selector::Tag { .. })
                && body.variants.iter().any(|it| it.holds.message() == Some(id))
        }
        _ => false,
    })
}
