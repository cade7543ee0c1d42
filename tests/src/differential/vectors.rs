//! Golden vectors put before a driver: the file is the witness here, and not the interpreter.

mod documents;

use serde_json::Value as Json;
use wirecontract_codegen::interpret::{NAMES, unhex};
use wirecontract_codegen::model::{Catalog, ContractId};

use super::request::{Operation, Request};
use super::workbench::Driver;

/// Replays every case of a vector file that a machine of the driver's byte order can be given, and gives their number.
///
/// # Panics
/// When the driver answers otherwise than the file, or the file is not one of vectors.
pub fn replay(catalog: &Catalog, file: &str, driver: &Driver) -> usize {
    let file: Json = serde_json::from_str(file).expect("vectors are JSON");
    let mut replayed = documents::replay(catalog, &file, driver);
    let mut requests = Vec::new();
    let mut cases = Vec::new();
    let mut asked_besides = Vec::new();
    for entry in file["contracts"].as_array().expect("contracts") {
        let host = entry["host"].as_str().unwrap_or("none");
        if host != "any" && host != driver.host().name() {
            continue;
        }
        let contract = contract_of(catalog, entry);
        let name = &catalog.get(contract).name;
        let entry_cases = entry["cases"].as_array().expect("cases");
        let minimum = bytes_of(&entry_cases[0]);
        assert_eq!(entry_cases[0]["name"], "minimum", "the first case of {name}");
        for case in entry_cases {
            let mut bytes = bytes_of(case);
            if let Some(at) = case["at"].as_u64() {
                let at = usize::try_from(at).expect("an offset");
                bytes = [&minimum[..at], &bytes, &minimum[at + bytes.len()..]].concat();
            }
            if case.get("import").is_some() {
                let request = Request { contract, operation: Operation::Import, bytes: bytes.clone() };
                asked_besides.push(Said { request, expected: verdict(&case["import"]), case });
            }
            asked_of_growing(contract, case, &bytes, &mut asked_besides);
            let operation = match (&case["prefix"], &case["newer"]) {
                (Json::Bool(true), _) => Operation::Prefix,
                (_, Json::Bool(true)) => Operation::Newer,
                _ => Operation::Read,
            };
            requests.push(Request { contract, operation, bytes });
            cases.push(case);
        }
    }
    let lines: Vec<String> = requests.iter().map(|request| request.line(catalog)).collect();
    let answers = driver.answers(&lines);
    for ((line, case), answer) in lines.iter().zip(&cases).zip(&answers) {
        let says = if answer.starts_with("err ") { refused(case) == *answer } else { accepted(case, answer) };
        assert!(says, "{} answered\n  {answer}\nto\n  {line}\nwhere the vector has\n  {case}", driver.name());
    }
    replayed += said(catalog, &asked_besides, driver);
    replayed + cases.len()
}

/// What a case says of versions.
fn asked_of_growing<'f>(contract: ContractId, case: &'f Json, bytes: &[u8], asked: &mut Vec<Said<'f>>) {
    let mut ask = |operation, expected| {
        let request = Request { contract, operation, bytes: bytes.to_vec() };
        asked.push(Said { request, expected, case });
    };
    if let Some(version) = case["version"].as_u64() {
        ask(Operation::VersionOf, format!("ok {version}"));
    }
    for written in case["versions"].as_array().into_iter().flatten() {
        let version = written["version"].as_u64().and_then(|version| u32::try_from(version).ok());
        let expected = match written["written"].as_str() {
            Some(bytes) => format!("ok - {bytes}"),
            None => refusal_of(&written["fault"]),
        };
        ask(Operation::Version(version.expect("a version")), expected);
    }
}

/// Replays the documents of a vector file alone, before a driver that reads nothing else.
///
/// # Panics
/// When the driver answers otherwise than the file, or the file is not one of vectors.
pub fn replay_documents(catalog: &Catalog, file: &str, driver: &Driver) -> usize {
    let file: Json = serde_json::from_str(file).expect("vectors are JSON");
    documents::replay(catalog, &file, driver)
}

/// What a driver has to answer, word for word.
struct Said<'f> {
    request: Request,
    expected: String,
    case: &'f Json,
}

/// Asks a driver, and gives the number of questions; of those that its language has no answer to, none.
fn said(catalog: &Catalog, questions: &[Said<'_>], driver: &Driver) -> usize {
    let lines: Vec<String> = questions.iter().map(|said| said.request.line(catalog)).collect();
    let answers = driver.answers(&lines);
    let mut answered = 0;
    for ((line, said), answer) in
        lines.iter().zip(questions).zip(&answers).filter(|(_, answer)| *answer != "-")
    {
        assert!(
            *answer == said.expected,
            "{} answered\n  {answer}\nand not\n  {}\nto\n  {line}\nwhere the vector has\n  {}",
            driver.name(),
            said.expected,
            said.case
        );
        answered += 1;
    }
    answered
}

/// The answer to what is asked at import: nothing is wrong, or a fault.
fn verdict(fault: &Json) -> String {
    if fault.is_null() { "ok".to_owned() } else { refusal_of(fault) }
}

fn contract_of(catalog: &Catalog, entry: &Json) -> ContractId {
    let name = entry["contract"].as_str().expect("a name");
    let found = catalog.iter().find(|(_, contract)| contract.name == name);
    found.map(|(id, _)| id).expect("a known contract")
}

fn bytes_of(case: &Json) -> Vec<u8> {
    case["bytes"].as_str().and_then(unhex).expect("bytes in hexadecimal")
}

/// Whether an `ok` line says what the case does; the tree is compared as JSON.
fn accepted(case: &Json, answer: &str) -> bool {
    let Some((tree, written)) = answer.strip_prefix("ok ").and_then(|rest| rest.rsplit_once(' ')) else {
        return false;
    };
    case["written"] == written && serde_json::from_str::<Json>(tree).is_ok_and(|tree| tree == case["value"])
}

/// The `err` line that the case asks for.
fn refused(case: &Json) -> String {
    refusal_of(&case["fault"])
}

fn refusal_of(fault: &Json) -> String {
    let word = |key: &str| fault[key].as_str().unwrap_or("").to_owned();
    let (code, contract, field, found) = (word("code"), word("contract"), word("field"), word("found"));
    let number = NAMES.iter().find(|(_, name)| *name == code).map_or(-1, |(number, _)| *number);
    let offset = &fault["offset"];
    let place = if field.is_empty() { contract.clone() } else { format!("{contract}.{field}") };
    let found = if found.is_empty() { found } else { format!(", found {found}") };
    let field = if field.is_empty() { "-" } else { &field };
    format!(
        "err {number} {contract} {field} {offset} {place} at byte {offset}: {code}: expected {}{found}",
        word("expected")
    )
}
