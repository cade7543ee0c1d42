//! Tensors of `DLPack` with their owner and their deleter: made in one allocation, and ended exactly once.

use core::alloc::Layout;
use core::ffi::{CStr, c_void};
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};
use std::alloc;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wirecontract::Flags;
use wirecontract_gpu::dlpack::{
    DLManagedTensor, DLManagedTensorVersioned, DLPackFlags, DLPackVersion, DLTensor, shape,
};

use crate::memory::{Memory, Shaped};
use crate::python::{Functions, Object, PyException, PyObject, Python};
use crate::view::View;

mod sealed {
    pub trait Sealed {}
    impl Sealed for wirecontract_gpu::dlpack::DLManagedTensor {}
    impl Sealed for wirecontract_gpu::dlpack::DLManagedTensorVersioned {}
}

/// A struct in which a tensor crosses: the legacy one, or the versioned one.
pub trait Form: sealed::Sealed + Sized + 'static {
    /// What a capsule of it is called.
    const CAPSULE: &'static CStr;
    /// What a capsule of it is called once a consumer has taken it.
    const USED: &'static CStr;
    /// Whether it can say that memory must not be written to.
    const SAYS_READ_ONLY: bool;

    #[doc(hidden)]
    fn new(
        tensor: DLTensor,
        context: *mut c_void,
        deleter: unsafe extern "C" fn(*mut Self),
        flags: Flags<DLPackFlags>,
    ) -> Self;

    #[doc(hidden)]
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Form for DLManagedTensor {
    const CAPSULE: &'static CStr = c"dltensor";
    const USED: &'static CStr = c"used_dltensor";
    const SAYS_READ_ONLY: bool = false;

    fn new(
        dl_tensor: DLTensor,
        manager_ctx: *mut c_void,
        deleter: unsafe extern "C" fn(*mut Self),
        _flags: Flags<DLPackFlags>,
    ) -> Self {
        DLManagedTensor { dl_tensor, manager_ctx, deleter: Some(deleter) }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl Form for DLManagedTensorVersioned {
    const CAPSULE: &'static CStr = c"dltensor_versioned";
    const USED: &'static CStr = c"used_dltensor_versioned";
    const SAYS_READ_ONLY: bool = true;

    fn new(
        dl_tensor: DLTensor,
        manager_ctx: *mut c_void,
        deleter: unsafe extern "C" fn(*mut Self),
        flags: Flags<DLPackFlags>,
    ) -> Self {
        let version = DLPackVersion::CURRENT;
        DLManagedTensorVersioned { version, manager_ctx, deleter: Some(deleter), flags, dl_tensor }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

/// A tensor that is owned here: its deleter runs when this goes, unless it is handed on.
#[derive(Debug)]
pub struct Managed<F: Form>(NonNull<F>);

/// A tensor with its version and flags.
pub type Versioned = Managed<DLManagedTensorVersioned>;
/// A tensor as it was before version 1.0, which cannot say that it must not be written to.
pub type Legacy = Managed<DLManagedTensor>;

// SAFETY: a deleter may be called by any thread: the protocol asks it of every producer, and the owners of what is made
// here are `Send`.
unsafe impl<F: Form> Send for Managed<F> {}

impl<F: Form> Drop for Managed<F> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the struct is there until its deleter is called, which is here and once.
        unsafe {
            if let Some(delete) = self.0.as_ref().deleter() {
                delete(self.0.as_ptr());
            }
        }
    }
}

/// What is allocated for a tensor that is made here; two arrays of `rank` numbers follow it.
#[repr(C)]
struct Block<F, O> {
    form: F,
    /// Read again by the deleter: what is in `form`, a consumer may have changed.
    rank: usize,
    owner: ManuallyDrop<O>,
}

impl<F: Form, O: Send + 'static> Block<F, O> {
    /// Where the numbers are.
    const NUMBERS: usize = size_of::<Self>().next_multiple_of(align_of::<i64>());
    /// What all of it is a multiple of.
    const ALIGNMENT: usize =
        if align_of::<Self>() > align_of::<i64>() { align_of::<Self>() } else { align_of::<i64>() };

    /// How large it all is.
    #[inline]
    fn layout(rank: usize) -> Layout {
        let bytes = Self::NUMBERS + 2 * rank * size_of::<i64>();
        // No more than `MAX_RANK` dimensions, and an owner that was in memory before.
        Layout::from_size_align(bytes, Self::ALIGNMENT).expect("an owner and a few numbers")
    }

    /// Ends a tensor: drops the owner, and frees what was allocated.
    ///
    /// # Safety
    /// The pointer is one of [`Managed::allocate`], of this owner, and is not used after.
    unsafe extern "C" fn delete(form: *mut F) {
        let block = form.cast::<Self>();
        // SAFETY: the form is the block's first field, and the pointer is to all of the block.
        let (rank, mut owner) = unsafe { ((*block).rank, ptr::read(&raw const (*block).owner)) };
        // Whoever calls this is C: a panic of the owner's ends here, and has said so by itself.
        // SAFETY: the owner was moved out of the block, and is dropped here alone.
        let _ = catch_unwind(AssertUnwindSafe(|| unsafe { ManuallyDrop::drop(&mut owner) }));
        // SAFETY: allocated with the layout of this rank.
        unsafe { alloc::dealloc(block.cast(), Self::layout(rank)) };
    }
}

impl<F: Form> Managed<F> {
    /// A tensor in memory that an owner keeps: the owner is dropped when whoever takes the tensor lets go of it, on any
    /// thread. One allocation.
    ///
    /// # Errors
    /// A tensor that must not be written to, in the form that cannot say it.
    ///
    /// # Safety
    /// The memory of the view's elements is there, and is theirs, until the owner is dropped, wherever the owner is
    /// moved; where the view is not read-only, consumers may write to it.
    #[inline]
    pub unsafe fn new<O: Send + 'static>(owner: O, view: &View<'_>) -> Result<Self, Unsayable> {
        Self::check(view.is_read_only)?;
        let block = Self::allocate(owner, view.shape.len());
        // SAFETY: just allocated for as many dimensions.
        Ok(unsafe { Self::describe(block, view) })
    }

    /// Whether this form says what a tensor is.
    pub(crate) fn check(is_read_only: bool) -> Result<(), Unsayable> {
        if is_read_only && !F::SAYS_READ_ONLY { Err(Unsayable) } else { Ok(()) }
    }

    fn allocate<O: Send + 'static>(owner: O, rank: usize) -> NonNull<Block<F, O>> {
        let layout = Block::<F, O>::layout(rank);
        // SAFETY: of more bytes than none.
        let Some(block) = NonNull::new(unsafe { alloc::alloc(layout) }.cast::<Block<F, O>>()) else {
            alloc::handle_alloc_error(layout)
        };
        // SAFETY: allocated as large and as aligned.
        unsafe {
            (&raw mut (*block.as_ptr()).rank).write(rank);
            (&raw mut (*block.as_ptr()).owner).write(ManuallyDrop::new(owner));
        }
        block
    }

    /// Fills in the struct.
    ///
    /// # Safety
    /// The block is one of `allocate`, for as many dimensions as the view has.
    unsafe fn describe<O: Send + 'static>(block: NonNull<Block<F, O>>, view: &View<'_>) -> Self {
        let rank = view.shape.len();
        // SAFETY: the numbers begin there.
        let shape = unsafe { block.as_ptr().byte_add(Block::<F, O>::NUMBERS) }.cast::<i64>();
        // SAFETY: there are as many numbers as twice the rank.
        let strides = unsafe { shape.add(rank) };
        // SAFETY: so many numbers, which nobody else refers to; a view has as many strides as dimensions.
        unsafe {
            shape.copy_from_nonoverlapping(view.shape.as_ptr(), rank);
            match view.strides {
                Some(said) => strides.copy_from_nonoverlapping(said.as_ptr(), rank),
                None => {
                    strides.write_bytes(0, rank);
                    let strides = core::slice::from_raw_parts_mut(strides, rank);
                    let counted = shape::row_major(view.shape, strides);
                    debug_assert!(counted.is_ok(), "a view's shape was counted before");
                    if view.elements == 0 {
                        as_if_there_were_one(view.shape, strides);
                    }
                }
            }
        }
        let tensor = DLTensor {
            // As consumers that compare pointers expect of a tensor without elements.
            data: if view.elements == 0 { ptr::null_mut() } else { view.data },
            device: view.device,
            ndim: i32::try_from(rank).unwrap_or(i32::MAX),
            dtype: view.element,
            shape,
            strides,
            byte_offset: 0,
        };
        let form = F::new(tensor, block.as_ptr().cast(), Block::<F, O>::delete, view.flags());
        // SAFETY: the block's first field.
        unsafe { (&raw mut (*block.as_ptr()).form).write(form) };
        Managed(block.cast())
    }

    /// Of memory that is kept by itself.
    pub(crate) fn of_shaped<M: Memory>(shaped: Shaped<M>) -> Result<Self, Unsayable> {
        let rank = shaped.rank();
        Self::check(shaped.is_read_only())?;
        let block = Self::allocate(shaped, rank);
        // SAFETY: the owner is in the block, and nobody else refers to it; where its memory is, is asked only now, since
        // a move may change it.
        let owner = unsafe { &mut (*block.as_ptr()).owner };
        let view = owner.view();
        // SAFETY: allocated for as many dimensions; the view's memory is the owner's.
        Ok(unsafe { Self::describe(block, &view) })
    }

    /// Takes over a tensor.
    ///
    /// # Safety
    /// The tensor is there, and its deleter is called by nobody else.
    pub unsafe fn from_raw(pointer: NonNull<F>) -> Self {
        Managed(pointer)
    }

    /// The struct, as long as this is there.
    pub fn as_ptr(&self) -> *mut F {
        self.0.as_ptr()
    }

    /// The struct, with the duty to call its deleter.
    pub fn into_raw(self) -> NonNull<F> {
        ManuallyDrop::new(self).0
    }

    /// A capsule that hands the tensor to whoever takes it, and ends it where nobody does.
    ///
    /// # Errors
    /// What Python raised; the tensor is ended then.
    pub fn into_capsule(self, python: Python<'_>) -> Result<Object<'_>, PyException> {
        // SAFETY: a pointer that is not NULL, a name that stays, and the thread is attached.
        let capsule = unsafe {
            let made = (python.functions().PyCapsule_New)(
                self.0.as_ptr().cast(),
                F::CAPSULE.as_ptr(),
                Some(destroy_capsule::<F>),
            );
            Object::from_owned(python, made)
        }?;
        // The capsule's from here on.
        let _ = self.into_raw();
        Ok(capsule)
    }
}

