//! Frames whose planes are Python's objects: each is taken by what it offers, and checked against the frame.

use core::ffi::c_void;
use std::sync::Arc;

use smallvec::SmallVec;
use wirecontract_gpu::dlpack::{DLDataType, DLDevice, DLDeviceType};
use wirecontract_gpu::video::{self, PixelFormat, PlaneLayout, VideoFrame};

use super::error::{FrameImportError, PlaneProblem};
use super::plane::{Owner, Plane};
use crate::cuda_array::{CudaArray, CudaArrayError, Expected};
use crate::driver::Driver;
use crate::element;
use crate::export::same;
use crate::import::{Import, ImportError, import};
use crate::memory::Dimensions;
use crate::python::{ExceptionKind, Name, Object, PyObject, Python};
use crate::tensor::Tensor;
use crate::view::Pending;

static CUDA_CONTEXT: Name = Name::new(c"cuda_context");

/// What frame is taken.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FrameImport {
    /// How its pixels lie in planes.
    pub format: PixelFormat,
    /// Pixels in a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Where the planes are to be; None to take them from wherever they are, all of them from one device. What offers the
    /// CUDA Array Interface alone does not say its device: it is taken for this one.
    pub device: Option<DLDevice>,
    /// The stream on which the planes will be read, as [`Import`] has it.
    pub stream: Option<i64>,
}

impl FrameImport {
    /// A frame of any device, read on the stream that producers expect where none is said.
    pub fn new(format: PixelFormat, width: u32, height: u32) -> FrameImport {
        FrameImport { format, width, height, device: None, stream: None }
    }

    /// The planes that the frame has, as if their rows stood one behind the other.
    fn expected(&self) -> Result<video::Planes, FrameImportError> {
        let row = i64::from(self.width) * self.format.pixel_samples() * self.format.sample_bytes();
        // A row that 32 bits do not count is longer than any pitch, which the rules say.
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        VideoFrame::new(self.format, self.width, self.height, row).planes().map_err(FrameImportError::Frame)
    }
}

/// A frame whose planes are tensors and arrays of others, which are kept until the last of its planes and of their exports
/// is dropped, on any thread.
#[derive(Clone, Debug)]
pub struct TakenFrame {
    format: PixelFormat,
    width: u32,
    height: u32,
    planes: SmallVec<[Plane; 3]>,
}

/// Takes the planes of a frame: Y, then U and V, of which NV12, P010 and P016 have one plane together; or all of a packed
/// format.
///
/// Each object is asked for its tensor, as [`import`] does. One that has none to give (no `__dlpack__`, or one that raises
/// `BufferError`, as for rows that are no whole number of samples apart) is asked for its CUDA Array Interface, whose device
/// is the one that was asked for or that the driver finds. The attribute `cuda_context` is read where there is one.
///
/// Nothing is waited for: of an array's plane [`Plane::pending`] says what is to be done before, and of a tensor's the stream
/// that was asked with is the one that waits.
///
/// # Errors
/// A frame that is none, another number of objects than of planes, and objects that are other planes, each with what was
/// expected and what came. What was taken before is let go of then.
///
/// # Safety
/// The objects live, and their libraries keep to the protocols: the memory is as large as its numbers say, and there until
/// it is let go of. Nobody writes to host memory while a copy of a plane is made.
pub unsafe fn import_frame(
    python: Python<'_>,
    objects: &[*mut PyObject],
    asked: &FrameImport,
    driver: &dyn Driver,
) -> Result<TakenFrame, FrameImportError> {
    let expected = asked.expected()?;
    let expected = counted(&expected, objects.len(), asked.format)?;
    let mut offered = SmallVec::new();
    for (plane, &object) in objects.iter().enumerate() {
        // SAFETY: an object that lives.
        let object = unsafe { Object::from_borrowed(python, object) };
        // SAFETY: as the caller says.
        let taken = unsafe { offer(&object, asked, driver) };
        offered.push(taken.map_err(|problem| FrameImportError::of_plane(plane, asked.format, problem))?);
    }
    TakenFrame::of(asked, expected, offered)
}

