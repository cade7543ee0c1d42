//! Memory that is kept by itself, and the tensors in it: what is exported without a line of unsafe code.

use core::ffi::c_void;
use std::sync::Arc;

use smallvec::SmallVec;
use wirecontract_gpu::dlpack::{DLDataType, DLDevice};

use crate::element::Element;
use crate::managed::{Legacy, Unsayable, Versioned};
use crate::view::{CPU, MIDDLE, View, ViewError};

/// Memory that its value keeps, whole and in place, until the value is dropped.
///
/// It is `Send` and of no lifetime, since whoever takes a tensor may let go of it on any thread and at any time:
///
/// ```compile_fail
/// # use wirecontract_tensor::Shaped;
/// let local = vec![0f32; 6];
/// let borrowed = Shaped::new(&local[..], &[2, 3]); // not of `'static`
/// ```
///
/// ```compile_fail
/// # use wirecontract_tensor::Memory;
/// struct OfOneThread(std::rc::Rc<[u8]>);
/// unsafe impl Memory for OfOneThread { // not `Send`
///     const IS_WRITABLE: bool = false;
///     fn data(&mut self) -> *mut u8 { self.0.as_ptr().cast_mut() }
///     fn bytes(&self) -> usize { self.0.len() }
/// }
/// ```
///
/// # Safety
/// From `data` on there are as many `bytes` on the device, all of them written before, until the value is dropped,
/// unless it is moved: then `data` is asked again. Where it [is writable](Memory::IS_WRITABLE), any thread may write to
/// them, and nobody relies on what is in them; where it is not, nobody writes to them.
pub unsafe trait Memory: Send + 'static {
    /// Whether consumers may write to it.
    const IS_WRITABLE: bool;

    /// Where it begins.
    fn data(&mut self) -> *mut u8;

    /// How large it is.
    fn bytes(&self) -> usize;

    /// Where it is.
    fn device(&self) -> DLDevice {
        CPU
    }
}

/// Memory of elements of one type.
pub trait Typed: Memory {
    /// Their type.
    const ELEMENT: DLDataType;

    /// How many.
    fn elements(&self) -> usize;
}

macro_rules! memories {
    ($($type:ty: $writable:literal |$memory:ident| $data:expr;)*) => {$(
        // SAFETY: the value owns or shares its elements, which are all there, and are dropped with the last of it; what
        // is shared is not written to. An element is any of its bit patterns that a consumer writes, but of `bool`, of
        // which none is read as one after the tensor was handed over: its owner is dropped, and nothing else.
        unsafe impl<T: Element> Memory for $type {
            const IS_WRITABLE: bool = $writable;
            fn data(&mut self) -> *mut u8 {
                let $memory = self;
                $data
            }
            fn bytes(&self) -> usize {
                self.len() * size_of::<T>()
            }
        }

        impl<T: Element> Typed for $type {
            const ELEMENT: DLDataType = T::TYPE;
            fn elements(&self) -> usize {
                self.len()
            }
        }
    )*};
}

memories! {
    Vec<T>: true |memory| memory.as_mut_ptr().cast();
    Box<[T]>: true |memory| memory.as_mut_ptr().cast();
    Arc<[T]>: false |memory| memory.as_ptr().cast_mut().cast();
    Arc<Vec<T>>: false |memory| memory.as_ptr().cast_mut().cast();
    &'static [T]: false |memory| memory.as_ptr().cast_mut().cast();
}

pub(crate) type Dimensions = SmallVec<[i64; 6]>;

/// A tensor in memory that it owns, every element of it found within that memory.
#[derive(Clone, Debug)]
pub struct Shaped<M> {
    memory: M,
    element: DLDataType,
    shape: Dimensions,
    strides: Option<Dimensions>,
    /// Bytes from the start of the memory to the element of index 0.
    offset: usize,
    is_read_only: bool,
    is_padded: bool,
}

