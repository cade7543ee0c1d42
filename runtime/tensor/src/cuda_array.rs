//! The CUDA Array Interface, version 3: a dictionary that says where a device's array is, and of nobody who owns it.

use core::ffi::c_void;
use core::fmt;

use wirecontract_gpu::dlpack::shape::{self, ShapeError};
use wirecontract_gpu::dlpack::{DLDataType, DLDevice, DLDeviceType};

use crate::element;
use crate::export::ExportError;
use crate::memory::Dimensions;
use crate::python::{AttachError, ExceptionKind, Held, Name, Object, PyException, PyObject, Python};
use crate::request::RequestError;
use crate::view::{MAX_RANK, Pending, View, ViewError};

static INTERFACE: Name = Name::new(c"__cuda_array_interface__");
static SHAPE: Name = Name::new(c"shape");
static TYPESTR: Name = Name::new(c"typestr");
static DATA: Name = Name::new(c"data");
static VERSION: Name = Name::new(c"version");
static STRIDES: Name = Name::new(c"strides");
static STREAM: Name = Name::new(c"stream");
static MASK: Name = Name::new(c"mask");

/// Answers `__cuda_array_interface__`: the dictionary of a tensor in the memory of a CUDA device. It holds nothing: the
/// object that it is an attribute of keeps the memory.
///
/// # Errors
/// Memory of no CUDA device, which is an `AttributeError` so that `hasattr` is false; a type that the interface has no
/// word for; a stream of 0, which may mean two; and what Python raised.
pub fn cuda_array_interface<'py>(python: Python<'py>, view: &View<'_>) -> Result<Object<'py>, ExportError> {
    // Before what is said of the type: of other memory there is no interface, whatever its elements are.
    check_cuda(view.device)?;
    let no_word = || ExportError::NoTypestr { element: element::name(view.element) };
    let width = view.element_bytes().map(signed).ok_or_else(no_word)?;
    // A view's reach in bytes was found to fit; a stride that reaches nothing may be any.
    let in_bytes = |strides: &[i64]| strides.iter().map(|stride| stride.wrapping_mul(width)).collect();
    let strides: Option<Dimensions> = view.strides.filter(|_| !view.is_row_major()).map(in_bytes);
    let said = Interface {
        device: view.device,
        data: if view.elements == 0 { 0 } else { view.data as usize },
        typestr: element::typestr(view.element).ok_or_else(no_word)?,
        shape: view.shape,
        byte_strides: strides.as_deref(),
        is_read_only: view.is_read_only,
        pending: view.pending,
    };
    said.dictionary(python)
}

fn check_cuda(device: DLDevice) -> Result<(), ExportError> {
    match device.device_type.known() {
        Some(DLDeviceType::Cuda | DLDeviceType::CudaManaged) => Ok(()),
        _ => Err(ExportError::NotCuda { device }),
    }
}

/// What a dictionary says.
pub(crate) struct Interface<'a> {
    pub device: DLDevice,
    /// 0 where there are no elements.
    pub data: usize,
    pub typestr: &'a str,
    pub shape: &'a [i64],
    /// None of row-major ones without gaps.
    pub byte_strides: Option<&'a [i64]>,
    pub is_read_only: bool,
    pub pending: Pending,
}

impl Interface<'_> {
    pub(crate) fn dictionary<'py>(&self, python: Python<'py>) -> Result<Object<'py>, ExportError> {
        check_cuda(self.device)?;
        let pair = [Object::of_address(python, self.data), Object::of_bool(python, self.is_read_only)];
        let dictionary = Dictionary::new(python)?;
        dictionary.set(&SHAPE, &integers(python, self.shape.iter().copied())?)?;
        dictionary.set(&TYPESTR, &Object::of_text(python, self.typestr)?)?;
        dictionary.set(&DATA, &Object::of_tuple(python, pair.into_iter())?)?;
        dictionary.set(&VERSION, &Object::of_integer(python, 3)?)?;
        let strides = match self.byte_strides {
            Some(strides) => integers(python, strides.iter().copied())?,
            None => none(python),
        };
        dictionary.set(&STRIDES, &strides)?;
        let stream = match self.pending {
            // The interface rules it out, since it may mean two of them.
            Pending::On(0) => return Err(RequestError::Stream { found: 0 }.into()),
            Pending::On(stream) => Object::of_address(python, stream)?,
            Pending::Nothing => none(python),
        };
        dictionary.set(&STREAM, &stream)?;
        Ok(dictionary.0)
    }
}

