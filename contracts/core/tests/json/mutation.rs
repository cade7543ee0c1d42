//! Documents with something wrong in them at random. A document is read fast, or else slowly; a key with an escape is
//! always read slowly, so that the two can be compared, and `serde_json` is asked what JSON is.

use wirecontract::{Code, Expected, Found, WireJson};

use super::contracts::{Answer, Lenient, Measure, Request, Surface, Types};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

const PIECES: [&str; 30] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0041",
    "\\ud800",
    "null",
    "true",
    "-",
    "0",
    "1",
    ".5",
    "e9",
    " ",
    "\n",
    "\u{1}",
    "é",
    "\"x\":1",
    "\"width\"",
    "\"op\":\"ping\"",
    "\"resource_type\":",
    "{\"a\":1,\"a\":2}",
    "[[[",
    "]]]",
    "\"\"",
    "99999999999999999999",
];

fn mutate(document: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = document.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => {
                let end = (at + random.below(6)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
            1 => {
                bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes());
            }
            2 => {
                let end = (at + random.below(30)).min(bytes.len());
                let copy = bytes[at.min(end)..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = u8::try_from(random.below(256)).unwrap();
                }
            }
        }
    }
    bytes
}

/// The same, with an escape in the first key.
fn escaped(document: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(document).ok()?;
    let (head, rest) = text.split_once('"')?;
    let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
    Some(format!("{head}\"\\u{:04x}{}", u32::from(letter), &rest[1..]).into_bytes())
}

fn try_all<T: WireJson + PartialEq + std::fmt::Debug>(documents: &[&str], random: &mut Random) {
    for _ in 0..4000 {
        let document = mutate(documents[random.below(documents.len())], random);
        let shown = String::from_utf8_lossy(&document).into_owned();
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&document).is_ok();
        let read = T::from_json(&document);
        let lenient = T::from_json_lenient(&document);
        match &read {
            Ok(value) => {
                assert!(is_json, "{shown}");
                assert_eq!(lenient.as_ref(), Ok(&(T::from_json(&document).unwrap(), Vec::new())));
                if let Some(escaped) = escaped(&document) {
                    assert_eq!(T::from_json(&escaped).as_ref(), Ok(value), "{shown}");
                }
                if let Ok(written) = value.to_json() {
                    assert_eq!(T::from_json(written.as_bytes()).as_ref(), Ok(value), "{written}");
                    assert_eq!(T::from_json(written.as_bytes()).unwrap().to_json(), Ok(written));
                }
            }
            Err(fault) => {
                assert!(fault.offset <= document.len(), "{fault} of {shown}");
                assert_ne!(fault.code, Code::Refused, "{shown}");
                let is_lexical = fault.code == Code::NotJson;
                assert!(!(is_json && is_lexical), "{fault} of {shown}");
                if let Ok((_, faults)) = lenient {
                    assert!(!faults.is_empty(), "{fault} of {shown}");
                }
                if is_lexical {
                    // What stands before the offset can be continued to a document: it is not at fault itself.
                    match T::from_json(&document[..fault.offset]) {
                        Err(again) if again.code == Code::NotJson => {
                            assert_eq!((again.offset, again.found), (fault.offset, Found::End), "{shown}");
                        }
                        _ => assert_eq!(fault.expected, Expected::Words("the end"), "{shown}"),
                    }
                }
            }
        }
    }
}

#[test]
fn no_document_is_read_in_two_ways() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    try_all::<Types>(
        &[
            r#"{"u8":255,"i64":-5,"decimal":"18","f64":0.25,"text":"ab","hex":"00ab","list":[0,9],"array":[1,2],"map":{"a":"","b":"x"}}"#,
            r#"{"json":{"a":[1,{}]},"format":"bgra32","name":"later","access":["read","wide"],"point":{"x":1,"y":0},"x":{"y":[1,2]},"nulled":null}"#,
        ],
        &mut random,
    );
    try_all::<Surface>(
        &[
            r#"{"width":1,"format":"bgra32","planes":[7],"note":"n","json":[1],"last":9}"#,
            r#"{"width":1,"layout":77,"name":"later","resource_type":"texture","planes":[7],"note":"n","last":9}"#,
            r#"{"width":1,"x":7,"y":{"a":1},"resource_type":"vr","planes":[7],"note":"n","last":9}"#,
        ],
        &mut random,
    );
    try_all::<Request>(&[r#"{"op":"register","x":1,"y":2}"#, r#"{"x":{"y":[]},"op":"ping"}"#], &mut random);
    try_all::<Measure>(
        &[r#"{"type":"count","value":5}"#, r#"{"value":{"a":1},"type":"other"}"#],
        &mut random,
    );
    try_all::<Answer>(&[r#"{"x":1,"y":2}"#, r#"{"note":"a","json":{"b":[]}}"#], &mut random);
    try_all::<Lenient>(
        &[r#"{"id":"i","a":5,"b":[{"x":1,"y":2}],"c":null,"strict":3,"inner":{"y":1}}"#],
        &mut random,
    );
}
