//! The second door: recipes and unions through serde, in JSON and in two binary formats, as strict as through the first.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

use wirecontract::{Code, Enumeration as _, WireJson};
use wirecontract_gpu::texture::{LookupAnswer, OpaqueFdExport, OutcomeAnswer, ReleaseAnswer, Request};
use wirecontract_tests::foreign::{staging, triton};
use wirecontract_tests::texture::{Case, cases, messages};

trait Document: WireJson + Serialize + DeserializeOwned + PartialEq + Debug {}

impl<T: WireJson + Serialize + DeserializeOwned + PartialEq + Debug> Document for T {}

/// Reads and writes by a format.
type Format<T> = (&'static str, fn(&T) -> Result<Vec<u8>, String>, fn(&[u8]) -> Result<T, String>);

fn cbor<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    ciborium::from_reader(bytes).map_err(|error| error.to_string())
}

fn formats<T: Document>() -> [Format<T>; 3] {
    [
        (
            "serde_json",
            |value| serde_json::to_vec(value).map_err(|error| error.to_string()),
            |bytes| serde_json::from_slice(bytes).map_err(|error| error.to_string()),
        ),
        (
            "CBOR",
            |value| {
                let mut bytes = Vec::new();
                ciborium::into_writer(value, &mut bytes).map_err(|error| error.to_string())?;
                Ok(bytes)
            },
            cbor,
        ),
        (
            "MessagePack",
            |value| rmp_serde::to_vec(value).map_err(|error| error.to_string()),
            |bytes| rmp_serde::from_slice(bytes).map_err(|error| error.to_string()),
        ),
    ]
}

/// A document, any JSON of that shape, in each format.
fn encoded(document: &serde_json::Value) -> [Vec<u8>; 3] {
    let mut cbor = Vec::new();
    ciborium::into_writer(document, &mut cbor).unwrap();
    [serde_json::to_vec(document).unwrap(), cbor, rmp_serde::to_vec(document).unwrap()]
}

fn round<T: Document>(document: &str) {
    let value = T::from_json(document.as_bytes()).unwrap_or_else(|error| panic!("{document}: {error}"));
    let shape: serde_json::Value = serde_json::from_str(document).unwrap();
    for ((name, write, read), expected) in formats::<T>().into_iter().zip(encoded(&shape)) {
        let bytes = write(&value).unwrap_or_else(|error| panic!("{name}, {document}: {error}"));
        assert_eq!(read(&bytes).as_ref(), Ok(&value), "{name}, {document}");
        // What others write of such a document is read alike, though its members come in another order.
        assert_eq!(read(&expected).as_ref(), Ok(&value), "{name}, {document}");
        assert_eq!(bytes.len(), expected.len(), "{name}: as long as what others write of {document}");
    }
    assert_eq!(serde_json::to_string(&value).unwrap(), document);
    assert_eq!(serde_json::to_value(&value).unwrap(), shape);
    assert_eq!(serde_json::from_value::<T>(shape).unwrap(), value);
}

