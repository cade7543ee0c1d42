//! The side that lends to many, over one listener.

mod event;
#[cfg(test)]
mod tests;
mod turn;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::Notices;
use super::{Error, Lease, Lend, Options, Outstanding, Producer};
use crate::handoff::{self, Limit, Listener, Peer};
use crate::maker::Maker;
use watch::{Source, Watch};

pub use event::{ConsumerId, ServiceEvent};

/// Lends buffers to all consumers that connect to a listener, without a thread of its own.
///
/// It is driven by [`poll`](Self::poll), in a thread or in a loop that polls its file descriptor. Each consumer has a
/// [`Producer`]: one that misbehaves or dies ends its own leases alone, and one that says nothing is waited for by
/// nobody.
///
/// ```
/// use std::time::Duration;
/// use wirecontract_runtime::handoff::{self, Address, Channel, Listener};
/// use wirecontract_runtime::host::{HostOptions, Pool};
/// use wirecontract_runtime::lease::{Consumer, Lend, Options, Service, ServiceEvent};
///
/// const SECONDS: Duration = Duration::from_secs(10);
/// let address = Address::abstract_name(format!("camera-{}", std::process::id()));
/// let service = Service::new(Listener::bind(&address, &handoff::Options::default())?, &Options::default())?;
///
/// // In another process:
/// let channel = Channel::connect(&address, &handoff::Options::default())?;
/// let consumer = Consumer::new(channel, &Options::default())?;
///
/// let mut joined = false;
/// while !joined {
///     let events = service.poll(SECONDS)?;
///     joined = events.iter().any(|event| matches!(event, ServiceEvent::Joined { .. }));
/// }
/// let pool = Pool::new(HostOptions::new(64), 2)?;
/// let frame = pool.take(SECONDS)?;
/// for (_, lease) in service.broadcast(&Lend::pooled(&frame)?) {
///     lease?;
/// }
/// drop(frame);
///
/// drop(consumer.next(SECONDS)?);
/// while !service.outstanding().is_empty() {
///     service.poll(SECONDS)?;
/// }
/// assert_eq!(pool.counts().in_use, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Service {
    listener: Listener,
    maker: Maker,
    options: Options,
    watch: Watch,
    notices: Arc<Notices>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    consumers: BTreeMap<u64, Served>,
    /// Until when each has to be looked at of whom that is known.
    late: BTreeSet<(Instant, u64)>,
    /// Until when nobody is accepted.
    rests: Option<Limit>,
}

struct Served {
    producer: Producer,
    joined: bool,
    /// Whether it is watched for being writable.
    writes: bool,
    /// Until when it has to be looked at, whatever comes.
    until: Option<Limit>,
}

impl Served {
    fn new(producer: Producer) -> Served {
        Served { producer, joined: false, writes: false, until: None }
    }
}

impl Service {
    /// A service at a listener. Consumers that connect are accepted by [`poll`](Self::poll).
    ///
    /// # Errors
    /// [`Error::Handoff`]: no file descriptor is left.
    pub fn new(listener: Listener, options: &Options) -> Result<Service, Error> {
        let (watch, notices) = (Watch::new()?, Arc::new(Notices::new()?));
        watch.add(listener.as_fd(), Source::Listener)?;
        watch.add(notices.as_fd(), Source::Wake)?;
        let (maker, options) = (Maker::this(), options.clone());
        Ok(Service { listener, maker, options, watch, notices, state: Mutex::default() })
    }

    /// Waits until something has happened, no longer than that, and does what there is to do: accepts, hears and sends.
    /// What happened is empty where the time is over.
    ///
    /// # Errors
    /// [`Error::Handoff`], where the service cannot wait any more. What is wrong with a consumer is an event.
    pub fn poll(&self, within: impl Into<Option<Duration>>) -> Result<Vec<ServiceEvent>, Error> {
        self.is_ours()?;
        let limit = Limit::of(within.into());
        let mut events = Vec::new();
        loop {
            let until = Limit::first(limit, self.until());
            for source in self.watch.wait(until)? {
                match source {
                    Source::Listener => self.accept(&mut events),
                    // What it says is looked at in any case.
                    Source::Wake => {}
                    Source::Consumer(number) | Source::Process(number) => self.hear(number),
                }
            }
            self.hurry();
            self.note(&mut events);
            if !events.is_empty() || limit.is_some_and(Limit::is_over) {
                return Ok(events);
            }
        }
    }

    /// How long until [`poll`](Self::poll) has something to do though the file descriptor is not readable: a consumer
    /// is too slow by then.
    pub fn deadline(&self) -> Option<Duration> {
        self.until().map(Limit::left)
    }

    /// Lends a buffer to each consumer that has joined, without waiting for answers. For each the lease, or why there
    /// is none; the others have theirs all the same.
    pub fn broadcast(&self, lend: &Lend) -> Vec<(ConsumerId, Result<Lease, Error>)> {
        let offer =
            |(consumer, producer): (ConsumerId, Producer)| (consumer, producer.offer_without_waiting(lend));
        self.joined().into_iter().map(offer).collect()
    }

    /// The leases of all consumers that are not over.
    pub fn outstanding(&self) -> Vec<(ConsumerId, Outstanding)> {
        let each = |(consumer, producer): (ConsumerId, Producer)| {
            producer.outstanding().into_iter().map(move |lease| (consumer, lease))
        };
        self.joined().into_iter().flat_map(each).collect()
    }

    /// The consumers that have joined.
    pub fn consumers(&self) -> Vec<(ConsumerId, Peer)> {
        self.joined().into_iter().map(|(consumer, producer)| (consumer, producer.peer())).collect()
    }

    /// The side that lends to one consumer; none where it is gone.
    pub fn producer(&self, consumer: ConsumerId) -> Option<Producer> {
        self.lock().consumers.get(&consumer.0).map(|served| served.producer.clone())
    }

    /// Where consumers connect.
    pub fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Refuses a fork of the process that made this: the two would watch by one epoll.
    fn is_ours(&self) -> Result<(), Error> {
        Ok(handoff::is_made_here(self.maker, "service")?)
    }

    fn joined(&self) -> Vec<(ConsumerId, Producer)> {
        let state = self.lock();
        let joined = state.consumers.iter().filter(|(_, served)| served.joined);
        joined.map(|(number, served)| (ConsumerId(*number), served.producer.clone())).collect()
    }

    /// A panic while it is locked leaves it whole: each change is one of a map's.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when somebody has to be looked at.
    fn until(&self) -> Option<Limit> {
        let state = self.lock();
        let first = state.late.first().and_then(|(_, number)| state.consumers.get(number)?.until);
        Limit::first(state.rests, first)
    }
}

/// Ends all channels: consumers find that they were closed.
impl Drop for Service {
    fn drop(&mut self) {
        if self.is_ours().is_err() {
            return;
        }
        let consumers = std::mem::take(&mut self.lock().consumers);
        consumers.values().for_each(|served| served.producer.close());
    }
}

/// Readable when [`poll`](Service::poll) has something to do.
impl AsFd for Service {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("listener", &self.listener)
            .field("consumers", &self.lock().consumers.len())
            .finish_non_exhaustive()
    }
}
