//! What the derive sorts, so that two declarations that differ only in an order that says nothing are one.

use wirecontract_codegen::model::{
    Body, Catalog, Content, ContractId, EnumValue, JsonType, Literal, Presence, Role,
};

/// A value that is there no more, in a default that names it.
const GONE: usize = usize::MAX;

/// Sorts values by number, aliases and data keys by name, counted fields by offset.
///
/// # Errors
/// A default that names a value which is gone.
pub(crate) fn settle(catalog: &mut Catalog) -> Result<(), String> {
    for index in 0..catalog.contracts.len() {
        match &mut catalog.contracts[index].body {
            Body::Descriptor(body) => {
                for field in &mut body.fields {
                    if let Role::LengthOf(targets) = &mut field.role {
                        targets.sort_unstable();
                    }
                }
            }
            Body::Enumeration(body) => {
                let mut keys: Vec<usize> = (0..body.data.len()).collect();
                keys.sort_by(|a, b| body.data[*a].name.cmp(&body.data[*b].name));
                body.data = keys.iter().map(|&key| body.data[key].clone()).collect();
                for value in &mut body.values {
                    value.data = keys.iter().map(|&key| value.data[key].clone()).collect();
                }
                let places = sorted(&mut body.values);
                moved(catalog, ContractId(index), |position| places.get(position).copied());
            }
            Body::Flags(body) => {
                sorted(&mut body.values);
            }
            _ => {}
        }
    }
    let mut is_gone = false;
    for index in 0..catalog.contracts.len() {
        each_default(catalog, index, &mut |_, position| is_gone |= *position == GONE);
    }
    if is_gone { Err("a default names a value that is gone".to_owned()) } else { Ok(()) }
}

/// Sorts values, and says where each is now.
fn sorted(values: &mut Vec<EnumValue>) -> Vec<usize> {
    values.iter_mut().for_each(|value| value.aliases.sort());
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&index| values[index].value);
    *values = order.iter().map(|&index| values[index].clone()).collect();
    let mut places = vec![0; order.len()];
    for (new, old) in order.into_iter().enumerate() {
        places[old] = new;
    }
    places
}

/// Says where the values of an enumeration are now that defaults name.
pub(crate) fn moved(catalog: &mut Catalog, enumeration: ContractId, now: impl Fn(usize) -> Option<usize>) {
    for index in 0..catalog.contracts.len() {
        each_default(catalog, index, &mut |contract, position| {
            if contract == enumeration && *position != GONE {
                *position = now(*position).unwrap_or(GONE);
            }
        });
    }
}

/// Calls with each named value in a contract's defaults, and the enumeration that it is of.
fn each_default(catalog: &mut Catalog, index: usize, visit: &mut impl FnMut(ContractId, &mut usize)) {
    match &mut catalog.contracts[index].body {
        Body::Recipe(body) => {
            for key in &mut body.keys {
                if let Presence::Optional { default: Some(default), .. }
                | Presence::Defaulted { default, .. } = &mut key.presence
                {
                    literal(&key.ty, default, visit);
                }
            }
        }
        Body::Union(body) => {
            for variant in &mut body.variants {
                if let Content::Value { ty, default: Some(default) } = &mut variant.content {
                    literal(ty, default, visit);
                }
            }
        }
        _ => {}
    }
}

fn literal(ty: &JsonType, default: &mut Literal, visit: &mut impl FnMut(ContractId, &mut usize)) {
    match (ty, default) {
        (JsonType::Enumeration { contract, .. }, Literal::Value(position)) => visit(*contract, position),
        (JsonType::Array { item, .. }, Literal::List(items)) => {
            items.iter_mut().for_each(|each| literal(item, each, visit));
        }
        _ => {}
    }
}
