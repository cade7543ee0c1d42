//! What is behind exported functions: handles against a model and from many threads, failures, bytes, panics.
#![allow(missing_docs, clippy::unwrap_used)]

mod bytes;
#[cfg(feature = "json")]
mod documents;
mod exclusive;
mod failures;
mod faults;
mod model;
mod panics;
mod shared;
mod stress;
mod thread_ends;

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// An object that notices when it is used or dropped after it was dropped, and counts drops.
struct Canary {
    song: AtomicU32,
    drops: &'static AtomicUsize,
    number: u64,
}

const SONG: u32 = 0x5069_6570;

impl Canary {
    fn new(number: u64, drops: &'static AtomicUsize) -> Canary {
        Canary { song: AtomicU32::new(SONG), drops, number }
    }

    /// The number, of one that lives.
    fn number(&self) -> u64 {
        assert_eq!(self.song.load(Ordering::Relaxed), SONG, "it was dropped");
        self.number
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        // Aborts rather than unwinds: a table contains what drops panic with.
        if self.song.swap(0, Ordering::Relaxed) != SONG {
            eprintln!("an object was dropped twice");
            std::process::abort();
        }
        self.drops.fetch_add(1, Ordering::Relaxed);
    }
}

/// What `call` returns in a thread that has ended.
fn elsewhere<R: Send + 'static>(call: impl FnOnce() -> R + Send + 'static) -> R {
    std::thread::spawn(call).join().unwrap()
}
