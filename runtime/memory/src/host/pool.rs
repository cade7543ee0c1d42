//! Equal buffers that are used again.

mod pooled;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{HostBuffer, HostError, HostOptions};
use crate::maker::Maker;

pub use pooled::{Hold, PooledBuffer};

/// Equal buffers that are used again: making one takes system calls, and its pages come into being one by one.
///
/// A buffer is taken as a [`PooledBuffer`] and goes back when that is dropped and so is every [`Hold`] on it, by whatever
/// thread: a producer drops its handle when it has sent the buffer, and a lease keeps a hold until the consumer is done.
/// Buffers are made when they are first needed. Clones are handles of one pool; when the last is dropped the free
/// buffers end with it, and those in use with their last hold.
///
/// It is the process's that made it: a fork of that process is given no buffer ([`Forked`](HostError::Forked)), since what
/// is free in its copy may be lent by now.
///
/// ```
/// use std::time::Duration;
/// use wirecontract_runtime::host::{HostOptions, Pool, PoolCounts};
///
/// # fn main() -> Result<(), wirecontract_runtime::host::HostError> {
/// let pool = Pool::new(HostOptions::new(1 << 20).name("frame"), 3)?;
/// let mut frame = pool.take(Duration::from_secs(1))?;
/// frame.write_at(0, b"pixels")?;
/// let lease = frame.hold();
/// drop(frame);
/// assert_eq!(pool.counts(), PoolCounts { free: 0, in_use: 1, most: 3 });
/// drop(lease);
/// assert_eq!(pool.counts(), PoolCounts { free: 1, in_use: 0, most: 3 });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Pool {
    shared: Arc<Shared>,
}

/// How many buffers a pool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolCounts {
    /// Made, and taken by nobody.
    pub free: usize,
    /// Taken, or being made for who takes it.
    pub in_use: usize,
    /// The most of both together.
    pub most: usize,
}

impl Pool {
    /// A pool of at most `most` buffers. One that is used again has in it what was left there, which the next consumer
    /// sees as well: [`zeroed`](Self::zeroed) is for buffers that go to consumers which may not see each other's.
    ///
    /// # Errors
    /// [`EmptyPool`](HostError::EmptyPool). What is wrong with the options says [`take`](Self::take).
    pub fn new(options: HostOptions, most: usize) -> Result<Pool, HostError> {
        Pool::with(options, most, false)
    }

    /// A pool whose buffers are zero whenever they are taken, which costs what was touched of them.
    ///
    /// A consumer that still maps a buffer which it gave back sees what is written next: what nobody may see goes in a
    /// buffer of its own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn zeroed(options: HostOptions, most: usize) -> Result<Pool, HostError> {
        Pool::with(options, most, true)
    }

    fn with(options: HostOptions, most: usize, zeroed: bool) -> Result<Pool, HostError> {
        if most == 0 {
            return Err(HostError::EmptyPool);
        }
        let (state, returned) = (Mutex::default(), Condvar::new());
        let maker = Maker::this();
        Ok(Pool { shared: Arc::new(Shared { maker, options, most, zeroed, state, returned }) })
    }

    /// A buffer, which is waited for until `timeout` has passed.
    ///
    /// # Errors
    /// [`Timeout`](HostError::Timeout), [`Forked`](HostError::Forked), and what [`HostBuffer::create`] and [`HostBuffer::zero`] say.
    pub fn take(&self, timeout: Duration) -> Result<PooledBuffer, HostError> {
        // None is a time that no clock reaches.
        let until = Instant::now().checked_add(timeout);
        let most = self.shared.most;
        self.shared.is_ours()?;
        let place = self.shared.wait(until).ok_or(HostError::Timeout { most, waited: timeout })?;
        place.fill()
    }

    /// A buffer, if one is free or can be made.
    ///
    /// # Errors
    /// [`Busy`](HostError::Busy), [`Forked`](HostError::Forked), and what [`HostBuffer::create`] and [`HostBuffer::zero`] say.
    pub fn try_take(&self) -> Result<PooledBuffer, HostError> {
        self.shared.is_ours()?;
        let place = Shared::place(&self.shared, &mut self.shared.lock());
        place.ok_or(HostError::Busy { most: self.shared.most })?.fill()
    }

    /// How many buffers there are.
    pub fn counts(&self) -> PoolCounts {
        let state = self.shared.lock();
        PoolCounts { free: state.free.len(), in_use: state.in_use, most: self.shared.most }
    }

    /// Drops the buffers that nobody has, and with them their memory; they are made anew when they are needed.
    pub fn trim(&self) {
        let free = std::mem::take(&mut self.shared.lock().free);
        drop(free);
    }
}

/// What all handles of a pool have.
#[derive(Debug)]
struct Shared {
    maker: Maker,
    options: HostOptions,
    most: usize,
    zeroed: bool,
    state: Mutex<State>,
    /// Somebody gave a buffer back, or its place.
    returned: Condvar,
}

/// `free` and `in_use` are at most `most` together.
#[derive(Debug, Default)]
struct State {
    free: Vec<HostBuffer>,
    in_use: usize,
}

impl Shared {
    /// Nothing panics while it has the lock, and counts are right at every moment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a fork of the process that made the pool: its copy of a buffer is the same memory.
    fn is_ours(&self) -> Result<(), HostError> {
        if self.maker.is_this() { Ok(()) } else { Err(HostError::Forked { maker: self.maker.number() }) }
    }

    /// A place among those in use, with the buffer that was free, if there is one.
    fn place(this: &Arc<Shared>, state: &mut State) -> Option<Place> {
        if state.in_use == this.most {
            return None;
        }
        let buffer = state.free.pop();
        state.in_use += 1;
        Some(Place { shared: Arc::clone(this), buffer, filled: false })
    }

    /// A place, as soon as there is one; none when there is none by then.
    fn wait(self: &Arc<Self>, until: Option<Instant>) -> Option<Place> {
        let mut state = self.lock();
        loop {
            if let Some(place) = Shared::place(self, &mut state) {
                return Some(place);
            }
            state = match until {
                None => self.returned.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    let waited = self.returned.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Ends a use: the buffer is free from now on, or, if it is none, its place is.
    fn give_back(&self, buffer: Option<HostBuffer>) {
        // In a fork the lock may be one that nobody gives back, and nobody takes a buffer there.
        if self.is_ours().is_err() {
            return;
        }
        let mut state = self.lock();
        state.in_use -= 1;
        state.free.extend(buffer);
        drop(state);
        self.returned.notify_one();
    }
}

/// A place among the buffers in use, until it is filled; given back when it is not.
struct Place {
    shared: Arc<Shared>,
    buffer: Option<HostBuffer>,
    filled: bool,
}

impl Place {
    /// The buffer in it: the one that was free, or a new one.
    fn fill(mut self) -> Result<PooledBuffer, HostError> {
        let buffer = match self.buffer.take() {
            Some(mut buffer) => {
                if self.shared.zeroed {
                    buffer.zero()?;
                }
                buffer
            }
            None => HostBuffer::create(&self.shared.options)?,
        };
        self.filled = true;
        Ok(PooledBuffer::new(buffer, Arc::downgrade(&self.shared)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.filled {
            self.shared.give_back(self.buffer.take());
        }
    }
}
