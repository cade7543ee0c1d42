//! `wirecontract.Producer`, `Consumer`, `Lease` and `Held`: buffers that are lent, over `wirecontract_runtime::lease`.

mod consumer;
mod held;
mod lent;
mod producer;
mod said;

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use pyo3::prelude::*;
use wirecontract_runtime::handoff::{self, Doing};
use wirecontract_runtime::lease::{Error, Options};

use super::channel::Channel;
use super::errors;
use super::fd::{Fd, number_of};
use super::given::seconds;
use super::made::Made;
use super::pure::{Pure, named};
use super::waiting::{Moment, pause};

pub(crate) use consumer::Consumer;
pub(crate) use held::Held;
pub(crate) use lent::Lease;
pub(crate) use producer::Producer;

/// How often a wait, which no signal ends, looks whether one came.
const LOOK_UP: Duration = Duration::from_millis(50);

/// How long until a channel is asked for again that another thread's call has.
const AGAIN: Duration = Duration::from_millis(5);

/// Waits while other threads of Python's run, and handlers of signals between looks: what `ask` gives within a time.
///
/// # Errors
/// What a signal's handler raised; within it what `ask` refuses.
fn wait<T: Send>(
    python: Python<'_>,
    within: Option<Duration>,
    mut ask: impl FnMut(Duration) -> Result<T, Error> + Send,
) -> PyResult<Result<T, Error>> {
    let moment = Moment::after(within);
    loop {
        let step = moment.left().map_or(LOOK_UP, |left| left.min(LOOK_UP));
        match python.detach(|| ask(step)) {
            Err(Error::Timeout { doing, after }) if after == step => match within {
                Some(after) if moment.is_over() => return Ok(Err(Error::Timeout { doing, after })),
                _ => python.check_signals()?,
            },
            asked => return Ok(asked),
        }
    }
}

/// The same, with its refusal as an exception.
fn waited<T: Send>(
    python: Python<'_>,
    within: Option<&Bound<'_, PyAny>>,
    ask: impl FnMut(Duration) -> Result<T, Error> + Send,
) -> PyResult<T> {
    wait(python, seconds(within)?, ask)?.map_err(|error| said::raised(python, &error))
}

/// A side of a channel, which it has from then on.
fn side_of<T: Clone + Send + Sync + 'static>(
    channel: &Bound<'_, PyAny>,
    name: &'static str,
    new: impl Fn(handoff::Channel) -> Result<T, Error> + Sync,
    close: fn(&T),
) -> PyResult<T> {
    let python = channel.py();
    let Ok(channel) = channel.cast::<Channel>() else {
        let of_type = named(python, "wirecontract.handoff._arguments", "of_type")?;
        let class = python.get_type::<Channel>();
        of_type.call1(("a channel", channel, format!("a Channel for a {name} of leases"), class))?;
        return Err(errors::closed(python));
    };
    let limit = channel.get().options(python).bind(python).getattr("message_timeout")?;
    let time = seconds(Some(&limit).filter(|limit| !limit.is_none()))?;
    let moment = Moment::after(time);
    loop {
        let made = channel.get().give(python, name, |channel| {
            let side = new(channel)?;
            let closes = side.clone();
            Ok((side, Box::new(move || close(&closes)) as Box<dyn Fn() + Send + Sync>))
        })?;
        match made {
            Some(made) => return made.map_err(|error| said::raised(python, &error)),
            None if moment.is_over() => {
                return Err(errors::late(python, Doing::Turn, time.unwrap_or_default().as_secs_f64()));
            }
            None => {
                python.detach(|| pause(AGAIN));
                python.check_signals()?;
            }
        }
    }
}

/// The pure package's `lease.Options` as the runtime has them, and how long an answer is waited for.
fn options(python: Python<'_>, given: Option<&Bound<'_, PyAny>>) -> PyResult<(Options, Option<Duration>)> {
    static OF: Pure = Pure::new("wirecontract.lease", &["Options", "of"]);
    let pure = OF.get(python)?.call1((given,))?;
    let limit = |name: &str| -> PyResult<Option<Duration>> {
        let limit = pure.getattr(name)?;
        seconds(Some(&limit).filter(|limit| !limit.is_none()))
    };
    let answer = limit("answer_timeout")?;
    let options = Options::default()
        .most_leases(pure.getattr("most_leases")?.extract()?)
        .answer_timeout(answer)
        .hello(pure.getattr("hello")?.extract()?)
        .hello_timeout(limit("hello_timeout")?);
    Ok((options, answer))
}

/// What an event loop watches: duplicates of a side's file descriptors. Its event is one that the side has told by.
fn watched(
    event: &Bound<'_, PyAny>,
    channel: BorrowedFd<'_>,
    process: Option<BorrowedFd<'_>>,
    tell: impl FnOnce(OwnedFd),
) -> PyResult<Vec<Fd>> {
    // SAFETY: no negative number, of an object that is held here.
    let event = unsafe { BorrowedFd::borrow_raw(number_of(event)?) }.try_clone_to_owned()?;
    let watched = std::iter::once(channel).chain(process).map(|fd| Ok(Fd::of(fd.try_clone_to_owned()?)));
    let watched = watched.collect::<PyResult<_>>()?;
    tell(event);
    Ok(watched)
}

/// What a file descriptor is to be polled for, as `selectors` has it.
fn interest(interest: handoff::Interest) -> i32 {
    i32::from(interest.readable) | (i32::from(interest.writable) << 1)
}
