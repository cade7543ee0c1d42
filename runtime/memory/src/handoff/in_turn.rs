//! Calls that do not wait for the peer, as a reactor makes them.

#[cfg(feature = "tokio")]
use std::io::IoSlice;
#[cfg(feature = "tokio")]
use std::os::fd::{AsFd as _, BorrowedFd};

#[cfg(feature = "tokio")]
use wirecontract::hello::Agreed;

use super::Channel;
#[cfg(feature = "tokio")]
use super::outgoing::Outgoing;
#[cfg(feature = "tokio")]
use super::patience::Patience;
use super::wait::Limit;
#[cfg(feature = "tokio")]
use super::{Error, Expected, Message, Received, Sent};

/// What a reactor needs. It has to know whether the socket had nothing, or another call had the channel: so these wait
/// for that call, which does not wait itself.
#[cfg(feature = "tokio")]
impl Channel {
    pub(crate) fn try_send_in_turn(
        &self,
        body: &[IoSlice<'_>],
        fds: &[BorrowedFd<'_>],
    ) -> Result<Sent, Error> {
        self.is_ours()?;
        self.is_welcome()?;
        let message = Outgoing::new(self.framing, body, fds)?;
        let sending = self.sending.take(|| None);
        sending.map_or(Ok(Sent::NotYet), |mut sending| {
            sending.try_send(self.as_fd(), &message, self.limits.message)
        })
    }

    pub(crate) fn try_flush_in_turn(&self) -> Result<bool, Error> {
        self.is_ours()?;
        self.sending.take(|| None).map_or(Ok(false), |mut sending| sending.flush(self.as_fd(), false))
    }

    /// Ends the sending side where nothing is left to be sent; whether it did. Nobody begins a message meanwhile.
    pub(crate) fn try_finish_in_turn(&self) -> Result<bool, Error> {
        self.is_ours()?;
        let Some(mut sending) = self.sending.take(|| None) else { return Ok(false) };
        if !sending.flush(self.as_fd(), false)? {
            return Ok(false);
        }
        self.end_sending().map(|()| true)
    }

    pub(crate) fn try_recv_in_turn(&self, expected: &Expected) -> Result<Option<Message>, Error> {
        self.is_ours()?;
        self.receiving.take(|| None).map_or(Ok(None), |receiving| self.attempt(receiving, expected))
    }

    pub(crate) fn try_recv_into_in_turn(
        &self,
        buffer: &mut [u8],
        expected: &Expected,
    ) -> Result<Option<Received>, Error> {
        self.is_ours()?;
        let receiving = self.receiving.take(|| None);
        receiving.map_or(Ok(None), |receiving| self.attempt_into(receiving, buffer, expected))
    }

    pub(crate) fn try_agreed_in_turn(&self, name: &str) -> Result<Option<Agreed>, Error> {
        self.is_ours()?;
        if let Some(agreed) = self.agreed_by_now(name)? {
            return Ok(Some(agreed));
        }
        if let Some(mut receiving) = self.receiving.take(|| None) {
            self.greet(&mut receiving, &mut Patience::none(self.limits), false)?;
        }
        self.agreed_by_now(name)
    }
}

impl Channel {
    /// Until when what is left of a message has to be sent.
    pub(crate) fn send_limit(&self) -> Option<Limit> {
        self.sending.take(|| None)?.limit()
    }

    /// Whether a message has begun to come, and until when it has to be whole.
    pub(crate) fn recv_limit(&self) -> (bool, Option<Limit>) {
        match self.receiving.take(|| None) {
            Some(mut receiving) if receiving.has_begun() => (true, receiving.limit(self.limits).get()),
            _ => (false, None),
        }
    }
}
