//! What is asked of a descriptor when it is imported.

use super::check::check_rules;
use super::{Fault, Host, Value, read};
use crate::model::{Catalog, ContractId, Element, Moment};

/// Reads a descriptor that fills the buffer and checks what its contracts ask for at import.
pub fn import(catalog: &Catalog, id: ContractId, bytes: &[u8], host: Host) -> Result<(), Fault> {
    let reading = read(catalog, id, bytes, host)?;
    import_value(catalog, id, &reading.value, 0)
}

/// What nests in the value first, by offset, then its own conditions and rules; elements past a count are no part of it.
pub(super) fn import_value(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    base: usize,
) -> Result<(), Fault> {
    for field in &catalog.get(id).descriptor().fields {
        if let (Element::Descriptor(nested), Some(member)) = (field.ty.element, value.get(&field.name)) {
            import_elements(catalog, nested, member, base + field.offset as usize, &field.ty.dims)?;
        }
    }
    check_rules(catalog, id, value, base, Moment::Import)
}

fn import_elements(
    catalog: &Catalog,
    id: ContractId,
    value: &Value,
    base: usize,
    dims: &[u32],
) -> Result<(), Fault> {
    let ([_, inner @ ..], Value::List(items)) = (dims, value) else {
        return import_value(catalog, id, value, base);
    };
    let stride = (catalog.get(id).descriptor().size * inner.iter().product::<u32>()) as usize;
    for (index, item) in items.iter().enumerate() {
        import_elements(catalog, id, item, base + index * stride, inner)?;
    }
    Ok(())
}
