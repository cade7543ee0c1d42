//! Buffers that are lent, on the side of who is lent to.

use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wirecontract::export::LentFd;
use wirecontract::{Code, Enumeration as _, Open, WireContract, wire_export};
use wirecontract_gpu::buffer::{EndReason, MemoryAfter, SharedBuffer};
use wirecontract_runtime::host::HostMapping;
use wirecontract_runtime::lease;

use crate::handoff::Channel;
use crate::host::mapped;
use crate::lease::{LeaseOptions, options, unknown_process};
use crate::system::{Error, Fds, deadline, limit};

/// What happened to a buffer that is held.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum LeaseEventKind {
    /// The producer wants it back: end its handle.
    Revoked = 1,
    /// The lease is over.
    Ended = 2,
}

/// What happened to a buffer that is held, and to which.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct LeaseEvent {
    /// The number of the lease.
    pub lease: u64,
    /// What happened.
    pub kind: Open<LeaseEventKind>,
    /// How it ended; 0 where it did not.
    pub reason: Open<EndReason>,
    /// What may be done with memory that is still mapped; 0 where it did not end.
    pub memory: Open<MemoryAfter>,
}

/// Is lent buffers by one producer, over one channel, which stays for as long as this is there or a buffer that is held.
///
/// There is no thread behind it: each call first takes what came. A program that holds buffers calls one of these now and
/// then, or when the file descriptor is readable.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Consumer {
    consumer: lease::Consumer,
}

#[wire_export(prefix = "wc")]
impl Consumer {
    /// A side of that channel, which it takes. Where it fails the channel has ended.
    pub fn create(channel: Channel, options: Option<&LeaseOptions>) -> Result<Self, Error> {
        let options = self::options(options)?;
        Ok(Consumer { consumer: lease::Consumer::new(channel.channel, &options)? })
    }

    /// The socket, to be polled for reading. It stays the side's.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.consumer)
    }

    /// Whether the socket is to be polled for writing as well: something is to be sent that the kernel did not take.
    pub fn wants_write(&self) -> bool {
        self.consumer.interest().writable
    }

    /// Milliseconds until the side has to be called though nothing can be read, as `poll` takes them: the producer is too slow
    /// with its hello, or with what it has begun. -1 where there is no such time.
    pub fn deadline_ms(&self) -> i32 {
        deadline(self.consumer.deadline())
    }

    /// What is readable when the producer's process has ended, to be polled beside the socket: a child of that process may
    /// keep the channel open. It stays the side's.
    ///
    /// Fails with `refused` where the kernel does not say which process that is.
    pub fn process_fd(&self) -> Result<LentFd, Error> {
        self.consumer.process().map(|process| LentFd::of(&process)).ok_or_else(unknown_process)
    }

    /// Gives the next buffer that is offered, and waits for one for so many milliseconds: 0 is not at all, a negative number
    /// for ever. Host memory is mapped and taken; of other kinds the file descriptors are given, and `Held::take` says that
    /// they are imported.
    ///
    /// Fails with `timeout`; with `peer_closed` where the producer closed the channel or died; with the code of an offer that
    /// was refused, of which the producer is told, and the next call goes on.
    pub fn next(&self, timeout_ms: i32) -> Result<Held, Error> {
        let mut held = self.consumer.next(limit(timeout_ms))?;
        let fds = Fds::new(held.take_fds());
        Ok(Held { held: Mutex::new((held, fds)) })
    }

    /// Waits until there is an offer or an event, for so many milliseconds: 0 is not at all, a negative number for ever.
    pub fn wait(&self, timeout_ms: i32) -> Result<(), Error> {
        Ok(self.consumer.wait(limit(timeout_ms))?)
    }

    /// Gives what happened next to a buffer that is held, and waits for it for so many milliseconds: 0 is not at all, a
    /// negative number for ever.
    pub fn next_event(&self, timeout_ms: i32) -> Result<LeaseEvent, Error> {
        let event = self.consumer.next_event(limit(timeout_ms))?;
        let lease = event.lease();
        let (kind, end) = match event {
            lease::Event::Ended { end, .. } => (LeaseEventKind::Ended, Some(end)),
            _ => (LeaseEventKind::Revoked, None),
        };
        let (reason, memory) = numbers(end.as_ref());
        Ok(LeaseEvent { lease, kind: kind.into(), reason, memory })
    }

    /// Asks whether the producer is there, and waits for its answer for so many milliseconds, a negative number for ever.
    pub fn ping(&self, timeout_ms: i32) -> Result<(), Error> {
        Ok(self.consumer.ping(limit(timeout_ms))?)
    }

    /// Waits until the channel ends, for so many milliseconds: 0 is not at all, a negative number for ever. Gives how it
    /// ended: a process that died is told from one that closed.
    pub fn wait_closed(&self, timeout_ms: i32) -> Result<EndReason, Error> {
        Ok(self.consumer.wait_closed(limit(timeout_ms))?.reason)
    }

    /// Ends the channel, and all leases on it: the producer finds that it was closed. What is held stays mapped until its
    /// handle ends.
    pub fn shut_down(&self) {
        self.consumer.close();
    }

    /// The process, effective user and effective group of the producer, as `Channel::peer` gives them.
    #[wire(out(pid, uid, gid))]
    pub fn peer(&self) -> (u32, u32, u32) {
        let peer = self.consumer.peer();
        (peer.pid.unwrap_or(0), peer.uid, peer.gid)
    }
}

