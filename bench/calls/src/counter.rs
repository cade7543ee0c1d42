//! Counters.

use std::sync::atomic::{AtomicU64, Ordering};

use wirecontract::{WireContract, wire_export};

/// A counter of one thread.
#[derive(WireContract)]
#[wire(handle, exclusive, prefix = "calls")]
pub struct Owned {
    count: AtomicU64,
}

#[wire_export(prefix = "calls")]
impl Owned {
    /// Makes one that starts there.
    pub fn create(count: u64) -> Self {
        Owned { count: AtomicU64::new(count) }
    }

    /// What it has counted, and an amount.
    pub fn read(&self, amount: u64) -> u64 {
        self.count.load(Ordering::Relaxed) + amount
    }

    /// The sum of samples.
    pub fn sum(&self, samples: &[f32]) -> f32 {
        samples.iter().sum()
    }
}

/// A counter of all threads.
#[derive(WireContract)]
#[wire(handle, shared, prefix = "calls")]
pub struct Shared {
    count: AtomicU64,
}

#[wire_export(prefix = "calls")]
impl Shared {
    /// Makes one that starts there.
    pub fn create(count: u64) -> Self {
        Shared { count: AtomicU64::new(count) }
    }

    /// What it has counted, and an amount.
    pub fn read(&self, amount: u64) -> u64 {
        self.count.load(Ordering::Relaxed) + amount
    }
}

/// The bare function: what a program calls that trusts itself.
///
/// # Safety
/// `counter` points to a number that nobody writes meanwhile, and `out` to one that nobody reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bare_read(counter: *const AtomicU64, amount: u64, out: *mut u64) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { *out = (*counter).load(Ordering::Relaxed) + amount };
    0
}
