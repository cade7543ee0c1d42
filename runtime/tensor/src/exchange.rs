//! The exchange table of a type of one's own: tensors to and from its objects without a call of Python.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::{self, NonNull};
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wirecontract::Open;
use wirecontract_gpu::dlpack::{
    DLDevice, DLDeviceType, DLManagedTensorVersioned, DLPackExchangeApi, DLPackExchangeApiHeader,
    DLPackVersion, DLTensor,
};

use crate::copy::{allocated, shaped};
use crate::export::ExportError;
use crate::import::ImportError;
use crate::managed::{Managed, Versioned};
use crate::python::{ExceptionKind, Held, Object, PyException, PyObject, Python};
use crate::request::numbered;
use crate::tensor::Tensor;
use crate::view::{CPU, Pending, View, is_host};

/// A Python type whose objects are tensors.
///
/// Its table ([`exchange_capsule`]) is the attribute `__dlpack_c_exchange_api__` of the type itself. None of its
/// functions waits for a device.
///
/// # Safety
/// Of an object of the type, [`Exchange::view`] describes memory that is there as long as the object, with numbers that
/// stay in place as long as it.
pub unsafe trait Exchange: 'static {
    /// Whether an object is of the type. Whoever calls the table may have it from an attribute of another type, as of a
    /// class that hands on all attributes of what it wraps.
    fn is(object: &Object<'_>) -> bool;

    /// What an object's tensor is, with its strides: without them it is not lent
    /// (`dltensor_from_py_object_no_sync`), since they would stand nowhere.
    ///
    /// # Errors
    /// What cannot be handed over.
    ///
    /// # Safety
    /// The object is of the type, and outlives `'a`; the thread is attached.
    unsafe fn view<'a>(python: Python<'_>, object: *mut PyObject) -> Result<View<'a>, ExportError>;

    /// An object of the type for a tensor that another library made.
    ///
    /// # Errors
    /// What the type does not hold.
    fn object(python: Python<'_>, tensor: Tensor) -> Result<Object<'_>, ImportError>;

    /// Memory for a tensor of that type, shape and device; its data, strides and offset say nothing.
    ///
    /// # Errors
    /// A device on which there is no memory to be had here.
    fn allocate(prototype: &View<'_>) -> Result<Versioned, ExportError> {
        if prototype.device != CPU {
            return Err(ExportError::Device { device: CPU, asked: prototype.device });
        }
        Ok(shaped(prototype, allocated(prototype)?)?.into_versioned())
    }

    /// The stream on which the library works at present: NULL of host memory.
    ///
    /// # Errors
    /// A device on which the library does no work.
    fn current_work_stream(device: DLDevice) -> Result<*mut c_void, ExportError> {
        if is_host(device) {
            Ok(ptr::null_mut())
        } else {
            Err(ExportError::Device { device: CPU, asked: device })
        }
    }
}

/// The capsule that is the type's attribute `__dlpack_c_exchange_api__`.
///
/// # Errors
/// What Python raised.
pub fn exchange_capsule<T: Exchange>(python: Python<'_>) -> Result<Object<'_>, PyException> {
    // SAFETY: a table that lives as long as the process.
    unsafe { capsule_of_table(python, NonNull::from(table::<T>())) }
}

/// The capsule of a table that is made elsewhere.
///
/// # Errors
/// What Python raised.
///
/// # Safety
/// The table lives as long as the process, and is of the type whose attribute the capsule becomes.
pub unsafe fn capsule_of_table(
    python: Python<'_>,
    table: NonNull<DLPackExchangeApi>,
) -> Result<Object<'_>, PyException> {
    // SAFETY: a table and a name that stay, and the thread is attached.
    unsafe {
        let name = c"dlpack_exchange_api".as_ptr();
        let made = (python.functions().PyCapsule_New)(table.as_ptr().cast(), name, None);
        Object::from_owned(python, made)
    }
}

/// The table, which lives as long as the process.
pub fn table<T: Exchange>() -> &'static DLPackExchangeApi {
    struct Table<T>(T);
    impl<T: Exchange> Table<T> {
        const TABLE: &'static DLPackExchangeApi = &DLPackExchangeApi {
            header: DLPackExchangeApiHeader { version: DLPackVersion::CURRENT, prev_api: ptr::null_mut() },
            managed_tensor_allocator: Some(allocate::<T>),
            managed_tensor_from_py_object_no_sync: Some(from_object::<T>),
            managed_tensor_to_py_object_no_sync: Some(to_object::<T>),
            dltensor_from_py_object_no_sync: Some(borrow::<T>),
            current_work_stream: Some(current_work_stream::<T>),
        };
    }
    Table::<T>::TABLE
}

/// An error that is set as Python's exception.
trait Raise {
    fn raise(self, python: Python<'_>);
}

impl Raise for ExportError {
    fn raise(self, python: Python<'_>) {
        ExportError::raise(self, python);
    }
}

impl Raise for ImportError {
    fn raise(self, python: Python<'_>) {
        ImportError::raise(self, python);
    }
}

const PANICKED: &str = "a function of the exchange table panicked";

/// Runs what a function of the table does: 0 where it succeeds, and -1 with Python's exception set where it does not.
///
/// # Safety
/// The thread is attached.
unsafe fn answered<E: Raise>(function: impl FnOnce(Python<'_>) -> Result<(), E>) -> c_int {
    // SAFETY: as the caller says.
    let python = match unsafe { Python::assume_attached() } {
        Ok(python) => python,
        Err(error) => {
            // SAFETY: as above.
            unsafe { error.raise() };
            return -1;
        }
    };
    match catch_unwind(AssertUnwindSafe(|| function(python))) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error.raise(python),
        Err(_) => ExceptionKind::RuntimeError.raise(python, PANICKED),
    }
    -1
}

/// What an object's tensor is, where the object is of the type and its elements are there, or are when the stream on which
/// the library works has done its work: of another stream whoever asks through the table is not told.
///
/// # Safety
/// The object lives, and outlives `'a`.
unsafe fn viewed<'a, T: Exchange>(object: &Object<'_>) -> Result<View<'a>, ExportError> {
    if !T::is(object) {
        return Err(ExportError::OtherType { class: object.class_name() });
    }
    // SAFETY: of the type, as was looked at; otherwise as the caller says.
    let view = unsafe { T::view(object.python(), object.as_ptr()) }?;
    match view.pending_on() {
        Pending::Nothing => Ok(view),
        Pending::On(stream) => match T::current_work_stream(view.device()) {
            Ok(current) if numbered(current, view.device()) == stream => Ok(view),
            _ => Err(ExportError::Unfinished { stream }),
        },
    }
}

