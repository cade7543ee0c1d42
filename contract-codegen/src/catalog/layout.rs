//! Whether a descriptor's offsets, size and alignment are what its fields make them: emitters rely on it.

use crate::model::{Body, Catalog, Contract, Descriptor, Element, Endian, Layout};

/// Checks a contract whose nested contracts are in `catalog` already.
pub(super) fn check(catalog: &Catalog, contract: &Contract) -> Result<(), String> {
    match &contract.body {
        Body::Descriptor(descriptor) => descriptor_layout(catalog, descriptor),
        _ => Ok(()),
    }
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
