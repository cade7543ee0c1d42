//! What the classes of messages do: each function is one of their methods.
//!
//! A message is its parts, as their classes and as they are declared, and the file descriptors that it owns. What the
//! declaration says of it it says by the numbers of these alone, so none is handed over before all is right. An argument
//! that is not just what a message is made of goes to the pure class, from which the message is taken over.

use std::borrow::Cow;
use std::os::fd::RawFd;
use std::sync::OnceLock;

use pyo3::PyClass;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use wirecontract::__private::message::Apart;
use wirecontract::Message as _;

use super::buffer::Held;
use super::document::purified;
use super::image::found;
use super::owned::{Owned, Several, close_all, is_each_once};
use super::pure::message_helper;

/// The class of a message.
pub(crate) trait MessageClass: PyClass<Frozen = True> + Into<PyClassInitializer<Self>> + Sync {
    /// What is declared.
    type Contract: Apart;

    /// The pure module, and the class.
    const PURE: &'static str;
    const CLASS: &'static str;

    /// The attributes that hold the parts and the tail, and those that are groups.
    const KEPT: &'static [&'static str];
    const GROUPS: &'static [&'static str];

    /// One that is not made yet.
    fn empty() -> Self;

    /// What it is made of.
    fn made(&self) -> &OnceLock<Carried<Self::Contract>>;

    /// The parts and the tail of the classes' own objects; none of what else was given.
    fn quick(given: &[Bound<'_, PyAny>]) -> Option<<Self::Contract as Apart>::Parts>;

    /// The objects of parts and tail, which were read from these bytes.
    fn give<'py>(
        py: Python<'py>,
        bytes: &[u8],
        parts: &<Self::Contract as Apart>::Parts,
    ) -> PyResult<Vec<Bound<'py, PyAny>>>;

    /// The parts and the tail of an instance of the pure class.
    fn take(value: &Bound<'_, PyAny>) -> PyResult<<Self::Contract as Apart>::Parts>;
}

/// What a message is made of.
pub(crate) struct Carried<M: Apart> {
    parts: M::Parts,
    counts: M::Counts,
    /// Parts and tail.
    objects: Py<PyTuple>,
    fds: Owned,
}

impl<M: Apart> Carried<M> {
    /// The parts and the tail.
    #[allow(dead_code, reason = "no messages that ship are told by a tag")]
    pub(crate) fn parts(&self) -> &M::Parts {
        &self.parts
    }

    fn counted(&self) -> usize {
        self.counts.as_ref().iter().sum()
    }
}

/// A message's parts, and how many file descriptors each group has: all but these.
type Found<C> =
    (<<C as MessageClass>::Contract as Apart>::Parts, <<C as MessageClass>::Contract as Apart>::Counts);

/// A message that is made.
pub(crate) fn made<C: MessageClass>(this: &C) -> PyResult<&Carried<C::Contract>> {
    this.made().get().ok_or_else(|| PyAttributeError::new_err(format!("this {} is not made yet", C::CLASS)))
}

/// Fills a message, which owns the file descriptors from then on; where it was made meanwhile, they stay the caller's.
fn fill<C: MessageClass>(
    this: &Bound<'_, C>,
    (parts, counts): Found<C>,
    objects: Py<PyTuple>,
    fds: Vec<RawFd>,
) -> PyResult<()> {
    let carried = Carried { parts, counts, objects, fds: Owned::new(C::CLASS, fds) };
    match this.get().made().set(carried) {
        Ok(()) => Ok(()),
        Err(carried) => {
            carried.fds.take();
            Err(made_already(this.as_any()))
        }
    }
}

/// A second call of a constructor, in the pure module's words.
#[cold]
pub(super) fn made_already(this: &Bound<'_, PyAny>) -> PyErr {
    let error = message_helper(this.py(), "made_already").and_then(|error| error.call1((this,)));
    error.map_or_else(|error| error, PyErr::from_value)
}

/// A group's numbers for a message, of which it has so many.
fn counts<C: MessageClass>(several: &[usize]) -> Option<<C::Contract as Apart>::Counts> {
    several.try_into().ok()
}

/// `__init__`: what a caller gave for the parts, the tail and the groups, in their order.
pub(crate) fn construct_message<'py, C: MessageClass>(
    this: &Bound<'py, C>,
    kept: &[Option<Borrowed<'_, 'py, PyAny>>],
    groups: &[Option<Borrowed<'_, 'py, PyAny>>],
) -> PyResult<()> {
    let py = this.py();
    if this.get().made().get().is_some() {
        return Err(made_already(this.as_any()));
    }
    let arguments = PyDict::new(py);
    let given: Option<Vec<Bound<'py, PyAny>>> =
        kept.iter().map(|it| it.as_ref().map(|it| (**it).clone())).collect();
    let given = given.and_then(|given| Some((C::quick(&given)?, given)));
    let mut taken = Vec::with_capacity(groups.len());
    if let Some((parts, objects)) = given {
        for group in groups {
            let several = Several::of_group(group.as_deref(), py)?;
            let is_other = matches!(several, Several::Other(_));
            taken.push(several);
            if is_other {
                break;
            }
        }
        let numbers: Option<Vec<Vec<RawFd>>> = taken.iter().map(Several::numbers).collect();
        let each = numbers.filter(|numbers| numbers.len() == groups.len());
        let all = each.as_ref().map(|each| each.concat()).filter(|all| is_each_once(all));
        let lengths = each.map(|each| each.iter().map(Vec::len).collect::<Vec<_>>());
        if let (Some(fds), Some(counts)) = (all, lengths.and_then(|it| counts::<C>(&it))) {
            found(py, C::Contract::bytes(&parts).and_then(|_| C::Contract::held(&parts, counts)))?;
            return fill(this, (parts, counts), kept_as(py, objects)?, fds);
        }
    }
    for (name, value) in C::KEPT.iter().zip(kept) {
        if let Some(value) = value {
            arguments.set_item(name, purified(value)?)?;
        }
    }
    let mut taken = taken.into_iter();
    for (name, value) in C::GROUPS.iter().zip(groups) {
        match (taken.next(), value) {
            (_, None) => {}
            (Some(several), _) => arguments.set_item(name, several.for_pure())?,
            (None, Some(value)) => arguments.set_item(name, value)?,
        }
    }
    adopt(this, &pure_class::<C>(py)?.call((), Some(&arguments))?)
}

