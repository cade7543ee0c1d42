//! Exported functions, the handles they work on, and what every library has.

use wirecontract_codegen::model::{
    AbiScalar, AbiType, Access, Body, Catalog, ContractId, Function, FunctionParam, Out, OutForm, ParamForm,
    Pass, Scalar, Symbols,
};

use super::abi::others;
use super::{Candidates, at, function, handle};

pub(super) fn find(catalog: &Catalog, id: ContractId, found: &mut Candidates) {
    match &catalog.get(id).body {
        Body::Function(body) => of_function(catalog, id, body, found),
        Body::Handle(body) => {
            let place = at(catalog, id, "");
            let other = if body.access == Access::Shared { Access::Exclusive } else { Access::Shared };
            found.put("handle.access", &*place, format!("{:?} → {other:?}", body.access), move |catalog| {
                handle(catalog, id).access = other;
            });
            let tag = body.tag ^ 1;
            found.put("handle.tag", &*place, format!("{:#06x} → {tag:#06x}", body.tag), move |catalog| {
                handle(catalog, id).tag = tag;
            });
            let renamed = body.destroy.replace("_destroy", "_other_destroy");
            found.put("handle.symbol", &*place, format!("{} → {renamed}", body.destroy), move |catalog| {
                handle(catalog, id).destroy.clone_from(&renamed);
            });
        }
        Body::Symbols(Symbols { is_library: true, names }) => {
            for (index, name) in names.iter().enumerate() {
                let (place, renamed) = (at(catalog, id, name), format!("{name}_other"));
                found.put("library.symbol", place, format!("{name} → {renamed}"), move |catalog| {
                    if let Body::Symbols(symbols) = &mut catalog.contracts[id.0].body {
                        symbols.names[index].clone_from(&renamed);
                    }
                });
            }
        }
        _ => {}
    }
}

fn of_function(catalog: &Catalog, id: ContractId, body: &Function, found: &mut Candidates) {
    let place = at(catalog, id, "");
    let renamed = format!("{}_other", body.symbol);
    found.put("function.symbol", &*place, format!("{} → {renamed}", body.symbol), move |catalog| {
        function(catalog, id).symbol.clone_from(&renamed);
    });
    let first = usize::from(body.params.first().is_some_and(|param| param.name == "self"));
    for (index, param) in body.params.iter().enumerate() {
        let place = at(catalog, id, &param.name);
        for (operator, change, form) in forms(catalog, &param.form) {
            found.put(operator, &*place, change, move |catalog| {
                function(catalog, id).params[index].form = form.clone();
            });
        }
        if index < first {
            continue;
        }
        let renamed = format!("{}_other", param.name);
        found.put("param.name", &*place, format!("{} → {renamed}", param.name), move |catalog| {
            function(catalog, id).params[index].name.clone_from(&renamed);
        });
        found.put("param.removed", &*place, "removed", move |catalog| {
            function(catalog, id).params.remove(index);
        });
        if let Some(next) = body.params.get(index + 1) {
            found.put("param.order", &*place, format!("changes places with {}", next.name), move |catalog| {
                function(catalog, id).params.swap(index, index + 1);
            });
        }
    }
    found.put("param.added", &*place, "none → u32 `added`", move |catalog| {
        let number = AbiType::Scalar(AbiScalar::Fixed(Scalar::U32));
        let form = ParamForm::Value(number);
        function(catalog, id).params.push(FunctionParam { name: "added".to_owned(), was: None, form });
    });
    outs(catalog, id, body, found);
}

