//! Channels and listeners for tokio: the same calls, waited for by its reactor.

use std::io::IoSlice;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::{AsyncFd, AsyncFdReadyGuard};
use tokio::time::{Instant, sleep, timeout_at};

use wirecontract::Contract;
use wirecontract::hello::{Agreed, name_of};

use super::reactor::register;
use super::wait::{LazyLimit, Limit};
use super::{
    Address, Channel, Doing, Error, Expected, Listener, Message, Options, Peer, PidFd, Received, Sent,
};

/// How long it takes at least until a listener whose queue was full is asked again, and at most.
const AGAIN: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// A [`Channel`] that tasks of a tokio runtime wait for. The runtime needs its drivers of I/O and time.
///
/// Dropping a future of [`recv`](Self::recv) loses nothing: what came stays in the channel, and the next call goes on
/// with it. Dropping one of [`send`](Self::send) never leaves half a message: none of it goes, or the rest is kept and
/// goes with the next message or [`flush`](Self::flush).
///
/// ```
/// use wirecontract_runtime::handoff::{AsyncChannel, Channel, Expected, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (one, other) = Channel::pair(&Options::default())?;
/// let (one, other) = (AsyncChannel::new(one)?, AsyncChannel::new(other)?);
/// one.send(b"hello", &[]).await?;
/// assert_eq!(other.recv(&Expected::bytes(64)).await?.body, b"hello");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncChannel {
    io: AsyncFd<Channel>,
}

impl AsyncChannel {
    /// A channel that this runtime waits for. Panics outside of a runtime, or of one without a driver of I/O.
    pub fn new(channel: Channel) -> Result<AsyncChannel, Error> {
        Ok(AsyncChannel { io: register(channel, Interest::READABLE | Interest::WRITABLE)? })
    }

    /// Connects to a listener; see [`Channel::connect`].
    pub async fn connect(address: impl Into<Address>, options: &Options) -> Result<AsyncChannel, Error> {
        let address = address.into();
        let limit = Limit::of(options.limits.message);
        let mut again = AGAIN.0;
        loop {
            if let Some(channel) = Channel::try_connect(&address, options)? {
                return AsyncChannel::new(channel);
            }
            // The kernel tells nobody when a full queue has room again.
            if let Some(over) = limit.filter(|limit| limit.is_over()) {
                return Err(Error::Timeout { doing: Doing::Connecting, after: over.after, crossed: 0 });
            }
            sleep(limit.map_or(again, |limit| again.min(limit.left()))).await;
            again = (again * 2).min(AGAIN.1);
        }
    }

    /// Sends a message; see [`Channel::send`].
    pub async fn send(&self, body: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), Error> {
        self.send_vectored(&[IoSlice::new(body)], fds).await
    }

    /// Sends a message whose body is these parts behind each other.
    pub async fn send_vectored(&self, body: &[IoSlice<'_>], fds: &[BorrowedFd<'_>]) -> Result<(), Error> {
        let mut limit = LazyLimit::Ahead(self.channel().limits.message);
        let mut ready = None;
        loop {
            // Between the readiness and the call nothing may be waited for: what says that there is no more, when
            // there is, would be waited for in vain.
            match self.channel().try_send_in_turn(body, fds)? {
                Sent::Whole => return Ok(()),
                Sent::Begun => return self.flush().await,
                Sent::NotYet => unready(&mut ready),
            }
            // What has to go before it may be the rest of an earlier message, whose time is over before.
            let until = Limit::first(limit.get(), self.channel().send_limit());
            ready = self.ready(Interest::WRITABLE, until).await?;
            if ready.is_none() {
                self.channel().try_flush_in_turn()?;
                return Err(late(Doing::Sending, until));
            }
        }
    }

    /// Sends the rest of a message whose sending was dropped; see [`Channel::flush`].
    pub async fn flush(&self) -> Result<(), Error> {
        self.send_rest(Channel::try_flush_in_turn).await
    }

    /// Receives a message; see [`Channel::recv`].
    pub async fn recv(&self, expected: &Expected) -> Result<Message, Error> {
        self.recv_with(|channel| channel.try_recv_in_turn(expected)).await
    }

    /// Receives a message, its body to the beginning of a buffer; see [`Channel::recv_into`]. Where the future is
    /// dropped in the middle of a message, what came of the body is kept elsewhere.
    pub async fn recv_into(&self, buffer: &mut [u8], expected: &Expected) -> Result<Received, Error> {
        self.recv_with(|channel| channel.try_recv_into_in_turn(buffer, expected)).await
    }

    /// The version of a contract that both sides speak; see [`Channel::agreed`].
    pub async fn agreed<T: Contract>(&self) -> Result<Agreed, Error> {
        let name = name_of::<T>();
        self.recv_with(|channel| channel.try_agreed_in_turn(&name)).await
    }

