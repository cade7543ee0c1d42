//! What documents mean: every fault with its words, which of two comes first, and the one spelling of what is accepted.

#[path = "support/beside.rs"]
mod beside;

use wirecontract_codegen::fixtures::{self, id};
use wirecontract_codegen::interpret::{Code, Fault, json};
use wirecontract_codegen::model::{
    Body, Catalog, Content, ContractId, JsonType, Key, Length, Literal, Presence, Recipe, Spelling, Tagging,
    Union, Variant, WhenAbsent,
};

fn shown(fault: &Fault) -> String {
    format!(
        "{} {}.{} {}: {} | {}",
        fault.code.name(),
        fault.contract,
        fault.field,
        fault.offset,
        fault.expected,
        fault.found
    )
}

/// The fault of a document, in one line.
fn refusal_in(catalog: &Catalog, id: ContractId, document: impl AsRef<[u8]>) -> String {
    match json::read(catalog, id, document.as_ref()) {
        Ok(reading) => panic!("accepted {:?}: {reading:?}", String::from_utf8_lossy(document.as_ref())),
        Err(fault) => shown(&fault),
    }
}

fn refusal(id: ContractId, document: impl AsRef<[u8]>) -> String {
    refusal_in(&fixtures::recipes(), id, document)
}

fn written_in(catalog: &Catalog, id: ContractId, document: &str) -> String {
    match json::read(catalog, id, document.as_bytes()) {
        Ok(reading) => reading.written.unwrap_or_else(|fault| panic!("{document}: {fault}")),
        Err(fault) => panic!("{document}: {fault}"),
    }
}

fn written(id: ContractId, document: &str) -> String {
    written_in(&fixtures::recipes(), id, document)
}

