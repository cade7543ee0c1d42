//! A slot: one atomic word that says what is in it and how many use it.

use core::cell::Cell;
use core::ptr;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::boxed::Box;

use crate::export::HandleFault;

/// The bits of the word that count the calls: all are set of an object that somebody has to take it.
const USERS: u64 = (1 << 32) - 1;
/// It was destroyed: nobody enters any more, and the last to leave drops it.
const DOOMED: u64 = 1 << 32;
/// There is an object.
const LIVE: u64 = 1 << 33;
const GENERATION_SHIFT: u32 = 34;

/// A place for objects, one after the other.
///
/// A word without `LIVE` is that of a vacant slot, with its last generation: only who took the slot from the vacant ones
/// writes it then. With `LIVE` it changes by compare-exchange and by subtraction only, and since no generation comes
/// twice, a compare-exchange that succeeds met the object that its handle means.
pub(super) struct Slot<T> {
    word: AtomicU64,
    /// From `Box::into_raw`, null when vacant.
    object: Cell<*mut T>,
}

// SAFETY: `object` is written by who has the slot to itself: by `fill` before the store that releases the word, and by
// `Doomed::empty`. It is read by who entered, which acquires that store, and leaves before `Doomed` is made: see there.
// What it points at is shared by threads, and dropped by any of them, as `T` may be.
unsafe impl<T: Send + Sync> Sync for Slot<T> {}
// SAFETY: the same; and no drop of a slot drops an object.
unsafe impl<T: Send + Sync> Send for Slot<T> {}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot { word: AtomicU64::new(0), object: Cell::new(ptr::null_mut()) }
    }
}

impl<T> Slot<T> {
    /// Puts an object into a slot that was taken from the vacant ones; its generation.
    pub(super) fn fill(&self, object: Box<T>) -> u32 {
        self.object.set(Box::into_raw(object));
        // Who vacated the slot wrote the word before it gave the slot back, under the lock by which it was taken.
        let generation = generation(self.word.load(Relaxed)) + 1;
        self.word.store(live(generation), Release);
        generation
    }

    /// Counts one more call, if what is here is of that generation.
    #[inline]
    pub(super) fn enter(&self, generation: u32) -> Result<(), HandleFault> {
        let mut word = self.word.load(Relaxed);
        loop {
            if word & !USERS != live(generation) {
                return Err(HandleFault::Destroyed);
            }
            if word & USERS == USERS {
                return Err(HandleFault::Busy);
            }
            // Acquires what `fill` released: between that store and this exchange are only read-modify-writes, which
            // carry on what it released.
            match self.word.compare_exchange_weak(word, word + 1, Acquire, Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => word = now,
            }
        }
    }

    /// The object.
    ///
    /// # Safety
    /// The caller has entered, and does not leave while it has the reference.
    #[inline]
    pub(super) unsafe fn object(&self) -> &T {
        // SAFETY: who has entered has counted, so that nobody empties the slot, and has acquired what filled it.
        unsafe { &*self.object.get() }
    }

    /// Counts one call less. Who leaves last what was destroyed has it for itself.
    ///
    /// # Safety
    /// The caller has entered, and leaves once.
    #[inline]
    pub(super) unsafe fn leave(&self) -> Option<Doomed<'_, T>> {
        // Releases what this call did with the object to who drops it.
        let before = self.word.fetch_sub(1, Release);
        if before & (DOOMED | USERS) == DOOMED | 1 {
            // Acquires what every call released that left before. A fence would do as well, but ThreadSanitizer sees none.
            self.word.load(Acquire);
            return Some(Doomed(self));
        }
        None
    }

    /// Has nobody enter any more. If nobody is in a call, the caller has the object for itself.
    pub(super) fn doom(&self, generation: u32) -> Result<Option<Doomed<'_, T>>, HandleFault> {
        let mut word = self.word.load(Relaxed);
        loop {
            if word & !USERS != live(generation) {
                return Err(HandleFault::Destroyed);
            }
            match self.word.compare_exchange_weak(word, word | DOOMED, AcqRel, Relaxed) {
                Ok(_) => return Ok((word & USERS == 0).then_some(Doomed(self))),
                Err(now) => word = now,
            }
        }
    }

    /// Counts as many calls as there can be, so that nobody enters, if nobody is in one.
    pub(super) fn reserve(&self, generation: u32) -> Result<(), HandleFault> {
        let idle = live(generation);
        match self.word.compare_exchange(idle, idle | USERS, Acquire, Relaxed) {
            Ok(_) => Ok(()),
            Err(now) if now & !USERS == idle => Err(HandleFault::Busy),
            Err(_) => Err(HandleFault::Destroyed),
        }
    }

    /// Ends that. Who has reserved what was destroyed since has it for itself.
    ///
    /// # Safety
    /// The caller has reserved, and ends it once.
    pub(super) unsafe fn unreserve(&self) -> Option<Doomed<'_, T>> {
        // Nobody entered meanwhile, and nothing was done with the object that anybody would acquire.
        let before = self.word.fetch_sub(USERS, Relaxed);
        (before & DOOMED != 0).then_some(Doomed(self))
    }

    /// Has the reserved object taken, whether it was destroyed since or not.
    ///
    /// # Safety
    /// The caller has reserved, and does not end that otherwise.
    pub(super) unsafe fn doom_reserved(&self) -> Doomed<'_, T> {
        self.word.fetch_or(DOOMED, Relaxed);
        Doomed(self)
    }
}

/// A slot that was doomed and that no call is in: there is one such value for each object that is destroyed, as one
/// exchange sets the bit, and either finds no call or leaves it to what ends the last one, or the reservation. Whoever
/// has it acquired what all calls released.
pub(super) struct Doomed<'a, T>(&'a Slot<T>);

impl<T> Doomed<'_, T> {
    /// Vacates the slot; the object and its generation.
    pub(super) fn empty(self) -> (Box<T>, u32) {
        // SAFETY: from `fill`, taken once, and nobody is in a call nor can enter one.
        let object = unsafe { Box::from_raw(self.0.object.replace(ptr::null_mut())) };
        // Nothing is read by this word: the next to fill the slot has it from the vacant ones, under their lock.
        let generation = generation(self.0.word.load(Relaxed));
        self.0.word.store(vacant(generation), Relaxed);
        (object, generation)
    }
}

#[inline]
const fn live(generation: u32) -> u64 {
    vacant(generation) | LIVE
}

#[allow(clippy::cast_lossless, reason = "`From` is no const fn")]
#[inline]
const fn vacant(generation: u32) -> u64 {
    (generation as u64) << GENERATION_SHIFT
}

#[allow(clippy::cast_possible_truncation, reason = "28 bits were put there")]
const fn generation(word: u64) -> u32 {
    (word >> GENERATION_SHIFT) as u32
}
