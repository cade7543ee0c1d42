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
fn an_integer_that_no_format_holds_is_refused_and_not_rounded() {
    let written = |json: &str| {
        let value = Extra { note: "n".into(), json: Some(json.parse().unwrap()) };
        serde_json::to_string(&value).map_err(|error| error.to_string())
    };
    for (json, integer) in [
        ("18446744073709551616", "18446744073709551616"),
        ("-9223372036854775809", "-9223372036854775809"),
        (r#"[1,{"a":123456789012345678901}]"#, "123456789012345678901"),
    ] {
        let refusal = written(json).unwrap_err();
        assert!(refusal.contains(&format!("the integer {integer} is beyond those of 64 bits")), "{refusal}");
    }
    for json in ["18446744073709551615", "-9223372036854775808", "0.1", "-0"] {
        assert!(written(json).is_ok(), "{json}");
    }
    // A float that is written without a point is itself.
    let value = Types { f64: Some(1e20), ..Types::empty() };
    let text = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<Types>(&text).unwrap(), value);
}

/// A format whose options are in each other without end, or so many.
struct Options(usize);

impl<'de> serde::Deserializer<'de> for Options {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            0 => visitor.visit_map(serde::de::value::MapDeserializer::new([("u8", 5_u8)].into_iter())),
            left if left % 2 == 0 => visitor.visit_some(Options(left - 1)),
            left => visitor.visit_newtype_struct(Options(left - 1)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn options_in_options_are_bounded() {
    use serde::Deserialize;
    assert_eq!(Types::deserialize(Options(256)).unwrap().u8, Some(5));
    for count in [257, 10_000_000] {
        let error = Types::deserialize(Options(count)).unwrap_err().to_string();
        assert!(error.contains("more than 256 options"), "{error}");
    }
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
