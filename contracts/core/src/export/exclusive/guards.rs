//! Borrows of objects of one thread, which end by drop.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use std::thread::panicking;

use super::ExclusiveTable;
use super::slot::Slot;
use crate::export::{HandleFault, thread};

/// A borrow of an object that one thread owns. It is not `Send`.
pub struct ExclusiveRef<T: 'static> {
    slot: &'static Slot<T>,
    object: *const T,
}

impl<T: 'static> ExclusiveRef<T> {
    /// Borrows what is in a slot, which this thread owns.
    #[inline]
    pub(super) fn new(slot: &'static Slot<T>) -> Result<Self, HandleFault> {
        Ok(ExclusiveRef { slot, object: slot.borrow()? })
    }
}

impl<T: 'static> Deref for ExclusiveRef<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is in its box while it is borrowed, and nobody has it to change it.
        unsafe { &*self.object }
    }
}

impl<T: 'static> Drop for ExclusiveRef<T> {
    #[inline]
    fn drop(&mut self) {
        if self.slot.release() {
            thread::collect();
        }
    }
}

/// A borrow to change an object that one thread owns. It is not `Send`. Dropped by a panic, it poisons the object, so
/// it is held by what [`contain`](crate::export::contain) calls.
pub struct ExclusiveMut<T: 'static> {
    slot: &'static Slot<T>,
    object: *mut T,
    /// Whether it was made by what a panic drops: then that one says nothing of this object.
    was_panicking: bool,
}

impl<T: 'static> ExclusiveMut<T> {
    /// Borrows what is in a slot, which this thread owns.
    #[inline]
    pub(super) fn new(slot: &'static Slot<T>) -> Result<Self, HandleFault> {
        Ok(ExclusiveMut { slot, object: slot.borrow_mut()?, was_panicking: panicking() })
    }
}

impl<T: 'static> Deref for ExclusiveMut<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the object is in its box while it is borrowed, and nobody else has borrowed it.
        unsafe { &*self.object }
    }
}

impl<T: 'static> DerefMut for ExclusiveMut<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the object is in its box while it is borrowed, and nobody else has borrowed it.
        unsafe { &mut *self.object }
    }
}

impl<T: 'static> Drop for ExclusiveMut<T> {
    #[inline]
    fn drop(&mut self) {
        if self.slot.release_mut(!self.was_panicking && panicking()) {
            thread::collect();
        }
    }
}

/// An object that one thread owns, in no call, to be taken. It is not `Send`. Dropped, it leaves the object as it was.
pub struct ExclusiveReserved<T: 'static, const GENERATIONS: u32 = 0xfff_ffff> {
    table: &'static ExclusiveTable<T, GENERATIONS>,
    slot: &'static Slot<T>,
    /// As the slot's cells belong to the thread.
    not_send: PhantomData<*const T>,
}

impl<T: 'static, const GENERATIONS: u32> ExclusiveReserved<T, GENERATIONS> {
    /// Reserves what is in a slot, which this thread owns.
    pub(super) fn new(
        table: &'static ExclusiveTable<T, GENERATIONS>,
        slot: &'static Slot<T>,
    ) -> Result<Self, HandleFault> {
        slot.borrow_mut()?;
        Ok(ExclusiveReserved { table, slot, not_send: PhantomData })
    }

    /// Takes the object out.
    pub fn take(self) -> T {
        let reserved = ManuallyDrop::new(self);
        *reserved.table.withdraw(reserved.slot)
    }
}

impl<T: 'static, const GENERATIONS: u32> Drop for ExclusiveReserved<T, GENERATIONS> {
    fn drop(&mut self) {
        // Nobody changed it.
        if self.slot.release_mut(false) {
            thread::collect();
        }
    }
}
