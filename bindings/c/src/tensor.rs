//! Tensors to and from Python, for extension modules in C and C++: `DLPack` and the CUDA Array Interface.
//!
//! A `PyObject *` is passed as a `void *`, so that the header needs none of Python's. What is passed is borrowed; what a
//! function gives is a new reference. All of it is for the main interpreter.
//!
//! Whoever calls holds the GIL (of a free-threaded Python: is attached), where the function does not say other. Where a
//! function fails, Python's exception is set, and what it gives is NULL: a method of an extension module returns that as it
//! is. No exception is set where there is no Python in the process (`refused`), nor of an argument that is refused before
//! the function runs (`null_argument`, and `wrong_type` of an address that is not aligned): nothing is taken over then.
//!
//! The status says the exception's class: `wrong_type` is `TypeError`, `out_of_range` is `ValueError`, `too_large` is
//! `MemoryError`, `panic` is `RuntimeError` with the panic's words, and `refused` is `BufferError`, `AttributeError`,
//! `RuntimeError`, or whatever Python code raised.

mod describe;
mod owner;
mod raise;

use core::ffi::c_void;
use core::ptr::{self, NonNull};

use wirecontract::{Flags, Open, WireContract, wire_export};
use wirecontract_gpu::dlpack::{
    DLDevice, DLManagedTensorVersioned, DLPackExchangeApi, DLPackFlags, DLTensor,
};
use wirecontract_tensor::python::{Held, PyObject};
use wirecontract_tensor::{
    AlignedBytes, Arguments, CPU, CudaArray, DLDataTypeCode, Expected, ExportError, Import, ImportError,
    Managed, NoDriver, Request, Shaped, Tensor, Versioned, View, cuda_array_interface, dlpack, dlpack_device,
    element,
};

use crate::system::Error;
use describe::{finished, view};
use owner::Owner;
use raise::Refusal;
#[doc(hidden)]
pub use raise::in_python;

/// A tensor that an object of Python's offers. Zero is what is usual of all behind `tensor`.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct TensorExport {
    /// The memory and what it is. Strides may be NULL: row-major without gaps. `shape` and `strides` are read during the
    /// call, and not kept.
    pub tensor: DLTensor,
    /// Whether the memory must not be written to, and whether elements of fewer than 8 bits are padded to bytes.
    pub flags: Flags<DLPackFlags>,
    /// The stream on which work on the memory is pending; NULL where nothing is. It cannot be waited for here, so that a
    /// consumer on another stream is refused.
    pub stream: *mut c_void,
    /// An object of Python's that keeps the memory, mostly the one that is asked: what is given holds a reference to it.
    /// NULL where none does.
    pub owner: *mut c_void,
    /// Called once with `context` when nothing needs the memory any more, by any thread, with the GIL or without; NULL for
    /// nothing to be called. The call takes both over, whatever comes of it: where it fails, or copies, `destroy` is called
    /// before it returns. Only one of which an argument is NULL that may not be, or not aligned, takes nothing over.
    pub destroy: Option<unsafe extern "C" fn(context: *mut c_void)>,
    /// What `destroy` is called with.
    pub context: *mut c_void,
}

/// The arguments of `__dlpack__` as Python passed them, objects that are borrowed: NULL of what was not passed.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct TensorRequest {
    /// `stream`.
    pub stream: *mut c_void,
    /// `max_version`.
    pub max_version: *mut c_void,
    /// `dl_device`.
    pub dl_device: *mut c_void,
    /// `copy`.
    pub copy: *mut c_void,
}

/// Whether a producer is to copy the elements.
#[derive(WireContract, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[wire(enumeration)]
pub enum TensorCopy {
    /// Where there is no other way.
    WhereNeeded = 0,
    /// Never: it refuses where it would have to.
    Never = 1,
    /// Always.
    Always = 2,
}

