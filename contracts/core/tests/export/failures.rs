//! Failures, and the last one of each thread.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;

use wirecontract::export::{CFailure, fill, keep};
use wirecontract::{CallbackError, Code, Failure, WireContract};

use super::elsewhere;

#[derive(WireContract, Debug)]
#[repr(C)]
#[wire(descriptor, size = 4)]
struct Reading {
    value: u32,
}

fn last() -> (i32, i32, [String; 3], CFailure) {
    let mut out = MaybeUninit::<CFailure>::uninit();
    // SAFETY: valid for writing, and all of it is written.
    let out = unsafe {
        fill(out.as_mut_ptr());
        out.assume_init()
    };
    let texts = [out.function, out.argument, out.message].map(text);
    (out.code, out.detail, texts, out)
}

fn text(text: *const std::ffi::c_char) -> String {
    // SAFETY: never null, and nothing failed since it was asked for.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

#[test]
fn the_last_failure_is_that_of_the_thread_that_asks() {
    let (code, detail, texts) = elsewhere(|| {
        let (code, detail, texts, _) = last();
        (code, detail, texts)
    });
    assert_eq!((code, detail, texts), (0, 0, [const { String::new() }; 3]));
    let failure = Failure::new(Code::Io, "no sensor is plugged in").with_detail(-7);
    assert_eq!(keep(c"sensor_open", c"name", failure), 32);
    let said = ["sensor_open", "name", "no sensor is plugged in"].map(str::to_owned);
    assert_eq!(elsewhere(|| (last().0, keep(c"other", c"", "no".into()), last().0)), (0, 35, 35));
    let (code, detail, texts, _) = last();
    assert_eq!((code, detail, texts), (32, -7, said));
    keep(c"sensor_close", c"", Failure::new(Code::Panic, "panicked"));
    let (code, detail, texts, _) = last();
    assert_eq!((code, detail, texts), (31, 0, ["sensor_close", "", "panicked"].map(str::to_owned)));
}

#[test]
fn texts_live_until_the_next_failure_of_the_thread_and_others_do_not_end_them() {
    keep(c"sensor_open", c"", Failure::new(Code::Io, "a first message"));
    let (.., first) = last();
    elsewhere(|| keep(c"sensor_open", c"", Failure::new(Code::Io, "another")));
    let (.., again) = last();
    assert_eq!(first.message, again.message);
    assert_eq!(text(first.message), "a first message");
}

#[test]
fn a_nul_in_a_message_does_not_end_it() {
    keep(c"sensor_open", c"", "before\0behind\0".into());
    assert_eq!(last().2[2], "before␀behind␀");
    // SAFETY: null is allowed.
    unsafe { fill(std::ptr::null_mut()) };
}

#[test]
fn errors_convert_into_failures_with_their_codes() {
    let of = |failure: Failure| (failure.code(), failure.detail(), failure.message().to_owned());
    let said = |code, detail, message: &str| (code, detail, message.to_owned());
    assert_eq!(of("no".into()), said(Code::Refused, 0, "no"));
    assert_eq!(of(String::from("no").into()), said(Code::Refused, 0, "no"));
    assert_eq!(of(Failure::new(Code::Ok, "no").with_detail(3)), said(Code::Refused, 3, "no"));
    for (kind, code) in [
        (io::ErrorKind::TimedOut, Code::Timeout),
        (io::ErrorKind::BrokenPipe, Code::PeerClosed),
        (io::ErrorKind::ConnectionReset, Code::PeerClosed),
        (io::ErrorKind::NotFound, Code::Io),
    ] {
        assert_eq!(of(io::Error::new(kind, "said").into()), said(code, 0, "said"));
    }
    assert_eq!(Failure::from(io::Error::from_raw_os_error(2)).detail(), 2);
    let error = Reading::from_bytes(&[0; 3]).unwrap_err();
    let message = "Reading at byte 3: too_short: expected 4 bytes, found 3";
    assert_eq!(of(error.into()), said(Code::TooShort, 0, message));
}

#[test]
fn what_a_callback_returns_is_its_code_where_it_is_one() {
    let of = |code| {
        let failure = Failure::from(CallbackError::Returned(code));
        (failure.code(), failure.detail(), failure.message().to_owned())
    };
    assert_eq!(of(33), (Code::Timeout, 33, "the callback returned timeout".to_owned()));
    assert_eq!(of(-1), (Code::Refused, -1, "the callback returned -1".to_owned()));
    assert_eq!(of(0), (Code::Refused, 0, "the callback returned 0".to_owned()));
}
