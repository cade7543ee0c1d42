//! Who owns what in a table: what its lock guards.

use std::collections::{BTreeMap, BTreeSet};
use std::vec::Vec;

use core::sync::atomic::{AtomicBool, Ordering};

use crate::export::slots::Vacancies;
use crate::export::thread::Thread;

/// The vacant slots, and those of each thread.
pub(super) struct Ledger {
    pub(super) vacancies: Vacancies,
    owners: BTreeMap<u64, Owner>,
}

struct Owner {
    /// The slots that hold something of the thread.
    owned: BTreeSet<u32>,
    /// Those of them that another thread destroyed.
    abandoned: Vec<u32>,
    mail: Option<&'static AtomicBool>,
}

impl Ledger {
    pub(super) const fn new() -> Self {
        Ledger { vacancies: Vacancies::new(), owners: BTreeMap::new() }
    }

    /// Says that a slot holds something of a thread; whether this table held nothing of it yet.
    pub(super) fn own(&mut self, thread: Thread, index: u32) -> bool {
        let mut is_new = false;
        let owner = self.owners.entry(thread.number).or_insert_with(|| {
            is_new = true;
            Owner { owned: BTreeSet::new(), abandoned: Vec::new(), mail: thread.mail }
        });
        owner.owned.insert(index);
        is_new
    }

    /// Says that a slot holds nothing of a thread any more.
    pub(super) fn disown(&mut self, thread: u64, index: u32) {
        if let Some(owner) = self.owners.get_mut(&thread) {
            owner.owned.remove(&index);
        }
    }

    /// Says that another thread destroyed what is in a slot, and tells its owner.
    pub(super) fn abandon(&mut self, thread: u64, index: u32) {
        if let Some(owner) = self.owners.get_mut(&thread) {
            owner.abandoned.push(index);
            if let Some(mail) = owner.mail {
                mail.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Says that a slot, which another thread may have destroyed, is not to be dropped.
    pub(super) fn reclaim(&mut self, thread: u64, index: u32) {
        if let Some(owner) = self.owners.get_mut(&thread) {
            owner.abandoned.retain(|abandoned| *abandoned != index);
        }
    }

    /// The slots of a thread that another one destroyed.
    pub(super) fn abandoned(&mut self, thread: u64) -> Option<&mut Vec<u32>> {
        self.owners.get_mut(&thread).map(|owner| &mut owner.abandoned)
    }

    /// A slot of a thread that is ending, which the ledger knows nothing of any more; of the last one, nor of the thread.
    pub(super) fn any_owned(&mut self, thread: u64) -> Option<u32> {
        let index = self.owners.get_mut(&thread)?.owned.pop_first();
        if index.is_none() {
            self.owners.remove(&thread);
        }
        index
    }
}
