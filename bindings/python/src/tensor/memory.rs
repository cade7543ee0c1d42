//! What keeps a tensor's memory.

use std::mem::ManuallyDrop;

use wirecontract_tensor::python;
use wirecontract_tensor::{
    AlignedBytes, CudaArray, DLDataType, Memory, Shaped, Tensor as Imported, ViewError, element,
};

use super::Tensor;
use super::from_buffer::Source;

/// What a tensor keeps, so that its memory is there.
#[expect(dead_code, reason = "most of it is kept, and not looked at")]
pub(super) enum Kept {
    /// Nothing yet.
    Nothing,
    /// Another library's tensor.
    Taken(Theirs),
    /// A buffer of another object's.
    Buffer(Source),
    /// Memory of its own.
    Own(Shaped<AlignedBytes>),
    /// The object whose CUDA array it is.
    CudaArray(CudaArray),
}

/// Another library's tensor. Letting go of it calls a deleter, which may be a function of Python's: an exception that is on
/// its way is kept from that.
pub(super) struct Theirs(ManuallyDrop<Imported>);

impl Theirs {
    pub(super) fn new(tensor: Imported) -> Theirs {
        Theirs(ManuallyDrop::new(tensor))
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // SAFETY: dropped here and nowhere else.
        let tensor = unsafe { ManuallyDrop::take(&mut self.0) };
        // What is not run is dropped, as is the tensor in it.
        let _ = python::Python::attach(|python| python.undisturbed(|| drop(tensor)));
    }
}

/// Zeros.
pub(super) fn zeros(shape: &[i64], element: DLDataType) -> Result<Tensor, ViewError> {
    let elements = wirecontract_gpu::dlpack::shape::elements(shape)?;
    let bits = u128::from(elements) * u128::from(element::bits(element));
    let bytes = usize::try_from(bits.div_ceil(8)).map_err(|_| ViewError::Overflow)?;
    Tensor::of_shaped(Shaped::of(AlignedBytes::zeroed(bytes)?, element, shape)?, Kept::Own)
}

/// Memory whose numbers alone are looked at.
pub(super) struct Extent {
    pub(super) start: *mut u8,
    pub(super) bytes: usize,
}

// SAFETY: an address is a number.
unsafe impl Send for Extent {}

// SAFETY: the memory is that of a buffer, which outlives each use of this; it is not written to through this.
unsafe impl Memory for Extent {
    const IS_WRITABLE: bool = true;

    fn data(&mut self) -> *mut u8 {
        self.start
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
