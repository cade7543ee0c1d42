//! `wirecontract.HostBuffer` and `wirecontract.HostMapping`: host memory that several processes map.

mod lent;
mod numbers;
mod refused;
mod shared;

use std::ffi::c_int;
use std::os::fd::OwnedFd;

use pyo3::ffi::Py_buffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rustix::fs::{SealFlags, fcntl_add_seals};
use rustix::io::Errno;
use wirecontract_runtime::host;

use super::fd::{self, Fd};
use super::pure::named;
use crate::tensor::{self, Tensor};
pub(super) use lent::{Lent, Memory};
pub(super) use numbers::shared_buffer;
use numbers::{import_of, options};
pub(super) use refused::refused;
pub(super) use shared::tensor_of;

pub(crate) use shared::{open_shared_buffer, shared_tensor};

/// A buffer of host memory that this process made, and writes.
///
/// It owns a memfd that nobody can shrink or grow, and a mapping of it, until it is closed, at the end of a `with`, or when
/// it is dropped. What is lent of it, as a tensor, a memoryview or an array that is made of one, keeps the memory: `close`
/// refuses (`wirecontract.host.Busy`, a `BufferError`) while some is lent. Who imported it keeps the memory for as long as
/// their own mapping lives.
///
/// `HostBuffer(size)` makes a buffer of `size` bytes of zeros, at least 1, which takes no memory until it is touched.
/// `offset` is bytes from the start of the allocation to the buffer, a multiple of `alignment`: what its address is a
/// multiple of, here and in every importer's process; a power of two, at most a page. `consumers` is a
/// `wirecontract.host.Access`: with `READ_ONLY` the kernel refuses whatever writes but this mapping. `huge_pages` is a
/// `wirecontract.host.HugePages`. `populate` has all pages made at once. `final_seals` keeps consumers that write from adding
/// seals; such a buffer cannot be frozen. Refusals are those of `wirecontract.host`: `SizeError` for numbers that no buffer
/// has, `NoHugePages`, and `HostOSError`, as of too many descriptors or too little memory.
///
/// >>> from wirecontract import HostBuffer, HostMapping
/// >>> with HostBuffer(24, name="frame") as buffer:
/// ...     image = buffer.tensor(shape=(2, 3), dtype="float32")
/// ...     memoryview(image)[1, 2] = 2.5
/// ...     # In another process:
/// ...     with HostMapping.open(buffer.consumer_fd(), buffer.shared()) as mapping:
/// ...         read = mapping.tensor(shape=(2, 3), dtype="float32")
/// ...         memoryview(read).tolist(), read.readonly
/// ...         del read, image
/// ([[0.0, 0.0, 0.0], [0.0, 0.0, 2.5]], True)
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct HostBuffer {
    lent: Lent<Exported>,
    pages: host::Pages,
    number: u64,
}

/// What this process made, as it is by now.
enum Exported {
    Written(host::HostBuffer),
    Frozen(host::FrozenBuffer),
    /// One that could not be frozen, and whose writing mapping was given up for it.
    Left(host::HostMapping),
}

impl Exported {
    fn describe(&self) -> host::Import {
        match self {
            Exported::Written(buffer) => buffer.describe(),
            Exported::Frozen(buffer) => buffer.describe(),
            Exported::Left(mapping) => mapping.describe(),
        }
    }
}

/// Has nobody write a memfd that this process maps no more.
fn seal(fd: &OwnedFd) -> Result<(), host::HostError> {
    fcntl_add_seals(fd, SealFlags::WRITE).map_err(|error| match error {
        Errno::BUSY => host::HostError::StillWritten,
        Errno::PERM => host::HostError::FinalSeals,
        error => {
            let operation = "sealing a memfd against writing";
            host::HostError::Os { operation, errno: error.raw_os_error() }
        }
    })
}

