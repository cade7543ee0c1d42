//! What a side is made with.

use std::time::Duration;

/// How many leases a channel has at most, how long is waited, and whether a hello comes first; [`Options::default`]
/// and the methods below.
///
/// ```
/// use std::time::Duration;
/// use wirecontract_runtime::lease::Options;
///
/// let options = Options::default().most_leases(16).answer_timeout(Duration::from_secs(1));
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) most: usize,
    pub(super) answer: Option<Duration>,
    pub(super) hello: bool,
    pub(super) greet: Option<Duration>,
    pub(super) consumers: usize,
}

/// 1024 leases; ten seconds for an answer to an offer, and for a hello, which comes first; 1024 consumers.
impl Default for Options {
    fn default() -> Options {
        let seconds = Some(Duration::from_secs(10));
        Options { most: 1024, answer: seconds, hello: true, greet: seconds, consumers: 1024 }
    }
}

impl Options {
    /// How many leases a channel has at once. A consumer may have as many file descriptors waiting to be taken.
    #[must_use]
    pub fn most_leases(mut self, most: usize) -> Options {
        self.most = most;
        self
    }

    /// How long [`Producer::offer`](super::Producer::offer) waits for an answer; `None` is for ever.
    #[must_use]
    pub fn answer_timeout(mut self, limit: impl Into<Option<Duration>>) -> Options {
        self.answer = limit.into();
        self
    }

    /// Whether each side says which versions of the messages it speaks, before anything else. Both sides say it or
    /// neither does.
    #[must_use]
    pub fn hello(mut self, hello: bool) -> Options {
        self.hello = hello;
        self
    }

    /// How long the other side may take for its hello; `None` is for ever.
    #[must_use]
    pub fn hello_timeout(mut self, limit: impl Into<Option<Duration>>) -> Options {
        self.greet = limit.into();
        self
    }

    /// How many consumers a [`Service`](super::Service) has at once.
    #[must_use]
    pub fn most_consumers(mut self, most: usize) -> Options {
        self.consumers = most;
        self
    }
}