/// The objects of parts and tail; items that were given in a list are kept in a tuple.
fn kept_as(py: Python<'_>, objects: Vec<Bound<'_, PyAny>>) -> PyResult<Py<PyTuple>> {
    let kept = objects.into_iter().map(|it| match it.cast_exact::<PyList>() {
        Ok(items) => items.to_tuple().into_any(),
        Err(_) => it,
    });
    Ok(PyTuple::new(py, kept.collect::<Vec<_>>())?.unbind())
}

fn pure_class<C: MessageClass>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.import(C::PURE)?.getattr(C::CLASS)
}

/// Takes an instance of the pure class over, with all that it owns.
fn adopt<C: MessageClass>(this: &Bound<'_, C>, pure: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = this.py();
    let parts = C::take(pure)?;
    let counted: Vec<usize> = pure.getattr("_counts")?.extract()?;
    let counts = counts::<C>(&counted).ok_or_else(|| PyTypeError::new_err("expected as many groups"))?;
    let bytes = found(py, C::Contract::bytes(&parts))?;
    let objects = PyTuple::new(py, C::give(py, &bytes, &parts)?)?.unbind();
    let fds: Vec<RawFd> = pure.call_method0("detach")?.extract()?;
    fill(this, (parts, counts), objects, fds)
}

/// `from_message`.
pub(crate) fn from_message<'py, C: MessageClass>(
    data: &Bound<'py, PyAny>,
    fds: Option<&Bound<'py, PyAny>>,
    close_refused: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, C>> {
    let py = data.py();
    let close = close_refused.map_or(Ok(false), PyAnyMethods::is_truthy)?;
    let this = Bound::new(py, C::empty())?;
    let came = Several::of(fds, py, close)?;
    if let (Some(numbers), Some(bytes)) = (came.numbers(), bytes_of(data, C::Contract::MAX_BYTES)) {
        read(&this, &bytes, numbers, close)?;
        return Ok(this);
    }
    let pure = pure_class::<C>(py)?;
    adopt(&this, &from_pure(&pure, data, came, close)?)?;
    Ok(this)
}

/// `from_message` of a pure class.
pub(super) fn from_pure<'py>(
    pure: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    came: Several<'py>,
    close: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(data.py());
    keywords.set_item("close_refused", close)?;
    pure.call_method("from_message", (data, came.for_pure()), Some(&keywords))
}

