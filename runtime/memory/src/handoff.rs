//! Framed messages and the file descriptors that ride on them, over Unix sockets.
//!
//! A [`Channel`] is a connected socket on which whole messages go: a body of bytes, and 0 to 253 file descriptors of
//! memory or whatever else the kernel hands over. It is made as a [pair](Channel::pair), by
//! [connecting](Channel::connect) to a [`Listener`], or from a socket that was
//! [handed over](Channel::from_fd). [`Options`] say how messages are framed, how long is waited, and whose processes
//! are let in: those of the same user unless said, as the kernel knows them ([`Peer`]).
//!
//! The receiver says what may come ([`Expected`]): the most bytes, and how many file descriptors. Whatever else comes
//! is refused by an [`Error`] that has the [`Code`](wirecontract::Code) of all languages, what was expected, what came
//! and what to do; file descriptors that came with it are closed. Two file descriptors of one message that are the same
//! open file are refused unless they are [expected](Expected::repeated). No size that a peer announces is allocated before
//! the bytes come, and no peer that is slow, or says nothing, holds a call longer than its limit.
//!
//! # On the wire
//!
//! [`Framing::Stream`]: a length of four bytes, big-endian unless said, and so many bytes of body. File descriptors
//! ride (`SCM_RIGHTS`) on the `sendmsg` that holds the first byte of the body, or the last byte of the length where the
//! body is empty. The length may go before by a `sendmsg` of its own, or with the body by one ([`Prefix`]): receivers
//! take both. File descriptors that come with the length alone, or behind the first byte of the body, are refused:
//! which bytes they belong to is the sender's to say, and a reader by plain `read` would lose them.
//!
//! [`Framing::SeqPacket`]: a message is a packet. A packet of nothing at all is not sent, since a receiver could not
//! tell it from the end.
//!
//! # Messages of contracts
//!
//! What a `#[wire(message)]` declares crosses as a whole: [`Channel::send_declared`] and [`Channel::recv_declared`] take
//! bounds and numbers of file descriptors from the contract. On a wire of one's own, [`Channel::send_framed`] puts the
//! contract's wire id before the bytes, so that a receiver knows which contract came, and refuses another build's.
//!
//! # Without waiting
//!
//! [`Channel::try_recv`] and [`Channel::try_send`] never wait: what is unfinished stays in the channel. It is polled by
//! its file descriptor, for what [`Channel::interest`] says, no longer than [`Channel::recv_deadline`] and
//! [`Channel::send_deadline`]. With the feature `tokio` there are `AsyncChannel` and
//! `AsyncListener`.
//!
//! # The hello
//!
//! A channel whose [`Options`] say what it [speaks](Options::speaks) sends a [`Hello`](wirecontract::hello::Hello) before
//! everything else, as a message of its own, and receives nothing before the peer's. A peer that speaks another form of a
//! contract is refused by name, with the wire ids of both sides; of what both speak, [`Channel::agreed`] says at which
//! version. Both sides say a hello or neither does.
//!
//! # Another way
//!
//! [`PidFd::fetch`] takes a file descriptor from the peer's process by its number, where the kernel lets one process
//! trace the other.

mod address;
#[cfg(feature = "tokio")]
mod asynchronous;
mod channel;
mod control;
mod deadlines;
mod declared;
mod dest;
mod error;
mod expected;
mod greeted;
mod greeting;
#[cfg(any(feature = "lease", feature = "tokio"))]
mod in_turn;
mod listener;
mod open;
mod options;
mod outgoing;
mod packet;
mod patience;
mod peer;
mod process;
#[cfg(feature = "tokio")]
mod reactor;
mod receiving;
mod same_file;
mod sending;
mod socket_file;
mod sockopt;
mod turn;
mod until_signal;
mod wait;
mod words;

pub use address::Address;
#[cfg(feature = "tokio")]
pub use asynchronous::{AsyncChannel, AsyncListener};
pub use channel::{Channel, Interest};
#[cfg(feature = "lease")]
pub(crate) use channel::{Origin, is_made_here};
pub use deadlines::Deadline;
pub use declared::{DeclaredError, Frame};
pub use error::{Direction, Doing, Error, Misplaced};
pub use expected::{Expected, Message, Received, Sent};
pub use listener::Listener;
pub use options::{ByteOrder, Framing, Options, Prefix};
pub use peer::{Peer, Peers};
pub use process::PidFd;
#[cfg(all(feature = "lease", feature = "tokio"))]
pub(crate) use reactor::register;
pub use until_signal::Waiting;
#[cfg(feature = "lease")]
pub(crate) use wait::Limit;
#[cfg(feature = "lease")]
pub(crate) use words::counted;

/// The most file descriptors that one message carries: the kernel's `SCM_MAX_FD`.
pub const MOST_FDS: usize = 253;