/// A document of everything: what is given beside its required key.
fn everything(members: &str) -> String {
    format!(r#"{{"u8_field":0,{members}}}"#)
}

/// Where what is given starts.
const AT: usize = r#"{"u8_field":0,"#.len();

/// The fault of one member of everything: its words, and where it is from the member's first byte on.
fn member(text: &str, key: &str, code: &str, at: usize, expected: &str, found: &str) {
    let line = format!("{code} Everything.{key} {}: {expected} | {found}", AT + at);
    assert_eq!(refusal(id::EVERYTHING, everything(text)), line, "{text}");
}

#[test]
fn a_document_is_measured_before_it_is_read() {
    let long = vec![0xff; 4097];
    assert_eq!(refusal(id::EVERYTHING, &long), "too_large Everything. 4096: at most 4096 bytes | 4097");
    let mut padded = everything(r#""class":1"#);
    padded.extend(std::iter::repeat_n(' ', 4096 - padded.len()));
    assert_eq!(written(id::EVERYTHING, &padded).len(), 83);
}

#[test]
fn text_is_utf_8() {
    for (bytes, at) in [
        (&b"{\"a\xff"[..], 3),
        (b"\"\xed\xa0\x80\"", 1),
        (b"\"\xc0\x80\"", 1),
        (b"\"\xc3", 1),
        // UTF-8 comes before syntax, wherever that is wrong.
        (b"x\x80", 1),
    ] {
        assert_eq!(refusal(id::NAMED, bytes), format!("bad_utf8 Named. {at}: UTF-8 | "), "{bytes:?}");
    }
    for (text, at) in [
        (r#"{"\ud800":1}"#, 2),
        (r#"{"surface_id":"a\udc00\ud800"}"#, 16),
        (r#"["\ud800\ud800\udc00"]"#, 2),
        (r#"["\ud83d\u0041"]"#, 2),
        (r#"["\ud83d\n"]"#, 2),
        (r#"["\ud83d\ude0"]"#, 2),
        (r#"["\ud83d"#, 2),
    ] {
        assert_eq!(
            refusal(id::NAMED, text),
            format!("bad_utf8 Named. {at}: a pair of surrogates | "),
            "{text}"
        );
    }
    assert_eq!(written(id::NAMED, r#"{"surface_id":"\ud83d\uDE00\u00e9\/"}"#), r#"{"surface_id":"😀é/"}"#);
}

#[test]
fn syntax_is_wrong_at_its_first_wrong_byte() {
    for (text, at, expected, found) in [
        ("", 0, "a value", "the end"),
        (" \n", 2, "a value", "the end"),
        ("\u{feff}{}", 0, "a value", "byte 0xef"),
        ("\u{c}{}", 0, "a value", "byte 0x0c"),
        ("'", 0, "a value", "byte 0x27"),
        ("N", 0, "a value", "byte 0x4e"),
        ("+1", 0, "a value", "byte 0x2b"),
        (".5", 0, "a value", "byte 0x2e"),
        ("]", 0, "a value", "byte 0x5d"),
        ("[}", 1, "a value or `]`", "byte 0x7d"),
        ("[", 1, "a value or `]`", "the end"),
        ("[1,]", 3, "a value", "byte 0x5d"),
        ("[1 2]", 3, "`,` or `]`", "byte 0x32"),
        ("[1", 2, "`,` or `]`", "the end"),
        ("{1", 1, "a key or `}`", "byte 0x31"),
        ("{", 1, "a key or `}`", "the end"),
        (r#"{"a" 1}"#, 5, "`:`", "byte 0x31"),
        (r#"{"a""#, 4, "`:`", "the end"),
        (r#"{"a":}"#, 5, "a value", "byte 0x7d"),
        (r#"{"a":1,}"#, 7, "a key", "byte 0x7d"),
        (r#"{"a":1 "b"}"#, 7, "`,` or `}`", "byte 0x22"),
        (r#"{"a":1]"#, 6, "`,` or `}`", "byte 0x5d"),
        ("truE", 3, "`true`", "byte 0x45"),
        ("tru", 3, "`true`", "the end"),
        ("falze", 3, "`false`", "byte 0x7a"),
        ("nuLl", 2, "`null`", "byte 0x4c"),
        ("nullx", 4, "the end", "byte 0x78"),
        ("-", 1, "a digit", "the end"),
        ("-a", 1, "a digit", "byte 0x61"),
        ("1.", 2, "a digit", "the end"),
        ("1.e5", 2, "a digit", "byte 0x65"),
        ("1e", 2, "a digit", "the end"),
        ("1e+", 3, "a digit", "the end"),
        ("1E-x", 3, "a digit", "byte 0x78"),
        ("01", 1, "no digit after a leading zero", "byte 0x31"),
        ("-00", 2, "no digit after a leading zero", "byte 0x30"),
        ("0x1", 1, "the end", "byte 0x78"),
        ("\"\u{1f}\"", 1, "an escape", "byte 0x1f"),
        ("\"\n", 1, "an escape", "byte 0x0a"),
        (r#""\x""#, 2, "an escape", "byte 0x78"),
        (r#""\"#, 2, "an escape", "the end"),
        (r#""\u12g4""#, 5, "four hexadecimal digits", "byte 0x67"),
        (r#""\u12"#, 5, "four hexadecimal digits", "the end"),
        (r#""\u12""#, 5, "four hexadecimal digits", "byte 0x22"),
        (r#""abc"#, 4, "the end of the string", "the end"),
        ("{}{}", 2, "the end", "byte 0x7b"),
        ("{} x", 3, "the end", "byte 0x78"),
        ("1,", 1, "the end", "byte 0x2c"),
    ] {
        assert_eq!(refusal(id::NAMED, text), format!("not_json Named. {at}: {expected} | {found}"), "{text}");
    }
    // What would be refused as a value is first read to its end.
    assert_eq!(refusal(id::NAMED, r#"{"surface_id":1} x"#), "not_json Named. 17: the end | byte 0x78");
    assert_eq!(written(id::NAMED, " {\t\"surface_id\"\r:\n\"\" } "), r#"{"surface_id":""}"#);
    assert_eq!(
        written(id::NAMED, "{\"surface_id\":\"\u{7f}\u{2028}\"}"),
        "{\"surface_id\":\"\u{7f}\u{2028}\"}"
    );
}

#[test]
fn depth_is_counted_in_brackets() {
    let nested = |open: usize| format!("{}{}", "[".repeat(open), "]".repeat(open));
    let with = |open| everything(&format!(r#""extra":{}"#, nested(open)));
    let accepted = written(id::EVERYTHING, &with(7));
    assert!(accepted.contains("[[[[[[[]]]]]]]"), "{accepted}");
    let at = AT + r#""extra":"#.len() + 7;
    assert_eq!(refusal(id::EVERYTHING, with(8)), format!("too_deep Everything. {at}: at most 8 levels | "));
    // Depth and syntax: the first one by position.
    assert_eq!(refusal(id::EVERYTHING, "[[[[[[[[[x"), "too_deep Everything. 8: at most 8 levels | ");
    assert_eq!(refusal(id::EVERYTHING, "[x[[[[[[[["), "not_json Everything. 1: a value or `]` | byte 0x78");
    assert_eq!(refusal(id::NAMED, "[".repeat(100_000)), "too_deep Named. 64: at most 64 levels | ");
}

#[test]
fn a_document_of_a_hundred_thousand_levels_is_read_without_as_deep_a_stack() {
    let mut catalog = fixtures::recipes();
    let extra = JsonType::Json { max_len: None };
    let body = Recipe { max_depth: 100_001, ..recipe(vec![key("extra", extra, Presence::Required)]) };
    catalog.contracts.push(fixtures::contract("Deep", Body::Recipe(body)));
    let id = ContractId(catalog.contracts.len() - 1);
    let document = format!(r#"{{"extra":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(written_in(&catalog, id, &document), document);
    let document = format!(r#"{{"extra":{}"#, r#"{"a":"#.repeat(100_001));
    assert!(refusal_in(&catalog, id, document).starts_with("too_deep Deep. 500009: at most 100001 levels"));
}

#[test]
fn a_key_stands_once_in_its_object() {
    let twice = |text: &str, at: usize, key: &str| {
        assert_eq!(
            refusal(id::NAMED, text),
            format!("duplicate_key Named. {at}: each key once | {key}"),
            "{text}"
        );
    };
    twice(r#"{"surface_id":1,"surface_id":2}"#, 16, r#""surface_id""#);
    twice(r#"{"a":1,"\u0061":2}"#, 7, r#""\u0061""#);
    twice(r#"{"x":[{"a":1,"a":2}],"x":1}"#, 13, r#""a""#);
    twice(r#"{"x":1,"x":{"a":1,"a":2}}"#, 7, r#""x""#);
    twice(r#"{"":1,"":2}"#, 6, r#""""#);
    // A long key is cut at a character's end.
    let long = "é".repeat(30);
    twice(&format!(r#"{{"{long}":1,"{long}":2}}"#), 66, &format!("\"{}…", "é".repeat(19)));
    // Syntax comes first, wherever it is wrong; then come duplicates, before all values.
    assert_eq!(refusal(id::NAMED, r#"{"a":1,"a":2,"#), "not_json Named. 13: a key | the end");
    twice(r#"[{"a":1,"a":2}]"#, 8, r#""a""#);
}

#[test]
fn the_outermost_value_is_an_object() {
    for id in [id::NAMED, id::REQUEST, id::MEASURE, id::ANSWER] {
        let catalog = fixtures::recipes();
        let name = &catalog.get(id).name;
        assert_eq!(refusal(id, " null"), format!("null_not_allowed {name}. 1: an object | null"));
        assert_eq!(refusal(id, " []"), format!("wrong_type {name}. 1: an object | an array"));
        assert_eq!(refusal(id, "\"x\""), format!("wrong_type {name}. 0: an object | \"x\""));
    }
}

#[test]
fn keys_are_required_optional_or_defaulted() {
    assert_eq!(refusal(id::EVERYTHING, " {}"), "missing_key Everything.u8_field 1: the key `u8_field` | ");
    assert_eq!(
        written(id::EVERYTHING, r#"{"u8_field":0}"#),
        r#"{"u8_field":0,"bounded":3,"f64_field":0.25,"label":"unknown","note":null}"#
    );
    let full = concat!(
        r#"{"u8_field":255,"i64_field":-9223372036854775808,"u64_field":18446744073709551615,"bounded":-10,"#,
        r#""decimal":"18446744073709551615","truth":true,"f32_field":0.10000000149011612,"f64_field":-1.5,"#,
        r#""label":"é","note":"\b\t\n\f\r\u0000\u001f\"\\/","blob":"AP8=","token":"00ff","#,
        r#""uuid":"00112233-4455-6677-8899-aabbccddeeff","matrix":[[1,-2],[3,4]],"labels":["a","","b"],"#,
        r#""tags":{"":"x","a":"1","b":"2"},"extra":{"b":1.50,"a":[-0,1E5,null]},"tiling":1000158000,"#,
        r#""format":"nv12","access":["read"],"extent":"040000000500000006000000","#,
        r#""image":{"tiling":7,"usage":4294967295},"measure":{"type":"ratio","value":1e-7},"#,
        r#""measures":[{"type":"count","value":0},{"type":"nothing"},{"type":"x","value":[{}]}],"class":7}"#
    );
    // i64_field * i64_field leaves the range of rules: any other number there, and the document is its own spelling.
    let full = full.replace("-9223372036854775808", "-3000000000");
    assert_eq!(written(id::EVERYTHING, &full), full);
    assert_eq!(
        written(
            id::EVERYTHING,
            &everything(r#""access":["w","r"],"i64_field":-5,"truth":null,"format":" NV99 ""#)
        ),
        r#"{"u8_field":0,"bounded":3,"f64_field":0.25,"label":"unknown","note":null,"format":" NV99 "}"#
    );
}

#[test]
fn null_is_absent_only_where_it_may_be() {
    for (key, words) in [
        ("u64_field", "an integer"),
        ("bounded", "an integer"),
        ("decimal", "a string"),
        ("f32_field", "a number"),
        ("label", "a string"),
        ("blob", "a string"),
        ("matrix", "an array"),
        ("tags", "an object"),
        ("tiling", "an integer"),
        ("format", "a string"),
        ("access", "an array"),
        ("extent", "a string"),
        ("image", "an object"),
        ("measure", "an object"),
    ] {
        let text = format!(r#""{key}":null"#);
        member(&text, key, "null_not_allowed", key.len() + 3, words, "null");
    }
    member(r#""matrix":[[1,2],[null,4]]"#, "matrix", "null_not_allowed", 17, "an integer", "null");
    member(r#""labels":[null]"#, "labels", "null_not_allowed", 10, "a string", "null");
    member(r#""tags":{"a":null}"#, "tags", "null_not_allowed", 12, "a string", "null");
    member(r#""access":[null]"#, "access", "null_not_allowed", 10, "a string", "null");
    assert!(written(id::EVERYTHING, &everything(r#""truth":null,"note":null"#)).contains(r#""note":null"#));
    assert!(written(id::EVERYTHING, &everything(r#""extra":null"#)).contains(r#""extra":null"#));
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"u8_field":null}"#),
        "null_not_allowed Everything.u8_field 12: an integer | null"
    );
}

#[test]
fn a_value_has_its_type() {
    for (key, value, words, found) in [
        ("u64_field", "1.0", "an integer", "1.0"),
        ("u64_field", "1e3", "an integer", "1e3"),
        ("u64_field", "-0", "an integer", "-0"),
        ("u64_field", "\"1\"", "an integer", "\"1\""),
        ("decimal", "1", "a string", "1"),
        ("truth", "0", "true or false", "0"),
        ("f32_field", "\"NaN\"", "a number", "\"NaN\""),
        ("label", "true", "a string", "true"),
        ("blob", "[0]", "a string", "an array"),
        ("matrix", "{}", "an array", "an object"),
        ("tags", "[]", "an object", "an array"),
        ("tiling", "\"Optimal\"", "an integer", "\"Optimal\""),
        ("format", "2", "a string", "2"),
        ("access", "3", "an array", "3"),
        ("extent", "[4,5,6]", "a string", "an array"),
        ("image", "1", "an object", "1"),
        ("measures", "{}", "an array", "an object"),
    ] {
        member(&format!(r#""{key}":{value}"#), key, "wrong_type", key.len() + 3, words, found);
    }
    member(r#""matrix":[[1,2],[3,"4"]]"#, "matrix", "wrong_type", 19, "an integer", "\"4\"");
    member(r#""matrix":[[1,2],3]"#, "matrix", "wrong_type", 16, "an array", "3");
    member(r#""access":["read",1]"#, "access", "wrong_type", 17, "a string", "1");
    member(r#""tags":{"a":1}"#, "tags", "wrong_type", 12, "a string", "1");
}

#[test]
fn numbers_have_their_range() {
    let range = "an integer from";
    for (key, value, expected) in [
        ("u64_field", "18446744073709551616", format!("{range} 0 to 18446744073709551615")),
        ("u64_field", "-1", format!("{range} 0 to 18446744073709551615")),
        ("bounded", "11", format!("{range} -10 to 10")),
        ("bounded", "-11", format!("{range} -10 to 10")),
        ("i64_field", "9223372036854775808", format!("{range} -9223372036854775808 to 9223372036854775807")),
        ("decimal", "\"18446744073709551616\"", format!("{range} 0 to 18446744073709551615")),
        ("decimal", "\"-1\"", format!("{range} 0 to 18446744073709551615")),
        ("f64_field", "1e999", "a finite number".to_owned()),
        ("f32_field", "3.5e38", "a finite number".to_owned()),
        ("f64_field", "-1.6", "a number from -1.5 to 1000000000".to_owned()),
        ("f64_field", "1000000000.1", "a number from -1.5 to 1000000000".to_owned()),
    ] {
        member(&format!(r#""{key}":{value}"#), key, "out_of_range", key.len() + 3, &expected, value);
    }
    let digits = "1".repeat(256);
    let short = format!("{}…", "1".repeat(40));
    member(
        &format!(r#""u64_field":{digits}"#),
        "u64_field",
        "out_of_range",
        12,
        "an integer from 0 to 18446744073709551615",
        &short,
    );
    for key in ["u64_field", "f64_field", "tiling"] {
        let text = format!(r#""{key}":{digits}1"#);
        member(&text, key, "too_large", key.len() + 3, "at most 256 characters", &short);
    }
    member(
        r#""matrix":[[1,32768]]"#,
        "matrix",
        "out_of_range",
        13,
        "an integer from -32768 to 32767",
        "32768",
    );
    // A number of any JSON is never looked at.
    assert!(written(id::EVERYTHING, &everything(r#""extra":-1e999"#)).contains("-1e999"));
    // The nearest f32 is infinite from halfway beyond the greatest one on.
    assert!(
        written(id::EVERYTHING, &everything(r#""f32_field":3.4028235677973362e38"#))
            .contains("3.4028234663852886e+38")
    );
    assert!(written(id::EVERYTHING, &everything(r#""f32_field":-0.0"#)).contains(r#""f32_field":-0,"#));
}

#[test]
fn floats_may_be_bounded_on_one_side() {
    let value = |json: &str| format!(r#"{{"type":"ratio","value":{json}}}"#);
    assert_eq!(
        refusal(id::MEASURE, value("1000001")),
        "out_of_range Measure.value 24: a number of at most 1000000 | 1000001"
    );
    let mut catalog = fixtures::recipes();
    let least =
        JsonType::Float { scalar: wirecontract_codegen::model::Scalar::F32, min: Some(0.1), max: None };
    let id = add(&mut catalog, "Least", recipe(vec![key("x", least, Presence::Required)]));
    // The nearest f32 of 0.1 is a little more than it.
    assert_eq!(written_in(&catalog, id, r#"{"x":0.0999999999}"#), r#"{"x":0.10000000149011612}"#);
    assert_eq!(
        refusal_in(&catalog, id, r#"{"x":0}"#),
        "out_of_range Least.x 5: a number of at least 0.1 | 0"
    );
}

#[test]
fn text_and_bytes_have_their_length() {
    member(r#""label":"12345678901234567""#, "label", "too_large", 8, "at most 16 bytes", "17");
    member(r#""format":"tomorrows""#, "format", "too_large", 9, "at most 8 bytes", "9");
    member(r#""labels":["a","123456789"]"#, "labels", "too_large", 14, "at most 8 bytes", "9");
    member(r#""tags":{"12345678901234567":1}"#, "tags", "too_large", 8, "at most 16 bytes", "17");
    member(r#""tags":{"a":"12345678901234567"}"#, "tags", "too_large", 12, "at most 16 bytes", "17");
    let blob = format!(r#""blob":"{}""#, "AAAA".repeat(22));
    member(&blob, "blob", "too_large", 7, "at most 64 bytes", "66");
    let extra = format!(r#""extra":[ "{}" ]"#, "x".repeat(253));
    member(&extra, "extra", "too_large", 8, "at most 256 bytes", "257");
    assert!(written(id::EVERYTHING, &everything(&extra.replacen("xx", "x", 1))).contains("xxx"));
    // Escapes count as the bytes they stand for.
    assert!(written(id::EVERYTHING, &everything(r#""label":"\u0061\u0061\u0061\u0061""#)).contains("aaaa"));
}

#[test]
fn encodings_are_spelled_in_one_way() {
    for (key, value, expected) in [
        ("decimal", "\"\"", "decimal digits"),
        ("decimal", "\"+1\"", "decimal digits"),
        ("decimal", "\"01\"", "decimal digits"),
        ("decimal", "\"-0\"", "decimal digits"),
        ("decimal", "\"-\"", "decimal digits"),
        ("decimal", "\"1.0\"", "decimal digits"),
        ("decimal", "\" 1\"", "decimal digits"),
        ("decimal", "\"00000000000000000000000000000000000000000000\"", "decimal digits"),
        ("token", "\"0\"", "lower-case hex"),
        ("token", "\"0A\"", "lower-case hex"),
        ("blob", "\"AP8\"", "base64"),
        ("blob", "\"AP9=\"", "base64"),
        ("uuid", "\"00112233445566778899aabbccddeeff\"", "a UUID in lower case"),
        ("uuid", "\"00112233-4455-6677-8899-AABBCCDDEEFF\"", "a UUID in lower case"),
        ("extent", "\"0400\"", "12 bytes as lower-case hex"),
        ("extent", "\"zz\"", "12 bytes as lower-case hex"),
    ] {
        let found = if value.len() > 40 { format!("{}…", &value[..40]) } else { value.to_owned() };
        member(&format!(r#""{key}":{value}"#), key, "bad_encoding", key.len() + 3, expected, &found);
    }
    assert_eq!(
        refusal(id::IMAGE, r#"{"device_uuid":"00"}"#),
        r#"bad_encoding Image.device_uuid 15: 16 bytes as lower-case hex | "00""#
    );
}

#[test]
fn arrays_and_maps_have_their_number() {
    member(r#""labels":["a","b","c",4]"#, "labels", "too_many", 22, "at most 3 items", "");
    member(r#""matrix":[[1,2],[3,4],null]"#, "matrix", "too_many", 22, "2 items", "");
    member(r#""matrix":[[1,2,3]]"#, "matrix", "too_many", 15, "2 items", "");
    member(r#""matrix":[ [1,2] ]"#, "matrix", "too_short", 9, "2 items", "1");
    member(r#""matrix":[[1],2]"#, "matrix", "too_short", 10, "2 items", "1");
    member(r#""tags":{"a":"","b":"","c":"","d":"","e":1}"#, "tags", "too_many", 36, "at most 4 members", "");
    // The items stand before the end of the array, the fifth item behind four others.
    member(r#""labels":["a",2,"c","d"]"#, "labels", "wrong_type", 14, "a string", "2");
}

#[test]
fn enumerations_have_their_values() {
    member(r#""tiling":2"#, "tiling", "unknown_value", 9, "a value of Tiling", "2");
    member(r#""tiling":99999999999"#, "tiling", "unknown_value", 9, "a value of Tiling", "99999999999");
    assert_eq!(
        refusal(id::IMAGE, r#"{"tiling":2147483648}"#),
        "out_of_range Image.tiling 10: an integer from -2147483648 to 2147483647 | 2147483648"
    );
    assert_eq!(written(id::IMAGE, r#"{"tiling":-3}"#), r#"{"tiling":-3}"#);
    assert_eq!(
        refusal(id::PIXELS, r#"{"format":"bgr"}"#),
        r#"unknown_value Pixels.format 10: a value of Format | "bgr""#
    );
    for folded in ["BGRA32", " bgra\\t", "Bgra", "\\nbGrA32 "] {
        assert_eq!(written(id::PIXELS, &format!(r#"{{"format":"{folded}"}}"#)), r#"{"format":"bgra32"}"#);
    }
    // Neither a space of Unicode nor a letter that only Unicode folds.
    for other in ["\u{a0}bgra", "\u{b}bgra", "gra\u{131}8"] {
        assert!(
            json::read(&fixtures::recipes(), id::PIXELS, format!(r#"{{"format":"{other}"}}"#).as_bytes())
                .is_err()
        );
    }
}

#[test]
fn flags_have_their_bits_and_names() {
    assert_eq!(
        refusal(id::IMAGE, r#"{"usage":4294967296}"#),
        "out_of_range Image.usage 9: an integer from 0 to 4294967295 | 4294967296"
    );
    assert_eq!(
        refusal(id::IMAGE, r#"{"usage":-1}"#),
        "out_of_range Image.usage 9: an integer from 0 to 4294967295 | -1"
    );
    assert_eq!(written(id::IMAGE, r#"{"usage":16}"#), r#"{"usage":16}"#);
    let mut catalog = fixtures::recipes();
    let Body::Flags(flags) = &mut catalog.contracts[id::USAGE.0].body else { panic!("flags") };
    flags.open = false;
    assert_eq!(
        refusal_in(&catalog, id::IMAGE, r#"{"usage":17}"#),
        "unknown_bits Image.usage 9: bits within 0xf | 17"
    );
    member(r#""access":["read","x"]"#, "access", "unknown_value", 17, "a value of Access", "\"x\"");
    member(r#""access":["read","r"]"#, "access", "duplicate_key", 17, "each flag once", "\"r\"");
    assert!(written(id::EVERYTHING, &everything(r#""access":["w"]"#)).contains(r#""access":["write"]"#));
}

#[test]
fn a_descriptor_in_text_says_its_own_fault_at_the_text() {
    assert_eq!(
        refusal(id::EVERYTHING, everything(r#""extent":"ffffffffffffffff00000000""#)),
        format!(
            "rule_violated Extent. {}: fits: width * height <= 16777216 | width = 4294967295, height = 4294967295",
            AT + 9
        )
    );
    assert_eq!(
        refusal(id::EVERYTHING, everything(r#""extent":"010000000000000001000000""#)),
        format!("condition_violated Extent.pitch {}: zero unless width > 1 | width = 1", AT + 9)
    );
}

#[test]
fn unknown_keys_are_ignored_or_refused() {
    assert_eq!(written(id::NAMED, r#"{"x":[],"surface_id":"a","y":1}"#), r#"{"surface_id":"a"}"#);
    let line = |at: usize, key: &str| format!("unknown_key Everything. {at}: a key of Everything | {key}");
    assert_eq!(refusal(id::EVERYTHING, everything(r#""x":1,"y":2"#)), line(AT, "\"x\""));
    assert_eq!(refusal(id::EVERYTHING, everything(r#""r_class":1"#)), line(AT, "\"r_class\""));
    // Behind the keys that it has, wherever they stand.
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"x":1,"u8_field":256}"#),
        "out_of_range Everything.u8_field 18: an integer from 0 to 255 | 256"
    );
}

#[test]
fn faults_come_in_declared_order() {
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"class":-1,"label":1,"u8_field":null}"#),
        "null_not_allowed Everything.u8_field 33: an integer | null"
    );
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"class":-1,"label":1}"#),
        "missing_key Everything.u8_field 0: the key `u8_field` | "
    );
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"class":-1,"label":1,"u8_field":1}"#),
        "wrong_type Everything.label 20: a string | 1"
    );
    // A nested value with all its own comes in its place: here its condition, before the later key.
    let nested =
        everything(r#""class":-1,"image":{"tiling":1,"device_uuid":"000102030405060708090a0b0c0d0e0f"}"#);
    assert_eq!(
        refusal(id::EVERYTHING, nested),
        format!(
            "condition_violated Image.device_uuid {}: no key `device_uuid` unless !(tiling == Linear) | tiling = 1",
            AT + 19
        )
    );
}

#[test]
fn rules_come_last_in_their_order() {
    let unreadable = r#"{"u8_field":7,"access":[]}"#;
    let readable = "readable: has(access, Read) || u8_field == 0";
    assert_eq!(
        refusal(id::EVERYTHING, unreadable),
        format!("rule_violated Everything. 0: {readable} | has(access, Read) = false, u8_field = 7")
    );
    assert_eq!(
        refusal(id::EVERYTHING, r#" {"u8_field":7}"#),
        "rule_violated Everything. 1: i64_field * i64_field - 1 >= bounded / (u8_field - 7) | i64_field = -5, \
         bounded = 3, u8_field = 7"
    );
    assert_eq!(
        refusal(id::EVERYTHING, r#"{"u8_field":7,"access":[],"x":1}"#),
        "unknown_key Everything. 26: a key of Everything | \"x\""
    );
    assert_eq!(
        refusal(id::EVERYTHING, everything(r#""i64_field":9223372036854775807"#)),
        "rule_violated Everything. 0: i64_field * i64_field - 1 >= bounded / (u8_field - 7) | i64_field = \
         9223372036854775807, bounded = 3, u8_field = 0"
    );
    assert_eq!(
        refusal(id::EVERYTHING, everything(r#""label":"1234567890123456""#)),
        "rule_violated Everything. 0: present(uuid) || len(label) < 16 | present(uuid) = false, len(label) = 16"
    );
}

#[test]
fn flattened_parts_stand_in_the_outer_object_with_their_rules_in_their_place() {
    let surface = r#"{"width":1,"format":"nv12","tiling":1,"resource_type":"texture"}"#;
    assert_eq!(
        written(id::SURFACE, surface),
        r#"{"width":1,"format":"nv12","resource_type":"texture","tiling":1}"#
    );
    assert_eq!(refusal(id::SURFACE, "{}"), "missing_key Surface.width 0: the key `width` | ");
    // In declared order the union's keys come before the arrays', the image's after them.
    assert_eq!(
        refusal(id::SURFACE, r#"{"width":1,"tiling":"x","plane_sizes":1,"resource_type":1}"#),
        "wrong_type SurfaceKind.resource_type 56: a string | 1"
    );
    assert_eq!(
        refusal(id::SURFACE, r#"{"width":1,"tiling":"x","plane_sizes":1,"format":1}"#),
        "wrong_type Pixels.format 49: a string | 1"
    );
    assert_eq!(
        refusal(id::SURFACE, r#"{"width":1,"tiling":"x","plane_sizes":1}"#),
        "wrong_type Surface.plane_sizes 38: an array | 1"
    );
    assert_eq!(
        refusal(id::SURFACE, r#"{"width":1,"tiling":"x"}"#),
        "wrong_type Image.tiling 20: an integer | \"x\""
    );
    let both = r#"{"width":1,"tiling":1,"device_uuid":"000102030405060708090a0b0c0d0e0f","plane_sizes":[]}"#;
    assert!(refusal(id::SURFACE, both).starts_with("condition_violated Image.device_uuid 0:"));
    assert_eq!(
        refusal(id::SURFACE, r#"{"width":1,"plane_sizes":[]}"#),
        "rule_violated Surface. 0: planes: len(plane_sizes) == len(plane_offsets) | len(plane_sizes) = 0, \
         len(plane_offsets) = 1"
    );
}

#[test]
fn a_flattened_part_is_complete_before_the_next_key() {
    let mut catalog = fixtures::recipes();
    let flat = Key { flatten: true, ..key("image", JsonType::Recipe(id::IMAGE), Presence::Required) };
    let keys = vec![key("a", text(1), OPTIONAL), flat, key("z", text(1), OPTIONAL)];
    let id = add(&mut catalog, "Around", Recipe { deny_unknown: true, ..recipe(keys) });
    let broken = r#""tiling":1,"device_uuid":"000102030405060708090a0b0c0d0e0f""#;
    let refused = |members: &str| refusal_in(&catalog, id, format!("{{{broken},{members}}}"));
    assert!(refused(r#""a":1"#).starts_with("wrong_type Around.a"));
    assert!(refused(r#""z":1"#).starts_with("condition_violated Image.device_uuid 0:"));
    assert!(refused(r#""unknown":1"#).starts_with("condition_violated Image.device_uuid 0:"));
}

#[test]
fn an_internal_tag_says_the_variant() {
    let request = |document: &str| written(id::REQUEST, document);
    assert_eq!(request(r#"{"surface_id":"a","op":"find"}"#), r#"{"op":"lookup","surface_id":"a"}"#);
    assert_eq!(request(r#"{"op":"ping","surface_id":1}"#), r#"{"op":"ping"}"#);
    let refused = |document: &str| refusal(id::REQUEST, document);
    assert_eq!(refused(r#"{"surface_id":1}"#), "missing_key Request.op 0: the key `op` | ");
    assert_eq!(refused(r#"{"op":null}"#), "null_not_allowed Request.op 6: a string | null");
    assert_eq!(refused(r#"{"op":["ping"]}"#), "wrong_type Request.op 6: a string | an array");
    assert_eq!(refused(r#"{"op":"Ping"}"#), "unknown_tag Request.op 6: a tag of Request | \"Ping\"");
    // The tag first, wherever it stands.
    assert_eq!(
        refused(r#"{"surface_id":1,"op":"x"}"#),
        "unknown_tag Request.op 21: a tag of Request | \"x\""
    );
    assert_eq!(refused(r#" {"op":"check_out"}"#), "missing_key Named.surface_id 1: the key `surface_id` | ");
    assert_eq!(
        refused(r#"{"op":"register","width":-1}"#),
        "out_of_range Surface.width 25: an integer from 0 to 4294967295 | -1"
    );
}

#[test]
fn an_open_union_keeps_what_it_does_not_know() {
    let kind = |document: &str| written(id::KIND, document);
    assert_eq!(kind("{}"), r#"{"format":"unknown"}"#);
    assert_eq!(
        kind(r#"{"resource_type":"pixel_buffer"}"#),
        r#"{"format":"unknown","resource_type":"pixel_buffer"}"#
    );
    // The variant that is written without a tag has none, nor has the one that keeps the others.
    for tag in ["implied", "other", "x"] {
        assert_eq!(
            kind(&format!(r#"{{ "a" : [ 1 ], "resource_type":"{tag}", "\u0062":"\u0001" }}"#)),
            format!(r#"{{"a":[1],"b":"\u0001","resource_type":"{tag}"}}"#)
        );
    }
    assert_eq!(kind(r#"{"resource_type":"x"}"#), r#"{"resource_type":"x"}"#);
    assert_eq!(
        written(id::SURFACE, r#"{"z":0,"usage":1,"resource_type":"x","width":1,"format":2}"#),
        r#"{"width":1,"z":0,"format":2,"resource_type":"x","usage":1}"#
    );
}

#[test]
fn an_adjacent_tag_has_its_content_beside_it() {
    let measure = |document: &str| written(id::MEASURE, document);
    assert_eq!(measure("{}"), r#"{"type":"count","value":-1}"#);
    assert_eq!(measure(r#"{"value":5}"#), r#"{"type":"count","value":5}"#);
    assert_eq!(measure(r#"{"value":5,"type":"nothing"}"#), r#"{"type":"nothing"}"#);
    assert_eq!(measure(r#"{"value":{ "a":1 },"type":"new"}"#), r#"{"type":"new","value":{"a":1}}"#);
    assert_eq!(measure(r#"{"type":"new"}"#), r#"{"type":"new"}"#);
    let refused = |document: &str| refusal(id::MEASURE, document);
    assert_eq!(refused(r#"{"type":"ratio"}"#), "missing_key Measure.value 0: the key `value` | ");
    assert_eq!(
        refused(r#"{"type":"ratio","value":null}"#),
        "null_not_allowed Measure.value 24: a number | null"
    );
    assert_eq!(refused(r#"{"value":"x"}"#), "wrong_type Measure.value 9: an integer | \"x\"");
    assert_eq!(refused(r#"{"value":"x","type":1}"#), "wrong_type Measure.type 20: a string | 1");
}

#[test]
fn without_a_tag_the_keys_say_the_variant() {
    assert_eq!(written(id::ANSWER, r#"{"error":"e","width":1}"#), r#"{"error":"e"}"#);
    assert_eq!(refusal(id::ANSWER, r#"{"error":null}"#), "null_not_allowed Fault.error 9: a string | null");
    // The last variant, whether its keys are there or not.
    assert_eq!(refusal(id::ANSWER, "{}"), "missing_key Surface.width 0: the key `width` | ");
}

#[test]
fn a_variants_recipe_says_what_unknown_keys_are() {
    let mut catalog = fixtures::recipes();
    let strict = add(
        &mut catalog,
        "Strict",
        Recipe { deny_unknown: true, ..recipe(vec![key("a", text(8), Presence::Required)]) },
    );
    let tagging = Tagging::Internal { tag: "t".into(), last: false };
    let union = Union {
        tagging,
        lenient: true,
        max_bytes: 1 << 20,
        max_depth: 64,
        variants: vec![variant("Strict", "strict", JsonType::Recipe(strict), WhenAbsent::Default)],
        rules: Vec::new(),
    };
    catalog.contracts.push(fixtures::contract("Choice", Body::Union(union)));
    let choice = ContractId(catalog.contracts.len() - 1);
    assert_eq!(written_in(&catalog, choice, r#"{"a":"x"}"#), r#"{"t":"strict","a":"x"}"#);
    assert_eq!(
        refusal_in(&catalog, choice, r#"{"t":"strict","a":"x","b":1}"#),
        "unknown_key Strict. 22: a key of Strict | \"b\""
    );
    // So does the recipe that a tag at fault leaves in lenient reading.
    let lenient = |document: &str| {
        let (reading, faults) = json::read_lenient(&catalog, choice, document.as_bytes())?;
        Ok::<_, Fault>((reading.written, faults.iter().map(shown).collect::<Vec<_>>()))
    };
    let (written, faults) = lenient(r#"{"a":"x","t":"lax"}"#).expect("it is read");
    assert_eq!(written.as_deref(), Ok(r#"{"t":"strict","a":"x"}"#));
    assert_eq!(faults, [r#"unknown_tag Choice.t 13: a tag of Choice | "lax""#]);
    assert_eq!(lenient(r#"{"t":1,"a":"x","b":1}"#).map_err(|fault| fault.code), Err(Code::UnknownKey));
    // In an object that is another recipe's, the other one's word counts.
    let flat = Key { flatten: true, ..key("choice", JsonType::Union(choice), Presence::Required) };
    let lax = add(&mut catalog, "Lax", recipe(vec![flat.clone()]));
    assert_eq!(written_in(&catalog, lax, r#"{"a":"x","b":1}"#), r#"{"t":"strict","a":"x"}"#);
    let denying = add(&mut catalog, "Denying", Recipe { deny_unknown: true, ..recipe(vec![flat]) });
    assert_eq!(
        refusal_in(&catalog, denying, r#"{"a":"x","b":1}"#),
        "unknown_key Denying. 9: a key of Denying | \"b\""
    );
}

#[test]
fn lenient_reading_looks_past_lenient_keys_only() {
    let catalog = fixtures::recipes();
    let lenient = |id, document: &str| {
        let (reading, faults) =
            json::read_lenient(&catalog, id, document.as_bytes()).map_err(|fault| shown(&fault))?;
        let faults: Vec<String> = faults.iter().map(shown).collect();
        Ok::<_, String>((reading.written.expect("it is written"), faults))
    };
    assert_eq!(
        lenient(
            id::IMAGE,
            r#"{"usage":null,"memory_type_index":-1,"tiling":"x","allocation_size":5,"device_uuid":1}"#
        ),
        Ok((
            r#"{"allocation_size":5}"#.to_owned(),
            vec![
                "wrong_type Image.tiling 46: an integer | \"x\"".to_owned(),
                "null_not_allowed Image.usage 9: an integer | null".to_owned(),
                "out_of_range Image.memory_type_index 34: an integer from 0 to 4294967295 | -1".to_owned(),
                "wrong_type Image.device_uuid 84: a string | 1".to_owned(),
            ]
        ))
    );
    // Within another contract, too; but a key that is not lenient is at fault.
    assert_eq!(
        lenient(id::SURFACE, r#"{"width":1,"usage":-1,"format":1}"#),
        Err("wrong_type Pixels.format 31: a string | 1".to_owned())
    );
    assert_eq!(lenient(id::SURFACE, r#"{"width":1,"usage":-1}"#).map(|(_, faults)| faults.len()), Ok(1));
    // Conditions are as strict as ever, and so is all that comes before values.
    assert!(lenient(id::IMAGE, r#"{"tiling":1,"device_uuid":"000102030405060708090a0b0c0d0e0f"}"#).is_err());
    assert!(lenient(id::IMAGE, r#"{"tiling":1,"tiling":1}"#).unwrap_err().starts_with("duplicate_key"));
    // So is a tag that is lenient, in its place; what it says then is asked for as strictly as ever.
    assert_eq!(
        lenient(id::SURFACE, r#"{"usage":-1,"width":1,"format":"nv12","resource_type":null}"#),
        Ok((
            r#"{"width":1,"format":"nv12"}"#.to_owned(),
            vec![
                "null_not_allowed SurfaceKind.resource_type 54: a string | null".to_owned(),
                "out_of_range Image.usage 9: an integer from 0 to 4294967295 | -1".to_owned(),
            ]
        ))
    );
    assert_eq!(
        lenient(id::SURFACE, r#"{"width":1,"resource_type":0,"format":1}"#),
        Err("wrong_type Pixels.format 38: a string | 1".to_owned())
    );
    // What is looked past within a value that counts as absent itself is not told.
    let mut catalog = fixtures::recipes();
    let image = Key { lenient: true, ..key("image", JsonType::Recipe(id::IMAGE), OPTIONAL) };
    let outer = add(&mut catalog, "Outer", recipe(vec![image]));
    let document = r#"{"image":{"usage":-1,"tiling":1,"device_uuid":"000102030405060708090a0b0c0d0e0f"}}"#;
    let (reading, faults) = json::read_lenient(&catalog, outer, document.as_bytes()).expect("accepted");
    assert_eq!(reading.written.as_deref(), Ok("{}"));
    assert_eq!(faults.len(), 1);
    assert!(shown(&faults[0]).starts_with("condition_violated Image.device_uuid 9:"));
}

#[test]
fn importing_asks_more_and_counts_file_descriptors() {
    let catalog = fixtures::recipes();
    let import = |id, document: &str, fd_count| {
        let reading = json::read(&catalog, id, document.as_bytes()).expect("accepted");
        json::import(&catalog, id, &reading.value, fd_count).map_err(|fault| shown(&fault))
    };
    let valid = r#"{"width":1,"format":"nv12","resource_type":"texture","has_fence":true,"memory_type_index":1,"allocation_size":1}"#;
    assert_eq!(import(id::SURFACE, valid, 2), Ok(()));
    assert_eq!(
        import(id::SURFACE, valid, 1),
        Err("rule_violated Surface. 0: fds: fd_count == len(plane_sizes) + int(has_fence) | fd_count = 1, \
             len(plane_sizes) = 1, has_fence = true"
            .to_owned())
    );
    let mut unasked = catalog.clone();
    let Body::Recipe(surface) = &mut unasked.contracts[id::SURFACE.0].body else { panic!("a recipe") };
    surface.keys[5].not_imported = true;
    let reading = json::read(&unasked, id::SURFACE, br#"{"width":1,"format":"nv12"}"#).expect("accepted");
    assert_eq!(json::import(&unasked, id::SURFACE, &reading.value, 1), Ok(()), "no one asks the image");
    // Nested contracts first, in declared order; conditions before rules.
    assert_eq!(
        import(id::SURFACE, &valid.replace("nv12", "unknown"), 1),
        Err("rule_violated Texels. 0: known_format: format != Unknown | format = 0".to_owned())
    );
    assert_eq!(
        import(id::SURFACE, r#"{"width":1,"format":"nv12"}"#, 9),
        Err("condition_violated Image.memory_type_index 0: the key `memory_type_index` when tiling != Linear | \
             tiling = 0"
            .to_owned())
    );
    assert_eq!(import(id::SURFACE, r#"{"width":1,"format":"nv12","tiling":1}"#, 1), Ok(()));
    let sized = "rule_violated Surface. 0: kind != Texture || image.allocation_size > 0 | kind = 2, \
                 image.allocation_size = 0";
    assert_eq!(
        import(
            id::REQUEST,
            r#"{"op":"register","width":1,"format":"nv12","resource_type":"texture","tiling":1}"#,
            1
        ),
        Err(sized.to_owned())
    );
    assert_eq!(import(id::SURFACE, r#"{"width":1,"resource_type":"x","tiling":1}"#, 1), Ok(()));
    assert_eq!(
        import(id::EVERYTHING, &everything(r#""extent":"000000000000000000000000""#), 0),
        Err("rule_violated Extent. 0: width > 0 && height > 0 | width = 0, height = 0".to_owned())
    );
}

#[test]
fn writing_asks_the_same_of_a_value_at_offset_0() {
    let catalog = fixtures::recipes();
    let document = everything(
        r#""labels":["a"],"blob":"","measure":{"type":"ratio","value":1},"image":{},"decimal":"1","tags":{},"access":["r"]"#,
    );
    let reading = json::read(&catalog, id::EVERYTHING, document.as_bytes()).expect("accepted");
    let json::Value::Recipe(members) = reading.value else { panic!("a recipe") };
    let refused = |changes: &[(&str, json::Value)]| {
        let mut members = members.clone();
        let keys = &catalog.get(id::EVERYTHING).recipe().keys;
        for (name, value) in changes {
            let at = keys.iter().position(|key| key.name == *name).expect("a key");
            members[at] = Some(value.clone());
        }
        let fault =
            json::write(&catalog, id::EVERYTHING, &json::Value::Recipe(members)).expect_err("refused");
        shown(&fault)
    };
    let int = json::Value::Integer;
    let text = |text: &str| json::Value::Text(text.to_owned());
    let line = |code: &str, key: &str, rest: &str| format!("{code} Everything.{key} 0: {rest}");
    assert_eq!(
        refused(&[("bounded", int(11)), ("r_class", int(1))]),
        line("out_of_range", "bounded", "an integer from -10 to 10 | 11")
    );
    assert_eq!(
        refused(&[("f64_field", json::Value::Float(f64::NAN))]),
        line("out_of_range", "f64_field", "a finite number | NaN")
    );
    for (float, found) in [(f64::INFINITY, "Infinity"), (f64::NEG_INFINITY, "-Infinity")] {
        assert_eq!(
            refused(&[("f32_field", json::Value::Float(float))]),
            line("out_of_range", "f32_field", &format!("a finite number | {found}"))
        );
    }
    assert_eq!(
        refused(&[("f64_field", json::Value::Float(-2.0))]),
        line("out_of_range", "f64_field", "a number from -1.5 to 1000000000 | -2")
    );
    assert_eq!(
        refused(&[("label", text("12345678901234567"))]),
        line("too_large", "label", "at most 16 bytes | 17")
    );
    let four = json::Value::List(vec![text("a"); 4]);
    assert_eq!(refused(&[("labels", four)]), line("too_many", "labels", "at most 3 items | "));
    assert_eq!(refused(&[("tiling", int(2))]), line("unknown_value", "tiling", "a value of Tiling | 2"));
    assert_eq!(
        refused(&[("blob", json::Value::Bytes(vec![0; 65]))]),
        line("too_large", "blob", "at most 64 bytes | 65")
    );
    let map = (0..5).map(|key| (key.to_string(), String::new())).collect();
    assert_eq!(refused(&[("tags", json::Value::Map(map))]), line("too_many", "tags", "at most 4 members | "));
    let extra = json::Value::Json(format!("{}1{}", "[".repeat(8), "]".repeat(8)));
    assert_eq!(refused(&[("extra", extra)]), "too_deep Everything. 0: at most 8 levels | ");
    let ratio = json::Value::Union(1, Some(Box::new(json::Value::Float(2e6))));
    assert_eq!(
        refused(&[("measure", ratio.clone())]),
        "out_of_range Measure.value 0: a number of at most 1000000 | 2000000"
    );
    assert_eq!(
        refused(&[("note", text(&"x".repeat(5000)))]),
        "too_large Everything. 0: at most 4096 bytes | 5186"
    );
    // Rules before the length of what would be written, values before rules, in declared order.
    let long = ("note", text(&"x".repeat(5000)));
    assert!(refused(&[long.clone(), ("u8_field", int(7))]).starts_with("rule_violated Everything. 0:"));
    assert!(
        refused(&[("measure", ratio), ("u8_field", int(7)), long]).starts_with("out_of_range Measure.value")
    );
}

#[test]
fn an_unknown_variant_is_written_as_it_would_be_read() {
    let mut catalog = fixtures::recipes();
    let Body::Union(request) = &mut catalog.contracts[id::REQUEST.0].body else { panic!("a union") };
    request
        .variants
        .push(Variant { content: Content::Other, ..variant("Other", "", JsonType::Bool, WhenAbsent::No) });
    let write = |id, tag: &str, content: Option<&str>| {
        let value = json::Value::Other { tag: tag.into(), content: content.map(str::to_owned) };
        json::write(&catalog, id, &value).map_err(|fault| shown(&fault))
    };
    assert_eq!(write(id::REQUEST, "new", Some("{ }")).as_deref(), Ok(r#"{"op":"new"}"#));
    assert_eq!(write(id::REQUEST, "new", Some(r#"{"a": [1]}"#)).as_deref(), Ok(r#"{"op":"new","a":[1]}"#));
    assert_eq!(write(id::REQUEST, "new", None).as_deref(), Ok(r#"{"op":"new"}"#));
    let refused = |id, tag: &str, content: Option<&str>| write(id, tag, content).expect_err("refused");
    assert_eq!(
        refused(id::REQUEST, "ping", Some("[]")),
        "unknown_tag Request.op 0: a tag that no variant has | \"ping\""
    );
    for (content, found) in [("[{}]", "an array"), ("\"{}\"", "\"{}\""), ("null", "null"), ("-1.0", "-1.0")] {
        assert_eq!(
            refused(id::REQUEST, "new", Some(content)),
            format!("wrong_type Request.op 0: an object | {found}")
        );
    }
    // How deep it nests is said before a key that stands there twice.
    for (content, key) in [(r#"{"b":1,"op":"x"}"#, "op"), (r#"{"\u0061":1,"a":2}"#, "a")] {
        assert_eq!(
            refused(id::REQUEST, "new", Some(content)),
            format!("duplicate_key Request. 0: each key once | \"{key}\"")
        );
    }
    let deep = format!(r#"{{"op":{}{}}}"#, "[".repeat(64), "]".repeat(64));
    assert_eq!(refused(id::REQUEST, "new", Some(&deep)), "too_deep Request. 0: at most 64 levels | ");
    assert_eq!(write(id::MEASURE, "new", Some("[]")).as_deref(), Ok(r#"{"type":"new","value":[]}"#));
    assert_eq!(
        refused(id::MEASURE, "ratio", None),
        "unknown_tag Measure.type 0: a tag that no variant has | \"ratio\""
    );
}

#[test]
fn what_an_unknown_variant_keeps_makes_no_union_another_variant() {
    let catalog = fixtures::recipes();
    let surface = |content: &str| {
        let kind = json::Value::Other { tag: "new".into(), content: Some(content.to_owned()) };
        let json::JsonReading { value, .. } = json::read(&catalog, id::SURFACE, br#"{"width":1}"#).unwrap();
        let json::Value::Recipe(mut members) = value else { panic!("a recipe") };
        members[1] = Some(kind);
        json::Value::Recipe(members)
    };
    let write = |content: &str| {
        let value = json::Value::Union(1, Some(Box::new(surface(content))));
        let written = json::write(&catalog, id::ANSWER, &value).map_err(|fault| shown(&fault))?;
        let again = json::read(&catalog, id::ANSWER, written.as_bytes()).expect("it is written");
        assert_eq!(again.value, value, "{written}");
        Ok::<String, String>(written)
    };
    for content in [r#"{"error":"no"}"#, r#"{"a":1,"error":1}"#, r#"{"\u0065rror":null}"#] {
        assert_eq!(
            write(content).expect_err(content),
            "unknown_tag Answer. 0: members that say no other variant | "
        );
        assert!(json::write(&catalog, id::SURFACE, &surface(content)).is_ok());
    }
    for content in [r#"{"Error":1}"#, r#"{"a":{"error":"no"}}"#, "{}"] {
        write(content).expect(content);
    }
    assert_eq!(
        write(r#"{"error":1,"width":1}"#).expect_err("twice"),
        "duplicate_key Answer. 0: each key once | \"width\""
    );
}

#[test]
fn what_an_unknown_variant_keeps_makes_no_union_beside_it_another_variant() {
    let mut catalog = fixtures::recipes();
    let [beside, answers] = beside::add(&mut catalog);
    let value = |document: &str, id| json::read(&catalog, id, document.as_bytes()).expect(document).value;
    let of = |content: &str| {
        let json::Value::Recipe(mut parts) = value(r#"{"surface_id":"a","kept":"new"}"#, beside) else {
            panic!("a recipe")
        };
        parts[1] = Some(json::Value::Other { tag: "new".into(), content: Some(content.into()) });
        json::Value::Recipe(parts)
    };
    let refused = |id, value: &json::Value| {
        let fault = json::write(&catalog, id, value).expect_err("refused");
        let shown = shown(&fault);
        shown.strip_suffix(" 0: members that say no other variant | ").unwrap_or(&shown).to_owned()
    };
    for (content, union) in [
        (r#"{"error":1}"#, "unknown_tag Outcome."),
        (r#"{"said":"ratio"}"#, "unknown_tag Implied.said"),
        (r#"{"said":"nothing"}"#, "unknown_tag Implied.said"),
        (r#"{"said":7}"#, "unknown_tag Implied.said"),
        (r#"{"said":1,"error":1}"#, "unknown_tag Outcome."),
    ] {
        assert_eq!(refused(beside, &of(content)), union, "{content}");
        let json::Value::Recipe(mut held) = value(r#"{"all":[{"error":"e"},{"width":1}]}"#, answers) else {
            panic!("a recipe")
        };
        held[1] = Some(of(content));
        let mut held = json::Value::Recipe(held);
        assert_eq!(refused(answers, &held), union, "{content}");
        // The object that is written first.
        let json::Value::Recipe(members) = &mut held else { panic!("a recipe") };
        let Some(json::Value::List(all)) = &mut members[0] else { panic!("a list") };
        let json::Value::Union(1, Some(surface)) = &mut all[1] else { panic!("a surface") };
        let json::Value::Recipe(surface) = &mut **surface else { panic!("a recipe") };
        let content = Some(r#"{"error":1}"#.into());
        surface[1] = Some(json::Value::Other { tag: "new".into(), content });
        assert_eq!(refused(answers, &held), "unknown_tag Answer.");
    }
    let fine = of(r#"{"Error":1,"a":{"error":1,"said":1}}"#);
    let written = json::write(&catalog, beside, &fine).expect("it is right");
    assert_eq!(value(&written, beside), fine);
}

#[test]
fn a_map_is_written_from_ascending_keys() {
    let mut catalog = fixtures::recipes();
    let map = JsonType::Map { max_items: None, max_len: Some(4) };
    let id = add(&mut catalog, "Mapped", recipe(vec![key("m", map, Presence::Required)]));
    let write = |keys: &[&str]| {
        let members = keys.iter().map(|&key| (key.to_owned(), String::new())).collect();
        let value = json::Value::Recipe(vec![Some(json::Value::Map(members))]);
        json::write(&catalog, id, &value).map_err(|fault| shown(&fault))
    };
    assert_eq!(write(&["", "a", "ab", "b"]).as_deref(), Ok(r#"{"m":{"":"","a":"","ab":"","b":""}}"#));
    assert_eq!(write(&["a", "b", "b"]).expect_err("refused"), "duplicate_key Mapped.m 0: each key once | ");
    assert_eq!(
        write(&["a", "c", "b"]).expect_err("refused"),
        "bad_encoding Mapped.m 0: keys in ascending order | "
    );
    assert_eq!(
        write(&["b", "a long key"]).expect_err("refused"),
        "too_large Mapped.m 0: at most 4 bytes | 10"
    );
}

#[test]
fn what_is_read_may_be_too_long_to_be_written() {
    let mut catalog = fixtures::recipes();
    let default = Literal::Text("a long default".into());
    let defaulted = Presence::Defaulted { default, skip: false, nullable: false };
    let body = Recipe { max_bytes: 16, ..recipe(vec![key("text", text(64), defaulted)]) };
    let id = add(&mut catalog, "Short", body);
    let reading = json::read(&catalog, id, b"{}").expect("accepted");
    assert_eq!(shown(&reading.written.expect_err("refused")), "too_large Short. 0: at most 16 bytes | 25");
}

#[test]
fn bytes_of_an_exact_number_say_so_in_base64() {
    let mut catalog = fixtures::recipes();
    let bytes = JsonType::Bytes { length: Length::Exactly(3), spelling: Spelling::Base64 };
    let id = add(&mut catalog, "Exact", recipe(vec![key("b", bytes, Presence::Required)]));
    assert_eq!(written_in(&catalog, id, r#"{"b":"AAEC"}"#), r#"{"b":"AAEC"}"#);
    for wrong in ["AA==", "AAECAAAA", "AAE"] {
        assert_eq!(
            refusal_in(&catalog, id, format!(r#"{{"b":"{wrong}"}}"#)),
            format!("bad_encoding Exact.b 5: base64 of 3 bytes | \"{wrong}\"")
        );
    }
}

const OPTIONAL: Presence = Presence::Optional { nullable: false, null_when_absent: false, default: None };

fn text(max_len: u32) -> JsonType {
    JsonType::Text { max_len: Some(max_len) }
}

fn key(name: &str, ty: JsonType, presence: Presence) -> Key {
    Key {
        name: name.into(),
        key: name.into(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        ty,
        presence,
        flatten: false,
        lenient: false,
        not_imported: false,
    }
}

fn recipe(keys: Vec<Key>) -> Recipe {
    Recipe {
        deny_unknown: false,
        max_bytes: 1 << 20,
        max_depth: 64,
        keys,
        conditions: Vec::new(),
        rules: Vec::new(),
    }
}

fn variant(name: &str, tag: &str, ty: JsonType, when_absent: WhenAbsent) -> Variant {
    Variant {
        name: name.into(),
        tag: tag.into(),
        aliases: Vec::new(),
        docs: String::new(),
        c_name: None,
        since: None,
        deprecated: None,
        content: Content::Value { ty, default: None },
        when_absent,
    }
}

fn add(catalog: &mut Catalog, name: &str, body: Recipe) -> ContractId {
    catalog.contracts.push(fixtures::contract(name, Body::Recipe(body)));
    ContractId(catalog.contracts.len() - 1)
}