/// Zeros in all bytes; none where nobody writes them any more.
fn zero(mapping: &mut host::HostMapping) -> Option<Result<(), host::HostError>> {
    const ZEROS: [u8; 1 << 12] = [0; 1 << 12];
    let size = mapping.size();
    let is_writable = mapping.describe().access == host::Access::ReadWrite;
    is_writable.then(|| {
        (0..size).step_by(ZEROS.len()).try_for_each(|at| {
            let length = usize::try_from(size - at).map_or(ZEROS.len(), |left| left.min(ZEROS.len()));
            mapping.write_at(at, &ZEROS[..length])
        })
    })
}

/// A mapping of a memfd that writes it where that may still be, and else reads it.
fn again(fd: &OwnedFd, numbers: &host::Import) -> Option<host::HostMapping> {
    let with = |access| {
        let import = host::Import { access, ..*numbers };
        host::HostMapping::import(fd.try_clone().ok()?, &import).ok()
    };
    with(host::Access::ReadWrite).or_else(|| with(host::Access::ReadOnly))
}

impl Memory for Exported {
    fn pages(&mut self) -> (*mut u8, u64, bool) {
        match self {
            Exported::Written(buffer) => (buffer.as_mut_ptr(), buffer.size(), true),
            Exported::Frozen(buffer) => (buffer.as_ptr().cast_mut(), buffer.describe().size, false),
            Exported::Left(mapping) => mapping.pages(),
        }
    }
}

impl Memory for host::HostMapping {
    fn pages(&mut self) -> (*mut u8, u64, bool) {
        let is_writable = self.describe().access == host::Access::ReadWrite;
        (self.as_ptr().cast_mut(), self.size(), is_writable)
    }
}

#[pymethods]
#[allow(clippy::needless_pass_by_value, reason = "the form of a method of Python's")]
impl HostBuffer {
    #[new]
    #[pyo3(signature = (
        size: "int", *, offset: "int | None" = None, alignment: "int | None" = None, name: "str | None" = None,
        consumers: "wirecontract.host.Access | None" = None,
        huge_pages: "wirecontract.host.HugePages | None" = None, populate=false, final_seals=false
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn new(
        size: &Bound<'_, PyAny>,
        offset: Option<&Bound<'_, PyAny>>,
        alignment: Option<&Bound<'_, PyAny>>,
        name: Option<&Bound<'_, PyAny>>,
        consumers: Option<&Bound<'_, PyAny>>,
        huge_pages: Option<&Bound<'_, PyAny>>,
        populate: bool,
        final_seals: bool,
    ) -> PyResult<HostBuffer> {
        let python = size.py();
        let wanted =
            numbers::Wanted { offset, alignment, name, consumers, huge_pages, populate, final_seals };
        let options = options(size, &wanted)?;
        // Pages that are made at once take their time.
        let buffer = python.detach(|| host::HostBuffer::create(&options));
        let buffer = buffer.map_err(|error| refused::refused(python, error))?;
        let number = named(python, "wirecontract.host._identity", "next_buffer")?.call0()?.extract()?;
        Ok(HostBuffer { pages: buffer.pages(), lent: Lent::of(Exported::Written(buffer)), number })
    }

    /// Bytes of the buffer.
    #[getter]
    fn size(&self, python: Python<'_>) -> PyResult<u64> {
        self.lent.look(python, |memory| memory.describe().size)
    }

    /// Bytes from the start of the file to the buffer.
    #[getter]
    fn offset(&self, python: Python<'_>) -> PyResult<u64> {
        self.lent.look(python, |memory| memory.describe().offset)
    }

    /// Bytes of the whole file: a multiple of its pages.
    #[getter]
    fn allocation_size(&self, python: Python<'_>) -> PyResult<u64> {
        self.lent.look(python, |memory| memory.describe().allocation_size)
    }

