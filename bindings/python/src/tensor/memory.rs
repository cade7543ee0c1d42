//! What keeps a tensor's memory.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use wirecontract_tensor::python;
use wirecontract_tensor::{AlignedBytes, CudaArray, DLDataType, Owner, Shaped, ViewError, element};

use super::Tensor;
use super::from_buffer::Source;

/// What a tensor keeps until it goes.
///
/// What is kept may be a tensor that keeps another one, and so on: of more than [`Keeper::NESTED`] within each other the
/// inner ones are let go of one after another, where the outermost is, so that a chain needs no stack of its own length.
pub(super) struct Keeper(ManuallyDrop<Kept>);

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
    static LATER: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

impl Keeper {
    const NESTED: u32 = 32;

    pub(super) fn new(kept: Kept) -> Keeper {
        Keeper(ManuallyDrop::new(kept))
    }

    /// What is kept.
    pub(super) fn kept(&self) -> &Kept {
        &self.0
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if matches!(*self.0, Kept::Nothing) {
            return;
        }
        // SAFETY: taken here and nowhere else.
        let kept = unsafe { ManuallyDrop::take(&mut self.0) };
        // A thread that ends has none of them any more, and lets go as it is.
        let Ok(nested) = NESTED.try_with(Cell::get) else { return drop(kept) };
        if nested >= Keeper::NESTED {
            LATER.with_borrow_mut(|later| later.push(kept));
            return;
        }
        NESTED.set(nested + 1);
        drop(kept);
        if nested == 0 {
            while let Some(later) = LATER.with_borrow_mut(Vec::pop) {
                drop(later);
            }
        }
        NESTED.set(nested);
    }
}

/// What a tensor may keep, so that its memory is there.
#[expect(dead_code, reason = "most of it is kept, and not looked at")]
pub(super) enum Kept {
    /// Nothing yet.
    Nothing,
    /// Another library's tensor.
    Taken(Theirs),
    /// A buffer of another object's.
    Buffer(Source),
    /// Memory of its own.
    Own(AlignedBytes),
    /// Memory that was mapped for it.
    #[cfg(target_os = "linux")]
    Mapping(wirecontract_runtime::host::HostMapping),
    /// The object whose CUDA array it is.
    CudaArray(Box<CudaArray>),
}

impl Kept {
    /// Shows Python's collector the objects that are kept by this and by nothing else. What another library's tensor keeps
    /// only its deleter knows.
    ///
    /// # Errors
    /// What the collector said.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Kept::Nothing | Kept::Taken(_) | Kept::Own(_) => Ok(()),
            #[cfg(target_os = "linux")]
            Kept::Mapping(_) => Ok(()),
            Kept::Buffer(source) => source.traverse(visit),
            Kept::CudaArray(array) => {
                let owner = array.owner().as_ptr().cast::<pyo3::ffi::PyObject>();
                // SAFETY: `Py` is a pointer to an object and nothing else; the array keeps it.
                visit.call(unsafe { &*(&raw const owner).cast::<Py<PyAny>>() })
            }
        }
    }
}

/// Another library's tensor. Letting go of it calls a deleter, which may be a function of Python's: an exception that is on
/// its way is kept from that.
pub(super) struct Theirs(ManuallyDrop<Owner>);

impl Theirs {
    pub(super) fn new(owner: Owner) -> Theirs {
        Theirs(ManuallyDrop::new(owner))
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: dropped here and nowhere else.
        let owner = unsafe { ManuallyDrop::take(&mut self.0) };
        // What is not run is dropped, as is the owner in it.
        let _ = python::Python::attach(|python| python.undisturbed(|| drop(owner)));
    }
}

/// Zeros.
pub(super) fn zeros(shape: &[i64], element: DLDataType) -> Result<Tensor, ViewError> {
    let elements = wirecontract_gpu::dlpack::shape::elements(shape)?;
    let bits = u128::from(elements) * u128::from(element::bits(element));
    let bytes = usize::try_from(bits.div_ceil(8)).map_err(|_| ViewError::Overflow)?;
    Tensor::of_shaped(Shaped::of(AlignedBytes::zeroed(bytes)?, element, shape)?)
}

/// Where memory is that somebody else keeps.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: *mut u8,
    pub(super) bytes: usize,
}
