//! What a channel's calls do.

use std::io::IoSlice;
use std::iter;
use std::os::fd::AsFd as _;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use rustix::event::PollFlags;
use wirecontract::hello;
use wirecontract_runtime::handoff::{self, Deadline, Doing, Error, Expected, MOST_FDS, Sent, Waiting};

use super::super::bytes::{Buffer, Bytes, parts};
use super::super::errors;
use super::super::fd::{Fd, Few, Lent};
use super::super::given::{expected, seconds};
use super::super::message::{Message, Received};
use super::super::pure::{Pure, named};
use super::super::waiting::{Moment, Polled, polled, until};
use super::{Channel, State};
use crate::exported::in_place;

/// How often a call that no signal ends looks whether one came.
const LOOK_UP: Duration = Duration::from_millis(50);

/// The most bytes that are sent before other threads may run: letting them costs about what sending a small message does.
const AT_ONCE: usize = 64 << 10;

/// A message on its way out: what it is made of, until it is sent.
struct Outgoing<'py> {
    body: Few<Bytes<'py>>,
    fds: Lent<'py>,
}

impl<'py> Outgoing<'py> {
    fn of(
        python: Python<'py>,
        body: &[Bound<'py, PyAny>],
        fds: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Outgoing<'py>> {
        let fds = lent(python, fds)?;
        Ok(Outgoing { body: body.iter().map(Bytes::of).collect::<PyResult<_>>()?, fds })
    }
}

/// File descriptors, as many as may go with a message.
fn lent<'py>(python: Python<'py>, fds: Option<&Bound<'py, PyAny>>) -> PyResult<Lent<'py>> {
    let fds = Lent::of(fds)?;
    let found = fds.borrowed().len();
    if found > MOST_FDS {
        return Err(errors::handoff(python, &Error::TooManyFds { most: MOST_FDS, found }));
    }
    Ok(fds)
}

/// Sends a message whose body is that of one object.
pub(super) fn send<'py>(
    this: &Channel,
    body: &Bound<'py, PyAny>,
    fds: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let python = body.py();
    // A channel that is closed is refused before what is sent.
    let refused = |error| this.open(python).err().unwrap_or(error);
    let fds = lent(python, fds).map_err(refused)?;
    if let Some(bytes) = little(body) {
        // SAFETY: nothing of Python's runs before it is sent. Of what a thread without Python writes meanwhile any mixture
        // of old and new bytes is sent.
        let parts = [IoSlice::new(unsafe { &*bytes })];
        let fds = fds.borrowed();
        let sent = this.at_once(python, |channel| channel.try_send_vectored(&parts, fds))?;
        match sent.map_err(|error| this.failed(python, &error))? {
            Sent::Whole => return Ok(()),
            Sent::Begun => return flush_from(this, python),
            Sent::NotYet => {}
        }
    }
    let body = iter::once(Bytes::of(body).map_err(refused)?).collect();
    send_message(this, python, &Outgoing { body, fds })
}

/// The bytes of `bytes` or a `bytearray`, until code of Python's runs, where they are few.
fn little(body: &Bound<'_, PyAny>) -> Option<*const [u8]> {
    let bytes = match body.cast_exact::<PyBytes>() {
        Ok(bytes) => ptr::from_ref(bytes.as_bytes()),
        Err(_) => in_place(body)?.cast_const(),
    };
    (bytes.len() <= AT_ONCE).then_some(bytes)
}

/// The same with a body of several parts.
pub(super) fn send_vectored<'py>(
    this: &Channel,
    python: Python<'py>,
    body: &[Bound<'py, PyAny>],
    fds: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    this.open(python)?;
    send_message(this, python, &Outgoing::of(python, body, fds)?)
}

fn send_message(this: &Channel, python: Python<'_>, message: &Outgoing<'_>) -> PyResult<()> {
    let channel = this.open(python)?;
    let (parts, fds) = (parts(&message.body), message.fds.borrowed());
    if parts.iter().map(|part| part.len()).sum::<usize>() <= AT_ONCE {
        match channel.try_send_vectored(&parts, fds).map_err(|error| this.failed(python, &error))? {
            Sent::Whole => return Ok(()),
            Sent::Begun => return flush_from(this, python),
            Sent::NotYet => {}
        }
    }
    let mut waiting = channel.waiting(None);
    loop {
        let sent = python.detach(|| channel.send_until_signal(&parts, fds, &mut waiting));
        match sent.map_err(|error| this.failed(python, &error))? {
            Sent::Whole => return Ok(()),
            // Where a handler raises, none of it went.
            Sent::NotYet => python.check_signals()?,
            Sent::Begun => {
                python.check_signals()?;
                return flush(this, python, &channel, &mut waiting);
            }
        }
    }
}