/// Fills a message with what bytes and file descriptors are, which it owns then. What refuses them leaves them the caller's,
/// or closes them.
pub(super) fn read<C: MessageClass>(
    this: &Bound<'_, C>,
    bytes: &[u8],
    fds: Vec<RawFd>,
    close: bool,
) -> PyResult<()> {
    let py = this.py();
    let read = || {
        let parts = found(py, C::Contract::read(bytes))?;
        let counts = found(py, C::Contract::share(&parts, fds.len()))?;
        let objects = PyTuple::new(py, C::give(py, bytes, &parts)?)?.unbind();
        Ok(((parts, counts), objects))
    };
    match read() {
        Ok((found, objects)) => fill(this, found, objects, fds),
        Err(error) => Err(refused(py, error, fds, close)),
    }
}

/// The same of a document that was read already.
pub(super) fn read_document<C: MessageClass>(
    this: &Bound<'_, C>,
    document: Bound<'_, PyAny>,
    fds: Vec<RawFd>,
    close: bool,
) -> PyResult<()> {
    let py = this.py();
    let objects = [document];
    let read = || {
        let parts = C::quick(&objects).ok_or_else(|| PyTypeError::new_err("expected the native document"))?;
        let counts = found(py, C::Contract::share(&parts, fds.len()))?;
        Ok(((parts, counts), PyTuple::new(py, objects)?.unbind()))
    };
    match read() {
        Ok((found, objects)) => fill(this, found, objects, fds),
        Err(error) => Err(refused(py, error, fds, close)),
    }
}

/// Why it was refused, once what came is closed, where that was said.
#[cold]
pub(super) fn refused(py: Python<'_>, error: PyErr, fds: Vec<RawFd>, close: bool) -> PyErr {
    if close {
        // What the caller has to know is why they were refused.
        let _ = close_all(py, fds);
    }
    error
}

/// The bytes of a message; none where the pure class says what is wrong with what was given, or that it is too long.
pub(super) fn bytes_of<'a>(data: &'a Bound<'_, PyAny>, most: usize) -> Option<Cow<'a, [u8]>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Some(Cow::Borrowed(bytes.as_bytes()));
    }
    if data.is_instance_of::<PyString>() {
        return None;
    }
    let held = Held::new(data).ok().filter(|held| held.length() <= most)?;
    let mut bytes = vec![0; held.length()];
    held.copy_to(&mut bytes);
    Some(Cow::Owned(bytes))
}

/// The attribute of a part or of the tail.
pub(crate) fn part<'py, C: MessageClass>(this: &Bound<'py, C>, index: usize) -> PyResult<Bound<'py, PyAny>> {
    made(this.get())?.objects.bind(this.py()).get_item(index)
}

/// The file descriptors of a group.
pub(crate) fn group<C: MessageClass>(this: &C, index: usize) -> PyResult<Vec<RawFd>> {
    let carried = made(this)?;
    let numbers = carried.fds.numbers()?;
    let counts = carried.counts.as_ref();
    let start: usize = counts[..index].iter().sum();
    Ok(numbers[start..start + counts[index]].to_vec())
}

/// `to_message`.
pub(crate) fn to_message<'py, C: MessageClass>(
    py: Python<'py>,
    this: &C,
) -> PyResult<(Bound<'py, PyBytes>, Vec<RawFd>)> {
    let carried = made(this)?;
    let fds = carried.fds.numbers()?;
    // Its groups are as its parts say since it was made.
    let bytes = found(py, C::Contract::bytes(&carried.parts))?;
    Ok((PyBytes::new(py, &bytes), fds))
}

/// `validate_import`.
pub(crate) fn import_message<C: MessageClass>(py: Python<'_>, this: &C) -> PyResult<()> {
    let carried = made(this)?;
    found(py, C::Contract::import(&carried.parts, carried.counts))
}

/// `closed`.
pub(crate) fn is_closed<C: MessageClass>(this: &C) -> bool {
    this.made().get().is_none_or(|carried| carried.fds.is_closed())
}

/// `close`.
pub(crate) fn close_message<C: MessageClass>(py: Python<'_>, this: &C) -> PyResult<()> {
    this.made().get().map_or(Ok(()), |carried| carried.fds.close(py))
}

/// `detach`.
pub(crate) fn detach_message<C: MessageClass>(this: &C) -> Vec<RawFd> {
    this.made().get().map(|carried| carried.fds.take()).unwrap_or_default()
}

/// `__reduce_ex__` of what owns file descriptors.
#[cold]
pub(crate) fn no_copies(this: &Bound<'_, PyAny>) -> PyErr {
    let error = message_helper(this.py(), "no_copies").and_then(|error| error.call1((this,)));
    error.map_or_else(|error| error, PyErr::from_value)
}

