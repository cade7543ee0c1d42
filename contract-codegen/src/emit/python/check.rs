//! The check of a descriptor: a statement for each field that can be at fault, in the order in which faults count.

use std::collections::BTreeSet;

use super::plan::limit;
use super::scope::Scope;
use super::text::{bytes, hex, statement, string};
use super::types::{code, format, scalar};
use crate::model::{ContractId, Descriptor, Element, Field, Role, Scalar};

/// The body of `_check_X(data, at)`.
pub(super) fn check(scope: &Scope<'_>, id: ContractId) -> Vec<String> {
    let contract = scope.catalog.get(id);
    let descriptor = contract.descriptor();
    let rank = |field: &&Field| match field.role {
        Role::Magic(_) => 0,
        Role::Version(_) => 1,
        _ => 2,
    };
    let mut fields: Vec<&Field> = descriptor.fields.iter().collect();
    fields.sort_by_key(rank);
    fields.into_iter().filter_map(|field| field_check(scope, &contract.name, descriptor, field)).collect()
}

fn field_check(scope: &Scope<'_>, contract: &str, descriptor: &Descriptor, field: &Field) -> Option<String> {
    let at = if field.offset == 0 { "at".to_owned() } else { format!("at + {}", field.offset) };
    let total: u32 = field.ty.dims.iter().product();
    let form = || {
        let letter = code(scalar(scope, field.ty.element));
        let codes = if total == 1 { letter.to_string() } else { format!("{total}{letter}") };
        format(scope, field.ty.endian, &codes)
    };
    let size = scope.catalog.field_size(field);
    let check = |name: &str, arguments: Vec<String>| {
        let mut items = vec!["data".to_owned(), at.clone()];
        items.extend(arguments);
        items.extend([string(contract), string(&field.name)]);
        Some(statement(4, &format!("{}({})", scope.wire(name), items.join(", "))))
    };
    match (&field.role, field.ty.element) {
        (Role::Magic(magic), _) => check("check_magic", vec![bytes(magic)]),
        (Role::Version(newest), _) => check("check_version", vec![form(), newest.to_string()]),
        (Role::Reserved { zero: true }, _) => check("check_zero", vec![size.to_string()]),
        (Role::LengthOf(targets), _) => {
            check("check_count", vec![form(), limit(descriptor, targets).to_string()])
        }
        (Role::Text, _) => check("check_text", vec![size.to_string()]),
        (Role::Value, Element::Scalar(Scalar::Bool)) => check("check_bools", vec![total.to_string()]),
        (Role::Reserved { zero: false }, _)
        | (Role::Value, Element::Scalar(_) | Element::Enumeration { open: true, .. }) => None,
        (Role::Value, Element::Enumeration { contract: id, open: false }) => {
            let name = string(&scope.catalog.get(id).name);
            check("check_values", vec![form(), scope.private("values", id), name])
        }
        (Role::Value, Element::Flags { contract: id }) => {
            let flags = scope.catalog.get(id).flags();
            if flags.open {
                return None;
            }
            check("check_bits", vec![form(), hex(flags.known_bits())])
        }
        (Role::Value, Element::Descriptor(nested)) => {
            let check = scope.private("check", nested);
            if field.ty.dims.is_empty() {
                return Some(format!("    {check}(data, {at})"));
            }
            let range = scope.builtin("range", &BTreeSet::new());
            let end = if field.offset == 0 {
                format!("at + {size}")
            } else {
                format!("at + {}", field.offset + size)
            };
            let step = scope.catalog.element_size(field.ty.element);
            Some(format!("    for start in {range}({at}, {end}, {step}):\n        {check}(data, start)"))
        }
    }
}
