//! `wirecontract.Tensor`: elements in memory that somebody keeps, for every library that knows `DLPack`, the CUDA Array
//! Interface or Python's buffers.

mod exchange;
mod from_buffer;
mod memory;
mod to_buffer;
mod word;

use std::ffi::{c_int, c_void};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use smallvec::SmallVec;
#[cfg(target_os = "linux")]
use wirecontract_runtime::host::{Access, HostMapping};
use wirecontract_tensor::python::{Held, Object, PyObject};
use wirecontract_tensor::{
    AlignedBytes, Arguments, CudaArray, CudaArrayError, DLDataType, DLDevice, DLDeviceType, Expected,
    ExportError, Import, NoDriver, Pending, Request, Shaped, Tensor as Imported, View, ViewError,
    cuda_array_interface, dlpack, element, host_copy, import, is_host,
};

use crate::attached::{attached, bound, raised};
#[cfg(target_os = "linux")]
use memory::Extent;
use memory::{Keeper, Kept, Theirs};

/// A number for each dimension.
type Dimensions = SmallVec<[i64; 4]>;

/// Elements of one type in memory, `strides` apart in each dimension of `shape`: exported to other libraries, and taken
/// from them, without a copy.
///
/// `Tensor(source)` is over the memory of anything that has a buffer: `bytes`, `bytearray`, `mmap`, `array.array`, a
/// memoryview of `wirecontract.host`, an array of numpy's. Without further arguments the buffer's own elements, shape and
/// strides are the tensor's; `dtype`, `shape`, `strides` (which count elements) and `offset` (in bytes) say how the bytes
/// of a contiguous buffer are to be read. The buffer stays exported as long as the tensor, and whatever was made of it,
/// is there: a bytearray does not grow meanwhile, and a mapping is not closed.
///
/// `TypeError` for a source without a buffer, `ValueError` for a type that is none, `BufferError` for numbers that are no
/// tensor or reach outside of the memory, and where `readonly=False` is asked of a buffer that is read-only. A number beyond
/// 64 bits is an `OverflowError`, here and in all methods.
///
/// Nothing is ever waited for, and nothing copied unless asked: what needs a driver of the device, as a copy from it does,
/// is a `BufferError`.
///
/// >>> from wirecontract import Tensor
/// >>> image = Tensor(bytearray(range(6)), shape=(2, 3), dtype="uint8")
/// >>> image
/// Tensor(shape=(2, 3), dtype='uint8', device=(1, 0))
/// >>> memoryview(image)[1, 2]
/// 5
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct Tensor {
    kept: Keeper,
    /// Where the element of index 0 is; NULL where there are none.
    data: *mut c_void,
    element: DLDataType,
    device: DLDevice,
    shape: Dimensions,
    strides: Dimensions,
    elements: u64,
    is_read_only: bool,
    is_padded: bool,
    is_copied: bool,
    pending: Pending,
}

// SAFETY: nothing of it changes, what it keeps may be let go of on any thread, and its memory may be reached from any.
unsafe impl Send for Tensor {}
// SAFETY: as above.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// The tensor of a view whose memory `kept` keeps.
    fn of(view: &View<'_>, kept: Kept) -> Result<Tensor, ViewError> {
        let strides = match view.strides() {
            Some(said) => Dimensions::from_slice(said),
            None => row_major(view.shape())?,
        };
        Ok(Tensor {
            kept: Keeper::new(kept),
            data: view.data(),
            element: view.element(),
            device: view.device(),
            shape: Dimensions::from_slice(view.shape()),
            strides,
            elements: view.elements(),
            is_read_only: view.is_read_only(),
            is_padded: view.is_padded(),
            is_copied: false,
            pending: view.pending_on(),
        })
    }

    fn of_imported(tensor: Imported) -> Result<Tensor, ViewError> {
        let copied = tensor.is_copied();
        // What it keeps does not move its numbers' meaning: the view is of the producer's memory.
        let mut made = Tensor::of(&tensor.view(), Kept::Nothing)?;
        made.kept = Keeper::new(Kept::Taken(Theirs::new(tensor.into_owner())));
        made.is_copied = copied;
        Ok(made)
    }

    /// A tensor in memory of its own.
    fn of_shaped(mut shaped: Shaped<AlignedBytes>) -> Result<Tensor, ViewError> {
        let mut made = Tensor::of(&shaped.view(), Kept::Nothing)?;
        made.kept = Keeper::new(Kept::Own(shaped.into_memory()));
        Ok(made)
    }

    /// What it is.
    fn view(&self) -> Result<View<'_>, ViewError> {
        let view = View::new(self.data, self.device, self.element, &self.shape)?;
        let view = if self.is_padded { view.padded()? } else { view };
        let view = if self.elements == 0 { view } else { view.with_strides(&self.strides)? };
        let view = view.pending(self.pending);
        Ok(if self.is_read_only { view.read_only() } else { view })
    }

    /// The elements in row-major order, in host memory of their own.
    fn copied_to_host(&self, python: Python<'_>) -> PyResult<Shaped<AlignedBytes>> {
        let attached = attached(python)?;
        let copied = || -> Result<_, ExportError> {
            let view = self.host_view()?;
            // SAFETY: host memory that is kept; that nobody writes to it meanwhile is what every reader relies on.
            Ok(unsafe { host_copy(&view) }?)
        };
        copied().map_err(|error| raised(attached, error, python))
    }

    /// The view of memory that this process can read.
    fn host_view(&self) -> Result<View<'_>, ExportError> {
        if !is_host(self.device) {
            return Err(ExportError::NotHost { device: self.device });
        }
        Ok(self.view()?)
    }
}

