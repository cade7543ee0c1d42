//! Fields of descriptors. Offsets, sizes and alignments follow by [`settle`](crate::mutate::remake::settle).

use wirecontract_codegen::model::{
    Catalog, ContractId, Descriptor, Element, Endian, Field, Growth, Role, Scalar, Type,
};

use super::types::{same_size, written};
use super::{Candidates, at, descriptor, growth, rules};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).descriptor();
    for (index, field) in body.fields.iter().enumerate() {
        let place = at(catalog, id, &field.name);
        roles(id, index, field, &place, found);
        held(catalog, id, index, field, &place, found);
        if !matches!(field.role, Role::Reserved { .. }) {
            name(id, index, field, &place, found);
        }
        arrays(id, index, field, &place, found);
        places(body, id, index, field, &place, found);
    }
    growth::find(catalog, id, found);
    let place = at(catalog, id, "");
    found.put("field.added", place, "none → u64 `added`".to_owned(), move |catalog| {
        let body = descriptor(catalog, id);
        let since = body.growth.as_ref().map(Growth::newest).filter(|newest| *newest > 1);
        let offset = body.size;
        body.fields.push(Field { since, offset, ..new_field("added", Scalar::U64, Role::Value) });
    });
}

fn field(catalog: &mut Catalog, id: ContractId, index: usize) -> &mut Field {
    &mut descriptor(catalog, id).fields[index]
}

fn new_field(name: &str, scalar: Scalar, role: Role) -> Field {
    let endian = Endian::Little;
    Field {
        name: name.to_owned(),
        was: None,
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        offset: 0,
        ty: Type { element: Element::Scalar(scalar), dims: Vec::new(), endian },
        role,
    }
}

fn name(id: ContractId, index: usize, held: &Field, place: &str, found: &mut Candidates) {
    let (from, to) = (held.name.clone(), format!("{}_other", held.name));
    found.put("field.name", place, format!("{from} → {to}"), move |catalog| {
        field(catalog, id, index).name.clone_from(&to);
        rules::rename(&mut catalog.contracts[id.0], &from, &to);
    });
}

fn roles(id: ContractId, index: usize, held: &Field, place: &str, found: &mut Candidates) {
    let mut put = |operator, change: String, role: Role| {
        found.put(operator, place, change, move |catalog| field(catalog, id, index).role = role.clone());
    };
    match &held.role {
        Role::Magic(magic) => {
            let mut other = magic.clone();
            other[0] ^= 0x20;
            put("field.magic", format!("{magic:02x?} → {other:02x?}"), Role::Magic(other));
        }
        Role::Version(version) => {
            put("field.version", format!("{version} → {}", version + 1), Role::Version(version + 1));
            if *version > 1 {
                put("field.version", format!("{version} → {}", version - 1), Role::Version(version - 1));
            }
        }
        Role::Reserved { zero } => {
            let word = |zero: bool| if zero { "zero" } else { "ignored" };
            let change = format!("{} → {}", word(*zero), word(!*zero));
            put("field.reserved", change, Role::Reserved { zero: !*zero });
            put("field.used", format!("{} → a value", word(*zero)), Role::Value);
        }
        Role::LengthOf(_) => put("field.count", "counts → a value".to_owned(), Role::Value),
        Role::Text => put("field.text", "text → bytes".to_owned(), Role::Value),
        Role::Value => {}
    }
}

