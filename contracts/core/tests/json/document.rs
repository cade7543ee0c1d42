//! Faults of the whole document: length, UTF-8, syntax and depth, keys that are there twice; and their order.

use wirecontract::{Enumeration, Json, WireJson};

use super::contracts::{Shallow, Small, Types};
use super::fault;

#[track_caller]
fn small(document: impl AsRef<[u8]>, expected: &str) {
    assert_eq!(fault::<Small>(document), format!("Small at byte {expected}"));
}

#[test]
fn a_document_beyond_its_bound_is_refused_before_all_else() {
    let bound = "64: too_large: expected at most 64 bytes, found";
    small([0xff; 65], &format!("{bound} 65"));
    small("[".repeat(100_000), &format!("{bound} 100000"));
    assert!(Small::from_json(format!("{{}}{}", " ".repeat(62)).as_bytes()).is_ok());
    // A string that alone is 64 MiB is never looked at.
    let mut document = b"{\"json\":\"".to_vec();
    document.resize(64 << 20, b'x');
    small(document, &format!("{bound} {}", 64 << 20));
}

#[test]
fn bytes_that_are_not_utf_8_are_refused_at_the_first() {
    small(b"{\"a\":\"\xc3\x28\"}", "6: bad_utf8: expected UTF-8");
    small(b"nonsense \xff", "9: bad_utf8: expected UTF-8");
    small(b"{\"a\":\"\xed\xa0\x80\"}", "6: bad_utf8: expected UTF-8");
    small(b"{\"a\":\"\xf4\x90\x80\x80\"}", "6: bad_utf8: expected UTF-8");
    small(b"{}\xc3", "2: bad_utf8: expected UTF-8");
    // UTF-16, with and without its mark.
    small(b"\xff\xfe{\0}\0", "0: bad_utf8: expected UTF-8");
    small(b"{\0}\0", "1: not_json: expected a key or `}`, found byte 0x00");
    // The mark of UTF-8.
    small("\u{feff}{}", "0: not_json: expected a value, found byte 0xef");
}