/// The strides of a shape in row-major order without gaps.
fn row_major(shape: &[i64]) -> Result<Dimensions, ViewError> {
    let mut strides = Dimensions::from_elem(0, shape.len());
    wirecontract_gpu::dlpack::shape::row_major(shape, &mut strides)?;
    Ok(strides)
}

/// What elements there are: of which type, and where from the start of the memory.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub(crate) struct Elements<'a> {
    pub(crate) dtype: DLDataType,
    pub(crate) shape: &'a [i64],
    /// None of row-major ones.
    pub(crate) strides: Option<&'a [i64]>,
    /// Bytes from the start of the memory to the element of index 0.
    pub(crate) offset: usize,
}

/// The tensor of an object's buffer, as `Tensor(source, …)` makes it.
pub(crate) fn of_buffer(
    source: &Bound<'_, PyAny>,
    shape: Option<&[i64]>,
    dtype: Option<&str>,
    strides: Option<&[i64]>,
    offset: usize,
    readonly: Option<bool>,
) -> PyResult<Tensor> {
    let dtype = dtype.map(dtype_of).transpose()?;
    from_buffer::tensor(source, &from_buffer::Asked { shape, dtype, strides, offset, readonly })
}

/// The same of elements whose type may have no name here.
#[cfg(target_os = "linux")]
pub(crate) fn of_elements(source: &Bound<'_, PyAny>, elements: Elements<'_>) -> PyResult<Tensor> {
    let Elements { dtype, shape, strides, offset } = elements;
    let asked =
        from_buffer::Asked { shape: Some(shape), dtype: Some(dtype), strides, offset, readonly: None };
    from_buffer::tensor(source, &asked)
}

/// The same in memory that was mapped for the tensor, which keeps it.
#[cfg(target_os = "linux")]
pub(crate) fn of_mapping(
    python: Python<'_>,
    mapping: HostMapping,
    elements: Elements<'_>,
) -> PyResult<Tensor> {
    let Elements { dtype, shape, strides, offset } = elements;
    let is_read_only = mapping.describe().access == Access::ReadOnly;
    let bytes = usize::try_from(mapping.size())?;
    let extent = Extent { start: mapping.as_ptr().cast_mut(), bytes };
    let view = from_buffer::within(python, extent, dtype, shape, strides, offset)?;
    let view = if is_read_only { view.read_only() } else { view };
    Tensor::of(&view, Kept::Mapping(mapping)).map_err(|error| view_error(python, error))
}

fn view_error(python: Python<'_>, error: ViewError) -> PyErr {
    match attached(python) {
        Ok(attached) => raised(attached, ExportError::from(error), python),
        Err(error) => error,
    }
}

/// The type of that name.
fn dtype_of(name: &str) -> PyResult<DLDataType> {
    element::of_name(name).ok_or_else(|| {
        PyValueError::new_err(format!(
            "expected a dtype such as 'uint8', 'float32', 'complex64', 'bool', 'bfloat16' or 'float8_e4m3fn', found {name:?}"
        ))
    })
}