impl TakenFrame {
    /// A frame of tensors that were taken before, without Python.
    ///
    /// # Errors
    /// As [`import_frame`].
    ///
    /// # Safety
    /// Nobody writes to host memory while a copy of a plane is made.
    pub unsafe fn of_tensors(
        tensors: impl IntoIterator<Item = Tensor>,
        asked: &FrameImport,
    ) -> Result<TakenFrame, FrameImportError> {
        let expected = asked.expected()?;
        let offered: SmallVec<[Offered; 3]> = tensors.into_iter().map(Offered::tensor).collect();
        let expected = counted(&expected, offered.len(), asked.format)?;
        TakenFrame::of(asked, expected, offered)
    }

    fn of(
        asked: &FrameImport,
        expected: &[video::Plane],
        offered: SmallVec<[Offered; 3]>,
    ) -> Result<TakenFrame, FrameImportError> {
        let FrameImport { format, width, height, .. } = *asked;
        let mut video = VideoFrame::new(format, width, height, 0);
        let mut layouts = [PlaneLayout::default(); 3];
        let mut device = asked.device;
        let mut context = 0;
        for (plane, (expected, offered)) in expected.iter().zip(&offered).enumerate() {
            let checked = offered.checked(expected).and_then(|pitch| {
                offered.check_place(*device.get_or_insert(offered.device), &mut context)?;
                Ok(pitch)
            });
            let pitch = checked.map_err(|problem| FrameImportError::of_plane(plane, format, problem))?;
            layouts[plane] = PlaneLayout { offset: 0, pitch, _pad: 0 };
        }
        // Each plane counts from its own address, so that all of them are within whatever there is.
        [video.plane0, video.plane1, video.plane2] = layouts;
        video.size = u64::MAX;
        let described = video.planes().map_err(FrameImportError::Frame)?;
        let planes = described.as_slice().iter().zip(offered).map(|(&described, offered)| Plane {
            described,
            data: offered.data,
            device: offered.device,
            is_read_only: offered.is_read_only,
            cuda_context: offered.cuda_context,
            pending: offered.pending,
            owner: offered.owner,
        });
        Ok(TakenFrame { format, width, height, planes: planes.collect() })
    }

    /// How the pixels lie in planes.
    pub fn format(&self) -> PixelFormat {
        self.format
    }

    /// Pixels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Y, then U and V, of which NV12, P010 and P016 have one plane together; or all of a packed format.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// Where all of the planes are.
    pub fn device(&self) -> DLDevice {
        // Of whatever format there is one.
        self.planes[0].device
    }

    /// The `CUcontext` of those planes that say one; 0 where none does.
    pub fn cuda_context(&self) -> usize {
        self.planes.iter().map(|plane| plane.cuda_context).find(|&context| context != 0).unwrap_or(0)
    }
}

/// The planes that are expected, where there are as many objects.
fn counted(
    expected: &video::Planes,
    found: usize,
    format: PixelFormat,
) -> Result<&[video::Plane], FrameImportError> {
    let planes = expected.as_slice();
    let refused = FrameImportError::Count { format, expected: planes.len(), found };
    if planes.len() == found { Ok(planes) } else { Err(refused) }
}

/// What an object offers, before anybody says which plane it is to be.
struct Offered {
    data: *mut c_void,
    device: DLDevice,
    element: DLDataType,
    shape: Dimensions,
    strides: Dimensions,
    /// Whether strides count elements, and not bytes.
    in_elements: bool,
    is_read_only: bool,
    cuda_context: usize,
    pending: Pending,
    owner: Owner,
}

/// # Safety
/// As of [`import_frame`].
unsafe fn offer(
    object: &Object<'_>,
    asked: &FrameImport,
    driver: &dyn Driver,
) -> Result<Offered, PlaneProblem> {
    let python = object.python();
    let cuda_context = context_of(object)?;
    let asks = Import { device: None, copy: None, stream: asked.stream };
    // SAFETY: as the caller says.
    let refused = match unsafe { import(python, object.as_ptr(), &asks) } {
        Ok(tensor) => return Ok(Offered { cuda_context, ..Offered::tensor(tensor) }),
        Err(error) => error,
    };
    let has_none = match &refused {
        ImportError::NoProtocol { .. } => true,
        ImportError::Raised(raised) => raised.is(python, ExceptionKind::BufferError),
        _ => false,
    };
    if !has_none {
        return Err(refused.into());
    }
    // SAFETY: an object that lives.
    match unsafe { CudaArray::read(python, object.as_ptr(), &Expected::default()) } {
        Ok(array) => Ok(Offered { cuda_context, ..Offered::array(array, asked.device, driver)? }),
        Err(CudaArrayError::NoInterface { class }) => Err(match refused {
            ImportError::NoProtocol { .. } => PlaneProblem::NoProtocol { class },
            refused => refused.into(),
        }),
        Err(error) => Err(error.into()),
    }
}

