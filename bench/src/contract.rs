//! The contract itself, in the form in which it is compared with its peers.

use wirecontract::{Enumeration as _, WireError};
use wirecontract_gpu::cuvis::{CudaIpcPayload, CudaIpcPayloadView};

use crate::{Fields, Refusal};

/// The values of a view, through every getter.
#[inline]
pub fn fields_of_view(view: CudaIpcPayloadView<'_>) -> Fields<'_> {
    let descriptor = view.descriptor();
    Fields {
        version: view.version(),
        width: view.width(),
        height: view.height(),
        channels: view.channels(),
        format_code: view.format_code().value(),
        backend: descriptor.backend().value(),
        device_ordinal: descriptor.device_ordinal(),
        handle_type: descriptor.handle_type().value(),
        size: descriptor.size(),
        alloc_size: descriptor.alloc_size(),
        offset: descriptor.offset(),
        exporter_pid: descriptor.exporter_pid(),
        blob: descriptor.blob(),
        ptr_blob: descriptor.ptr_blob(),
    }
}

/// The values of a payload.
pub fn fields(payload: &CudaIpcPayload) -> Fields<'_> {
    let descriptor = &payload.descriptor;
    Fields {
        version: payload.version,
        width: payload.width,
        height: payload.height,
        channels: payload.channels,
        format_code: payload.format_code.value(),
        backend: descriptor.backend.value(),
        device_ordinal: descriptor.device_ordinal,
        handle_type: descriptor.handle_type.value(),
        size: descriptor.size,
        alloc_size: descriptor.alloc_size,
        offset: descriptor.offset,
        exporter_pid: descriptor.exporter_pid,
        blob: descriptor.blob(),
        ptr_blob: descriptor.ptr_blob(),
    }
}

/// The refusal that an error states.
pub fn refusal(error: &WireError) -> Refusal {
    Refusal::new(error.code.name(), error.field)
}
