//! Copies of tensors in host memory: in row-major order without gaps, at an address that every consumer takes.

use core::alloc::Layout;
use core::ptr::{self, NonNull};
use std::alloc;

use crate::memory::{Memory, Shaped};
use crate::view::{View, ViewError, is_host};

/// What jax asks of an address so that it need not copy once more; a cache line as well.
const ALIGNMENT: usize = 64;

/// Bytes at an address that is a multiple of 64, all of them written.
#[derive(Debug)]
pub struct AlignedBytes {
    start: NonNull<u8>,
    bytes: usize,
}

/// What is allocated: one byte at least, so that there is an address.
fn layout(bytes: usize) -> Result<Layout, ViewError> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(|_| ViewError::Overflow)
}

// SAFETY: it owns its bytes alone.
unsafe impl Send for AlignedBytes {}
// SAFETY: whoever has it by reference can only read them.
unsafe impl Sync for AlignedBytes {}

impl AlignedBytes {
    /// So many zeros.
    ///
    /// # Errors
    /// More bytes than an address space holds, or than there are.
    pub fn zeroed(bytes: usize) -> Result<AlignedBytes, ViewError> {
        // SAFETY: of more bytes than none.
        let start = NonNull::new(unsafe { alloc::alloc_zeroed(layout(bytes)?) });
        Ok(AlignedBytes { start: start.ok_or(ViewError::Memory { bytes })?, bytes })
    }

    /// The bytes.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as many bytes as were allocated, written with zeros, of nobody else's.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for AlignedBytes {
    fn drop(&mut self) {
        // One that it was allocated with is one.
        if let Ok(layout) = layout(self.bytes) {
            // SAFETY: allocated with this layout.
            unsafe { alloc::dealloc(self.start.as_ptr(), layout) };
        }
    }
}

// SAFETY: the bytes are allocated, written with zeros at first, and this value's alone.
unsafe impl Memory for AlignedBytes {
    const IS_WRITABLE: bool = true;

    fn data(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A copy of a tensor that is in host memory: in row-major order without gaps, at a multiple of 64.
///
/// # Errors
/// Memory that cannot be had.
///
/// # Panics
/// Where the tensor is not in host memory ([`is_host`]).
///
/// # Safety
/// The view's elements are there, and nobody writes to them meanwhile.
pub unsafe fn host_copy(view: &View<'_>) -> Result<Shaped<AlignedBytes>, ViewError> {
    assert!(is_host(view.device), "expected a tensor in host memory");
    let mut bytes = allocated(view)?;
    // SAFETY: as the caller says; the place is as large as the elements without gaps.
    unsafe { gather(view, bytes.as_mut_slice()) };
    shaped(view, bytes)
}

/// A place for the elements without gaps.
pub(crate) fn allocated(view: &View<'_>) -> Result<AlignedBytes, ViewError> {
    AlignedBytes::zeroed(usize::try_from(view.bytes()).map_err(|_| ViewError::Overflow)?)
}

/// The tensor of such a place.
pub(crate) fn shaped(view: &View<'_>, bytes: AlignedBytes) -> Result<Shaped<AlignedBytes>, ViewError> {
    let shaped = Shaped::of(bytes, view.element, view.shape);
    if view.is_padded { shaped.and_then(Shaped::padded) } else { shaped }
}

/// Writes the elements one behind the other, the last dimension fastest.
///
/// # Safety
/// As of [`host_copy`], and `to` is as large as the elements without gaps.
unsafe fn gather(view: &View<'_>, to: &mut [u8]) {
    if view.elements == 0 {
        return;
    }
    let from = view.data.cast::<u8>().cast_const();
    let (Some(strides), Some(width)) = (view.strides.filter(|_| !view.is_row_major()), view.element_bytes())
    else {
        // SAFETY: row-major elements are one run of as many bytes.
        unsafe { ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
        return;
    };
    // The last dimensions that have no gaps between them are one run.
    let mut run = width;
    let mut outer = view.shape.len();
    while outer > 0 {
        let (extent, stride) = (view.shape[outer - 1], strides[outer - 1]);
        if extent != 1 && Some(i128::from(stride) * width as i128) != i128::try_from(run).ok() {
            break;
        }
        run *= usize::try_from(extent).unwrap_or(0);
        outer -= 1;
    }
    let (shape, strides) = (&view.shape[..outer], &strides[..outer]);
    let mut index = vec![0i64; outer];
    let mut offset = 0isize;
    for chunk in to.chunks_exact_mut(run) {
        // SAFETY: the offset is that of an element, which the view found to be within what addresses count.
        unsafe { ptr::copy_nonoverlapping(from.offset(offset), chunk.as_mut_ptr(), run) };
        for axis in (0..outer).rev() {
            let step = bytes(strides[axis], width);
            index[axis] += 1;
            if index[axis] < shape[axis] {
                offset = offset.wrapping_add(step);
                break;
            }
            offset = offset.wrapping_sub(bytes(strides[axis].wrapping_mul(shape[axis] - 1), width));
            index[axis] = 0;
        }
    }
}

/// A way in bytes. A view's reach was found to fit, and what is longer is not gone.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "ways that are gone fit")]
fn bytes(elements: i64, width: usize) -> isize {
    (elements as isize).wrapping_mul(width as isize)
}