fn held(catalog: &Catalog, id: ContractId, index: usize, held: &Field, place: &str, found: &mut Candidates) {
    let is_value = matches!(held.role, Role::Value | Role::LengthOf(_));
    if let (Element::Scalar(scalar), true) = (held.ty.element, is_value) {
        for other in same_size(scalar).filter(|_| held.role == Role::Value) {
            found.put("field.type", place, format!("{scalar} → {other}"), move |catalog| {
                field(catalog, id, index).ty.element = Element::Scalar(other);
            });
        }
        if let Some(wider) = wider(scalar) {
            found.put("field.width", place, format!("{scalar} → {wider}"), move |catalog| {
                let ty = &mut field(catalog, id, index).ty;
                ty.element = Element::Scalar(wider);
            });
        }
    }
    if let Element::Enumeration { contract, open } = held.ty.element {
        let word = |open: bool| if open { "open" } else { "closed" };
        found.put("field.open", place, format!("{} → {}", word(open), word(!open)), move |catalog| {
            field(catalog, id, index).ty.element = Element::Enumeration { contract, open: !open };
        });
        let repr = catalog.get(contract).repr();
        let change = format!("{} → {repr}", catalog.get(contract).name);
        found.put("field.type", place, change, move |catalog| {
            field(catalog, id, index).ty.element = Element::Scalar(repr);
        });
        // Another enumeration of the same integer: only names tell.
        let other = catalog
            .iter()
            .take(id.0)
            .find(|(other, it)| *other != contract && it.kind() == "enumeration" && it.repr() == repr);
        if let Some((other, it)) = other {
            let change = format!("{} → {}", catalog.get(contract).name, it.name);
            found.put("field.type", place, change, move |catalog| {
                field(catalog, id, index).ty.element = Element::Enumeration { contract: other, open };
            });
        }
    }
    // Reserved bytes are zero in any order.
    let is_read = !matches!(held.role, Role::Reserved { .. } | Role::Magic(_));
    let has_order = !matches!(held.ty.element, Element::Descriptor(_));
    if is_read && has_order && catalog.element_size(held.ty.element) > 1 {
        let other = if held.ty.endian == Endian::Big { Endian::Little } else { Endian::Big };
        let change = format!("{:?} → {other:?}", held.ty.endian);
        found.put("field.endian", place, change, move |catalog| {
            field(catalog, id, index).ty.endian = other;
        });
    }
}

fn wider(scalar: Scalar) -> Option<Scalar> {
    match scalar {
        Scalar::U8 => Some(Scalar::U16),
        Scalar::U16 => Some(Scalar::U32),
        Scalar::U32 => Some(Scalar::U64),
        Scalar::I32 => Some(Scalar::I64),
        Scalar::F32 => Some(Scalar::F64),
        _ => None,
    }
}

fn arrays(id: ContractId, index: usize, held: &Field, place: &str, found: &mut Candidates) {
    let Some(&first) = held.ty.dims.first() else { return };
    if matches!(held.role, Role::Magic(_)) {
        return;
    }
    for length in [first * 2, first - 1].into_iter().filter(|&length| length > 0) {
        let change = format!("{} → {length} elements", written(&held.ty.dims));
        found.put("field.length", place, change, move |catalog| {
            field(catalog, id, index).ty.dims[0] = length;
        });
    }
}

fn places(
    body: &Descriptor,
    id: ContractId,
    index: usize,
    held: &Field,
    place: &str,
    found: &mut Candidates,
) {
    found.put("field.removed", place, "removed", move |catalog| {
        let body = descriptor(catalog, id);
        body.fields.remove(index);
        moved(body, |position| {
            (position != index).then_some(if position > index { position - 1 } else { position })
        });
    });
    found.put(
        "field.offset",
        place,
        format!("byte {} → behind 8 reserved bytes", held.offset),
        move |catalog| {
            let body = descriptor(catalog, id);
            let Field { since, offset, .. } = body.fields[index];
            let reserved = new_field("moved", Scalar::U64, Role::Reserved { zero: false });
            body.fields.insert(index, Field { since, offset, ..reserved });
            moved(body, |position| Some(if position >= index { position + 1 } else { position }));
        },
    );
    let is_reserved = |field: &Field| matches!(field.role, Role::Reserved { .. });
    // The nearest that it can change places with, which another one between would not allow.
    let others = body.fields.iter().enumerate().skip(index + 1);
    let next = others.clone().find(|(_, other)| other.ty == held.ty);
    for (other, with) in next.into_iter().chain(others.take(1)) {
        if is_reserved(held) && is_reserved(with) {
            continue;
        }
        found.put("field.order", place, format!("changes places with {}", with.name), move |catalog| {
            let body = descriptor(catalog, id);
            body.fields.swap(index, other);
            moved(body, |position| {
                Some(if position == index {
                    other
                } else if position == other {
                    index
                } else {
                    position
                })
            });
        });
    }
}

/// Says where fields are now that a count or a condition means; what is about a field that is gone, goes.
fn moved(body: &mut Descriptor, now: impl Fn(usize) -> Option<usize>) {
    // The count itself has moved already.
    for field in &mut body.fields {
        if let Role::LengthOf(targets) = &mut field.role {
            *targets = targets.iter().filter_map(|&target| now(target)).collect();
            if targets.is_empty() {
                field.role = Role::Value;
            }
        }
    }
    body.conditions.retain_mut(|condition| match now(condition.field) {
        Some(position) => {
            condition.field = position;
            true
        }
        None => false,
    });
}
