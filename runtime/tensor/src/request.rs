//! What a consumer asks `__dlpack__` for.

use core::ffi::c_void;
use core::fmt;

use wirecontract_gpu::dlpack::{DLDevice, DLDeviceType};

use crate::export::Device;
use crate::python::{ExceptionKind, Name, Object, PyException, PyObject, Python};

/// The stream on which a consumer will read. Which numbers are streams, the device says ([`ConsumerStream::of`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConsumerStream {
    /// Nothing is said: the legacy default stream of a device, and nothing to wait for in host memory.
    #[default]
    Unsaid,
    /// The consumer waits by itself.
    NoSynchronization,
    /// This one: of CUDA a `cudaStream_t`, or 1 and 2 for the two default ones; of `ROCm` a `hipStream_t`, or 0 for the
    /// default one.
    On(usize),
}

/// The number of a stream that an exchange table says: NULL is the default one, which of CUDA is the legacy one, 1.
pub(crate) fn numbered(stream: *mut c_void, device: DLDevice) -> usize {
    if stream.is_null() { usize::from(!is_rocm(device)) } else { stream.addr() }
}

/// Whether streams are numbered as `ROCm` has them.
fn is_rocm(device: DLDevice) -> bool {
    device.device_type.known() == Some(DLDeviceType::Rocm)
}

impl ConsumerStream {
    /// As `__dlpack__` has it: -1 of a consumer that waits by itself.
    pub(crate) fn said(stream: i64) -> ConsumerStream {
        usize::try_from(stream).map_or(ConsumerStream::NoSynchronization, ConsumerStream::On)
    }

    /// The stream of a device, as the array API standard numbers them; None where the consumer waits by itself.
    ///
    /// # Errors
    /// 1 and 2 of `ROCm`, which has the one default stream 0; 0 of all others, which may mean two streams.
    pub fn of(self, device: DLDevice) -> Result<Option<usize>, RequestError> {
        let is_rocm = is_rocm(device);
        match self {
            ConsumerStream::Unsaid => Ok(Some(usize::from(!is_rocm))),
            ConsumerStream::NoSynchronization => Ok(None),
            ConsumerStream::On(found @ (1 | 2)) if is_rocm => Err(RequestError::RocmStream { found, device }),
            ConsumerStream::On(0) if !is_rocm => Err(RequestError::Stream { found: 0 }),
            ConsumerStream::On(handle) => Ok(Some(handle)),
        }
    }
}

/// The arguments of `__dlpack__`, as the array API standard of 2025.12 has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// Where the consumer will read.
    pub stream: ConsumerStream,
    /// The newest version that the consumer understands; None of one that knows the legacy struct alone.
    pub max_version: Option<(i64, i64)>,
    /// Where the elements are to be; None to leave them where they are.
    pub device: Option<DLDevice>,
    /// Whether the elements are to be copied: always, never, or where there is no other way.
    pub copy: Option<bool>,
}

/// The objects that were passed: NULL of what was not.
#[derive(Clone, Copy, Debug)]
pub struct Arguments {
    /// `stream`.
    pub stream: *mut PyObject,
    /// `max_version`.
    pub max_version: *mut PyObject,
    /// `dl_device`.
    pub dl_device: *mut PyObject,
    /// `copy`.
    pub copy: *mut PyObject,
}

impl Default for Arguments {
    fn default() -> Arguments {
        let none = core::ptr::null_mut();
        Arguments { stream: none, max_version: none, dl_device: none, copy: none }
    }
}

/// Why arguments are not those of `__dlpack__`.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestError {
    /// An argument of a type that it cannot be of.
    Type {
        /// Which.
        argument: &'static str,
        /// What it may be.
        expected: &'static str,
        /// The class that came.
        found: String,
    },
    /// A word for `copy` that is none.
    Copy {
        /// The class that came.
        found: String,
    },
    /// A stream of no meaning.
    Stream {
        /// What came; `i64::MAX` of that and of all beyond.
        found: i64,
    },
    /// A stream of CUDA's, of a device of `ROCm`'s.
    RocmStream {
        /// What came.
        found: usize,
        /// The device.
        device: DLDevice,
    },
    /// A device whose numbers are beyond 32 bits.
    Device {
        /// What came.
        found: (i64, i64),
    },
    /// What the argument itself raised.
    Raised(PyException),
}

