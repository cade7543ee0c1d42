//! Two sides that were built of other declarations find out at the hello.

use serde::Deserialize;
use wirecontract::hello::{
    Hello, MOST_CONTRACTS, NegotiationError, SpokenContract, SpokenVersion, Verdict, negotiate,
};
use wirecontract::{Code, Contract, Enumeration, WireContract, WireJson};

/// Versions 1 and 3 are spoken still.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[wire(recipe, version = 4, earlier(v3 = 0xffff_ffff_ffff_ffff, v1 = 0))]
struct Request {
    exposure_us: u32,
}

/// It was called `Picture` once.
#[derive(WireContract, Clone, Debug, PartialEq)]
#[repr(C)]
#[wire(descriptor, was = "Picture")]
struct Frame {
    number: u32,
}

/// A module whose name is a word of Rust's.
mod r#type {
    use wirecontract::WireContract;

    /// A word of Rust's, too.
    #[derive(WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    #[allow(non_camel_case_types)]
    pub(crate) struct r#match {
        pub(crate) id: u32,
    }
}

#[derive(Deserialize)]
struct Vectors {
    negotiations: Vec<Negotiation>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Negotiation {
    what: String,
    ours: serde_json::Value,
    theirs: serde_json::Value,
    name: String,
    verdict: String,
    version: Option<u32>,
    wire_id: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
struct Refused {
    what: String,
    document: String,
    code: String,
    contract: String,
    field: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../tests/data/hello.json")).expect("vectors")
}

#[test]
fn every_negotiation_comes_out_as_in_every_language() {
    for case in vectors().negotiations {
        let [ours, theirs] = [&case.ours, &case.theirs]
            .map(|hello| Hello::read(hello.to_string().as_bytes()).expect("a hello"));
        match negotiate(&ours, &theirs, &case.name) {
            Ok(agreed) => {
                assert_eq!(case.verdict, "agreed", "{}", case.what);
                assert_eq!(Some(agreed.version), case.version, "{}", case.what);
                assert_eq!(Some(format!("{:016x}", agreed.wire_id)), case.wire_id, "{}", case.what);
            }
            Err(error) => {
                assert_eq!(error.verdict().map(Verdict::name), Some(&*case.verdict), "{}", case.what);
                assert_eq!(error.code(), Code::IdMismatch);
                assert_eq!(Some(error.to_string()), case.text, "{}", case.what);
            }
        }
    }
}

#[test]
fn every_hello_that_is_none_is_refused_as_in_every_language() {
    for case in vectors().refused {
        let error = Hello::read(case.document.as_bytes()).expect_err(&case.what);
        let found = (error.code.name(), error.contract, error.field);
        assert_eq!(found, (&*case.code, &*case.contract, &*case.field), "{}: {error}", case.what);
    }
}

#[test]
fn a_million_contracts_are_refused_before_they_are_kept() {
    let item = r#"{"name":"a::B","versions":[{"version":1,"wire_id":"0000000000000000"}]}"#;
    let many =
        |count: usize| format!(r#"{{"wirecontract_hello":1,"speaks":[{}]}}"#, vec![item; count].join(","));
    assert_eq!(Hello::read(many(1_000_000).as_bytes()).unwrap_err().code, Code::TooLarge);
    let error = Hello::read(many(MOST_CONTRACTS + 1).as_bytes()).unwrap_err();
    assert_eq!((error.code, error.field), (Code::TooMany, "speaks"));
}

#[test]
fn a_hello_says_the_declared_versions_and_the_first_name() {
    let hello = Hello::of::<Request>().speaks::<Frame>().speaks::<Request>();
    let document = hello.to_json().expect("a document");
    assert_eq!(
        document,
        format!(
            r#"{{"wirecontract_hello":1,"speaks":[{{"name":"hello::Request","versions":[{{"version":1,"wire_id":"{:016x}"}},{{"version":3,"wire_id":"{:016x}"}},{{"version":4,"wire_id":"{:016x}"}}]}},{{"name":"hello::Picture","versions":[{{"version":1,"wire_id":"{:016x}"}}]}}]}}"#,
            0,
            u64::MAX,
            Request::WIRE_ID,
            Frame::WIRE_ID,
        )
    );
    assert_eq!((Request::VERSION, Frame::VERSION, Frame::EARLIER), (4, 1, &[][..]));
    assert_eq!(Hello::read(document.as_bytes()), Ok(hello));
}

#[test]
fn what_only_rust_spells_is_in_no_name() {
    let hello = Hello::of::<r#type::r#match>();
    assert_eq!(hello.speaks[0].name, "hello::type::match");
    assert!(hello.agree::<r#type::r#match>(&hello).is_ok());
}

#[test]
fn a_hello_made_by_hand_is_checked_before_anything_is_agreed_on() {
    let twice = SpokenContract { name: "a::B".into(), versions: vec![SpokenVersion::new(1, 7)] };
    let bad = Hello { speaks: vec![twice.clone(), twice.clone()], ..Hello::new() };
    let good = Hello { speaks: vec![twice.clone()], ..Hello::new() };
    assert!(matches!(negotiate(&bad, &bad, "a::B"), Err(NegotiationError::Ours(_))));
    assert!(matches!(negotiate(&good, &bad, "a::B"), Err(NegotiationError::Theirs(_))));
    let empty = Hello { speaks: vec![SpokenContract { versions: Vec::new(), ..twice }], ..Hello::new() };
    let error = negotiate(&good, &empty, "a::B").unwrap_err();
    assert_eq!(error.code(), Code::RuleViolated);
    assert_eq!(error.verdict(), None);
}

#[test]
fn a_refusal_says_what_differs_where_somebody_knows() {
    let ours = Hello::of::<Request>();
    let mut theirs = ours.clone();
    theirs.speaks[0].versions = vec![SpokenVersion::new(4, 1), SpokenVersion::new(9, 2)];
    let explain = |name: &str, ours: u64, theirs: u64| {
        assert_eq!((name, ours, theirs), (Request::PATH, Request::WIRE_ID, 1));
        Some("`gain` is new".to_owned())
    };
    let error = ours.agree::<Request>(&theirs).unwrap_err().explained(&explain);
    assert!(error.to_string().ends_with("; what differs: `gain` is new"), "{error}");
}
