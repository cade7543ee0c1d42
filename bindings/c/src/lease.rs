//! Buffers that are lent, on the side of who lends.

mod options;

use std::sync::{Mutex, MutexGuard, PoisonError};

use wirecontract::export::LentFd;
use wirecontract::{Code, Flags, Open, WireContract, wire_export};
use wirecontract_gpu::buffer::{EndReason, MemoryAfter, SharedBuffer};
use wirecontract_runtime::lease;

use crate::handoff::Channel;
use crate::host::{FrozenBuffer, HostBuffer};
use crate::system::{Error, deadline, duplicate_all, limit};

pub(crate) use options::options;

/// How far a lease is.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum LeaseState {
    /// Offered, and not answered.
    Offered = 0,
    /// Taken by the consumer.
    Held = 1,
    /// Asked back, and not given back.
    Revoked = 2,
    /// Over.
    Over = 3,
}

/// What is left out on a channel.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(flags)]
pub enum LeaseFlag {
    /// No side says which versions of the messages it speaks: neither does, or both do.
    NoHello = 1,
}

/// How a side behaves. Zero everywhere is what is usual.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct LeaseOptions {
    /// How many leases a channel has at once; 0 is 1024.
    pub most_leases: u32,
    /// How many consumers a service has at once; 0 is 1024.
    pub most_consumers: u32,
    /// Milliseconds that `offer` waits for an answer; 0 is ten seconds, a negative number for ever.
    pub answer_timeout_ms: i32,
    /// Milliseconds that the other side may take for its hello; 0 is ten seconds, a negative number for ever.
    pub hello_timeout_ms: i32,
    /// What is left out.
    pub flags: Flags<LeaseFlag>,
}

/// A lease that is not over.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct OutstandingLease {
    /// Its number on its channel.
    pub lease: u64,
    /// The consumer's number in its service; 0 without one.
    pub consumer: u64,
    /// Bytes of the buffer.
    pub size: u64,
    /// Milliseconds since it was offered.
    pub age_ms: u64,
    /// How far it is.
    pub state: Open<LeaseState>,
    /// The consumer's process; 0 where it cannot be seen.
    pub pid: u32,
    /// The consumer's effective user.
    pub uid: u32,
    /// The consumer's effective group.
    pub gid: u32,
}

/// A buffer to be lent: its descriptor, its file descriptors, and what is kept until every lease on it is over. It may be
/// offered many times, to one consumer or to many, and may end as soon as it was.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Lend {
    lend: Mutex<lease::Lend>,
}

#[wire_export(prefix = "wc")]
impl Lend {
    /// A buffer of host memory, which stays the caller's, and may end while it is lent: its memory stays. One of a pool is
    /// used again only when every lease on it is over.
    pub fn of_buffer(buffer: &HostBuffer) -> Result<Self, Error> {
        buffer.lend().map(Lend::of)
    }

    /// A buffer that nobody writes any more. It stays the caller's.
    pub fn of_frozen(buffer: &FrozenBuffer) -> Result<Self, Error> {
        Ok(Lend::of(lease::Lend::frozen(&buffer.frozen)?))
    }

    /// A buffer of whatever kind, such as memory of a device, and the file descriptors of its kind. These stay the caller's:
    /// what is lent are duplicates.
    ///
    /// Fails with `rule_violated` for a buffer that no importer may use, with `fd_count` for another number of file
    /// descriptors than its kind has, with `bad_handle` for a number that is not open.
    ///
    /// # Safety
    /// Nobody closes the file descriptors during the call.
    pub unsafe fn of_shared(buffer: &SharedBuffer, fds: &[i32]) -> Result<Self, Error> {
        // SAFETY: as the caller promises.
        let fds = unsafe { duplicate_all(fds) }?;
        Ok(Lend::of(lease::Lend::shared(buffer.clone(), fds)?))
    }

    /// The descriptor that consumers get.
    pub fn shared(&self) -> SharedBuffer {
        self.lock().buffer().clone()
    }

    /// Says more of the buffer, such as the tensor in it: the descriptor of `shared`, filled in. What no importer may use is
    /// refused when it is offered.
    pub fn describe(&self, buffer: &SharedBuffer) {
        *self.lock().buffer_mut() = buffer.clone();
    }
}