/// Writes strides for a shape without elements: those of one index in each dimension that has none, since consumers take
/// an innermost stride of 0 for a gap.
fn as_if_there_were_one(shape: &[i64], strides: &mut [i64]) {
    let mut next = Some(1i64);
    for (stride, &extent) in strides.iter_mut().zip(shape).rev() {
        *stride = next.unwrap_or(0);
        next = next.and_then(|stride| stride.checked_mul(extent.max(1)));
    }
}

/// Ends the tensor of a capsule that nobody took.
///
/// # Safety
/// What `CPython` promises of a destructor: the capsule is one of [`Managed::into_capsule`], and the thread is attached.
unsafe extern "C" fn destroy_capsule<F: Form>(capsule: *mut PyObject) {
    let Ok(functions) = Functions::get() else { return };
    // SAFETY: a capsule, of an attached thread; a consumer renames what it takes, so that this name says that it is ours.
    unsafe {
        // The name that was given, or one that says the same. That of what was taken begins otherwise.
        let (name, ours) = ((functions.PyCapsule_GetName)(capsule), F::CAPSULE.as_ptr());
        let is_ours = name == ours
            || !name.is_null() && *name == *ours && (functions.PyCapsule_IsValid)(capsule, ours) != 0;
        if !is_ours {
            return;
        }
        functions.undisturbed(|| {
            let form = (functions.PyCapsule_GetPointer)(capsule, F::CAPSULE.as_ptr()).cast::<F>();
            drop(NonNull::new(form).map(|form| Managed::from_raw(form)));
        });
    }
}

impl Versioned {
    /// Says that the elements are a copy, which is the consumer's alone.
    pub fn mark_copied(&mut self) {
        // SAFETY: the struct is there, and nobody else refers to it.
        unsafe { self.0.as_mut() }.flags.insert(DLPackFlags::IsCopied);
    }
}

/// A tensor that must not be written to, and a form that cannot say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsayable;

impl core::fmt::Display for Unsayable {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(
            "expected a tensor that may be written to, found a read-only one: a legacy capsule cannot say so; ask for \
             max_version=(1, 0) or newer, or for copy=True",
        )
    }
}

impl std::error::Error for Unsayable {}
