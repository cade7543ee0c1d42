//! A side's channel: what came is heard, what is said is sent, and threads that wait share the waiting.

#[cfg(feature = "tokio")]
mod asynchronous;
mod greeting;
mod notice;
mod state;
mod waiting;
mod wake;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use wirecontract::Code;
use wirecontract_gpu::buffer::EndReason;

use super::death::Process;
use super::lend::Owner;
use super::outbox::Outbox;
use super::{Error, Lost, Options};
use crate::handoff::{self, Channel, Expected, Limit, MOST_FDS, Message};

#[cfg(feature = "tokio")]
pub(super) use asynchronous::Watched;
use greeting::Greeting;
pub(super) use notice::{Notices, Standing};
pub(super) use state::{Locked, State};
pub(super) use wake::Wake;

/// The most bytes of a message.
const MOST_BYTES: usize = 64 << 10;

/// How many messages are heard before others that share the channel have their turn.
const AT_ONCE: usize = 64;

/// What a side makes of what comes.
pub(super) trait Side: Send {
    /// How many file descriptors may come with a message.
    const FDS: usize;
    /// Why leases end when the other side says what it may not.
    const TAKEN_BACK: EndReason;

    /// Takes a message; what is to be answered goes to `out`, and owners of what is over to `dropped`.
    fn hear(
        &mut self,
        body: &[u8],
        fds: Vec<OwnedFd>,
        out: &mut Outbox,
        dropped: &mut Vec<Owner>,
    ) -> Result<(), Error>;

    /// Ends all leases.
    fn lose(&mut self, lost: &Lost, dropped: &mut Vec<Owner>);
}

/// A channel and what a side knows of it.
pub(super) struct Link<S: Side> {
    channel: Channel,
    process: Process,
    options: Options,
    state: Mutex<State<S>>,
    changed: Condvar,
    /// The same for tasks.
    #[cfg(feature = "tokio")]
    tasks: tokio::sync::Notify,
    wake: Wake,
}

impl<S: Side> Link<S> {
    pub(super) fn new(channel: Channel, side: S, options: &Options) -> Result<Link<S>, Error> {
        let state = State::new(side, Greeting::new(options)?);
        let (process, wake) = (Process::of(&channel), Wake::new()?);
        let (options, state, changed) = (options.clone(), Mutex::new(state), Condvar::new());
        Ok(Link {
            channel,
            process,
            options,
            state,
            changed,
            #[cfg(feature = "tokio")]
            tasks: tokio::sync::Notify::new(),
            wake,
        })
    }

