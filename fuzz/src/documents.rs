//! JSON documents: what the derive makes of them, held against an interpreter of the same declaration; and what is read
//! is written so that it is read again.

use std::fmt::Debug;

use wirecontract::{Code, Contract, Json, WireError, WireJson};
use wirecontract_codegen::interpret::{Fault, json as interpret};
use wirecontract_gpu::texture::{LookupAnswer, Request};

use crate::catalog::{CATALOG, id_of};

/// A request to the texture service.
pub fn request(bytes: &[u8]) {
    agrees::<Request>(bytes);
}

/// The service's answer to a consumer.
pub fn answer(bytes: &[u8]) {
    agrees::<LookupAnswer>(bytes);
}

/// Both accept the document and write it alike, or both refuse it in the same words; leniently, too.
pub(crate) fn agrees<T: WireJson + Contract + Debug + PartialEq>(bytes: &[u8]) {
    let id = id_of(T::WIRE_ID);
    let strict = T::from_json(bytes);
    match (&strict, interpret::read(&CATALOG, id, bytes)) {
        (Ok(value), Ok(reading)) => {
            same(value.to_json(), reading.written);
            comes_back(value);
            for fds in 0..8 {
                same(value.validate_import(fds), interpret::import(&CATALOG, id, &reading.value, fds));
            }
        }
        (Err(ours), Err(theirs)) => same_fault(ours, &theirs),
        (ours, theirs) => panic!("the derive says {ours:?}, the interpreter {theirs:?}"),
    }
    match (T::from_json_lenient(bytes), interpret::read_lenient(&CATALOG, id, bytes)) {
        (Ok((value, faults)), Ok((reading, theirs))) => {
            // A lenient reader goes on where a strict one stops.
            assert_eq!(strict.as_ref().err(), faults.first());
            assert_eq!(faults.len(), theirs.len());
            faults.iter().zip(&theirs).for_each(|(ours, theirs)| same_fault(ours, theirs));
            same(value.to_json(), reading.written);
            comes_back(&value);
        }
        (Err(ours), Err(theirs)) => same_fault(&ours, &theirs),
        (ours, theirs) => panic!("leniently the derive says {ours:?}, the interpreter {theirs:?}"),
    }
}

/// What is written is read again. It may be too long to be written: an alias can be shorter than its name.
fn comes_back<T: WireJson + Debug + PartialEq>(value: &T) {
    match value.to_json() {
        Ok(written) => {
            let again = T::from_json(written.as_bytes()).expect("what was written can be read");
            assert_eq!(&again, value);
            assert_eq!(again.to_json().as_deref(), Ok(&*written));
        }
        Err(error) => assert_eq!(error.code, Code::TooLarge, "{error}"),
    }
}

fn same<T: PartialEq + Debug>(ours: Result<T, WireError>, theirs: Result<T, Fault>) {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(ours), Err(theirs)) => same_fault(&ours, &theirs),
        (ours, theirs) => panic!("the derive says {ours:?}, the interpreter {theirs:?}"),
    }
}

fn same_fault(ours: &WireError, theirs: &Fault) {
    assert_eq!(ours.to_string(), theirs.to_string());
    assert_eq!((ours.contract, ours.field, ours.offset), (&*theirs.contract, &*theirs.field, theirs.offset));
}

/// Any JSON, kept as text.
///
/// # Panics
/// When what is kept is not kept alike a second time.
pub fn json(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(json) = Json::new(text) {
        let again = Json::new(json.as_str()).expect("what is kept is JSON");
        assert_eq!(again.as_str(), json.as_str());
    }
}
