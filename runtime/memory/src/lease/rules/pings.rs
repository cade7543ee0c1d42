//! What was asked and is not answered yet.

use std::collections::VecDeque;

use wirecontract_gpu::buffer::Ping;

use super::Fault;

/// How many questions wait at most, but for those behind words that end a lease, which have the leases' bound.
const MOST: usize = 16;

/// The questions of one side. Words keep their order, so the answers have the questions'.
#[derive(Debug, Default)]
pub(super) struct Pings {
    next: u64,
    asked: VecDeque<u64>,
}

impl Pings {
    /// A new question.
    pub(super) fn ask(&mut self) -> Ping {
        let sequence = self.next;
        self.next += 1;
        self.asked.push_back(sequence);
        Ping { sequence }
    }

    /// A new question; where so many wait already, the last of them, whose answer says the same.
    pub(super) fn ask_or_wait(&mut self) -> (Ping, bool) {
        match self.asked.back() {
            Some(&sequence) if self.asked.len() >= MOST => (Ping { sequence }, false),
            _ => (self.ask(), true),
        }
    }

    /// Takes an answer, which has to be the next.
    pub(super) fn answered(&mut self, pong: Ping) -> Result<u64, Fault> {
        let expected = self.asked.front().copied();
        if expected != Some(pong.sequence) {
            return Err(Fault::Pong { expected, found: pong.sequence });
        }
        self.asked.pop_front();
        Ok(pong.sequence)
    }

    /// Whether that question waits for its answer.
    pub(super) fn waits(&self, sequence: u64) -> bool {
        self.asked.front().is_some_and(|first| *first <= sequence) && sequence < self.next
    }
}