/// Bytes of an element, of which there are at most 2 MiB.
fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn none(python: Python<'_>) -> Object<'_> {
    // SAFETY: `None` lives as long as Python.
    unsafe { Object::from_borrowed(python, python.none()) }
}

fn integers(
    python: Python<'_>,
    numbers: impl ExactSizeIterator<Item = i64>,
) -> Result<Object<'_>, PyException> {
    Object::of_tuple(python, numbers.map(|number| Object::of_integer(python, number)))
}

/// A dictionary of Python's.
struct Dictionary<'py>(Object<'py>);

impl<'py> Dictionary<'py> {
    fn new(python: Python<'py>) -> Result<Dictionary<'py>, PyException> {
        // SAFETY: the thread is attached.
        unsafe { Object::from_owned(python, (python.functions().PyDict_New)()) }.map(Dictionary)
    }

    fn set(&self, name: &Name, value: &Object<'py>) -> Result<(), PyException> {
        let python = self.0.python();
        // SAFETY: a dictionary, a name and a value that live; the thread is attached.
        let set = unsafe {
            (python.functions().PyDict_SetItem)(self.0.as_ptr(), name.get(python)?, value.as_ptr())
        };
        if set == 0 { Ok(()) } else { Err(PyException::take(python)) }
    }

    /// What stands under a name; None of `None` as well.
    fn get(&self, name: &Name) -> Result<Option<Object<'py>>, PyException> {
        let python = self.0.python();
        let functions = python.functions();
        // SAFETY: a dictionary and a name that live; the thread is attached. What it gives is the dictionary's.
        unsafe {
            let found = (functions.PyDict_GetItemWithError)(self.0.as_ptr(), name.get(python)?);
            if found.is_null() {
                return if (functions.PyErr_Occurred)().is_null() {
                    Ok(None)
                } else {
                    Err(PyException::take(python))
                };
            }
            let found = Object::from_borrowed(python, found);
            Ok((!found.is_none()).then_some(found))
        }
    }
}

/// What an array has to be.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Expected<'a> {
    /// Elements in each dimension.
    pub shape: Option<&'a [i64]>,
    /// The type, as the interface spells it.
    pub typestr: Option<&'a str>,
    /// Whether the elements of a row stand one behind the other: whether all strides but the first are those of a
    /// row-major array.
    pub packed_rows: bool,
    /// The most bytes from one row to the next.
    pub max_pitch: Option<u64>,
}

/// An array of a CUDA device, and the object that keeps its memory.
#[derive(Debug)]
pub struct CudaArray {
    owner: Held,
    data: usize,
    element: DLDataType,
    shape: Dimensions,
    /// In bytes.
    strides: Dimensions,
    is_read_only: bool,
    stream: Option<usize>,
}

/// Why an object is no array of a CUDA device, or another than was expected.
#[derive(Debug)]
#[non_exhaustive]
pub enum CudaArrayError {
    /// An object without the interface.
    NoInterface {
        /// Its class.
        class: String,
    },
    /// A key that is required, and is not there.
    Missing {
        /// Which.
        key: &'static str,
    },
    /// A value of another form than the interface has.
    Form {
        /// Of which key.
        key: &'static str,
        /// What it is to be.
        expected: &'static str,
        /// What came.
        found: String,
    },
    /// A type that has no word here.
    Typestr {
        /// What came.
        found: String,
    },
    /// Elements of which some do not count, which the numbers alone cannot say.
    Masked,
    /// The numbers are of no array.
    View(ViewError),
    /// Elements, and no memory.
    Null,
    /// Another shape than was expected.
    Shape {
        /// What was expected.
        expected: Vec<i64>,
        /// What came.
        found: Vec<i64>,
    },
    /// Another type than was expected.
    OtherType {
        /// What was expected.
        expected: String,
        /// What came.
        found: &'static str,
    },
    /// Another number of strides than of dimensions.
    Strides {
        /// How many dimensions.
        rank: usize,
        /// How many strides.
        found: usize,
    },
    /// Elements of a row that do not stand one behind the other.
    NotPacked {
        /// The dimension.
        axis: usize,
        /// Bytes from one element to the next.
        expected: i64,
        /// What came.
        found: i64,
    },
    /// Elements that are no whole number of elements apart, which a tensor cannot say.
    Fraction {
        /// The dimension.
        axis: usize,
        /// Bytes of an element.
        width: i64,
        /// Bytes from one element to the next.
        found: i64,
    },
    /// Rows that overlap, or are too far from each other.
    Pitch {
        /// Bytes of a row.
        least: i64,
        /// The most that is taken.
        most: u64,
        /// What came.
        found: i64,
    },
    /// What Python raised.
    Raised(PyException),
    /// The thread.
    Attach(AttachError),
}

