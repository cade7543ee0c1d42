//! Writing: the one form of a value, and why a value has none.

use std::collections::BTreeMap;

use wirecontract::{Code, Flags, Json, Open, OpenName, WireJson};

use super::contracts::{Access, Extent, Format, Point, Presence, Shallow, Small, Tiling, Types, Usage};
use super::{flaw, round_trip};

#[test]
fn every_type_is_written_in_declared_order() {
    let point = Point { x: 1, y: 0 };
    let types = Types {
        u8: Some(255),
        i8: Some(-128),
        u64: Some(u64::MAX),
        i64: Some(i64::MIN),
        bounded: Some(5),
        decimal: Some(u64::MAX),
        signed: Some(-1),
        truth: Some(false),
        f32: Some(0.5),
        f64: Some(-0.0),
        between: Some(2.0),
        least: Some(0.5),
        most: Some(1e21),
        text: Some("\u{e9}\n".into()),
        hex: Some(vec![0, 0xab]),
        hex2: Some([1, 2]),
        base64: Some(vec![0xfb, 0xff]),
        base2: Some([3, 4]),
        uuid: Some(*b"0123456789abcdef"),
        list: Some(vec![0, 9]),
        array: Some([1, 65_535]),
        matrix: Some(vec![[1, 2]]),
        map: Some(BTreeMap::from([("b".into(), "\"".into()), ("a".into(), String::new())])),
        json: Some(Json::new(" { \"\\u0061\" : 1.0 } ").unwrap()),
        format: Some(Format::Bgra32),
        name: Some(OpenName::from_name("later")),
        tiling: Some(Tiling::Linear),
        open: Some(Open::from_raw(5)),
        usage: Some(Usage::Sampled | Usage::Storage),
        access: Some(Access::Read | Access::Wide),
        extent: Some(Extent { magic: Extent::MAGIC, flag: true, width: 7 }),
        point: Some(point.clone()),
        points: Some(vec![point.clone(), point.clone()]),
        boxed: Some(Box::new(point)),
        nullable: Some(1),
        nulled: Some(2),
    };
    round_trip(
        &types,
        concat!(
            r#"{"u8":255,"i8":-128,"u64":18446744073709551615,"i64":-9223372036854775808,"bounded":5,"#,
            r#""decimal":"18446744073709551615","signed":"-1","truth":false,"f32":0.5,"f64":-0,"between":2,"least":0.5,"#,
            r#""most":1e+21,"text":"é\n","hex":"00ab","hex2":"0102","base64":"+/8=","base2":"AwQ=","#,
            r#""uuid":"30313233-3435-3637-3839-616263646566","list":[0,9],"array":[1,65535],"matrix":[[1,2]],"#,
            r#""map":{"a":"","b":"\""},"json":{"a":1.0},"format":"bgra32","name":"later","tiling":-1,"open":5,"usage":3,"#,
            r#""access":["read","wide"],"extent":"45010700","point":{"x":1,"y":0},"#,
            r#""points":[{"x":1,"y":0},{"x":1,"y":0}],"boxed":{"x":1,"y":0},"nullable":1,"nulled":2}"#,
        ),
    );
    round_trip(&Types::empty(), r#"{"nulled":null}"#);
}

#[test]
fn strings_escape_what_they_must_and_nothing_else() {
    #[derive(wirecontract::WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe)]
    struct Text {
        text: String,
    }
    let all: String = (0..0x80u8).map(char::from).chain("\u{80}\u{2028}\u{fffd}\u{1f600}".chars()).collect();
    let controls: String = (0..0x20u8)
        .map(|control| match control {
            8 => "\\b".into(),
            9 => "\\t".into(),
            10 => "\\n".into(),
            12 => "\\f".into(),
            13 => "\\r".into(),
            control => format!("\\u{control:04x}"),
        })
        .collect();
    let rest = r##" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"##;
    let document = format!("{{\"text\":\"{controls}{rest}\u{7f}\u{80}\u{2028}\u{fffd}\u{1f600}\"}}");
    round_trip(&Text { text: all.clone() }, &document);
    // Wherever in a run of eight bytes it stands.
    for position in 0..20 {
        for special in ['"', '\\', '\n', '\u{1f}', '\u{7f}', 'é'] {
            let text = format!("{}{special}{}", "x".repeat(position), "y".repeat(11));
            let value = Text { text };
            let document = value.to_json().unwrap();
            assert_eq!(serde_json::from_str::<serde_json::Value>(&document).unwrap()["text"], value.text);
            assert_eq!(Text::from_json(document.as_bytes()), Ok(value));
        }
    }
}

#[test]
fn json_is_kept_but_for_white_space_and_escapes() {
    let kept = |text: &str| Json::new(text).map(|json| json.to_string());
    assert_eq!(
        kept(" [ 1.50 , 1E+2,-0 ,{\"b\":\"\\u0041\\/\\\"\\u001f \",\"a\":true}, null ] ").unwrap(),
        r#"[1.50,1E+2,-0,{"b":"A/\"\u001f ","a":true},null]"#
    );
    let refused = |text: &str| kept(text).unwrap_err().to_string();
    assert_eq!(refused("[1"), "Json at byte 2: not_json: expected `,` or `]`, found the end");
    assert_eq!(
        refused("{\"a\":1,\"a\":1}"),
        "Json at byte 7: duplicate_key: expected each key once, found \"a\""
    );
    assert_eq!("[ ]".parse::<Json>().unwrap(), Json::new("[]").unwrap());
}

#[test]
fn a_value_beyond_its_bounds_is_not_written() {
    let empty = Types::empty;
    let of = |types: &Types, told: &str| {
        let (key, told) = told.split_once(' ').unwrap();
        assert_eq!(flaw(types), format!("Types.{key} at byte 0: {told}"));
    };
    of(
        &Types { bounded: Some(6), ..empty() },
        "bounded out_of_range: expected an integer from -5 to 5, found 6",
    );
    of(&Types { f64: Some(f64::NAN), ..empty() }, "f64 out_of_range: expected a finite number, found NaN");
    of(
        &Types { f32: Some(f32::NEG_INFINITY), ..empty() },
        "f32 out_of_range: expected a finite number, found -Infinity",
    );
    of(
        &Types { between: Some(2.5), ..empty() },
        "between out_of_range: expected a number from -1.5 to 2, found 2.5",
    );
    of(
        &Types { least: Some(0.25), ..empty() },
        "least out_of_range: expected a number of at least 0.5, found 0.25",
    );
    of(&Types { text: Some("12345".into()), ..empty() }, "text too_large: expected at most 4 bytes, found 5");
    of(&Types { hex: Some(vec![0; 3]), ..empty() }, "hex too_large: expected at most 2 bytes, found 3");
    of(&Types { base64: Some(vec![0; 5]), ..empty() }, "base64 too_large: expected at most 4 bytes, found 5");
    of(&Types { list: Some(vec![0; 3]), ..empty() }, "list too_many: expected at most 2 items");
    of(
        &Types { list: Some(vec![10; 3]), ..empty() },
        "list out_of_range: expected an integer from 0 to 9, found 10",
    );
    let map = |members: &[(&str, &str)]| {
        let members = members.iter().map(|&(key, value)| (key.to_owned(), value.to_owned()));
        Types { map: Some(members.collect()), ..empty() }
    };
    of(&map(&[("a", ""), ("b", ""), ("c", "")]), "map too_many: expected at most 2 members");
    of(&map(&[("abcd", "")]), "map too_large: expected at most 3 bytes, found 4");
    of(&map(&[("a", "abcd")]), "map too_large: expected at most 3 bytes, found 4");
    let json = Json::new("[1,2,3,4,500]").unwrap();
    of(&Types { json: Some(json), ..empty() }, "json too_large: expected at most 12 bytes, found 13");
    of(
        &Types { usage: Some(!Flags::<Usage>::empty()), access: Flags::from_bits(4), ..empty() },
        "access unknown_bits: expected bits within 0xf, found 4",
    );
    assert_eq!(
        flaw(&Types { point: Some(Point { x: 0, y: 0 }), ..empty() }),
        "Point at byte 0: rule_violated: expected positive: x > 0, found x = 0"
    );
}

#[test]
fn what_is_read_can_be_written_or_is_too_long() {
    let presence = Presence {
        required: 1,
        optional: None,
        defaulted: 7,
        skipped: 8,
        nullable: 9,
        kept: None,
        renamed: None,
        needed: None,
        used: None,
    };
    round_trip(&presence, r#"{"required":1,"defaulted":7,"nullable":9}"#);
    let needed = Presence { defaulted: 1, ..presence.clone() };
    assert_eq!(
        flaw(&needed),
        "Presence.needed at byte 0: condition_violated: expected the key `needed` when defaulted == 1, found defaulted = 1"
    );
    assert_eq!(flaw(&Presence { used: Some(1), ..presence }).split(' ').nth(4), Some("condition_violated:"));

    let json = |text: &str| Small { json: Some(Json::new(text).unwrap()) };
    round_trip(&json("[[1]]"), r#"{"json":[[1]]}"#);
    assert_eq!(flaw(&json("[[[1]]]")), "Small at byte 0: too_deep: expected at most 3 levels");
    assert_eq!(flaw(&json("[[[1]],[1]]")), "Small at byte 0: too_deep: expected at most 3 levels");
    let lists = Shallow { lists: Some(vec![vec![]]), list: None };
    assert_eq!(flaw(&lists), "Shallow at byte 0: too_deep: expected at most 2 levels");
    let long = json(&format!("\"{}\"", "x".repeat(54)));
    assert_eq!(flaw(&long), "Small at byte 0: too_large: expected at most 64 bytes, found 65");
    let deep = json(&format!("{}{}", "[".repeat(30), "]".repeat(30)));
    assert_eq!(deep.to_json().unwrap_err().code, Code::TooLarge);
}

#[test]
fn a_name_that_no_value_has_is_written_within_its_bound() {
    let types = |name: &str| Types { name: Some(OpenName::from_name(name)), ..Types::empty() };
    assert_eq!(types("later").to_json().unwrap(), r#"{"name":"later","nulled":null}"#);
    assert_eq!(types("bgra32").to_json().unwrap(), r#"{"name":"bgra32","nulled":null}"#);
    assert_eq!(
        types("latest").to_json().unwrap_err().to_string(),
        "Types.name at byte 0: too_large: expected at most 5 bytes, found 6"
    );
}

#[test]
fn a_document_is_added_to_what_is_there() {
    let mut out = b"[".to_vec();
    Small { json: None }.write_json(&mut out).unwrap();
    Point { x: 1, y: 2 }.write_json(&mut out).unwrap();
    assert_eq!(out, br#"[{}{"x":1,"y":2}"#);
}
