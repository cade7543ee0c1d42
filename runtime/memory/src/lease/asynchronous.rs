//! Sides for tokio: the same rules, waited for by its reactor.

use std::fmt;
use std::sync::Arc;

use wirecontract_gpu::buffer::EndReason;

use super::consumer::Borrowing;
use super::link::Watched;
use super::producer::Lending;
use super::{Consumer, Doing, End, Error, Event, Held, Lease, Lend, Lost, Producer};

/// A [`Producer`] that tasks of a tokio runtime wait for. The runtime needs its drivers of I/O and time.
///
/// Clones are handles of one side, as those of the producer are, which has [all that does not wait](Self::producer).
/// Dropping a future loses nothing: what came stays with the side. An offer whose future is dropped is taken back.
///
/// ```
/// use wirecontract_runtime::handoff::{self, Channel};
/// use wirecontract_runtime::host::{HostBuffer, HostOptions};
/// use wirecontract_runtime::lease::{AsyncConsumer, AsyncProducer, Consumer, Lend, Options, Producer};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (ours, theirs) = Channel::pair(&handoff::Options::default())?;
/// let producer = AsyncProducer::new(Producer::new(ours, &Options::default())?)?;
/// let consumer = AsyncConsumer::new(Consumer::new(theirs, &Options::default())?)?;
///
/// let mut buffer = HostBuffer::create(&HostOptions::new(6))?;
/// buffer.write_at(0, b"pixels")?;
/// let lend = Lend::host(&buffer)?;
/// let (lease, held) = tokio::join!(producer.offer(&lend), consumer.next());
/// let mut pixels = [0; 6];
/// held?.host().expect("it is host memory").read_at(0, &mut pixels)?;
/// assert_eq!(&pixels, b"pixels");
/// lease?.wait_released().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AsyncProducer {
    producer: Producer,
    watched: Arc<Watched<Lending>>,
}

impl AsyncProducer {
    /// A side that this runtime waits for. Panics outside of a runtime, or of one without a driver of I/O.
    ///
    /// # Errors
    /// [`Error::Handoff`]: no file descriptor is left.
    pub fn new(producer: Producer) -> Result<AsyncProducer, Error> {
        let watched = Arc::new(Watched::new(&producer.link)?);
        Ok(AsyncProducer { producer, watched })
    }

    /// Lends a buffer, and waits until it is taken; see [`Producer::offer`]. Where the future is dropped before, the lease
    /// is ended ([`EndReason::Revoked`]).
    ///
    /// # Errors
    /// Those of [`Producer::offer`].
    pub async fn offer(&self, lend: &Lend) -> Result<AsyncLease, Error> {
        let lease = self.offer_without_waiting(lend)?;
        let mut offered = Offered { lease: &lease.lease, is_waited_for: true };
        let within = self.producer.link.options().answer;
        let taken = self.watched.wait(within, Doing::Answer, |state| lease.lease.taken(state)).await;
        offered.is_waited_for = false;
        drop(offered);
        if matches!(taken, Err(Error::Timeout { .. })) {
            // Where it has answered meanwhile, it is over all the same.
            let _ = lease.lease.end(EndReason::TimedOut);
        }
        taken?.map(|()| lease)
    }

    /// Lends a buffer, and does not wait for an answer; see [`Producer::offer_without_waiting`].
    ///
    /// # Errors
    /// Those of [`Producer::offer_without_waiting`].
    pub fn offer_without_waiting(&self, lend: &Lend) -> Result<AsyncLease, Error> {
        let lease = self.producer.offer_without_waiting(lend)?;
        Ok(AsyncLease { lease, watched: Arc::clone(&self.watched) })
    }

    /// Asks whether the consumer is there, and waits for its answer.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub async fn ping(&self) -> Result<(), Error> {
        let ping = self.producer.say_ping()?;
        self.watched.wait(None, Doing::Pong, |state| Producer::ponged(state, ping)).await
    }

    /// Waits until the channel ends, and says how. A task that does so and nothing else does what there is to do for the
    /// side meanwhile.
    ///
    /// # Errors
    /// [`Error::Handoff`] where the channel cannot be watched any more.
    pub async fn closed(&self) -> Result<Lost, Error> {
        self.watched.wait(None, Doing::Close, |state| state.lost.clone()).await
    }

    /// The side, for all that does not wait.
    pub fn producer(&self) -> &Producer {
        &self.producer
    }
}

