//! Taking tensors from Python: through the exchange table of their type, a versioned capsule, or a legacy one.

use core::ffi::{CStr, c_int, c_void};
use core::fmt;
use core::ptr::{self, NonNull};

use wirecontract_gpu::dlpack::{
    DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackExchangeApi, DLPackExchangeApiHeader,
    DLPackVersion,
};

use crate::export::Device;
use crate::managed::{Form, Managed};
use crate::python::{AttachError, ExceptionKind, Name, Object, PyException, PyObject, Python};
use crate::request::{ConsumerStream, numbered};
use crate::tensor::{Tensor, TensorError};
use crate::view::{Pending, is_host};

/// What a tensor is asked for with.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// Where the elements are to be; None to leave them where they are.
    pub device: Option<DLDevice>,
    /// Whether the elements are to be copied by the producer: always, never, or where there is no other way.
    pub copy: Option<bool>,
    /// The stream on which the elements will be read, as `__dlpack__` has it: None of host memory.
    pub stream: Option<i64>,
}

/// Why no tensor was taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportError {
    /// An object that offers none.
    NoProtocol {
        /// Its class.
        class: String,
    },
    /// What `__dlpack__` gave is no capsule.
    NotCapsule {
        /// Its class.
        class: String,
    },
    /// A capsule of another name.
    CapsuleName {
        /// Its name.
        name: String,
    },
    /// A capsule whose tensor somebody has taken.
    Used,
    /// A capsule without a tensor in it.
    NullCapsule,
    /// An exchange table that answered neither with a tensor nor with an error.
    Exchange {
        /// What is wrong.
        problem: &'static str,
    },
    /// What came is no tensor.
    Tensor(TensorError),
    /// A tensor that is not where it was asked for.
    Device {
        /// Where it is.
        device: DLDevice,
        /// Where it was asked for.
        asked: DLDevice,
    },
    /// What the object raised.
    Raised(PyException),
    /// The thread.
    Attach(AttachError),
}