/// What another library's tensor is asked for with. Zero is what is usual everywhere.
#[derive(WireContract, Clone, Copy, Debug)]
#[repr(C)]
#[wire(abi)]
pub struct TensorImport {
    /// The stream on which the elements will be read, as `__dlpack__` numbers them; 0 says nothing.
    pub stream: i64,
    /// Where the elements are to be; a type of 0 leaves them where they are.
    pub device: DLDevice,
    /// Whether the elements are to be copied.
    pub copy: Open<TensorCopy>,
    /// Zero.
    pub reserved: u32,
}

/// Answers `__dlpack__`: a new capsule of the form that the consumer understands, which holds the owner and nothing else.
///
/// Fails with `BufferError` for what cannot be handed over as it is asked for, read-only memory and a legacy capsule among
/// it; with `TypeError` and `ValueError` for an argument that is none; with `RuntimeError` for a stream of host memory.
///
/// # Safety
/// The thread is attached to Python, and the objects live. The memory is as large as the numbers say, and there until the
/// owner and the context are let go of; of host memory it may be read now.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_dlpack(export: &TensorExport, request: &TensorRequest) -> Result<*mut c_void, Error> {
    let owner = Owner::of(export);
    let arguments = Arguments {
        stream: request.stream.cast(),
        max_version: request.max_version.cast(),
        dl_device: request.dl_device.cast(),
        copy: request.copy.cast(),
    };
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            let request = Request::read(python, &arguments).map_err(ExportError::from)?;
            let view = view(export)?;
            let capsule = dlpack(python, &view, &request, &NoDriver, || owner.holding(python, export.owner))?;
            Ok(capsule.into_ptr().cast())
        })
    }
}

/// Answers `__dlpack_device__`: a new tuple of the device's type and number.
///
/// # Safety
/// The thread is attached to Python.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_dlpack_device(device: &DLDevice) -> Result<*mut c_void, Error> {
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            // A tensor of that device, of no elements.
            let byte = element::of(DLDataTypeCode::UInt, 8);
            let empty = View::new(ptr::null_mut(), *device, byte, &[0]).map_err(ExportError::from)?;
            Ok(dlpack_device(python, &empty).map_err(ExportError::from)?.into_ptr().cast())
        })
    }
}

/// Answers `__cuda_array_interface__`: a new dictionary. It holds nothing, so that `owner` is not looked at: the object
/// whose attribute it is keeps the memory. `destroy` is called before the call returns.
///
/// Fails with `AttributeError` for memory of no CUDA device, so that `hasattr` is false; with `BufferError` for a type that
/// the interface has no word for.
///
/// # Safety
/// The thread is attached to Python, and there are as many numbers as dimensions.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_cuda_array_interface(export: &TensorExport) -> Result<*mut c_void, Error> {
    let owner = Owner::of(export);
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            // At the end, which is before an exception is set.
            let _owner = owner;
            Ok(cuda_array_interface(python, &view(export)?)?.into_ptr().cast())
        })
    }
}

/// A tensor with version and flags and without a capsule, as `managed_tensor_from_py_object_no_sync` of an exchange table
/// gives it. Whoever has it calls its `deleter` once, which is never NULL, on any thread.
///
/// Fails with `BufferError` for numbers that are no tensor, and for a `stream`, which it cannot say: leave it NULL where it is
/// the one that the table's `current_work_stream` gives, which whoever asks through the table orders its work behind.
///
/// # Safety
/// As of `tensor_dlpack`.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_managed(export: &TensorExport) -> Result<*mut DLManagedTensorVersioned, Error> {
    let owner = Owner::of(export);
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            let view = finished(export)?;
            let made =
                Versioned::new(owner.holding(python, export.owner), &view).map_err(ExportError::from)?;
            Ok(made.into_raw().as_ptr())
        })
    }
}

