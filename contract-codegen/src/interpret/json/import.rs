//! What is asked of a recipe or union when the things it describes are imported.

use super::lookup::check_rules;
use super::value::Value;
use crate::interpret::Fault;
use crate::interpret::import::import_value;
use crate::model::{Body, Catalog, Content, ContractId, JsonType, Moment};

/// Checks the conditions and rules at import of a value: those of what it holds first, as declared, then its own.
///
/// Nothing else is checked: a value was checked when it was read, or is when it is written.
///
/// # Panics
/// When the value is not of the contract's shape.
pub fn import(catalog: &Catalog, id: ContractId, value: &Value, fd_count: usize) -> Result<(), Fault> {
    match (&catalog.get(id).body, value) {
        (Body::Recipe(recipe), Value::Recipe(members)) => {
            for (key, member) in recipe.keys.iter().zip(members) {
                if let Some(member) = member
                    && !key.not_imported
                {
                    import_held(catalog, &key.ty, member, fd_count)?;
                }
            }
        }
        (Body::Union(union), Value::Union(variant, Some(content))) => {
            if let Content::Value { ty, .. } = &union.variants[*variant].content {
                import_held(catalog, ty, content, fd_count)?;
            }
        }
        (Body::Union(_), Value::Union(_, None) | Value::Other { .. }) => {}
        (_, value) => panic!("{value:?} is no {}", catalog.get(id).name),
    }
    check_rules(catalog, id, value, 0, Moment::Import, fd_count)
}

fn import_held(catalog: &Catalog, ty: &JsonType, value: &Value, fd_count: usize) -> Result<(), Fault> {
    match (ty, value) {
        (JsonType::Recipe(id) | JsonType::Union(id), value) => import(catalog, *id, value, fd_count),
        (JsonType::Descriptor { contract, .. }, Value::Descriptor(value)) => {
            // The text that holds it has one place, whatever nests in it.
            import_value(catalog, *contract, value, 0).map_err(|fault| Fault { offset: 0, ..fault })
        }
        (JsonType::Array { item, .. }, Value::List(items)) => {
            items.iter().try_for_each(|value| import_held(catalog, item, value, fd_count))
        }
        _ => Ok(()),
    }
}
