//! A channel that says hello: its own goes out first, and nothing is received before the peer's.

use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::PollFlags;
use wirecontract::hello::{Agreed, Hello, name_of, negotiate};
use wirecontract::{Code, Contract};

use super::dest::Dest;
use super::greeting::HELLO;
use super::patience::Patience;
use super::receiving::Receiving;
use super::wait::{Limit, wait};
use super::{Channel, Doing, Error};

impl Channel {
    /// The version of a contract that both sides speak, by their hellos: the highest that both list with the same wire
    /// id. It waits for the peer's hello, no longer than that; `None` waits for ever. A thread that receives meanwhile
    /// hears it first. It has the time of [`Options::hello_timeout`] in any case.
    ///
    /// [`Error::Hello`] where the peer does not speak it, or this side does not say so ([`Options::speaks`],
    /// [`Options::may_speak`]); [`Error::Timeout`], and what else receiving refuses.
    ///
    /// [`Options::hello_timeout`]: super::Options::hello_timeout
    /// [`Options::speaks`]: super::Options::speaks
    /// [`Options::may_speak`]: super::Options::may_speak
    pub fn agreed<T: Contract>(&self, within: impl Into<Option<Duration>>) -> Result<Agreed, Error> {
        self.agreed_of(&name_of::<T>(), within)
    }

    /// The same by the name that hellos have for the contract.
    pub fn agreed_of(&self, name: &str, within: impl Into<Option<Duration>>) -> Result<Agreed, Error> {
        self.is_ours()?;
        if let Some(agreed) = self.agreed_by_now(name)? {
            return Ok(agreed);
        }
        let within = within.into();
        let mut patience = Patience::within(self.limits, within);
        let late =
            || Error::Timeout { doing: Doing::Turn, after: within.unwrap_or(Duration::MAX), crossed: 0 };
        let mut receiving = self.receiving.take(|| patience.turn()).ok_or_else(late)?;
        self.greet(&mut receiving, &mut patience, true)?;
        self.agreed_by_now(name)?.ok_or_else(late)
    }

    /// The same where the peer's hello has come, or this side says none.
    pub(super) fn agreed_by_now(&self, name: &str) -> Result<Option<Agreed>, Error> {
        match &self.greeting {
            Some(greeting) => greeting.agreed(name),
            None => Ok(Some(negotiate(&Hello::new(), &Hello::new(), name)?)),
        }
    }

    /// Whether the hellos are said, or there are none: then messages follow. It waits for the peer's where the caller
    /// does, and sees to it that ours goes out meanwhile.
    pub(super) fn greet(
        &self,
        receiving: &mut Receiving,
        patience: &mut Patience,
        waits: bool,
    ) -> Result<bool, Error> {
        let Some(greeting) = &self.greeting else { return Ok(true) };
        if greeting.is_heard()? {
            return Ok(true);
        }
        loop {
            let owes = self.say_hello()?;
            let (mut dest, mut at_once) = (Dest::own(), Patience::none(self.limits));
            let came = receiving.receive(self.as_fd(), self.framing, &mut dest, HELLO, &mut at_once)?;
            if came.is_some() {
                return greeting.hear(&dest.into_body()).map(|()| true);
            }
            let until = greeting.until();
            if let Some(limit) = until.filter(|limit| limit.is_over()) {
                return Err(Error::Timeout { doing: Doing::Hello, after: limit.after, crossed: 0 });
            }
            if !waits {
                return Ok(false);
            }
            let call = patience.turn();
            let begun = receiving.has_begun().then(|| receiving.limit(self.limits).get()).flatten();
            let events = if owes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
            let ready = wait(
                self.as_fd(),
                events,
                Limit::first(call, Limit::first(begun, until)),
                patience.signals(),
            )?;
            // Of a hello that has begun the next look says that it is late.
            if let Some(limit) = call.filter(|limit| !ready && limit.is_over()) {
                return Err(Error::Timeout { doing: Doing::Hello, after: limit.after, crossed: 0 });
            }
        }
    }

    /// Until when the peer's hello has to come, where it has not.
    pub(super) fn hello_limit(&self) -> Option<Limit> {
        self.greeting.as_ref().filter(|greeting| matches!(greeting.is_heard(), Ok(false)))?.until()
    }

    /// Whether the peer's hello has not come, and ours is not sent, for which the channel has to be writable.
    pub fn owes_hello(&self) -> bool {
        let waits = self.greeting.as_ref().is_some_and(|greeting| matches!(greeting.is_heard(), Ok(false)));
        waits && self.interest().writable
    }

    /// Refuses to send to a peer whose hello was refused ([`Error::Hello`]), and does nothing.
    pub fn is_welcome(&self) -> Result<(), Error> {
        self.greeting.as_ref().map_or(Ok(()), |greeting| greeting.is_heard().map(drop))
    }

    /// Whether both hellos are said, or there are none.
    pub(super) fn has_greeted(&self) -> bool {
        self.greeting.as_ref().is_none_or(|greeting| matches!(greeting.is_heard(), Ok(true)))
    }

    /// Sends of our hello what the kernel takes; whether some is left. A peer that takes nothing more may have said its
    /// own.
    pub(super) fn say_hello(&self) -> Result<bool, Error> {
        // Who sends has it go first.
        let Some(mut sending) = self.sending.try_take() else { return Ok(false) };
        match sending.flush(self.as_fd(), false) {
            Ok(sent) => Ok(!sent),
            Err(error) if error.code() == Code::PeerClosed => Ok(false),
            Err(error) => Err(error),
        }
    }
}
