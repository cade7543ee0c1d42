//! What versions of a descriptor that grows have: sizes, the version that a field came with, defaults, the newest version.
//!
//! What no declaration can be (a version that ends within a field, a field behind the version that it came with) is
//! refused when it is decoded.

use wirecontract_codegen::model::{Body, Catalog, ContractId, Descriptor, Growth, Role};

use super::{Candidates, at, descriptor};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).descriptor();
    let Some(growth) = &body.growth else { return };
    for (index, field) in body.fields.iter().enumerate() {
        let place = at(catalog, id, &field.name);
        let (start, end) = (field.offset, field.offset + catalog.field_size(field));
        let since = field.since.unwrap_or(1);
        // What came later makes the version that it was in shorter, what came sooner the one before longer.
        let later = (since < growth.newest()).then_some((since + 1, since, start));
        let sooner = (since > 1).then(|| (since - 1, since - 1, end.max(growth.size(since - 1))));
        for (other, version, size) in [later, sooner].into_iter().flatten() {
            found.put("field.since", &*place, format!("since {since} → {other}"), move |catalog| {
                let body = descriptor(catalog, id);
                body.fields[index].since = (other > 1).then_some(other);
                resized(body, version, size);
            });
        }
        // The bytes behind it that are its own, in version 1 of a later declaration.
        let is_value = !matches!(field.role, Role::Reserved { .. });
        if let Some(position) = start.checked_sub(growth.size(1)).filter(|_| is_value) {
            let from_end = growth.defaults.len() - position as usize;
            found.put("field.default", &*place, "another first byte".to_owned(), move |catalog| {
                defaulted(catalog, id, from_end);
            });
        }
    }
    let place = at(catalog, id, "");
    let newest = growth.newest();
    found.put("growth.version", &*place, format!("{newest} versions → {}", newest + 1), move |catalog| {
        catalog.contracts[id.0].version = Some(newest + 1);
        let body = descriptor(catalog, id);
        for field in &mut body.fields {
            if let Role::Version(version) = &mut field.role {
                *version += 1;
            }
        }
        if let Some(growth) = &mut body.growth {
            growth.sizes.extend(growth.sizes.last().copied());
        }
    });
    found.put("growth.none", place, "grows → has one size".to_owned(), move |catalog| {
        let body = descriptor(catalog, id);
        body.growth = None;
        body.fields.iter_mut().for_each(|field| field.since = None);
    });
}

/// Ends a version elsewhere. The bytes that all versions have are none that have a default.
fn resized(body: &mut Descriptor, version: u32, size: u32) {
    let Some(Growth { sizes, defaults }) = &mut body.growth else { return };
    let before = sizes[0];
    if let Some(of_version) = sizes.get_mut(version as usize - 1) {
        *of_version = size;
    }
    if sizes[0] < before {
        defaults.splice(0..0, vec![0; (before - sizes[0]) as usize]);
    } else {
        defaults.drain(..((sizes[0] - before) as usize).min(defaults.len()));
    }
}

/// Changes a byte of a default, here and in what holds it, which has the same ones last.
fn defaulted(catalog: &mut Catalog, id: ContractId, from_end: usize) {
    let holds = |contract: &Body| {
        match contract {
        Body::Descriptor(body) => body.fields.last().is_some_and(|field| {
            matches!(field.ty.element, wirecontract_codegen::model::Element::Descriptor(held) if held == id)
        }),
        _ => false,
    }
    };
    for index in 0..catalog.contracts.len() {
        if index != id.0 && !holds(&catalog.contracts[index].body) {
            continue;
        }
        if let Body::Descriptor(Descriptor { growth: Some(growth), .. }) = &mut catalog.contracts[index].body
        {
            let at = growth.defaults.len() - from_end;
            growth.defaults[at] ^= 1;
        }
    }
}
