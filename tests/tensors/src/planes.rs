//! Frames of video: planes for Python, and planes that Python's objects keep.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wirecontract_gpu::video::{PixelFormat, VideoFrame};
use wirecontract_tensor::planes::{self, FrameImport, import_frame};
use wirecontract_tensor::python::{self, Object, PyObject};
use wirecontract_tensor::{
    DLDevice, Driver, DriverError, Exchange, ExportError, ImportError, Memory, NoDriver, Pending, Request,
    Tensor as Imported, View, element,
};

use crate::{arguments, attached, bound, raised, taken_object, wirecontract_open};

/// Memory of frames that is there.
static FRAMES: AtomicUsize = AtomicUsize::new(0);

/// A frame's memory: its own, or at an address that a test says and nobody touches.
struct Pixels {
    _own: Option<Box<[u8]>>,
    start: *mut u8,
    bytes: usize,
    device: DLDevice,
}

// SAFETY: the bytes may be used by any thread, and an address that a test says is a number.
unsafe impl Send for Pixels {}

// SAFETY: the bytes are there until this is dropped, and nobody writes to them.
unsafe impl Memory for Pixels {
    const IS_WRITABLE: bool = false;
    fn data(&mut self) -> *mut u8 {
        self.start
    }
    fn bytes(&self) -> usize {
        self.bytes
    }
    fn device(&self) -> DLDevice {
        self.device
    }
}

impl Pixels {
    /// Bytes that count from 0 to 250 over and over, or those at an address.
    fn new(bytes: usize, address: Option<usize>, device: DLDevice) -> Pixels {
        FRAMES.fetch_add(1, Ordering::SeqCst);
        let mut own: Option<Box<[u8]>> = address.is_none().then(|| (0..=250u8).cycle().take(bytes).collect());
        let start = match (&mut own, address) {
            (Some(own), _) => own.as_mut_ptr(),
            (None, address) => address.unwrap_or(0) as *mut u8,
        };
        Pixels { _own: own, start, bytes, device }
    }
}

impl Drop for Pixels {
    fn drop(&mut self) {
        FRAMES.fetch_sub(1, Ordering::SeqCst);
    }
}

fn format_of(name: &str) -> PyResult<PixelFormat> {
    Ok(match name {
        "nv12" => PixelFormat::Nv12,
        "p010" => PixelFormat::P010,
        "p016" => PixelFormat::P016,
        "i420" => PixelFormat::I420,
        "rgba8" => PixelFormat::Rgba8,
        "bgra8" => PixelFormat::Bgra8,
        _ => return Err(PyValueError::new_err(format!("no format {name}"))),
    })
}

fn device_of((device_type, device_id): (i32, i32)) -> DLDevice {
    DLDevice { device_type: wirecontract_open(device_type), device_id }
}

/// A frame that is made here: on a device at an address, or in host memory of its own.
#[pyclass(frozen, module = "wirecontract_tensors")]
pub struct Frame(planes::Frame);

#[pymethods]
impl Frame {
    #[new]
    #[pyo3(signature = (format, width, height, pitch, *, device=(1, 0), ordinal=-1, address=None, context=None, pending=None))]
    #[allow(clippy::too_many_arguments, reason = "a frame has as many numbers")]
    fn new(
        format: &str,
        width: u32,
        height: u32,
        pitch: u32,
        device: (i32, i32),
        ordinal: i32,
        address: Option<usize>,
        context: Option<usize>,
        pending: Option<usize>,
    ) -> PyResult<Self> {
        let mut video = VideoFrame::new(format_of(format)?, width, height, pitch);
        video.device_ordinal = ordinal;
        let bytes = usize::try_from(video.size)?;
        let frame = planes::Frame::new(video, Pixels::new(bytes, address, device_of(device)));
        let mut frame = frame.map_err(|error| PyValueError::new_err(error.to_string()))?;
        if let Some(context) = context {
            frame = frame.in_cuda_context(context);
        }
        Ok(Frame(frame.pending(pending.map_or(Pending::Nothing, Pending::On))))
    }

    #[getter]
    fn planes(&self) -> Vec<Plane> {
        self.0.planes().iter().cloned().map(Plane).collect()
    }
}

/// A plane of a frame.
#[pyclass(frozen, module = "wirecontract_tensors")]
pub struct Plane(planes::Plane);

impl Plane {
    /// What one of its answers is, or the exception of why there is none.
    fn answer<'py>(
        &self,
        python: Python<'py>,
        answer: impl FnOnce(&planes::Plane, python::Python<'py>) -> Result<Object<'py>, ExportError>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let attached = attached(python)?;
        answer(&self.0, attached).map(|object| bound(python, object)).map_err(|error| {
            error.raise(attached);
            raised(python)
        })
    }
}

#[pymethods]
impl Plane {
    #[getter]
    fn address(&self) -> usize {
        self.0.data() as usize
    }

