//! Objects that one thread has for itself: found, borrowed and released without an atomic read-modify-write, and never
//! touched by another thread, which is why they need not be `Send`.

mod guards;
mod ledger;
mod slot;

use core::sync::atomic::Ordering::Relaxed;
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::HandleFault;
use super::guard::drop_contained;
use super::handle::{generation_of, index_of, join, tag_of};
use super::slots::Slots;
use super::thread::{self, Table};

pub use guards::{ExclusiveMut, ExclusiveRef, ExclusiveReserved};
use ledger::Ledger;
use slot::Slot;

/// All objects of one type, each owned by the thread that made it.
///
/// A call of another thread is refused, as is one that would break Rust's rule of one `&mut` or many `&`. An object may
/// be destroyed in a call that it is in: its handle is invalid at once, and it is dropped behind the call. Another thread
/// may destroy it too: the owner drops it at its next call on anything that it owns, behind the call that it is in, or
/// when it ends. What a thread owns when it ends is dropped; what is in a call then, of a guard that was forgotten, is
/// leaked.
///
/// `GENERATIONS` is how often a slot is used, at most 2²⁸ − 1.
pub struct ExclusiveTable<T: 'static, const GENERATIONS: u32 = 0xfff_ffff> {
    tag: u16,
    slots: Slots<Slot<T>>,
    ledger: Mutex<Ledger>,
}

