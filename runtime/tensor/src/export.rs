//! `__dlpack__`: what a consumer asked for, of a tensor that is here.

use core::fmt;

use wirecontract_gpu::dlpack::{DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned};
use wirecontract_gpu::video::ElementStridesError;

use crate::copy;
use crate::driver::{Driver, DriverError};
use crate::managed::{Legacy, Managed, Unsayable, Versioned};
use crate::memory::{Memory, Shaped};
use crate::python::{AttachError, ExceptionKind, Object, PyException, Python};
use crate::request::{ConsumerStream, Request, RequestError};
use crate::view::{CPU, Pending, View, ViewError, is_host};

/// Why a tensor is not handed over.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The arguments.
    Request(RequestError),
    /// The tensor.
    View(ViewError),
    /// A plane of a frame, whose samples a tensor cannot say.
    Samples(ElementStridesError),
    /// The consumer understands the legacy struct alone, which cannot say that memory must not be written to.
    ReadOnly(Unsayable),
    /// A stream, of memory that has none.
    Stream {
        /// What the consumer said.
        found: ConsumerStream,
    },
    /// Another device, which no copy from here reaches.
    Device {
        /// Where the tensor is.
        device: DLDevice,
        /// Where the consumer wants it.
        asked: DLDevice,
    },
    /// A copy that is needed, and forbidden.
    CopyForbidden {
        /// Where the tensor is.
        device: DLDevice,
        /// Where the consumer wants it.
        asked: DLDevice,
    },
    /// A driver that is needed, and did not do it.
    Driver {
        /// What for.
        what: &'static str,
        /// Where the tensor is.
        device: DLDevice,
        /// Why.
        error: DriverError,
    },
    /// Memory that no device of CUDA's reaches, and so no CUDA Array Interface.
    NotCuda {
        /// Where the tensor is.
        device: DLDevice,
    },
    /// Memory of a device, where that of the host is needed.
    NotHost {
        /// Where the tensor is.
        device: DLDevice,
    },
    /// A type that the CUDA Array Interface has no word for.
    NoTypestr {
        /// The type.
        element: String,
    },
    /// A table that is to lend a tensor whose strides stand nowhere.
    NoStrides {
        /// How many dimensions.
        rank: usize,
    },
    /// A table that was called with an object of another type.
    OtherType {
        /// The object's class.
        class: String,
    },
    /// A table that is to hand over elements that a stream has still to make: it says no stream but that on which its
    /// library works.
    Unfinished {
        /// The stream.
        stream: usize,
    },
    /// The thread.
    Attach(AttachError),
    /// What Python raised.
    Raised(PyException),
}

impl ExportError {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            ExportError::Request(error) => error.kind(),
            ExportError::NotCuda { .. } => ExceptionKind::AttributeError,
            ExportError::OtherType { .. } => ExceptionKind::TypeError,
            ExportError::View(ViewError::Memory { .. }) => ExceptionKind::MemoryError,
            // As numpy says it.
            ExportError::Stream { .. } | ExportError::Attach(_) | ExportError::Raised(_) => {
                ExceptionKind::RuntimeError
            }
            _ => ExceptionKind::BufferError,
        }
    }

    /// Sets it as the thread's exception: that of Python's code as it was, all others as [`ExportError::kind`] says.
    pub fn raise(self, python: Python<'_>) {
        match self {
            ExportError::Raised(error) | ExportError::Request(RequestError::Raised(error)) => {
                error.restore(python);
            }
            error => error.kind().raise(python, &error.to_string()),
        }
    }
}