#[pymethods]
#[allow(clippy::needless_pass_by_value, reason = "what Python passes is the function's")]
impl Tensor {
    #[new]
    #[pyo3(signature = (
        source: "typing_extensions.Buffer", /, *, shape=None, dtype=None, strides=None, offset=0, readonly=None
    ))]
    fn new(
        source: &Bound<'_, PyAny>,
        shape: Option<Vec<i64>>,
        dtype: Option<&str>,
        strides: Option<Vec<i64>>,
        offset: i64,
        readonly: Option<bool>,
    ) -> PyResult<Self> {
        let offset = usize::try_from(offset).map_err(|_| {
            PyValueError::new_err(format!("expected an offset in bytes, from 0 on, found {offset}"))
        })?;
        of_buffer(source, shape.as_deref(), dtype, strides.as_deref(), offset, readonly)
    }

    /// A tensor of zeros in memory of its own, row-major, at a multiple of 64 bytes.
    ///
    /// `ValueError` for a type that is none, `BufferError` for a shape that is none, `MemoryError` where there is not as much.
    #[staticmethod]
    #[pyo3(signature = (shape, dtype="float32"))]
    fn zeros(python: Python<'_>, shape: Vec<i64>, dtype: &str) -> PyResult<Self> {
        let element = dtype_of(dtype)?;
        memory::zeros(&shape, element).map_err(|error| view_error(python, error))
    }

    /// Takes the tensor of another library's object, or of a capsule of `DLPack`.
    ///
    /// The exchange table of the object's type is asked first, then `__dlpack__` for a versioned capsule, then for a
    /// legacy one. `device` is where the elements are to be, as `__dlpack_device__` says it: `(1, 0)` is host memory.
    /// `copy=True` is always a copy, `copy=False` never; None copies where there is no other way. `stream` is where a
    /// device's elements will be read, as `__dlpack__` has it.
    ///
    /// `AttributeError` for an object without `__dlpack__`, `BufferError` for what cannot be had as it was asked for,
    /// or is no tensor, `ValueError` for a capsule that somebody has taken, and whatever the object raises.
    #[staticmethod]
    #[pyo3(signature = (
        x: "_HasDLPack | typing_extensions.CapsuleType", /, *, device=None, copy=None, stream=None
    ))]
    fn from_dlpack(
        x: &Bound<'_, PyAny>,
        device: Option<(i32, i32)>,
        copy: Option<bool>,
        stream: Option<i64>,
    ) -> PyResult<Self> {
        from_dlpack(x, device, copy, stream)
    }

    /// Takes the array of an object's `__cuda_array_interface__`, which says neither its device's number nor who keeps
    /// it: `device_id` is the number, and the object is kept.
    ///
    /// What is expected of it may be said: its `shape`, its `typestr`, rows without gaps (`packed_rows`), and the most
    /// bytes from row to row (`max_pitch`). Nothing is waited for; what the array's stream has still to do, a consumer on
    /// another stream is refused.
    ///
    /// `TypeError` for an object without the interface, `ValueError` for a dictionary that is none, for an array that is
    /// another than was expected, and for strides that are no whole number of elements.
    #[staticmethod]
    #[pyo3(signature = (
        x: "_HasCudaArray", /, device_id, *, shape=None, typestr=None, packed_rows=false, max_pitch=None
    ))]
    fn from_cuda_array(
        x: &Bound<'_, PyAny>,
        device_id: i32,
        shape: Option<Vec<i64>>,
        typestr: Option<&str>,
        packed_rows: bool,
        max_pitch: Option<u64>,
    ) -> PyResult<Self> {
        let python = x.py();
        let attached = attached(python)?;
        if device_id < 0 {
            return Err(PyValueError::new_err(format!(
                "expected the number of a device, from 0 on, found device_id={device_id}"
            )));
        }
        let mut expected = Expected::default();
        expected.shape = shape.as_deref();
        expected.typestr = typestr;
        expected.packed_rows = packed_rows;
        expected.max_pitch = max_pitch;
        let taken = || -> Result<Tensor, CudaArrayError> {
            // SAFETY: an object that lives.
            let array = unsafe { CudaArray::read(attached, x.as_ptr().cast(), &expected) }?;
            let strides = array.element_strides()?;
            let view = array.view(device_id, &strides)?;
            let mut made = Tensor::of(&view, Kept::Nothing)?;
            made.kept = Keeper::new(Kept::CudaArray(Box::new(array)));
            Ok(made)
        };
        taken().map_err(|error| raised(attached, error, python))
    }

    /// Elements in each dimension.
    #[getter]
    fn shape<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.shape.as_slice())
    }

    /// Elements from one index to the next in each dimension.
    #[getter]
    fn strides<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.strides.as_slice())
    }

    /// The type of an element, such as `float32`.
    #[getter]
    fn dtype(&self) -> String {
        element::name(self.element)
    }

    /// Where the memory is: the device's type as `DLPack` numbers it (1 is host memory, 2 CUDA), and its number.
    #[getter]
    fn device(&self) -> (i32, i32) {
        (self.device.device_type.raw(), self.device.device_id)
    }

    /// How many dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// How many elements.
    #[getter]
    fn size(&self) -> u64 {
        self.elements
    }

    /// Bytes of an element; 0 of elements of fewer than 8 bits, which are packed.
    #[getter]
    fn itemsize(&self) -> usize {
        if self.is_padded {
            element::bits(self.element).div_ceil(8) as usize
        } else {
            element::bytes(self.element).unwrap_or(0)
        }
    }

    /// Bytes of all elements without gaps.
    #[getter]
    fn nbytes(&self) -> PyResult<u64> {
        Ok(self.view().map_err(|error| PyValueError::new_err(error.to_string()))?.bytes())
    }

    /// Where the element of index 0 is, as a number; 0 where there are no elements.
    #[getter]
    fn data_ptr(&self) -> usize {
        if self.elements == 0 { 0 } else { self.data as usize }
    }

    /// Whether it must not be written to.
    #[getter]
    fn readonly(&self) -> bool {
        self.is_read_only
    }

    /// Whether it was made as a copy, which is nobody else's.
    #[getter]
    fn copied(&self) -> bool {
        self.is_copied
    }

    /// Whether the elements stand in row-major order without gaps.
    #[getter]
    fn contiguous(&self) -> bool {
        wirecontract_gpu::dlpack::shape::is_row_major(&self.shape, &self.strides)
    }

    /// A capsule of the tensor for another library, which calls this by itself (`from_dlpack`).
    ///
    /// The capsule keeps this tensor, and with it the memory. `max_version` from `(1, 0)` on gives a versioned capsule;
    /// without it a legacy one, which cannot say read-only (`BufferError`). `copy=True` copies host memory into new memory,
    /// and says so; `dl_device=(1, 0)` asks for host memory, and of another device than the tensor's needs a driver
    /// (`BufferError`). `stream` has to be None for host memory (`RuntimeError`).
    #[pyo3(signature = (
        *, stream: "int | None" = None, max_version: "tuple[int, int] | None" = None,
        dl_device: "tuple[int, int] | None" = None, copy: "bool | None" = None
    ) -> "typing_extensions.CapsuleType")]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        let attached = attached(python)?;
        let pointer = |argument: Option<&Bound<'py, PyAny>>| {
            argument.map_or(std::ptr::null_mut(), |argument| argument.as_ptr().cast::<PyObject>())
        };
        let arguments = Arguments {
            stream: pointer(stream),
            max_version: pointer(max_version),
            dl_device: pointer(dl_device),
            copy: pointer(copy),
        };
        let exported = || -> Result<Object<'py>, ExportError> {
            // SAFETY: objects that the caller holds; the tensor keeps its memory, and the owner the tensor.
            unsafe {
                let request = Request::read(attached, &arguments)?;
                let view = slf.get().view()?;
                let owner = || Held::from(Object::from_borrowed(attached, slf.as_ptr().cast()));
                dlpack(attached, &view, &request, &NoDriver, owner)
            }
        };
        exported().map(|capsule| bound(python, capsule)).map_err(|error| raised(attached, error, python))
    }

    /// Where the memory is: the device's type, and its number.
    fn __dlpack_device__(&self) -> (i32, i32) {
        self.device()
    }

    /// The exchange table of the type, by which libraries that know it exchange tensors without a call of Python.
    #[classattr]
    fn __dlpack_c_exchange_api__(python: Python<'_>) -> PyResult<Py<PyAny>> {
        exchange::capsule(python)
    }

    /// The dictionary of an array in the memory of a CUDA device, version 3; of all other memory there is none
    /// (`AttributeError`). It keeps nothing: hold the tensor as long as it is used.
    #[getter]
    fn __cuda_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        let attached = attached(python)?;
        let view = slf.get().view().map_err(ExportError::from);
        view.and_then(|view| cuda_array_interface(attached, &view))
            .map(|dictionary| bound(python, dictionary))
            .map_err(|error| raised(attached, error, python))
    }

    /// The elements in row-major order, as bytes of their own; `BufferError` of memory that is not the host's.
    fn tobytes<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut copied = self.copied_to_host(python)?;
        Ok(PyBytes::new(python, copied.memory_mut().as_mut_slice()))
    }

    /// A copy in host memory of its own, row-major, at a multiple of 64 bytes, writable; `BufferError` of memory that is not
    /// the host's, which needs a driver.
    fn copy(&self, python: Python<'_>) -> PyResult<Self> {
        let mut made =
            Tensor::of_shaped(self.copied_to_host(python)?).map_err(|error| view_error(python, error))?;
        made.is_copied = true;
        Ok(made)
    }

    /// Elements in the first dimension; `TypeError` without dimensions.
    fn __len__(&self) -> PyResult<usize> {
        match self.shape.first() {
            Some(&extent) => Ok(usize::try_from(extent)?),
            None => {
                Err(PyTypeError::new_err("expected a tensor with dimensions, found one of a single element"))
            }
        }
    }

    /// What a cycle goes through: what a tensor keeps is let go of when nothing but the cycle keeps the tensor.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.kept.kept().traverse(&visit)
    }

    fn __repr__(&self) -> String {
        use std::fmt::Write as _;
        let mut shape = self.shape.iter().fold(String::new(), |mut text, extent| {
            let _ = write!(text, "{extent}, ");
            text
        });
        if shape.len() > 2 {
            shape.truncate(shape.len() - if self.shape.len() == 1 { 1 } else { 2 });
        }
        let device = self.device();
        let readonly = if self.is_read_only { ", readonly=True" } else { "" };
        format!("Tensor(shape=({shape}), dtype='{}', device={device:?}{readonly})", self.dtype())
    }

    // SAFETY: `to_buffer` says what it fills in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut pyo3::ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        // SAFETY: Python called with a place for the answer.
        unsafe { to_buffer::fill(&slf, view, flags) }
    }

    #[allow(clippy::unused_self, reason = "the form of a method")]
    // SAFETY: Python calls it with what `__getbuffer__` filled in, once.
    unsafe fn __releasebuffer__(&self, view: *mut pyo3::ffi::Py_buffer) {
        // SAFETY: as above.
        unsafe { to_buffer::release(view) };
    }
}

