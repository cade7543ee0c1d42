//! The golden vectors of messages: they say which file descriptors go where.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use wirecontract_codegen::emit::vectors;
use wirecontract_codegen::fixtures::{self, message_id as id};
use wirecontract_codegen::model::{Body, Endian};

fn emitted() -> String {
    let catalog = fixtures::messages();
    let artifacts = vectors::emit(&fixtures::input(&catalog)).expect("vectors are never refused");
    assert_eq!(artifacts.len(), 1);
    artifacts.into_iter().map(|artifact| artifact.body).collect()
}

fn entry<'a>(json: &'a Json, name: &str) -> &'a Json {
    let contracts = json["contracts"].as_array().expect("contracts");
    contracts.iter().find(|entry| entry["contract"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn cases<'a>(json: &'a Json, name: &str) -> &'a [Json] {
    entry(json, name)["cases"].as_array().expect("cases")
}

#[test]
fn every_message_is_accepted_and_refused_in_many_ways() {
    let text = emitted();
    assert_eq!(text, emitted(), "the same every time");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let catalog = fixtures::messages();
    let is_message = |body: &Body| matches!(body, Body::Message(_) | Body::Messages(_));
    for (id, contract) in catalog.iter().filter(|(_, contract)| is_message(&contract.body)) {
        // The bytes of documents are the same on every machine.
        let host = if catalog.document_of(id).is_some() { Json::Null } else { "any".into() };
        assert_eq!(entry(&json, &contract.name)["host"], host, "{}", contract.name);
        let cases = cases(&json, &contract.name);
        let accepted = cases.iter().filter(|case| case["splits"].is_array()).count();
        assert!(accepted > 0, "{} is never accepted", contract.name);
        let codes: BTreeSet<&str> = cases.iter().filter_map(|case| case["fault"]["code"].as_str()).collect();
        let expected: &[&str] = if contract.name == "GrowingMessage" {
            &["fd_count", "too_short", "unsupported_version", "reserved_not_zero"]
        } else if catalog.document_of(id).is_some() {
            &["fd_count", "not_json"]
        } else {
            &["fd_count", "too_short"]
        };
        for code in expected {
            assert!(codes.contains(code), "{}: no {code} among {codes:?}", contract.name);
        }
        let names: BTreeSet<&str> = cases.iter().filter_map(|case| case["name"].as_str()).collect();
        assert_eq!(names.len(), cases.len(), "{}: cases of one name", contract.name);
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
    let variants: BTreeSet<&str> =
        cases(&json, "WordMessage").iter().filter_map(|case| case["variant"].as_str()).collect();
    assert_eq!(variants, BTreeSet::from(["Lookup", "Other", "Register", "Stop"]));
    assert!(splits("WordMessage").contains("[[0,5]]"), "{:?}", splits("WordMessage"));
}

#[test]
fn numbers_that_the_machine_orders_have_vectors_of_either_order() {
    let mut catalog = fixtures::messages();
    let Body::Descriptor(header) = &mut catalog.contracts[id::HEADER.0].body else { panic!("a descriptor") };
    header.fields.iter_mut().for_each(|field| field.ty.endian = Endian::Native);
    let artifacts = vectors::emit(&fixtures::input(&catalog)).expect("vectors are never refused");
    let json: Json = serde_json::from_str(&artifacts[0].body).expect("JSON");
    for name in ["KickMessage", "VhostMessage"] {
        let entries = json["contracts"].as_array().expect("contracts").iter();
        let hosts: Vec<&Json> =
            entries.filter(|entry| entry["contract"] == name).map(|entry| &entry["host"]).collect();
        assert_eq!(hosts, ["little", "big"], "{name}");
    }
    let entries = json["contracts"].as_array().expect("contracts").iter();
    let big = entries.filter(|entry| entry["contract"] == "VhostMessage" && entry["host"] == "big");
    let cases = big.flat_map(|entry| entry["cases"].as_array().expect("cases"));
    let kick = cases.into_iter().find(|case| case["variant"] == "Kick").expect("a kick");
    assert!(kick["bytes"].as_str().expect("bytes").starts_with("0000000c"), "{kick}");
}