impl<M: Typed> Shaped<M> {
    /// A row-major tensor of the memory's own elements.
    ///
    /// # Errors
    /// A shape that is none, or of more elements than there are.
    pub fn new(memory: M, shape: &[i64]) -> Result<Self, ViewError> {
        Shaped::of(memory, M::ELEMENT, shape)
    }

    /// All elements of the memory, in one dimension.
    ///
    /// # Errors
    /// More elements than a shape counts.
    pub fn flat(memory: M) -> Result<Self, ViewError> {
        let elements = i64::try_from(memory.elements()).map_err(|_| ViewError::Overflow)?;
        Shaped::new(memory, &[elements])
    }
}

impl<M: Memory> Shaped<M> {
    /// A row-major tensor of elements of any type, from the start of the memory.
    ///
    /// # Errors
    /// A shape that is none, and elements that are not in the memory.
    pub fn of(memory: M, element: DLDataType, shape: &[i64]) -> Result<Self, ViewError> {
        let shaped = Shaped {
            memory,
            element,
            shape: shape.into(),
            strides: None,
            offset: 0,
            is_read_only: !M::IS_WRITABLE,
            is_padded: false,
        };
        shaped.checked()
    }

    /// A tensor of elements of any type, the one of index 0 at `offset` bytes, with these strides, which count elements.
    ///
    /// # Errors
    /// A shape that is none, another number of strides than of dimensions, and elements that are not in the memory.
    pub fn strided(
        memory: M,
        element: DLDataType,
        offset: usize,
        shape: &[i64],
        strides: &[i64],
    ) -> Result<Self, ViewError> {
        let shaped = Shaped {
            memory,
            element,
            shape: shape.into(),
            strides: Some(strides.into()),
            offset,
            is_read_only: !M::IS_WRITABLE,
            is_padded: false,
        };
        shaped.checked()
    }

    /// The same tensor, with its element of index 0 at `offset` bytes, and with these strides, which count elements.
    ///
    /// # Errors
    /// Another number of them than of dimensions, and elements that are not in the memory.
    pub fn with_strides(mut self, offset: usize, strides: &[i64]) -> Result<Self, ViewError> {
        self.offset = offset;
        self.strides = Some(strides.into());
        self.checked()
    }

    /// The same tensor, which consumers must not write to.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    /// The same tensor, whose elements of fewer than 8 bits stand in a byte each.
    ///
    /// # Errors
    /// Elements that are not in the memory then.
    pub fn padded(mut self) -> Result<Self, ViewError> {
        self.is_padded = true;
        self.checked()
    }

    /// Its struct with version and flags, in one allocation.
    ///
    /// # Panics
    /// Never: this form says whatever a tensor is.
    pub fn into_versioned(self) -> Versioned {
        // The versioned form says whatever a tensor is.
        Versioned::of_shaped(self).expect("the versioned form says that a tensor is read-only")
    }

    /// Its struct as it was before version 1.0, in one allocation.
    ///
    /// # Errors
    /// A tensor that must not be written to.
    pub fn into_legacy(self) -> Result<Legacy, Unsayable> {
        Legacy::of_shaped(self)
    }

    pub(crate) fn rank(&self) -> usize {
        self.shape.len()
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The memory.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The memory alone, which stays where it is.
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// What it is, where it is now.
    ///
    /// # Panics
    /// Never: its numbers were checked when it was made.
    pub fn view(&mut self) -> View<'_> {
        let data = self.memory.data().wrapping_add(self.offset);
        self.seen(data).expect("numbers that were checked before")
    }

    fn seen(&self, data: *mut u8) -> Result<View<'_>, ViewError> {
        let mut view = View::new(data.cast::<c_void>(), self.memory.device(), self.element, &self.shape)?;
        if self.is_padded {
            view = view.padded()?;
        }
        let view = match &self.strides {
            Some(strides) => view.with_strides(strides)?,
            None => view,
        };
        Ok(if self.is_read_only { view.read_only() } else { view })
    }

    fn checked(self) -> Result<Self, ViewError> {
        self.seen(MIDDLE.cast())?.check_within(self.offset, self.memory.bytes())?;
        Ok(self)
    }
}