impl Lend {
    fn of(lend: lease::Lend) -> Lend {
        Lend { lend: Mutex::new(lend) }
    }

    /// What is offered now, whatever is said of it later.
    pub(crate) fn now(&self) -> lease::Lend {
        self.lock().clone()
    }

    /// Nothing panics while it has the lock.
    fn lock(&self) -> MutexGuard<'_, lease::Lend> {
        self.lend.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lends buffers to one consumer, over one channel, which stays for as long as this is there or a lease's handle.
///
/// There is no thread behind it: each call first takes what came. A side that nobody calls says nothing, so that a program
/// calls `poll` when the file descriptor is readable.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Producer {
    pub(crate) producer: lease::Producer,
}

#[wire_export(prefix = "wc")]
impl Producer {
    /// A side of that channel, which it takes. Where it fails the channel has ended.
    pub fn create(channel: Channel, options: Option<&LeaseOptions>) -> Result<Self, Error> {
        let options = self::options(options)?;
        Ok(Producer { producer: lease::Producer::new(channel.channel, &options)? })
    }

    /// The socket, to be polled for reading: `poll` has something to do. It stays the side's.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.producer)
    }

    /// Whether the socket is to be polled for writing as well: something is to be sent that the kernel did not take.
    pub fn wants_write(&self) -> bool {
        self.producer.interest().writable
    }

    /// Milliseconds until the side has to be called though nothing can be read, as `poll` takes them: the consumer is too slow
    /// with its hello, or with what it has begun. -1 where there is no such time.
    pub fn deadline_ms(&self) -> i32 {
        deadline(self.producer.deadline())
    }

    /// What is readable when the consumer's process has ended, to be polled beside the socket: a child of that process may
    /// keep the channel open. It stays the side's.
    ///
    /// Fails with `refused` where the kernel does not say which process that is.
    pub fn process_fd(&self) -> Result<LentFd, Error> {
        self.producer.process().map(|process| LentFd::of(&process)).ok_or_else(unknown_process)
    }

    /// Takes what came, without waiting; what is not sent yet is.
    ///
    /// Fails with the code of what ended the channel: `peer_closed` where the consumer closed it or died.
    pub fn poll(&self) -> Result<(), Error> {
        Ok(self.producer.poll()?)
    }

    /// Lends a buffer, and waits until it is taken, as long as the options say; a consumer that does not answer has its
    /// lease ended.
    ///
    /// Fails with `refused` where the consumer cannot use it (the detail is the consumer's code), with `timeout`, with
    /// `too_many` where as many leases are outstanding as may be.
    pub fn offer(&self, lend: &Lend) -> Result<Lease, Error> {
        Ok(Lease { lease: self.producer.offer(&lend.now())? })
    }

    /// Lends a buffer, and does not wait for an answer. What the kernel does not take at once is sent by the next calls.
    ///
    /// Fails as `offer` does, but for what a consumer says.
    pub fn offer_without_waiting(&self, lend: &Lend) -> Result<Lease, Error> {
        Ok(Lease { lease: self.producer.offer_without_waiting(&lend.now())? })
    }

    /// Fills `leases` with those that are not over, as many as there is room for, and gives how many there are.
    pub fn outstanding(&self, leases: &mut [OutstandingLease]) -> usize {
        let all = self.producer.outstanding();
        leases.iter_mut().zip(&all).for_each(|(place, lease)| *place = OutstandingLease::of(lease, 0));
        all.len()
    }

    /// Asks whether the consumer is there, and waits for its answer for so many milliseconds, a negative number for ever.
    pub fn ping(&self, timeout_ms: i32) -> Result<(), Error> {
        Ok(self.producer.ping(limit(timeout_ms))?)
    }

    /// Waits until the channel ends, for so many milliseconds: 0 is not at all, a negative number for ever. Gives how it
    /// ended: a process that died is told from one that closed.
    pub fn wait_closed(&self, timeout_ms: i32) -> Result<EndReason, Error> {
        Ok(self.producer.wait_closed(limit(timeout_ms))?.reason)
    }

    /// Ends the channel, and all leases on it: the consumer finds that it was closed.
    pub fn shut_down(&self) {
        self.producer.close();
    }

    /// The process, effective user and effective group of the consumer, as `Channel::peer` gives them.
    #[wire(out(pid, uid, gid))]
    pub fn peer(&self) -> (u32, u32, u32) {
        let peer = self.producer.peer();
        (peer.pid.unwrap_or(0), peer.uid, peer.gid)
    }
}

