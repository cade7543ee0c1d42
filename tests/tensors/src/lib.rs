//! What tests/python asks `wirecontract-tensor` to do: a module of `PyO3` 0.26, which the crate does not know of.

mod planes;

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};
use wirecontract_tensor::python::{self, Held, Object, PyObject};
use wirecontract_tensor::{
    AlignedBytes, Arguments, CudaArray, DLDevice, Exchange, Expected, ExportError, Import, ImportError,
    Memory, NoDriver, Pending, Request, Shaped, Tensor as Imported, View, cuda_array_interface, dlpack,
    dlpack_device, element, exchange_capsule, import, import_capsule,
};

/// Owners that are there: what was exported and not ended.
static OWNERS: AtomicUsize = AtomicUsize::new(0);

/// Tensors that were taken and not let go of.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// What a capsule holds here: it counts, and keeps the object.
struct Owner(#[allow(dead_code, reason = "it is held")] Held);

impl Owner {
    fn of(object: &Bound<'_, PyAny>) -> Owner {
        OWNERS.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the thread is attached, as `object` says, and the object lives.
        let python = unsafe { python::Python::assume_attached() }.expect("the main interpreter");
        // SAFETY: as above.
        Owner(Held::from(unsafe { Object::from_borrowed(python, object.as_ptr().cast()) }))
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        OWNERS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The thread's word to `wirecontract-tensor` that it is attached.
fn attached<'py>(_python: Python<'py>) -> PyResult<python::Python<'py>> {
    // SAFETY: `PyO3`'s own token says so.
    unsafe { python::Python::assume_attached() }.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// An object of `wirecontract-tensor`'s as one of `PyO3`'s.
fn bound<'py>(python: Python<'py>, object: Object<'_>) -> Bound<'py, PyAny> {
    // SAFETY: a strong reference, which moves.
    unsafe { Bound::from_owned_ptr(python, object.into_ptr().cast()) }
}

/// An error that `raise` has set as the thread's exception.
fn raised(python: Python<'_>) -> PyErr {
    PyErr::fetch(python)
}

/// What was passed to `__dlpack__`, whose objects the caller holds.
fn arguments(
    stream: Option<&Bound<'_, PyAny>>,
    max_version: Option<&Bound<'_, PyAny>>,
    dl_device: Option<&Bound<'_, PyAny>>,
    copy: Option<&Bound<'_, PyAny>>,
) -> Arguments {
    let pointer = |argument: Option<&Bound<'_, PyAny>>| {
        argument.map_or(std::ptr::null_mut(), |argument| argument.as_ptr().cast::<PyObject>())
    };
    Arguments {
        stream: pointer(stream),
        max_version: pointer(max_version),
        dl_device: pointer(dl_device),
        copy: pointer(copy),
    }
}

/// `__dlpack__` of an object that keeps the memory of its view.
fn exported<'py, 'a>(
    object: &Bound<'py, PyAny>,
    view: impl FnOnce() -> Result<View<'a>, ExportError>,
    arguments: &Arguments,
) -> PyResult<Bound<'py, PyAny>> {
    let attached = attached(object.py())?;
    let exported = (|| {
        // SAFETY: objects that the caller holds.
        let request = unsafe { Request::read(attached, arguments) }?;
        let view = view()?;
        // SAFETY: the object keeps its memory, and the owner the object; what a test says by its address is there.
        unsafe { dlpack(attached, &view, &request, &NoDriver, || Owner::of(object)) }
    })();
    exported.map(|capsule| bound(object.py(), capsule)).map_err(|error: ExportError| {
        error.raise(attached);
        raised(object.py())
    })
}

/// A tensor in memory of its own, or at any address that a test says.
#[pyclass(frozen, module = "wirecontract_tensors")]
struct Tensor {
    /// The memory, where it is this object's.
    _memory: Option<AlignedBytes>,
    data: usize,
    element: wirecontract_tensor::DLDataType,
    device: DLDevice,
    shape: Vec<i64>,
    strides: Vec<i64>,
    read_only: bool,
    padded: bool,
    pending: Pending,
}

// SAFETY: the address is a number here.
unsafe impl Sync for Tensor {}

impl Tensor {
    fn view(&self) -> Result<View<'_>, ExportError> {
        let view = View::new(self.data as *mut c_void, self.device, self.element, &self.shape)?;
        let view = if self.padded { view.padded()? } else { view };
        let view = view.with_strides(&self.strides)?.pending(self.pending);
        Ok(if self.read_only { view.read_only() } else { view })
    }
}

