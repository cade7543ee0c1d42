//! A tensor in host memory as one of Python's buffers: `memoryview(tensor)`, and all that takes buffers.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use wirecontract_tensor::{CPU, DLDataType, element};

use super::{Tensor, word};

/// What a buffer's numbers stand in until it is given back.
struct Numbers {
    shape: Vec<ffi::Py_ssize_t>,
    strides: Vec<ffi::Py_ssize_t>,
}

/// Fills a buffer in.
///
/// # Safety
/// `view` is NULL or a place for the answer.
pub(super) unsafe fn fill(
    tensor: &Bound<'_, Tensor>,
    view: *mut ffi::Py_buffer,
    flags: c_int,
) -> PyResult<()> {
    if view.is_null() {
        return Err(PyBufferError::new_err("expected a place for the buffer, found NULL"));
    }
    let answer = answer(tensor.get(), flags);
    // SAFETY: a place for the answer; the object stays as long as the buffer, since the buffer refers to it.
    unsafe {
        (*view).obj = ptr::null_mut();
        let answer = answer?;
        *view = answer;
        (*view).obj = tensor.clone().into_any().into_ptr();
    }
    Ok(())
}

/// Gives a buffer's numbers back.
///
/// # Safety
/// `view` was filled in by [`fill`], and is given back once.
pub(super) unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: made by `answer`.
    unsafe {
        drop(Box::from_raw((*view).internal.cast::<Numbers>()));
        (*view).internal = ptr::null_mut();
    }
}

fn answer(tensor: &Tensor, flags: c_int) -> PyResult<ffi::Py_buffer> {
    let asks = |flag: c_int| flags & flag == flag;
    if tensor.device != CPU {
        return Err(refused(format!(
            "expected a tensor in host memory, found one of the device {:?}: use DLPack",
            tensor.device()
        )));
    }
    if asks(ffi::PyBUF_WRITABLE) && tensor.is_read_only {
        return Err(refused(
            "expected a tensor that may be written to, found a read-only one: ask for a read-only buffer"
                .into(),
        ));
    }
    let width = width(tensor.element)?;
    let format = word::of(tensor.element);
    if asks(ffi::PyBUF_FORMAT) && format.is_none() {
        return Err(refused(format!(
            "expected a type that Python's buffers have a word for, found {}: use DLPack, or `tobytes`",
            tensor.dtype()
        )));
    }
    let is_contiguous = tensor.contiguous();
    let is_fortran = || {
        let reversed = |numbers: &[i64]| numbers.iter().rev().copied().collect::<Vec<i64>>();
        wirecontract_gpu::dlpack::shape::is_row_major(&reversed(&tensor.shape), &reversed(&tensor.strides))
    };
    let taken = if asks(ffi::PyBUF_C_CONTIGUOUS) {
        is_contiguous
    } else if asks(ffi::PyBUF_F_CONTIGUOUS) {
        is_fortran()
    } else if asks(ffi::PyBUF_ANY_CONTIGUOUS) {
        is_contiguous || is_fortran()
    } else {
        is_contiguous || asks(ffi::PyBUF_STRIDES)
    };
    if !taken {
        return Err(refused(
            "expected elements without gaps in the order that is asked for, found others: ask for strides, or `copy()`".into(),
        ));
    }
    let signed = |number: i64| {
        ffi::Py_ssize_t::try_from(number).map_err(|_| refused("expected numbers of this machine".into()))
    };
    let shape = tensor.shape.iter().map(|extent| signed(*extent)).collect::<PyResult<Vec<_>>>()?;
    // What a stride of one index says is nothing, and may be any number.
    let strides = tensor
        .strides
        .iter()
        .map(|stride| Ok(signed(*stride)?.wrapping_mul(width)))
        .collect::<PyResult<Vec<_>>>()?;
    let len = shape.iter().try_fold(width, |bytes, extent| bytes.checked_mul(*extent));
    let len = len.ok_or_else(|| {
        refused("expected bytes that this machine counts, found more: stride 0 repeats them".into())
    })?;
    let numbers = Box::into_raw(Box::new(Numbers { shape, strides }));
    // SAFETY: just made, and kept until the buffer is given back.
    let (shape, strides) = unsafe { ((*numbers).shape.as_mut_ptr(), (*numbers).strides.as_mut_ptr()) };
    let rank = tensor.shape.len();
    // A buffer of no bytes has an address all the same.
    let data = if tensor.elements == 0 { ptr::dangling_mut::<u8>().cast::<c_void>() } else { tensor.data };
    let asked = |flag: c_int, numbers: *mut ffi::Py_ssize_t| {
        if asks(flag) && rank > 0 { numbers } else { ptr::null_mut() }
    };
    Ok(ffi::Py_buffer {
        buf: data,
        obj: ptr::null_mut(),
        len,
        itemsize: width,
        readonly: c_int::from(tensor.is_read_only),
        ndim: if asks(ffi::PyBUF_ND) { c_int::try_from(rank).unwrap_or(c_int::MAX) } else { 1 },
        format: if asks(ffi::PyBUF_FORMAT) {
            format.map_or(ptr::null_mut(), |word: &CStr| word.as_ptr().cast_mut())
        } else {
            ptr::null_mut()
        },
        shape: asked(ffi::PyBUF_ND, shape),
        strides: asked(ffi::PyBUF_STRIDES, strides),
        suboffsets: ptr::null_mut(),
        internal: numbers.cast(),
    })
}

fn width(element: DLDataType) -> PyResult<ffi::Py_ssize_t> {
    element::bytes(element).and_then(|width| ffi::Py_ssize_t::try_from(width).ok()).ok_or_else(|| {
        refused(format!(
            "expected elements of whole bytes, found {}: use DLPack, or `tobytes`",
            element::name(element)
        ))
    })
}

fn refused(text: String) -> PyErr {
    PyBufferError::new_err(text)
}