impl<T: 'static, const GENERATIONS: u32> ExclusiveTable<T, GENERATIONS> {
    /// A table without objects, whose handles have that tag, which is not 0.
    pub const fn new(tag: u16) -> Self {
        assert!(tag != 0 && GENERATIONS > 0 && GENERATIONS <= 0xfff_ffff);
        ExclusiveTable { tag, slots: Slots::new(), ledger: Mutex::new(Ledger::new()) }
    }

    /// Takes an object in, which this thread owns from now on; the number of its handle. An object that is refused is
    /// dropped.
    pub fn insert(&'static self, object: T) -> Result<u64, HandleFault> {
        let thread = thread::numbered()?;
        if thread.has_mail() {
            thread::collect();
        }
        let object = Box::new(object);
        let mut ledger = self.lock();
        let Some(index) = ledger.vacancies.take() else {
            // First, as dropping the object may call.
            drop(ledger);
            return Err(HandleFault::Full);
        };
        if ledger.own(thread, index) {
            thread::tell(self);
        }
        let slot = self.slots.make(index);
        let id = join(self.tag, generation_of(slot.id.load(Relaxed)) + 1, index);
        slot.fill(object, id, thread.number);
        Ok(id)
    }

    /// Borrows an object, as often at once as wanted.
    #[inline]
    pub fn borrow(&'static self, id: u64) -> Result<ExclusiveRef<T>, HandleFault> {
        ExclusiveRef::new(self.find(id)?)
    }

    /// Borrows an object to change it.
    #[inline]
    pub fn borrow_mut(&'static self, id: u64) -> Result<ExclusiveMut<T>, HandleFault> {
        ExclusiveMut::new(self.find(id)?)
    }

    /// Has an object to take it out, or to leave it as it is.
    pub fn reserve(&'static self, id: u64) -> Result<ExclusiveReserved<T, GENERATIONS>, HandleFault> {
        ExclusiveReserved::new(self, self.find(id)?)
    }

    /// Takes an object out.
    pub fn take(&'static self, id: u64) -> Result<T, HandleFault> {
        self.reserve(id).map(ExclusiveReserved::take)
    }

    /// Destroys an object: drops it, behind the call that it is in, or has its owner drop it. What that panics with, the
    /// caller hears if it is the owner and the object in no call.
    pub fn destroy(&'static self, id: u64) -> Result<(), HandleFault> {
        match self.find(id) {
            Ok(slot) if slot.is_borrowed() => {
                self.abandon(id)?;
                slot.leave_to_guards();
                Ok(())
            }
            Ok(_) => self.remove(id).map(drop),
            Err(HandleFault::OtherThread) => self.abandon(id),
            Err(fault) => Err(fault),
        }
    }

    /// The slot of an object that this thread owns.
    ///
    /// This is all that stands between a number from anywhere and an object: `slot.id` and `slot.owner` are read without
    /// order, and yet what they say holds. Only a thread itself ever stores its number, as it takes an object in, so that
    /// who reads its own number reads what it stored itself. Since then it has not vacated the slot, or it would read
    /// that later store. And nobody stores another `id` before the slot is vacated, so that it reads its own `id` too.
    /// Another thread may have stored that nobody owns the object, and this one not see it: then the object is still
    /// there, as only this thread drops it.
    #[inline]
    fn find(&'static self, id: u64) -> Result<&'static Slot<T>, HandleFault> {
        let thread = thread::current();
        if thread.has_mail() {
            thread::collect();
        }
        match self.slots.get(index_of(id)) {
            Some(slot) if slot.id.load(Relaxed) == id && slot.owner.load(Relaxed) == thread.number => {
                Ok(slot)
            }
            _ => Err(self.absent(id)),
        }
    }

    /// Why this thread finds no object of that number.
    #[cold]
    #[inline(never)]
    fn absent(&self, id: u64) -> HandleFault {
        if id == 0 {
            return HandleFault::Zero;
        }
        if tag_of(id) != self.tag {
            return HandleFault::OtherType;
        }
        match self.slots.get(index_of(id)) {
            Some(slot) if slot.id.load(Relaxed) == id && slot.owner.load(Relaxed) != slot::NOBODY => {
                HandleFault::OtherThread
            }
            _ => HandleFault::Destroyed,
        }
    }

    /// Takes an object out that this thread owns and that its caller found in no call.
    fn remove(&'static self, id: u64) -> Result<Box<T>, HandleFault> {
        let thread = thread::current();
        let slot = self.find(id)?;
        let mut ledger = self.lock();
        // Another thread may have destroyed it since.
        if slot.owner.load(Relaxed) != thread.number {
            return Err(HandleFault::Destroyed);
        }
        // SAFETY: this thread owns it, since the lock is held and `owner` says so; nobody has borrowed it, which only this
        // thread could have changed since its caller looked.
        Ok(unsafe { Self::vacate(&mut ledger, thread.number, slot) })
    }

    /// Takes out what is in a slot that is reserved. Another thread may have destroyed it since: then it is taken in time.
    #[allow(clippy::unnecessary_box_returns, reason = "most are dropped where they are")]
    fn withdraw(&self, slot: &Slot<T>) -> Box<T> {
        let thread = thread::current().number;
        let mut ledger = self.lock();
        ledger.reclaim(thread, index_of(slot.id.load(Relaxed)));
        // SAFETY: this thread owns it, or did until another destroyed it, since it reserved it, and it is on no list of
        // what was destroyed so. The reservation is the one borrow, and ends here.
        unsafe { Self::vacate(&mut ledger, thread, slot) }
    }

    /// Makes the handle of an object invalid, and tells the thread that owns it.
    fn abandon(&'static self, id: u64) -> Result<(), HandleFault> {
        let mut ledger = self.lock();
        match self.slots.get(index_of(id)) {
            Some(slot) if slot.id.load(Relaxed) == id => {
                let owner = slot.owner.swap(slot::NOBODY, Relaxed);
                if owner == slot::NOBODY {
                    return Err(HandleFault::Destroyed);
                }
                ledger.abandon(owner, index_of(id));
                Ok(())
            }
            _ => Err(HandleFault::Destroyed),
        }
    }

    /// Takes an object out that another thread destroyed, and that is in no call; those that are in one say so to the
    /// guard that is released last.
    fn abandoned(&self, thread: u64) -> Option<Box<T>> {
        let mut ledger = self.lock();
        let abandoned = ledger.abandoned(thread)?;
        let slot = |index: &u32| self.slots.get(*index).filter(|slot| !slot.leave_to_guards());
        let (at, slot) = abandoned.iter().enumerate().find_map(|(at, index)| Some((at, slot(index)?)))?;
        abandoned.swap_remove(at);
        // SAFETY: this thread owned it until another destroyed it, and what was destroyed so stays in its slot until it is
        // off the list, which is now. Nobody has borrowed it.
        Some(unsafe { Self::vacate(&mut ledger, thread, slot) })
    }

    /// Takes out what is in a slot.
    ///
    /// # Safety
    /// This thread, whose number is `thread`, owns the object, or owned it until another thread destroyed it; and nobody
    /// has borrowed it.
    #[allow(clippy::unnecessary_box_returns, reason = "most are dropped where they are")]
    unsafe fn vacate(ledger: &mut Ledger, thread: u64, slot: &Slot<T>) -> Box<T> {
        let id = slot.id.load(Relaxed);
        ledger.disown(thread, index_of(id));
        ledger.vacancies.give(index_of(id), generation_of(id), GENERATIONS);
        // SAFETY: the caller promises the same, and the ledger is locked.
        unsafe { slot.empty() }
    }

    /// Held for bookkeeping only: never while an object is dropped, since dropping it may call.
    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: 'static, const GENERATIONS: u32> Table for ExclusiveTable<T, GENERATIONS> {
    fn collect(&self, thread: u64) {
        while let Some(object) = self.abandoned(thread) {
            drop_contained(object);
        }
    }

    fn end(&self, thread: u64) {
        loop {
            let mut ledger = self.lock();
            // One at a time, as dropping it may destroy others.
            let Some(index) = ledger.any_owned(thread) else { return };
            let Some(slot) = self.slots.get(index) else { continue };
            if slot.is_borrowed() {
                // Somebody may have a reference for good. The slot is not used again.
                slot.owner.store(slot::NOBODY, Relaxed);
                continue;
            }
            // SAFETY: what the ledger says that this thread owns, it owns, or another thread destroyed it and it is still
            // there. Nobody has borrowed it.
            let object = unsafe { Self::vacate(&mut ledger, thread, slot) };
            drop(ledger);
            drop_contained(object);
        }
    }
}
