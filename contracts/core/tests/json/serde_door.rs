//! Recipes and unions in serde.

use wirecontract::WireJson;

use super::contracts::{Extra, Measure, Point, Request, Surface, Types};

#[test]
fn a_value_goes_through_serde_json_and_back() {
    let documents = [
        r#"{"u8":255,"u64":18446744073709551615,"i64":-9223372036854775808,"decimal":"18446744073709551615","truth":true,"f64":0.25,"text":"\"é","list":[],"matrix":[[1,2]],"map":{"a":""},"json":{"b":[0.5]},"point":{"x":1,"y":0},"nulled":null}"#,
        "{\"nulled\":null}",
    ];
    for document in documents {
        let value = Types::from_json(document.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), document);
        assert_eq!(serde_json::from_str::<Types>(document).unwrap(), value);
        let tree = serde_json::to_value(&value).unwrap();
        assert_eq!(serde_json::from_value::<Types>(tree).unwrap(), value);
    }
    let surface = r#"{"width":1,"eyes":[1,2],"resource_type":"vr","note":"n","last":9}"#;
    let value: Surface = serde_json::from_str(surface).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), surface);
    let nested: Vec<Request> = serde_json::from_str(r#"[{"op":"ping"},{"op":"register","x":1}]"#).unwrap();
    assert_eq!(nested, [Request::Ping, Request::Register(Point { x: 1, y: 0 })]);
}

#[test]
fn what_is_refused_is_refused_in_serde_too() {
    let refused = |text: &str| serde_json::from_str::<Request>(text).unwrap_err().to_string();
    assert!(refused(r#"{"op":"pong"}"#).contains("Request.op at byte 6: unknown_tag"));
    assert!(refused(r#"{"op":"ping","op":"ping"}"#).contains("duplicate_key"));
    assert!(refused(r#"{"op":"register","x":0}"#).contains("positive: x > 0"));
    assert!(refused("5").contains("wrong_type: expected an object, found 5"));
    let deep = format!("{{\"op\":\"ping\",\"x\":{}{}}}", "[".repeat(100), "]".repeat(100));
    assert!(refused(&deep).contains("nested deeper than the contract allows"));
    let long = format!("{{\"x\":\"{}\"}}", "x".repeat(5000));
    assert!(serde_json::from_str::<Types>(&long).unwrap_err().to_string().contains("more than 4096 bytes"));
    let value = Types { f64: Some(f64::NAN), ..Types::empty() };
    assert!(serde_json::to_string(&value).unwrap_err().to_string().contains("a finite number, found NaN"));
}

#[test]
fn lengths_are_known_and_keys_may_be_borrowed() {
    // A format that wants lengths.
    let value = Extra { note: "n".into(), json: Some("[1,[],{}]".parse().unwrap()) };
    let tree = serde_json::to_value(&value).unwrap();
    assert_eq!(tree, serde_json::json!({"note": "n", "json": [1, [], {}]}));
    assert_eq!(serde_json::from_value::<Extra>(tree).unwrap(), value);
    assert_eq!(
        serde_json::from_str::<Measure>(r#"{"type":"ratio","value":1.0}"#).unwrap(),
        Measure::Ratio(1.0)
    );
}
