//! Panics: which handles they poison, and where they end.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract::export::{ExclusiveTable, HandleFault, SharedTable, contain};
use wirecontract::{Code, Failure};

use super::elsewhere;

fn contained(call: impl FnOnce()) -> Failure {
    let call = || {
        call();
        Ok(())
    };
    contain(call).unwrap_err()
}

#[test]
fn a_panic_becomes_a_failure_with_its_message() {
    let word = "text";
    let failures = [
        contained(|| panic!("no such register")),
        contained(|| panic!("no such {word}")),
        contained(|| panic_any(7)),
    ];
    let messages = ["panicked: no such register", "panicked: no such text", "panicked"];
    assert_eq!(failures, messages.map(|message| Failure::new(Code::Panic, message)));
    assert_eq!(contain(|| Ok(7)), Ok(7));
    assert_eq!(contain::<()>(|| Err("no".into())), Err(Failure::new(Code::Refused, "no")));
}

#[test]
fn a_payload_that_panics_when_it_is_dropped_is_contained_too() {
    struct Bomb(u32);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0 > 0 {
                panic_any(Bomb(self.0 - 1));
            }
        }
    }
    assert_eq!(contained(|| panic_any(Bomb(5))), Failure::new(Code::Panic, "panicked"));
}

#[test]
fn a_panic_while_an_object_is_changed_poisons_it_until_it_is_destroyed() {
    static TABLE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    let id = TABLE.insert(1).unwrap();
    contained(|| {
        let _read = TABLE.borrow(id).unwrap();
        panic!("reading");
    });
    assert_eq!(*TABLE.borrow_mut(id).unwrap(), 1);
    contained(|| {
        let mut changed = TABLE.borrow_mut(id).unwrap();
        *changed = 2;
        panic!("changing");
    });
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Poisoned));
    assert_eq!(TABLE.borrow_mut(id).err(), Some(HandleFault::Poisoned));
    assert_eq!(TABLE.take(id), Err(HandleFault::Poisoned));
    assert_eq!(TABLE.destroy(id), Ok(()));
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
    assert_eq!(*TABLE.borrow_mut(TABLE.insert(3).unwrap()).unwrap(), 3);
}

#[test]
fn a_change_during_the_unwinding_of_another_panic_does_not_poison() {
    static TABLE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    struct Counts(u64);
    impl Drop for Counts {
        fn drop(&mut self) {
            *TABLE.borrow_mut(self.0).unwrap() += 1;
        }
    }
    let id = TABLE.insert(1).unwrap();
    contained(|| {
        let _counts = Counts(id);
        panic!("elsewhere");
    });
    assert_eq!(TABLE.borrow(id).as_deref().ok(), Some(&2));
}

static DROPS: AtomicUsize = AtomicUsize::new(0);

/// Panics when it is dropped.
struct Grudge;

impl Drop for Grudge {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
        panic!("a grudge");
    }
}

#[test]
fn who_destroys_an_object_hears_of_the_panic_of_its_drop_and_nobody_else_does() {
    static EXCLUSIVE: ExclusiveTable<Grudge> = ExclusiveTable::new(1);
    static SHARED: SharedTable<Grudge> = SharedTable::new(1);
    let (exclusive, shared) = (EXCLUSIVE.insert(Grudge).unwrap(), SHARED.insert(Grudge).unwrap());
    let told = Failure::new(Code::Panic, "panicked: a grudge");
    assert_eq!(contained(|| EXCLUSIVE.destroy(exclusive).unwrap()), told);
    assert_eq!(contained(|| SHARED.destroy(shared).unwrap()), told);
    assert_eq!(EXCLUSIVE.destroy(exclusive), Err(HandleFault::Destroyed));
    assert_eq!(SHARED.destroy(shared), Err(HandleFault::Destroyed));

    let exclusive = EXCLUSIVE.insert(Grudge).unwrap();
    assert_eq!(elsewhere(move || EXCLUSIVE.destroy(exclusive)), Ok(()));
    assert_eq!(EXCLUSIVE.borrow(0).err(), Some(HandleFault::Zero));
    let shared = SHARED.insert(Grudge).unwrap();
    let call = SHARED.borrow(shared).unwrap();
    assert_eq!(SHARED.destroy(shared), Ok(()));
    drop(call);
    assert_eq!(DROPS.load(Ordering::Relaxed), 4);

    // The last call unwinds when it drops the object, which a second panic would have aborted.
    let shared = SHARED.insert(Grudge).unwrap();
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _call = SHARED.borrow(shared).unwrap();
        SHARED.destroy(shared).unwrap();
        panic!("the call");
    }));
    assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&"the call"));
    assert_eq!(DROPS.load(Ordering::Relaxed), 5);
}
