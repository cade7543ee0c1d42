//! The golden vectors of messages: they say which file descriptors go where, and the interpreter says the same.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use wirecontract_codegen::emit::vectors;
use wirecontract_codegen::fixtures::{self, message_id as id};
use wirecontract_codegen::interpret::message::{read, read_chosen};
use wirecontract_codegen::interpret::{Host, unhex};
use wirecontract_codegen::model::{Body, ContractId};

fn emitted() -> String {
    let catalog = fixtures::messages();
    let artifacts = vectors::emit(&fixtures::input(&catalog)).expect("vectors are never refused");
    assert_eq!(artifacts.len(), 1);
    artifacts.into_iter().map(|artifact| artifact.body).collect()
}

fn cases<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    let contracts = json["contracts"].as_array().expect("contracts");
    let entry =
        contracts.iter().find(|entry| entry["contract"] == name).unwrap_or_else(|| panic!("no {name}"));
    entry["cases"].as_array().expect("cases")
}

#[test]
fn every_message_is_accepted_and_refused_in_many_ways() {
    let text = emitted();
    assert_eq!(text, emitted(), "the same every time");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let catalog = fixtures::messages();
    let is_message = |body: &Body| matches!(body, Body::Message(_) | Body::Messages(_));
    for (_, contract) in catalog.iter().filter(|(_, contract)| is_message(&contract.body)) {
        let cases = cases(&json, &contract.name);
        let accepted = cases.iter().filter(|case| case["splits"].is_array()).count();
        assert!(accepted > 0, "{} is never accepted", contract.name);
        let codes: BTreeSet<&str> = cases.iter().filter_map(|case| case["fault"]["code"].as_str()).collect();
        let expected: &[&str] = if contract.name == "GrowingMessage" {
            &["fd_count", "too_short", "unsupported_version", "reserved_not_zero"]
        } else if contract.name.contains("Register") || contract.name.contains("Query") {
            &["fd_count", "not_json"]
        } else {
            &["fd_count", "too_short"]
        };
        for code in expected {
            assert!(codes.contains(code), "{}: no {code} among {codes:?}", contract.name);
        }
        assert!(cases.len() <= 97, "{}: {} cases", contract.name, cases.len());
    }
    let splits = |name: &str| -> BTreeSet<String> {
        let cases = cases(&json, name).iter();
        cases.filter(|case| case["splits"].is_array()).map(|case| case["splits"].to_string()).collect()
    };
    for split in ["[[0,1],[1,2],[2,2]]", "[[0,1],[1,2],[2,3]]", "[[0,1],[1,4],[4,5]]"] {
        assert!(splits("LogMessage").contains(split), "{split}: {:?}", splits("LogMessage"));
    }
    assert!(splits("RegisterMessage").len() > 3, "{:?}", splits("RegisterMessage"));
    let variants: BTreeSet<&str> =
        cases(&json, "VhostMessage").iter().filter_map(|case| case["variant"].as_str()).collect();
    assert_eq!(variants, BTreeSet::from(["Kick", "Other", "SetLog", "SetMemTable"]));
}

#[test]
fn the_interpreter_says_the_same() {
    let json: Json = serde_json::from_str(&emitted()).expect("JSON");
    let catalog = fixtures::messages();
    let ids =
        [id::MEM_TABLE, id::LOG, id::KICK, id::UNKNOWN, id::REGISTER_MESSAGE, id::VHOST, id::QUERY_MESSAGE];
    let mut seen = 0;
    for id in ids {
        for case in cases(&json, &catalog.get(id).name) {
            let bytes = unhex(case["bytes"].as_str().expect("bytes")).expect("hexadecimal");
            let fds = usize::try_from(case["fds"].as_u64().expect("a number")).expect("a few");
            let splits = splits(id, &bytes, fds);
            assert_eq!(case["splits"].to_string(), splits.unwrap_or_else(|| "null".to_owned()), "{case}");
            seen += 1;
        }
    }
    assert!(seen > 100);
}

fn splits(id: ContractId, bytes: &[u8], fds: usize) -> Option<String> {
    let catalog = fixtures::messages();
    let fds = match catalog.get(id).body {
        Body::Message(_) => read(&catalog, id, bytes, fds, Host::Little).ok()?.value.fds,
        _ => read_chosen(&catalog, id, bytes, fds, Host::Little).ok()?.value.value.fds,
    };
    let splits: Vec<Vec<usize>> = fds.iter().map(|it| vec![it.start, it.end]).collect();
    Some(serde_json::to_string(&splits).expect("JSON"))
}
