//! Buffers that are lent to all who connect.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wirecontract::export::LentFd;
use wirecontract::{Code, Enumeration as _, Open, WireContract, wire_export};
use wirecontract_gpu::buffer::EndReason;
use wirecontract_runtime::lease;

use crate::handoff::Listener;
use crate::lease::{Lease, LeaseOptions, Lend, OutstandingLease, Producer, options};
use crate::system::{Error, deadline, limit, not_yet};

/// What happened to a service.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum ServiceEventKind {
    /// A consumer is there, and speaks what this side does.
    Joined = 1,
    /// A consumer is gone, and all its leases are over.
    Left = 2,
    /// Somebody connected and was not let in, or said no hello that this side understands.
    Refused = 3,
}

/// What happened to a service, and with whom.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct ServiceEvent {
    /// The consumer's number, which is never another's; 0 of somebody who was refused.
    pub consumer: u64,
    /// What happened.
    pub kind: Open<ServiceEventKind>,
    /// How a consumer left; 0 otherwise.
    pub reason: Open<EndReason>,
    /// A status (`wc_status`): what ended the channel of a consumer who left, and why somebody was refused; 0 of one who
    /// joined.
    pub code: i32,
    /// The process of a consumer who joined; 0 where it cannot be seen.
    pub pid: u32,
    /// The effective user of a consumer who joined.
    pub uid: u32,
    /// The effective group of a consumer who joined.
    pub gid: u32,
}

/// Lends buffers to all consumers that connect to a listener, without a thread of its own: who calls `next_event`, in a
/// thread or when the file descriptor is readable, does the work. A consumer that misbehaves or dies ends its own leases
/// alone, and one that says nothing is waited for by nobody.
///
/// Ending it ends all channels: consumers find that they were closed.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Service {
    service: lease::Service,
    /// What happened and was not asked for yet.
    events: Mutex<VecDeque<ServiceEvent>>,
}

#[wire_export(prefix = "wc")]
impl Service {
    /// A service at a listener, which it takes. Where it fails the listener has ended.
    pub fn create(listener: Listener, options: Option<&LeaseOptions>) -> Result<Self, Error> {
        let options = self::options(options)?;
        let service = lease::Service::new(listener.listener, &options)?;
        Ok(Service { service, events: Mutex::default() })
    }

    /// A file descriptor to be polled for reading: `next_event` has something to do. It stays the service's.
    pub fn fd(&self) -> LentFd {
        LentFd::of(&self.service)
    }

    /// Milliseconds until `next_event` has something to do though the file descriptor is not readable, as `poll` takes them:
    /// 0 where events wait that happened together with one that was given, -1 where there is no such time.
    pub fn deadline_ms(&self) -> i32 {
        if self.lock().is_empty() { deadline(self.service.deadline()) } else { 0 }
    }

    /// Does what there is to do, and gives what happened next, which is waited for for so many milliseconds: 0 is not at all,
    /// a negative number for ever.
    ///
    /// Fails with `timeout` where nothing happened. What is wrong with a consumer is an event.
    pub fn next_event(&self, timeout_ms: i32) -> Result<ServiceEvent, Error> {
        if let Some(event) = self.lock().pop_front() {
            return Ok(event);
        }
        let came = self.service.poll(limit(timeout_ms))?;
        let mut events = self.lock();
        events.extend(came.iter().filter_map(ServiceEvent::of));
        events.pop_front().ok_or_else(|| not_yet("an event"))
    }

    /// Lends a buffer to each consumer that has joined, without waiting for answers. Gives what was offered to whom; who does
    /// not look at it ends it.
    ///
    /// Fails with `rule_violated` or `fd_count` for a buffer that no importer may use.
    pub fn broadcast(&self, lend: &Lend) -> Result<Offers, Error> {
        let lend = lend.now();
        lend.check()?;
        Ok(Offers { offers: self.service.broadcast(&lend) })
    }

    /// The side that lends to one consumer, for leases of its own. It stays valid when the consumer leaves.
    ///
    /// Fails with `bad_handle` where there is no such consumer, or it is gone.
    pub fn producer(&self, consumer: u64) -> Result<Producer, Error> {
        let producer = self.service.producer(lease::ConsumerId::from(consumer));
        let producer = producer.ok_or_else(|| {
            let message = format!("expected the number of a consumer who is there, found {consumer}");
            Error::new(Code::BadHandle, message)
        })?;
        Ok(Producer { producer })
    }