    #[getter]
    fn shape<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.0.shape())
    }

    /// In bytes.
    #[getter]
    fn strides<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(python, self.0.byte_strides())
    }

    #[getter]
    fn dtype(&self) -> String {
        element::name(self.0.element())
    }

    #[getter]
    fn device(&self) -> (i32, i32) {
        let device = self.0.device();
        (device.device_type.raw(), device.device_id)
    }

    #[getter]
    fn read_only(&self) -> bool {
        self.0.is_read_only()
    }

    #[getter]
    fn cuda_context(&self) -> usize {
        self.0.cuda_context()
    }

    /// The stream that is to be waited for.
    #[getter]
    fn pending(&self) -> Option<usize> {
        self.0.pending().stream()
    }

    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        python: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<&Bound<'py, PyAny>>,
        dl_device: Option<&Bound<'py, PyAny>>,
        copy: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = arguments(stream, max_version, dl_device, copy);
        self.answer(python, |plane, attached| {
            // SAFETY: objects that the caller holds.
            let request = unsafe { Request::read(attached, &arguments) }?;
            plane.dlpack(attached, &request, &NoDriver)
        })
    }

    fn __dlpack_device__<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(python, |plane, attached| Ok(plane.dlpack_device(attached)?))
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(python, planes::Plane::cuda_array_interface)
    }
}

// SAFETY: an object of the type is frozen and keeps its memory and its numbers.
unsafe impl Exchange for Plane {
    fn is(object: &Object<'_>) -> bool {
        // SAFETY: the thread is attached, and the object lives.
        unsafe {
            let python = Python::assume_attached();
            Bound::from_borrowed_ptr(python, object.as_ptr().cast()).is_instance_of::<Plane>()
        }
    }

    unsafe fn view<'a>(_python: python::Python<'_>, object: *mut PyObject) -> Result<View<'a>, ExportError> {
        // SAFETY: the thread is attached, and the object lives and is of the type.
        let plane: &'a Plane = unsafe {
            let python = Python::assume_attached();
            let object = Bound::from_borrowed_ptr(python, object.cast());
            &*std::ptr::from_ref(object.downcast_unchecked::<Plane>().get())
        };
        plane.0.view()
    }

    fn object(python: python::Python<'_>, tensor: Imported) -> Result<Object<'_>, ImportError> {
        taken_object(python, tensor)
    }
}

/// A frame whose planes Python's objects keep.
#[pyclass(frozen, module = "wirecontract_tensors")]
pub struct TakenFrame(planes::TakenFrame);

/// Size, device, and offset and pitch of each plane.
type Layout = (u64, i32, Vec<(u64, u32)>);

fn layout(video: &VideoFrame) -> PyResult<Layout> {
    let planes = video.planes().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let layouts = [video.plane0, video.plane1, video.plane2].map(|plane| (plane.offset, plane.pitch));
    Ok((video.size, video.device_ordinal, layouts[..planes.as_slice().len()].to_vec()))
}

#[pymethods]
impl TakenFrame {
    #[getter]
    fn planes(&self) -> Vec<Plane> {
        self.0.planes().iter().cloned().map(Plane).collect()
    }

    #[getter]
    fn cuda_context(&self) -> usize {
        self.0.cuda_context()
    }

    /// As one buffer, where the planes lie one behind the other.
    fn layout(&self) -> PyResult<Option<Layout>> {
        self.0.layout().as_ref().map(layout).transpose()
    }

    /// As one buffer, which is there.
    fn layout_within(&self, start: usize, size: u64) -> PyResult<Layout> {
        let video = self.0.layout_within(start as *const c_void, size);
        layout(&video.map_err(|error| PyValueError::new_err(error.to_string()))?)
    }
}

/// Knows the device of all addresses, or of none.
struct Knows(Option<i32>);

impl Driver for Knows {
    fn wait(&self, device: DLDevice, pending: Pending, consumer: usize) -> Result<(), DriverError> {
        NoDriver.wait(device, pending, consumer)
    }

    fn copy_to_host(&self, view: &View<'_>, to: &mut [u8]) -> Result<(), DriverError> {
        NoDriver.copy_to_host(view, to)
    }

    fn device_at(&self, address: *const c_void) -> Result<DLDevice, DriverError> {
        match self.0 {
            Some(number) => Ok(device_of((2, number))),
            None => NoDriver.device_at(address),
        }
    }
}

/// Takes the planes of a frame; `driver` is the device that a driver finds.
#[pyfunction]
#[pyo3(signature = (objects, format, width, height, *, device=None, stream=None, driver=None))]
#[allow(clippy::too_many_arguments, reason = "a frame is asked for with as many")]
pub fn take_frame(
    python: Python<'_>,
    objects: Vec<Bound<'_, PyAny>>,
    format: &str,
    width: u32,
    height: u32,
    device: Option<(i32, i32)>,
    stream: Option<i64>,
    driver: Option<i32>,
) -> PyResult<TakenFrame> {
    let mut asked = FrameImport::new(format_of(format)?, width, height);
    asked.device = device.map(device_of);
    asked.stream = stream;
    let pointers: Vec<*mut PyObject> = objects.iter().map(|object| object.as_ptr().cast()).collect();
    let attached = attached(python)?;
    // SAFETY: objects that the caller holds, whose makers keep to the protocols; no test writes while it copies.
    let taken = unsafe { import_frame(attached, &pointers, &asked, &Knows(driver)) };
    taken.map(TakenFrame).map_err(|error| {
        error.raise(attached);
        raised(python)
    })
}

/// Memory of frames that is there.
#[pyfunction]
pub fn frames() -> usize {
    FRAMES.load(Ordering::SeqCst)
}