    /// Waits until the peer will send nothing more, whatever is there to be received; see [`Channel::wait_closed`].
    pub async fn closed(&self) -> Result<(), Error> {
        let watching = |error| Error::io("watching a channel", error);
        // Registered for itself: readiness that is taken here would be missed by who receives.
        let fd = self.channel().as_fd().try_clone_to_owned().map_err(watching)?;
        let watched = register(fd, Interest::READABLE)?;
        while !self.channel().is_closed()? {
            watched.readable().await.map_err(watching)?.clear_ready();
        }
        Ok(())
    }

    /// Whether a message may still be received; see [`Channel::can_receive`].
    pub fn can_receive(&self) -> bool {
        self.channel().can_receive()
    }

    /// Whether a message may still be sent; see [`Channel::can_send`].
    pub fn can_send(&self) -> bool {
        self.channel().can_send()
    }

    /// Who is at the other end; see [`Channel::peer`].
    pub fn peer(&self) -> Peer {
        self.channel().peer()
    }

    /// The process at the other end; see [`Channel::peer_process`].
    pub fn peer_process(&self) -> Result<PidFd, Error> {
        self.channel().peer_process()
    }

    /// Says that nothing more will be sent, when all is; see [`Channel::finish`].
    pub async fn finish(&self) -> Result<(), Error> {
        self.send_rest(Channel::try_finish_in_turn).await
    }

    /// The channel, which the runtime no longer waits for.
    pub fn into_inner(self) -> Channel {
        self.io.into_inner()
    }

    fn channel(&self) -> &Channel {
        self.io.get_ref()
    }

    /// Sends the rest of a message, until that is done and with it what comes behind.
    async fn send_rest(&self, attempt: impl Fn(&Channel) -> Result<bool, Error>) -> Result<(), Error> {
        let mut ready = None;
        while !attempt(self.channel())? {
            unready(&mut ready);
            ready = self.ready(Interest::WRITABLE, self.channel().send_limit()).await?;
        }
        Ok(())
    }

    async fn recv_with<T>(
        &self,
        mut attempt: impl FnMut(&Channel) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let mut idle = LazyLimit::Ahead(self.channel().limits.idle);
        let mut ready = None;
        loop {
            if let Some(came) = attempt(self.channel())? {
                return Ok(came);
            }
            unready(&mut ready);
            let (begun, whole) = self.channel().recv_limit();
            let limit = if begun { whole } else { idle.get() };
            let until = Limit::first(limit, self.channel().hello_limit());
            let ours = self.channel().owes_hello();
            let interest = if ours { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
            ready = self.ready(interest, until).await?;
            // Of a message that has begun, and of a hello, the next attempt says so.
            if ready.is_none() && !begun && limit.is_some_and(Limit::is_over) {
                return Err(late(Doing::Waiting, limit));
            }
        }
    }

    /// Waits for the channel to be ready; none when the moment is over.
    async fn ready(
        &self,
        interest: Interest,
        limit: Option<Limit>,
    ) -> Result<Option<AsyncFdReadyGuard<'_, Channel>>, Error> {
        let ready = self.io.ready(interest);
        let ready = match limit {
            None => ready.await,
            Some(limit) => match timeout_at(Instant::from_std(limit.at()), ready).await {
                Ok(ready) => ready,
                Err(_) => return Ok(None),
            },
        };
        ready.map(Some).map_err(|error| Error::io("waiting for a channel", error))
    }
}

/// A [`Listener`] that tasks of a tokio runtime wait for.
#[derive(Debug)]
pub struct AsyncListener {
    io: AsyncFd<Listener>,
}

impl AsyncListener {
    /// A listener that this runtime waits for. Panics outside of a runtime, or of one without a driver of I/O.
    pub fn new(listener: Listener) -> Result<AsyncListener, Error> {
        Ok(AsyncListener { io: register(listener, Interest::READABLE)? })
    }

    /// Listens at an address; see [`Listener::bind`].
    pub fn bind(address: impl Into<Address>, options: &Options) -> Result<AsyncListener, Error> {
        AsyncListener::new(Listener::bind(address, options)?)
    }

    /// Waits for a peer to connect; see [`Listener::accept`]. Dropping the future loses no peer.
    pub async fn accept(&self) -> Result<AsyncChannel, Error> {
        loop {
            let ready = self.io.readable().await;
            let mut ready = ready.map_err(|error| Error::io("waiting for a peer", error))?;
            match self.io.get_ref().try_accept()? {
                Some(channel) => return AsyncChannel::new(channel),
                None => ready.clear_ready(),
            }
        }
    }

    /// The listener, which the runtime no longer waits for.
    pub fn into_inner(self) -> Listener {
        self.io.into_inner()
    }
}

/// Takes back a readiness with which a call found nothing to do.
fn unready(ready: &mut Option<AsyncFdReadyGuard<'_, Channel>>) {
    if let Some(mut ready) = ready.take() {
        ready.clear_ready();
    }
}

fn late(doing: Doing, limit: Option<Limit>) -> Error {
    Error::Timeout { doing, after: limit.map_or(Duration::MAX, |limit| limit.after), crossed: 0 }
}
