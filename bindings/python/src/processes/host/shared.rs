//! A tensor of a buffer that another process shares.

use pyo3::prelude::*;
use wirecontract_gpu::buffer::SharedBuffer;
use wirecontract_gpu::dlpack::DLDataType;
use wirecontract_runtime::host::{self, Import};
use wirecontract_tensor::element::Element as _;

use super::super::fd;
use super::numbers::{refused_of, shared_buffer};
use super::refused;
use crate::support::{self, Descriptor};
use crate::tensor::{self, Elements, Tensor};

/// `SharedBuffer.open`: maps the memory that a descriptor describes, and gives its tensor.
pub(crate) fn open_shared_buffer<'py, D: Descriptor<Contract = SharedBuffer>>(
    descriptor: &Bound<'py, D>,
    fd: &Bound<'py, PyAny>,
) -> PyResult<Tensor> {
    let python = descriptor.py();
    let fd = fd::given(fd)?;
    let buffer = support::declared(descriptor.get());
    let import = Import::of(&buffer).map_err(|error| refused_of(descriptor.as_any(), error))?;
    let mapping = host::HostMapping::import(fd, &import).map_err(|error| refused(python, error))?;
    let whole = [i64::try_from(buffer.size)?];
    tensor::of_mapping(python, mapping, elements(&buffer, &whole)?)
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
    let whole = [i64::try_from(buffer.size)?];
    tensor::of_elements(memory, elements(buffer, &whole)?)
}

/// The elements that a descriptor says: of its bytes, whose shape is `whole`, where it says none.
fn elements<'a>(buffer: &'a SharedBuffer, whole: &'a [i64; 1]) -> PyResult<Elements<'a>> {
    let offset = usize::try_from(buffer.byte_offset)?;
    let element = buffer.element;
    if element.bits == 0 {
        return Ok(Elements { dtype: u8::TYPE, shape: whole, strides: None, offset });
    }
    let dtype = DLDataType { code: element.code, bits: element.bits, lanes: element.lanes };
    let shape = said(&buffer.shape, buffer.rank);
    let strides = (buffer.strides_len > 0).then(|| said(&buffer.strides, buffer.strides_len));
    Ok(Elements { dtype, shape, strides, offset })
}

/// As many numbers as are said.
fn said(numbers: &[i64], length: u32) -> &[i64] {
    &numbers[..numbers.len().min(length as usize)]
}
