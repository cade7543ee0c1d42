//! Memory across processes: `wirecontract_runtime` under the words of the pure package's `handoff` and `host`.
//!
//! What waits lets other threads of Python's run, and ends with a signal, whose handler runs before it goes on: so Ctrl-C
//! ends a call at once, and what had come stays in the channel. Options, exceptions and enumerations are the pure
//! package's own, and are declared there alone.

mod bytes;
mod channel;
mod errors;
mod fd;
mod gate;
mod given;
mod host;
mod lease;
mod listener;
mod made;
mod message;
mod options;
mod pure;
mod waiting;

pub(crate) use channel::Channel;
pub(crate) use channel::connect;
pub(crate) use fd::Fd;
pub(crate) use host::{HostBuffer, HostMapping, open_shared_buffer, shared_tensor};
pub(crate) use lease::{Consumer, Held, Lease, Producer};
pub(crate) use listener::Listener;
pub(crate) use listener::listen;
pub(crate) use message::{Message, Received};