#[pymethods]
impl Tensor {
    #[new]
    #[pyo3(signature = (dtype, shape, strides=None, *, size=None, offset=0, device=(1, 0), address=None, read_only=false, padded=false, pending=None))]
    #[allow(clippy::too_many_arguments, reason = "a tensor has as many numbers")]
    fn new(
        dtype: &str,
        shape: Vec<i64>,
        strides: Option<Vec<i64>>,
        size: Option<usize>,
        offset: usize,
        device: (i32, i32),
        address: Option<usize>,
        read_only: bool,
        padded: bool,
        pending: Option<usize>,
    ) -> PyResult<Self> {
        let element =
            element::of_name(dtype).ok_or_else(|| PyValueError::new_err(format!("no dtype {dtype}")))?;
        let strides = strides.unwrap_or_else(|| {
            let mut next = 1i64;
            let mut strides = vec![0; shape.len()];
            for (stride, extent) in strides.iter_mut().zip(&shape).rev() {
                *stride = next;
                next = next.wrapping_mul(*extent);
            }
            strides
        });
        let mut memory = match (address, size) {
            (Some(_), _) => None,
            (None, size) => {
                let width = element::bytes(element).unwrap_or(1);
                let all = shape.iter().product::<i64>().max(0) as usize * width;
                let bytes = AlignedBytes::zeroed(size.unwrap_or(all).max(1));
                Some(bytes.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
        };
        let data = match &mut memory {
            Some(memory) => memory.data() as usize + offset,
            None => address.unwrap_or(0),
        };
        let device = DLDevice { device_type: wirecontract_open(device.0), device_id: device.1 };
        let pending = pending.map_or(Pending::Nothing, Pending::On);
        Ok(Tensor { _memory: memory, data, element, device, shape, strides, read_only, padded, pending })
    }

    #[getter]
    fn address(&self) -> usize {
        self.data
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        exported(slf.as_any(), || slf.get().view(), &arguments(stream, max_version, dl_device, copy))
    }

    fn __dlpack_device__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        let attached = attached(python)?;
        let device = slf.get().view().and_then(|view| Ok(dlpack_device(attached, &view)?));
        device.map(|device| bound(python, device)).map_err(|error| {
            error.raise(attached);
            raised(python)
        })
    }

    #[getter]
    fn __cuda_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        let attached = attached(python)?;
        let dictionary = slf.get().view().and_then(|view| cuda_array_interface(attached, &view));
        dictionary.map(|dictionary| bound(python, dictionary)).map_err(|error| {
            error.raise(attached);
            raised(python)
        })
    }
}

fn wirecontract_open<E: wirecontract::Enumeration<Repr = i32>>(number: i32) -> wirecontract::Open<E> {
    wirecontract::Open::from_raw(number)
}

// SAFETY: an object of the type is frozen and keeps its memory and its numbers.
unsafe impl Exchange for Tensor {
    fn is(object: &Object<'_>) -> bool {
        // SAFETY: the thread is attached, and the object lives.
        unsafe {
            let python = Python::assume_attached();
            Bound::from_borrowed_ptr(python, object.as_ptr().cast()).is_instance_of::<Tensor>()
        }
    }

    unsafe fn view<'a>(_python: python::Python<'_>, object: *mut PyObject) -> Result<View<'a>, ExportError> {
        // SAFETY: the thread is attached, and the object lives and is of the type.
        let tensor: &'a Tensor = unsafe {
            let python = Python::assume_attached();
            let object = Bound::from_borrowed_ptr(python, object.cast());
            &*std::ptr::from_ref(object.downcast_unchecked::<Tensor>().get())
        };
        tensor.view()
    }

    fn object(python: python::Python<'_>, tensor: Imported) -> Result<Object<'_>, ImportError> {
        taken_object(python, tensor)
    }
}

