//! Members of C structs, and types in signatures. Layouts follow by [`settle`](crate::mutate::remake::settle).

use wirecontract_codegen::model::{AbiField, AbiScalar, AbiType, Catalog, ContractId, Scalar, Signature};

use super::types::same_size;
use super::{Candidates, abi, at};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    let body = catalog.get(id).abi();
    for (index, field) in body.fields.iter().enumerate() {
        let place = at(catalog, id, &field.name);
        let renamed = format!("{}_other", field.name);
        found.put("member.name", &*place, format!("{} → {renamed}", field.name), move |catalog| {
            let field = &mut abi(catalog, id).fields[index];
            field.name.clone_from(&renamed);
            field.c_name = None;
        });
        for (change, ty) in others(&field.ty) {
            found.put("member.type", &*place, change, move |catalog| {
                let field = &mut abi(catalog, id).fields[index];
                field.ty = ty.clone();
                // What C calls a function pointer is a name of the type that it had.
                field.c_type = None;
            });
        }
        if field.counted_by.is_some() {
            found.put("member.counted_by", &*place, "counted → not", move |catalog| {
                abi(catalog, id).fields[index].counted_by = None;
            });
        }
        if let Some(next) = body.fields.get(index + 1) {
            found.put(
                "member.order",
                &*place,
                format!("changes places with {}", next.name),
                move |catalog| {
                    let fields = &mut abi(catalog, id).fields;
                    fields.swap(index, index + 1);
                    counts(fields, |count| match count {
                        count if count == index => Some(index + 1),
                        count if count == index + 1 => Some(index),
                        count => Some(count),
                    });
                },
            );
        }
        if body.fields.len() > 1 {
            found.put("member.removed", &*place, "removed", move |catalog| {
                let fields = &mut abi(catalog, id).fields;
                fields.remove(index);
                counts(fields, |count| (count != index).then(|| count - usize::from(count > index)));
            });
        }
    }
    found.put("member.added", at(catalog, id, ""), "none → u32 `added`", move |catalog| {
        abi(catalog, id).fields.push(AbiField {
            name: "added".to_owned(),
            was: None,
            docs: String::new(),
            c_name: None,
            c_type: None,
            since: None,
            deprecated: None,
            ty: AbiType::Scalar(AbiScalar::Fixed(Scalar::U32)),
            offsets: [0; 4],
            counted_by: None,
        });
    });
}

fn counts(fields: &mut [AbiField], now: impl Fn(usize) -> Option<usize>) {
    for field in fields {
        field.counted_by = field.counted_by.and_then(&now);
    }
}

/// Types in the place of this one, each with what differs.
pub(super) fn others(ty: &AbiType) -> Vec<(String, AbiType)> {
    let mut others = Vec::new();
    match ty {
        AbiType::Scalar(AbiScalar::Fixed(scalar)) => {
            for other in same_size(*scalar) {
                let change = format!("{scalar} → {other}");
                others.push((change, AbiType::Scalar(AbiScalar::Fixed(other))));
            }
            if *scalar == Scalar::U32 {
                others.push(("u32 → u64".to_owned(), AbiType::Scalar(AbiScalar::Fixed(Scalar::U64))));
            }
        }
        AbiType::Scalar(scalar) => {
            let other = match scalar {
                AbiScalar::Size | AbiScalar::Int => AbiScalar::UInt,
                _ => AbiScalar::Int,
            };
            others.push((format!("{scalar:?} → {other:?}"), AbiType::Scalar(other)));
        }
        AbiType::Enumeration(_) | AbiType::Flags(_) => {
            let number = AbiType::Scalar(AbiScalar::Fixed(Scalar::U64));
            others.push(("named values → u64".to_owned(), number));
        }
        AbiType::Struct(_) => {}
        AbiType::Array { item, length } => {
            let ty = AbiType::Array { item: item.clone(), length: length + 1 };
            others.push((format!("{length} → {} items", length + 1), ty));
        }
        AbiType::Pointer { to, is_const } => {
            let word = |is_const: bool| if is_const { "const" } else { "mut" };
            let change = format!("{} → {}", word(*is_const), word(!is_const));
            others.push((change, AbiType::Pointer { to: to.clone(), is_const: !is_const }));
            let other = match to.as_deref() {
                None => AbiType::Scalar(AbiScalar::Fixed(Scalar::U8)),
                Some(AbiType::Scalar(AbiScalar::Fixed(Scalar::U8))) => {
                    AbiType::Scalar(AbiScalar::Fixed(Scalar::U16))
                }
                Some(_) => {
                    let to = None;
                    others.push(("to that → void".to_owned(), AbiType::Pointer { to, is_const: *is_const }));
                    return others;
                }
            };
            let ty = AbiType::Pointer { to: Some(Box::new(other)), is_const: *is_const };
            others.push(("points to something else".to_owned(), ty));
        }
        AbiType::Function(signature) => {
            for (change, other) in signatures(signature) {
                others.push((change, AbiType::Function(Box::new(other))));
            }
        }
    }
    others
}

fn signatures(signature: &Signature) -> Vec<(String, Signature)> {
    let mut others = Vec::new();
    let mut put = |change: &str, other: Signature| others.push((change.to_owned(), other));
    if !signature.params.is_empty() {
        let mut fewer = signature.clone();
        fewer.params.pop();
        put("a parameter less", fewer);
    }
    if signature.params.len() > 1 && signature.params[0].ty != signature.params[1].ty {
        let mut swapped = signature.clone();
        swapped.params.swap(0, 1);
        put("two parameters change places", swapped);
    }
    let mut result = signature.clone();
    result.result = match &signature.result {
        None => Some(AbiType::Scalar(AbiScalar::Int)),
        Some(_) => None,
    };
    put("another result", result);
    others
}
