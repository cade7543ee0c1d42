//! What the classes of several messages do: a base, and one for each variant, which holds a message, what the union's
//! variant of that name holds, or nothing.

use std::os::fd::RawFd;
use std::sync::OnceLock;

use pyo3::PyClass;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use wirecontract::__private::message::MOST_FDS;
use wirecontract::__private::message::beside::{Flexible, none, share};
use wirecontract::WireError;

use super::buffer::Held;
use super::document::purified;
use super::image::found;
use super::message::{HeldMessage, bytes_of, from_pure, made_already, no_copies, refused};
use super::owned::{Owned, Several};
use super::pure::Place;

/// The base of the variants.
pub(crate) trait MessagesClass: PyClass<Frozen = True> + Sync {
    /// The pure module, the class, and the contract.
    const PURE: &'static str;
    const CLASS: &'static str;
    const CONTRACT: &'static str;

    /// The longest of them.
    const MAX_BYTES: usize;

    /// The variants, as declared.
    const VARIANTS: &'static [Variant];

    /// The union that is the body, where one is.
    const BODY: Option<fn(Python<'_>) -> Bound<'_, PyType>>;

    /// The position of the variant that bytes say by their tag.
    fn which(bytes: &[u8]) -> Result<usize, WireError>;

    /// What a variant is made of.
    fn choice(&self) -> &Choice;
}

/// A variant.
pub(crate) struct Variant {
    pub(crate) class: &'static str,
    /// One that is not made yet.
    pub(crate) empty: fn(Python<'_>) -> PyResult<Bound<'_, PyAny>>,
    /// The class of the union's variant of this name.
    pub(crate) of_union: Option<fn(Python<'_>) -> Bound<'_, PyType>>,
    pub(crate) holds: Holds,
}

/// What refuses a message whose first part says another variant.
pub(crate) type Checks = fn(&Bound<'_, PyAny>) -> PyResult<()>;

/// What a variant holds.
#[allow(dead_code, reason = "the variants hold what some contract says")]
pub(crate) enum Holds {
    /// A message; where a tag says which, what refuses another tag in it.
    Message(&'static dyn HeldMessage, Option<Checks>),
    /// What the union's variant holds.
    Value,
    /// As little as that one.
    Nothing,
    /// A document of an unknown tag, and the file descriptors beside it.
    Other,
}

/// A variant, and what it holds once it is made.
pub(crate) struct Choice {
    which: usize,
    held: OnceLock<Kept>,
}

struct Kept {
    value: Py<PyAny>,
    /// Of the open variant.
    own: Option<Owned>,
}

impl Choice {
    /// One of that variant, which is not made yet.
    pub(crate) const fn of(which: usize) -> Choice {
        Choice { which, held: OnceLock::new() }
    }

    fn kept(&self) -> PyResult<&Kept> {
        self.held.get().ok_or_else(|| PyAttributeError::new_err("this message is not made yet"))
    }

    fn fill(&self, this: &Bound<'_, PyAny>, value: Bound<'_, PyAny>, own: Option<Owned>) -> PyResult<()> {
        match self.held.set(Kept { value: value.unbind(), own }) {
            Ok(()) => Ok(()),
            Err(kept) => {
                kept.own.map(|own| own.take());
                Err(made_already(this))
            }
        }
    }
}

fn variant<M: MessagesClass>(choice: &Choice) -> &'static Variant {
    &M::VARIANTS[choice.which]
}

fn pure_class<'py>(py: Python<'py>, module: &str, class: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(class)
}

/// How many file descriptors the open variant has, or that there are none beside another document.
fn check_fds<M: MessagesClass>(holds: &Holds, came: usize) -> Result<(), WireError> {
    match holds {
        Holds::Other => {
            let flexible = Flexible { index: 0, least: 0, most: MOST_FDS };
            share(M::CONTRACT, [0], Some(flexible), came).map(|_| ())
        }
        _ => none(came, M::CONTRACT),
    }
}

/// `from_message`.
pub(crate) fn of_messages<'py, M: MessagesClass>(
    data: &Bound<'py, PyAny>,
    fds: Option<&Bound<'py, PyAny>>,
    close_refused: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let close = close_refused.map_or(Ok(false), PyAnyMethods::is_truthy)?;
    let came = Several::of(fds, py, close)?;
    // A document may be text, and no message is.
    let is_bytes = data.is_exact_instance_of::<PyBytes>() || Held::new(data).is_ok();
    let numbers = came.numbers().filter(|_| is_bytes);
    match (numbers, M::BODY) {
        (Some(numbers), Some(body)) => {
            let document = match body(py).call_method1("from_json", (data,)) {
                Ok(document) => document,
                Err(error) => return Err(refused(py, error, numbers, close)),
            };
            of_document::<M>(&document, numbers, close)
        }
        (Some(numbers), None) => match bytes_of(data, M::MAX_BYTES) {
            Some(bytes) => of_bytes::<M>(py, &bytes, numbers, close),
            None => of_pure::<M>(data, came, close),
        },
        (None, _) => of_pure::<M>(data, came, close),
    }
}

/// The variant that a document says.
fn of_document<'py, M: MessagesClass>(
    document: &Bound<'py, PyAny>,
    fds: Vec<RawFd>,
    close: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = document.py();
    let class = document.get_type();
    let mut fds = Some(fds);
    let mut read = || {
        let is_its = |variant: &&Variant| variant.of_union.is_some_and(|of_union| of_union(py).is(&class));
        let variant = M::VARIANTS.iter().find(is_its);
        let variant = variant.ok_or_else(|| super::document::unknown_variant(&class))?;
        let this = (variant.empty)(py)?;
        let choice = this.cast::<M>()?.get().choice();
        let came = fds.as_ref().map_or(0, Vec::len);
        match &variant.holds {
            Holds::Message(message, _) => {
                let (it, part) = (message.empty(py)?, document.getattr("value")?);
                choice.fill(&this, it.clone(), None)?;
                // From here on what is wrong closes them, where that was said.
                message.read_document(&it, part, fds.take().unwrap_or_default(), close)?;
            }
            Holds::Other => {
                found(py, check_fds::<M>(&variant.holds, came))?;
                let own = Owned::new(variant.class, fds.take().unwrap_or_default());
                choice.fill(&this, document.clone(), Some(own))?;
            }
            Holds::Value | Holds::Nothing => {
                found(py, check_fds::<M>(&variant.holds, came))?;
                choice.fill(&this, value_in(&variant.holds, document)?, None)?;
            }
        }
        Ok(this)
    };
    let result = read();
    result.map_err(|error| refused(py, error, fds.take().unwrap_or_default(), close))
}

/// What a variant of a union holds.
fn value_in<'py>(holds: &Holds, document: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match holds {
        Holds::Nothing => Ok(document.py().None().into_bound(document.py())),
        _ => document.getattr("value"),
    }
}