/// What an object says of its context: 0 where it says nothing.
fn context_of(object: &Object<'_>) -> Result<usize, PlaneProblem> {
    match object.attribute(&CUDA_CONTEXT).map_err(ImportError::from)? {
        Some(context) if !context.is_none() => {
            context.address().ok_or_else(|| PlaneProblem::ContextForm { class: context.class_name() })
        }
        _ => Ok(0),
    }
}

impl Offered {
    fn tensor(tensor: Tensor) -> Offered {
        Offered {
            data: tensor.data(),
            device: tensor.device(),
            element: tensor.element(),
            shape: tensor.shape().into(),
            strides: tensor.strides().into(),
            in_elements: true,
            is_read_only: tensor.is_read_only(),
            cuda_context: 0,
            pending: tensor.pending_on(),
            owner: Arc::new(tensor),
        }
    }

    fn array(
        array: CudaArray,
        asked: Option<DLDevice>,
        driver: &dyn Driver,
    ) -> Result<Offered, PlaneProblem> {
        let device = match asked {
            Some(device) => device,
            None => driver.device_at(array.data()).map_err(|error| PlaneProblem::DeviceUnsaid { error })?,
        };
        if !is_cuda(device) {
            return Err(PlaneProblem::NotCuda { expected: device });
        }
        Ok(Offered {
            data: array.data(),
            device,
            element: array.element(),
            shape: array.shape().into(),
            strides: array.byte_strides().into(),
            in_elements: false,
            is_read_only: array.is_read_only(),
            cuda_context: 0,
            pending: array.stream().map_or(Pending::Nothing, Pending::On),
            owner: Arc::new(array),
        })
    }

    /// Bytes from one row to the next, where this is the plane that is expected.
    fn checked(&self, expected: &video::Plane) -> Result<u32, PlaneProblem> {
        if *self.shape != *expected.shape() {
            let (expected, found) = (expected.shape().to_vec(), self.shape.to_vec());
            return Err(PlaneProblem::Shape { expected, found });
        }
        if self.element != expected.element() {
            return Err(PlaneProblem::Element { expected: expected.element(), found: self.element });
        }
        // What is left of the reasons is that a machine's own samples are not those of a frame.
        expected.element_strides()?;
        let width = if self.in_elements { element::bytes(self.element).unwrap_or(1) } else { 1 };
        let stride = |axis: usize| i128::from(self.strides[axis]) * width as i128;
        for axis in (1..self.shape.len()).rev() {
            let (expected, found) = (expected.byte_strides()[axis], stride(axis));
            if self.shape[axis] != 1 && found != i128::from(expected) {
                return Err(PlaneProblem::NotPacked { axis, expected, found });
            }
        }
        let row = expected.shape()[1] * expected.byte_strides()[1];
        // One row has no next one, and its pitch says nothing.
        let found = if self.shape[0] > 1 { stride(0) } else { i128::from(row) };
        let pitch = u32::try_from(found).ok().filter(|&pitch| i64::from(pitch) >= row);
        // That there are addresses for all of it was looked at when it was taken.
        pitch.ok_or(PlaneProblem::Pitch { least: row, found })
    }

    /// Whether it is on the frame's device, and in the frame's context where both say one.
    fn check_place(&self, expected: DLDevice, context: &mut usize) -> Result<(), PlaneProblem> {
        let found = self.device;
        if is_cuda(found) && found.device_id < 0 {
            return Err(PlaneProblem::Ordinal { found: found.device_id });
        }
        if !same(expected, found) {
            return Err(PlaneProblem::Device { expected, found });
        }
        if *context == 0 {
            *context = self.cuda_context;
        }
        if self.cuda_context != 0 && self.cuda_context != *context {
            return Err(PlaneProblem::Context { expected: *context, found: self.cuda_context });
        }
        Ok(())
    }
}

fn is_cuda(device: DLDevice) -> bool {
    matches!(device.device_type.known(), Some(DLDeviceType::Cuda | DLDeviceType::CudaManaged))
}
