//! Locks: what contracts are agreed to be, in a file that people merge.

use wirecontract_codegen::lock::{Form, Lock, LockError};
use wirecontract_codegen::model::Catalog;

/// Blocks whose digests are put right, so that a change of one reaches what reads the rest.
const BLOCKS: usize = 20;

/// Any file that claims to be a lock.
///
/// # Panics
/// When a lock is not read as it was written.
pub fn lock(bytes: &[u8]) {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for _ in 0..BLOCKS {
        match Lock::parse(&text) {
            Ok(lock) => return rewritten(&lock),
            Err(error) => {
                // It is rendered whatever it says.
                let _ = error.to_string();
                let LockError::Edited { stated, found, .. } = error else { return };
                text = text.replace(&format!("\"{stated:#018x}\""), &format!("\"{found:#018x}\""));
            }
        }
    }
}

fn rewritten(lock: &Lock) {
    let text = lock.text();
    let read = Lock::parse(&text).expect("a lock that was written is read");
    assert_eq!(read.text(), text, "a lock is written as it was read");
    let mut anew = Lock::default();
    for form in lock.forms() {
        anew.accept(form.clone()).expect("an empty lock takes every form");
        assert!(lock.agreed(form).is_some(), "what is agreed is found");
    }
}

/// The forms of a catalog, however odd.
///
/// # Panics
/// When they are not read as they were written, though the paths are such as a compiler makes them.
pub(crate) fn forms(catalog: &Catalog) {
    for (id, _) in catalog.iter() {
        let mut lock = Lock::default();
        lock.accept(Form::of(catalog, id)).expect("an empty lock takes every form");
        let text = lock.text();
        match Lock::parse(&text) {
            Ok(read) => assert_eq!(read.text(), text, "a form is written as it was read"),
            Err(LockError::Heading { .. } | LockError::VersionZero { .. }) => {}
            Err(error) => panic!("{error}:\n{text}"),
        }
    }
}