/// An object of Python's for a tensor that was taken.
fn taken_object(python: python::Python<'_>, tensor: Imported) -> Result<Object<'_>, ImportError> {
    // SAFETY: the thread is attached, as the token says.
    let taken = Bound::new(unsafe { Python::assume_attached() }, Taken::new(tensor));
    match taken {
        // SAFETY: a strong reference, which moves.
        Ok(taken) => Ok(unsafe { Object::from_owned(python, taken.into_ptr().cast()) }?),
        Err(error) => {
            error.restore(unsafe { Python::assume_attached() });
            Err(python::PyException::take(python).into())
        }
    }
}

/// A tensor that was taken from another library.
#[pyclass(frozen, module = "wirecontract_tensors")]
struct Taken(ManuallyDrop<Imported>);

impl Taken {
    fn new(tensor: Imported) -> Taken {
        TAKEN.fetch_add(1, Ordering::SeqCst);
        Taken(ManuallyDrop::new(tensor))
    }

    fn tensor(&self) -> &Imported {
        &self.0
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: dropped here and nowhere else.
        let tensor = unsafe { ManuallyDrop::take(&mut self.0) };
        let _ = python::Python::attach(|python| python.undisturbed(|| drop(tensor)));
        TAKEN.fetch_sub(1, Ordering::SeqCst);
    }
}

#[pymethods]
impl Taken {
    #[getter]
    fn address(&self) -> usize {
        self.tensor().data() as usize
    }

    #[getter]
    fn shape<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.tensor().shape())
    }

    #[getter]
    fn strides<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.tensor().strides())
    }

    #[getter]
    fn dtype(&self) -> String {
        element::name(self.tensor().element())
    }

    #[getter]
    fn device(&self) -> (i32, i32) {
        let device = self.tensor().device();
        (device.device_type.raw(), device.device_id)
    }

    #[getter]
    fn read_only(&self) -> bool {
        self.tensor().is_read_only()
    }

    #[getter]
    fn copied(&self) -> bool {
        self.tensor().is_copied()
    }

    #[getter]
    fn legacy(&self) -> bool {
        self.tensor().is_legacy()
    }

    /// The bytes of a tensor without gaps.
    fn to_bytes<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let tensor = self.tensor();
        let view = tensor.view();
        if tensor.device() != wirecontract_tensor::CPU || !view.is_row_major() {
            return Err(PyValueError::new_err("not row-major host memory"));
        }
        let width = element::bytes(tensor.element()).unwrap_or(1);
        let size = view.elements() as usize * width;
        if size == 0 {
            return Ok(PyBytes::new(python, b""));
        }
        // SAFETY: host memory of a library that keeps to the protocol, which nobody writes to meanwhile.
        Ok(PyBytes::new(python, unsafe { std::slice::from_raw_parts(tensor.data().cast::<u8>(), size) }))
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = || Ok(slf.get().tensor().view());
        exported(slf.as_any(), view, &arguments(stream, max_version, dl_device, copy))
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        self.device()
    }
}

fn taken(python: Python<'_>, tensor: Result<Imported, ImportError>) -> PyResult<Taken> {
    let attached = attached(python)?;
    tensor.map(Taken::new).map_err(|error| {
        error.raise(attached);
        raised(python)
    })
}

/// Takes the tensor of an object, or of a capsule.
#[pyfunction]
#[pyo3(signature = (object, *, device=None, copy=None, stream=None))]
fn take(
    object: &Bound<'_, PyAny>,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
    stream: Option<i64>,
) -> PyResult<Taken> {
    let mut asked = Import::default();
    asked.device = device
        .map(|(device_type, device_id)| DLDevice { device_type: wirecontract_open(device_type), device_id });
    asked.copy = copy;
    asked.stream = stream;
    // SAFETY: an object that lives, whose maker keeps to the protocol.
    let tensor = unsafe { import(attached(object.py())?, object.as_ptr().cast(), &asked) };
    taken(object.py(), tensor)
}

/// Takes the tensor of a capsule.
#[pyfunction]
fn take_capsule(object: &Bound<'_, PyAny>) -> PyResult<Taken> {
    // SAFETY: as of `take`.
    let tensor = unsafe { import_capsule(attached(object.py())?, object.as_ptr().cast()) };
    taken(object.py(), tensor)
}

/// A capsule of memory of Rust's, which is the capsule's alone.
#[pyfunction]
fn rust_memory<'py>(python: Python<'py>, kind: &str, versioned: bool) -> PyResult<Bound<'py, PyAny>> {
    let attached = attached(python)?;
    let numbers: Vec<f32> = (0..6u8).map(f32::from).collect();
    let refused = |error: &dyn std::error::Error| PyValueError::new_err(error.to_string());
    let capsule = match (kind, versioned) {
        ("vec", true) => {
            Shaped::new(numbers, &[2, 3]).map_err(|e| refused(&e))?.into_versioned().into_capsule(attached)
        }
        ("vec", false) => {
            let shaped = Shaped::new(numbers, &[2, 3]).map_err(|e| refused(&e))?;
            shaped.into_legacy().map_err(|e| refused(&e))?.into_capsule(attached)
        }
        ("arc", true) => {
            let shared: Arc<[f32]> = numbers.into();
            Shaped::new(shared, &[3, 2]).map_err(|e| refused(&e))?.into_versioned().into_capsule(attached)
        }
        ("box", true) => {
            let boxed = numbers.into_boxed_slice();
            let shaped = Shaped::new(boxed, &[6]).and_then(|shaped| shaped.with_strides(20, &[-1]));
            shaped.map_err(|e| refused(&e))?.into_versioned().into_capsule(attached)
        }
        ("arc", false) => {
            let shared: Arc<[f32]> = numbers.into();
            let shaped = Shaped::new(shared, &[3, 2]).map_err(|e| refused(&e))?;
            shaped.into_legacy().map_err(|e| refused(&e))?.into_capsule(attached)
        }
        _ => return Err(PyValueError::new_err("vec, arc or box")),
    };
    capsule.map(|capsule| bound(python, capsule)).map_err(|error| {
        error.restore(attached);
        raised(python)
    })
}

