//! Objects that one thread has for itself.

use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use wirecontract::export::{ExclusiveTable, HandleFault};

use super::{Canary, elsewhere};

#[test]
fn an_object_is_borrowed_as_rust_would_have_it() {
    static TABLE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    let id = TABLE.insert(1).unwrap();
    let (first, second) = (TABLE.borrow(id).unwrap(), TABLE.borrow(id).unwrap());
    assert_eq!((*first, *second), (1, 1));
    assert_eq!(TABLE.borrow_mut(id).err(), Some(HandleFault::Busy));
    drop(first);
    assert_eq!(TABLE.borrow_mut(id).err(), Some(HandleFault::Busy));
    drop(second);
    let mut changed = TABLE.borrow_mut(id).unwrap();
    *changed += 1;
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Busy));
    assert_eq!(TABLE.borrow_mut(id).err(), Some(HandleFault::Busy));
    assert_eq!(TABLE.take(id), Err(HandleFault::Busy));
    drop(changed);
    assert_eq!(TABLE.take(id), Ok(2));
    assert_eq!(TABLE.take(id), Err(HandleFault::Destroyed));
}

#[test]
fn a_call_that_comes_back_from_a_callback_is_refused_and_the_object_is_whole() {
    static TABLE: ExclusiveTable<Vec<u32>> = ExclusiveTable::new(1);
    let id = TABLE.insert(vec![1, 2, 3]).unwrap();
    let mut faults = Vec::new();
    for sample in &mut *TABLE.borrow_mut(id).unwrap() {
        *sample += 1;
        faults.push(TABLE.borrow_mut(id).err());
        faults.push(TABLE.take(id).err());
    }
    assert_eq!(faults, [Some(HandleFault::Busy); 6]);
    assert_eq!(*TABLE.borrow(id).unwrap(), [2, 3, 4]);
}

#[test]
fn a_call_may_destroy_what_it_is_in() {
    static TABLE: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    for is_changed in [false, true] {
        let before = DROPS.load(Ordering::Relaxed);
        let id = TABLE.insert(Canary::new(7, &DROPS)).unwrap();
        let drops = |id| {
            assert_eq!(TABLE.destroy(id), Ok(()));
            assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
            assert_eq!(TABLE.destroy(id), Err(HandleFault::Destroyed));
            DROPS.load(Ordering::Relaxed) - before
        };
        if is_changed {
            let call = TABLE.borrow_mut(id).unwrap();
            assert_eq!((drops(id), call.number()), (0, 7));
        } else {
            let (outer, inner) = (TABLE.borrow(id).unwrap(), TABLE.borrow(id).unwrap());
            assert_eq!((drops(id), inner.number()), (0, 7));
            drop(inner);
            assert_eq!((DROPS.load(Ordering::Relaxed) - before, outer.number()), (0, 7));
        }
        assert_eq!(DROPS.load(Ordering::Relaxed) - before, 1);
    }
}

#[test]
fn an_object_that_is_not_send_is_refused_to_other_threads() {
    static TABLE: ExclusiveTable<Rc<u32>> = ExclusiveTable::new(1);
    let id = TABLE.insert(Rc::new(1)).unwrap();
    let refused = |id| [TABLE.borrow(id).err(), TABLE.borrow_mut(id).err(), TABLE.take(id).err()];
    assert_eq!(elsewhere(move || refused(id)), [Some(HandleFault::OtherThread); 3]);
    // The same from a thread that has a number.
    let other = move || (TABLE.insert(Rc::new(2)).map(|_| ()), refused(id));
    assert_eq!(elsewhere(other), (Ok(()), [Some(HandleFault::OtherThread); 3]));
    assert_eq!(**TABLE.borrow(id).unwrap(), 1);
}

