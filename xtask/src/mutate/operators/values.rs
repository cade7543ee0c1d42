//! Named values of enumerations and flags. Their order says nothing, and no operator changes it.

use wirecontract_codegen::model::{
    Body, Catalog, ContractId, DataValue, EnumValue, Enumeration, Flags, Scalar, Spelled,
};

use super::types::same_size;
use super::{Candidates, at, values};
use crate::mutate::remake::order;

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    match &catalog.get(id).body {
        Body::Enumeration(body) => {
            each(catalog, id, &body.values, &|value| free_number(body, value), found);
            whole(catalog, id, body, found);
        }
        Body::Flags(body) => {
            each(catalog, id, &body.values, &|_| free_bit(body), found);
            flags(catalog, id, body, found);
        }
        _ => {}
    }
}

fn free_number(body: &Enumeration, value: &EnumValue) -> Option<i128> {
    let (_, most) = body.repr.range()?;
    (value.value + 1..=most).find(|&free| body.values.iter().all(|value| value.value != free))
}

fn free_bit(body: &Flags) -> Option<i128> {
    (0..8 * body.repr.size()).map(|bit| 1_u64 << bit).find(|bit| bit & body.known_bits() == 0).map(i128::from)
}

fn each(
    catalog: &Catalog,
    id: ContractId,
    all: &[EnumValue],
    free: &dyn Fn(&EnumValue) -> Option<i128>,
    found: &mut Candidates,
) {
    for (index, value) in all.iter().enumerate() {
        let place = at(catalog, id, &value.name);
        if let Some(number) = free(value) {
            found.put("value.number", &*place, format!("{} → {number}", value.value), move |catalog| {
                values(catalog, id)[index].value = number;
            });
        }
        if let Some(next) = all.get(index + 1) {
            let change = format!("{} ↔ {} ({})", value.value, next.value, next.name);
            found.put("value.swapped", &*place, change, move |catalog| {
                let values = values(catalog, id);
                let number = values[index].value;
                values[index].value = values[index + 1].value;
                values[index + 1].value = number;
            });
        }
        if all.len() > 1 {
            found.put("value.removed", &*place, format!("{} → none", value.value), move |catalog| {
                values(catalog, id).remove(index);
                order::moved(catalog, id, |position| {
                    (position != index).then(|| position - usize::from(position > index))
                });
            });
        }
        let renamed = format!("{}_other", value.wire_name);
        found.put("value.name", &*place, format!("{} → {renamed}", value.wire_name), move |catalog| {
            let value = &mut values(catalog, id)[index];
            if value.name == value.wire_name {
                value.name.clone_from(&renamed);
            }
            value.wire_name.clone_from(&renamed);
        });
        if let Some(alias) = value.aliases.first() {
            found.put("value.alias", &*place, format!("alias {alias} → none"), move |catalog| {
                values(catalog, id)[index].aliases.remove(0);
            });
        }
        for (key, data) in value.data.iter().enumerate() {
            let other = match data {
                DataValue::Integer(number) => DataValue::Integer(number + 1),
                DataValue::Bool(truth) => DataValue::Bool(!truth),
                DataValue::Text(text) => DataValue::Text(format!("{text}x")),
            };
            found.put("value.data", &*place, format!("{data:?} → {other:?}"), move |catalog| {
                values(catalog, id)[index].data[key] = other.clone();
            });
        }
    }
    let last = all.last().filter(|value| value.data.is_empty());
    if let Some((last, number)) = last.and_then(|last| Some((last.clone(), free(last)?))) {
        let place = at(catalog, id, "");
        found.put("value.added", place, format!("none → Added = {number}"), move |catalog| {
            let (name, wire_name) = ("Added".to_owned(), "added".to_owned());
            let names = last.name == last.wire_name;
            values(catalog, id).push(EnumValue {
                wire_name: if names { name.clone() } else { wire_name },
                name,
                value: number,
                aliases: Vec::new(),
                c_name: None,
                ..last.clone()
            });
        });
    }
}

fn whole(catalog: &Catalog, id: ContractId, body: &Enumeration, found: &mut Candidates) {
    fn enumeration(catalog: &mut Catalog, id: ContractId) -> &mut Enumeration {
        match &mut catalog.contracts[id.0].body {
            Body::Enumeration(body) => body,
            _ => panic!("the operator found an enumeration here"),
        }
    }
    let place = at(catalog, id, "");
    for repr in same_size(body.repr).filter(|repr| !matches!(repr, Scalar::F32 | Scalar::F64)) {
        found.put("enumeration.repr", &*place, format!("{} → {repr}", body.repr), move |catalog| {
            enumeration(catalog, id).repr = repr;
        });
    }
    let (from, to) = other_spelling(body.spelled);
    found.put("enumeration.spelled", &*place, format!("{from} → the other way"), move |catalog| {
        enumeration(catalog, id).spelled = to;
    });
    let fold = body.fold;
    found.put("enumeration.case", &*place, format!("fold: {fold} → {}", !fold), move |catalog| {
        enumeration(catalog, id).fold = !fold;
    });
}

fn flags(catalog: &Catalog, id: ContractId, body: &Flags, found: &mut Candidates) {
    fn flags(catalog: &mut Catalog, id: ContractId) -> &mut Flags {
        match &mut catalog.contracts[id.0].body {
            Body::Flags(body) => body,
            _ => panic!("the operator found flags here"),
        }
    }
    let place = at(catalog, id, "");
    let open = body.open;
    found.put("flags.open", &*place, format!("open: {open} → {}", !open), move |catalog| {
        flags(catalog, id).open = !open;
    });
    let (from, to) = other_spelling(body.spelled);
    found.put("flags.spelled", &*place, format!("{from} → the other way"), move |catalog| {
        flags(catalog, id).spelled = to;
    });
    let wider = match body.repr {
        Scalar::U8 => Scalar::U16,
        Scalar::U32 => Scalar::U64,
        _ => Scalar::U32,
    };
    found.put("flags.repr", &*place, format!("{} → {wider}", body.repr), move |catalog| {
        flags(catalog, id).repr = wider;
    });
}

fn other_spelling(spelled: Spelled) -> (&'static str, Spelled) {
    match spelled {
        Spelled::Names => ("by name", Spelled::Integer),
        Spelled::Integer => ("by number", Spelled::Names),
    }
}