    pub(super) fn channel(&self) -> &Channel {
        &self.channel
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// Whether this process made the channel, and is no fork of the one that did: what a fork says would be said in the
    /// other's name.
    pub(super) fn is_ours(&self) -> bool {
        self.channel.is_ours().is_ok()
    }

    /// What is known, without a look at the channel. A panic while it is locked leaves it whole: each change is one of
    /// the rules.
    pub(super) fn lock(&self) -> Locked<'_, S> {
        Locked(Some(self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Takes what came, without waiting, and then does something; what that says is sent as far as the kernel takes
    /// it. Refused where the channel has ended.
    pub(super) fn act<T>(&self, what: impl FnOnce(&mut State<S>) -> Result<T, Error>) -> Result<T, Error> {
        self.channel.is_ours()?;
        let mut state = self.lock();
        self.pump(&mut state);
        if let Some(lost) = &state.lost {
            return Err(Error::Lost(lost.clone()));
        }
        let done = what(&mut state)?;
        self.pump(&mut state);
        self.tell(&state);
        Ok(done)
    }

    /// Takes what came, without waiting, and looks. A fork sees what was known before it.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut State<S>) -> T) -> T {
        let mut state = self.lock();
        if self.is_ours() {
            self.pump(&mut state);
        }
        look(&mut state)
    }

    /// Whether something waits for the kernel to take it.
    pub(super) fn writes(&self, state: &State<S>) -> bool {
        let waits = match &state.greeting {
            Greeting::Done => !state.out.is_empty(),
            Greeting::Waits { ours, .. } => !ours.is_empty(),
        };
        state.lost.is_none() && (waits || self.channel.interest().writable)
    }

    /// What is readable when the process at the other end has ended, where that is known.
    pub(super) fn process(&self) -> Option<BorrowedFd<'_>> {
        self.process.as_fd()
    }

    /// Until when the channel has to be looked at, whatever comes: the other side has so long for what it has begun.
    pub(super) fn deadline(&self, state: &State<S>) -> Option<Limit> {
        if state.lost.is_some() {
            return None;
        }
        Limit::first(
            state.greeting.until(),
            Limit::first(self.channel.recv_limit().1, self.channel.send_limit()),
        )
    }

    /// Sends and hears what can be without waiting.
    pub(super) fn pump(&self, state: &mut State<S>) {
        if state.lost.is_some() {
            return;
        }
        match self.exchange(state) {
            Ok(0) => {}
            Ok(_) => self.tell(state),
            Err(error) => self.lose(state, error),
        }
        self.report(state);
    }

    /// How many messages were heard.
    fn exchange(&self, state: &mut State<S>) -> Result<usize, Error> {
        self.send(state)?;
        let mut heard = 0;
        while heard < AT_ONCE {
            match self.channel.try_recv(&Self::expected())? {
                Some(message) => Self::hear(state, message)?,
                None => break,
            }
            heard += 1;
        }
        if heard > 0 {
            self.send(state)?;
        }
        // What the other side said before it closed is heard first.
        if let Some(deaf) = state.deaf.take_if(|_| heard < AT_ONCE) {
            return Err(deaf);
        }
        state.greeting.in_time()?;
        if heard < AT_ONCE && self.process.has_ended() {
            return self.hear_the_last(state).and(Err(self.ended()));
        }
        Ok(heard)
    }

    /// Takes what a process said before it ended, where another one keeps its end of the socket open.
    fn hear_the_last(&self, state: &mut State<S>) -> Result<(), Error> {
        while let Some(message) = self.channel.try_recv(&Self::expected())? {
            Self::hear(state, message)?;
        }
        Ok(())
    }

    /// The end of a channel whose process has ended.
    fn ended(&self) -> Error {
        let (begun, _) = self.channel.recv_limit();
        if begun { handoff::Error::ProcessEnded } else { handoff::Error::PeerClosed { unread: false } }.into()
    }

    /// Of an offer the number of file descriptors is its own fault, which has an answer: no kind has more than one.
    fn expected() -> Expected {
        Expected::bytes(MOST_BYTES).fds(0..=S::FDS.min(MOST_FDS)).repeated()
    }

    /// Sends what can be sent. That a peer takes nothing more is noted: it says why the channel ends, once all is heard.
    fn send(&self, state: &mut State<S>) -> Result<(), Error> {
        if state.deaf.is_some() {
            return Ok(());
        }
        let out = state.greeting.outbox().unwrap_or(&mut state.out);
        let sent = out.send(&self.channel).and_then(|_| Ok(self.channel.try_flush().map(drop)?));
        match sent {
            Err(error) if error.code() == Code::PeerClosed => {
                state.deaf = Some(error);
                Ok(())
            }
            other => other,
        }
    }

    fn hear(state: &mut State<S>, message: Message) -> Result<(), Error> {
        if state.greeting.is_done() {
            return state.side.hear(&message.body, message.fds, &mut state.out, &mut state.dropped);
        }
        // What of our hello is not sent yet goes before everything else.
        let mut out = state.greeting.hear(&message)?;
        out.append(&mut state.out);
        state.out = out;
        Ok(())
    }

    /// Ends the channel and all leases on it.
    pub(super) fn lose(&self, state: &mut State<S>, error: Error) {
        if state.lost.is_some() || !self.is_ours() {
            return;
        }
        let reason = match &error {
            Error::Handoff(found) if found.code() == Code::PeerClosed => {
                if self.process.is_gone() {
                    EndReason::PeerDied
                } else {
                    EndReason::PeerClosed
                }
            }
            _ if error.code() == Code::Timeout => EndReason::TimedOut,
            _ => S::TAKEN_BACK,
        };
        // It fails where the connection is gone, which is the same.
        let _ = self.channel.close();
        let lost = Lost { reason, because: Arc::new(error) };
        state.out.clear();
        state.side.lose(&lost, &mut state.dropped);
        state.lost = Some(lost);
        self.report(state);
        self.tell(state);
        // Nothing changes any more.
        state.told = None;
    }

    /// Tells the threads, tasks and loops that wait that something changed.
    fn tell(&self, state: &State<S>) {
        #[cfg(feature = "tokio")]
        self.tasks.notify_waiters();
        if let Some(told) = &state.told {
            told.wake();
        }
        if state.polling {
            self.wake.wake();
        }
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

impl<S: Side> AsFd for Link<S> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

impl<S: Side> Drop for Link<S> {
    fn drop(&mut self) {
        // In a fork the lock may be one that nobody gives back.
        if !self.is_ours() {
            return;
        }
        let mut state = self.lock();
        if state.lost.is_none() {
            // What was given back a moment ago; what the kernel does not take, the end says.
            let _ = self.send(&mut state);
        }
    }
}
