//! Calls that a signal ends, so that its handler runs before they go on: for languages whose handlers run outside of the
//! kernel's.

use std::io::IoSlice;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::Duration;

use super::dest::Dest;
use super::outgoing::Outgoing;
use super::patience::Patience;
use super::turn::{Ends, Taken, Turn};
use super::wait::{LazyLimit, Limit};
use super::{Channel, Doing, Error, Expected, Message, Received, Sent};

/// How often is looked up while another thread's call on the channel is waited for: no signal ends that wait.
const LOOK_UP: Duration = Duration::from_millis(50);

/// The time of a call that goes on behind signals: what is left of it.
#[derive(Debug)]
pub struct Waiting {
    patience: Patience,
    /// For what is sent.
    sending: LazyLimit,
    /// For another call on the channel.
    turn: LazyLimit,
}

impl Channel {
    /// The time that the channel's options and the call have for receiving a message, or for sending one. It begins when it
    /// is first waited.
    pub fn waiting(&self, within: Option<Duration>) -> Waiting {
        Waiting {
            patience: Patience::within(self.limits, within).heeding_signals(),
            sending: LazyLimit::Ahead(self.limits.message),
            turn: LazyLimit::Ahead(self.limits.message),
        }
    }

    /// As [`recv`](Self::recv), until a signal comes that this thread handles: then none, what came stays, and the next
    /// call goes on with it.
    pub fn recv_until_signal(
        &self,
        expected: &Expected,
        waiting: &mut Waiting,
    ) -> Result<Option<Message>, Error> {
        let mut dest = Dest::own();
        let came = self.receive_until_signal(&mut dest, *expected, waiting)?;
        Ok(came.map(|(_, fds)| Message { body: dest.into_body(), fds }))
    }

    /// As [`recv_into`](Self::recv_into), until a signal comes that this thread handles: then none, what came is kept in the
    /// channel, and the next call goes on with it, in whatever buffer.
    pub fn recv_into_until_signal(
        &self,
        buffer: &mut [u8],
        expected: &Expected,
        waiting: &mut Waiting,
    ) -> Result<Option<Received>, Error> {
        let expected = expected.within(buffer.len());
        let came = self.receive_until_signal(&mut Dest::lent(buffer), expected, waiting)?;
        Ok(came.map(|(bytes, fds)| Received { bytes, fds }))
    }

    /// As [`send_vectored`](Self::send_vectored), until a signal comes that this thread handles: then
    /// [`NotYet`](Sent::NotYet) where none of it went, and [`Begun`](Sent::Begun) where its rest is kept in the channel,
    /// which [`flush_until_signal`](Self::flush_until_signal) sends.
    pub fn send_until_signal(
        &self,
        body: &[IoSlice<'_>],
        fds: &[BorrowedFd<'_>],
        waiting: &mut Waiting,
    ) -> Result<Sent, Error> {
        self.is_ours()?;
        self.is_welcome()?;
        let message = Outgoing::new(self.framing, body, fds)?;
        match in_turn(&self.sending, || waiting.turn.get())? {
            None => Ok(Sent::NotYet),
            Some(mut sending) => sending.send_until_signal(self.as_fd(), &message, &mut waiting.sending),
        }
    }

    /// As [`flush`](Self::flush), until a signal comes that this thread handles: whether nothing is left.
    pub fn flush_until_signal(&self, waiting: &mut Waiting) -> Result<bool, Error> {
        self.is_ours()?;
        let sending = in_turn(&self.sending, || waiting.turn.get())?;
        sending.map_or(Ok(false), |mut sending| sending.flush_until_signal(self.as_fd()))
    }

    fn receive_until_signal(
        &self,
        dest: &mut Dest<'_>,
        expected: Expected,
        waiting: &mut Waiting,
    ) -> Result<Option<(usize, Vec<OwnedFd>)>, Error> {
        self.is_ours()?;
        let patience = &mut waiting.patience;
        let Some(mut receiving) = in_turn(&self.receiving, || patience.turn())? else { return Ok(None) };
        let came = self
            .greet(&mut receiving, patience, true)
            .and_then(|_| receiving.receive(self.as_fd(), self.framing, dest, expected, patience));
        match came {
            Err(error) if error.is_interrupted() => Ok(None),
            came => came,
        }
    }
}

/// The turn of one direction; none where it is time to look whether a signal came.
fn in_turn<T: Ends>(
    turn: &Turn<T>,
    limit: impl FnOnce() -> Option<Limit>,
) -> Result<Option<Taken<'_, T>>, Error> {
    let mut until = None;
    let taken = turn.take(|| {
        until = limit();
        Limit::first(until, Limit::of(Some(LOOK_UP)))
    });
    match until.filter(|limit| taken.is_none() && limit.is_over()) {
        Some(limit) => Err(Error::Timeout { doing: Doing::Turn, after: limit.after, crossed: 0 }),
        None => Ok(taken),
    }
}
