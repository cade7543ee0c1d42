//! Whether offsets, sizes and alignments are what the fields make them: emitters rely on it.

use crate::model::{
    AbiStruct, Body, Catalog, Contract, DataModel, Descriptor, Element, Endian, Field, Growth, Layout, Role,
};

/// Checks a contract whose nested contracts are in `catalog` already.
pub(super) fn check(catalog: &Catalog, contract: &Contract) -> Result<(), String> {
    match &contract.body {
        Body::Descriptor(descriptor) => {
            let sizes = descriptor.growth.as_ref().map(Growth::newest);
            match sizes.filter(|newest| contract.version != Some(*newest)) {
                Some(newest) => Err(format!("it has sizes of {newest} versions, and is not of that version")),
                None => descriptor_layout(catalog, descriptor),
            }
        }
        Body::Abi(body) => DataModel::ALL.into_iter().try_for_each(|model| abi_layout(catalog, body, model)),
        _ => Ok(()),
    }
}

/// What C makes of the fields in a data model, against what the record says.
fn abi_layout(catalog: &Catalog, body: &AbiStruct, model: DataModel) -> Result<(), String> {
    let (at, name) = (model as usize, model.name());
    let types = body.fields.iter().map(|field| &field.ty);
    let (offsets, whole) = AbiStruct::place(catalog, model, types)
        .ok_or_else(|| format!("it is larger than 4 GiB on {name}"))?;
    for (field, offset) in body.fields.iter().zip(offsets) {
        if field.offsets[at] != offset {
            return Err(format!(
                "the field `{}` is at byte {} on {name}, where C puts it at {offset}",
                field.name, field.offsets[at]
            ));
        }
    }
    let stated = body.layouts[at];
    if stated != whole {
        return Err(format!(
            "it has {} bytes and alignment {} on {name}, its fields make {} and {}",
            stated.size, stated.align, whole.size, whole.align
        ));
    }
    Ok(())
}

fn descriptor_layout(catalog: &Catalog, descriptor: &Descriptor) -> Result<(), String> {
    // 64 bits: a product of four dimensions may leave 32.
    let mut end: u64 = 0;
    let mut align = 1;
    for field in &descriptor.fields {
        let refuse = |reason: String| format!("the field `{}` {reason}", field.name);
        if u64::from(field.offset) != end {
            return Err(refuse(format!("is at byte {}, where the one before ends at {end}", field.offset)));
        }
        let size = catalog.element_size(field.ty.element);
        if size == 1 && field.ty.endian != Endian::Little {
            return Err(refuse("has a byte order, with elements of one byte".to_owned()));
        }
        let count = field.ty.dims.iter().try_fold(1_u64, |count, &dim| count.checked_mul(dim.into()));
        let length = count.and_then(|count| count.checked_mul(size.into()));
        end = length
            .and_then(|length| end.checked_add(length))
            .filter(|&end| end <= descriptor.size.into())
            .ok_or_else(|| {
                refuse(format!("reaches beyond the {} bytes of its descriptor", descriptor.size))
            })?;
        if descriptor.layout == Layout::Natural {
            let wanted = alignment(catalog, field.ty.element);
            if !field.offset.is_multiple_of(wanted) {
                return Err(refuse(format!("is at byte {}, where its alignment is {wanted}", field.offset)));
            }
            align = align.max(wanted);
        }
    }
    grown(catalog, descriptor)?;
    if descriptor.fields.is_empty() || end != u64::from(descriptor.size) {
        return Err(format!("it has {} bytes, its fields {end}", descriptor.size));
    }
    if descriptor.align != align || !descriptor.size.is_multiple_of(align) {
        return Err(format!(
            "it has {} bytes and alignment {}, its fields have alignment {align}",
            descriptor.size, descriptor.align
        ));
    }
    Ok(())
}

/// Each version's bytes end where its fields do, and what grows stands last.
fn grown(catalog: &Catalog, descriptor: &Descriptor) -> Result<(), String> {
    let last = descriptor.fields.len().saturating_sub(1);
    let says = |field: &&Field| matches!(field.role, Role::Version(_));
    if descriptor.growth.is_some() && descriptor.fields.iter().filter(says).count() > 1 {
        return Err("it grows, and two of its fields say the version".to_owned());
    }
    for (index, field) in descriptor.fields.iter().enumerate() {
        let refuse = |reason: &str| Err(format!("the field `{}` {reason}", field.name));
        let end = u64::from(field.offset) + u64::from(catalog.field_size(field));
        let nested = match field.ty.element {
            Element::Descriptor(id) => {
                catalog.get(id).descriptor().growth.as_ref().map(|growth| (id, growth))
            }
            _ => None,
        };
        let Some(growth) = &descriptor.growth else {
            match nested {
                Some(_) => return refuse("grows, and what holds it does not"),
                None => continue,
            }
        };
        let since = field.since.unwrap_or(1);
        if since == 0 || since > growth.newest() {
            return refuse("came with a version that the contract has not");
        }
        if let Some((id, inner)) = nested {
            if index != last || !field.ty.dims.is_empty() || since != 1 {
                return refuse("grows, and does not stand last in all versions");
            }
            if catalog.get(id).descriptor().version_field().is_some() {
                return refuse("grows, and says its version itself");
            }
            let sizes = inner.sizes.iter().map(|&size| size.checked_add(field.offset));
            if !sizes.eq(growth.sizes.iter().map(|&size| Some(size))) {
                return refuse("grows otherwise than what holds it");
            }
            if !growth.defaults.ends_with(&inner.defaults) {
                return refuse("has other defaults than in what holds it");
            }
            continue;
        }
        if matches!(field.role, Role::Magic(_) | Role::Version(_)) && since > 1 {
            return refuse("is what messages are known by, and not in all of them");
        }
        if let Role::Version(newest) = field.role
            && newest != u64::from(growth.newest())
        {
            return refuse("says another newest version than the sizes do");
        }
        if end > growth.size(since).into() {
            return refuse("ends behind the version that it came with");
        }
        if since > 1 {
            let before = u64::from(growth.size(since - 1));
            if u64::from(field.offset) < before && end > before {
                return refuse("is partly in versions that do not have it");
            }
            let first = u64::from(growth.size(1));
            let default = |at: u64| growth.defaults[usize::try_from(at - first).expect("within 4 GiB")];
            let is_zero = u64::from(field.offset) < before || matches!(field.role, Role::Reserved { .. });
            if is_zero && (first.max(field.offset.into())..end).any(|at| default(at) != 0) {
                return refuse("was or is reserved, and has another default than zero");
            }
        }
        if let Some(count) = descriptor.count_of(index)
            && descriptor.fields[count].since.unwrap_or(1) != since
        {
            return refuse("and its count did not come together");
        }
    }
    Ok(())
}

fn alignment(catalog: &Catalog, element: Element) -> u32 {
    match element {
        Element::Descriptor(contract) => catalog.get(contract).descriptor().align,
        _ => catalog.element_size(element),
    }
}
