//! How long a call waits for a message.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::PollFlags;

use super::options::Limits;
use super::wait::{LazyLimit, Limit, Signals, wait};
use super::{Doing, Error};

/// How long a call waits for a message.
#[derive(Debug)]
pub(crate) struct Patience {
    limits: Limits,
    signals: Signals,
    /// Of a call that waits: for the first byte, and for all of it.
    waits: Option<(LazyLimit, LazyLimit)>,
}

impl Patience {
    /// Not at all.
    pub(crate) fn none(limits: Limits) -> Patience {
        Patience { limits, signals: Signals::PassedOver, waits: None }
    }

    /// As long as the channel's options say, and the call.
    pub(crate) fn within(limits: Limits, call: Option<Duration>) -> Patience {
        let waits = Some((LazyLimit::Ahead(limits.idle), LazyLimit::Ahead(call)));
        Patience { limits, signals: Signals::PassedOver, waits }
    }

    /// The same, until a signal comes.
    pub(crate) fn heeding_signals(self) -> Patience {
        Patience { signals: Signals::Heeded, ..self }
    }

    /// What a signal does to its waits.
    pub(crate) fn signals(&self) -> Signals {
        self.signals
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the call waits at all.
    pub(crate) fn waits(&self) -> bool {
        self.waits.is_some()
    }

    /// Whether a read may wait in the kernel, with nothing to end it.
    pub(crate) fn may_block(&self, begun: bool) -> bool {
        self.waits.as_ref().is_some_and(|(idle, call)| {
            call.is_for_ever() && if begun { self.limits.message.is_none() } else { idle.is_for_ever() }
        })
    }

    /// Until when another call on the channel is waited for.
    pub(crate) fn turn(&mut self) -> Option<Limit> {
        self.waits.as_mut().and_then(|(idle, call)| Limit::first(idle.get(), call.get()))
    }

    /// Waits until the socket can be read; `false` where the call does not wait. `message` is the limit of a message
    /// that has begun, and how many bytes of it came.
    pub(crate) fn wait(
        &mut self,
        socket: BorrowedFd<'_>,
        message: Option<(&mut LazyLimit, u64)>,
    ) -> Result<bool, Error> {
        let (message, crossed) = message.map_or((None, 0), |(limit, crossed)| (Some(limit.get()), crossed));
        let whole = message.flatten();
        let until = match &mut self.waits {
            None => None,
            Some((_, call)) if message.is_some() => Limit::first(whole, call.get()),
            Some((idle, call)) => Limit::first(idle.get(), call.get()),
        };
        if self.waits.is_some() && wait(socket, PollFlags::IN, until, self.signals)? {
            return Ok(true);
        }
        if let Some(limit) = whole.filter(|limit| limit.is_over()) {
            return Err(Error::Timeout { doing: Doing::Receiving, after: limit.after, crossed });
        }
        match until {
            Some(limit) => Err(Error::Timeout { doing: Doing::Waiting, after: limit.after, crossed }),
            None => Ok(false),
        }
    }
}