#[test]
fn every_message_goes_through_every_format() {
    for message in messages() {
        match message.contract {
            "Request" => round::<Request>(&message.document),
            "LookupAnswer" => round::<LookupAnswer>(&message.document),
            "OutcomeAnswer" => round::<OutcomeAnswer>(&message.document),
            "ReleaseAnswer" => round::<ReleaseAnswer>(&message.document),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn numbers_of_64_bits_go_through_every_format() {
    for number in [0, 1 << 53, (1 << 53) + 1, 1 << 63, u64::MAX] {
        round::<triton::Answer>(&format!(r#"{{"name":"r","device_id":0,"byte_size":{number}}}"#));
        round::<staging::Response>(&format!(
            r#"{{"result":"ok","staging_byte_size":"{number}","bytes_per_row":"0","timeline_value":"1"}}"#
        ));
    }
    for number in [i64::from(i32::MIN), -1, 0, i64::from(i32::MAX)] {
        round::<Request>(&format!(
            r#"{{"op":"update_layout","surface_id":"s","current_image_layout":{number}}}"#
        ));
    }
}

#[test]
fn what_a_later_version_says_goes_through_every_format() {
    round::<LookupAnswer>(
        r#"{"surface_id":"s","format":{"a":[1,-2,0.5,2.0,"x",null,true,{}]},"resource_type":"sound"}"#,
    );
}

/// The verdict of the first door, by every format.
fn verdict<T: Document>(case: &Case) {
    let Ok(shape) = serde_json::from_str::<serde_json::Value>(&case.document) else { return };
    // What serde_json keeps of a document is without duplicates, and numbers beyond 64 bits are floats.
    let shape_is_the_document = shape.to_string().len() == case.document.len();
    let first = T::from_json(case.document.as_bytes());
    let text: Result<T, _> = serde_json::from_str(&case.document);
    match (&first, text) {
        (Ok(first), Ok(text)) => {
            // Numbers of JSON that is kept as it is are kept as serde has them.
            let value = |value: &T| serde_json::to_value(value).unwrap();
            assert_eq!(value(first), value(&text), "{}", case.name);
        }
        (Err(first), Err(text)) => {
            let text = text.to_string();
            // An offset is that in the document as serde gave it, which has no white space.
            let part = format!("{}: expected {}", first.code.name(), first.expected);
            // Beyond 64 bits serde_json has floats, which are no integers.
            let is_float = first.code == Code::OutOfRange && text.contains("wrong_type: expected an integer");
            let place = format!("{}.{}", first.contract, first.field);
            assert!(
                (text.contains(&part) || is_float) && text.contains(place.trim_end_matches('.')),
                "{}: {text}",
                case.name
            );
        }
        (first, text) => panic!("{}: {first:?}, through serde {text:?}", case.name),
    }
    if shape_is_the_document {
        for ((name, _, read), bytes) in formats::<T>().into_iter().zip(encoded(&shape)) {
            assert_eq!(read(&bytes).is_ok(), first.is_ok(), "{name}: {} {}", case.name, case.document);
        }
    }
}

#[test]
fn the_second_door_is_as_strict_as_the_first() {
    let cases = cases();
    for case in &cases {
        match &*case.contract {
            "Request" => verdict::<Request>(case),
            "LookupAnswer" => verdict::<LookupAnswer>(case),
            "OpaqueFdExport" => verdict::<OpaqueFdExport>(case),
            _ => {}
        }
    }
}

#[test]
fn a_key_that_comes_twice_is_refused_in_every_format() {
    let refused = |result: Result<Request, String>| {
        let error = result.unwrap_err();
        assert!(error.contains("duplicate_key"), "{error}");
    };
    refused(
        serde_json::from_str(r#"{"op":"lookup","surface_id":"a","surface_id":"a"}"#)
            .map_err(|it| it.to_string()),
    );
    let entry = |key: &str, value: &str| {
        let text = |text: &str| [&[0x60 | u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        [text(key), text(value)].concat()
    };
    let members = [entry("op", "lookup"), entry("surface_id", "a"), entry("surface_id", "b")].concat();
    let cbor = [&[0xA3][..], &members].concat();
    refused(self::cbor(&cbor));
    // MessagePack's short text and maps differ in their first bytes alone.
    let pack = |byte: u8| if byte & 0xE0 == 0x60 { byte & 0x1F | 0xA0 } else { byte };
    let mut message = vec![0x83];
    for part in [("op", "lookup"), ("surface_id", "a"), ("surface_id", "b")] {
        for text in [part.0, part.1] {
            message.push(pack(0x60 | u8::try_from(text.len()).unwrap()));
            message.extend(text.bytes());
        }
    }
    refused(rmp_serde::from_slice(&message).map_err(|it| it.to_string()));
}

#[test]
fn what_json_does_not_have_is_refused() {
    let bytes = serde_bytes_map();
    let error = cbor::<Request>(&bytes).unwrap_err();
    assert!(error.contains("a value that JSON has"), "{error}");
    // A value that no rule lets through is not written either.
    let long = Request::Lookup(wirecontract_gpu::texture::SurfaceName { surface_id: "a".repeat(1 << 20) });
    for (name, write, _) in formats::<Request>() {
        let error = write(&long).unwrap_err();
        assert!(error.contains("too_large"), "{name}: {error}");
    }
}

/// `{"op": h'6C6F6F6B7570', "surface_id": "a"}`: a tag that is bytes and not text.
fn serde_bytes_map() -> Vec<u8> {
    [&[0xA2, 0x62][..], b"op", &[0x46], b"lookup", &[0x6A], b"surface_id", &[0x61], b"a"].concat()
}
