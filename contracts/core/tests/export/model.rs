//! Random operations on both tables against a map.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use wirecontract::export::{ExclusiveMut, ExclusiveRef, ExclusiveReserved, ExclusiveTable, HandleFault};
use wirecontract::export::{SharedRef, SharedReserved, SharedTable};

use super::{Canary, elsewhere};

#[derive(Clone, Copy, Debug)]
enum Operation {
    Insert,
    Borrow(Index),
    BorrowMut(Index),
    Release(Index),
    Take(Index),
    Reserve(Index),
    Destroy(Index),
    DestroyElsewhere(Index),
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let operation = (0..16_u8, any::<Index>()).prop_map(|(which, index)| match which {
        0..4 => Operation::Insert,
        4..7 => Operation::Borrow(index),
        7..9 => Operation::BorrowMut(index),
        9..12 => Operation::Release(index),
        12 if index.index(2) == 0 => Operation::Take(index),
        12 => Operation::Reserve(index),
        13..15 => Operation::Destroy(index),
        _ => Operation::DestroyElsewhere(index),
    });
    vec(operation, 1..80)
}

/// What the model knows of an object.
#[derive(Clone, Copy)]
struct Known {
    number: u64,
    readers: usize,
    is_changed: bool,
    is_destroyed: bool,
}

/// Every handle there ever was, by its number.
#[derive(Default)]
struct Model(BTreeMap<u64, Known>);

impl Model {
    fn add(&mut self, id: u64, number: u64) {
        let known = Known { number, readers: 0, is_changed: false, is_destroyed: false };
        assert!(self.0.insert(id, known).is_none(), "{id:#x} stands for two objects");
    }

    fn any(&self, index: Index) -> Option<u64> {
        (!self.0.is_empty()).then(|| *self.0.keys().nth(index.index(self.0.len())).unwrap())
    }

    /// What an operation says that needs the object to be alive and in no call, or at most in calls that read.
    fn verdict(&self, id: u64, may_be_read: bool) -> Result<u64, HandleFault> {
        let known = self.0[&id];
        if known.is_destroyed {
            Err(HandleFault::Destroyed)
        } else if known.is_changed || known.readers > 0 && !may_be_read {
            Err(HandleFault::Busy)
        } else {
            Ok(known.number)
        }
    }

    fn destroy(&mut self, id: u64) {
        self.0.get_mut(&id).unwrap().is_destroyed = true;
    }

    /// Objects that may have been dropped: those that were destroyed and are in no call.
    fn dropped(&self) -> usize {
        let is_dropped = |known: &&Known| known.is_destroyed && known.readers == 0 && !known.is_changed;
        self.0.values().filter(is_dropped).count()
    }
}

enum Held {
    Ref(u64, ExclusiveRef<Canary>),
    Mut(u64, ExclusiveMut<Canary>),
    Reserved(u64, ExclusiveReserved<Canary, 5>),
}

fn check_exclusive(operations: &[Operation]) {
    static TABLE: ExclusiveTable<Canary, 5> = ExclusiveTable::new(0xbeef);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let before = DROPS.load(Ordering::Relaxed);
    let (mut model, mut held) = (Model::default(), Vec::new());
    for &operation in operations {
        match operation {
            Operation::Insert => {
                let number = model.0.len() as u64;
                model.add(TABLE.insert(Canary::new(number, &DROPS)).unwrap(), number);
            }
            Operation::Borrow(index) => {
                let Some(id) = model.any(index) else { continue };
                let borrowed = TABLE.borrow(id);
                assert_eq!(
                    borrowed.as_ref().map(|it| it.number()).map_err(|fault| *fault),
                    model.verdict(id, true)
                );
                if let Ok(it) = borrowed {
                    model.0.get_mut(&id).unwrap().readers += 1;
                    held.push(Held::Ref(id, it));
                }
            }
            Operation::BorrowMut(index) => {
                let Some(id) = model.any(index) else { continue };
                let borrowed = TABLE.borrow_mut(id);
                assert_eq!(
                    borrowed.as_ref().map(|it| it.number()).map_err(|fault| *fault),
                    model.verdict(id, false)
                );
                if let Ok(mut it) = borrowed {
                    let known = model.0.get_mut(&id).unwrap();
                    known.is_changed = true;
                    known.number += 1000;
                    it.number = known.number;
                    held.push(Held::Mut(id, it));
                }
            }
            Operation::Release(index) if !held.is_empty() => {
                match held.swap_remove(index.index(held.len())) {
                    Held::Ref(id, it) => {
                        assert_eq!(it.number(), model.0[&id].number);
                        model.0.get_mut(&id).unwrap().readers -= 1;
                    }
                    Held::Mut(id, it) => {
                        assert_eq!(it.number(), model.0[&id].number);
                        model.0.get_mut(&id).unwrap().is_changed = false;
                    }
                    // Taken, or left as it was: whether it was destroyed since or not.
                    Held::Reserved(id, it) => {
                        let known = model.0.get_mut(&id).unwrap();
                        known.is_changed = false;
                        if known.number % 2 == 0 {
                            known.is_destroyed = true;
                            assert_eq!(it.take().number(), known.number);
                        }
                    }
                }
            }
            Operation::Release(_) => {}
            Operation::Take(index) => {
                let Some(id) = model.any(index) else { continue };
                assert_eq!(TABLE.take(id).map(|it| it.number()), model.verdict(id, false));
                if model.verdict(id, false).is_ok() {
                    model.destroy(id);
                }
            }
            Operation::Reserve(index) => {
                let Some(id) = model.any(index) else { continue };
                let reserved = TABLE.reserve(id);
                assert_eq!(
                    reserved.as_ref().map(|_| ()).map_err(|fault| *fault),
                    model.verdict(id, false).map(drop)
                );
                if let Ok(it) = reserved {
                    model.0.get_mut(&id).unwrap().is_changed = true;
                    held.push(Held::Reserved(id, it));
                }
            }
            Operation::Destroy(index) => {
                let Some(id) = model.any(index) else { continue };
                let is_destroyed = model.0[&id].is_destroyed;
                let expected = if is_destroyed { Err(HandleFault::Destroyed) } else { Ok(()) };
                assert_eq!(TABLE.destroy(id), expected);
                model.destroy(id);
                // Dropped at once, without another call.
                assert_eq!(DROPS.load(Ordering::Relaxed) - before, model.dropped());
            }
            Operation::DestroyElsewhere(index) => {
                let Some(id) = model.any(index) else { continue };
                let is_destroyed = model.0[&id].is_destroyed;
                let expected = if is_destroyed { Err(HandleFault::Destroyed) } else { Ok(()) };
                assert_eq!(elsewhere(move || TABLE.destroy(id)), expected);
                model.destroy(id);
            }
        }
        // Any call has what was destroyed elsewhere dropped.
        assert!(TABLE.borrow(0).is_err());
        assert_eq!(DROPS.load(Ordering::Relaxed) - before, model.dropped());
    }
    drop(held);
    model.0.iter().filter(|(_, known)| !known.is_destroyed).for_each(|(&id, _)| TABLE.destroy(id).unwrap());
    assert!(TABLE.borrow(0).is_err());
    assert_eq!(DROPS.load(Ordering::Relaxed) - before, model.0.len());
}

