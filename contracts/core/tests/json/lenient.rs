//! Lenient reading: a key's fault is listed and its value taken for absent.

use wirecontract::WireJson;

use super::contracts::{Inner, Lenient};

#[track_caller]
fn lenient(document: &str) -> (Lenient, Vec<String>) {
    let (value, faults) = Lenient::from_json_lenient(document.as_bytes()).unwrap();
    (value, faults.iter().map(ToString::to_string).collect())
}

#[track_caller]
fn refused(document: &str) -> String {
    Lenient::from_json_lenient(document.as_bytes()).unwrap_err().to_string()
}

fn plain() -> Lenient {
    Lenient { id: "i".into(), a: 1, b: None, c: None, strict: 2, inner: None }
}

#[test]
fn a_document_without_fault_is_read_as_ever() {
    let document = r#"{"id":"i","a":5,"b":[{"x":1,"y":2}],"c":null,"strict":3}"#;
    let (value, faults) = lenient(document);
    assert!(faults.is_empty());
    assert_eq!(Lenient::from_json(document.as_bytes()), Ok(value));
}

#[test]
fn faults_are_listed_by_declared_order() {
    let (value, faults) = lenient(r#"{"c":0,"b":[{"y":1},{"x":2}],"a":256,"id":"i"}"#);
    assert_eq!(value, plain());
    assert_eq!(
        faults,
        [
            "Lenient.a at byte 33: out_of_range: expected an integer from 0 to 255, found 256",
            "Inner.y at byte 20: missing_key: expected the key `y`",
            "Lenient.c at byte 5: wrong_type: expected true or false, found 0",
        ]
    );
    let (value, faults) = lenient(r#"{"a":null,"b":null,"c":null,"id":"i"}"#);
    assert_eq!(value, plain());
    assert_eq!(
        faults,
        [
            "Lenient.a at byte 5: null_not_allowed: expected an integer, found null",
            "Lenient.b at byte 14: null_not_allowed: expected an array, found null",
        ]
    );
}

#[test]
fn a_fault_within_a_value_that_is_kept_is_listed_and_one_within_another_is_not() {
    let (value, faults) = lenient(r#"{"id":"i","inner":{"x":"","y":1}}"#);
    assert_eq!(value, Lenient { inner: Some(Inner { x: None, y: 1 }), ..plain() });
    assert_eq!(faults, ["Inner.x at byte 23: wrong_type: expected an integer, found \"\""]);
    let (_, faults) = lenient(r#"{"id":"i","b":[{"x":"","y":1},{"x":1}]}"#);
    assert_eq!(faults, ["Inner.y at byte 30: missing_key: expected the key `y`"]);
}

#[test]
fn a_value_at_fault_leaves_no_depth_behind() {
    let (value, faults) = lenient(r#"{"id":"i","a":[[1]],"b":[{"x":0}],"c":[{}],"inner":{"x":[0],"y":1}}"#);
    assert_eq!(value, Lenient { inner: Some(Inner { x: None, y: 1 }), ..plain() });
    assert_eq!(faults.len(), 4, "{faults:?}");
}

#[test]
fn all_else_is_as_strict_as_ever() {
    assert_eq!(
        refused(r#"{"id":"i","a":256,"strict":256}"#),
        "Lenient.strict at byte 27: out_of_range: expected an integer from 0 to 255, found 256"
    );
    assert_eq!(refused(r#"{"a":256}"#), "Lenient.id at byte 0: missing_key: expected the key `id`");
    assert_eq!(
        refused(r#"{"id":"i","a":256,"z":1}"#),
        "Lenient at byte 18: unknown_key: expected a key of Lenient, found \"z\""
    );
    assert_eq!(
        refused(r#"{"id":"i","a":"256","a":1}"#),
        "Lenient at byte 20: duplicate_key: expected each key once, found \"a\""
    );
    assert_eq!(
        refused(r#"{"id":"i","a":[1,{"b":1,"b":2}]}"#),
        "Lenient at byte 24: duplicate_key: expected each key once, found \"b\""
    );
    assert_eq!(
        refused(r#"{"id":"i","a":tru}"#),
        "Lenient at byte 17: not_json: expected `true`, found byte 0x7d"
    );
    assert_eq!(
        refused(r#"{"id":"i","a":200}"#),
        "Lenient at byte 0: rule_violated: expected small: a < 100, found a = 200"
    );
}