impl CudaArrayError {
    /// The class that Python is told it in.
    pub fn kind(&self) -> ExceptionKind {
        match self {
            CudaArrayError::NoInterface { .. } | CudaArrayError::Form { .. } => ExceptionKind::TypeError,
            CudaArrayError::Raised(_) | CudaArrayError::Attach(_) => ExceptionKind::RuntimeError,
            _ => ExceptionKind::ValueError,
        }
    }

    /// Sets it as the thread's exception.
    pub fn raise(self, python: Python<'_>) {
        match self {
            CudaArrayError::Raised(error) => error.restore(python),
            error => error.kind().raise(python, &error.to_string()),
        }
    }
}

impl fmt::Display for CudaArrayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaArrayError::NoInterface { class } => write!(
                f,
                "expected an object with __cuda_array_interface__, found one of type {class}: pass an array of a CUDA \
                 device"
            ),
            CudaArrayError::Missing { key } => {
                write!(f, "expected the key `{key}` in __cuda_array_interface__, found none")
            }
            CudaArrayError::Form { key, expected, found } => {
                write!(f, "expected `{key}` in __cuda_array_interface__ to be {expected}, found {found}")
            }
            CudaArrayError::Typestr { found } => write!(
                f,
                "expected `typestr` to be a number in this machine's byte order, such as |u1 or <f4, found {found:?}"
            ),
            CudaArrayError::Masked => f.write_str(
                "expected an array of which every element counts, found one with a mask: fill it first",
            ),
            CudaArrayError::View(error) => error.fmt(f),
            CudaArrayError::Null => f.write_str(
                "expected memory for the elements, found the pointer 0: only an array without any has none",
            ),
            CudaArrayError::Shape { expected, found } => {
                write!(f, "expected the shape {expected:?}, found {found:?}")
            }
            CudaArrayError::OtherType { expected, found } => {
                write!(f, "expected elements of type {expected}, found {found}")
            }
            CudaArrayError::Strides { rank, found } => {
                write!(f, "expected a stride for each of the {rank} dimensions, found {found}")
            }
            CudaArrayError::NotPacked { axis, expected, found } => write!(
                f,
                "expected the elements of a row one behind the other, {expected} bytes apart in dimension {axis}, found \
                 {found}: make a contiguous copy"
            ),
            CudaArrayError::Fraction { axis, width, found } => write!(
                f,
                "expected elements of {width} bytes a whole number of them apart in dimension {axis}, found {found} bytes: \
                 take the array by its strides in bytes"
            ),
            CudaArrayError::Pitch { least, most, found } => {
                write!(f, "expected rows {least} to {most} bytes apart, found {found}")
            }
            CudaArrayError::Raised(error) => error.fmt(f),
            CudaArrayError::Attach(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CudaArrayError {}

holds! { CudaArrayError {
    PyException: Raised;
    ViewError: View;
}}

impl From<ShapeError> for CudaArrayError {
    fn from(error: ShapeError) -> CudaArrayError {
        CudaArrayError::View(error.into())
    }
}

impl CudaArray {
    /// Reads an object's interface, and keeps the object.
    ///
    /// Nothing is waited for: what is pending, [`CudaArray::stream`] says.
    ///
    /// # Errors
    /// An object without the interface, a dictionary that is none of version 2 or 3, and an array that is another than
    /// was expected.
    ///
    /// # Safety
    /// The object lives.
    pub unsafe fn read(
        python: Python<'_>,
        object: *mut PyObject,
        expected: &Expected<'_>,
    ) -> Result<CudaArray, CudaArrayError> {
        // SAFETY: as the caller says.
        let object = unsafe { Object::from_borrowed(python, object) };
        let Some(interface) = object.attribute(&INTERFACE)? else {
            return Err(CudaArrayError::NoInterface { class: object.class_name() });
        };
        if !interface.is_instance(python.functions().dict_type) {
            return Err(form("__cuda_array_interface__", "a dictionary", &interface));
        }
        let interface = Dictionary(interface);
        version(&interface)?;
        if interface.get(&MASK)?.is_some() {
            return Err(CudaArrayError::Masked);
        }
        let element = typestr(&interface)?;
        let shape = required(&interface, &SHAPE, "shape")?;
        let shape = dimensions(&shape, "shape")?;
        let width = element::bytes(element).map_or(0, signed);
        let elements = shape::elements(&shape)?;
        let strides = match interface.get(&STRIDES)? {
            Some(strides) => dimensions(&strides, "strides")?,
            None => {
                let mut strides = Dimensions::from_elem(0, shape.len());
                shape::row_major(&shape, &mut strides)?;
                for stride in &mut strides {
                    *stride = stride.checked_mul(width).ok_or(ShapeError::Overflow)?;
                }
                strides
            }
        };
        if strides.len() != shape.len() {
            return Err(CudaArrayError::Strides { rank: shape.len(), found: strides.len() });
        }
        let (data, is_read_only) = data(&interface)?;
        if data == 0 && elements > 0 {
            return Err(CudaArrayError::Null);
        }
        let stream = stream(&interface)?;
        let owner = Held::from(object);
        let array = CudaArray { owner, data, element, shape, strides, is_read_only, stream };
        array.spans()?;
        array.check(expected)?;
        Ok(array)
    }

    /// All bytes from the lowest to the highest element are within what addresses count.
    fn spans(&self) -> Result<(), CudaArrayError> {
        let width = element::bytes(self.element).unwrap_or(1) as i128;
        // Strides of bytes reach as strides of elements of one byte do, and the last element is as wide as all are.
        let (low, high) = shape::reach(&self.shape, &self.strides)?;
        let end = high.checked_add(width).ok_or(ShapeError::Overflow)?;
        let base = self.data as i128;
        if base + low < 0 || base + end > i128::from(u64::MAX) {
            return Err(CudaArrayError::View(ViewError::Overflow));
        }
        Ok(())
    }

    fn check(&self, expected: &Expected<'_>) -> Result<(), CudaArrayError> {
        if let Some(shape) = expected.shape {
            if *shape != *self.shape {
                return Err(CudaArrayError::Shape { expected: shape.to_vec(), found: self.shape.to_vec() });
            }
        }
        let found = element::typestr(self.element).unwrap_or_default();
        if let Some(typestr) = expected.typestr {
            if typestr != found {
                return Err(CudaArrayError::OtherType { expected: typestr.to_owned(), found });
            }
        }
        if expected.packed_rows && !self.shape.contains(&0) {
            self.check_rows(expected.max_pitch.unwrap_or(u64::MAX))?;
        }
        Ok(())
    }

    fn check_rows(&self, most: u64) -> Result<(), CudaArrayError> {
        let mut expected = element::bytes(self.element).map_or(0, signed);
        for axis in (1..self.shape.len()).rev() {
            let found = self.strides[axis];
            if self.shape[axis] != 1 && found != expected {
                return Err(CudaArrayError::NotPacked { axis, expected, found });
            }
            expected = expected.checked_mul(self.shape[axis]).ok_or(ShapeError::Overflow)?;
        }
        match self.strides.first() {
            // One row has no next one, and its pitch says nothing.
            Some(&found) if self.shape[0] > 1 => {
                let is_taken = found >= expected && u64::try_from(found).is_ok_and(|found| found <= most);
                let refused = CudaArrayError::Pitch { least: expected, most, found };
                if is_taken { Ok(()) } else { Err(refused) }
            }
            _ => Ok(()),
        }
    }

    /// Where the element of index 0 is, on the device; NULL where there are none.
    pub fn data(&self) -> *mut c_void {
        self.data as *mut c_void
    }

    /// The type of an element.
    pub fn element(&self) -> DLDataType {
        self.element
    }

    /// Elements in each dimension.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Bytes from one index to the next in each dimension, also where the object did not say them.
    pub fn byte_strides(&self) -> &[i64] {
        &self.strides
    }

    /// Whether it must not be written to.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The stream whose work is to be done before the elements are there: a `cudaStream_t`, or 1 and 2 for the two default
    /// ones; None where there is nothing to wait for.
    pub fn stream(&self) -> Option<usize> {
        self.stream
    }

    /// The object that keeps the memory.
    pub fn owner(&self) -> &Held {
        &self.owner
    }

    /// Elements from one index to the next in each dimension, as a tensor counts.
    ///
    /// # Errors
    /// Strides that are no whole numbers of elements, which a tensor cannot say.
    pub fn element_strides(&self) -> Result<Vec<i64>, CudaArrayError> {
        let width = element::bytes(self.element).map_or(1, signed);
        let whole = |(axis, &found): (usize, &i64)| {
            let is_whole = found % width == 0 || self.shape[axis] <= 1;
            let refused = CudaArrayError::Fraction { axis, width, found };
            if is_whole { Ok(found / width) } else { Err(refused) }
        };
        self.strides.iter().enumerate().map(whole).collect()
    }

    /// The array as a view, given its device and its [strides in elements](CudaArray::element_strides).
    ///
    /// # Errors
    /// Numbers of no view.
    pub fn view<'a>(&'a self, device_id: i32, strides: &'a [i64]) -> Result<View<'a>, ViewError> {
        let device = DLDevice { device_type: DLDeviceType::Cuda.into(), device_id };
        let view = View::new(self.data(), device, self.element, &self.shape)?;
        let view = if view.elements == 0 { view } else { view.with_strides(strides)? };
        let view = view.pending(self.stream.map_or(Pending::Nothing, Pending::On));
        Ok(if self.is_read_only { view.read_only() } else { view })
    }
}

fn form(key: &'static str, expected: &'static str, object: &Object<'_>) -> CudaArrayError {
    CudaArrayError::Form { key, expected, found: format!("an object of type {}", object.class_name()) }
}

fn required<'py>(
    interface: &Dictionary<'py>,
    name: &Name,
    key: &'static str,
) -> Result<Object<'py>, CudaArrayError> {
    interface.get(name)?.ok_or(CudaArrayError::Missing { key })
}

