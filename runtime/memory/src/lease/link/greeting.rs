//! The hellos, before which nothing else is said.

use wirecontract::hello::Hello;
use wirecontract_gpu::buffer::{ConsumerMessage, ProducerMessage, SharedBuffer};

use crate::handoff::{Limit, Message};
use crate::lease::outbox::Outbox;
use crate::lease::{Doing, Error, Options};

/// How far the hellos are.
pub(super) enum Greeting {
    /// Both sides speak the same, or neither says a hello.
    Done,
    /// Theirs has not come.
    Waits {
        /// What of ours is not sent.
        ours: Outbox,
        hello: Box<Hello>,
        until: Option<Limit>,
    },
}

impl Greeting {
    pub(super) fn new(options: &Options) -> Result<Greeting, Error> {
        if !options.hello {
            return Ok(Greeting::Done);
        }
        let hello = Hello::of::<ProducerMessage>().speaks::<ConsumerMessage>().speaks::<SharedBuffer>();
        let mut ours = Outbox::default();
        ours.say(&hello)?;
        Ok(Greeting::Waits { ours, hello: Box::new(hello), until: Limit::of(options.greet) })
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self, Greeting::Done)
    }

    /// What is to be sent before everything else.
    pub(super) fn outbox(&mut self) -> Option<&mut Outbox> {
        match self {
            Greeting::Waits { ours, .. } => Some(ours),
            Greeting::Done => None,
        }
    }

    /// Until when theirs has to come.
    pub(super) fn until(&self) -> Option<Limit> {
        match self {
            Greeting::Waits { until, .. } => *until,
            Greeting::Done => None,
        }
    }

    /// Refuses a hello that has not come in time.
    pub(super) fn in_time(&self) -> Result<(), Error> {
        match self.until() {
            Some(until) if until.is_over() => Err(Error::Timeout { doing: Doing::Hello, after: until.after }),
            _ => Ok(()),
        }
    }

    /// Takes theirs, and gives what of ours is not sent yet.
    pub(super) fn hear(&mut self, message: &Message) -> Result<Outbox, Error> {
        let Greeting::Waits { ours, hello, .. } = self else { return Ok(Outbox::default()) };
        if !message.fds.is_empty() {
            return Err(Error::FdCount { expected: 0, found: message.fds.len() });
        }
        let theirs = Hello::read(&message.body)?;
        hello.agree::<ProducerMessage>(&theirs)?;
        hello.agree::<ConsumerMessage>(&theirs)?;
        hello.agree::<SharedBuffer>(&theirs)?;
        let rest = std::mem::take(ours);
        *self = Greeting::Done;
        Ok(rest)
    }
}