impl ImportError {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            // As the array API standard says it.
            ImportError::NoProtocol { .. } => ExceptionKind::AttributeError,
            ImportError::NotCapsule { .. } => ExceptionKind::TypeError,
            ImportError::CapsuleName { .. } | ImportError::Used => ExceptionKind::ValueError,
            ImportError::Raised(_) | ImportError::Attach(_) | ImportError::Exchange { .. } => {
                ExceptionKind::RuntimeError
            }
            _ => ExceptionKind::BufferError,
        }
    }

    /// Sets it as the thread's exception: that of the object as it was, all others as [`ImportError::kind`] says.
    pub fn raise(self, python: Python<'_>) {
        match self {
            ImportError::Raised(error) => error.restore(python),
            error => error.kind().raise(python, &error.to_string()),
        }
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::NoProtocol { class } => write!(
                f,
                "expected an object with __dlpack__ and __dlpack_device__, found one of type {class}: pass a tensor, or \
                 an array of a library that exports them"
            ),
            ImportError::NotCapsule { class } => {
                write!(f, "expected __dlpack__ to give a capsule, found an object of type {class}")
            }
            ImportError::CapsuleName { name } => write!(
                f,
                "expected a capsule of the name `dltensor_versioned` or `dltensor`, found `{name}`"
            ),
            ImportError::Used => f.write_str(
                "expected a capsule that nobody has taken, found a used one: ask the object for __dlpack__() again",
            ),
            ImportError::NullCapsule => f.write_str("expected a tensor in the capsule, found NULL"),
            ImportError::Exchange { problem } => {
                write!(f, "expected the exchange table of the object's type to answer, found that {problem}")
            }
            ImportError::Tensor(error) => error.fmt(f),
            ImportError::Device { device, asked } => write!(
                f,
                "expected a tensor of {}, found one of {}: the producer does not copy it there",
                Device(*asked),
                Device(*device)
            ),
            ImportError::Raised(error) => error.fmt(f),
            ImportError::Attach(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

holds! { ImportError {
    TensorError: Tensor;
    PyException: Raised;
    AttachError: Attach;
}}

static DLPACK: Name = Name::new(c"__dlpack__");
static EXCHANGE: Name = Name::new(c"__dlpack_c_exchange_api__");
static MAX_VERSION: Name = Name::new(c"max_version");
static DL_DEVICE: Name = Name::new(c"dl_device");
static COPY: Name = Name::new(c"copy");
static STREAM: Name = Name::new(c"stream");

const EXCHANGE_CAPSULE: &CStr = c"dlpack_exchange_api";

/// Takes the tensor of an object.
///
/// The exchange table of the object's type is asked first, where nothing is asked for that it cannot be told; then
/// `__dlpack__` for a versioned capsule, and of a producer that does not know the argument for a legacy one. What was
/// taken is checked before it is used, and what is refused is ended.
///
/// Nothing is waited for. Of a device's tensor `stream` says where it will be read, and the tensor remembers it
/// ([`Tensor::pending_on`]): elsewhere it is not there yet. Without it that is the legacy default stream of `__dlpack__`, and
/// of an exchange table the stream on which its library works.
///
/// # Errors
/// An object without a tensor, one that is none, and whatever the object raised.
///
/// # Safety
/// The object lives, and its library keeps to the protocol: the memory is as large as its numbers say, and there until
/// the deleter is called.
pub unsafe fn import(
    python: Python<'_>,
    object: *mut PyObject,
    asked: &Import,
) -> Result<Tensor, ImportError> {
    // SAFETY: an object that lives.
    let object = unsafe { Object::from_borrowed(python, object) };
    if asked.device.is_none() && asked.copy.is_none() && asked.stream.is_none() {
        if let Some(api) = exchange(&object)? {
            // SAFETY: a table of this major version, of the object's own type.
            return unsafe { from_exchange(&object, api) };
        }
    }
    if let Some(tensor) = own_capsule(&object) {
        return tensor;
    }
    let capsule = capsule_of(&object, asked)?;
    // SAFETY: as the caller says.
    let tensor = unsafe { take(&capsule) }?;
    let tensor = read_on(tensor, asked.stream);
    match asked.device {
        Some(asked) if tensor.device() != asked => {
            Err(ImportError::Device { device: tensor.device(), asked })
        }
        _ => Ok(tensor),
    }
}

/// The tensor as its consumer has it, who said to the producer where it would be read. What the standard has no meaning for,
/// the producer took all the same, and nobody knows it.
fn read_on(tensor: Tensor, stream: Option<i64>) -> Tensor {
    let device = tensor.device();
    if is_host(device) {
        return tensor;
    }
    let said = stream.map_or(ConsumerStream::Unsaid, ConsumerStream::said);
    match said.of(device) {
        Ok(Some(stream)) => tensor.pending(Pending::On(stream)),
        _ => tensor,
    }
}

/// Takes the tensor of a capsule.
///
/// # Errors
/// What is no capsule of a tensor that is there to be taken.
///
/// # Safety
/// As of [`import`].
pub unsafe fn import_capsule(python: Python<'_>, capsule: *mut PyObject) -> Result<Tensor, ImportError> {
    // SAFETY: an object that lives.
    unsafe { take(&Object::from_borrowed(python, capsule)) }
}

/// A capsule that was passed as the object itself, as functions of older libraries take it.
fn own_capsule(object: &Object<'_>) -> Option<Result<Tensor, ImportError>> {
    let is_capsule = object.is_instance(object.python().functions().capsule_type);
    // SAFETY: a capsule, whose producer keeps to the protocol as the caller of `import` says.
    is_capsule.then(|| unsafe { take(object) })
}

fn capsule_of<'py>(object: &Object<'py>, asked: &Import) -> Result<Object<'py>, ImportError> {
    let python = object.python();
    let Some(method) = object.attribute(&DLPACK)? else {
        return Err(ImportError::NoProtocol { class: object.class_name() });
    };
    let version = DLPackVersion::CURRENT;
    let numbers = [i64::from(version.major), i64::from(version.minor)];
    let mut arguments: Vec<(&Name, Object<'py>)> = Vec::with_capacity(4);
    arguments.push((&MAX_VERSION, tuple(python, numbers)?));
    if let Some(stream) = asked.stream {
        arguments.push((&STREAM, Object::of_integer(python, stream)?));
    }
    if let Some(DLDevice { device_type, device_id }) = asked.device {
        arguments.push((&DL_DEVICE, tuple(python, [i64::from(device_type.raw()), i64::from(device_id)])?));
    }
    if let Some(copy) = asked.copy {
        arguments.push((&COPY, Object::of_bool(python, copy)?));
    }
    let is_older = |error: &PyException| error.is(python, ExceptionKind::TypeError);
    match call(&method, &arguments) {
        // Older than the argument: whatever else was asked for must not be left unsaid.
        Err(error) if asked.copy.is_none() && asked.device.is_none() && is_older(&error) => {
            arguments.remove(0);
            Ok(call(&method, &arguments)?)
        }
        called => Ok(called?),
    }
}

fn tuple(python: Python<'_>, numbers: [i64; 2]) -> Result<Object<'_>, PyException> {
    Object::of_tuple(python, numbers.map(|number| Object::of_integer(python, number)).into_iter())
}

fn call<'py>(method: &Object<'py>, arguments: &[(&Name, Object<'py>)]) -> Result<Object<'py>, PyException> {
    let python = method.python();
    let names = arguments.iter().map(|(name, _)| {
        let name = name.get(python)?;
        // SAFETY: an interned name, which stays.
        Ok(unsafe { Object::from_borrowed(python, name) })
    });
    let names = Object::of_tuple(python, names)?;
    let values: Vec<*mut PyObject> = arguments.iter().map(|(_, value)| value.as_ptr()).collect();
    // SAFETY: a value for each name, none positional, all of which live; the thread is attached.
    unsafe {
        let called =
            (python.functions().PyObject_Vectorcall)(method.as_ptr(), values.as_ptr(), 0, names.as_ptr());
        Object::from_owned(python, called)
    }
}

/// Takes what is in a capsule: from the renaming on the tensor is ours, and ended here where it is refused.
///
/// # Safety
/// The capsule's producer keeps to the protocol.
unsafe fn take(capsule: &Object<'_>) -> Result<Tensor, ImportError> {
    let python = capsule.python();
    let functions = python.functions();
    if !capsule.is_instance(functions.capsule_type) {
        return Err(ImportError::NotCapsule { class: capsule.class_name() });
    }
    // SAFETY: as the caller says.
    unsafe {
        if let Some(made) = claim::<DLManagedTensorVersioned>(capsule)? {
            return Ok(Tensor::from_versioned(made)?);
        }
        if let Some(made) = claim::<DLManagedTensor>(capsule)? {
            return Ok(Tensor::from_legacy(made)?);
        }
    }
    // SAFETY: a capsule, of an attached thread.
    let name = unsafe { (functions.PyCapsule_GetName)(capsule.as_ptr()) };
    if name.is_null() {
        return Err(ImportError::CapsuleName { name: String::new() });
    }
    // SAFETY: a C string that the capsule's maker keeps.
    let name = unsafe { CStr::from_ptr(name) };
    if [DLManagedTensorVersioned::USED, DLManagedTensor::USED].contains(&name) {
        return Err(ImportError::Used);
    }
    Err(ImportError::CapsuleName { name: name.to_string_lossy().into_owned() })
}

/// Renames a capsule of this form, after which its tensor is ours; None of another one.
unsafe fn claim<F: Form>(capsule: &Object<'_>) -> Result<Option<Managed<F>>, ImportError> {
    let python = capsule.python();
    let functions = python.functions();
    // Nothing of Python's runs in it, the making of an error least of all.
    let claimed = Python::one_at_a_time(|| {
        // SAFETY: a capsule, of an attached thread; of this name, where it is valid; the new name stays.
        unsafe {
            if (functions.PyCapsule_IsValid)(capsule.as_ptr(), F::CAPSULE.as_ptr()) == 0 {
                return None;
            }
            let form = (functions.PyCapsule_GetPointer)(capsule.as_ptr(), F::CAPSULE.as_ptr());
            let renamed = (functions.PyCapsule_SetName)(capsule.as_ptr(), F::USED.as_ptr());
            Some(if renamed == 0 { NonNull::new(form.cast::<F>()) } else { None })
        }
    });
    match claimed {
        None => Ok(None),
        // SAFETY: whoever renames a capsule owns its tensor from then on.
        Some(Some(form)) => Ok(Some(unsafe { Managed::from_raw(form) })),
        Some(None) => Err(PyException::take(python).into()),
    }
}

/// The exchange table of an object's type, where it has one of major version 1.
fn exchange(object: &Object<'_>) -> Result<Option<NonNull<DLPackExchangeApi>>, ImportError> {
    let python = object.python();
    let functions = python.functions();
    let Some(capsule) = object.class()?.attribute(&EXCHANGE)? else { return Ok(None) };
    // SAFETY: whether it is a capsule of this name is asked first.
    let api = unsafe {
        if (functions.PyCapsule_IsValid)(capsule.as_ptr(), EXCHANGE_CAPSULE.as_ptr()) == 0 {
            return Ok(None);
        }
        (functions.PyCapsule_GetPointer)(capsule.as_ptr(), EXCHANGE_CAPSULE.as_ptr())
    };
    let mut header = api.cast::<DLPackExchangeApiHeader>();
    // A table that goes round in circles is none; nobody has kept as many versions.
    for _ in 0..64 {
        // SAFETY: NULL, or a table that lives as long as the process, whose header is that of every version.
        match unsafe { header.as_ref() } {
            None => return Ok(None),
            Some(found) if found.version.major == DLPackVersion::CURRENT.major => {
                return Ok(NonNull::new(header.cast()));
            }
            Some(older) => header = older.prev_api,
        }
    }
    Ok(None)
}

/// # Safety
/// The table is of this major version, and of the object's type.
unsafe fn from_exchange(object: &Object<'_>, api: NonNull<DLPackExchangeApi>) -> Result<Tensor, ImportError> {
    let python = object.python();
    // SAFETY: a table that lives as long as the process.
    let api = unsafe { api.as_ref() };
    let Some(from_object) = api.managed_tensor_from_py_object_no_sync else {
        return Err(ImportError::Exchange { problem: "it has no function that exports" });
    };
    let mut made: *mut DLManagedTensorVersioned = ptr::null_mut();
    // SAFETY: an object of the table's type, and a place for the answer; the thread is attached.
    let status: c_int = unsafe { from_object(object.as_ptr().cast::<c_void>(), &raw mut made) };
    if status != 0 {
        return Err(PyException::take(python).into());
    }
    let made = NonNull::new(made).ok_or(ImportError::Exchange { problem: "it gave NULL" })?;
    // SAFETY: a new tensor, which is ours.
    let tensor = unsafe { Tensor::from_versioned(Managed::from_raw(made)) }?;
    if is_host(tensor.device()) {
        return Ok(tensor);
    }
    // SAFETY: of the tensor's device, and the thread is attached.
    Ok(match unsafe { work_stream(python, api, tensor.device()) } {
        Some(stream) => tensor.pending(Pending::On(stream)),
        None => tensor,
    })
}

/// The stream on which a table's library works on a device; None where it does no work there.
///
/// # Safety
/// A table of this major version.
unsafe fn work_stream(python: Python<'_>, api: &DLPackExchangeApi, device: DLDevice) -> Option<usize> {
    let current = api.current_work_stream?;
    let mut stream: *mut c_void = ptr::null_mut();
    // SAFETY: a place for the answer; the thread is attached.
    let status = unsafe { current(device.device_type, device.device_id, &raw mut stream) };
    if status != 0 {
        drop(PyException::take(python));
        return None;
    }
    Some(numbered(stream, device))
}