/// Whether a producer refused an argument that it is too old to know.
fn is_older(python: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(python)
}

fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
    stream: Option<i64>,
) -> PyResult<Tensor> {
    let python = x.py();
    let attached = attached(python)?;
    let asked = |device: Option<(i32, i32)>, copy| {
        let mut asked = Import::default();
        asked.device = device.map(|(device_type, device_id)| DLDevice {
            device_type: wirecontract::Open::<DLDeviceType>::from_raw(device_type),
            device_id,
        });
        asked.copy = copy;
        asked.stream = stream;
        asked
    };
    let take = |asked: &Import| -> PyResult<Tensor> {
        // SAFETY: an object that lives, whose maker keeps to the protocol.
        let taken = unsafe { import(attached, x.as_ptr().cast(), asked) };
        let taken = taken.map_err(|error| raised(attached, error, python))?;
        Tensor::of_imported(taken).map_err(|error| view_error(python, error))
    };
    let taken = match take(&asked(device, copy)) {
        // A producer that is older than the arguments is asked without, as the standard has it.
        Err(error) if (copy.is_some() || device.is_some()) && is_older(python, &error) => {
            take(&asked(None, None))?
        }
        taken => taken?,
    };
    if let Some(asked) = device.filter(|device| *device != taken.device()) {
        return Err(from_buffer::buffer_error(format!(
            "expected a tensor of the device {asked:?}, found one of {:?}: the producer does not copy it there",
            taken.device()
        )));
    }
    match copy {
        // Of what the producer does not say to be a copy, nobody knows.
        Some(true) if !taken.is_copied && is_host(taken.device) => taken.copy(python),
        Some(true) if !taken.is_copied => Err(from_buffer::buffer_error(format!(
            "expected a copy, found that the producer does not say that it made one on the device {:?}, and there is no \
             driver here that does: copy with the library that made the tensor",
            taken.device()
        ))),
        Some(false) if taken.is_copied => Err(from_buffer::buffer_error(
            "expected copy=False to be kept, found a tensor that the producer copied".to_owned(),
        )),
        _ => Ok(taken),
    }
}