impl RequestError {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            RequestError::Type { .. } => ExceptionKind::TypeError,
            _ => ExceptionKind::ValueError,
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestError::Type { argument, expected, found } => {
                write!(f, "expected {argument} to be {expected}, found an object of type {found}")
            }
            // As numpy says it, a `ValueError`.
            RequestError::Copy { found } => {
                write!(f, "expected copy to be None, True or False, found an object of type {found}")
            }
            RequestError::Stream { found: 0 } => f.write_str(
                "expected a stream, found 0, which may mean two of them: say 1 for the legacy default stream, 2 for the \
                 one of each thread, or None",
            ),
            RequestError::Stream { found: i64::MAX } => f.write_str(
                "expected a stream (a cudaStream_t, 1, 2, or -1 for no synchronization), found 2**63 - 1 or more, which no \
                 pointer is",
            ),
            RequestError::Stream { found } => write!(
                f,
                "expected a stream (a cudaStream_t, 1, 2, or -1 for no synchronization), found {found}"
            ),
            RequestError::RocmStream { found, device } => write!(
                f,
                "expected a stream of {} (a hipStream_t, 0 for the default one, or -1 for no synchronization), found \
                 {found}, which is one of CUDA: say 0",
                Device(*device)
            ),
            RequestError::Device { found: (device_type, device_id) } => write!(
                f,
                "expected dl_device to be two numbers of 32 bits, found ({device_type}, {device_id})"
            ),
            RequestError::Raised(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RequestError {}

impl From<PyException> for RequestError {
    fn from(error: PyException) -> RequestError {
        RequestError::Raised(error)
    }
}

impl Request {
    /// Reads the arguments.
    ///
    /// # Errors
    /// An argument that is none of `__dlpack__`'s, and what an argument raised when it was asked.
    ///
    /// # Safety
    /// Each is NULL or an object that lives.
    #[inline]
    pub unsafe fn read(python: Python<'_>, arguments: &Arguments) -> Result<Request, RequestError> {
        let unsaid = |pointer: *mut PyObject| pointer.is_null() || pointer == python.none();
        // What most ask for.
        if [arguments.stream, arguments.max_version, arguments.dl_device, arguments.copy]
            .into_iter()
            .all(unsaid)
        {
            return Ok(Request::default());
        }
        let said = |pointer: *mut PyObject| {
            let is_said = !pointer.is_null() && pointer != python.none();
            // SAFETY: an object that lives, as the caller says.
            is_said.then(|| unsafe { Object::from_borrowed(python, pointer) })
        };
        Ok(Request {
            stream: said(arguments.stream).map(|object| stream(&object)).transpose()?.unwrap_or_default(),
            max_version: said(arguments.max_version).map(|object| version(&object)).transpose()?,
            device: said(arguments.dl_device).map(|object| device(&object)).transpose()?,
            copy: said(arguments.copy).map(|object| copy(python, &object)).transpose()?,
        })
    }

    /// Whether the consumer understands the struct with version and flags.
    pub fn wants_version(&self) -> bool {
        self.max_version.is_some_and(|version| version >= (1, 0))
    }
}

fn type_error(argument: &'static str, expected: &'static str, object: &Object<'_>) -> RequestError {
    RequestError::Type { argument, expected, found: object.class_name() }
}

/// A number, or what the argument may be where it is none; what `__index__` raised stays as it is.
fn integer(object: &Object<'_>, argument: &'static str, expected: &'static str) -> Result<i64, RequestError> {
    static INDEX: Name = Name::new(c"__index__");
    match object.integer() {
        Ok(number) => Ok(number),
        Err(raised) if object.attribute(&INDEX)?.is_some() => Err(raised.into()),
        Err(_) => Err(type_error(argument, expected, object)),
    }
}

fn stream(object: &Object<'_>) -> Result<ConsumerStream, RequestError> {
    match integer(object, "stream", "None or an integer")? {
        -1 => Ok(ConsumerStream::NoSynchronization),
        // Also what is beyond, which no pointer is.
        found @ (..=-1 | i64::MAX) => Err(RequestError::Stream { found }),
        handle => match usize::try_from(handle) {
            Ok(handle) => Ok(ConsumerStream::On(handle)),
            Err(_) => Err(RequestError::Stream { found: handle }),
        },
    }
}

#[inline]
fn pair(
    object: &Object<'_>,
    argument: &'static str,
    expected: &'static str,
) -> Result<(i64, i64), RequestError> {
    match object.integers() {
        Some(pair) => Ok(pair),
        None => any_pair(object, argument, expected),
    }
}

/// Also of a tuple of a class of its own, and of whatever has an index.
#[cold]
fn any_pair(
    object: &Object<'_>,
    argument: &'static str,
    expected: &'static str,
) -> Result<(i64, i64), RequestError> {
    match object.tuple().as_deref() {
        Some([first, second]) => {
            Ok((integer(first, argument, expected)?, integer(second, argument, expected)?))
        }
        _ => Err(type_error(argument, expected, object)),
    }
}

fn version(object: &Object<'_>) -> Result<(i64, i64), RequestError> {
    pair(object, "max_version", "None or a tuple of two integers (major, minor)")
}

fn device(object: &Object<'_>) -> Result<DLDevice, RequestError> {
    let found = pair(object, "dl_device", "None or a tuple of two integers (device type, device id)")?;
    match (i32::try_from(found.0), i32::try_from(found.1)) {
        (Ok(device_type), Ok(device_id)) => {
            Ok(DLDevice { device_type: wirecontract::Open::from_raw(device_type), device_id })
        }
        _ => Err(RequestError::Device { found }),
    }
}

fn copy(python: Python<'_>, object: &Object<'_>) -> Result<bool, RequestError> {
    let functions = python.functions();
    if object.as_ptr() == functions.yes {
        Ok(true)
    } else if object.as_ptr() == functions.no {
        Ok(false)
    } else {
        Err(RequestError::Copy { found: object.class_name() })
    }
}
