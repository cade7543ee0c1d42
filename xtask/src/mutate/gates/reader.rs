//! Golden vectors and the interpreter: the vectors of unchanged declarations beside a changed reader, and changed vectors
//! beside the unchanged one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value as Json;
use wirecontract_codegen::gen_stubs::Target;
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::{Body, Catalog, Contract, ContractId, DataValue, EnumValue};
use wirecontract_tests::differential::vectors::{Question, questions};
use wirecontract_tests::differential::{Request, answer};

use super::{Case, Outcome};
use crate::mutate::subject::Subject;

/// What the unchanged vectors say of the contracts that changed; none where they say nothing of them. Where only names
/// differ, verdicts, offsets and bytes are compared.
pub(super) fn declarations(case: &Case<'_>, changed: &Catalog, names_differ: bool) -> Option<Outcome> {
    let old = case.subject.catalog();
    let asked: Vec<&Question> =
        case.subject.questions.iter().filter(|it| case.affected.contains(&it.request.contract)).collect();
    let named: Vec<ContractId> = case
        .affected
        .iter()
        .copied()
        .filter(|&id| matches!(old.get(id).body, Body::Enumeration(_) | Body::Flags(_)))
        .collect();
    if asked.is_empty() && named.is_empty() {
        return None;
    }
    let files = case.subject.files.iter().filter(|file| file.target == Target::Vectors);
    let entries: Vec<Json> = files
        .filter_map(|file| serde_json::from_str::<Json>(&file.text).ok())
        .flat_map(|file| file["contracts"].as_array().cloned().unwrap_or_default())
        .collect();
    let of_values = named.iter().find_map(|&id| {
        let Some(new) = same(old.get(id), changed) else {
            return Some(format!("there is no {} any more", old.get(id).name));
        };
        let entry = entries.iter().find(|entry| entry["contract"] == old.get(id).name)?;
        values(entry, changed.get(new), names_differ)
    });
    Some(Outcome::of(of_values.or_else(|| asked.iter().find_map(|it| asks(old, changed, it, names_differ)))))
}

/// What the unchanged interpreter says of changed vectors.
pub(super) fn vectors(subject: &Subject, text: &str) -> Outcome {
    let catalog = subject.catalog();
    let read = || {
        let found = questions(catalog, text, Host::this());
        let wrong = found.iter().find_map(|it| asks(catalog, catalog, it, false));
        let file: Json = serde_json::from_str(text).expect("it was read");
        let entries = file["contracts"].as_array().cloned().unwrap_or_default();
        wrong.or_else(|| {
            entries.iter().find_map(|entry| {
                let contract = catalog.contracts.iter().find(|it| entry["contract"] == it.name)?;
                let is_said = entry["kind"] == contract.kind();
                if is_said { values(entry, contract, false) } else { Some("another kind".to_owned()) }
            })
        })
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(wrong) => Outcome::of(wrong),
        Err(_) => Outcome::Stopped("they are no vectors of these declarations".to_owned()),
    }
}

/// The contract that an unchanged one is now, whatever it is called.
fn same(old: &Contract, changed: &Catalog) -> Option<ContractId> {
    let is_it = |contract: &Contract| {
        contract.package == old.package
            && contract.family() == old.family()
            && contract.kind() == old.kind()
            && (contract.name == old.name || contract.was.as_ref() == Some(&old.name))
    };
    changed.iter().find(|(_, contract)| is_it(contract)).map(|(id, _)| id)
}

fn asks(old: &Catalog, changed: &Catalog, question: &Question, names_differ: bool) -> Option<String> {
    let name = &old.get(question.request.contract).name;
    let Some(contract) = same(old.get(question.request.contract), changed) else {
        return Some(format!("there is no {name} any more"));
    };
    let request = Request { contract, ..question.request.clone() };
    let answered = catch_unwind(AssertUnwindSafe(|| answer(changed, &[], &request, Host::this())));
    let Ok(answered) = answered else { return Some(format!("{name}: the reader panics")) };
    let agrees = if names_differ {
        let before = answer(old, &[], &question.request, Host::this());
        without_names(&before) == without_names(&answered)
    } else {
        question.is_answered(&answered)
    };
    (!agrees).then(|| format!("{name}: {answered}"))
}

/// The verdict, the code, the offset and the bytes of an answer.
fn without_names(answer: &str) -> Vec<String> {
    let words: Vec<&str> = answer.split(' ').collect();
    match words.first() {
        // A number, a contract, a field, an offset, and a message.
        Some(&"err") => {
            [words.get(1), words.get(4)].into_iter().flatten().map(|it| (*it).to_owned()).collect()
        }
        // Of a message: whose the file descriptors are, what is written, and whether it is imported.
        Some(&"ok") if answer.contains(" | ") => {
            words.iter().skip(2).take(4).map(|it| (*it).to_owned()).collect()
        }
        Some(&"ok") => {
            words.last().map(|bytes| vec!["ok".to_owned(), (*bytes).to_owned()]).unwrap_or_default()
        }
        _ => vec![answer.to_owned()],
    }
}

/// What vectors say of named values, against an enumeration or flags.
fn values(entry: &Json, contract: &Contract, names_differ: bool) -> Option<String> {
    let (all, data): (&[EnumValue], Vec<&str>) = match &contract.body {
        Body::Enumeration(body) => (&body.values, body.data.iter().map(|key| &*key.name).collect()),
        Body::Flags(body) => (&body.values, Vec::new()),
        _ => return None,
    };
    if entry["repr"] != contract.repr().name() {
        return Some(format!("{}: it is of {}", contract.name, contract.repr()));
    }
    for said in entry["values"].as_array()? {
        let number = said["value"].as_i64().map(i128::from).or(said["value"].as_u64().map(i128::from))?;
        let found = all.iter().find(|value| value.value == number);
        let says = |value: &EnumValue| {
            let aliases = said["aliases"].as_array().cloned().unwrap_or_default();
            let carries = |(key, value): (&&str, &DataValue)| match value {
                DataValue::Integer(number) => said["data"][*key].as_i64().map(i128::from) == Some(*number),
                DataValue::Bool(truth) => said["data"][*key] == *truth,
                DataValue::Text(text) => said["data"][*key] == **text,
            };
            (names_differ || said["name"] == *value.wire_name)
                && aliases.iter().eq(value.aliases.iter())
                && data.iter().zip(&value.data).all(carries)
        };
        // The entry of all bits has no name.
        let agrees = match (said["known"] == true, found) {
            (true, Some(value)) => says(value),
            (true, None) => {
                said.get("name").is_none() && all.iter().fold(0, |bits, it| bits | it.value) == number
            }
            (false, found) => found.is_none(),
        };
        if !agrees {
            return Some(format!("{}: {said} is not so", contract.name));
        }
    }
    None
}