fn version(interface: &Dictionary<'_>) -> Result<(), CudaArrayError> {
    let expected = "2 or 3";
    let version = required(interface, &VERSION, "version")?;
    match version.integer() {
        // Version 2 has no stream and is otherwise the same.
        Ok(2 | 3) => Ok(()),
        Ok(found) => Err(CudaArrayError::Form { key: "version", expected, found: found.to_string() }),
        Err(_) => Err(form("version", expected, &version)),
    }
}

fn typestr(interface: &Dictionary<'_>) -> Result<DLDataType, CudaArrayError> {
    let object = required(interface, &TYPESTR, "typestr")?;
    if !object.is_instance(object.python().functions().unicode_type) {
        return Err(form("typestr", "text", &object));
    }
    let found = object.text()?;
    element::of_typestr(&found).ok_or(CudaArrayError::Typestr { found })
}

fn dimensions(object: &Object<'_>, key: &'static str) -> Result<Dimensions, CudaArrayError> {
    let expected = "a tuple of integers";
    let Some(numbers) = object.tuple() else { return Err(form(key, expected, object)) };
    if numbers.len() > MAX_RANK {
        return Err(ViewError::Rank { rank: numbers.len() }.into());
    }
    numbers.iter().map(|number| number.integer().map_err(|_| form(key, expected, number))).collect()
}