/// A buffer that is held. Ending it unmaps it, closes what file descriptors were not taken, and gives it back; that never
/// waits.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Held {
    /// The file descriptors are of memory of other kinds than the host's.
    held: Mutex<(lease::Held, Fds)>,
}

#[wire_export(prefix = "wc")]
impl Held {
    /// The number of the lease.
    pub fn lease(&self) -> u64 {
        self.lock().0.lease()
    }

    /// The buffer, as the producer described it: its rules hold, and a tensor is within it.
    pub fn shared(&self) -> SharedBuffer {
        self.lock().0.buffer().clone()
    }

    /// The bytes of host memory, which may be read for as long as it is held, and how many these are.
    ///
    /// Fails with `wrong_type` for memory of another kind.
    #[wire(out(data, size))]
    pub fn data(&self) -> Result<(*const u8, usize), Error> {
        let held = self.lock();
        let mapping = held.0.host().ok_or_else(other_kind)?;
        Ok((mapping.as_ptr(), mapped(mapping.size())))
    }

    /// The same, to be written.
    ///
    /// Fails with `refused` where the producer lets it be read only, with `wrong_type` for memory of another kind.
    #[wire(out(data, size))]
    pub fn data_for_writing(&self) -> Result<(*mut u8, usize), Error> {
        let mut held = self.lock();
        let size = held.0.host().map(HostMapping::size).ok_or_else(other_kind)?;
        let data = held.0.writer().ok_or_else(other_kind)?.as_mut_ptr()?;
        Ok((data, mapped(size)))
    }

    /// How many file descriptors came, of memory of another kind.
    pub fn fd_count(&self) -> usize {
        self.lock().1.count()
    }

    /// Gives the file descriptor of that index. It is the caller's from then on, and closed on exec.
    ///
    /// Fails with `out_of_range` where so many did not come, with `bad_handle` where it was taken before.
    pub fn take_fd(&self, index: usize) -> Result<OwnedFd, Error> {
        self.lock().1.take(index)
    }

    /// Says that memory of another kind is imported; host memory is taken already.
    ///
    /// Fails with `bad_handle` where the producer ended the lease meanwhile, with `refused` where it was answered before.
    pub fn take(&self) -> Result<(), Error> {
        Ok(self.lock().0.take()?)
    }

    /// Says that memory of another kind cannot be imported, with a status (`wc_status`) and a reason of which 1024 bytes are
    /// said. What came is closed.
    ///
    /// Fails with `refused` where it was taken, with `unknown_value` for a number that is no status; the buffer is given back
    /// then.
    pub fn refuse(self, status: i32, reason: &str) -> Result<(), Error> {
        let code = Code::from_value(status).filter(|code| *code != Code::Ok).ok_or_else(|| {
            let message = format!("expected the status of a refusal, found {status}");
            Error::new(Code::UnknownValue, message)
        })?;
        let (held, fds) = self.held.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(fds);
        Ok(held.refuse(code.value(), reason)?)
    }

    /// Whether the lease is over, as the producer ended it, closed the channel or died; how, and what may be done with memory
    /// that is still mapped. Both are 0 where it lasts.
    #[wire(out(over, reason, memory))]
    pub fn is_over(&self) -> (bool, Open<EndReason>, Open<MemoryAfter>) {
        let end = self.lock().0.is_over();
        let (reason, memory) = numbers(end.as_ref());
        (end.is_some(), reason, memory)
    }

    /// Whether the producer wants it back.
    pub fn is_revoked(&self) -> bool {
        self.lock().0.is_revoked()
    }
}

impl Held {
    /// A panic while it is locked leaves the mapping and every file descriptor with one owner.
    fn lock(&self) -> MutexGuard<'_, (lease::Held, Fds)> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a lease ended, as numbers of which 0 is that it did not.
fn numbers(end: Option<&lease::End>) -> (Open<EndReason>, Open<MemoryAfter>) {
    end.map_or((Open::from_raw(0), Open::from_raw(0)), |end| (end.reason.into(), end.memory.into()))
}

fn other_kind() -> Error {
    let message = "expected host memory, found a buffer of another kind: import it by its file descriptors";
    Error::new(Code::WrongType, message)
}
