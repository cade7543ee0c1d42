//! A tensor that another library made: checked when it is taken, and ended when this goes.

use core::ffi::c_void;
use core::fmt;

use wirecontract::Flags;
use wirecontract_gpu::dlpack::{DLDataType, DLDevice, DLPackFlags, DLTensor, shape};

use crate::managed::{Legacy, Versioned};
use crate::memory::Dimensions;
use crate::view::{MAX_RANK, Pending, View, ViewError, plain};

/// The struct in which a tensor came, which ends with it.
#[derive(Debug)]
enum Struct {
    Versioned(#[expect(dead_code, reason = "it is ended when this goes")] Versioned),
    Legacy(#[expect(dead_code, reason = "it is ended when this goes")] Legacy),
}

/// What keeps the memory of another library's tensor: dropping it ends the tensor, as its producer has it.
#[derive(Debug)]
pub struct Owner(#[expect(dead_code, reason = "it is ended when this goes")] Struct);

// SAFETY: the deleter may be called by any thread, as the protocol asks of every producer.
unsafe impl Send for Owner {}
// SAFETY: by reference nothing can be done.
unsafe impl Sync for Owner {}

/// A tensor of another library's, in memory that is kept for as long as this is there.
///
/// Its numbers were copied when it was taken, so that a producer that changes them later changes nothing here.
#[derive(Debug)]
pub struct Tensor {
    made: Struct,
    /// Where the element of index 0 is; NULL where there are none.
    data: *mut c_void,
    device: DLDevice,
    element: DLDataType,
    shape: Dimensions,
    strides: Dimensions,
    elements: u64,
    flags: Flags<DLPackFlags>,
    pending: Pending,
}

// SAFETY: the memory and the deleter may be used by any thread, as the protocol asks of every producer.
unsafe impl Send for Tensor {}
// SAFETY: by reference nothing is changed, and reading the memory is the caller's own promise.
unsafe impl Sync for Tensor {}

/// Why a struct that came is no tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TensorError {
    /// Laid out by a version that is not known, of which only the deleter may be called.
    Version {
        /// Its major number.
        major: u32,
        /// Its minor number.
        minor: u32,
    },
    /// A number of dimensions below 0 or beyond all use.
    Rank {
        /// What came.
        ndim: i32,
    },
    /// Dimensions, and no numbers of elements.
    NullShape {
        /// How many dimensions.
        rank: usize,
    },
    /// Dimensions, and no strides, which only versions before 1.2 may leave out.
    NullStrides {
        /// How many dimensions.
        rank: usize,
    },
    /// The numbers.
    View(ViewError),
    /// An offset that no address has.
    Offset {
        /// What came.
        byte_offset: u64,
    },
}

impl fmt::Display for TensorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorError::Version { major, minor } => write!(
                f,
                "expected DLPack 1.x, found {major}.{minor}: the producer has to answer max_version=(1, 3)"
            ),
            TensorError::Rank { ndim } => {
                write!(f, "expected ndim of 0 to {MAX_RANK}, found {ndim}: the producer's struct is none")
            }
            TensorError::NullShape { rank } => {
                write!(f, "expected {rank} numbers of elements, found a shape that is NULL")
            }
            TensorError::NullStrides { rank } => write!(
                f,
                "expected {rank} strides, found NULL, which no version since 1.2 may say: the producer has to say them"
            ),
            TensorError::View(error) => error.fmt(f),
            TensorError::Offset { byte_offset } => {
                write!(f, "expected byte_offset within an address space, found {byte_offset}")
            }
        }
    }
}

impl std::error::Error for TensorError {}

impl From<ViewError> for TensorError {
    fn from(error: ViewError) -> TensorError {
        TensorError::View(error)
    }
}

/// What may be left out of a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strides {
    MayBeNull,
    AreThere,
}

impl Tensor {
    /// Takes over a tensor with version and flags. Whatever is wrong with it, its deleter is called once.
    ///
    /// # Errors
    /// What is no tensor.
    ///
    /// # Safety
    /// The struct was made by a producer of `DLPack`: where the major version is 1 its pointers are NULL or to as many
    /// numbers as `ndim` says.
    pub unsafe fn from_versioned(made: Versioned) -> Result<Tensor, TensorError> {
        // SAFETY: the struct is there; its version and deleter are, whatever the version.
        let version = unsafe { (*made.as_ptr()).version };
        if version.major != 1 {
            return Err(TensorError::Version { major: version.major, minor: version.minor });
        }
        // SAFETY: of this version, so that all of the struct is there.
        let (tensor, flags) = unsafe { ((*made.as_ptr()).dl_tensor, (*made.as_ptr()).flags) };
        let strides = if version.minor < 2 { Strides::MayBeNull } else { Strides::AreThere };
        // SAFETY: as the caller says.
        unsafe { Tensor::of(Struct::Versioned(made), tensor, flags, strides) }
    }

