//! What keeps a tensor's memory.

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
    Taken(Imported),
    /// A buffer of another object's.
    Buffer(Source),
    /// Memory of its own.
    Own(Shaped<AlignedBytes>),
    /// The object whose CUDA array it is.
    CudaArray(CudaArray),
}

/// Zeros.
pub(super) fn zeros(shape: &[i64], element: DLDataType) -> Result<Tensor, ViewError> {
    let elements = wirecontract_gpu::dlpack::shape::elements(shape)?;
    let bits = u128::from(elements) * u128::from(element::bits(element));
    let bytes = usize::try_from(bits.div_ceil(8)).map_err(|_| ViewError::Overflow)?;
    Tensor::of_shaped(Shaped::of(AlignedBytes::zeroed(bytes)?, element, shape)?, Kept::Own)
}

/// The elements of a row-major tensor.
pub(super) fn bytes(shaped: &mut Shaped<AlignedBytes>) -> &[u8] {
    shaped.memory_mut().as_mut_slice()
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