unsafe extern "C" fn from_object<T: Exchange>(
    object: *mut c_void,
    out: *mut *mut DLManagedTensorVersioned,
) -> c_int {
    // SAFETY: the thread is attached wherever an object is passed.
    unsafe {
        answered(|python| {
            let object = Object::from_borrowed(python, object.cast());
            let view = viewed::<T>(&object)?;
            // SAFETY: the object keeps the memory, and is held until the tensor is ended.
            let made = Versioned::new(Held::from(object.clone()), &view)?;
            *out = made.into_raw().as_ptr();
            Ok::<(), ExportError>(())
        })
    }
}

unsafe extern "C" fn to_object<T: Exchange>(
    tensor: *mut DLManagedTensorVersioned,
    out: *mut *mut c_void,
) -> c_int {
    // Taken over whatever comes of it.
    // SAFETY: NULL, or a tensor that is handed over.
    let made = NonNull::new(tensor).map(|tensor| unsafe { Managed::from_raw(tensor) });
    // SAFETY: the thread is attached wherever an object is made; of a library that keeps to the protocol; a place for the
    // object.
    unsafe {
        answered(|python| {
            let made = made.ok_or(ImportError::NullCapsule)?;
            *out = T::object(python, Tensor::from_versioned(made)?)?.into_ptr().cast();
            Ok::<(), ImportError>(())
        })
    }
}

unsafe extern "C" fn borrow<T: Exchange>(object: *mut c_void, out: *mut DLTensor) -> c_int {
    // SAFETY: the thread is attached wherever an object is passed.
    unsafe {
        answered(|python| {
            let view = viewed::<T>(&Object::from_borrowed(python, object.cast()))?;
            let rank = view.shape().len();
            if view.strides().is_none() && rank > 0 {
                return Err(ExportError::NoStrides { rank });
            }
            out.write(DLTensor {
                data: if view.elements() == 0 { ptr::null_mut() } else { view.data() },
                device: view.device(),
                ndim: i32::try_from(rank).unwrap_or(i32::MAX),
                dtype: view.element(),
                shape: view.shape().as_ptr().cast_mut(),
                strides: view.strides().unwrap_or_default().as_ptr().cast_mut(),
                byte_offset: 0,
            });
            Ok::<(), ExportError>(())
        })
    }
}

type SetError = Option<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char)>;

unsafe extern "C" fn allocate<T: Exchange>(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    error_context: *mut c_void,
    set_error: SetError,
) -> c_int {
    // No object is passed, so that the thread need not be attached: the error goes to the caller's function.
    let told = |kind: &str, text: &str| {
        let [kind, text] =
            [kind, text].map(|said| CString::new(said.replace('\0', "\\0")).unwrap_or_default());
        if let Some(set_error) = set_error {
            // SAFETY: the caller's function, with the caller's context.
            unsafe { set_error(error_context, kind.as_ptr(), text.as_ptr()) };
        }
        -1
    };
    // SAFETY: a prototype with as many dimensions as it says.
    let made = catch_unwind(AssertUnwindSafe(|| unsafe { allocated_like::<T>(prototype) }));
    match made {
        Ok(Ok(made)) => {
            // SAFETY: a place for the tensor.
            unsafe { *out = made.into_raw().as_ptr() };
            0
        }
        Ok(Err(error)) => told(&format!("{:?}", error.kind()), &error.to_string()),
        Err(_) => told("RuntimeError", PANICKED),
    }
}

unsafe fn allocated_like<T: Exchange>(prototype: *mut DLTensor) -> Result<Versioned, ExportError> {
    // SAFETY: NULL, or a prototype.
    let Some(prototype) = (unsafe { prototype.as_ref() }) else {
        return Err(ExportError::View(crate::ViewError::Null { elements: 0 }));
    };
    let rank = usize::try_from(prototype.ndim).unwrap_or(usize::MAX);
    if rank > crate::MAX_RANK || rank > 0 && prototype.shape.is_null() {
        return Err(ExportError::View(crate::ViewError::Rank { rank }));
    }
    // SAFETY: as many numbers as dimensions.
    let shape = if rank == 0 { &[] } else { unsafe { core::slice::from_raw_parts(prototype.shape, rank) } };
    let view = View::new(ptr::dangling_mut(), prototype.device, prototype.dtype, shape)?;
    T::allocate(&view)
}

unsafe extern "C" fn current_work_stream<T: Exchange>(
    device_type: Open<DLDeviceType>,
    device_id: i32,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: the thread is attached, since an error is Python's.
    unsafe {
        answered(|_| {
            *out = T::current_work_stream(DLDevice { device_type, device_id })?;
            Ok::<(), ExportError>(())
        })
    }
}
