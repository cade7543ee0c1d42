//! Threads as owners: a number that no other thread has or had, a flag by which others tell a thread that something of
//! it is to be dropped, and what happens when it ends.

use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::boxed::Box;
use std::sync::{Mutex, PoisonError};
use std::thread_local;
use std::vec::Vec;

use super::HandleFault;

/// A thread, as the tables know it.
#[derive(Clone, Copy)]
pub(super) struct Thread {
    /// Its number; [`UNNUMBERED`] of a thread that has made nothing.
    pub(super) number: u64,
    /// Set when another thread destroyed what this one owns. Set and cleared so that nothing is lost: it is set with the
    /// lock of the table that says what to drop, and cleared before that lock is taken to look.
    /// None of a thread that has made nothing: the oldest supported Rust has no constants that refer to a flag.
    pub(super) mail: Option<&'static AtomicBool>,
}

impl Thread {
    /// A thread that has made nothing.
    const NONE: Thread = Thread { number: UNNUMBERED, mail: None };

    /// Whether another thread destroyed something of this one's.
    #[inline]
    pub(super) fn has_mail(&self) -> bool {
        self.mail.is_some_and(|mail| mail.load(Ordering::Relaxed))
    }
}

/// What a thread has for a number that owned nothing yet, and what nothing has for an owner.
const UNNUMBERED: u64 = u64::MAX;
static NEXT: AtomicU64 = AtomicU64::new(1);
/// Flags of threads that have ended. A flag is never freed, so that there are as many as there were threads at once.
static FLAGS: Mutex<Vec<&'static AtomicBool>> = Mutex::new(Vec::new());

/// What holds objects of threads.
pub(super) trait Table {
    /// Drops what other threads destroyed of what the thread of that number, which calls, owns.
    fn collect(&self, thread: u64);
    /// Drops all that the thread of that number, which calls and is ending, owns.
    fn end(&self, thread: u64);
}

thread_local! {
    // Without a destructor, so that it is there however far the thread has ended.
    static THREAD: Cell<Thread> = const { Cell::new(Thread::NONE) };
    static TABLES: Tables = const { Tables(RefCell::new(Vec::new())) };
}

/// The tables that hold something of this thread. Its destructor is the end of the thread.
struct Tables(RefCell<Vec<&'static dyn Table>>);

/// The thread that calls.
#[inline]
pub(super) fn current() -> Thread {
    THREAD.try_with(Cell::get).unwrap_or(Thread::NONE)
}

/// The thread that calls, which has a number from now on.
pub(super) fn numbered() -> Result<Thread, HandleFault> {
    // Registers the destructor too: what owns something hears of its end.
    TABLES.try_with(|_| ()).map_err(|_| HandleFault::ThreadEnds)?;
    let mut thread = current();
    if thread.number == UNNUMBERED {
        let flag = FLAGS.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mail = flag.unwrap_or_else(|| Box::leak(Box::new(AtomicBool::new(false))));
        thread = Thread { number: NEXT.fetch_add(1, Ordering::Relaxed), mail: Some(mail) };
        THREAD.try_with(|cell| cell.set(thread)).map_err(|_| HandleFault::ThreadEnds)?;
    }
    Ok(thread)
}

/// Has a table told when this thread ends: once for each table.
pub(super) fn tell(table: &'static dyn Table) {
    // `numbered` was called just before, in the same thread: the list is there.
    let _ = TABLES.try_with(|tables| tables.0.borrow_mut().push(table));
}

/// Drops what other threads destroyed of what this one owns.
#[cold]
#[inline(never)]
pub(super) fn collect() {
    let thread = current();
    if let Some(mail) = thread.mail {
        mail.store(false, Ordering::Relaxed);
    }
    // A copy: what is dropped may make handles, and the list grow.
    let tables = TABLES.try_with(|tables| tables.0.borrow().clone()).unwrap_or_default();
    tables.iter().for_each(|table| table.collect(thread.number));
}

impl Drop for Tables {
    fn drop(&mut self) {
        let thread = current();
        // Nothing is made from here on: `numbered` finds the list destroyed.
        self.0.take().iter().for_each(|table| table.end(thread.number));
        let _ = THREAD.try_with(|cell| cell.set(Thread { mail: None, ..thread }));
        if let Some(mail) = thread.mail {
            // No table knows the flag any more.
            mail.store(false, Ordering::Relaxed);
            FLAGS.lock().unwrap_or_else(PoisonError::into_inner).push(mail);
        }
    }
}
