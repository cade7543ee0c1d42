//! Objects that all threads share: found, entered and left with one atomic word, dropped by whoever is the last.

mod slot;

use core::mem::ManuallyDrop;
use core::ops::Deref;
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::HandleFault;
use super::guard::drop_contained;
use super::handle::{generation_of, index_of, join, tag_of};
use super::slots::{Slots, Vacancies};
use slot::{Doomed, Slot};

/// All objects of one type, called from any thread, many at once.
///
/// What is destroyed while it is in calls takes no further ones, and the last of them drops it.
///
/// What threads share is `Send` and `Sync`, or the table is not `Sync`, and so stands in no static.
///
/// `GENERATIONS` is how often a slot is used, at most 2²⁸ − 1.
pub struct SharedTable<T: 'static, const GENERATIONS: u32 = 0xfff_ffff> {
    tag: u16,
    slots: Slots<Slot<T>>,
    /// Held for bookkeeping only: never while an object is dropped, since dropping it may call.
    vacancies: Mutex<Vacancies>,
}

impl<T: 'static, const GENERATIONS: u32> SharedTable<T, GENERATIONS> {
    /// A table without objects, whose handles have that tag, which is not 0.
    pub const fn new(tag: u16) -> Self {
        assert!(tag != 0 && GENERATIONS > 0 && GENERATIONS <= 0xfff_ffff);
        SharedTable { tag, slots: Slots::new(), vacancies: Mutex::new(Vacancies::new()) }
    }

    /// Takes an object in; the number of its handle. An object that is refused is dropped.
    pub fn insert(&'static self, object: T) -> Result<u64, HandleFault> {
        let object = Box::new(object);
        let index = self.lock().take().ok_or(HandleFault::Full)?;
        let slot = self.slots.make(index);
        Ok(join(self.tag, slot.fill(object), index))
    }

    /// Borrows an object.
    #[inline]
    pub fn borrow(&'static self, id: u64) -> Result<SharedRef<T, GENERATIONS>, HandleFault> {
        match self.find(id) {
            Some(slot) => {
                slot.enter(generation_of(id))?;
                Ok(SharedRef { table: self, slot, index: index_of(id) })
            }
            None => Err(self.absent(id)),
        }
    }

    /// Has an object that is in no call, to take it out or to leave it as it is.
    pub fn reserve(&'static self, id: u64) -> Result<SharedReserved<T, GENERATIONS>, HandleFault> {
        let slot = self.find(id).ok_or_else(|| self.absent(id))?;
        slot.reserve(generation_of(id))?;
        Ok(SharedReserved { table: self, slot, index: index_of(id) })
    }

    /// Takes an object out that is in no call.
    pub fn take(&'static self, id: u64) -> Result<T, HandleFault> {
        self.reserve(id).map(SharedReserved::take)
    }

    /// Destroys an object: drops it, or leaves that to the last call that it is in.
    pub fn destroy(&'static self, id: u64) -> Result<(), HandleFault> {
        let slot = self.find(id).ok_or_else(|| self.absent(id))?;
        if let Some(doomed) = slot.doom(generation_of(id))? {
            drop(self.vacate(doomed, index_of(id)));
        }
        Ok(())
    }

    /// The slot of a number of this type's.
    #[inline]
    fn find(&'static self, id: u64) -> Option<&'static Slot<T>> {
        if tag_of(id) == self.tag { self.slots.get(index_of(id)) } else { None }
    }

    /// Why there is no slot of that number.
    #[cold]
    #[inline(never)]
    fn absent(&self, id: u64) -> HandleFault {
        if id == 0 {
            HandleFault::Zero
        } else if tag_of(id) != self.tag {
            HandleFault::OtherType
        } else {
            HandleFault::Destroyed
        }
    }

    /// Takes out what is in a slot that nobody enters any more.
    #[allow(clippy::unnecessary_box_returns, reason = "most are dropped where they are")]
    fn vacate(&self, doomed: Doomed<'_, T>, index: u32) -> Box<T> {
        let (object, generation) = doomed.empty();
        self.lock().give(index, generation, GENERATIONS);
        object
    }

    fn lock(&self) -> MutexGuard<'_, Vacancies> {
        self.vacancies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// SAFETY: its parts are `Sync` for such objects, and nothing else is claimed: but the compiler, which refuses a static of
// others, names this in place of all that is inside.
unsafe impl<T: Send + Sync, const GENERATIONS: u32> Sync for SharedTable<T, GENERATIONS> {}

/// A borrow of an object that all threads share.
pub struct SharedRef<T: 'static, const GENERATIONS: u32 = 0xfff_ffff> {
    table: &'static SharedTable<T, GENERATIONS>,
    slot: &'static Slot<T>,
    index: u32,
}

impl<T: 'static, const GENERATIONS: u32> Deref for SharedRef<T, GENERATIONS> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: entered when this was made, and left when this is dropped.
        unsafe { self.slot.object() }
    }
}

impl<T: 'static, const GENERATIONS: u32> Drop for SharedRef<T, GENERATIONS> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: entered when this was made, and not left yet.
        if let Some(doomed) = unsafe { self.slot.leave() } {
            last(self.table, doomed, self.index);
        }
    }
}

/// An object that all threads share, in no call, to be taken: calls are told that it is busy meanwhile. Dropped, it
/// leaves the object as it was.
pub struct SharedReserved<T: 'static, const GENERATIONS: u32 = 0xfff_ffff> {
    table: &'static SharedTable<T, GENERATIONS>,
    slot: &'static Slot<T>,
    index: u32,
}

impl<T: 'static, const GENERATIONS: u32> SharedReserved<T, GENERATIONS> {
    /// Takes the object out.
    pub fn take(self) -> T {
        let reserved = ManuallyDrop::new(self);
        // SAFETY: reserved when this was made, and not dropped any more.
        let doomed = unsafe { reserved.slot.doom_reserved() };
        *reserved.table.vacate(doomed, reserved.index)
    }
}

impl<T: 'static, const GENERATIONS: u32> Drop for SharedReserved<T, GENERATIONS> {
    fn drop(&mut self) {
        // SAFETY: reserved when this was made, and not taken.
        if let Some(doomed) = unsafe { self.slot.unreserve() } {
            last(self.table, doomed, self.index);
        }
    }
}

/// Drops what was destroyed during calls, in the last of them, which is about something else.
#[cold]
#[inline(never)]
fn last<T: 'static, const GENERATIONS: u32>(
    table: &SharedTable<T, GENERATIONS>,
    doomed: Doomed<'_, T>,
    index: u32,
) {
    drop_contained(table.vacate(doomed, index));
}