/// Reads an object's `__cuda_array_interface__`: address, shape, strides in bytes, dtype, read-only, stream.
#[pyfunction]
#[pyo3(signature = (object, *, shape=None, typestr=None, packed_rows=false, max_pitch=None))]
#[allow(clippy::type_complexity, reason = "a row of a table")]
fn read_cuda_array(
    object: &Bound<'_, PyAny>,
    shape: Option<Vec<i64>>,
    typestr: Option<&str>,
    packed_rows: bool,
    max_pitch: Option<u64>,
) -> PyResult<(usize, Vec<i64>, Vec<i64>, String, bool, Option<usize>)> {
    let attached = attached(object.py())?;
    let mut expected = Expected::default();
    expected.shape = shape.as_deref();
    expected.typestr = typestr;
    expected.packed_rows = packed_rows;
    expected.max_pitch = max_pitch;
    // SAFETY: an object that lives.
    let array = unsafe { CudaArray::read(attached, object.as_ptr().cast(), &expected) };
    match array {
        Ok(array) => Ok((
            array.data() as usize,
            array.shape().to_vec(),
            array.byte_strides().to_vec(),
            element::name(array.element()),
            array.is_read_only(),
            array.stream(),
        )),
        Err(error) => {
            error.raise(attached);
            Err(raised(object.py()))
        }
    }
}

/// A capsule of an object's CUDA array, which keeps the object.
#[pyfunction]
fn share_cuda_array<'py>(object: &Bound<'py, PyAny>, device: i32) -> PyResult<Bound<'py, PyAny>> {
    let attached = attached(object.py())?;
    // SAFETY: an object that lives.
    let strides = unsafe { CudaArray::read(attached, object.as_ptr().cast(), &Expected::default()) }
        .and_then(|array| Ok((array.element_strides()?, array)));
    let (strides, array) = strides.map_err(|error| {
        error.raise(attached);
        raised(object.py())
    })?;
    let view = array.view(device, &strides).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let request = Request::default();
    // SAFETY: the object keeps the array, and the owner the object.
    let capsule = unsafe { dlpack(attached, &view, &request, &NoDriver, || Owner::of(object)) };
    capsule.map(|capsule| bound(object.py(), capsule)).map_err(|error| {
        error.raise(attached);
        raised(object.py())
    })
}

/// Tensors that were exported and not ended.
#[pyfunction]
fn owners() -> usize {
    OWNERS.load(Ordering::SeqCst)
}

/// Tensors that were taken and not let go of.
#[pyfunction]
fn held() -> usize {
    TAKEN.load(Ordering::SeqCst)
}

/// What `tests/python` asks for.
#[pymodule(gil_used = false)]
fn wirecontract_tensors(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    module.add_class::<Tensor>()?;
    module.add_class::<Taken>()?;
    module.add_class::<planes::Frame>()?;
    module.add_class::<planes::Plane>()?;
    module.add_class::<planes::TakenFrame>()?;
    for function in [
        wrap_pyfunction!(take, module)?,
        wrap_pyfunction!(take_capsule, module)?,
        wrap_pyfunction!(rust_memory, module)?,
        wrap_pyfunction!(read_cuda_array, module)?,
        wrap_pyfunction!(share_cuda_array, module)?,
        wrap_pyfunction!(owners, module)?,
        wrap_pyfunction!(held, module)?,
        wrap_pyfunction!(planes::take_frame, module)?,
        wrap_pyfunction!(planes::frames, module)?,
    ] {
        module.add_function(function)?;
    }
    offer_exchange::<Tensor>(python)?;
    offer_exchange::<planes::Plane>(python)
}

/// Puts the exchange table on a class.
fn offer_exchange<T: Exchange + PyTypeInfo>(python: Python<'_>) -> PyResult<()> {
    let attached = attached(python)?;
    let capsule = exchange_capsule::<T>(attached).map_err(|error| {
        error.restore(attached);
        raised(python)
    })?;
    PyType::new::<T>(python).setattr("__dlpack_c_exchange_api__", bound(python, capsule))
}