/// A device for people.
pub(crate) struct Device(pub(crate) DLDevice);

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DLDevice { device_type, device_id } = self.0;
        match device_type.known() {
            Some(known) => write!(f, "{known:?} {device_id}")?,
            None => write!(f, "a device of an unknown type, {device_id}")?,
        }
        write!(f, " (dl_device=({}, {device_id}))", device_type.raw())
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::Request(error) => error.fmt(f),
            ExportError::View(error) => error.fmt(f),
            ExportError::Samples(error) => error.fmt(f),
            ExportError::ReadOnly(error) => error.fmt(f),
            ExportError::Stream { found } => write!(
                f,
                "expected stream=None of host memory, found {}: there is nothing to wait for",
                match found {
                    ConsumerStream::On(handle) => format!("stream={handle}"),
                    _ => "stream=-1".to_owned(),
                }
            ),
            ExportError::Device { device, asked } => write!(
                f,
                "expected the device of the tensor, {}, found {}: ask for host memory, dl_device=(1, 0), and copy from \
                 there",
                Device(*device),
                Device(*asked)
            ),
            ExportError::CopyForbidden { device, asked } => write!(
                f,
                "expected copy=None or copy=True, found copy=False: from {} to {} there is no other way",
                Device(*device),
                Device(*asked)
            ),
            ExportError::Driver { what, device, error } => {
                write!(
                    f,
                    "expected a driver of {} that {what}, found none that did: {error}",
                    Device(*device)
                )
            }
            ExportError::NotCuda { device } => write!(
                f,
                "expected memory of a CUDA device, found {}: there is no __cuda_array_interface__ of it; use __dlpack__",
                Device(*device)
            ),
            ExportError::NotHost { device } => write!(
                f,
                "expected host memory, found {}: a copy from there needs a driver of the device",
                Device(*device)
            ),
            ExportError::NoTypestr { element } => write!(
                f,
                "expected a type that the CUDA Array Interface has a word for, found {element}: use __dlpack__"
            ),
            ExportError::NoStrides { rank } => write!(
                f,
                "expected {rank} strides in the object, found none: what is lent has to stand somewhere; have the type \
                 say its strides, or take the tensor"
            ),
            ExportError::OtherType { class } => write!(
                f,
                "expected an object of the type whose exchange table this is, found one of type {class}: \
                 __dlpack_c_exchange_api__ is not to be handed on to another type"
            ),
            ExportError::Unfinished { stream } => write!(
                f,
                "expected elements that are there, found that stream {stream} has still to make them, and an exchange table \
                 says no stream but that on which its library works: call __dlpack__(stream={stream}), or say `stream` to \
                 whoever takes the tensor"
            ),
            ExportError::Attach(error) => error.fmt(f),
            ExportError::Raised(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

holds! { ExportError {
    RequestError: Request;
    ViewError: View;
    ElementStridesError: Samples;
    Unsayable: ReadOnly;
    AttachError: Attach;
    PyException: Raised;
}}

/// What is done about the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// They stay where they are, and are said to be there.
    Share { on: DLDevice },
    /// They are copied into host memory, from host memory or from a device.
    Copy { from_host: bool },
}

/// Answers `__dlpack__`: a capsule of the form that the consumer understands, which holds what `owner` gives and nothing
/// else. The owner is asked for only where the elements stay where they are.
///
/// # Errors
/// All that cannot be as the consumer asks; nothing is held then.
///
/// # Safety
/// As of [`Managed::new`]: the elements are there until the owner is dropped. Those that are in host memory may be read
/// now.
pub unsafe fn dlpack<'py, O: Send + 'static>(
    python: Python<'py>,
    view: &View<'_>,
    request: &Request,
    driver: &dyn Driver,
    owner: impl FnOnce() -> O,
) -> Result<Object<'py>, ExportError> {
    match plan(view, request)? {
        Plan::Share { on } => {
            if view.pending != Pending::Nothing {
                wait(view, request.stream, driver)?;
            }
            // Mostly where it is.
            let moved;
            let view = if on == view.device {
                view
            } else {
                moved = View { device: on, ..*view };
                &moved
            };
            // SAFETY: as the caller says, in either form.
            unsafe {
                if request.wants_version() {
                    shared::<DLManagedTensorVersioned, O>(python, view, owner)
                } else {
                    shared::<DLManagedTensor, O>(python, view, owner)
                }
            }
        }
        Plan::Copy { from_host } => {
            let copied = if from_host {
                // SAFETY: host memory, which may be read now.
                unsafe { copy::host_copy(view) }?
            } else {
                let mut bytes = copy::allocated(view)?;
                driver.copy_to_host(view, bytes.as_mut_slice()).map_err(|error| ExportError::Driver {
                    what: "copies to the host",
                    device: view.device,
                    error,
                })?;
                copy::shaped(view, bytes)?
            };
            capsule_of_copy(python, copied, request.wants_version())
        }
    }
}

