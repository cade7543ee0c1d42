//! Numbers that stand for no object, and what is said of them.

use std::collections::BTreeSet;

use proptest::prelude::*;
use wirecontract::Code;
use wirecontract::export::{ExclusiveTable, HandleFault, SharedTable, tag};

use super::elsewhere;

#[test]
fn every_fault_has_a_code_and_words_that_say_the_way_out() {
    let said = [
        (HandleFault::Zero, Code::BadHandle, "expected a handle of Camera, found none"),
        (HandleFault::OtherType, Code::BadHandle, "expected a handle of Camera, found another"),
        (
            HandleFault::Destroyed,
            Code::BadHandle,
            "expected a handle of Camera, found one that was destroyed",
        ),
        (HandleFault::Busy, Code::Busy, "this Camera is in a call: wait until that has returned"),
        (
            HandleFault::OtherThread,
            Code::Busy,
            "this Camera belongs to the thread that made it: call it from there",
        ),
        (
            HandleFault::Poisoned,
            Code::Panic,
            "an earlier call panicked while it changed this Camera: destroy it",
        ),
        (HandleFault::Full, Code::TooMany, "1048576 handles of Camera are in use: destroy some"),
        (
            HandleFault::ThreadEnds,
            Code::Refused,
            "this thread is ending, and would leave a Camera behind: make it in another",
        ),
    ];
    for (fault, code, message) in said {
        let failure = fault.failure("Camera");
        assert_eq!((failure.code(), failure.detail(), failure.message()), (code, 0, message));
    }
}

#[test]
fn a_tag_depends_on_where_the_prefix_ends_and_is_never_zero() {
    const TAG: u16 = tag("sensor", "Camera");
    assert_ne!(TAG, tag("sensorC", "amera"));
    assert_ne!(TAG, tag("sensor", "Lens"));
    assert!((0..200_000).all(|number: u32| tag("sensor", &number.to_string()) != 0));
}

#[test]
fn zero_and_another_types_handle_are_told_from_a_destroyed_one() {
    static CAMERAS: ExclusiveTable<u32> = ExclusiveTable::new(tag("sensor", "Camera"));
    static LENSES: SharedTable<u32> = SharedTable::new(tag("sensor", "Lens"));
    let (camera, lens) = (CAMERAS.insert(1).unwrap(), LENSES.insert(2).unwrap());
    let cameras = |id| [CAMERAS.borrow(id).err(), CAMERAS.borrow_mut(id).err(), CAMERAS.take(id).err()];
    let lenses = |id| [LENSES.borrow(id).err(), LENSES.take(id).err(), LENSES.destroy(id).err()];
    assert_eq!(cameras(0), [Some(HandleFault::Zero); 3]);
    assert_eq!(lenses(0), [Some(HandleFault::Zero); 3]);
    assert_eq!(cameras(lens), [Some(HandleFault::OtherType); 3]);
    assert_eq!(lenses(camera), [Some(HandleFault::OtherType); 3]);
    assert_eq!((*CAMERAS.borrow(camera).unwrap(), *LENSES.borrow(lens).unwrap()), (1, 2));
    assert_eq!((CAMERAS.destroy(camera), LENSES.destroy(lens)), (Ok(()), Ok(())));
    assert_eq!(cameras(camera), [Some(HandleFault::Destroyed); 3]);
    assert_eq!(lenses(lens), [Some(HandleFault::Destroyed); 3]);
    assert_eq!(CAMERAS.destroy(camera), Err(HandleFault::Destroyed));
    assert_eq!(CAMERAS.destroy(0), Err(HandleFault::Zero));
}

#[test]
fn a_handle_never_stands_for_the_object_that_has_its_slot_now() {
    static EXCLUSIVE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    static SHARED: SharedTable<u32> = SharedTable::new(1);
    let (first, second) = (EXCLUSIVE.insert(1).unwrap(), SHARED.insert(1).unwrap());
    EXCLUSIVE.destroy(first).unwrap();
    SHARED.destroy(second).unwrap();
    let (third, fourth) = (EXCLUSIVE.insert(2).unwrap(), SHARED.insert(2).unwrap());
    let slot = |id| id & 0xf_ffff;
    assert_eq!((slot(first), slot(second)), (slot(third), slot(fourth)));
    assert_eq!(EXCLUSIVE.destroy(first), Err(HandleFault::Destroyed));
    assert_eq!(elsewhere(move || EXCLUSIVE.destroy(first)), Err(HandleFault::Destroyed));
    assert_eq!(SHARED.destroy(second), Err(HandleFault::Destroyed));
    assert_eq!((*EXCLUSIVE.borrow(third).unwrap(), *SHARED.borrow(fourth).unwrap()), (2, 2));
}