/// The variant that a tag says.
fn of_bytes<'py, M: MessagesClass>(
    py: Python<'py>,
    bytes: &[u8],
    fds: Vec<RawFd>,
    close: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let begun = || {
        let variant = &M::VARIANTS[found(py, M::which(bytes))?];
        let Holds::Message(message, _) = &variant.holds else {
            return Err(super::document::no_variant(M::CLASS));
        };
        let (this, it) = ((variant.empty)(py)?, message.empty(py)?);
        this.cast::<M>()?.get().choice().fill(&this, it.clone(), None)?;
        Ok((this, message, it))
    };
    match begun() {
        Ok((this, message, it)) => message.read(&it, bytes, fds, close).map(|()| this),
        Err(error) => Err(refused(py, error, fds, close)),
    }
}

/// What the pure class makes of the same, taken over.
fn of_pure<'py, M: MessagesClass>(
    data: &Bound<'py, PyAny>,
    came: Several<'py>,
    close: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let pure = from_pure(&pure_class(py, M::PURE, M::CLASS)?, data, came, close)?;
    let class = pure.get_type();
    let name = class.name()?;
    let variant = M::VARIANTS.iter().find(|variant| name == variant.class);
    let variant = variant.ok_or_else(|| super::document::unknown_variant(&class))?;
    let this = (variant.empty)(py)?;
    let choice = this.cast::<M>()?.get().choice();
    match &variant.holds {
        Holds::Message(message, _) => {
            let it = message.empty(py)?;
            message.adopt(&it, &pure.getattr("value")?)?;
            choice.fill(&this, it, None)?;
        }
        Holds::Other => {
            let body = impure::<M>(&pure.getattr("body")?)?;
            let fds: Vec<RawFd> = pure.call_method0("detach")?.extract()?;
            choice.fill(&this, body, Some(Owned::new(variant.class, fds)))?;
        }
        Holds::Value | Holds::Nothing => {
            let bytes = pure.call_method0("to_message")?.get_item(0)?;
            let body = M::BODY.ok_or_else(|| super::document::no_variant(M::CLASS))?;
            let document = body(py).call_method1("from_json", (bytes,))?;
            choice.fill(&this, value_in(&variant.holds, &document)?, None)?;
        }
    }
    Ok(this)
}

