//! The structs of C as what `wirecontract-tensor` works with.

use core::{ptr, slice};

use wirecontract_gpu::dlpack::{DLPackExchangeApi, DLPackFlags, DLPackVersion, DLTensor};
use wirecontract_tensor::{ExportError, Import, ImportError, MAX_RANK, Pending, TensorError, View};

use super::raise::Refusal;
use super::{TensorCopy, TensorExport, TensorImport};

/// What may be said of an export: whether it is a copy, the library says itself.
const FLAGS: u64 = DLPackFlags::ReadOnly as u64 | DLPackFlags::IsSubbyteTypePadded as u64;

/// The tensor of an export, whose numbers are checked.
///
/// # Safety
/// There are as many numbers as dimensions, for as long as the export is there.
pub(super) unsafe fn view(export: &TensorExport) -> Result<View<'_>, Refusal> {
    let TensorExport { tensor, flags, stream, .. } = export;
    let unknown = flags.bits() & !FLAGS;
    if unknown != 0 {
        let text = format!("expected flags of read-only and padded elements, found {unknown:#x} as well");
        return Err(Refusal::value(text));
    }
    // SAFETY: as the caller says.
    let shape = unsafe { shape(tensor) }?;
    let data = if tensor.data.is_null() {
        ptr::null_mut()
    } else {
        let DLTensor { data, byte_offset, .. } = *tensor;
        let offset = isize::try_from(byte_offset).map_err(|_| TensorError::Offset { byte_offset });
        data.wrapping_byte_offset(offset.map_err(ImportError::from)?)
    };
    let mut view = View::new(data, tensor.device, tensor.dtype, shape).map_err(ExportError::View)?;
    if flags.contains(DLPackFlags::IsSubbyteTypePadded) {
        view = view.padded().map_err(ExportError::View)?;
    }
    if !tensor.strides.is_null() && !shape.is_empty() {
        // SAFETY: as the caller says.
        let strides = unsafe { slice::from_raw_parts(tensor.strides, shape.len()) };
        view = view.with_strides(strides).map_err(ExportError::View)?;
    }
    if flags.contains(DLPackFlags::ReadOnly) {
        view = view.read_only();
    }
    Ok(if stream.is_null() { view } else { view.pending(Pending::On(*stream as usize)) })
}

/// The same of elements that are there: no function of an exchange table says for which stream.
///
/// # Safety
/// As of [`view`].
pub(super) unsafe fn finished(export: &TensorExport) -> Result<View<'_>, Refusal> {
    // SAFETY: as the caller says.
    let view = unsafe { view(export) }?;
    match view.pending_on().stream() {
        None => Ok(view),
        Some(stream) => Err(ExportError::Unfinished { stream }.into()),
    }
}

/// As many numbers of elements as dimensions.
///
/// # Safety
/// They are there, for as long as the tensor is.
pub(super) unsafe fn shape(tensor: &DLTensor) -> Result<&[i64], ImportError> {
    let rank = usize::try_from(tensor.ndim).ok().filter(|rank| *rank <= MAX_RANK);
    let rank = rank.ok_or(TensorError::Rank { ndim: tensor.ndim })?;
    if rank == 0 {
        return Ok(&[]);
    }
    if tensor.shape.is_null() {
        return Err(TensorError::NullShape { rank }.into());
    }
    // SAFETY: as the caller says.
    Ok(unsafe { slice::from_raw_parts(tensor.shape, rank) })
}

/// What a tensor is asked for with.
pub(super) fn import(asked: &TensorImport) -> Result<Import, Refusal> {
    if asked.reserved != 0 {
        return Err(Refusal::value(format!("expected reserved to be 0, found {}", asked.reserved)));
    }
    let mut import = Import::default();
    import.copy = match asked.copy.known() {
        Some(TensorCopy::WhereNeeded) => None,
        Some(TensorCopy::Never) => Some(false),
        Some(TensorCopy::Always) => Some(true),
        None => {
            let found = asked.copy.raw();
            return Err(Refusal::value(format!("expected copy to be 0, 1 or 2, found {found}")));
        }
    };
    import.device = (asked.device.device_type.raw() != 0).then_some(asked.device);
    import.stream = (asked.stream != 0).then_some(asked.stream);
    Ok(import)
}

/// Refuses a table that consumers could not use.
pub(super) fn table(table: &DLPackExchangeApi) -> Result<(), Refusal> {
    let DLPackVersion { major, minor } = table.header.version;
    if major != DLPackVersion::CURRENT.major {
        let text = format!("expected an exchange table of DLPack 1.x, found one of {major}.{minor}");
        return Err(Refusal::value(text));
    }
    let functions = [
        ("managed_tensor_allocator", table.managed_tensor_allocator.is_some()),
        ("managed_tensor_from_py_object_no_sync", table.managed_tensor_from_py_object_no_sync.is_some()),
        ("managed_tensor_to_py_object_no_sync", table.managed_tensor_to_py_object_no_sync.is_some()),
        ("current_work_stream", table.current_work_stream.is_some()),
    ];
    match functions.into_iter().find(|(_, is_there)| !is_there) {
        Some((name, _)) => Err(Refusal::value(format!("expected {name} in the exchange table, found NULL"))),
        None => Ok(()),
    }
}