fn data(interface: &Dictionary<'_>) -> Result<(usize, bool), CudaArrayError> {
    let expected = "a tuple of a pointer and whether it is read-only";
    let object = required(interface, &DATA, "data")?;
    let python = object.python();
    let pair = object.tuple();
    let Some([pointer, read_only]) = pair.as_deref() else { return Err(form("data", expected, &object)) };
    let functions = python.functions();
    let is_read_only = if read_only.as_ptr() == functions.yes {
        true
    } else if read_only.as_ptr() == functions.no {
        false
    } else {
        return Err(form("data", expected, read_only));
    };
    let address = pointer.address().ok_or_else(|| form("data", expected, pointer))?;
    Ok((address, is_read_only))
}

fn stream(interface: &Dictionary<'_>) -> Result<Option<usize>, CudaArrayError> {
    let expected = "None, 1, 2 or a cudaStream_t";
    let Some(object) = interface.get(&STREAM)? else { return Ok(None) };
    let refused = |found: String| CudaArrayError::Form { key: "stream", expected, found };
    match object.integer() {
        // 0 may mean two of them.
        Ok(number @ ..=0) => Err(refused(number.to_string())),
        Ok(i64::MAX) => Err(refused("2**63 - 1 or more".to_owned())),
        Ok(number) => usize::try_from(number).map(Some).map_err(|_| refused(number.to_string())),
        Err(_) => Err(form("stream", expected, &object)),
    }
}