    /// What a consumer imports it with, beside the descriptor: a `wirecontract.host.Import`.
    #[pyo3(signature = () -> "wirecontract.host.Import")]
    fn describe<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let import = self.lent.look(python, Exported::describe)?;
        numbers::described(python, &import)
    }

    /// The descriptor of the buffer (`contracts.buffer.SharedBuffer`), and of a tensor in it where its `element` is said,
    /// with its `shape`, its `strides` in elements, and `byte_offset`. `buffer_id` is a number that no other buffer of this
    /// process has, unless said.
    #[pyo3(signature = (**tensor) -> "wirecontract.contracts.buffer.SharedBuffer")]
    fn shared<'py>(
        &self,
        python: Python<'py>,
        tensor: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keywords = PyDict::new(python);
        keywords.set_item("buffer_id", self.number)?;
        if let Some(tensor) = tensor {
            keywords.update(tensor.as_mapping())?;
            if keywords.get_item("buffer_id")?.is_some_and(|number| number.is_none()) {
                keywords.set_item("buffer_id", self.number)?;
            }
        }
        let of = named(python, "wirecontract.host._buffer", "shared_of")?;
        of.call((self.describe(python)?,), Some(&keywords))
    }

    /// A descriptor to send to a consumer, which has just the access that consumers are given. It is the caller's.
    fn consumer_fd(&self, python: Python<'_>) -> PyResult<Fd> {
        let fd = self.lent.look(python, |memory| match memory {
            Exported::Written(buffer) => buffer.try_clone_fd(),
            Exported::Frozen(buffer) => buffer.try_clone_fd(),
            Exported::Left(mapping) => mapping.try_clone_fd(),
        })?;
        fd.map(Fd::of).map_err(|error| refused::refused(python, error))
    }

    /// The buffer's bytes as a memoryview: writable, until it is frozen. Consumers read it, and write it where they may.
    #[pyo3(signature = () -> "memoryview")]
    fn view<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        named(slf.py(), "builtins", "memoryview")?.call1((slf,))
    }

    /// A tensor in the buffer's memory, without a copy: `shape`, `dtype`, `strides` (which count elements) and `offset`
    /// (bytes from the start of the buffer) say how its bytes are to be read; without them it is one of bytes. The tensor,
    /// and whatever is made of it, keeps the memory. `BufferError` for numbers that are no tensor or reach outside.
    #[pyo3(signature = (*, shape=None, dtype=None, strides=None, offset=0, readonly=None))]
    fn tensor(
        slf: &Bound<'_, Self>,
        shape: Option<Vec<i64>>,
        dtype: Option<&str>,
        strides: Option<Vec<i64>>,
        offset: usize,
        readonly: Option<bool>,
    ) -> PyResult<Tensor> {
        tensor::of_buffer(slf.as_any(), shape.as_deref(), dtype, strides.as_deref(), offset, readonly)
    }

    /// Has all bytes of the buffer be zero, and touches no page that nobody touched before. `NotAllowed` where it is frozen.
    fn zero(&self, python: Python<'_>) -> PyResult<()> {
        let zeroed = self.lent.with(python, |memory, _| match memory {
            Exported::Written(buffer) => Some(buffer.zero()),
            Exported::Left(mapping) => zero(mapping),
            Exported::Frozen(_) => None,
        })?;
        match zeroed {
            Some(zeroed) => zeroed.map_err(|error| refused::refused(python, error)),
            None => Err(refused::frozen(python)),
        }
    }

    /// The pages that it got: a `wirecontract.host.Pages`.
    #[getter]
    fn pages<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numbers::pages(python, self.pages)
    }

    /// Whether a tensor or a view of it exists that was not let go of.
    #[getter]
    fn has_views(&self) -> bool {
        self.lent.is_lent()
    }

    /// Whether nobody writes it any more.
    #[getter]
    fn is_frozen(&self) -> bool {
        self.lent.is(|memory| match memory {
            // Nobody can seal it against writing while this mapping writes it.
            Exported::Written(_) => false,
            Exported::Frozen(_) => true,
            Exported::Left(mapping) => mapping.bytes().is_some(),
        })
    }

    /// Has nobody write the buffer any more, this process included; what is lent of it from then on is read-only.
    ///
    /// `Busy` where some is lent, or where somebody else can still write it; `HostError` of the code `refused` where its
    /// seals were made final. Its bytes are as they were then, and where new writers are sealed off this side writes it no
    /// more.
    fn freeze(&self, python: Python<'_>) -> PyResult<()> {
        self.lent.replace(python, |memory| {
            let numbers = memory.describe();
            let (error, fd) = match memory {
                Exported::Written(buffer) => match buffer.freeze() {
                    Ok(frozen) => return (Some(Exported::Frozen(frozen)), Ok(())),
                    Err(host::FreezeError { error, fd }) => (Some(error), fd),
                },
                frozen @ Exported::Frozen(_) => return (Some(frozen), Ok(())),
                Exported::Left(mapping) => {
                    let fd = mapping.into_fd();
                    (seal(&fd).err(), fd)
                }
            };
            (again(&fd, &numbers).map(Exported::Left), error.map_or(Ok(()), Err))
        })
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lent.is_closed()
    }

    /// Unmaps it and closes the descriptor; `Busy` while some of it is lent.
    fn close(&self, python: Python<'_>) -> PyResult<()> {
        self.lent.close(python)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (
        _kind: "type[BaseException] | None", error: "BaseException | None",
        _traceback: "types.TracebackType | None", /
    ))]
    fn __exit__(
        &self,
        python: Python<'_>,
        _kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.lent.leave(python, error.is_some())
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        match self.describe(python) {
            Ok(import) => Ok(format!("<HostBuffer {}>", import.repr()?)),
            Err(_) => Ok("<HostBuffer closed>".to_owned()),
        }
    }

    // SAFETY: `lent` says what it fills in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        // SAFETY: Python called with a place for the answer, and the object is the one whose memory it is.
        unsafe { slf.get().lent.fill(slf.as_any(), view, flags) }
    }

    // SAFETY: Python calls it once for what `__getbuffer__` filled in.
    unsafe fn __releasebuffer__(&self, _view: *mut Py_buffer) {
        self.lent.give_back();
    }
}

