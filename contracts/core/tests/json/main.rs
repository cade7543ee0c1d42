//! Recipes and unions as documents: what is read, what is refused and how, what is written.
#![cfg(feature = "json")]
#![allow(missing_docs, clippy::unwrap_used)]

mod contracts;
mod document;
mod floats;
mod import;
mod least;
mod lenient;
mod mutation;
mod record;
#[cfg(feature = "serde")]
mod serde_door;
mod typed;
mod unions;
mod writing;

use std::fmt::Debug;

use wirecontract::WireJson;

/// The value is written as the document, and read from it.
#[track_caller]
fn round_trip<T: WireJson + PartialEq + Debug>(value: &T, document: &str) {
    assert_eq!(value.to_json().as_deref(), Ok(document));
    assert_eq!(T::from_json(document.as_bytes()).as_ref(), Ok(value), "{document}");
}

/// Why a document is refused.
#[track_caller]
fn fault<T: WireJson + Debug>(document: impl AsRef<[u8]>) -> String {
    let document = document.as_ref();
    match T::from_json(document) {
        Ok(value) => panic!("{} was read as {value:?}", String::from_utf8_lossy(document)),
        Err(fault) => fault.to_string(),
    }
}

/// Why a value is not written.
#[track_caller]
fn flaw<T: WireJson + Debug>(value: &T) -> String {
    let mut out = b"kept".to_vec();
    let flaw = value.write_json(&mut out).unwrap_err();
    assert_eq!(out, b"kept", "{value:?}");
    assert_eq!(value.to_json(), Err(flaw));
    flaw.to_string()
}
