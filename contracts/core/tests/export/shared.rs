//! Objects that all threads share.

use std::sync::atomic::{AtomicUsize, Ordering};

use wirecontract::export::{HandleFault, SharedTable};

use super::{Canary, elsewhere};

#[test]
fn an_object_is_used_by_many_calls_at_once_from_any_thread() {
    static TABLE: SharedTable<u32> = SharedTable::new(1);
    let id = elsewhere(|| TABLE.insert(7)).unwrap();
    let (first, second) = (TABLE.borrow(id).unwrap(), TABLE.borrow(id).unwrap());
    assert_eq!((*first, *second, elsewhere(move || *TABLE.borrow(id).unwrap())), (7, 7, 7));
}

#[test]
fn what_is_destroyed_during_calls_takes_no_more_of_them_and_the_last_drops_it() {
    static TABLE: SharedTable<Canary> = SharedTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let id = TABLE.insert(Canary::new(7, &DROPS)).unwrap();
    let (first, second) = (TABLE.borrow(id).unwrap(), TABLE.borrow(id).unwrap());
    assert_eq!(elsewhere(move || TABLE.destroy(id)), Ok(()));
    assert_eq!(TABLE.borrow(id).err(), Some(HandleFault::Destroyed));
    assert_eq!(TABLE.destroy(id), Err(HandleFault::Destroyed));
    assert_eq!(TABLE.take(id).err(), Some(HandleFault::Destroyed));
    drop(first);
    assert_eq!((second.number(), DROPS.load(Ordering::Relaxed)), (7, 0));
    drop(second);
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
}

#[test]
fn what_is_in_a_call_is_not_taken() {
    static TABLE: SharedTable<u32> = SharedTable::new(1);
    let id = TABLE.insert(7).unwrap();
    let call = TABLE.borrow(id).unwrap();
    assert_eq!(TABLE.take(id), Err(HandleFault::Busy));
    assert_eq!(*TABLE.borrow(id).unwrap(), 7);
    drop(call);
    assert_eq!(TABLE.take(id), Ok(7));
    assert_eq!(TABLE.take(id), Err(HandleFault::Destroyed));
}

#[test]
fn a_call_may_destroy_what_it_is_in() {
    static TABLE: SharedTable<Canary> = SharedTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let id = TABLE.insert(Canary::new(7, &DROPS)).unwrap();
    {
        let call = TABLE.borrow(id).unwrap();
        assert_eq!(TABLE.destroy(id), Ok(()));
        assert_eq!((call.number(), DROPS.load(Ordering::Relaxed)), (7, 0));
    }
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_drop_may_make_and_destroy_handles() {
    static TABLE: SharedTable<Nest> = SharedTable::new(1);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct Nest(Option<u64>);
    impl Drop for Nest {
        fn drop(&mut self) {
            DROPS.fetch_add(1, Ordering::Relaxed);
            if let Some(inner) = self.0 {
                TABLE.destroy(inner).unwrap();
                TABLE.destroy(TABLE.insert(Nest(None)).unwrap()).unwrap();
            }
        }
    }
    let outer = TABLE.insert(Nest(Some(TABLE.insert(Nest(None)).unwrap()))).unwrap();
    let call = TABLE.borrow(outer).unwrap();
    TABLE.destroy(outer).unwrap();
    drop(call);
    assert_eq!(DROPS.load(Ordering::Relaxed), 3);
}
