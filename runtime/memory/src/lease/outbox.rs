//! What is to be sent and was not taken by the kernel yet.

use std::collections::VecDeque;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use wirecontract::WireJson;

use super::Error;
use super::rules::Fault;
use crate::handoff::{Channel, Sent};

/// The most answers to pings that wait to be sent. A side that goes on asking and reads nothing is refused.
const MOST_PONGS: usize = 64;

/// Whole messages, in their order.
#[derive(Default)]
pub(super) struct Outbox {
    words: VecDeque<Queued>,
    pongs: usize,
}

struct Queued {
    body: Vec<u8>,
    fds: Option<Arc<[OwnedFd]>>,
    pong: bool,
}

impl Outbox {
    /// Adds a word without file descriptors.
    pub(super) fn say(&mut self, word: &impl WireJson) -> Result<(), Error> {
        self.push(word, None, false)
    }

    /// Adds a word with file descriptors.
    pub(super) fn say_with(&mut self, word: &impl WireJson, fds: Arc<[OwnedFd]>) -> Result<(), Error> {
        self.push(word, Some(fds), false)
    }

    /// Adds the answer to a ping.
    pub(super) fn answer_ping(&mut self, word: &impl WireJson) -> Result<(), Error> {
        if self.pongs == MOST_PONGS {
            return Err(Fault::TooManyPings { most: MOST_PONGS }.into());
        }
        self.pongs += 1;
        self.push(word, None, true)
    }

    /// Adds all of another one.
    pub(super) fn append(&mut self, other: &mut Outbox) {
        self.words.append(&mut other.words);
        self.pongs += std::mem::take(&mut other.pongs);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Outbox::default();
    }

    /// Sends what the kernel takes; whether nothing is left here.
    pub(super) fn send(&mut self, channel: &Channel) -> Result<bool, Error> {
        while let Some(word) = self.words.front() {
            let fds: Vec<_> = word.fds.iter().flat_map(|fds| fds.iter()).map(OwnedFd::as_fd).collect();
            match channel.try_send(&word.body, &fds)? {
                Sent::Whole | Sent::Begun => {
                    self.pongs -= usize::from(word.pong);
                    self.words.pop_front();
                }
                Sent::NotYet => return Ok(false),
            }
        }
        Ok(true)
    }

    fn push(&mut self, word: &impl WireJson, fds: Option<Arc<[OwnedFd]>>, pong: bool) -> Result<(), Error> {
        let mut body = Vec::new();
        word.write_json(&mut body)?;
        self.words.push_back(Queued { body, fds, pong });
        Ok(())
    }
}