#[test]
fn syntax_is_refused_at_the_first_wrong_byte() {
    let not_json = |document: &str, at: usize, expected: &str, found: &str| {
        small(document, &format!("{at}: not_json: expected {expected}, found {found}"));
    };
    let end = "the end";
    not_json("", 0, "a value", end);
    not_json(" \t\r\n", 4, "a value", end);
    not_json("NaN", 0, "a value", "byte 0x4e");
    not_json("\u{a0}{}", 0, "a value", "byte 0xc2");
    not_json("[", 1, "a value or `]`", end);
    not_json("[}", 1, "a value or `]`", "byte 0x7d");
    not_json("[1,]", 3, "a value", "byte 0x5d");
    not_json("[1 2]", 3, "`,` or `]`", "byte 0x32");
    not_json("[1", 2, "`,` or `]`", end);
    not_json("{", 1, "a key or `}`", end);
    not_json("{1", 1, "a key or `}`", "byte 0x31");
    not_json("{\"a\":1,}", 7, "a key", "byte 0x7d");
    not_json("{\"a\" 1}", 5, "`:`", "byte 0x31");
    not_json("{\"a\":}", 5, "a value", "byte 0x7d");
    not_json("{\"a\":1 \"b\"", 7, "`,` or `}`", "byte 0x22");
    not_json("{\"a\":1]", 6, "`,` or `}`", "byte 0x5d");
    not_json("{\"a\":tru}", 8, "`true`", "byte 0x7d");
    not_json("{\"a\":falsy", 9, "`false`", "byte 0x79");
    not_json("{\"a\":nul", 8, "`null`", end);
    not_json("{\"a\":-x}", 6, "a digit", "byte 0x78");
    not_json("{\"a\":1.}", 7, "a digit", "byte 0x7d");
    not_json("{\"a\":1e}", 7, "a digit", "byte 0x7d");
    not_json("{\"a\":1E+}", 8, "a digit", "byte 0x7d");
    not_json("{\"a\":01}", 6, "no digit after a leading zero", "byte 0x31");
    not_json("{\"a\":-01}", 7, "no digit after a leading zero", "byte 0x31");
    not_json("{\"a\":+1}", 5, "a value", "byte 0x2b");
    not_json("{\"a\":.5}", 5, "a value", "byte 0x2e");
    not_json("{\"a\":\"\n\"}", 6, "an escape", "byte 0x0a");
    not_json("{\"a\":\"\u{0}\"}", 6, "an escape", "byte 0x00");
    not_json(r#"{"a":"\x"}"#, 7, "an escape", "byte 0x78");
    not_json(r#"{"a":"\"#, 7, "an escape", end);
    not_json(r#"{"a":"\u12g4"}"#, 10, "four hexadecimal digits", "byte 0x67");
    not_json(r#"{"a":"\u12"}"#, 10, "four hexadecimal digits", "byte 0x22");
    not_json(r#"{"a":"\u12"#, 10, "four hexadecimal digits", end);
    not_json("{\"a\":\"b", 7, "the end of the string", end);
    not_json("{} {}", 3, "the end", "byte 0x7b");
    not_json("{}}", 2, "the end", "byte 0x7d");
    not_json("{}\0", 2, "the end", "byte 0x00");
    not_json("{}\u{b}", 2, "the end", "byte 0x0b");
    not_json("{'a':1}", 1, "a key or `}`", "byte 0x27");
    not_json("{}//", 2, "the end", "byte 0x2f");
}

#[test]
fn a_surrogate_without_its_pair_is_refused_at_its_backslash() {
    let lone = "bad_utf8: expected a pair of surrogates";
    small(r#"{"a":"x\ud800"}"#, &format!("7: {lone}"));
    small(r#"{"a":"\udc00"}"#, &format!("6: {lone}"));
    small(r#"{"a":"\ud800\ud800"}"#, &format!("6: {lone}"));
    small(r#"{"a":"\ud800\n"}"#, &format!("6: {lone}"));
    small(r#"{"a":"\ud800\u00"#, &format!("6: {lone}"));
    small(r#"{"\udfff":1}"#, &format!("2: {lone}"));
    let read = Small::from_json(br#"{"json":"\ud83d\ude00\u0041\/"}"#).unwrap();
    assert_eq!(read.json.unwrap().as_str(), "\"\u{1f600}A/\"");
}

#[test]
fn depth_is_refused_at_the_bracket() {
    small(r#"{"a":[[[1]]]}"#, "7: too_deep: expected at most 3 levels");
    small(r#"{"a":[{"b":{}}]}"#, "11: too_deep: expected at most 3 levels");
    assert!(Small::from_json(br#"{"a":[[1],{}]}"#).is_ok());
    assert_eq!(
        fault::<Shallow>(r#"{"lists":[[1]]}"#),
        "Shallow at byte 10: too_deep: expected at most 2 levels"
    );
    assert!(Shallow::from_json(br#"{"lists":[],"list":[1]}"#).is_ok());
    // Whichever comes first.
    small(r#"{"a":[[[x"#, "7: too_deep: expected at most 3 levels");
    small(r#"{"a":[x,[[1]]]}"#, "6: not_json: expected a value or `]`, found byte 0x78");
}

#[test]
fn depth_is_not_the_stacks() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(Json::new(&deep).unwrap().as_str(), deep);
    let document = format!("{{\"x\":{}", "[".repeat(4000));
    assert_eq!(fault::<Types>(document), "Types at byte 12: too_deep: expected at most 8 levels");
}

#[test]
fn a_key_twice_is_refused_at_the_second_at_any_depth() {
    let twice = "duplicate_key: expected each key once, found";
    small(r#"{"json":1,"json":2}"#, &format!("10: {twice} \"json\""));
    small(r#"{"a":1,"b":2,"a":3}"#, &format!("13: {twice} \"a\""));
    small(r#"{"a":1,"\u0061":3}"#, &format!("7: {twice} \"\\u0061\""));
    small(r#"{"a":{"b":1,"b":2},"a":1}"#, &format!("12: {twice} \"b\""));
    small(r#"{"json":{"b":1,"b":2}}"#, &format!("15: {twice} \"b\""));
    small(r#"{"json":[{"b":1},{"b":1,"":2,"":3}]}"#, &format!("29: {twice} \"\""));
    assert_eq!(fault::<Types>(r#"{"map":{"a":"","a":"x"}}"#), format!("Types at byte 15: {twice} \"a\""));
    let long = "k".repeat(50);
    let document = format!("{{\"{long}\":0,\"{long}\":0}}");
    let found = format!("56: {twice} \"{}…", "k".repeat(39));
    assert_eq!(fault::<Types>(document), format!("Types at byte {found}"));
    // More keys than are compared one by one.
    let keys = (0..100).map(|key| format!("\"{key}\":0,")).collect::<Vec<_>>().concat();
    let document = format!("{{{keys}\"57\":1}}");
    let at = keys.len() + 1;
    assert_eq!(fault::<Types>(document), format!("Types at byte {at}: {twice} \"57\""));
    assert!(Types::from_json(format!("{{{keys}\"100\":1}}").as_bytes()).is_ok());
}

/// Two faults in one document, in both orders: which is told does not depend on where they stand.
#[test]
fn the_graver_fault_is_told() {
    // From gravest to least grave, each a member of an object.
    let members: [(&[u8], &str); 5] = [
        (b"\"a\":\"\xff\"", "bad_utf8"),
        (b"\"b\":+", "not_json"),
        (b"\"c\":{\"d\":1,\"d\":2}", "duplicate_key"),
        (b"\"json\":\"0123456789012345\"", "too_large"),
        (b"\"nullable\":true", "wrong_type"),
    ];
    for (index, (graver, code)) in members.iter().enumerate() {
        for (lesser, _) in &members[index + 1..] {
            for pair in [[graver, lesser], [lesser, graver]] {
                let document = [b"{", *pair[0], b",", *pair[1], b"}"].concat();
                let fault = Types::from_json(&document).unwrap_err();
                assert_eq!(fault.code.name(), *code, "{fault} of {}", String::from_utf8_lossy(&document));
            }
        }
    }
}

#[test]
fn what_is_unusual_is_read_all_the_same() {
    let document = b" \r\n\t{ \"json\" : [ 1 , { \"\\u0061\" : \"\\u00e9\\u001F\" } ] } ";
    let read = Small::from_json(document).unwrap();
    assert_eq!(read.json.unwrap().as_str(), "[1,{\"a\":\"\u{e9}\\u001f\"}]");
    // Read slowly, and as much of it as fast.
    let points = format!(r#"{{"\u0070oints":[{{"x":1}}{}]}}"#, r#",{"x":1}"#.repeat(99));
    assert_eq!(Types::from_json(points.as_bytes()).unwrap().points.unwrap().len(), 100);
    let escaped = Small::from_json(br#"{"\u006as\u006fn":null}"#).unwrap();
    assert_eq!(escaped.json.unwrap().as_str(), "null");
}
