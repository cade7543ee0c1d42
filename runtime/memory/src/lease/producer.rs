//! The side that lends, over one channel.

mod lending;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wirecontract_gpu::buffer::{EndReason, Ping, ProducerMessage};

use super::link::{self, Link};
use super::{Doing, Error, Lease, Lend, Lost, Options, State};
use crate::handoff::{Channel, Interest, Limit, Peer};

pub(super) use lending::{Granted, Lending};

/// Lends buffers to one consumer, over one channel.
///
/// Threads may share it; clones are handles of one side. The channel stays for as long as one of them lives, or a
/// [`Lease`]; [`close`](Self::close) ends it at once.
#[derive(Clone)]
pub struct Producer {
    pub(super) link: Arc<Link<Lending>>,
}

/// A lease that is not over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outstanding {
    /// Its number on the channel.
    pub lease: u64,
    /// Who has it, as the kernel noted it.
    pub consumer: Peer,
    /// How long ago it was offered.
    pub age: Duration,
    /// How far it is.
    pub state: State,
    /// Bytes of the buffer.
    pub size: u64,
}

impl Producer {
    /// A side of that channel. It waits for nothing: the hello is said and heard with the first call that does.
    ///
    /// # Errors
    /// [`Error::Handoff`]: no file descriptor is left.
    pub fn new(channel: Channel, options: &Options) -> Result<Producer, Error> {
        Ok(Producer { link: Arc::new(Link::new(channel, Lending::new(options.most), options)?) })
    }

    /// Lends a buffer, and waits until it is taken. A consumer that does not answer in time
    /// ([`Options::answer_timeout`]) has its lease ended ([`EndReason::TimedOut`]).
    ///
    /// # Errors
    /// [`Error::Refused`] with the consumer's code, [`Error::Timeout`], [`Error::Lost`], and those of
    /// [`offer_without_waiting`](Self::offer_without_waiting).
    pub fn offer(&self, lend: &Lend) -> Result<Lease, Error> {
        let lease = self.offer_without_waiting(lend)?;
        match lease.wait_taken(self.link.options().answer) {
            Ok(()) => Ok(lease),
            Err(error @ Error::Timeout { .. }) => {
                // Where it has answered meanwhile, it is over all the same.
                let _ = lease.end(EndReason::TimedOut);
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Lends a buffer, and does not wait for an answer. What the kernel does not take at once, and whatever is lent before
    /// the consumer's hello has come, is sent by the next calls ([`Producer::poll`] is one).
    ///
    /// # Errors
    /// [`Error::TooMany`], [`Error::Offer`] and [`Error::FdCount`] for a buffer that no importer may use, and
    /// [`Error::Lost`].
    pub fn offer_without_waiting(&self, lend: &Lend) -> Result<Lease, Error> {
        lend.check()?;
        let (fds, owner) = lend.parts();
        let (kind, size) = (lend.buffer().kind, lend.buffer().size);
        let (id, granted) = self.link.act(|state| {
            let (id, offer) = state.side.rules.offer(lend.buffer())?;
            let granted = Arc::new(Granted::new(kind, size));
            state.side.leases.insert(id, (Arc::clone(&granted), owner));
            state.out.say_with(&ProducerMessage::Offer(offer), fds)?;
            Ok((id, granted))
        })?;
        Ok(Lease { link: Arc::clone(&self.link), id, granted })
    }

    /// The leases that are not over.
    pub fn outstanding(&self) -> Vec<Outstanding> {
        let consumer = self.peer();
        self.link.look(|state| {
            let now = Instant::now();
            let each = |(&lease, (granted, _)): (&u64, &(Arc<Granted>, _))| Outstanding {
                lease,
                consumer,
                age: now.saturating_duration_since(granted.since),
                state: state.side.state(lease),
                size: granted.size,
            };
            state.side.leases.iter().map(each).collect()
        })
    }

    /// Asks whether the consumer is there, and waits for its answer.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn ping(&self, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        let ping = self.say_ping()?;
        self.wait_pong(ping, within)
    }

    /// Asks whether the consumer is there, and does not wait: what [`wait_pong`](Self::wait_pong) waits for.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub fn say_ping(&self) -> Result<Ping, Error> {
        self.link.act(|state| {
            let (ping, word) = state.side.rules.ping();
            word.map_or(Ok(()), |word| state.out.say(&word)).map(|()| ping)
        })
    }

    /// Whether that was answered.
    pub(super) fn ponged(state: &link::State<Lending>, ping: Ping) -> Option<()> {
        (state.lost.is_none() && !state.side.rules.waits_for(ping)).then_some(())
    }

    /// Takes what came, without waiting; what is not sent yet is.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub fn poll(&self) -> Result<(), Error> {
        self.link.act(|_| Ok(()))
    }

    /// Waits for the answer to what was asked.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn wait_pong(&self, ping: Ping, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        self.link.wait(within.into(), Doing::Pong, |state| Producer::ponged(state, ping))
    }

    /// What the file descriptor is to be polled for before [`poll`](Self::poll) has something to do: for being readable at
    /// any time, for being writable where something is to be sent that the kernel did not take.
    pub fn interest(&self) -> Interest {
        self.link.interest()
    }

    /// How long until [`poll`](Self::poll) has something to do though nothing can be read: the consumer is too slow with
    /// what it has begun, or with its hello.
    pub fn deadline(&self) -> Option<Duration> {
        self.link.standing().until.map(Limit::left)
    }

    /// What is readable when the consumer's process has ended, to be polled beside the file descriptor: a child of that
    /// process may keep the channel open. None where the kernel does not say which process that is.
    pub fn process(&self) -> Option<BorrowedFd<'_>> {
        self.link.process()
    }

    /// Has an event of the caller's (an eventfd) be written to whenever something has changed that a call finds, whichever
    /// thread's it is: for a loop that polls the file descriptors, and is not the only one that calls this side. The last
    /// one that is given counts. It is closed when the channel ends, which is told as well.
    pub fn wake_by(&self, event: OwnedFd) {
        self.link.wake_by(event);
    }

    /// Waits until the channel ends, and says how.
    ///
    /// # Errors
    /// [`Error::Timeout`].
    pub fn wait_closed(&self, within: impl Into<Option<Duration>>) -> Result<Lost, Error> {
        self.link.wait(within.into(), Doing::Close, |state| state.lost.clone())
    }

    /// How the channel has ended, if it has.
    pub fn lost(&self) -> Option<Lost> {
        self.link.look(|state| state.lost.clone())
    }

    /// Ends the channel, and all leases on it ([`EndReason::Revoked`]): the consumer finds that it was closed.
    pub fn close(&self) {
        let mut state = self.link.lock();
        self.link.lose(&mut state, Error::Closed);
    }

    /// Who is at the other end, as the kernel noted it.
    pub fn peer(&self) -> Peer {
        self.link.channel().peer()
    }
}

/// The channel's, to be polled for what [`interest`](Producer::interest) says.
impl AsFd for Producer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl std::fmt::Debug for Producer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer").field("channel", self.link.channel()).finish_non_exhaustive()
    }
}
