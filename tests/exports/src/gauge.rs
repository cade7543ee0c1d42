//! An object that all threads use at the same time.

use std::sync::atomic::{AtomicU64, Ordering};

use wirecontract::{WireContract, wire_export};

/// Counts.
#[derive(WireContract, Debug, Default)]
#[wire(handle, shared, prefix = "rig")]
pub struct Gauge {
    count: AtomicU64,
}

#[wire_export(prefix = "rig")]
impl Gauge {
    /// Makes one that starts there.
    pub fn create(count: u64) -> Self {
        Gauge { count: AtomicU64::new(count) }
    }

    /// Adds, and gives what there was.
    pub fn add(&self, amount: u64) -> u64 {
        self.count.fetch_add(amount, Ordering::Relaxed)
    }

    /// The same, by a name that the class in C++ has for itself.
    pub fn c(&self) -> u64 {
        self.read()
    }

    /// What there is.
    pub fn read(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}