#[test]
fn what_another_thread_destroys_is_invalid_at_once_and_dropped_at_the_owners_next_call() {
    static TABLE: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static OTHER: ExclusiveTable<u32> = ExclusiveTable::new(2);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let ids = [0; 3].map(|number| TABLE.insert(Canary::new(number, &DROPS)).unwrap());
    let other = OTHER.insert(1).unwrap();
    assert_eq!(elsewhere(move || ids.map(|id| TABLE.destroy(id))), [Ok(()); 3]);
    assert_eq!(elsewhere(move || ids.map(|id| TABLE.destroy(id))), [Err(HandleFault::Destroyed); 3]);
    assert_eq!(elsewhere(move || TABLE.borrow(ids[0]).err()), Some(HandleFault::Destroyed));
    assert_eq!(DROPS.load(Ordering::Relaxed), 0);
    assert_eq!(*OTHER.borrow(other).unwrap(), 1);
    assert_eq!(DROPS.load(Ordering::Relaxed), 3);
    assert_eq!(TABLE.borrow(ids[0]).err(), Some(HandleFault::Destroyed));
}

#[test]
fn what_another_thread_destroys_during_a_call_lives_until_the_end_of_that_call() {
    static TABLE: ExclusiveTable<Canary> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let id = TABLE.insert(Canary::new(7, &DROPS)).unwrap();
    let (first, second) = (TABLE.borrow(id).unwrap(), TABLE.borrow(id).unwrap());
    elsewhere(move || TABLE.destroy(id)).unwrap();
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
    assert_eq!(TABLE.destroy(id).err(), Some(HandleFault::Destroyed));
    drop(first);
    assert_eq!((second.number(), DROPS.load(Ordering::Relaxed)), (7, 0));
    drop(second);
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);

    let id = TABLE.insert(Canary::new(8, &DROPS)).unwrap();
    let changed = TABLE.borrow_mut(id).unwrap();
    elsewhere(move || TABLE.destroy(id)).unwrap();
    let next = TABLE.insert(Canary::new(9, &DROPS)).unwrap();
    assert_eq!((changed.number(), DROPS.load(Ordering::Relaxed)), (8, 1));
    drop(changed);
    assert_eq!(DROPS.load(Ordering::Relaxed), 2);
    TABLE.destroy(next).unwrap();
}

#[test]
fn a_drop_may_make_and_destroy_handles() {
    static TABLE: ExclusiveTable<Nest> = ExclusiveTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Nest {
        inner: Option<u64>,
        depth: usize,
    }
    impl Drop for Nest {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
            if let Some(inner) = self.inner {
                TABLE.destroy(inner).unwrap();
            }
            if self.depth > 0 {
                let made = TABLE.insert(Nest { inner: None, depth: self.depth - 1 }).unwrap();
                TABLE.destroy(made).unwrap();
            }
        }
    }
    let inner = TABLE.insert(Nest { inner: None, depth: 0 }).unwrap();
    let outer = TABLE.insert(Nest { inner: Some(inner), depth: 2 }).unwrap();
    TABLE.destroy(outer).unwrap();
    assert_eq!(DROPS.load(Ordering::Relaxed), 4);
    let inner = TABLE.insert(Nest { inner: None, depth: 0 }).unwrap();
    let outer = TABLE.insert(Nest { inner: Some(inner), depth: 2 }).unwrap();
    elsewhere(move || TABLE.destroy(outer)).unwrap();
    assert_eq!(TABLE.destroy(outer), Err(HandleFault::Destroyed));
    assert_eq!(DROPS.load(Ordering::Relaxed), 8);
}

#[test]
fn a_destroyed_handle_is_refused_to_whoever_learns_of_it() {
    static TABLE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    let ((to_owner, owner), (to_us, us)) = (channel(), channel());
    let thread = thread::spawn(move || {
        for number in 0..100 {
            let id = TABLE.insert(number).unwrap();
            to_us.send(id).unwrap();
            owner.recv().unwrap();
            assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
        }
    });
    for id in us {
        TABLE.destroy(id).unwrap();
        to_owner.send(()).unwrap();
    }
    thread.join().unwrap();
}
