//! Golden vectors put before a driver: the file is the witness here, and not the interpreter.

mod documents;
mod messages;

use serde_json::Value as Json;
use wirecontract_codegen::interpret::{Host, NAMES, unhex};
use wirecontract_codegen::model::{Catalog, ContractId};

use super::request::{Operation, Request};
use super::workbench::Driver;

/// Replays every case of a vector file that a machine of the driver's byte order can be given, and gives their number.
///
/// # Panics
/// When the driver answers otherwise than the file, or the file is not one of vectors.
pub fn replay(catalog: &Catalog, file: &str, driver: &Driver) -> usize {
    ask(catalog, &questions(catalog, file, driver.host()), driver)
}

/// Replays the documents of a vector file alone, and its messages of these, before a driver that reads nothing else.
///
/// # Panics
/// When the driver answers otherwise than the file, or the file is not one of vectors.
pub fn replay_documents(catalog: &Catalog, file: &str, driver: &Driver) -> usize {
    let file = parsed(file);
    let mut questions = documents::questions(catalog, &file);
    questions.extend(messages::questions(catalog, &file, driver.host()));
    ask(catalog, &questions, driver)
}

/// Replays the descriptors of a vector file alone, and its messages of these, before a driver that reads no documents.
///
/// # Panics
/// When the driver answers otherwise than the file, or the file is not one of vectors.
pub fn replay_descriptors(catalog: &Catalog, file: &str, driver: &Driver) -> usize {
    let file = parsed(file);
    let mut questions = descriptors(catalog, &file, driver.host());
    questions.extend(messages::questions(catalog, &file, driver.host()));
    ask(catalog, &questions, driver)
}

/// A case of a vector file, as it is put before a driver.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked.
    pub request: Request,
    expected: Expected,
    /// The case in the file.
    case: Json,
}

/// What a driver has to answer.
#[derive(Debug, Clone)]
enum Expected {
    /// This, word for word; a language may have no answer.
    Line(String),
    /// What begins so; a language may have no answer.
    Beginning(String),
    /// The value and the bytes of the case.
    Value,
    /// The fault of the case.
    Fault,
}

impl Question {
    /// Whether a driver answered what the file says; `-` says that its language has no such operation.
    pub fn is_answered(&self, answer: &str) -> bool {
        match &self.expected {
            Expected::Line(line) => answer == line || answer == "-",
            Expected::Beginning(line) => answer.starts_with(line) || answer == "-",
            Expected::Value => accepted(&self.case, answer),
            Expected::Fault => answer == refused(&self.case),
        }
    }

    /// What the file says.
    pub fn case(&self) -> &Json {
        &self.case
    }

    fn has_answer(&self, answer: &str) -> bool {
        !matches!(self.expected, Expected::Line(_) | Expected::Beginning(_)) || answer != "-"
    }
}

/// Every case of a vector file that a machine of that byte order can be given.
///
/// # Panics
/// When the file is not one of vectors of that catalog.
pub fn questions(catalog: &Catalog, file: &str, host: Host) -> Vec<Question> {
    let file = parsed(file);
    let mut questions = documents::questions(catalog, &file);
    questions.extend(descriptors(catalog, &file, host));
    questions.extend(messages::questions(catalog, &file, host));
    questions
}

/// The cases that are bytes.
fn descriptors(catalog: &Catalog, file: &Json, host: Host) -> Vec<Question> {
    let mut questions = Vec::new();
    for entry in file["contracts"].as_array().expect("contracts") {
        let said = entry["host"].as_str().unwrap_or("none");
        let is_message = entry["kind"].as_str().is_some_and(|kind| kind.starts_with("message"));
        if is_message || said != "any" && said != host.name() {
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
            let mut ask = |operation, expected| {
                let request = Request { contract, operation, bytes: bytes.clone() };
                questions.push(Question { request, expected, case: case.clone() });
            };
            if case.get("import").is_some() {
                ask(Operation::Import, Expected::Line(verdict(&case["import"])));
            }
            asked_of_growing(case, &mut ask);
            let operation = match (&case["prefix"], &case["newer"]) {
                (Json::Bool(true), _) => Operation::Prefix,
                (_, Json::Bool(true)) => Operation::Newer,
                _ => Operation::Read,
            };
            let is_refused = case.get("fault").is_some();
            ask(operation, if is_refused { Expected::Fault } else { Expected::Value });
        }
    }
    questions
}

/// What a case says of versions.
fn asked_of_growing(case: &Json, ask: &mut impl FnMut(Operation, Expected)) {
    if let Some(version) = case["version"].as_u64() {
        ask(Operation::VersionOf, Expected::Line(format!("ok {version}")));
    }
    for written in case["versions"].as_array().into_iter().flatten() {
        let version = written["version"].as_u64().and_then(|version| u32::try_from(version).ok());
        let expected = match written["written"].as_str() {
            Some(bytes) => format!("ok - {bytes}"),
            None => refusal_of(&written["fault"]),
        };
        ask(Operation::Version(version.expect("a version")), Expected::Line(expected));
    }
}

/// Asks a driver, and gives the number of questions; of those that its language has no answer to, none.
fn ask(catalog: &Catalog, questions: &[Question], driver: &Driver) -> usize {
    let lines: Vec<String> = questions.iter().map(|question| question.request.line(catalog)).collect();
    let answers = driver.answers(&lines);
    let mut answered = 0;
    for ((line, question), answer) in lines.iter().zip(questions).zip(&answers) {
        assert!(
            question.is_answered(answer),
            "{} answered\n  {answer}\nto\n  {line}\nwhere the vector has\n  {}",
            driver.name(),
            question.case
        );
        answered += usize::from(question.has_answer(answer));
    }
    answered
}

fn parsed(file: &str) -> Json {
    serde_json::from_str(file).expect("vectors are JSON")
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
