//! Waiting for what comes as a task does: by the runtime's reactor.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};
use tokio::io::{Interest, Ready};
use tokio::sync::futures::Notified;
use tokio::time::{Instant, timeout_at};

use super::{Link, Side, State};
use crate::handoff::{self, Limit, register};
use crate::lease::{Doing, Error};

/// A side whose channel a runtime's reactor watches. Any number of tasks wait for it, and threads beside them.
pub(in crate::lease) struct Watched<S: Side> {
    link: Arc<Link<S>>,
    /// A duplicate of the channel's socket, registered for itself: its readiness is nobody else's.
    io: AsyncFd<OwnedFd>,
    /// A duplicate of the peer's pidfd: a child of the peer may keep the channel open. None where nobody knows who it is.
    process: Option<AsyncFd<OwnedFd>>,
}

/// A readiness that nobody has found used up.
type Readiness<'a> = AsyncFdReadyGuard<'a, OwnedFd>;

impl<S: Side> Watched<S> {
    pub(in crate::lease) fn new(link: &Arc<Link<S>>) -> Result<Watched<S>, Error> {
        let watching = |error| handoff::Error::io("watching a channel", error);
        let socket = link.channel.as_fd().try_clone_to_owned().map_err(watching)?;
        let io = register(socket, Interest::READABLE | Interest::WRITABLE)?;
        let process = match link.process() {
            Some(process) => {
                Some(register(process.try_clone_to_owned().map_err(watching)?, Interest::READABLE)?)
            }
            None => None,
        };
        Ok(Watched { link: Arc::clone(link), io, process })
    }

    /// Waits until there is what is looked for, or the channel has ended, or the time is over. What is looked for is found
    /// and given in one step, so that a future that is dropped has taken nothing.
    pub(in crate::lease) async fn wait<T>(
        &self,
        within: Option<Duration>,
        doing: Doing,
        mut look: impl FnMut(&mut State<S>) -> Option<T>,
    ) -> Result<T, Error> {
        let limit = Limit::of(within);
        let mut ready = None;
        loop {
            let mut changed = pin!(self.link.tasks.notified());
            // What changes from here on is heard, also before this waits.
            changed.as_mut().enable();
            let (writes, until) = {
                let mut state = self.link.lock();
                self.link.pump(&mut state);
                if let Some(found) = look(&mut state) {
                    return Ok(found);
                }
                if let Some(lost) = &state.lost {
                    return Err(Error::Lost(lost.clone()));
                }
                if let Some(limit) = limit.filter(|limit| limit.is_over()) {
                    return Err(Error::Timeout { doing, after: limit.after });
                }
                (self.link.writes(&state), Limit::first(limit, self.link.deadline(&state)))
            };
            if let Some(ready) = ready.take() {
                self.used_up(ready)?;
            }
            ready = self.first(changed, writes, until).await?;
        }
    }

    /// Takes back of a readiness what is no more. What came meanwhile is another one.
    fn used_up(&self, mut ready: Readiness<'_>) -> Result<(), Error> {
        let mut fds = [PollFd::new(self.io.get_ref(), PollFlags::IN | PollFlags::OUT)];
        let found = loop {
            match poll(&mut fds, Some(&Timespec::default())) {
                Ok(_) => break fds[0].revents(),
                Err(Errno::INTR) => {}
                Err(error) => return Err(handoff::Error::io("polling a channel", error).into()),
            }
        };
        if !found.contains(PollFlags::IN) {
            ready.clear_ready_matching(Ready::READABLE);
        }
        if !found.contains(PollFlags::OUT) {
            ready.clear_ready_matching(Ready::WRITABLE);
        }
        Ok(())
    }

    /// Waits for the channel, for the peer's process to end, for a change that another task or thread made, or until the moment
    /// is over, whichever is first.
    async fn first(
        &self,
        mut changed: Pin<&mut Notified<'_>>,
        writes: bool,
        until: Option<Limit>,
    ) -> Result<Option<Readiness<'_>>, Error> {
        let interest = if writes { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
        let mut ready = pin!(self.io.ready(interest));
        let mut ended = pin!(self.ended());
        let either = poll_fn(|context| {
            if let Poll::Ready(ready) = ready.as_mut().poll(context) {
                return Poll::Ready(ready.map(Some));
            }
            if let Poll::Ready(ended) = ended.as_mut().poll(context) {
                return Poll::Ready(ended.map(|()| None));
            }
            changed.as_mut().poll(context).map(|()| Ok(None))
        });
        let first = match until {
            None => either.await,
            Some(until) => timeout_at(Instant::from_std(until.at()), either).await.unwrap_or(Ok(None)),
        };
        Ok(first.map_err(|error| handoff::Error::io("waiting for a channel", error))?)
    }

    /// Waits for the peer's process to end. It stays so: the side is lost then, and nobody waits any more.
    async fn ended(&self) -> io::Result<()> {
        match &self.process {
            Some(process) => process.readable().await.map(drop),
            None => pending().await,
        }
    }
}