impl Lease {
    pub(crate) fn of(lease: lease::Lease) -> Lease {
        Lease { lease }
    }
}

impl OutstandingLease {
    pub(crate) fn of(lease: &lease::Outstanding, consumer: u64) -> OutstandingLease {
        OutstandingLease {
            lease: lease.lease,
            consumer,
            size: lease.size,
            age_ms: u64::try_from(lease.age.as_millis()).unwrap_or(u64::MAX),
            state: state(lease.state).into(),
            pid: lease.consumer.pid.unwrap_or(0),
            uid: lease.consumer.uid,
            gid: lease.consumer.gid,
        }
    }
}

/// A buffer that is lent. Ending this handle ends nothing: the lease lasts until the consumer gives the buffer back, or the
/// channel ends.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Lease {
    lease: lease::Lease,
}

#[wire_export(prefix = "wc")]
impl Lease {
    /// Its number on the channel.
    pub fn number(&self) -> u64 {
        self.lease.id()
    }

    /// How far it is, after a look at what came.
    pub fn progress(&self) -> LeaseState {
        state(self.lease.state())
    }

    /// Waits until the offer is taken, for so many milliseconds: 0 is not at all, a negative number for ever.
    ///
    /// Fails with `refused` where the consumer cannot use the buffer (the detail is the consumer's code), with `timeout`,
    /// with `bad_handle` where the lease is over, with the code of what ended the channel.
    pub fn wait_taken(&self, timeout_ms: i32) -> Result<(), Error> {
        Ok(self.lease.wait_taken(limit(timeout_ms))?)
    }

    /// Waits until the lease is over, for so many milliseconds: 0 is not at all, a negative number for ever. The memory may
    /// then be used anew, as far as `memory` says of what the consumer may still map.
    ///
    /// Fails with `refused` where the consumer could not use the buffer, with `timeout`.
    #[wire(out(reason, memory))]
    pub fn wait_released(&self, timeout_ms: i32) -> Result<(EndReason, MemoryAfter), Error> {
        Ok(ended(&self.lease.wait_released(limit(timeout_ms))?))
    }

    /// Asks for the buffer back, and waits until it is given back, as `wait_released` does. Where it is not in time, the
    /// lease lasts: `take_back` waits no longer.
    #[wire(out(reason, memory))]
    pub fn revoke(&self, timeout_ms: i32) -> Result<(EndReason, MemoryAfter), Error> {
        Ok(ended(&self.lease.revoke(limit(timeout_ms))?))
    }

    /// Ends the lease without waiting for the consumer, which is told what its kind of memory lets it do. Where the lease is
    /// over already, this gives how.
    ///
    /// Fails with `out_of_range` for a reason other than `revoked` and `timed_out`.
    #[wire(out(ended, memory))]
    pub fn take_back(&self, reason: EndReason) -> Result<(EndReason, MemoryAfter), Error> {
        Ok(ended(&self.lease.end(reason)?))
    }
}

/// Nobody says which process has the other end of a channel.
pub(crate) fn unknown_process() -> Error {
    Error::new(
        Code::Refused,
        "expected a channel that was accepted or connected, and Linux 6.5, found one whose other end no process is known to \
         have: poll the socket alone",
    )
}

fn ended(end: &lease::End) -> (EndReason, MemoryAfter) {
    (end.reason, end.memory)
}

fn state(state: lease::State) -> LeaseState {
    match state {
        lease::State::Offered => LeaseState::Offered,
        lease::State::Held => LeaseState::Held,
        lease::State::Revoked => LeaseState::Revoked,
        // What a later version may tell apart is nothing that lasts here.
        _ => LeaseState::Over,
    }
}