/// Checks a tensor that stays the object's, as `dltensor_from_py_object_no_sync` of an exchange table lends it: `out` has
/// the export's `shape` and `strides` themselves, which stay in place as long as the object. `owner` is not looked at, and
/// `destroy` is called before the call returns.
///
/// Fails with `BufferError` for numbers that are no tensor, for dimensions without strides, which may not be NULL here, and
/// for a `stream`, as `tensor_managed` does.
///
/// # Safety
/// The thread is attached to Python, and there are as many numbers as dimensions.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_lend(export: &TensorExport) -> Result<DLTensor, Error> {
    let owner = Owner::of(export);
    // SAFETY: as the caller says.
    unsafe {
        in_python(|_| {
            // At the end, which is before an exception is set.
            let _owner = owner;
            let view = finished(export)?;
            let rank = view.shape().len();
            if view.strides().is_none() && rank > 0 {
                return Err(ExportError::NoStrides { rank }.into());
            }
            let data = if view.elements() == 0 { ptr::null_mut() } else { view.data() };
            Ok(DLTensor { data, byte_offset: 0, ..export.tensor })
        })
    }
}

/// Zeroed host memory for a tensor of the prototype's type, shape and device, as `managed_tensor_allocator` of an exchange
/// table gives it: row-major without gaps, at a multiple of 64 bytes. Its `deleter` is called once. It needs no Python, and
/// sets no exception: the allocator says `wc_last_error` to its `set_error`.
///
/// Fails with `refused` for another device and for numbers that are no tensor, with `too_large` where there is not as much
/// memory.
///
/// # Safety
/// There are as many numbers as dimensions.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_allocate(prototype: &DLTensor) -> Result<*mut DLManagedTensorVersioned, Error> {
    let allocate = || -> Result<Versioned, Refusal> {
        // SAFETY: as the caller says.
        let shape = unsafe { describe::shape(prototype) }?;
        let DLTensor { device, dtype, .. } = *prototype;
        let view = View::new(ptr::dangling_mut(), device, dtype, shape).map_err(ExportError::from)?;
        if device != CPU {
            return Err(ExportError::Device { device: CPU, asked: device }.into());
        }
        let bytes = usize::try_from(view.bytes()).unwrap_or(usize::MAX);
        let memory = AlignedBytes::zeroed(bytes).map_err(ExportError::from)?;
        Ok(Shaped::of(memory, dtype, shape).map_err(ExportError::from)?.into_versioned())
    };
    match allocate() {
        Ok(made) => Ok(made.into_raw().as_ptr()),
        Err(refusal) => Err(refusal.told()),
    }
}

/// The capsule that is the attribute `__dlpack_c_exchange_api__` of a type whose objects the table is of: a new reference.
/// The functions of the table may be made of `tensor_managed`, `tensor_checked`, `tensor_lend` and `tensor_allocate`. Those
/// that get an object have to see whether it is of the type: a caller may have the table from a class that hands on the
/// attributes of what it wraps.
///
/// Fails with `ValueError` for a table of another major version than 1, or without a function that a table must have.
///
/// # Safety
/// The thread is attached to Python, and the table lives as long as the process.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_exchange_capsule(api: *const DLPackExchangeApi) -> Result<*mut c_void, Error> {
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            let Some(table) = api.as_ref() else { return Err(Refusal::null("an exchange table")) };
            describe::table(table)?;
            let capsule = wirecontract_tensor::capsule_of_table(python, NonNull::from(table));
            Ok(capsule.map_err(ExportError::from)?.into_ptr().cast())
        })
    }
}

/// Takes the tensor of another library's object, or of a capsule: through the exchange table of its type, a versioned
/// capsule, or a legacy one. Its numbers were checked, and are said anew: the version is ours, strides are there, and
/// `byte_offset` is 0. `deleter` gives the memory back to the producer: it is called once, on any thread, with the GIL or
/// without.
///
/// Fails with `AttributeError` for an object that offers none, `TypeError` and `ValueError` for capsules that are none,
/// `BufferError` for numbers that are no tensor, and with what the object raised. What is refused is ended.
///
/// # Safety
/// The thread is attached to Python, the object lives, and its library keeps to the protocol.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_take(
    object: *mut c_void,
    asked: Option<&TensorImport>,
) -> Result<*mut DLManagedTensorVersioned, Error> {
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            if object.is_null() {
                return Err(Refusal::null("an object"));
            }
            let asked = asked.map_or(Ok(Import::default()), describe::import)?;
            let tensor = wirecontract_tensor::import(python, object.cast::<PyObject>(), &asked)?;
            said_anew(tensor)
        })
    }
}

