//! The cases of recipes and unions.

use serde_json::Value as Json;
use wirecontract_codegen::interpret::hex;
use wirecontract_codegen::model::Catalog;

use super::{Expected, Question, bytes_of, contract_of, refusal_of, refused, verdict};
use crate::differential::request::{Operation, Request};

/// Every document of a file: to be read and written, leniently too, and to be asked at import.
pub(super) fn questions(catalog: &Catalog, file: &Json) -> Vec<Question> {
    let mut questions = Vec::new();
    for entry in file["contracts"].as_array().expect("contracts") {
        if !matches!(entry["kind"].as_str(), Some("recipe" | "union")) {
            continue;
        }
        let contract = contract_of(catalog, entry);
        for case in entry["cases"].as_array().expect("cases") {
            let bytes = document(case);
            let mut ask = |operation, expected| {
                let request = Request { contract, operation, bytes: bytes.clone() };
                let expected = Expected::Line(expected);
                questions.push(Question { request, expected, case: case.clone() });
            };
            let strict = if case.get("fault").is_some() { refused(case) } else { written(case) };
            let lenient = match case.get("lenient") {
                Some(lenient) if lenient.get("fault").is_some() => refused(lenient),
                Some(lenient) => {
                    let faults = lenient["faults"].as_array().expect("faults").iter();
                    let faults = faults.map(|fault| format!(" | {}", refusal_of(fault)));
                    written(lenient) + &faults.collect::<Vec<_>>().concat()
                }
                None => strict.clone(),
            };
            ask(Operation::Document, strict);
            // Only its length is in question, which strict reading has answered, and there is much to send.
            if case.get("padded").is_some() {
                continue;
            }
            ask(Operation::Lenient, lenient);
            for asked in case["import"].as_array().into_iter().flatten() {
                let fd_count = usize::try_from(asked["fd_count"].as_u64().expect("a number")).expect("few");
                ask(Operation::ImportDocument(fd_count), verdict(&asked["fault"]));
            }
        }
    }
    questions
}

fn document(case: &Json) -> Vec<u8> {
    let mut bytes = case["document"].as_str().map_or_else(|| bytes_of(case), |text| text.as_bytes().to_vec());
    if let Some(length) = case["padded"].as_u64() {
        bytes.resize(usize::try_from(length).expect("a length"), b' ');
    }
    bytes
}

/// The answer of a document that was accepted.
fn written(case: &Json) -> String {
    match case["written"].as_str() {
        Some(document) => format!("ok {}", hex(document.as_bytes())),
        None => format!("ok unwritten {}", refusal_of(&case["unwritten"])),
    }
}
