//! A slot: who owns what is in it, and who has borrowed it.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use std::boxed::Box;

use crate::export::HandleFault;

/// The owner of what is in no slot: no thread has this number.
pub(super) const NOBODY: u64 = 0;

/// The borrows of an object: how many `&`, or one of the bits.
const MOST: u32 = BORROWED_MUT - 1;
const BORROWED_MUT: u32 = 1 << 29;
/// A call panicked under `&mut`.
const POISONED: u32 = 1 << 30;
/// It was destroyed, and the last guard has it dropped.
const ABANDONED: u32 = 1 << 31;

/// A place for objects, one after the other.
///
/// `id` and `owner` are written with the table's lock held, `owner` to anything but [`NOBODY`] only by that thread
/// itself. The rest belongs to that thread, until it vacates the slot.
pub(super) struct Slot<T> {
    /// The handle of what is here, or of what was here last.
    pub(super) id: AtomicU64,
    /// The number of the thread that owns what is here; [`NOBODY`] when it was destroyed or taken.
    pub(super) owner: AtomicU64,
    borrows: Cell<u32>,
    /// From `Box::into_raw`, null when vacant.
    object: Cell<*mut T>,
}

// SAFETY: other threads read `id` and `owner`, which are atomic. The cells, and what `object` points at, are touched only
// by the thread that took the object in: it finds the slot by its own number in `owner`, or in the list of what others
// destroyed, where only it looks for it. That thread vacates the slot with the table's lock held, and touches it no more;
// the next owner touches it first with the lock held, so that the one happens before the other. What points at a slot
// beyond that is a guard, which is not `Send` and keeps the slot from being vacated.
unsafe impl<T> Sync for Slot<T> {}
// SAFETY: the slots are in a static, or leaked, once they hold anything, since `insert` asks for `&'static self`; empty
// ones may be moved. No drop of a slot drops an object.
unsafe impl<T> Send for Slot<T> {}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot {
            id: AtomicU64::new(0),
            owner: AtomicU64::new(NOBODY),
            borrows: Cell::new(0),
            object: Cell::new(ptr::null_mut()),
        }
    }
}

impl<T> Slot<T> {
    /// Puts an object of this thread, whose number is `owner`, into a slot that was vacant. The table's lock is held.
    pub(super) fn fill(&self, object: Box<T>, id: u64, owner: u64) {
        self.object.set(Box::into_raw(object));
        self.borrows.set(0);
        self.id.store(id, Relaxed);
        self.owner.store(owner, Relaxed);
    }

    /// Vacates the slot.
    ///
    /// # Safety
    /// This thread owns what is in it, or did until another destroyed it, nobody has borrowed it, and the table's lock is
    /// held.
    #[allow(clippy::unnecessary_box_returns, reason = "most are dropped where they are")]
    pub(super) unsafe fn empty(&self) -> Box<T> {
        self.owner.store(NOBODY, Relaxed);
        // SAFETY: the pointer is that of `fill`, since the slot was not vacated. It is taken once, and nothing borrows
        // from it.
        unsafe { Box::from_raw(self.object.replace(ptr::null_mut())) }
    }

    /// Whether the object is in a call.
    pub(super) fn is_borrowed(&self) -> bool {
        self.borrows.get() & (MOST | BORROWED_MUT) != 0
    }

    /// Leaves an object that was destroyed to the end of the call that it is in; whether it is in one.
    pub(super) fn leave_to_guards(&self) -> bool {
        let is_borrowed = self.is_borrowed();
        if is_borrowed {
            self.borrows.set(self.borrows.get() | ABANDONED);
        }
        is_borrowed
    }

    /// Borrows it, once more.
    #[inline]
    pub(super) fn borrow(&self) -> Result<*const T, HandleFault> {
        let borrows = self.borrows.get();
        if borrows >= MOST {
            return Err(self.refusal());
        }
        self.borrows.set(borrows + 1);
        Ok(self.object.get())
    }

    /// Ends a borrow; whether the object is abandoned.
    #[inline]
    pub(super) fn release(&self) -> bool {
        let borrows = self.borrows.get() - 1;
        self.borrows.set(borrows);
        borrows & ABANDONED != 0
    }

    /// Borrows it to change it.
    #[inline]
    pub(super) fn borrow_mut(&self) -> Result<*mut T, HandleFault> {
        if self.borrows.get() != 0 {
            return Err(self.refusal());
        }
        self.borrows.set(BORROWED_MUT);
        Ok(self.object.get())
    }

    /// Ends the borrow to change it, which a panic may have cut short; whether the object is abandoned.
    #[inline]
    pub(super) fn release_mut(&self, panicked: bool) -> bool {
        let borrows = self.borrows.get() & ABANDONED | if panicked { POISONED } else { 0 };
        self.borrows.set(borrows);
        borrows & ABANDONED != 0
    }

    #[cold]
    #[inline(never)]
    fn refusal(&self) -> HandleFault {
        if self.borrows.get() & POISONED != 0 { HandleFault::Poisoned } else { HandleFault::Busy }
    }
}
