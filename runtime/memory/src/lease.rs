//! Buffers that are lent from process to process, until both sides know that it is over.
//!
//! A [`Producer`] offers a buffer over a [`Channel`](crate::handoff::Channel) and keeps it as it is for as long as its
//! [`Lease`] lasts; a [`Consumer`] takes it as [`Held`], whose drop gives it back. The words are those of the family
//! [`buffer`](wirecontract_gpu::buffer); what may be said when is in [`rules`], apart from any socket.
//!
//! ```
//! use std::time::Duration;
//! use wirecontract_runtime::handoff::{self, Channel};
//! use wirecontract_runtime::host::{HostBuffer, HostOptions};
//! use wirecontract_runtime::lease::{Consumer, Lend, Options, Producer};
//!
//! const SECONDS: Duration = Duration::from_secs(10);
//! let (ours, theirs) = Channel::pair(&handoff::Options::default())?;
//!
//! // In another process:
//! let consumer = std::thread::spawn(move || {
//!     let consumer = Consumer::new(theirs, &Options::default())?;
//!     let held = consumer.next(SECONDS)?;
//!     let mut pixels = [0; 6];
//!     held.host().expect("it is host memory").read_at(0, &mut pixels)?;
//!     drop(held);
//!     consumer.ping(SECONDS)?;
//!     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(pixels)
//! });
//!
//! let producer = Producer::new(ours, &Options::default())?;
//! let mut buffer = HostBuffer::create(&HostOptions::new(6))?;
//! buffer.write_at(0, b"pixels")?;
//! let lease = producer.offer(&Lend::host(&buffer)?)?;
//! lease.wait_released(SECONDS)?;
//! buffer.write_at(0, b"anew..")?;
//! # let _ = producer.wait_closed(SECONDS);
//! assert_eq!(&consumer.join().expect("it ends").expect("it read"), b"pixels");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Who does the work
//!
//! There is no thread behind it: each call on a side first takes what came, and those that wait do so for all threads
//! that share it. A side that nobody calls says nothing, so that a process which holds buffers calls
//! [`Consumer::events`] now and then, or polls its file descriptor, for what [`Consumer::interest`] says and no longer
//! than [`Consumer::deadline`], and [`Consumer::process`] beside it.
//!
//! A [`Service`] lends to all that connect to a listener, in one thread or in none of its own. With the feature `tokio`
//! there are `AsyncProducer` and `AsyncConsumer`, which tasks wait for.
//!
//! # Forks
//!
//! Sides, leases and what is held are the process's that made them. In a fork of it every call that says or hears
//! something is refused ([`handoff::Error::Forked`](crate::handoff::Error::Forked)), those that only look see what was
//! known before, and dropping a copy ends nothing.
//!
//! # How it ends
//!
//! Whatever the other side may not say ends the channel, and all leases on it, with an error that names it: what comes
//! behind could not be relied on. An offer alone whose buffer cannot be used is refused, and the channel goes on. A
//! process that dies is told from one that closes by its pidfd, where the kernel gives one (Linux 6.5) and this side
//! accepted the peer or connected to it, as it was when this side looked. It has died then also where a child of it has
//! the socket: a process that hands a connected socket on stays as long as it is used. Of a pair, and of a socket that was
//! handed over, the kernel names the process that made it, so that nobody is said to have died there.

pub mod rules;

#[cfg(feature = "tokio")]
mod asynchronous;
mod consumer;
mod death;
mod error;
mod granted;
mod held;
mod lend;
mod link;
mod options;
mod outbox;
mod outcome;
mod producer;
mod service;

#[cfg(feature = "tokio")]
pub use asynchronous::{AsyncConsumer, AsyncLease, AsyncProducer};
pub use consumer::{Consumer, Event};
pub use error::{Doing, Error};
pub use granted::{Lease, State};
pub use held::{Held, HostWriter, Imported};
pub use lend::Lend;
pub use options::Options;
pub use outcome::{End, Lost, Outcome};
pub use producer::{Outstanding, Producer};
pub use service::{ConsumerId, Service, ServiceEvent};
