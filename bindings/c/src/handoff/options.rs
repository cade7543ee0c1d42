//! Options as Rust has them.

use std::time::Duration;

use wirecontract::export::SharedHandle as _;
use wirecontract::{AbiStruct as _, Code};
use wirecontract_runtime::handoff;

use super::{ByteOrder, ChannelHello, ChannelOptions, Expected, FdsFlag, Framing, LengthPrefix, Peers};
use crate::system::{Error, known, known_flags, limit_or};

/// The most bytes of a body, unless said.
const USUAL_BYTES: u64 = 1 << 20;

/// The permissions that a file has for its owner, its group and others.
const MODE: u32 = 0o777;

/// How a channel frames, waits and admits, and what it lets come.
pub(super) struct Opened {
    pub(super) options: handoff::Options,
    pub(super) expected: handoff::Expected,
}

pub(super) fn open(options: Option<&ChannelOptions>) -> Result<Opened, Error> {
    let given = options.copied().unwrap_or(ChannelOptions::ZERO);
    let mut options = handoff::Options::default()
        .framing(framing(&given)?)
        .peers(peers(&given)?)
        .message_timeout(limit_or(given.message_timeout_ms, Some(Duration::from_secs(10))))
        .idle_timeout(limit_or(given.idle_timeout_ms, None));
    if given.send_buffer_bytes != 0 {
        options = options.send_buffer(given.send_buffer_bytes as usize);
    }
    if given.mode > MODE {
        let message = format!("`mode`: expected permissions of at most {MODE:#o}, found {:#o}", given.mode);
        return Err(Error::new(Code::OutOfRange, message));
    }
    if given.mode != 0 {
        options = options.mode(given.mode);
    }
    if given.backlog != 0 {
        options = options.backlog(given.backlog);
    }
    if given.hello != 0 {
        options = hello(given.hello, options)?;
    }
    let most_bytes = if given.most_bytes == 0 { USUAL_BYTES } else { given.most_bytes };
    let expected = Expected { most_bytes, least_fds: 0, most_fds: given.most_fds, fds: given.fds };
    Ok(Opened { options, expected: expect(&expected)? })
}

/// The same where there is room for so much.
pub(super) fn bounded(expected: handoff::Expected, bytes: usize, fds: usize) -> handoff::Expected {
    let room = handoff::Expected::bytes(bytes).fds(0..=fds);
    if expected.is_repeated() { room.repeated() } else { room }
}

/// What a receiver lets come.
pub(super) fn expect(expected: &Expected) -> Result<handoff::Expected, Error> {
    let Expected { most_bytes, least_fds, most_fds, fds } = *expected;
    known_flags(fds, "fds")?;
    if most_fds as usize > handoff::MOST_FDS {
        let message = format!(
            "expected at most {} as `most_fds`, which is what a message carries, found {most_fds}",
            handoff::MOST_FDS
        );
        return Err(Error::new(Code::OutOfRange, message));
    }
    if least_fds > most_fds {
        let message = format!("expected at most {most_fds} as `least_fds`, found {least_fds}");
        return Err(Error::new(Code::OutOfRange, message));
    }
    // More than the memory has cannot come.
    let most_bytes = usize::try_from(most_bytes).unwrap_or(usize::MAX);
    let expected = handoff::Expected::bytes(most_bytes).fds(least_fds as usize..=most_fds as usize);
    Ok(if fds.contains(FdsFlag::Repeated) { expected.repeated() } else { expected })
}

fn hello(id: u64, options: handoff::Options) -> Result<handoff::Options, Error> {
    let hello = ChannelHello::table().borrow(id).map_err(|fault| {
        let message = format!("`hello`: {}", fault.message("ChannelHello"));
        Error::new(fault.code(), message)
    })?;
    Ok(hello.said(options))
}

fn framing(given: &ChannelOptions) -> Result<handoff::Framing, Error> {
    let length = match known(given.length_order, "length_order")? {
        ByteOrder::Big => handoff::ByteOrder::Big,
        ByteOrder::Little => handoff::ByteOrder::Little,
    };
    let prefix = match known(given.prefix, "prefix")? {
        LengthPrefix::Apart => handoff::Prefix::Apart,
        LengthPrefix::Joined => handoff::Prefix::Joined,
    };
    Ok(match known(given.framing, "framing")? {
        Framing::Stream => handoff::Framing::Stream { length, prefix },
        Framing::Packets => handoff::Framing::SeqPacket,
    })
}

fn peers(given: &ChannelOptions) -> Result<handoff::Peers, Error> {
    Ok(match known(given.peers, "peers")? {
        Peers::SameUser => handoff::Peers::SameUser,
        Peers::User => handoff::Peers::Users(vec![given.user]),
        Peers::Anyone => handoff::Peers::Anyone,
    })
}