/// `__repr__` of what owns file descriptors, with the names of groups behind the others.
pub(crate) fn repr_message(
    this: &Bound<'_, PyAny>,
    kept: &[&str],
    groups: &[&str],
    closed: bool,
) -> PyResult<String> {
    let mut texts = Vec::with_capacity(kept.len() + groups.len());
    for name in kept {
        texts.push(format!("{name}={}", this.getattr(*name)?.repr()?.to_cow()?));
    }
    if closed && !groups.is_empty() {
        texts.push("closed".to_owned());
    } else if !closed {
        for name in groups {
            texts.push(format!("{name}={}", this.getattr(*name)?.str()?.to_cow()?));
        }
    }
    Ok(format!("{}({})", this.get_type().name()?.to_cow()?, texts.join(", ")))
}

/// What a message is for several of which it is one, whichever it is.
pub(crate) trait HeldMessage: Sync {
    /// Whether it is one of this class.
    fn is(&self, value: &Bound<'_, PyAny>) -> bool;

    /// The class's name.
    fn class(&self) -> &'static str;

    /// One that is not made yet.
    fn empty<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;

    /// Fills it.
    fn read(&self, it: &Bound<'_, PyAny>, bytes: &[u8], fds: Vec<RawFd>, close: bool) -> PyResult<()>;

    /// Fills it.
    fn read_document(
        &self,
        it: &Bound<'_, PyAny>,
        document: Bound<'_, PyAny>,
        fds: Vec<RawFd>,
        close: bool,
    ) -> PyResult<()>;

    /// Takes an instance of the pure class over.
    fn adopt(&self, it: &Bound<'_, PyAny>, pure: &Bound<'_, PyAny>) -> PyResult<()>;

    /// The first part.
    fn first<'py>(&self, it: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>;

    /// What it owns.
    fn numbers(&self, it: &Bound<'_, PyAny>) -> PyResult<Vec<RawFd>>;

    /// How many it had when it was made.
    fn count(&self, it: &Bound<'_, PyAny>) -> PyResult<usize>;

    /// The message's own rules at import.
    fn import_alone(&self, it: &Bound<'_, PyAny>) -> PyResult<()>;
}

/// A class's.
pub(crate) struct Of<C>(pub(crate) std::marker::PhantomData<fn() -> C>);

impl<C: MessageClass> HeldMessage for Of<C> {
    fn is(&self, value: &Bound<'_, PyAny>) -> bool {
        value.is_instance_of::<C>()
    }

    fn class(&self) -> &'static str {
        C::CLASS
    }

    fn empty<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(py, C::empty())?.into_any())
    }

    fn read(&self, it: &Bound<'_, PyAny>, bytes: &[u8], fds: Vec<RawFd>, close: bool) -> PyResult<()> {
        read(it.cast::<C>()?, bytes, fds, close)
    }

    fn read_document(
        &self,
        it: &Bound<'_, PyAny>,
        document: Bound<'_, PyAny>,
        fds: Vec<RawFd>,
        close: bool,
    ) -> PyResult<()> {
        read_document(it.cast::<C>()?, document, fds, close)
    }

    fn adopt(&self, it: &Bound<'_, PyAny>, pure: &Bound<'_, PyAny>) -> PyResult<()> {
        adopt(it.cast::<C>()?, pure)
    }

    fn first<'py>(&self, it: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        part(it.cast::<C>()?, 0)
    }

    fn numbers(&self, it: &Bound<'_, PyAny>) -> PyResult<Vec<RawFd>> {
        made(it.cast::<C>()?.get())?.fds.numbers()
    }

    fn count(&self, it: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(made(it.cast::<C>()?.get())?.counted())
    }

    fn import_alone(&self, it: &Bound<'_, PyAny>) -> PyResult<()> {
        let carried = made(it.cast::<C>()?.get())?;
        found(it.py(), C::Contract::import_alone(&carried.parts, carried.counts))
    }
}

/// The tail of what a caller gave: descriptors of a class, in a tuple or a list.
#[allow(dead_code, reason = "no message that ships has one")]
pub(crate) fn quick_tail<'py, T>(
    it: &Bound<'py, PyAny>,
    each: impl Fn(&Bound<'py, PyAny>) -> Option<T>,
) -> Option<Vec<T>> {
    if let Ok(items) = it.cast_exact::<PyTuple>() {
        return items.iter().map(|it| each(&it)).collect();
    }
    it.cast_exact::<PyList>().ok()?.iter().map(|it| each(&it)).collect()
}
