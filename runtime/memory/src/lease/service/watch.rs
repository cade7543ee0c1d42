//! Many file descriptors behind one.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

use crate::handoff::{self, Limit};
use crate::lease::Error;

/// How many are told of at once.
const AT_ONCE: usize = 64;

/// The numbers of what is no consumer.
const LISTENER: u64 = u64::MAX;
const WAKE: u64 = u64::MAX - 1;

/// Of the process of a consumer, beside the consumer's number, which never counts that far.
const PROCESS: u64 = 1 << 63;

/// Who has something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Listener,
    Wake,
    Consumer(u64),
    /// The process of that consumer.
    Process(u64),
}

impl Source {
    fn data(self) -> EventData {
        EventData::new_u64(match self {
            Source::Listener => LISTENER,
            Source::Wake => WAKE,
            Source::Consumer(number) => number,
            Source::Process(number) => number | PROCESS,
        })
    }

    fn of(data: EventData) -> Source {
        match data.u64() {
            LISTENER => Source::Listener,
            WAKE => Source::Wake,
            number if number & PROCESS != 0 => Source::Process(number & !PROCESS),
            number => Source::Consumer(number),
        }
    }
}

/// An epoll, level-triggered: what is not done is told again.
#[derive(Debug)]
pub(super) struct Watch(OwnedFd);

impl Watch {
    pub(super) fn new() -> Result<Watch, Error> {
        Ok(Watch(epoll::create(CreateFlags::CLOEXEC).map_err(failed)?))
    }

    /// Watches for being readable.
    pub(super) fn add(&self, fd: BorrowedFd<'_>, source: Source) -> Result<(), Error> {
        Ok(epoll::add(&self.0, fd, source.data(), EventFlags::IN).map_err(failed)?)
    }

    /// Watches for being readable, and writable where that is asked for.
    pub(super) fn change(&self, fd: BorrowedFd<'_>, source: Source, writable: bool) -> Result<(), Error> {
        let flags = if writable { EventFlags::IN | EventFlags::OUT } else { EventFlags::IN };
        Ok(epoll::modify(&self.0, fd, source.data(), flags).map_err(failed)?)
    }

    /// Watches for nothing but the end.
    pub(super) fn pause(&self, fd: BorrowedFd<'_>, source: Source) -> Result<(), Error> {
        Ok(epoll::modify(&self.0, fd, source.data(), EventFlags::empty()).map_err(failed)?)
    }

    /// Watches no more.
    pub(super) fn remove(&self, fd: BorrowedFd<'_>) -> Result<(), Error> {
        Ok(epoll::delete(&self.0, fd).map_err(failed)?)
    }

    /// Waits until somebody has something to do, or the moment is over.
    pub(super) fn wait(&self, until: Option<Limit>) -> Result<Vec<Source>, Error> {
        // A time that the kernel cannot be told is for ever.
        let left = until.and_then(|until| Timespec::try_from(until.left()).ok());
        let mut room = [MaybeUninit::<Event>::uninit(); AT_ONCE];
        match epoll::wait(&self.0, &mut room, left.as_ref()) {
            Ok((events, _)) => Ok(events.iter().map(|event| Source::of(event.data)).collect()),
            Err(Errno::INTR) => Ok(Vec::new()),
            Err(error) => Err(failed(error).into()),
        }
    }
}

fn failed(error: Errno) -> handoff::Error {
    handoff::Error::io("watching channels", error)
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