/// A document of the pure union's as the native one.
fn impure<'py, M: MessagesClass>(document: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let body = M::BODY.ok_or_else(|| super::document::no_variant(M::CLASS))?;
    body(document.py()).call_method1("from_json", (document.call_method0("to_json")?,))
}

/// `__init__` of a variant that is not open.
pub(crate) fn construct_variant<M: MessagesClass>(
    this: &Bound<'_, M>,
    value: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let py = this.py();
    let choice = this.get().choice();
    if choice.held.get().is_some() {
        return Err(made_already(this.as_any()));
    }
    let variant = variant::<M>(choice);
    let held = match (&variant.holds, value, variant.of_union) {
        (Holds::Message(message, _), Some(value), _) if message.is(value) => value.clone(),
        (Holds::Message(message, _), Some(value), _) => {
            let place = Place { contract: M::CONTRACT, field: "", offset: 0 };
            return Err(place.wrong_type(value, message.class()));
        }
        (_, Some(value), Some(of_union)) => value_in(&variant.holds, &of_union(py).call1((value,))?)?,
        _ => py.None().into_bound(py),
    };
    choice.fill(this.as_any(), held, None)
}

/// `__init__` of the open variant.
#[allow(dead_code, reason = "no messages that ship have one")]
pub(crate) fn construct_open<'py, M: MessagesClass>(
    this: &Bound<'py, M>,
    body: &Bound<'py, PyAny>,
    fds: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let py = this.py();
    let choice = this.get().choice();
    if choice.held.get().is_some() {
        return Err(made_already(this.as_any()));
    }
    let variant = variant::<M>(choice);
    let is_its = variant.of_union.is_some_and(|of_union| body.get_type().is(of_union(py)));
    let mut came = None;
    if is_its {
        let several = Several::of(fds, py, false)?;
        if let Some(numbers) = several.numbers() {
            found(py, check_fds::<M>(&variant.holds, numbers.len()))?;
            return choice.fill(this.as_any(), body.clone(), Some(Owned::new(variant.class, numbers)));
        }
        came = Some(several.for_pure());
    }
    let arguments = PyDict::new(py);
    arguments.set_item("body", purified(body)?)?;
    if let Some(came) = came.or_else(|| fds.cloned()) {
        arguments.set_item("fds", came)?;
    }
    let pure = pure_class(py, M::PURE, variant.class)?.call((), Some(&arguments))?;
    let body = impure::<M>(&pure.getattr("body")?)?;
    let fds: Vec<RawFd> = pure.call_method0("detach")?.extract()?;
    choice.fill(this.as_any(), body, Some(Owned::new(variant.class, fds)))
}

/// The attribute that has what a variant holds.
pub(crate) fn value_of<'py, M: MessagesClass>(this: &Bound<'py, M>) -> PyResult<Bound<'py, PyAny>> {
    Ok(this.get().choice().kept()?.value.bind(this.py()).clone())
}

/// The file descriptors of the open variant.
pub(crate) fn open_fds<M: MessagesClass>(this: &M) -> PyResult<Vec<RawFd>> {
    match &this.choice().kept()?.own {
        Some(own) => own.numbers(),
        None => Ok(Vec::new()),
    }
}

