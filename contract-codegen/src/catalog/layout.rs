//! Whether offsets, sizes and alignments are what the fields make them: emitters rely on it.

use crate::model::{AbiStruct, Body, Catalog, Contract, DataModel, Descriptor, Element, Endian, Layout};

/// Checks a contract whose nested contracts are in `catalog` already.
pub(super) fn check(catalog: &Catalog, contract: &Contract) -> Result<(), String> {
    match &contract.body {
        Body::Descriptor(descriptor) => descriptor_layout(catalog, descriptor),
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

fn alignment(catalog: &Catalog, element: Element) -> u32 {
    match element {
        Element::Descriptor(contract) => catalog.get(contract).descriptor().align,
        _ => catalog.element_size(element),
    }
}