impl fmt::Debug for AsyncProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncProducer").field(&self.producer).finish()
    }
}

/// An offer that nobody has a handle of yet: dropped while its answer is waited for, it is taken back.
struct Offered<'a> {
    lease: &'a Lease,
    is_waited_for: bool,
}

impl Drop for Offered<'_> {
    fn drop(&mut self) {
        if self.is_waited_for {
            // It fails where the lease is over, or the channel.
            let _ = self.lease.end(EndReason::Revoked);
        }
    }
}

/// A [`Lease`] that tasks wait for.
pub struct AsyncLease {
    lease: Lease,
    watched: Arc<Watched<Lending>>,
}

impl AsyncLease {
    /// Waits until the offer is taken.
    ///
    /// # Errors
    /// [`Error::Refused`] with the consumer's code, [`Error::Lost`], [`Error::Over`].
    pub async fn wait_taken(&self) -> Result<(), Error> {
        self.watched.wait(None, Doing::Answer, |state| self.lease.taken(state)).await?
    }

    /// Waits until the lease is over; see [`Lease::wait_released`].
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub async fn wait_released(&self) -> Result<End, Error> {
        self.watched.wait(None, Doing::Release, |_| self.lease.released()).await?
    }

    /// Asks for the buffer back, and waits until it is given back. Where the future is dropped it was asked all the same,
    /// and the lease lasts.
    ///
    /// # Errors
    /// [`Error::Refused`].
    pub async fn revoke(&self) -> Result<End, Error> {
        self.lease.ask_back()?;
        self.wait_released().await
    }

    /// The lease, for all that does not wait.
    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// The lease, for who waits as a thread does.
    pub fn into_inner(self) -> Lease {
        self.lease
    }
}

impl fmt::Debug for AsyncLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncLease").field(&self.lease).finish()
    }
}

/// A [`Consumer`] that tasks of a tokio runtime wait for. The runtime needs its drivers of I/O and time.
///
/// Clones are handles of one side, as those of the consumer are, which has [all that does not wait](Self::consumer). What it
/// gives is a [`Held`], whose drop gives the buffer back and never waits. Dropping a future loses nothing: an offer that
/// nobody took stays with the side, and so does an event.
#[derive(Clone)]
pub struct AsyncConsumer {
    consumer: Consumer,
    watched: Arc<Watched<Borrowing>>,
}

impl AsyncConsumer {
    /// A side that this runtime waits for. Panics outside of a runtime, or of one without a driver of I/O.
    ///
    /// # Errors
    /// [`Error::Handoff`]: no file descriptor is left.
    pub fn new(consumer: Consumer) -> Result<AsyncConsumer, Error> {
        let watched = Arc::new(Watched::new(&consumer.link)?);
        Ok(AsyncConsumer { consumer, watched })
    }

    /// The next buffer that is offered; see [`Consumer::next`].
    ///
    /// # Errors
    /// Those of [`Consumer::next`], but for the time.
    pub async fn next(&self) -> Result<Held, Error> {
        loop {
            let arrived = self.watched.wait(None, Doing::Offer, |state| state.side.arrive()).await?;
            if let Some(held) = self.consumer.receive(arrived)? {
                return Ok(held);
            }
        }
    }

    /// Waits until something has happened to a buffer that is held.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub async fn next_event(&self) -> Result<Event, Error> {
        self.watched.wait(None, Doing::Event, |state| state.side.events.pop_front()).await
    }

    /// Asks whether the producer is there, and waits for its answer.
    ///
    /// # Errors
    /// [`Error::Lost`].
    pub async fn ping(&self) -> Result<(), Error> {
        let ping = self.consumer.say_ping()?;
        self.watched.wait(None, Doing::Pong, |state| Consumer::ponged(state, ping)).await
    }

    /// Waits until the channel ends, and says how. A task that does so and nothing else does what there is to do for the
    /// side meanwhile.
    ///
    /// # Errors
    /// [`Error::Handoff`] where the channel cannot be watched any more.
    pub async fn closed(&self) -> Result<Lost, Error> {
        self.watched.wait(None, Doing::Close, |state| state.lost.clone()).await
    }

    /// The side, for all that does not wait.
    pub fn consumer(&self) -> &Consumer {
        &self.consumer
    }
}

impl fmt::Debug for AsyncConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AsyncConsumer").field(&self.consumer).finish()
    }
}
