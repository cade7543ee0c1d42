//! Faults of values, key by key, and their order.

use wirecontract::{Code, Found, Json, WireJson};

use super::contracts::{Presence, Types};
use super::fault;

/// The fault of one value of `Types`, as what follows the place.
#[track_caller]
fn of(key: &str, value: &str, expected: &str) {
    let head = format!("{{\"{key}\":");
    let told = fault::<Types>(format!("{head}{value}}}"));
    assert_eq!(told, format!("Types.{key} at byte {}: {expected}", head.len()));
}

/// The same, at an offset within the value.
#[track_caller]
fn within(key: &str, value: &str, at: usize, expected: &str) {
    let head = format!("{{\"{key}\":");
    let told = fault::<Types>(format!("{head}{value}}}"));
    assert_eq!(told, format!("Types.{key} at byte {}: {expected}", head.len() + at));
}

#[test]
fn null_stands_only_where_it_is_allowed() {
    for (key, words) in [
        ("u8", "an integer"),
        ("decimal", "a string"),
        ("truth", "true or false"),
        ("f32", "a number"),
        ("text", "a string"),
        ("hex", "a string"),
        ("uuid", "a string"),
        ("list", "an array"),
        ("array", "an array"),
        ("map", "an object"),
        ("format", "a string"),
        ("name", "a string"),
        ("tiling", "an integer"),
        ("open", "an integer"),
        ("usage", "an integer"),
        ("access", "an array"),
        ("extent", "a string"),
        ("point", "an object"),
        ("boxed", "an object"),
    ] {
        of(key, "null", &format!("null_not_allowed: expected {words}, found null"));
    }
    assert_eq!(Types::from_json(br#"{"nullable":null,"nulled":null}"#), Ok(Types::empty()));
}

#[test]
fn another_type_is_refused() {
    let wrong = |key, value, words: &str, found: &str| {
        of(key, value, &format!("wrong_type: expected {words}, found {found}"));
    };
    for value in ["1.0", "1e3", "-0", "\"1\"", "true"] {
        wrong("u8", value, "an integer", value);
        wrong("i64", value, "an integer", value);
        wrong("tiling", value, "an integer", value);
        wrong("usage", value, "an integer", value);
    }
    wrong("u8", "[1]", "an integer", "an array");
    wrong("u8", "{}", "an integer", "an object");
    wrong("decimal", "1", "a string", "1");
    wrong("truth", "0", "true or false", "0");
    wrong("truth", "\"true\"", "true or false", "\"true\"");
    wrong("f64", "\"1\"", "a number", "\"1\"");
    wrong("f64", "false", "a number", "false");
    wrong("text", "5", "a string", "5");
    wrong("hex", "[1]", "a string", "an array");
    wrong("list", "{\"a\":1}", "an array", "an object");
    wrong("list", "\"ab\"", "an array", "\"ab\"");
    wrong("array", "1", "an array", "1");
    wrong("map", "[]", "an object", "an array");
    wrong("point", "[]", "an object", "an array");
    wrong("format", "1", "a string", "1");
    wrong("name", "1", "a string", "1");
    wrong("extent", "1", "a string", "1");
    wrong("access", "1", "an array", "1");
    wrong("access", "\"read\"", "an array", "\"read\"");
    within("list", "[1,\"\"]", 3, "wrong_type: expected an integer, found \"\"");
    within("list", "[1,null]", 3, "null_not_allowed: expected an integer, found null");
    within("map", "{\"a\":1}", 5, "wrong_type: expected a string, found 1");
    within("map", "{\"a\":null}", 5, "null_not_allowed: expected a string, found null");
    within("access", "[1]", 1, "wrong_type: expected a string, found 1");
    within("access", "[null]", 1, "null_not_allowed: expected a string, found null");
    assert_eq!(fault::<Types>("[]"), "Types at byte 0: wrong_type: expected an object, found an array");
    assert_eq!(fault::<Types>(" null"), "Types at byte 1: null_not_allowed: expected an object, found null");
    assert_eq!(fault::<Types>("-1.5"), "Types at byte 0: wrong_type: expected an object, found -1.5");
    // What is long is cut between characters.
    let long = format!("\"{}é\"", "x".repeat(38));
    wrong("u8", &long, "an integer", &format!("\"{}…", "x".repeat(38)));
    wrong("u8", &format!("\"{}\"", "x".repeat(38)), "an integer", &format!("\"{}\"", "x".repeat(38)));
}

#[test]
fn an_integer_outside_its_range_is_refused() {
    let out = |key, value: &str, range: &str| {
        of(key, value, &format!("out_of_range: expected an integer from {range}, found {value}"));
    };
    out("u8", "256", "0 to 255");
    out("u8", "-1", "0 to 255");
    out("i8", "128", "-128 to 127");
    out("i8", "-129", "-128 to 127");
    out("u64", "18446744073709551616", "0 to 18446744073709551615");
    out("i64", "9223372036854775808", "-9223372036854775808 to 9223372036854775807");
    out("i64", "-9223372036854775809", "-9223372036854775808 to 9223372036854775807");
    out("bounded", "6", "-5 to 5");
    out("bounded", "-6", "-5 to 5");
    out("open", "128", "-128 to 127");
    out("usage", "256", "0 to 255");
    out("usage", "-1", "0 to 255");
    of("decimal", "\"-1\"", "out_of_range: expected an integer from 0 to 18446744073709551615, found \"-1\"");
    of("signed", "\"40000\"", "out_of_range: expected an integer from -32768 to 32767, found \"40000\"");
    within("list", "[10]", 1, "out_of_range: expected an integer from 0 to 9, found 10");
    let most = "9".repeat(256);
    of("u8", &most, &format!("out_of_range: expected an integer from 0 to 255, found {}…", "9".repeat(40)));
    let longer = "9".repeat(257);
    let told = format!("too_large: expected at most 256 characters, found {}…", "9".repeat(40));
    of("u8", &longer, &told);
    of("f64", &longer, &told);
    of("tiling", &longer, &told);
    of(
        "u8",
        &format!("1.{}", "0".repeat(255)),
        &format!("too_large: expected at most 256 characters, found 1.{}…", "0".repeat(38)),
    );
    let read = Types::from_json(
        br#"{"u64":18446744073709551615,"i64":-9223372036854775808,"decimal":"18446744073709551615","signed":"-32768","bounded":-5}"#,
    );
    let expected = Types {
        u64: Some(u64::MAX),
        i64: Some(i64::MIN),
        decimal: Some(u64::MAX),
        signed: Some(i16::MIN),
        bounded: Some(-5),
        ..Types::empty()
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn a_float_outside_its_bounds_is_refused() {
    let out = |key, value: &str, words: &str| {
        of(key, value, &format!("out_of_range: expected {words}, found {value}"));
    };
    out("f64", "1e309", "a finite number");
    out("f64", "-1e999", "a finite number");
    out("f32", "1e39", "a finite number");
    out("f32", "3.4028235677973366e38", "a finite number");
    out("between", "2.0000001", "a number from -1.5 to 2");
    out("between", "-2", "a number from -1.5 to 2");
    out("least", "0.4999", "a number of at least 0.5");
    out("most", "1.1e21", "a number of at most 1e+21");
    // The f32 is compared.
    assert!(Types::from_json(br#"{"least":0.49999999999,"f32":3.4028235677973362e38}"#).is_ok());
    assert!(Types::from_json(br#"{"between":-1.5}"#).is_ok());
}

#[test]
fn what_is_too_long_is_refused() {
    of("text", "\"12345\"", "too_large: expected at most 4 bytes, found 5");
    of("text", "\"\\u00e9\\u00e9\\n\"", "too_large: expected at most 4 bytes, found 5");
    of("hex", "\"010203\"", "too_large: expected at most 2 bytes, found 3");
    of("base64", "\"AAAAAAA=\"", "too_large: expected at most 4 bytes, found 5");
    within("list", "[1,2, 3]", 6, "too_many: expected at most 2 items");
    within("list", "[1,2,\"x\"]", 5, "too_many: expected at most 2 items");
    within("list", "[1,\"x\",3]", 3, "wrong_type: expected an integer, found \"x\"");
    within("array", "[1,2,3]", 5, "too_many: expected 2 items");
    within("array", "[1]", 0, "too_short: expected 2 items, found 1");
    within("array", " [ ]", 1, "too_short: expected 2 items, found 0");
    within("matrix", "[[1,2],[3]]", 7, "too_short: expected 2 items, found 1");
    within("map", r#"{"a":"","b":"","c":""}"#, 15, "too_many: expected at most 2 members");
    within("map", r#"{"abcd":""}"#, 1, "too_large: expected at most 3 bytes, found 4");
    within("map", r#"{"a":"abcd"}"#, 5, "too_large: expected at most 3 bytes, found 4");
    of("json", "[ 1, 2, 3, 4, 5, 6 ]", "too_large: expected at most 12 bytes, found 13");
    let read = Types::from_json(
        br#"{"text":"\u00e9\u00e9","json":[ 1, 2 , 3, 4, 50 ],"map":{"abc":"def","":""},"list":[],"array":[1,2],"matrix":[[1,2],[3,4],[5,6]]}"#,
    )
    .unwrap();
    assert_eq!(read.json.unwrap().as_str(), "[1,2,3,4,50]");
    assert_eq!(read.text.unwrap(), "éé");
    assert_eq!(read.matrix.unwrap().len(), 3);
}

#[test]
fn a_million_items_are_refused_at_the_bound() {
    #[derive(wirecontract::WireContract, Clone, Debug, PartialEq)]
    #[wire(recipe, max_bytes = 4194304)]
    struct Items {
        #[wire(max_items = 3)]
        items: Vec<u8>,
    }
    let document = format!("{{\"items\":[0{}]}}", ",0".repeat(1_000_000));
    assert_eq!(fault::<Items>(document), "Items.items at byte 16: too_many: expected at most 3 items");
}

#[test]
fn what_is_not_spelled_as_declared_is_refused() {
    let bad = |key, value: &str, words: &str| {
        of(key, value, &format!("bad_encoding: expected {words}, found {value}"));
    };
    for value in ["\"\"", "\"+1\"", "\"01\"", "\"-0\"", "\"1.0\"", "\" 1\"", "\"-\"", "\"1e3\"", "\"٣\""] {
        bad("decimal", value, "decimal digits");
    }
    for value in ["\"0\"", "\"0G\"", "\"AB\"", "\" 1\""] {
        bad("hex", value, "lower-case hex");
        bad("hex2", value, "2 bytes as lower-case hex");
    }
    bad("hex2", "\"01\"", "2 bytes as lower-case hex");
    bad("hex2", "\"010203\"", "2 bytes as lower-case hex");
    for value in [
        "\"A\"",
        "\"AA\"",
        "\"AAA\"",
        "\"A===\"",
        "\"====\"",
        "\"AB==\"",
        "\"AAB=\"",
        "\"AA-_\"",
        "\"AA=A\"",
        "\"AA==AA==\"",
    ] {
        bad("base64", value, "base64");
        bad("base2", value, "base64 of 2 bytes");
    }
    bad("base2", "\"AAAA\"", "base64 of 2 bytes");
    for value in [
        "\"30313233343536373839616263646566\"",
        "\"30313233-3435-3637-3839-61626364656\"",
        "\"30313233-3435-3637-3839-61626364656F\"",
        "\"30313233_3435-3637-3839-616263646566\"",
        "\"3031323-33435-3637-3839-616263646566\"",
    ] {
        bad("uuid", value, "a UUID in lower case");
    }
    bad("extent", "\"45\"", "4 bytes as lower-case hex");
    let read = Types::from_json(
        br#"{"hex":"","hex2":"00fF","base64":"AAECAw==","base2":"AQI=","uuid":"30313233-3435-3637-3839-616263646566","extent":"45010700","decimal":"0"}"#
            .map(|byte| if byte == b'F' { b'f' } else { byte })
            .as_slice(),
    );
    let read = read.unwrap();
    assert_eq!((read.hex, read.hex2), (Some(Vec::new()), Some([0, 255])));
    assert_eq!((read.base64, read.base2), (Some(vec![0, 1, 2, 3]), Some([1, 2])));
    assert_eq!(read.uuid, Some(*b"0123456789abcdef"));
    assert_eq!(read.extent.unwrap().width, 7);
}

#[test]
fn a_descriptors_fault_is_told_as_its_own() {
    let told = |value: &str| fault::<Types>(format!("{{\"extent\":\"{value}\"}}"));
    assert_eq!(told("46010700"), "Extent.magic at byte 10: bad_magic: expected bytes 45, found bytes 46");
    assert_eq!(told("45020700"), "Extent.flag at byte 10: unknown_value: expected 0 or 1, found 2");
}

#[test]
fn an_unknown_value_is_refused() {
    of("format", "\"x\"", "unknown_value: expected a value of Format, found \"x\"");
    of("format", "\"bgra 32\"", "unknown_value: expected a value of Format, found \"bgra 32\"");
    for number in ["1", "-2", "128", "99999999999999999999"] {
        of("tiling", number, &format!("unknown_value: expected a value of Tiling, found {number}"));
    }
    of("usage", "4", "unknown_bits: expected bits within 0x3, found 4");
    within("access", "[\"read\",\"x\"]", 8, "unknown_value: expected a value of Access, found \"x\"");
    within("access", "[\"write\",\"w\"]", 9, "duplicate_key: expected each flag once, found \"w\"");
    let read = Types::from_json(
        br#"{"format":" BGRA\t","name":"Bgra32","tiling":-1,"open":5,"usage":3,"access":["write","read"]}"#,
    )
    .unwrap();
    assert_eq!(read.format, Some(super::contracts::Format::Bgra32));
    assert_eq!(read.name.unwrap().known(), Some(super::contracts::Format::Bgra32));
    assert_eq!(read.open.unwrap().raw(), 5);
    assert_eq!(read.access.unwrap().bits(), 3);
}

#[test]
fn presence_is_as_declared() {
    let read = Presence::from_json(br#"{"required":1,"nullable":null,"class":4}"#).unwrap();
    assert_eq!((read.optional, read.defaulted, read.skipped, read.nullable), (None, 7, 8, 9));
    assert_eq!((read.kept, read.renamed), (None, Some(4)));
    let told = |document: &str| fault::<Presence>(document);
    assert_eq!(told(" {}"), "Presence.required at byte 1: missing_key: expected the key `required`");
    assert_eq!(
        told(r#"{"required":1,"renamed":4}"#),
        "Presence at byte 14: unknown_key: expected a key of Presence, found \"renamed\""
    );
    assert_eq!(
        told(r#"{"required":1,"class":""}"#),
        "Presence.class at byte 22: wrong_type: expected an integer, found \"\""
    );
    assert_eq!(
        told(r#"{"required":1,"defaulted":null}"#),
        "Presence.defaulted at byte 26: null_not_allowed: expected an integer, found null"
    );
    assert_eq!(
        told(r#"{"required":1,"defaulted":1}"#),
        "Presence.needed at byte 0: condition_violated: expected the key `needed` when defaulted == 1, found defaulted = 1"
    );
    assert_eq!(
        told(r#"{"required":1,"used":1}"#),
        "Presence.used at byte 0: condition_violated: expected no key `used` unless defaulted == 2 || defaulted == 3, found defaulted = 7"
    );
}

/// Two faults of one object, in both orders.
#[test]
fn the_fault_that_comes_first_by_declaration_is_told() {
    // In the order they are told; a missing key is put in by leaving it out.
    let faults = [
        ("\"required\":\"\"", Code::WrongType),
        ("\"optional\":300", Code::OutOfRange),
        ("\"skipped\":null", Code::NullNotAllowed),
        ("\"kept\":\"x\"", Code::UnknownValue),
        ("\"zzz\":0", Code::UnknownKey),
        ("\"used\":1", Code::ConditionViolated),
    ];
    for (index, (first, code)) in faults.iter().enumerate() {
        for (second, _) in &faults[index + 1..] {
            for [one, two] in [[first, second], [second, first]] {
                let required =
                    if one.contains("required") || two.contains("required") { "" } else { "\"required\":0," };
                let document = format!("{{{one},{required}{two}}}");
                assert_eq!(Presence::from_json(document.as_bytes()).unwrap_err().code, *code, "{document}");
            }
        }
        if index > 0 {
            let document = format!("{{{first}}}");
            assert_eq!(Presence::from_json(document.as_bytes()).unwrap_err().code, Code::MissingKey);
        }
    }
}

#[test]
fn nested_values_are_looked_at_in_their_place() {
    let told = |document: &str| fault::<Types>(document);
    assert_eq!(
        told(r#"{"points":[1],"point":{"y":"","z":1}}"#),
        "Point.x at byte 22: missing_key: expected the key `x`"
    );
    assert_eq!(
        told(r#"{"points":[1],"point":{"x":0,"z":1}}"#),
        "Point at byte 29: unknown_key: expected a key of Point, found \"z\""
    );
    assert_eq!(
        told(r#"{"points":[1],"point":{"x":0}}"#),
        "Point at byte 22: rule_violated: expected positive: x > 0, found x = 0"
    );
    assert_eq!(
        told(r#"{"points":[{"x":1},{"x":-1}],"boxed":1}"#),
        "Point at byte 19: rule_violated: expected positive: x > 0, found x = -1"
    );
    assert_eq!(
        told(r#"{"points":[{"x":1},2]}"#),
        "Types.points at byte 19: wrong_type: expected an object, found 2"
    );
}

#[test]
fn a_bound_on_an_open_name_is_of_names_that_no_value_has() {
    let name = |text: &str| Types::from_json(format!(r#"{{"name":"{text}"}}"#).as_bytes()).map(|it| it.name);
    // Of values each name is read, however long it is spelled.
    for known in ["bgra32", "unknown", r" BGRA32\t\t", r"\u0062gra32"] {
        assert!(name(known).unwrap().unwrap().known().is_some(), "{known}");
    }
    for kept in ["", "later", "éé1", r"\u006c\u0061\u0074\u0065\u0072"] {
        assert_eq!(name(kept).unwrap().unwrap().known(), None, "{kept}");
    }
    for (long, length) in [("latest", 6), ("ééé", 6), (r"\u006c\u0061\u0074\u0065sts", 7)] {
        let told = fault::<Types>(&format!(r#"{{"name":"{long}"}}"#));
        let expected = format!("Types.name at byte 8: too_large: expected at most 5 bytes, found {length}");
        assert_eq!(told, expected, "{long}");
    }
}

#[test]
fn json_that_is_too_long_is_as_long_as_its_compact_text() {
    for json in [
        r#" [ "\u0007\/\n\u000c\t\"\\", 1.50 ] "#,
        r#"{ "\u2028\ud83d\ude00" : "aaaaaaaaa\u001f\r\b\f" }"#,
        r#""aaaaaaaaaaa""#,
    ] {
        let length = Json::new(json).unwrap().as_str().len();
        let error = Types::from_json(format!("{{\"json\":{json}}}").as_bytes()).unwrap_err();
        assert_eq!((error.code, error.found), (Code::TooLarge, Found::Unsigned(length as u64)), "{json}");
    }
    // What is longer only by white space and escapes is none.
    assert!(Types::from_json(br#"{"json": [ "\u0061\u0062\u0063" , 1, 2 ] }"#).is_ok());
}
