//! What a message says of the contracts that it holds, once these are known.

use super::super::meaning::Fault;
use super::super::rule;
use crate::model::{
    Body, Catalog, Content, Contract, ContractId, Descriptor, Element, Expr, FdForm, JsonType, Member,
    Message, MessageContent, MessageVariant, Messages, Part, Path, Role, Scalar, Selector, TailItem,
    TailLength,
};

/// Checks messages whose nested contracts are linked: texts of numbers and conditions become expressions, that of a tag a
/// path.
pub(in crate::catalog) fn complete(catalog: &Catalog, contract: &mut Contract) -> Result<(), Fault> {
    match &contract.body {
        Body::Message(message) => {
            parts(catalog, message).map_err(Fault::Wrong)?;
            compile(catalog, contract)
        }
        Body::Messages(messages) => {
            let mut messages = messages.clone();
            told_apart(catalog, &mut messages).map_err(Fault::Wrong)?;
            contract.body = Body::Messages(messages);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn parts(catalog: &Catalog, message: &Message) -> Result<(), String> {
    let mut size = 0_u64;
    for Part { member: Member { name, .. }, contract } in &message.parts {
        match &catalog.get(*contract).body {
            Body::Descriptor(descriptor) => {
                if descriptor.growth.is_some() && descriptor.version_field().is_none() {
                    return Err(format!(
                        "nothing says where `{name}` ends, which has no field of its version"
                    ));
                }
                size += u64::from(descriptor.size);
            }
            _ if message.parts.len() > 1 || message.tail.is_some() => {
                return Err(format!("`{name}` is a document, and not all of the message"));
            }
            _ => {}
        }
    }
    if message.parts.is_empty() {
        return Err("it has no parts".to_owned());
    }
    if u32::try_from(size).is_err() {
        return Err(format!("its parts have {size} bytes, which no message has"));
    }
    match (&message.tail, message.max_bytes) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err("it has a bound and no tail".to_owned()),
        (Some(_), None) => Err("it has a tail and no bound".to_owned()),
        (Some(_), Some(most)) if u64::from(most) < size => {
            Err(format!("its parts have {size} bytes, of at most {most}"))
        }
        (Some(tail), Some(_)) => match tail.item {
            TailItem::Descriptor(id) if catalog.get(id).descriptor().growth.is_some() => Err(format!(
                "`{}` has elements that grow, so that nothing says where one of them ends",
                tail.member.name
            )),
            _ => Ok(()),
        },
    }
}

fn compile(catalog: &Catalog, contract: &mut Contract) -> Result<(), Fault> {
    let message = contract.message();
    let number = |text: &String| {
        rule::number(catalog, contract, text).map_err(|reason| Fault::Rule { text: text.clone(), reason })
    };
    let length = message.tail.as_ref().and_then(|tail| tail.length.computed());
    let length = length.map(|computed| number(&computed.text)).transpose()?;
    let mut of_groups: Vec<Option<Expr>> = Vec::with_capacity(message.fds.len());
    for group in &message.fds {
        of_groups.push(match &group.form {
            FdForm::Many { count: Some(count), .. } => Some(number(&count.text)?),
            FdForm::Optional { present_if: Some(rule) } => Some(
                rule::over_parts(catalog, contract, &rule.text)
                    .map_err(|reason| Fault::Rule { text: rule.text.clone(), reason })?,
            ),
            FdForm::One | FdForm::Many { .. } | FdForm::Optional { .. } => None,
        });
    }

    let Body::Message(message) = &mut contract.body else { return Ok(()) };
    if let Some(tail) = &mut message.tail {
        match (&mut tail.length, length) {
            (TailLength::Count(computed) | TailLength::Bytes(computed), Some(expr)) => computed.expr = expr,
            (TailLength::Rest | TailLength::Count(_) | TailLength::Bytes(_), _) => {}
        }
    }
    for (group, expr) in message.fds.iter_mut().zip(of_groups) {
        match (&mut group.form, expr) {
            (FdForm::Many { count: Some(count), .. }, Some(expr)) => count.expr = expr,
            (FdForm::Optional { present_if: Some(rule) }, Some(expr)) => rule.expr = expr,
            _ => {}
        }
    }
    Ok(())
}

/// Finds the tag in the first part, or the union's variant of each message.
fn told_apart(catalog: &Catalog, messages: &mut Messages) -> Result<(), String> {
    match &messages.by {
        Selector::Tag { text, .. } => {
            let found = tag(catalog, messages, text)?;
            if let Selector::Tag { path, .. } = &mut messages.by {
                *path = found;
            }
        }
        Selector::Body(union) => {
            let found = of_union(catalog, messages, *union)?;
            for (variant, position) in messages.variants.iter_mut().zip(found) {
                variant.of_union = Some(position);
            }
        }
    }
    Ok(())
}

/// The way to the field that a tag's text names, in the first part of every variant.
fn tag(catalog: &Catalog, messages: &Messages, text: &str) -> Result<Path, String> {
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    let mut shared = None;
    for variant in &messages.variants {
        let name = &variant.member.name;
        let part = catalog.get(variant.message()).message().parts.first();
        let part = part.filter(|part| {
            part.member.name == first && *shared.get_or_insert(part.contract) == part.contract
        });
        if part.is_none() {
            return Err(format!(
                "its variant `{name}` has not the first part `{first}` that the others have"
            ));
        }
    }
    let wrong = || format!("its tag `{text}` is no integer or enumeration of the first part");
    let mut path = vec![0];
    let mut holder = shared;
    let mut found = None;
    for word in rest.split('.') {
        let descriptor = holder.and_then(|id| descriptor(catalog, id)).ok_or_else(wrong)?;
        let position = descriptor.fields.iter().position(|field| field.name == word).ok_or_else(wrong)?;
        let field = &descriptor.fields[position];
        if !field.ty.dims.is_empty() || field.role != Role::Value {
            return Err(wrong());
        }
        path.push(position);
        holder = match field.ty.element {
            Element::Descriptor(id) => Some(id),
            _ => None,
        };
        found = Some(field.ty.element);
    }
    let repr = match found {
        Some(Element::Scalar(scalar)) => scalar,
        Some(Element::Enumeration { contract, .. }) => catalog.get(contract).repr(),
        Some(Element::Flags { .. } | Element::Descriptor(_)) | None => return Err(wrong()),
    };
    let Some((least, most)) = repr.range().filter(|_| repr != Scalar::Bool) else { return Err(wrong()) };
    let fits = |value: u64| (least..=most).contains(&i128::from(value));
    match messages.variants.iter().find(|variant| variant.value.is_some_and(|value| !fits(value))) {
        None => Ok(Path(path)),
        Some(variant) => Err(format!("the tag of its variant `{}` is no {repr}", variant.member.name)),
    }
}

fn descriptor(catalog: &Catalog, id: ContractId) -> Option<&Descriptor> {
    match &catalog.get(id).body {
        Body::Descriptor(descriptor) => Some(descriptor),
        _ => None,
    }
}

/// For each message the position of the union's variant of the same name, which holds the same; each variant has one.
fn of_union(catalog: &Catalog, messages: &Messages, union: ContractId) -> Result<Vec<usize>, String> {
    let union = catalog.get(union);
    let variants = &union.union().variants;
    let mut found = Vec::with_capacity(messages.variants.len());
    for MessageVariant { member: Member { name, .. }, holds, .. } in &messages.variants {
        let position = variants.iter().position(|variant| variant.name == *name);
        let position = position.ok_or_else(|| format!("{} has no variant `{name}`", union.name))?;
        if !is_same(catalog, holds, &variants[position].content) {
            return Err(format!("its variant `{name}` holds something else than that of {}", union.name));
        }
        found.push(position);
    }
    match (0..variants.len()).find(|position| !found.contains(position)) {
        None => Ok(found),
        Some(missing) => Err(format!("it has no variant for `{}` of {}", variants[missing].name, union.name)),
    }
}

/// Whether a variant holds what the union's variant holds, or a message of it.
fn is_same(catalog: &Catalog, holds: &MessageContent, content: &Content) -> bool {
    match (holds, content) {
        (
            MessageContent::Message(id),
            Content::Value { ty: JsonType::Recipe(of) | JsonType::Union(of), .. },
        ) => {
            matches!(&*catalog.get(*id).message().parts, [part] if part.contract == *of)
        }
        (MessageContent::Value(held), Content::Value { ty, .. }) => held == ty,
        (MessageContent::Nothing, Content::Nothing) | (MessageContent::Other, Content::Other) => true,
        _ => false,
    }
}
