//! A tensor of a buffer that another process shares.

use pyo3::prelude::*;
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_gpu::dlpack::DLDataType;
use wirecontract_runtime::host::{self, Import};

use super::super::fd;
use super::numbers::{refused_of, shared_buffer};
use super::{HostMapping, refused};
use crate::tensor::{self, Tensor};

/// `SharedBuffer.open`: maps the memory that a descriptor describes, and gives its tensor.
pub(crate) fn open_shared_buffer(descriptor: &Bound<'_, PyAny>, fd: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let fd = fd::given(fd)?;
    let buffer = shared_buffer(descriptor)?;
    let import = Import::of(&buffer).map_err(|error| refused_of(descriptor, error))?;
    let mapping = host::HostMapping::import(fd, &import).map_err(|error| refused(descriptor.py(), error))?;
    tensor_of(Bound::new(descriptor.py(), HostMapping::of(mapping))?.as_any(), &buffer)
}

/// The tensor that a descriptor says is in memory that is mapped already: of the element type, shape and strides that it
/// says, from its `byte_offset` on, or of bytes where it says none.
///
/// `memory` is whatever exports the buffer's bytes, such as a view of `wirecontract.host`, and stays exported as long as the
/// tensor is there; `descriptor` is a `SharedBuffer`, or its bytes. `WireError`, and `BufferError` where the tensor reaches
/// outside of the memory.
///
/// >>> import wirecontract
/// >>> from wirecontract.host import HostBuffer
/// >>> buffer = HostBuffer(4)
/// >>> wirecontract.shared_tensor(buffer.view(), buffer.shared())
/// Tensor(shape=(4,), dtype='uint8', device=(1, 0))
#[pyfunction]
#[pyo3(signature = (memory: "typing_extensions.Buffer", descriptor))]
pub(crate) fn shared_tensor(memory: &Bound<'_, PyAny>, descriptor: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    tensor_of(memory, &shared_buffer(descriptor)?)
}

pub(in super::super) fn tensor_of(memory: &Bound<'_, PyAny>, buffer: &SharedBuffer) -> PyResult<Tensor> {
    let element = buffer.element;
    let offset = usize::try_from(buffer.byte_offset)?;
    if element.bits == 0 {
        let shape = vec![i64::try_from(buffer.size)?];
        return tensor::of_buffer(memory, Some(shape), Some("uint8"), None, offset, None);
    }
    let of = |numbers: &[i64; 8], length: u32| numbers.iter().take(length as usize).copied().collect();
    let dtype = DLDataType { code: element.code, bits: element.bits, lanes: element.lanes };
    let strides = (buffer.strides_len > 0).then(|| of(&buffer.strides, buffer.strides_len));
    tensor::of_elements(memory, of(&buffer.shape, buffer.rank), dtype, strides, offset)
}
