//! How long a caller that polls the channel waits before it calls again, though nothing has come.

use std::time::Duration;

use super::Channel;
use super::wait::Limit;

/// A moment at which a call has something to say though nothing can be read or written: that it took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// What is left until then.
    pub left: Duration,
    /// The whole time, as the channel's options have it.
    pub after: Duration,
}

impl Deadline {
    fn of(limit: Option<Limit>) -> Option<Deadline> {
        limit.map(|limit| Deadline { left: limit.left(), after: limit.after })
    }
}

/// Calls of these wait for no other call: where one has that direction, nothing is known of it.
impl Channel {
    /// Whether a message has begun to come, and until when it has to be whole.
    pub fn recv_deadline(&self) -> (bool, Option<Deadline>) {
        match self.receiving.try_take() {
            Some(mut receiving) if receiving.has_begun() => {
                (true, Deadline::of(receiving.limit(self.limits).get()))
            }
            _ => (false, None),
        }
    }

    /// Whether a message that was begun is still to be sent, for which the channel has to be writable, and until when.
    pub fn send_deadline(&self) -> (bool, Option<Deadline>) {
        let sending = self.sending.try_take();
        sending.map_or((false, None), |sending| (sending.has_rest(), Deadline::of(sending.limit())))
    }

    /// Until when the peer's hello has to come, where this side waits for one.
    pub fn hello_deadline(&self) -> Option<Deadline> {
        Deadline::of(self.hello_limit())
    }
}