fn check_shared(operations: &[Operation]) {
    static TABLE: SharedTable<Canary, 5> = SharedTable::new(0xbeef);
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    let before = DROPS.load(Ordering::Relaxed);
    let mut model = Model::default();
    let mut held: Vec<(u64, SharedRef<Canary, 5>)> = Vec::new();
    let mut reserved: Vec<(u64, SharedReserved<Canary, 5>)> = Vec::new();
    for &operation in operations {
        match operation {
            Operation::Insert => {
                let number = model.0.len() as u64;
                model.add(TABLE.insert(Canary::new(number, &DROPS)).unwrap(), number);
            }
            Operation::Borrow(index) | Operation::BorrowMut(index) => {
                let Some(id) = model.any(index) else { continue };
                let borrowed = TABLE.borrow(id);
                assert_eq!(
                    borrowed.as_ref().map(|it| it.number()).map_err(|fault| *fault),
                    model.verdict(id, true)
                );
                if let Ok(it) = borrowed {
                    model.0.get_mut(&id).unwrap().readers += 1;
                    held.push((id, it));
                }
            }
            Operation::Release(index) if !held.is_empty() => {
                let (id, it) = held.swap_remove(index.index(held.len()));
                assert_eq!(it.number(), model.0[&id].number);
                model.0.get_mut(&id).unwrap().readers -= 1;
            }
            // Taken, or left as it was: whether it was destroyed since or not.
            Operation::Release(index) if !reserved.is_empty() => {
                let (id, it) = reserved.swap_remove(index.index(reserved.len()));
                let known = model.0.get_mut(&id).unwrap();
                known.is_changed = false;
                if known.number % 2 == 0 {
                    known.is_destroyed = true;
                    assert_eq!(it.take().number(), known.number);
                }
            }
            Operation::Release(_) => {}
            Operation::Take(index) => {
                let Some(id) = model.any(index) else { continue };
                assert_eq!(TABLE.take(id).map(|it| it.number()), model.verdict(id, false));
                if model.verdict(id, false).is_ok() {
                    model.destroy(id);
                }
            }
            Operation::Reserve(index) => {
                let Some(id) = model.any(index) else { continue };
                let borrowed = TABLE.reserve(id);
                assert_eq!(
                    borrowed.as_ref().map(|_| ()).map_err(|fault| *fault),
                    model.verdict(id, false).map(drop)
                );
                if let Ok(it) = borrowed {
                    model.0.get_mut(&id).unwrap().is_changed = true;
                    reserved.push((id, it));
                }
            }
            Operation::Destroy(index) | Operation::DestroyElsewhere(index) => {
                let Some(id) = model.any(index) else { continue };
                let is_destroyed = model.0[&id].is_destroyed;
                let expected = if is_destroyed { Err(HandleFault::Destroyed) } else { Ok(()) };
                assert_eq!(TABLE.destroy(id), expected);
                model.destroy(id);
            }
        }
        assert_eq!(DROPS.load(Ordering::Relaxed) - before, model.dropped());
    }
    drop((held, reserved));
    model.0.iter().filter(|(_, known)| !known.is_destroyed).for_each(|(&id, _)| TABLE.destroy(id).unwrap());
    assert_eq!(DROPS.load(Ordering::Relaxed) - before, model.0.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_exclusive_table_does_what_a_map_would(operations in operations()) {
        check_exclusive(&operations);
    }

    #[test]
    fn a_shared_table_does_what_a_map_would(operations in operations()) {
        check_shared(&operations);
    }
}
