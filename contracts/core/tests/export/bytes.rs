//! Bytes that the caller frees.

use std::slice;

use wirecontract::Code;
use wirecontract::export::{COwnedBytes, free, give};

use super::elsewhere;

/// The bytes, and the one behind them.
fn seen(bytes: &COwnedBytes) -> Vec<u8> {
    assert!(!bytes.data.is_null());
    // SAFETY: `give` says so, and they are not freed yet.
    unsafe { slice::from_raw_parts(bytes.data, bytes.length + 1) }.to_vec()
}

fn freed(bytes: &mut COwnedBytes) -> Result<(), (Code, String)> {
    // SAFETY: a reference is valid.
    unsafe { free(bytes) }.map_err(|failure| (failure.code(), failure.message().to_owned()))
}

#[test]
fn bytes_have_a_nul_behind_them_and_are_freed_once() {
    for given in [&b""[..], b"a\0b", &[7; 4096]] {
        let mut bytes = give(given.to_vec()).unwrap();
        assert_eq!(seen(&bytes), [given, b"\0"].concat());
        let mut copy = bytes;
        assert_eq!(freed(&mut bytes), Ok(()));
        assert!(bytes.data.is_null());
        assert_eq!((bytes.length, bytes.id), (0, 0));
        assert_eq!(freed(&mut bytes), Ok(()));
        let message = "expected bytes that a call returned, found some that were freed";
        assert_eq!(freed(&mut copy), Err((Code::BadHandle, message.to_owned())));
        assert!(copy.id != 0);
    }
}

#[test]
fn bytes_are_freed_by_any_thread() {
    let bytes = give(vec![1, 2, 3]).unwrap();
    let (data, length, id) = (bytes.data as usize, bytes.length, bytes.id);
    let again = move || freed(&mut COwnedBytes { data: data as *const u8, length, id });
    assert_eq!(elsewhere(again), Ok(()));
    assert_eq!(again().map_err(|(code, _)| code), Err(Code::BadHandle));
}

#[test]
fn bytes_of_somebody_else_are_not_freed() {
    let (first, second) = (give(vec![1]).unwrap(), give(vec![2]).unwrap());
    let mixed = &mut COwnedBytes { data: first.data, ..second };
    let message = "expected bytes that a call of this library returned, found others";
    assert_eq!(freed(mixed), Err((Code::BadHandle, message.to_owned())));
    let made_up = &mut COwnedBytes { id: 7, ..first };
    assert_eq!(freed(made_up), Err((Code::BadHandle, message.to_owned())));
    assert_eq!((seen(&first), seen(&second)), (vec![1, 0], vec![2, 0]));
    // SAFETY: null is allowed.
    let failure = unsafe { free(std::ptr::null_mut()) }.unwrap_err();
    assert_eq!(failure.code(), Code::NullArgument);
}