#[test]
fn a_slot_whose_generations_are_used_up_is_not_used_again() {
    static EXCLUSIVE: ExclusiveTable<u32, 3> = ExclusiveTable::new(1);
    static SHARED: SharedTable<u32, 3> = SharedTable::new(1);
    let (mut exclusive, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..300 {
        let id = EXCLUSIVE.insert(number).unwrap();
        assert!(exclusive.insert(id));
        assert_eq!(id, 1 << 48 | u64::from(number % 3 + 1) << 20 | u64::from(number / 3));
        if number % 2 == 0 {
            EXCLUSIVE.destroy(id).unwrap();
        } else {
            elsewhere(move || EXCLUSIVE.destroy(id)).unwrap();
        }
        let id = SHARED.insert(number).unwrap();
        assert!(shared.insert(id));
        assert_eq!(SHARED.take(id), Ok(number));
    }
    assert_eq!(exclusive, shared);
    assert!(exclusive.iter().all(|&id| EXCLUSIVE.borrow(id).err() == Some(HandleFault::Destroyed)));
}

#[test]
fn a_table_of_used_up_slots_is_full() {
    static EXCLUSIVE: ExclusiveTable<(), 1> = ExclusiveTable::new(1);
    static SHARED: SharedTable<(), 1> = SharedTable::new(1);
    for _ in 0..1 << 20 {
        EXCLUSIVE.destroy(EXCLUSIVE.insert(()).unwrap()).unwrap();
        SHARED.destroy(SHARED.insert(()).unwrap()).unwrap();
    }
    assert_eq!((EXCLUSIVE.insert(()), SHARED.insert(())), (Err(HandleFault::Full), Err(HandleFault::Full)));
}

#[test]
fn a_million_objects_are_alive_at_once_and_then_one_must_go() {
    static EXCLUSIVE: ExclusiveTable<u32> = ExclusiveTable::new(1);
    static SHARED: SharedTable<u32> = SharedTable::new(1);
    let ids: Vec<_> = (0..1 << 20)
        .map(|number| (EXCLUSIVE.insert(number).unwrap(), SHARED.insert(number).unwrap()))
        .collect();
    assert_eq!((EXCLUSIVE.insert(0), SHARED.insert(0)), (Err(HandleFault::Full), Err(HandleFault::Full)));
    for (number, &(exclusive, shared)) in (0..).zip(&ids) {
        assert_eq!(
            (*EXCLUSIVE.borrow(exclusive).unwrap(), *SHARED.borrow(shared).unwrap()),
            (number, number)
        );
    }
    EXCLUSIVE.destroy(ids[70].0).unwrap();
    SHARED.destroy(ids[70].1).unwrap();
    let (exclusive, shared) = (EXCLUSIVE.insert(7).unwrap(), SHARED.insert(7).unwrap());
    assert_eq!((*EXCLUSIVE.borrow(exclusive).unwrap(), *SHARED.borrow(shared).unwrap()), (7, 7));
}

static CAMERAS: ExclusiveTable<u32> = ExclusiveTable::new(tag("random", "Camera"));
static LENSES: SharedTable<u32> = SharedTable::new(tag("random", "Lens"));

/// Whether no operation of either table takes the number for an object's, on a thread that owns nothing too.
fn is_nobodys(id: u64) -> bool {
    let refused = move || {
        CAMERAS.borrow(id).is_err()
            && CAMERAS.borrow_mut(id).is_err()
            && CAMERAS.take(id).is_err()
            && CAMERAS.destroy(id).is_err()
            && LENSES.borrow(id).is_err()
            && LENSES.take(id).is_err()
            && LENSES.destroy(id).is_err()
    };
    refused() && (id % 16 != 0 || elsewhere(refused))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_random_number_is_never_more_than_a_fault(number: u64, small in 0..1_u64 << 49, bits in 1..u64::MAX, flip in 0..64_u32) {
        let (camera, lens) = (CAMERAS.insert(1).unwrap(), LENSES.insert(1).unwrap());
        let (gone, gone_abandoned) = (CAMERAS.insert(2).unwrap(), CAMERAS.insert(3).unwrap());
        CAMERAS.destroy(gone).unwrap();
        if flip == 0 {
            elsewhere(move || CAMERAS.destroy(gone_abandoned)).unwrap();
        } else {
            CAMERAS.destroy(gone_abandoned).unwrap();
        }
        let others = [camera ^ bits, lens ^ bits, camera ^ 1 << flip, lens ^ 1 << flip];
        for id in [number, small, gone, gone_abandoned, u64::MAX, camera & 0xfff_ffff_ffff].into_iter().chain(others) {
            prop_assert!(id == camera || id == lens || is_nobodys(id), "{id:#x}");
        }
        CAMERAS.destroy(camera).unwrap();
        LENSES.destroy(lens).unwrap();
    }
}