/// Forms in the place of this one: the operator, and what differs.
fn forms(catalog: &Catalog, form: &ParamForm) -> Vec<(&'static str, String, ParamForm)> {
    let mut forms = Vec::new();
    let mut put = |operator, change: String, form: ParamForm| forms.push((operator, change, form));
    match form {
        ParamForm::Value(ty) => {
            for (change, other) in others(ty) {
                put("param.type", change, ParamForm::Value(other));
            }
        }
        ParamForm::Closed(enumeration) => {
            let repr = catalog.get(*enumeration).repr();
            let number = AbiType::Scalar(AbiScalar::Fixed(repr));
            put("param.type", format!("a closed value → {repr}"), ParamForm::Value(number));
        }
        ParamForm::Reference { to, is_mut, is_nullable } => {
            let of = |is_mut, is_nullable| ParamForm::Reference { to: to.clone(), is_mut, is_nullable };
            put("param.mutable", format!("written: {is_mut} → {}", !is_mut), of(!is_mut, *is_nullable));
            let change = format!("may be null: {is_nullable} → {}", !is_nullable);
            put("param.nullable", change, of(*is_mut, !is_nullable));
        }
        ParamForm::Slice { item, is_mut } => {
            let of = |item: &AbiType, is_mut| ParamForm::Slice { item: item.clone(), is_mut };
            put("param.mutable", format!("written: {is_mut} → {}", !is_mut), of(item, !is_mut));
            for (change, other) in others(item) {
                put("param.type", format!("items: {change}"), of(&other, *is_mut));
            }
        }
        ParamForm::Text { is_nullable } => {
            let change = format!("may be null: {is_nullable} → {}", !is_nullable);
            put("param.nullable", change, ParamForm::Text { is_nullable: !is_nullable });
            let bytes = AbiType::Scalar(AbiScalar::Fixed(Scalar::U8));
            let slice = ParamForm::Slice { item: bytes, is_mut: false };
            put("param.type", "a text → bytes and their number".to_owned(), slice);
        }
        ParamForm::Descriptor(_) | ParamForm::Document(_) => {
            put("param.type", "a contract → a text".to_owned(), ParamForm::Text { is_nullable: false });
        }
        ParamForm::Handle { contract, pass } => {
            for other in [Pass::Borrowed, Pass::BorrowedMut, Pass::Taken] {
                if other != *pass {
                    let contract = *contract;
                    let form = ParamForm::Handle { contract, pass: other };
                    put("param.ownership", format!("{pass:?} → {other:?}"), form);
                }
            }
        }
        ParamForm::Callback(params) => {
            for index in 0..params.len() {
                let mut fewer = params.clone();
                let gone = fewer.remove(index);
                let change = format!("told `{}` → not told", gone.name);
                put("param.callback", change, ParamForm::Callback(fewer));
                for (_, change, form) in self::forms(catalog, &params[index].form) {
                    let mut other = params.clone();
                    other[index].form = form;
                    put("param.callback", change, ParamForm::Callback(other));
                }
            }
        }
    }
    forms
}

fn outs(catalog: &Catalog, id: ContractId, body: &Function, found: &mut Candidates) {
    for (index, out) in body.outs.iter().enumerate() {
        let place = at(catalog, id, &out.name);
        found.put("result.removed", &*place, "removed", move |catalog| {
            function(catalog, id).outs.remove(index);
        });
        let others: Vec<(&str, String, OutForm)> = match &out.form {
            OutForm::Value(ty) => {
                let others = others(ty).into_iter();
                others.map(|(change, ty)| ("result.type", change, OutForm::Value(ty))).collect()
            }
            OutForm::Text => vec![("result.ownership", "a text → bytes".to_owned(), OutForm::Bytes)],
            OutForm::Bytes => vec![("result.ownership", "bytes → a text".to_owned(), OutForm::Text)],
            OutForm::Descriptor(_) => {
                let change = "written to the caller's → the caller frees it".to_owned();
                vec![("result.ownership", change, OutForm::Bytes)]
            }
            OutForm::Document(_) => {
                vec![("result.type", "a document → a text".to_owned(), OutForm::Text)]
            }
            OutForm::Handle(_) => {
                let number = AbiType::Scalar(AbiScalar::Fixed(Scalar::U64));
                let change = "a handle → a number that nobody ends".to_owned();
                vec![("result.ownership", change, OutForm::Value(number))]
            }
            OutForm::Fd { is_given } => {
                let [from, to] = if *is_given { ["the caller's", "lent"] } else { ["lent", "the caller's"] };
                let change = format!("a file descriptor, {from} → {to}");
                vec![("result.ownership", change, OutForm::Fd { is_given: !is_given })]
            }
            OutForm::Closed(enumeration) => {
                let number = AbiType::Scalar(AbiScalar::Fixed(catalog.get(*enumeration).repr()));
                vec![("result.type", "a closed value → its number".to_owned(), OutForm::Value(number))]
            }
        };
        for (operator, change, form) in others {
            found.put(operator, &*place, change, move |catalog| {
                function(catalog, id).outs[index].form = form.clone();
            });
        }
        if let Some(next) = body.outs.get(index + 1) {
            found.put(
                "result.order",
                &*place,
                format!("changes places with {}", next.name),
                move |catalog| {
                    function(catalog, id).outs.swap(index, index + 1);
                },
            );
        }
    }
    found.put("result.added", at(catalog, id, ""), "none → u32 `out_added`", move |catalog| {
        let form = OutForm::Value(AbiType::Scalar(AbiScalar::Fixed(Scalar::U32)));
        function(catalog, id).outs.push(Out { name: "out_added".to_owned(), form });
    });
}