unsafe fn shared<'py, F: crate::managed::Form, O: Send + 'static>(
    python: Python<'py>,
    view: &View<'_>,
    owner: impl FnOnce() -> O,
) -> Result<Object<'py>, ExportError> {
    // Before the owner is made.
    Managed::<F>::check(view.is_read_only)?;
    // SAFETY: as the caller of the caller says.
    Ok(unsafe { Managed::<F>::new(owner(), view) }?.into_capsule(python)?)
}

fn capsule_of_copy<M: Memory>(
    python: Python<'_>,
    copied: Shaped<M>,
    versioned: bool,
) -> Result<Object<'_>, ExportError> {
    if versioned {
        let mut tensor: Versioned = copied.into_versioned();
        tensor.mark_copied();
        Ok(tensor.into_capsule(python)?)
    } else {
        let tensor: Legacy = copied.into_legacy()?;
        Ok(tensor.into_capsule(python)?)
    }
}

/// Host, pinned and managed memory has one device, whatever number was said.
pub(crate) fn same(a: DLDevice, b: DLDevice) -> bool {
    let numbered = !matches!(
        a.device_type.known(),
        Some(DLDeviceType::Cpu | DLDeviceType::CudaHost | DLDeviceType::RocmHost | DLDeviceType::CudaManaged)
    );
    a.device_type == b.device_type && (!numbered || a.device_id == b.device_id)
}

#[inline]
fn plan(view: &View<'_>, request: &Request) -> Result<Plan, ExportError> {
    let device = view.device;
    // What most ask for.
    if request.device.is_none() && request.copy != Some(true) && request.stream == ConsumerStream::Unsaid {
        return Ok(Plan::Share { on: device });
    }
    plan_all(view, request)
}

fn plan_all(view: &View<'_>, request: &Request) -> Result<Plan, ExportError> {
    let device = view.device;
    let asked = request.device.unwrap_or(device);
    let to_host = asked == CPU;
    let stays = same(device, asked);
    request.stream.of(asked)?;
    if is_host(asked) && request.stream != ConsumerStream::Unsaid {
        return Err(ExportError::Stream { found: request.stream });
    }
    match request.copy {
        // What is made here is host memory, and no other kind.
        Some(true) if is_host(device) && (to_host || request.device.is_none()) => {
            Ok(Plan::Copy { from_host: true })
        }
        Some(true) if stays => {
            let error = DriverError::Missing;
            Err(ExportError::Driver { what: "copies on the device", device, error })
        }
        _ if stays => Ok(Plan::Share { on: device }),
        // Pinned memory is host memory as well.
        _ if to_host && is_host(device) => Ok(Plan::Share { on: CPU }),
        _ if !to_host => Err(ExportError::Device { device, asked }),
        Some(false) => Err(ExportError::CopyForbidden { device, asked }),
        _ => Ok(Plan::Copy { from_host: false }),
    }
}

/// Has the consumer's stream wait for what is pending, where the consumer does not wait by itself.
fn wait(view: &View<'_>, stream: ConsumerStream, driver: &dyn Driver) -> Result<(), ExportError> {
    let Some(consumer) = stream.of(view.device)? else { return Ok(()) };
    if view.pending == Pending::On(consumer) {
        return Ok(());
    }
    driver.wait(view.device, view.pending, consumer).map_err(|error| ExportError::Driver {
        what: "lets one stream wait for another",
        device: view.device,
        error,
    })
}

/// Answers `__dlpack_device__`: the device type and the device's number.
///
/// # Errors
/// What Python raised.
pub fn dlpack_device<'py>(python: Python<'py>, view: &View<'_>) -> Result<Object<'py>, PyException> {
    device_object(python, view.device)
}

pub(crate) fn device_object(python: Python<'_>, device: DLDevice) -> Result<Object<'_>, PyException> {
    let DLDevice { device_type, device_id } = device;
    let numbers = [i64::from(device_type.raw()), i64::from(device_id)];
    Object::of_tuple(python, numbers.map(|number| Object::of_integer(python, number)).into_iter())
}
