//! What becomes of what a thread owns when it ends.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract::export::{ExclusiveTable, HandleFault, SharedTable};

use super::{Canary, elsewhere};

#[test]
fn objects_of_a_thread_that_ended_are_dropped_and_their_handles_invalid() {
    static TABLE: ExclusiveTable<(Rc<()>, Canary)> = ExclusiveTable::new(1);
    static OTHER: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let kept = OTHER.insert(Canary::new(7, &DROPS)).unwrap();
    let ids = elsewhere(|| {
        let rc = Rc::new(());
        let ids = [1, 2, 3].map(|number| TABLE.insert((rc.clone(), Canary::new(number, &DROPS))).unwrap());
        OTHER.insert(Canary::new(4, &DROPS)).unwrap();
        TABLE.destroy(ids[0]).unwrap();
        ids
    });
    assert_eq!(DROPS.load(Ordering::Relaxed), 4);
    assert_eq!(ids.map(|id| TABLE.borrow(id).err()), [Some(HandleFault::Destroyed); 3]);
    assert_eq!(ids.map(|id| TABLE.destroy(id)), [Err(HandleFault::Destroyed); 3]);
    assert_eq!(OTHER.borrow(kept).unwrap().number(), 7);
}

#[test]
fn what_another_thread_destroyed_is_dropped_when_its_owner_ends_without_a_call() {
    static TABLE: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    elsewhere(|| {
        let ids = [1, 2].map(|number| TABLE.insert(Canary::new(number, &DROPS)).unwrap());
        elsewhere(move || TABLE.destroy(ids[1])).unwrap();
        assert_eq!(DROPS.load(Ordering::Relaxed), 0);
    });
    assert_eq!(DROPS.load(Ordering::Relaxed), 2);
}

#[test]
fn objects_of_an_ended_thread_may_destroy_each_other_and_make_none() {
    static TABLE: ExclusiveTable<Last> = ExclusiveTable::new(1);
    static SHARED: SharedTable<u32> = SharedTable::new(2);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    static FAULTS: Mutex<Vec<HandleFault>> = Mutex::new(Vec::new());
    struct Last(Option<u64>);
    impl Drop for Last {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
            if let Some(other) = self.0 {
                FAULTS.lock().unwrap().extend(TABLE.insert(Last(None)).err());
                SHARED.destroy(SHARED.insert(1).unwrap()).unwrap();
                assert!(TABLE.borrow(other).unwrap().0.is_none());
                TABLE.destroy(other).unwrap();
                panic!("it goes no further");
            }
        }
    }
    elsewhere(|| {
        // The first of the two is dropped first.
        TABLE.destroy(TABLE.insert(Last(None)).unwrap()).unwrap();
        let first = TABLE.insert(Last(None)).unwrap();
        let second = TABLE.insert(Last(None)).unwrap();
        TABLE.borrow_mut(first).unwrap().0 = Some(second);
    });
    // One before, the two, and the one that was not made.
    assert_eq!(DROPS.load(Ordering::Relaxed), 4);
    assert_eq!(*FAULTS.lock().unwrap(), [HandleFault::ThreadEnds]);
}

#[test]
fn a_thread_that_has_ended_but_for_its_locals_finds_nothing_of_its_own() {
    static TABLE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    static FAULTS: Mutex<Vec<HandleFault>> = Mutex::new(Vec::new());
    struct Late(u64);
    impl Drop for Late {
        fn drop(&mut self) {
            let faults = [TABLE.borrow(self.0).err(), TABLE.destroy(self.0).err(), TABLE.insert(2).err()];
            FAULTS.lock().unwrap().extend(faults.into_iter().flatten());
        }
    }
    thread_local! {
        static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
    }
    elsewhere(|| {
        // Its destructor is registered before the table's, and so runs behind it where the order is the reverse; where it
        // is not, the object is found.
        LATE.with(|_| ());
        let id = TABLE.insert(1).unwrap();
        LATE.with(|late| *late.borrow_mut() = Some(Late(id)));
    });
    let faults = FAULTS.lock().unwrap();
    let expected = [HandleFault::Destroyed, HandleFault::Destroyed, HandleFault::ThreadEnds];
    assert!(*faults == expected || faults.is_empty(), "{faults:?}");
}

#[test]
fn what_is_borrowed_for_good_outlives_its_thread() {
    static TABLE: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let (id, number, canary) = elsewhere(|| {
        let id = TABLE.insert(Canary::new(7, &DROPS)).unwrap();
        let canary: &'static Canary = Box::leak(Box::new(TABLE.borrow(id).unwrap()));
        (id, canary.number(), canary)
    });
    assert_eq!((number, canary.number(), DROPS.load(Ordering::Relaxed)), (7, 7, 0));
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
    assert_eq!(TABLE.destroy(id), Err(HandleFault::Destroyed));
    assert_ne!(TABLE.insert(Canary::new(8, &DROPS)).unwrap() & 0xf_ffff, id & 0xf_ffff);
}