/// Takes over a tensor and checks it, as `managed_tensor_to_py_object_no_sync` of an exchange table has to: what comes is
/// as of `tensor_take`. The tensor is taken over whatever comes of it, and ended where it is refused.
///
/// Fails with `BufferError` for numbers that are no tensor.
///
/// # Safety
/// The thread is attached to Python, and the tensor's library keeps to the protocol.
#[wire_export(prefix = "wc")]
pub unsafe fn tensor_checked(
    tensor: *mut DLManagedTensorVersioned,
) -> Result<*mut DLManagedTensorVersioned, Error> {
    // SAFETY: as the caller says.
    unsafe {
        let made = NonNull::new(tensor).map(|tensor| Managed::from_raw(tensor));
        in_python(|_| {
            let made = made.ok_or(ImportError::NullCapsule)?;
            said_anew(Tensor::from_versioned(made).map_err(ImportError::from)?)
        })
    }
}

/// Takes the array of an object's `__cuda_array_interface__`, which says no device: `device_id` is the CUDA device whose
/// memory it is. `tensor` is as of `tensor_take` and holds the object; `stream` is the one on which work on it is pending,
/// for the caller to wait for, and NULL where nothing is.
///
/// Fails with `TypeError` for an object without it, with `TypeError`, `ValueError` or `BufferError` for a dictionary that is
/// none, and with what the object raised.
///
/// # Safety
/// The thread is attached to Python, and the object lives and keeps the memory.
#[wire_export(prefix = "wc")]
#[wire(out(tensor, stream))]
pub unsafe fn tensor_take_cuda_array(
    object: *mut c_void,
    device_id: i32,
) -> Result<(*mut DLManagedTensorVersioned, *mut c_void), Error> {
    // SAFETY: as the caller says.
    unsafe {
        in_python(|python| {
            if object.is_null() {
                return Err(Refusal::null("an object"));
            }
            let array = CudaArray::read(python, object.cast::<PyObject>(), &Expected::default())?;
            let strides = array.element_strides()?;
            let view = array.view(device_id, &strides).map_err(ExportError::from)?;
            let owner = Held::from(array.owner().object(python));
            let made = Versioned::new(owner, &view).map_err(ExportError::from)?;
            let stream = array.stream().map_or(ptr::null_mut(), |stream| stream as *mut c_void);
            Ok((made.into_raw().as_ptr(), stream))
        })
    }
}

/// A struct of ours over a tensor that was checked, which it keeps.
fn said_anew(tensor: Tensor) -> Result<*mut DLManagedTensorVersioned, Refusal> {
    let (shape, strides) = (tensor.shape().to_vec(), tensor.strides().to_vec());
    let (data, is_copied) = (tensor.data(), tensor.is_copied());
    let (is_read_only, is_padded) = (tensor.is_read_only(), tensor.view().is_padded());
    let view = View::new(data, tensor.device(), tensor.element(), &shape).map_err(ExportError::from)?;
    let view = if is_padded { view.padded().map_err(ExportError::from)? } else { view };
    // Of no elements strides say nothing, and some producers say what no shape has.
    let is_strided = view.elements() > 0;
    let view = if is_strided { view.with_strides(&strides).map_err(ExportError::from)? } else { view };
    let view = if is_read_only { view.read_only() } else { view };
    // SAFETY: the tensor keeps its memory, and is held until this one is ended.
    let mut made = unsafe { Versioned::new(tensor, &view) }.map_err(ExportError::from)?;
    if is_copied {
        made.mark_copied();
    }
    Ok(made.into_raw().as_ptr())
}