pub(super) fn try_send<'py>(
    this: &Channel,
    python: Python<'py>,
    body: &[Bound<'py, PyAny>],
    fds: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static WHOLE: Pure = Pure::new("wirecontract.handoff", &["Sent", "WHOLE"]);
    static BEGUN: Pure = Pure::new("wirecontract.handoff", &["Sent", "BEGUN"]);
    static NOT_YET: Pure = Pure::new("wirecontract.handoff", &["Sent", "NOT_YET"]);
    let channel = this.open(python)?;
    let message = Outgoing::of(python, body, fds)?;
    let sent = channel.try_send_vectored(&parts(&message.body), message.fds.borrowed());
    let member = match sent.map_err(|error| this.failed(python, &error))? {
        Sent::Whole => &WHOLE,
        Sent::Begun => &BEGUN,
        Sent::NotYet => &NOT_YET,
    };
    member.get(python).cloned()
}

/// Sends the rest of a message that was begun, as long as that may take.
pub(super) fn flush_from(this: &Channel, python: Python<'_>) -> PyResult<()> {
    let channel = this.open(python)?;
    flush(this, python, &channel, &mut channel.waiting(None))
}

fn flush(
    this: &Channel,
    python: Python<'_>,
    channel: &handoff::Channel,
    waiting: &mut Waiting,
) -> PyResult<()> {
    let flush = || channel.flush_until_signal(waiting).map(|is_sent| is_sent.then_some(()));
    until(python, flush, |error| this.failed(python, &error))
}

pub(super) fn recv(
    this: &Channel,
    python: Python<'_>,
    expected: &Expected,
    within: Option<&Bound<'_, PyAny>>,
) -> PyResult<Message> {
    let channel = this.open(python)?;
    let within = seconds(within)?;
    if let Some(message) = channel.try_recv(expected).map_err(|error| this.failed(python, &error))? {
        return Message::of(python, message);
    }
    let mut waiting = channel.waiting(within);
    let receive = || channel.recv_until_signal(expected, &mut waiting);
    Message::of(python, until(python, receive, |error| this.failed(python, &error))?)
}

pub(super) fn recv_into(
    this: &Channel,
    python: Python<'_>,
    buffer: &Bound<'_, PyAny>,
    expected: &Expected,
    within: Option<&Bound<'_, PyAny>>,
) -> PyResult<Received> {
    let in_place = in_place(buffer).filter(|_| within.is_none());
    if let Some(place) = in_place {
        // SAFETY: nothing of Python's runs before it is filled. Of what a thread without Python reads meanwhile any mixture
        // of old and new bytes is read.
        let place = unsafe { &mut *place };
        let came = this.at_once(python, |channel| channel.try_recv_into(place, expected))?;
        if let Some(received) = came.map_err(|error| this.failed(python, &error))? {
            return Received::of(python, received);
        }
    }
    let channel = this.open(python)?;
    let mut buffer = Buffer::writable(buffer)?;
    let place = buffer.as_mut_slice();
    let within = seconds(within)?;
    if in_place.is_none()
        && let Some(received) =
            channel.try_recv_into(place, expected).map_err(|error| this.failed(python, &error))?
    {
        return Received::of(python, received);
    }
    let mut waiting = channel.waiting(within);
    let receive = || channel.recv_into_until_signal(place, expected, &mut waiting);
    Received::of(python, until(python, receive, |error| this.failed(python, &error))?)
}

/// What may come where the buffer alone may bound it.
pub(super) fn expected_of(
    python: Python<'_>,
    most_bytes: Option<&Bound<'_, PyAny>>,
    fds: Option<&Bound<'_, PyAny>>,
    repeated: bool,
) -> PyResult<Expected> {
    match most_bytes {
        Some(most_bytes) => expected(most_bytes, fds, repeated),
        None => expected(&usize::MAX.into_pyobject(python)?.into_any(), fds, repeated),
    }
}

pub(super) fn agreed<'py>(
    this: &Channel,
    contract: &Bound<'py, PyAny>,
    within: Option<Duration>,
) -> PyResult<Bound<'py, PyAny>> {
    let python = contract.py();
    let name = name_of(contract)?;
    let channel = this.open(python)?;
    let moment = Moment::after(within);
    let ask = || {
        let step = moment.left().map_or(LOOK_UP, |left| left.min(LOOK_UP));
        match channel.agreed_of(&name, step) {
            Err(Error::Timeout { doing, after, crossed }) if after == step => match within {
                Some(after) if moment.is_over() => Err(Error::Timeout { doing, after, crossed }),
                _ => Ok(None),
            },
            agreed => agreed.map(Some),
        }
    };
    said(python, until(python, ask, |error| this.failed(python, &error))?)
}

