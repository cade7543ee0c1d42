//! A buffer that is held.

mod writer;

use std::fmt;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use wirecontract::Enumeration as _;
use wirecontract_gpu::buffer::{BufferKind, SharedBuffer};

use super::consumer::Borrowing;
use super::link::{self, Link};
use super::rules::Phase;
use super::{End, Error};
use crate::host::{HostMapping, Import};

pub use writer::HostWriter;

/// A buffer that a producer lends: what was imported, until it is dropped.
///
/// Dropping it unmaps it first and gives it back then. That never waits: what the kernel does not take is sent by the
/// next call on the [`Consumer`](super::Consumer), or on another buffer of it. In a fork of the process that holds it,
/// dropping it unmaps the fork's copy and says nothing.
pub struct Held {
    link: Arc<Link<Borrowing>>,
    lease: u64,
    buffer: SharedBuffer,
    /// There until this is dropped.
    imported: Option<Imported>,
}

/// What came of an offer.
#[derive(Debug)]
#[non_exhaustive]
pub enum Imported {
    /// Host memory, mapped.
    Host(HostMapping),
    /// The file descriptors of another kind of memory, for who imports it.
    Fds(Vec<OwnedFd>),
}

impl Imported {
    /// The mapping, of host memory.
    pub fn host(&self) -> Option<&HostMapping> {
        match self {
            Imported::Host(mapping) => Some(mapping),
            Imported::Fds(_) => None,
        }
    }
}

impl Held {
    /// Imports what an offer brought, where that is this side's to do; none where the lease is over meanwhile.
    pub(super) fn import(
        link: &Arc<Link<Borrowing>>,
        lease: u64,
        buffer: SharedBuffer,
        mut fds: Vec<OwnedFd>,
    ) -> Result<Option<Held>, Error> {
        // Whatever happens from here on, dropping it says what is to be said.
        let mut held = Held { link: Arc::clone(link), lease, buffer, imported: None };
        if held.buffer.kind != BufferKind::HostMemfd {
            held.imported = Some(Imported::Fds(fds));
            return Ok(Some(held));
        }
        let mapped = match fds.pop() {
            Some(fd) => Import::of(&held.buffer)
                .and_then(|import| HostMapping::import(fd, &import))
                .map_err(Error::from),
            None => Err(Error::FdCount { expected: 1, found: 0 }),
        };
        match mapped {
            Ok(mapping) => held.imported = Some(Imported::Host(mapping)),
            Err(because) => {
                let (code, reason) = (because.code().value(), because.to_string());
                held.refuse(code, &reason)?;
                return Err(Error::Unusable { lease, because: Box::new(because) });
            }
        }
        match held.take() {
            Ok(()) => Ok(Some(held)),
            Err(Error::Over { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The number of the lease.
    pub fn lease(&self) -> u64 {
        self.lease
    }

    /// The buffer, as the producer described it: its rules hold, and a tensor is within it.
    pub fn buffer(&self) -> &SharedBuffer {
        &self.buffer
    }

    /// Says that the memory is imported, of a kind that the caller imports; host memory is taken already.
    ///
    /// # Errors
    /// [`Error::Over`] where the producer ended the lease meanwhile, [`Error::Lost`], [`Error::Answered`].
    pub fn take(&mut self) -> Result<(), Error> {
        let lease = self.lease;
        self.link.act(|state| {
            let link::State { side, out, .. } = state;
            if side.take(lease, out)? {
                return Ok(());
            }
            Err(match side.end(lease) {
                Some(end) => Error::Over { lease, outcome: super::Outcome::Ended(end.clone()) },
                None => Error::Answered { lease },
            })
        })
    }

    /// Says that the memory cannot be imported, of a kind that the caller imports: with the number of a code, such as
    /// [`Code::Refused`](wirecontract::Code::Refused), and the reason, of which 1024 bytes are said. What came is closed.
    ///
    /// # Errors
    /// [`Error::Lost`], [`Error::Answered`] where it was taken.
    pub fn refuse(mut self, code: i32, reason: &str) -> Result<(), Error> {
        self.imported = None;
        let lease = self.lease;
        self.link.act(|state| {
            let link::State { side, out, .. } = state;
            if side.rules.phase(lease) == Phase::Held {
                return Err(Error::Answered { lease });
            }
            side.refuse(lease, code, reason, out)
        })
    }

    /// Host memory, for writing; none of another kind.
    pub fn writer(&mut self) -> Option<HostWriter<'_>> {
        match &mut self.imported {
            Some(Imported::Host(mapping)) => Some(HostWriter::new(mapping)),
            _ => None,
        }
    }

    /// The file descriptors of memory of another kind, which are the caller's from then on; none a second time.
    pub fn take_fds(&mut self) -> Vec<OwnedFd> {
        match &mut self.imported {
            Some(Imported::Fds(fds)) => std::mem::take(fds),
            _ => Vec::new(),
        }
    }

    /// How the lease is over, if the producer ended it, closed the channel or died: [`End::memory`] says whether the
    /// memory may still be touched.
    pub fn is_over(&self) -> Option<End> {
        self.link.look(|state| state.side.end(self.lease).cloned())
    }

    /// Whether the producer wants it back.
    pub fn is_revoked(&self) -> bool {
        self.link.look(|state| state.side.rules.is_revoked(self.lease))
    }
}

impl Deref for Held {
    type Target = Imported;

    fn deref(&self) -> &Imported {
        self.imported.as_ref().expect("it is there until this is dropped")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Unmapped before the producer is told.
        self.imported = None;
        // A fork's copy is not what was lent.
        if !self.link.is_ours() {
            return;
        }
        let lease = self.lease;
        let said = self.link.act(|state| {
            let link::State { side, out, .. } = state;
            side.let_go(lease, out)
        });
        if said.is_err() {
            self.link.lock().side.forget(lease);
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("lease", &self.lease)
            .field("imported", &self.imported)
            .finish_non_exhaustive()
    }
}
