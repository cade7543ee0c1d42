//! The catalog JSON of contracts that use all that a declaration can say.

mod catalog_support;

use wirecontract_codegen::emit::json;
use wirecontract_codegen::fixtures;

#[test]
fn a_family_is_one_file_that_says_all() {
    let catalog = catalog_support::everything();
    let artifacts = json::emit(&fixtures::input(&catalog)).unwrap();
    assert_eq!(artifacts.len(), 1);
    assert_eq!(artifacts[0].path, "json/wirecontract/cuvis.json");
    assert_eq!(artifacts[0].contracts.len(), 4);
    serde_json::from_str::<serde_json::Value>(&artifacts[0].body).expect("it is JSON");
    insta::assert_snapshot!(artifacts[0].body);
}

#[test]
fn recipes_unions_and_rules_are_said_in_full() {
    let catalog = fixtures::recipes();
    let artifacts = json::emit(&fixtures::input(&catalog)).unwrap();
    assert_eq!(artifacts.len(), 1);
    serde_json::from_str::<serde_json::Value>(&artifacts[0].body).expect("it is JSON");
    insta::assert_snapshot!(artifacts[0].body);
}

#[test]
fn messages_are_said_in_full() {
    let catalog = fixtures::messages();
    let artifacts = json::emit(&fixtures::input(&catalog)).unwrap();
    assert_eq!(artifacts.len(), 1);
    serde_json::from_str::<serde_json::Value>(&artifacts[0].body).expect("it is JSON");
    insta::assert_snapshot!(artifacts[0].body);
}

#[test]
fn handles_functions_and_symbols_are_said_in_full() {
    let catalog = fixtures::forms();
    let artifacts = json::emit(&fixtures::input(&catalog)).unwrap();
    assert_eq!(artifacts.len(), 1);
    serde_json::from_str::<serde_json::Value>(&artifacts[0].body).expect("it is JSON");
    insta::assert_snapshot!(artifacts[0].body);
}
