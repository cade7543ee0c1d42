//! A buffer of a pool, and what keeps it from going back.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Shared;
use crate::host::{HostBuffer, HostError};

/// A buffer of a [`Pool`](super::Pool), for who writes it.
///
/// It is a [`HostBuffer`] in all that does not use it up, and it is never another one: what goes back to the pool is what
/// was taken.
#[derive(Debug)]
pub struct PooledBuffer {
    /// There until this is dropped.
    buffer: Option<HostBuffer>,
    home: Arc<Home>,
}

/// Keeps a buffer of a [`Pool`](super::Pool) in use, as a lease does for its consumer.
///
/// The buffer goes back when its [`PooledBuffer`] and all holds are dropped. A hold that is never dropped
/// (`mem::forget`) keeps it for ever.
#[derive(Clone, Debug)]
pub struct Hold {
    _home: Arc<Home>,
}

/// Shared by a buffer's handle and its holds; the last of them gives the buffer back.
#[derive(Debug)]
struct Home {
    /// The buffer, when its handle is gone.
    left: Mutex<Option<HostBuffer>>,
    pool: Weak<Shared>,
}

impl PooledBuffer {
    pub(super) fn new(buffer: HostBuffer, pool: Weak<Shared>) -> Self {
        PooledBuffer { buffer: Some(buffer), home: Arc::new(Home { left: Mutex::default(), pool }) }
    }

    /// Keeps the buffer in use, also when this handle is gone.
    pub fn hold(&self) -> Hold {
        Hold { _home: Arc::clone(&self.home) }
    }

    /// As [`HostBuffer::write_at`].
    ///
    /// # Errors
    /// The same.
    pub fn write_at(&mut self, position: u64, bytes: &[u8]) -> Result<(), HostError> {
        self.buffer_mut().write_at(position, bytes)
    }

    /// As [`HostBuffer::copy_from`].
    ///
    /// # Errors
    /// The same.
    pub fn copy_from(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.buffer_mut().copy_from(bytes)
    }

    /// As [`HostBuffer::zero`].
    ///
    /// # Errors
    /// The same.
    pub fn zero(&mut self) -> Result<(), HostError> {
        self.buffer_mut().zero()
    }

    /// As [`HostBuffer::as_mut_ptr`]. The pointer may be used for as long as this handle or a hold lives.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.buffer_mut().as_mut_ptr()
    }

    /// As [`HostBuffer::as_mut_slice`].
    ///
    /// # Safety
    /// The same.
    pub unsafe fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the caller promises what it takes.
        unsafe { self.buffer_mut().as_mut_slice() }
    }

    /// Not public: by `&mut HostBuffer` another buffer could be put in its place.
    fn buffer_mut(&mut self) -> &mut HostBuffer {
        self.buffer.as_mut().expect("it is there until this is dropped")
    }
}

impl Deref for PooledBuffer {
    type Target = HostBuffer;

    fn deref(&self) -> &HostBuffer {
        self.buffer.as_ref().expect("it is there until this is dropped")
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        let mut left = self.home.left.lock().unwrap_or_else(PoisonError::into_inner);
        *left = self.buffer.take();
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Without its pool the buffer ends here.
        if let (buffer @ Some(_), Some(pool)) = (left.take(), self.pool.upgrade()) {
            pool.give_back(buffer);
        }
    }
}
