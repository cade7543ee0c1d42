//! Hellos: what is read is written so that it is read again, and what two of them agree on is the same from either side.

use wirecontract::hello::{Hello, NegotiationError, Verdict, negotiate};
use wirecontract::{Code, WireJson};

/// A hello, and what it agrees on with itself and with one that has every other contract and version of it.
///
/// # Panics
/// When two sides come to verdicts that do not belong together.
pub fn hello(bytes: &[u8]) {
    let hello = match Hello::read(bytes) {
        Ok(hello) => hello,
        Err(error) => {
            assert!(error.code == Code::RuleViolated || Hello::from_json(bytes).is_err(), "{error}");
            return;
        }
    };
    let written = hello.to_json().expect("what was read can be written");
    assert_eq!(Hello::read(written.as_bytes()).as_ref(), Ok(&hello));
    let mut other = hello.clone();
    for spoken in other.speaks.iter_mut().step_by(2) {
        spoken.versions.truncate(1);
        spoken.versions[0].wire_id[0] ^= 1;
    }
    // A hello of many is quadratic to check.
    for spoken in hello.speaks.iter().take(8) {
        let newest = spoken.versions.last().expect("a hello that was read has versions");
        let agreed = negotiate(&hello, &hello, &spoken.name).expect("one agrees with itself");
        assert_eq!((agreed.version, agreed.wire_id), (newest.version, newest.id()));
        match (negotiate(&hello, &other, &spoken.name), negotiate(&other, &hello, &spoken.name)) {
            (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
            (Err(NegotiationError::Refused(ours)), Err(NegotiationError::Refused(theirs))) => {
                assert_eq!((ours.verdict, ours.verdict), (theirs.verdict, Verdict::TwoIds));
                assert_eq!((&ours.ours, &ours.theirs), (&theirs.theirs, &theirs.ours));
            }
            (ours, theirs) => panic!("{ours:?} from here, {theirs:?} from there"),
        }
    }
}