pub(super) fn try_agreed<'py>(
    this: &Channel,
    contract: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let python = contract.py();
    let name = name_of(contract)?;
    let channel = this.open(python)?;
    match channel.agreed_of(&name, Duration::ZERO) {
        Ok(agreed) => said(python, agreed).map(Some),
        Err(Error::Timeout { doing: Doing::Hello | Doing::Turn, after: Duration::ZERO, .. })
            if channel.hello_deadline().is_none_or(|deadline| !deadline.left.is_zero()) =>
        {
            Ok(None)
        }
        Err(error) => Err(this.failed(python, &error)),
    }
}

fn said(python: Python<'_>, agreed: hello::Agreed) -> PyResult<Bound<'_, PyAny>> {
    named(python, "wirecontract.contracts.negotiate", "Agreed")?.call1((agreed.version, agreed.wire_id))
}

/// The name that hellos have for a contract.
fn name_of(contract: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(name) = contract.cast::<PyString>() {
        return name.extract();
    }
    if let Ok(name) = contract.getattr("CONTRACT")
        && let Ok(name) = name.extract()
    {
        return Ok(name);
    }
    let python = contract.py();
    // What is no class of a contract is refused there.
    let nothing = named(python, "wirecontract.contracts.negotiate", "of")?.call0()?;
    let negotiate = named(python, "wirecontract.contracts.negotiate", "negotiate")?;
    negotiate.call1((&nothing, &nothing, contract))?.extract()
}

pub(super) fn wait_closed(this: &Channel, python: Python<'_>, within: Option<Duration>) -> PyResult<bool> {
    let channel = this.open(python)?;
    let moment = Moment::after(within);
    let wait = || match polled(&[(channel.as_fd(), PollFlags::RDHUP)], moment)? {
        Polled::Ready => Ok(Some(true)),
        Polled::Over => Ok(Some(false)),
        Polled::Signal => Ok(None),
    };
    let closed = until(python, wait, |error| errors::system(python, "polling a file descriptor", error))?;
    // Where this side closed it meanwhile, nothing is known of the peer.
    this.open(python)?;
    Ok(closed)
}

pub(super) fn detach(this: &Channel, python: Python<'_>) -> PyResult<Fd> {
    this.open(python)?;
    let given = this.open.change(python, |state| {
        let State::Open(taken) = std::mem::replace(state, State::Closed) else { return Err(None) };
        let (back, refused) = match Arc::try_unwrap(taken) {
            Err(shared) => (shared, Err("give its socket away, which another call has, and go on")),
            Ok(channel) => match channel.into_fd() {
                Ok(fd) => return Ok(fd),
                Err(channel) => {
                    let refused = unfinished(&channel);
                    (Arc::new(*channel), refused)
                }
            },
        };
        *state = State::Open(back);
        Err(Some(refused))
    });
    given.map(Fd::of).map_err(|refused| match refused {
        None => errors::closed(python),
        Some(Ok(error)) => errors::handoff(python, &error),
        Some(Err(direction)) => errors::unfinished(python, direction),
    })
}

/// Why a socket is not given away: the hello that was refused, or what it is in the midst of.
fn unfinished(channel: &handoff::Channel) -> Result<Error, &'static str> {
    if let Err(error) = channel.is_welcome() {
        return Ok(error);
    }
    Err(if channel.hello_deadline().is_some() {
        "give its socket away, whose hello is to come, and receive"
    } else if channel.send_deadline().0 {
        "give its socket away and send"
    } else {
        "give its socket away and receive"
    })
}

/// A moment as the pure package's event loop asks for it.
pub(super) fn limit(python: Python<'_>, deadline: Option<Deadline>) -> PyResult<Option<Bound<'_, PyAny>>> {
    static LIMIT: Pure = Pure::new("wirecontract.handoff._wait", &["Limit"]);
    let Some(Deadline { left, after }) = deadline else { return Ok(None) };
    let now: f64 = python.import("time")?.call_method0("monotonic")?.extract()?;
    LIMIT.get(python)?.call1((now + left.as_secs_f64(), after.as_secs_f64())).map(Some)
}

/// What a channel does with messages of contracts, as the pure package has it.
pub(super) fn declared<'py>(
    this: &Bound<'py, Channel>,
    call: &str,
    arguments: &[Option<&Bound<'py, PyAny>>],
    repeated: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    static CALLS: Pure = Pure::new("wirecontract.handoff._declared", &["DeclaredCalls"]);
    let python = this.py();
    let arguments = arguments.iter().map(|argument| match argument {
        Some(argument) => (*argument).clone(),
        None => python.None().into_bound(python),
    });
    let all: Vec<_> = [this.clone().into_any()].into_iter().chain(arguments).collect();
    let keywords = PyDict::new(python);
    if let Some(repeated) = repeated {
        keywords.set_item("repeated", repeated)?;
    }
    CALLS.get(python)?.getattr(call)?.call(PyTuple::new(python, all)?, Some(&keywords))
}