    /// Takes over a tensor as it was before version 1.0.
    ///
    /// # Errors
    /// As [`Tensor::from_versioned`].
    ///
    /// # Safety
    /// As of [`Tensor::from_versioned`].
    pub unsafe fn from_legacy(made: Legacy) -> Result<Tensor, TensorError> {
        // SAFETY: the struct is there.
        let tensor = unsafe { (*made.as_ptr()).dl_tensor };
        // SAFETY: as the caller says.
        unsafe { Tensor::of(Struct::Legacy(made), tensor, Flags::empty(), Strides::MayBeNull) }
    }

    unsafe fn of(
        made: Struct,
        tensor: DLTensor,
        flags: Flags<DLPackFlags>,
        strides_may: Strides,
    ) -> Result<Tensor, TensorError> {
        let rank = usize::try_from(tensor.ndim).ok().filter(|rank| *rank <= MAX_RANK);
        let rank = rank.ok_or(TensorError::Rank { ndim: tensor.ndim })?;
        if rank > 0 && tensor.shape.is_null() {
            return Err(TensorError::NullShape { rank });
        }
        // SAFETY: as many numbers, as the caller says.
        let shape = unsafe { numbers(tensor.shape, rank) };
        let strides = if rank > 0 && tensor.strides.is_null() {
            if strides_may == Strides::AreThere && !shape.contains(&0) {
                return Err(TensorError::NullStrides { rank });
            }
            let mut strides = Dimensions::from_elem(0, rank);
            shape::row_major(&shape, &mut strides).map_err(ViewError::from)?;
            strides
        } else {
            // SAFETY: as above.
            unsafe { numbers(tensor.strides, rank) }
        };
        let no_address = TensorError::Offset { byte_offset: tensor.byte_offset };
        let offset = isize::try_from(tensor.byte_offset).map_err(|_| no_address)?;
        let data = if shape.contains(&0) || tensor.data.is_null() {
            tensor.data
        } else if tensor.data.addr().checked_add_signed(offset).is_none() {
            return Err(no_address);
        } else {
            tensor.data.wrapping_byte_offset(offset)
        };
        let (device, element, pending) = (tensor.device, tensor.dtype, Pending::Nothing);
        if let Some(plain) = plain(data, element, &shape, Some(&strides)) {
            let elements = plain.elements;
            return Ok(Tensor { made, data, device, element, shape, strides, elements, flags, pending });
        }
        let elements = shape::elements(&shape).map_err(ViewError::from)?;
        let tensor = Tensor { made, data, device, element, shape, strides, elements, flags, pending };
        tensor.view().checked()?;
        Ok(tensor)
    }

    /// What it is.
    pub fn view(&self) -> View<'_> {
        View {
            data: self.data,
            device: self.device,
            element: self.element,
            shape: &self.shape,
            // Of no elements strides say nothing, and some producers say what no shape has.
            strides: (self.elements > 0).then_some(&self.strides),
            elements: self.elements,
            is_read_only: self.is_read_only(),
            is_padded: self.flags.contains(DLPackFlags::IsSubbyteTypePadded),
            pending: self.pending,
        }
    }

    /// Where the element of index 0 is, with the producer's offset in it; NULL where there are no elements.
    pub fn data(&self) -> *mut c_void {
        self.data
    }

    /// Where the memory is.
    pub fn device(&self) -> DLDevice {
        self.device
    }

    /// The type of an element.
    pub fn element(&self) -> DLDataType {
        self.element
    }

    /// Elements in each dimension.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Elements from one index to the next in each dimension, also where the producer left them out.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// Whether it must not be written to. Of a legacy struct nobody can say so, and it is false.
    pub fn is_read_only(&self) -> bool {
        self.flags.contains(DLPackFlags::ReadOnly)
    }

    /// Whether the producer made it as a copy, which is nobody else's.
    pub fn is_copied(&self) -> bool {
        self.flags.contains(DLPackFlags::IsCopied)
    }

    /// The work after which the elements are there: that of the stream on which the consumer said that it would read them,
    /// or on which the producer works. What came without Python ([`Tensor::from_versioned`], [`Tensor::from_legacy`]) waits
    /// for nothing.
    pub fn pending_on(&self) -> Pending {
        self.pending
    }

    pub(crate) fn pending(self, pending: Pending) -> Tensor {
        Tensor { pending, ..self }
    }

    /// What keeps the memory, without the numbers: for whoever has those of its own, by [`Tensor::view`].
    pub fn into_owner(self) -> Owner {
        Owner(self.made)
    }

    /// Whether it came in the struct without version and flags.
    pub fn is_legacy(&self) -> bool {
        matches!(self.made, Struct::Legacy(_))
    }
}

/// A copy of so many numbers.
///
/// # Safety
/// There are as many.
unsafe fn numbers(pointer: *const i64, rank: usize) -> Dimensions {
    if rank == 0 {
        return Dimensions::new();
    }
    if pointer.is_aligned() {
        // SAFETY: as many numbers, as the caller says.
        return Dimensions::from_slice(unsafe { core::slice::from_raw_parts(pointer, rank) });
    }
    // SAFETY: as many numbers, as the caller says; a struct that another compiler packed need not align them.
    (0..rank).map(|axis| unsafe { pointer.add(axis).read_unaligned() }).collect()
}