    /// Fills `consumers` with the numbers of those that have joined, as many as there is room for, and gives how many there
    /// are.
    pub fn consumers(&self, consumers: &mut [u64]) -> usize {
        let all = self.service.consumers();
        consumers.iter_mut().zip(&all).for_each(|(place, (consumer, _))| *place = consumer.number());
        all.len()
    }

    /// Fills `leases` with those of all consumers that are not over, as many as there is room for, and gives how many there
    /// are.
    pub fn outstanding(&self, leases: &mut [OutstandingLease]) -> usize {
        let all = self.service.outstanding();
        let places = leases.iter_mut().zip(&all);
        places.for_each(|(place, (consumer, lease))| *place = OutstandingLease::of(lease, consumer.number()));
        all.len()
    }
}

/// What a broadcast offered, consumer by consumer. Ending it ends no lease.
#[derive(WireContract, Debug)]
#[wire(handle, shared, prefix = "wc")]
pub struct Offers {
    offers: Vec<(lease::ConsumerId, Result<lease::Lease, lease::Error>)>,
}

#[wire_export(prefix = "wc")]
impl Offers {
    /// To how many consumers the buffer was offered, and for how many of them that failed.
    #[wire(out(consumers, failed))]
    pub fn count(&self) -> (usize, usize) {
        let failed = self.offers.iter().filter(|(_, offer)| offer.is_err()).count();
        (self.offers.len(), failed)
    }

    /// The number of the consumer at that index, below `consumers` of `count`.
    ///
    /// Fails with `out_of_range` where there are fewer.
    pub fn consumer(&self, index: usize) -> Result<u64, Error> {
        Ok(self.at(index)?.0.number())
    }

    /// The lease of the consumer at that index, as `Producer::offer_without_waiting` gives it.
    ///
    /// Fails with why there is none (`too_many` where that consumer has as many as may be, `peer_closed` where it is gone),
    /// and with `out_of_range` where there are fewer consumers.
    pub fn lease(&self, index: usize) -> Result<Lease, Error> {
        match &self.at(index)?.1 {
            Ok(lease) => Ok(Lease::of(lease.clone())),
            Err(error) => Err(error.into()),
        }
    }
}

impl Offers {
    fn at(&self, index: usize) -> Result<&(lease::ConsumerId, Result<lease::Lease, lease::Error>), Error> {
        self.offers.get(index).ok_or_else(|| {
            let count = self.offers.len();
            let message =
                format!("expected an index below {count}, as many consumers as there were, found {index}");
            Error::new(Code::OutOfRange, message)
        })
    }
}

impl Service {
    /// Nothing panics while it has the lock.
    fn lock(&self) -> MutexGuard<'_, VecDeque<ServiceEvent>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServiceEvent {
    /// What happened, where it is of a kind that has a number.
    fn of(event: &lease::ServiceEvent) -> Option<ServiceEvent> {
        Some(match event {
            lease::ServiceEvent::Joined { consumer, peer } => ServiceEvent {
                pid: peer.pid.unwrap_or(0),
                uid: peer.uid,
                gid: peer.gid,
                ..ServiceEvent::nobody(consumer.number(), ServiceEventKind::Joined, Code::Ok)
            },
            lease::ServiceEvent::Left { consumer, lost } => ServiceEvent {
                reason: lost.reason.into(),
                ..ServiceEvent::nobody(consumer.number(), ServiceEventKind::Left, lost.because.code())
            },
            lease::ServiceEvent::Refused { because } => {
                ServiceEvent::nobody(0, ServiceEventKind::Refused, because.code())
            }
            _ => return None,
        })
    }

    /// Nobody's credentials are known.
    fn nobody(consumer: u64, kind: ServiceEventKind, code: Code) -> ServiceEvent {
        let (reason, code) = (Open::from_raw(0), code.value());
        ServiceEvent { consumer, kind: kind.into(), reason, code, pid: 0, uid: 0, gid: 0 }
    }
}