/// A buffer that another process made, mapped here.
///
/// It owns the descriptor and the mapping until it is closed, at the end of a `with`, or when it is dropped. The memory lives
/// for as long as anybody has it, whatever becomes of its exporter. What is lent of it, as a tensor, a memoryview or an array
/// that is made of one, keeps the memory: `close` refuses (`wirecontract.host.Busy`, a `BufferError`) while some is lent, and
/// where an exception ends a `with`, the mapping ends with the last of them instead.
#[pyclass(frozen, module = "wirecontract", weakref)]
pub(crate) struct HostMapping {
    lent: Lent<host::HostMapping>,
}

impl HostMapping {
    fn of(mapping: host::HostMapping) -> HostMapping {
        HostMapping { lent: Lent::of(mapping) }
    }
}

#[pymethods]
#[allow(clippy::needless_pass_by_value, reason = "the form of a method of Python's")]
impl HostMapping {
    /// Maps a buffer, of which nothing is believed: the file is a memfd that nobody can shrink, has the size that was
    /// announced, and allows the access. Only the pages of the buffer are mapped, and none is touched: 4 GiB cost what 4 KiB
    /// cost. `buffer` is a `SharedBuffer` or a `wirecontract.host.Import`.
    ///
    /// The descriptor, by its number as well, is the mapping's from then on, and closed where it is refused: in this order
    /// `NotMemory`, `NotSealed`, `NotAllowed`, `SizeError`, `FileTooShort`, and `HostOSError` for what the system refused. A
    /// `SharedBuffer` is validated before (`WireError`), and has to be of host memory (`OtherMemory`).
    #[staticmethod]
    #[pyo3(signature = (
        fd, buffer: "SharedBuffer | wirecontract.contracts.buffer.SharedBuffer | wirecontract.host.Import"
    ))]
    fn open(fd: &Bound<'_, PyAny>, buffer: &Bound<'_, PyAny>) -> PyResult<HostMapping> {
        let python = fd.py();
        let fd = fd::given(fd)?;
        let import = import_of(buffer)?;
        let mapping = host::HostMapping::import(fd, &import);
        mapping.map(HostMapping::of).map_err(|error| refused::refused(python, error))
    }

    /// Bytes of the buffer.
    #[getter]
    fn size(&self, python: Python<'_>) -> PyResult<u64> {
        self.lent.look(python, host::HostMapping::size)
    }

    /// What it was imported with: a `wirecontract.host.Import`.
    #[pyo3(signature = () -> "wirecontract.host.Import")]
    fn describe<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let import = self.lent.look(python, host::HostMapping::describe)?;
        numbers::described(python, &import)
    }

    /// The buffer's bytes as a memoryview, read-only or writable as it was imported. Others may write it at any time, unless
    /// it `is_frozen`; who reads what is written meanwhile reads any mixture of old and new bytes.
    #[pyo3(signature = () -> "memoryview")]
    fn view<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        named(slf.py(), "builtins", "memoryview")?.call1((slf,))
    }

    /// A tensor in the buffer's memory, without a copy; see `HostBuffer.tensor`. It is read-only where the mapping is.
    #[pyo3(signature = (*, shape=None, dtype=None, strides=None, offset=0, readonly=None))]
    fn tensor(
        slf: &Bound<'_, Self>,
        shape: Option<Vec<i64>>,
        dtype: Option<&str>,
        strides: Option<Vec<i64>>,
        offset: usize,
        readonly: Option<bool>,
    ) -> PyResult<Tensor> {
        tensor::of_buffer(slf.as_any(), shape.as_deref(), dtype, strides.as_deref(), offset, readonly)
    }

    /// Whether nobody writes it any more.
    #[getter]
    fn is_frozen(&self) -> bool {
        self.lent.is(|mapping| mapping.bytes().is_some())
    }

    /// Another descriptor of the same file, to hand on, with the access of the one that was imported. It is the caller's.
    fn duplicate_fd(&self, python: Python<'_>) -> PyResult<Fd> {
        let fd = self.lent.look(python, host::HostMapping::try_clone_fd)?;
        fd.map(Fd::of).map_err(|error| refused::refused(python, error))
    }

    /// Whether it was closed.
    #[getter]
    fn closed(&self) -> bool {
        self.lent.is_closed()
    }

    /// Unmaps it and closes the descriptor; `Busy` while some of it is lent.
    fn close(&self, python: Python<'_>) -> PyResult<()> {
        self.lent.close(python)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (
        _kind: "type[BaseException] | None", error: "BaseException | None",
        _traceback: "types.TracebackType | None", /
    ))]
    fn __exit__(
        &self,
        python: Python<'_>,
        _kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.lent.leave(python, error.is_some())
    }

    fn __repr__(&self, python: Python<'_>) -> PyResult<String> {
        match self.describe(python) {
            Ok(import) => Ok(format!("<HostMapping {}>", import.repr()?)),
            Err(_) => Ok("<HostMapping closed>".to_owned()),
        }
    }

    // SAFETY: `lent` says what it fills in.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut Py_buffer, flags: c_int) -> PyResult<()> {
        // SAFETY: Python called with a place for the answer, and the object is the one whose memory it is.
        unsafe { slf.get().lent.fill(slf.as_any(), view, flags) }
    }

    // SAFETY: Python calls it once for what `__getbuffer__` filled in.
    unsafe fn __releasebuffer__(&self, _view: *mut Py_buffer) {
        self.lent.give_back();
    }
}
