//! The side that is lent to, over one channel.

mod borrowing;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use wirecontract_gpu::buffer::Ping;

use super::link::{self, Link};
use super::{Doing, End, Error, Held, Lost, Options};
use crate::handoff::{Channel, Interest, Limit, Peer};

pub(super) use borrowing::{Arrived, Borrowing};

/// Is lent buffers by one producer, over one channel.
///
/// Threads may share it; clones are handles of one side. The channel stays for as long as one of them lives, or a
/// [`Held`]; [`close`](Self::close) ends it at once.
#[derive(Clone)]
pub struct Consumer {
    pub(super) link: Arc<Link<Borrowing>>,
}

/// What happened to a buffer that is held.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The producer wants it back: unmap it, and drop the [`Held`].
    Revoked {
        /// The number of the lease.
        lease: u64,
    },
    /// The lease is over, and [`End::memory`] says what may be done with what is mapped.
    Ended {
        /// The number of the lease.
        lease: u64,
        /// How.
        end: End,
    },
}

impl Event {
    /// The number of the lease.
    pub fn lease(&self) -> u64 {
        match self {
            Event::Revoked { lease } | Event::Ended { lease, .. } => *lease,
        }
    }
}

impl Consumer {
    /// A side of that channel. It waits for nothing: the hello is said and heard with the first call that does.
    ///
    /// # Errors
    /// [`Error::Handoff`]: no file descriptor is left.
    pub fn new(channel: Channel, options: &Options) -> Result<Consumer, Error> {
        let link = Link::new(channel, Borrowing::new(options.most), options)?;
        // The hello goes out, so that the other side need not wait for the first call that does.
        link.look(|_| ());
        Ok(Consumer { link: Arc::new(link) })
    }

    /// The next buffer that is offered: host memory is mapped and taken; of other kinds the descriptor and the file
    /// descriptors are given, and [`Held::take`] says that they are imported.
    ///
    /// # Errors
    /// [`Error::Unusable`] for an offer that was refused: the producer was told the code, and the next call goes on.
    /// [`Error::Timeout`]; [`Error::Lost`], whose [`is_end`](Error::is_end) says that the producer closed the channel.
    pub fn next(&self, within: impl Into<Option<Duration>>) -> Result<Held, Error> {
        let (within, since) = (within.into(), Instant::now());
        loop {
            let left = within.map(|within| within.saturating_sub(since.elapsed()));
            let arrived = self.link.wait(left, Doing::Offer, |state| state.side.arrive());
            let arrived = arrived.map_err(|error| match (error, within) {
                (Error::Timeout { doing, .. }, Some(after)) => Error::Timeout { doing, after },
                (error, _) => error,
            })?;
            if let Some(held) = self.receive(arrived)? {
                return Ok(held);
            }
        }
    }

    /// The next buffer, if one is offered.
    ///
    /// # Errors
    /// As [`next`](Self::next), but for the time.
    pub fn try_next(&self) -> Result<Option<Held>, Error> {
        match self.next(Duration::ZERO) {
            Ok(held) => Ok(Some(held)),
            Err(Error::Timeout { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What happened to buffers that are held, since this was asked last. What is given back is forgotten.
    pub fn events(&self) -> Vec<Event> {
        self.link.look(|state| state.side.events.drain(..).collect())
    }

    /// Waits until something has happened to a buffer that is held.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn next_event(&self, within: impl Into<Option<Duration>>) -> Result<Event, Error> {
        self.link.wait(within.into(), Doing::Event, |state| state.side.events.pop_front())
    }

    /// Waits until there is an offer or an event.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn wait(&self, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        self.link.wait(within.into(), Doing::Event, |state| {
            (state.side.has_arrived() || !state.side.events.is_empty()).then_some(())
        })
    }

    /// Asks whether the producer is there, and waits for its answer.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn ping(&self, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        let ping = self.say_ping()?;
        self.wait_pong(ping, within)
    }

    /// Asks whether the producer is there, and does not wait: what [`wait_pong`](Self::wait_pong) waits for.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub fn say_ping(&self) -> Result<Ping, Error> {
        self.link.act(|state| {
            let (ping, word) = state.side.rules.ping();
            word.map_or(Ok(()), |word| state.out.say(&word)).map(|()| ping)
        })
    }

    /// Waits for the answer to what was asked.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`].
    pub fn wait_pong(&self, ping: Ping, within: impl Into<Option<Duration>>) -> Result<(), Error> {
        self.link.wait(within.into(), Doing::Pong, |state| Consumer::ponged(state, ping))
    }

    /// What the file descriptor is to be polled for before [`try_next`](Self::try_next) or [`events`](Self::events) has
    /// something to do: for being readable at any time, for being writable where something is to be sent that the kernel did
    /// not take.
    pub fn interest(&self) -> Interest {
        self.link.interest()
    }

    /// How long until these have something to do though nothing can be read: the producer is too slow with what it has
    /// begun, or with its hello.
    pub fn deadline(&self) -> Option<Duration> {
        self.link.standing().until.map(Limit::left)
    }

    /// What is readable when the producer's process has ended, to be polled beside the file descriptor: a child of that
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

    /// Whether that was answered.
    pub(super) fn ponged(state: &link::State<Borrowing>, ping: Ping) -> Option<()> {
        (state.lost.is_none() && !state.side.rules.waits_for(ping)).then_some(())
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

    /// Ends the channel, and all leases on it: the producer finds that it was closed. What is held stays mapped, and is
    /// to be dropped.
    pub fn close(&self) {
        let mut state = self.link.lock();
        self.link.lose(&mut state, Error::Closed);
    }

    /// Who is at the other end, as the kernel noted it.
    pub fn peer(&self) -> Peer {
        self.link.channel().peer()
    }

    /// Makes an offer one that is held; none where it is over meanwhile.
    pub(super) fn receive(&self, arrived: Arrived) -> Result<Option<Held>, Error> {
        match arrived {
            Arrived::Offer { lease, buffer, fds } => Held::import(&self.link, lease, *buffer, fds),
            Arrived::Unusable { lease, because } => {
                Err(Error::Unusable { lease, because: Box::new(because) })
            }
        }
    }
}

/// The channel's, to be polled for what [`interest`](Consumer::interest) says.
impl AsFd for Consumer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.link.as_fd()
    }
}

impl std::fmt::Debug for Consumer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Consumer").field("channel", self.link.channel()).finish_non_exhaustive()
    }
}