/// The document of a variant that holds no message, or that of its message.
fn document<'py, M: MessagesClass>(this: &Bound<'py, M>) -> PyResult<Bound<'py, PyAny>> {
    let choice = this.get().choice();
    let (variant, value) = (variant::<M>(choice), value_of(this)?);
    let py = this.py();
    match (&variant.holds, variant.of_union) {
        (Holds::Nothing, Some(of_union)) => of_union(py).call0(),
        (Holds::Value, Some(of_union)) => of_union(py).call1((value,)),
        (Holds::Message(message, _), Some(of_union)) => of_union(py).call1((message.first(&value)?,)),
        _ => Ok(value),
    }
}

/// `to_message`.
pub(crate) fn write_choice<'py, M: MessagesClass>(
    this: &Bound<'py, M>,
) -> PyResult<(Bound<'py, PyBytes>, Vec<RawFd>)> {
    let choice = this.get().choice();
    let (variant, value) = (variant::<M>(choice), value_of(this)?);
    let Holds::Message(message, check) = &variant.holds else {
        let fds = open_fds(this.get())?;
        return Ok((document(this)?.call_method0("to_json")?.cast_into::<PyBytes>()?, fds));
    };
    let fds = message.numbers(&value)?;
    if let Some(check) = check {
        check(&value)?;
        let written = value.call_method0("to_message")?.get_item(0)?;
        return Ok((written.cast_into::<PyBytes>()?, fds));
    }
    Ok((document(this)?.call_method0("to_json")?.cast_into::<PyBytes>()?, fds))
}

/// `validate_import`.
pub(crate) fn import_choice<M: MessagesClass>(this: &Bound<'_, M>) -> PyResult<()> {
    let choice = this.get().choice();
    let (variant, value) = (variant::<M>(choice), value_of(this)?);
    match &variant.holds {
        Holds::Message(_, Some(_)) => value.call_method0("validate_import").map(drop),
        Holds::Message(message, None) => {
            document(this)?.call_method1("validate_import", (message.count(&value)?,))?;
            message.import_alone(&value)
        }
        _ => {
            let count = open_fds(this.get())?.len();
            document(this)?.call_method1("validate_import", (count,)).map(drop)
        }
    }
}

/// What a variant holds that owns file descriptors: a message.
fn owner<'py, M: MessagesClass>(this: &Bound<'py, M>) -> Option<Bound<'py, PyAny>> {
    let choice = this.get().choice();
    let is_message = matches!(variant::<M>(choice).holds, Holds::Message(..));
    choice.held.get().filter(|_| is_message).map(|kept| kept.value.bind(this.py()).clone())
}

fn own<M: MessagesClass>(this: &M) -> Option<&Owned> {
    this.choice().held.get()?.own.as_ref()
}

/// `closed`.
pub(crate) fn is_choice_closed<M: MessagesClass>(this: &Bound<'_, M>) -> PyResult<bool> {
    if let Some(own) = own(this.get()) {
        return Ok(own.is_closed());
    }
    match owner(this) {
        Some(message) => message.getattr("closed")?.extract(),
        None => Ok(matches!(variant::<M>(this.get().choice()).holds, Holds::Other)),
    }
}

/// `close`.
pub(crate) fn close_choice<M: MessagesClass>(this: &Bound<'_, M>) -> PyResult<()> {
    if let Some(own) = own(this.get()) {
        return own.close(this.py());
    }
    owner(this).map_or(Ok(()), |message| message.call_method0("close").map(drop))
}

/// `detach`.
pub(crate) fn detach_choice<M: MessagesClass>(this: &Bound<'_, M>) -> PyResult<Vec<RawFd>> {
    if let Some(own) = own(this.get()) {
        return Ok(own.take());
    }
    match owner(this) {
        Some(message) => message.call_method0("detach")?.extract(),
        None => Ok(Vec::new()),
    }
}

/// `__reduce_ex__`: a document alone may be copied and pickled.
pub(crate) fn reduce_choice<'py, M: MessagesClass>(
    this: &Bound<'py, M>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let py = this.py();
    let class = this.as_any().get_type().into_any();
    match variant::<M>(this.get().choice()).holds {
        Holds::Message(..) | Holds::Other => Err(no_copies(this.as_any())),
        Holds::Value => Ok((class, PyTuple::new(py, [value_of(this)?])?)),
        Holds::Nothing => Ok((class, PyTuple::empty(py))),
    }
}
