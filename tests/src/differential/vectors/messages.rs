//! The cases of messages.

use serde_json::Value as Json;
use wirecontract_codegen::interpret::Host;
use wirecontract_codegen::model::Catalog;

use super::{Expected, Question, bytes_of, contract_of, refusal_of, refused, verdict};
use crate::differential::request::{Operation, Request};

/// Every message of a file that a machine of that byte order can be given: to be read, written and asked at import.
pub(super) fn questions(catalog: &Catalog, file: &Json, host: Host) -> Vec<Question> {
    let mut questions = Vec::new();
    for entry in file["contracts"].as_array().expect("contracts") {
        if !entry["kind"].as_str().is_some_and(|kind| kind.starts_with("message")) {
            continue;
        }
        // Of numbers in the machine's order a file has each case twice, as either machine says them.
        if entry["host"].as_str().is_some_and(|said| said != "any" && said != host.name()) {
            continue;
        }
        let contract = contract_of(catalog, entry);
        for case in entry["cases"].as_array().expect("cases") {
            let fds = usize::try_from(case["fds"].as_u64().expect("a number")).expect("few");
            let request = Request { contract, operation: Operation::Message(fds), bytes: bytes_of(case) };
            let expected = match case.get("fault") {
                Some(_) => Expected::Line(refused(case)),
                None => Expected::Beginning(accepted(case)),
            };
            questions.push(Question { request, expected, case: case.clone() });
        }
    }
    questions
}

/// How the answer to a message that was accepted begins: what its parts say, a case does not show.
fn accepted(case: &Json) -> String {
    let groups = case["splits"].as_array().expect("groups").iter().map(|group| {
        let [start, end] = [0, 1].map(|at| group[at].as_u64().expect("a position"));
        if start == end { "-".to_owned() } else { format!("{start}+{}", end - start) }
    });
    let written = match case["written"].as_str() {
        Some("") => "-".to_owned(),
        Some(bytes) => bytes.to_owned(),
        None => format!("unwritten {}", refusal_of(&case["unwritten"])),
    };
    format!(
        "ok {} [{}] {written} | {} | ",
        case["variant"].as_str().unwrap_or("-"),
        groups.collect::<Vec<_>>().join(","),
        verdict(&case["import"])
    )
}
