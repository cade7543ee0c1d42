//! What a tensor is: where its elements are, of what type, and how many.

use core::ffi::c_void;
use core::fmt;

use wirecontract::Flags;
use wirecontract_gpu::dlpack::shape::{self, ShapeError};
use wirecontract_gpu::dlpack::{DLDataType, DLDevice, DLDeviceType, DLPackFlags};

use crate::element;

/// The most dimensions that are taken and given: as many as numpy has.
pub const MAX_RANK: usize = 64;

/// Host memory.
pub const CPU: DLDevice = device(DLDeviceType::Cpu, 0);

/// Where a tensor is taken to be of which only the numbers are looked at: an address in the middle, before and behind which
/// there are as many as can be.
pub(crate) const MIDDLE: *mut c_void = core::ptr::without_provenance_mut(1 << (usize::BITS - 1));

/// A device by type and number.
pub const fn device(device_type: DLDeviceType, device_id: i32) -> DLDevice {
    DLDevice { device_type: wirecontract::Open::from_raw(device_type as i32), device_id }
}

/// Whether the host reads the memory as its own: host memory, pinned or not.
pub fn is_host(device: DLDevice) -> bool {
    matches!(
        device.device_type.known(),
        Some(DLDeviceType::Cpu | DLDeviceType::CudaHost | DLDeviceType::RocmHost)
    )
}

/// Work on a device after which the elements are what they are said to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pending {
    /// None: whoever reads the memory reads the elements.
    #[default]
    Nothing,
    /// What a stream does at present: of CUDA a `cudaStream_t`, or 1 and 2 for the two default ones; of `ROCm` a
    /// `hipStream_t`, or 0 for the default one.
    On(usize),
}

impl Pending {
    /// The stream that has work, where one has.
    pub const fn stream(self) -> Option<usize> {
        match self {
            Pending::Nothing => None,
            Pending::On(stream) => Some(stream),
        }
    }
}

/// Why numbers are no tensor, or one that cannot be handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViewError {
    /// More dimensions than [`MAX_RANK`].
    Rank {
        /// How many.
        rank: usize,
    },
    /// The shape or the strides.
    Shape(ShapeError),
    /// Elements of no bits.
    Element {
        /// Their type.
        element: DLDataType,
    },
    /// Elements of fewer bits than a byte has, which are packed, with other strides than the row-major ones.
    Packed {
        /// Their type.
        element: DLDataType,
    },
    /// Elements, and no memory for them.
    Null {
        /// How many elements.
        elements: u64,
    },
    /// Bytes that no address space holds.
    Overflow,
    /// Memory for a copy that is not to be had.
    Memory {
        /// How many bytes.
        bytes: usize,
    },
    /// Elements that are not in the memory.
    Outside {
        /// Bytes from the start of the memory to the lowest element, which may be before it.
        begin: i128,
        /// Bytes from the start of the memory to the end of the highest element.
        end: i128,
        /// Bytes of the memory.
        size: usize,
    },
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewError::Rank { rank } => write!(
                f,
                "expected at most {MAX_RANK} dimensions, found {rank}: merge those that have no gaps between them"
            ),
            ViewError::Shape(error) => error.fmt(f),
            ViewError::Element { element } => write!(
                f,
                "expected elements of 1 bit or more, found {}: say code, bits and lanes",
                element::name(*element)
            ),
            ViewError::Packed { element } => write!(
                f,
                "expected row-major strides of packed elements of type {}, found others: pad the elements to bytes, or \
                 copy them",
                element::name(*element)
            ),
            ViewError::Null { elements } => write!(
                f,
                "expected memory for {elements} elements, found NULL: only a tensor without elements has none"
            ),
            ViewError::Overflow => f.write_str(
                "expected a tensor that an address space holds, found one beyond: no memory holds it",
            ),
            ViewError::Memory { bytes } => {
                write!(
                    f,
                    "expected {bytes} bytes of memory, found that there are not as many: take the tensor without a copy"
                )
            }
            ViewError::Outside { begin, end, size } => write!(
                f,
                "expected elements within the {size} bytes of the memory, found bytes {begin} to {end}: strides count \
                 elements, and the offset bytes"
            ),
        }
    }
}

impl std::error::Error for ViewError {}

impl From<ShapeError> for ViewError {
    fn from(error: ShapeError) -> ViewError {
        ViewError::Shape(error)
    }
}

/// A tensor in memory that somebody else owns. Its numbers are checked; that the memory is there, nobody can check.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(crate) data: *mut c_void,
    pub(crate) device: DLDevice,
    pub(crate) element: DLDataType,
    pub(crate) shape: &'a [i64],
    /// None of row-major ones.
    pub(crate) strides: Option<&'a [i64]>,
    pub(crate) elements: u64,
    pub(crate) is_read_only: bool,
    pub(crate) is_padded: bool,
    pub(crate) pending: Pending,
}

impl<'a> View<'a> {
    /// A row-major tensor without gaps, whose element of index 0 is at `data`.
    ///
    /// # Errors
    /// Numbers that are no tensor, and no memory for elements that there are.
    #[inline]
    pub fn new(
        data: *mut c_void,
        device: DLDevice,
        element: DLDataType,
        shape: &'a [i64],
    ) -> Result<View<'a>, ViewError> {
        View::made(data, device, element, shape, None).map(|(view, _)| view)
    }

    /// A tensor whose element of index 0 is at `data`, with these strides, which count elements.
    ///
    /// # Errors
    /// As of [`View::new`] and of [`View::with_strides`].
    #[inline]
    pub fn strided(
        data: *mut c_void,
        device: DLDevice,
        element: DLDataType,
        shape: &'a [i64],
        strides: &'a [i64],
    ) -> Result<View<'a>, ViewError> {
        View::made(data, device, element, shape, Some(strides)).map(|(view, _)| view)
    }

    /// A tensor in so many bytes of memory from `start` on, whose element of index 0 is at `offset` bytes, with these
    /// strides, which count elements, or without gaps.
    ///
    /// # Errors
    /// As of [`View::strided`]; elements that are not in the memory, and memory that no address space holds.
    pub fn within(
        (start, bytes): (*mut c_void, usize),
        offset: usize,
        device: DLDevice,
        element: DLDataType,
        shape: &'a [i64],
        strides: Option<&'a [i64]>,
    ) -> Result<View<'a>, ViewError> {
        let (view, plain) = View::made(MIDDLE, device, element, shape, strides)?;
        view.check_span(plain, offset, bytes)?;
        // Of the address itself nothing was looked at so far.
        if view.elements > 0 && start.is_null() {
            return Err(ViewError::Null { elements: view.elements });
        }
        if !has_address(start, bytes) {
            return Err(ViewError::Overflow);
        }
        Ok(View { data: start.wrapping_byte_add(offset), ..view })
    }

    /// Refuses elements that are not all in so many bytes, where the element of index 0 is at `offset`.
    pub(crate) fn check_within(&self, offset: usize, bytes: usize) -> Result<(), ViewError> {
        self.check_span(plain(self.data, self.element, self.shape, self.strides), offset, bytes)
    }

    fn check_span(&self, plain: Option<Plain>, offset: usize, bytes: usize) -> Result<(), ViewError> {
        let (begin, end) = match plain {
            Some(plain) => (plain.begin.into(), plain.end.into()),
            None => self.span()?,
        };
        let (begin, end) = (begin + offset as i128, end + offset as i128);
        if self.elements > 0 && (begin < 0 || end > bytes as i128) {
            return Err(ViewError::Outside { begin, end, size: bytes });
        }
        Ok(())
    }

    /// The same elements with these strides, which count elements.
    ///
    /// # Errors
    /// Another number of them than of dimensions, bytes that no address space holds, and packed elements of other than
    /// row-major strides.
    #[inline]
    pub fn with_strides(mut self, strides: &'a [i64]) -> Result<View<'a>, ViewError> {
        self.strides = Some(strides);
        // Whether they are padded makes no difference to elements of whole bytes, and others are not plain.
        match plain(self.data, self.element, self.shape, self.strides) {
            Some(_) => Ok(self),
            None => self.checked(),
        }
    }

    /// The same tensor, which must not be written to.
    #[must_use]
    pub fn read_only(self) -> View<'a> {
        View { is_read_only: true, ..self }
    }

    /// The same tensor, whose elements of fewer than 8 bits stand in a byte each.
    ///
    /// # Errors
    /// Bytes that no address space holds.
    pub fn padded(mut self) -> Result<View<'a>, ViewError> {
        self.is_padded = true;
        self.checked()
    }

    /// The same tensor, which is there when the stream has done its work.
    #[must_use]
    pub fn pending(self, pending: Pending) -> View<'a> {
        View { pending, ..self }
    }

    /// Where the element of index 0 is.
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
    pub fn shape(&self) -> &'a [i64] {
        self.shape
    }

    /// Elements from one index to the next in each dimension; None of row-major ones without gaps.
    pub fn strides(&self) -> Option<&'a [i64]> {
        self.strides
    }

    /// How many elements there are.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// Whether it must not be written to.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Whether elements of fewer than 8 bits stand in a byte each.
    pub fn is_padded(&self) -> bool {
        self.is_padded
    }

    /// What it waits for.
    pub fn pending_on(&self) -> Pending {
        self.pending
    }

    /// Whether the elements stand in row-major order without gaps.
    pub fn is_row_major(&self) -> bool {
        self.strides.is_none_or(|strides| shape::is_row_major(self.shape, strides))
    }

    /// Bytes from one element to the next where they stand without gaps; None of packed ones.
    pub(crate) fn element_bytes(&self) -> Option<usize> {
        let bits = self.element_bits() as usize;
        (bits % 8 == 0).then_some(bits / 8)
    }

    /// Bits from one element to the next where they stand without gaps.
    fn element_bits(&self) -> u32 {
        let bits = element::bits(self.element);
        if self.is_padded { 8 * bits.div_ceil(8) } else { bits }
    }

    /// Bytes of the elements without gaps, where 64 bits count them.
    fn counted(&self) -> Option<u64> {
        // Of 64 and of 24 bits.
        let bits = u128::from(self.elements) * u128::from(self.element_bits());
        u64::try_from(bits.div_ceil(8)).ok()
    }

    /// Bytes of the elements without gaps.
    pub fn bytes(&self) -> u64 {
        // A view whose bytes are not counted is none.
        self.counted().unwrap_or(u64::MAX)
    }

    /// The bytes from `data` to the lowest element, and to the end of the highest one.
    pub(crate) fn span(&self) -> Result<(i128, i128), ViewError> {
        let (low, high) = match self.strides {
            Some(strides) => shape::reach(self.shape, strides)?,
            None => (0, i128::from(self.elements)),
        };
        let bits = i128::from(self.element_bits());
        let scaled = |elements: i128| elements.checked_mul(bits).ok_or(ViewError::Overflow);
        Ok((
            scaled(low)?.div_euclid(8),
            scaled(high)?.checked_add(7).ok_or(ViewError::Overflow)?.div_euclid(8),
        ))
    }

    /// A tensor, and what it is where it is a plain one.
    #[inline]
    fn made(
        data: *mut c_void,
        device: DLDevice,
        element: DLDataType,
        shape: &'a [i64],
        strides: Option<&'a [i64]>,
    ) -> Result<(View<'a>, Option<Plain>), ViewError> {
        let view = |elements| View {
            data,
            device,
            element,
            shape,
            strides,
            elements,
            is_read_only: false,
            is_padded: false,
            pending: Pending::Nothing,
        };
        match plain(data, element, shape, strides) {
            Some(plain) => Ok((view(plain.elements), Some(plain))),
            None => view(shape::elements(shape)?).checked().map(|view| (view, None)),
        }
    }

    /// The view, where its numbers are those of a tensor.
    pub(crate) fn checked(self) -> Result<View<'a>, ViewError> {
        if self.shape.len() > MAX_RANK {
            return Err(ViewError::Rank { rank: self.shape.len() });
        }
        if element::bits(self.element) == 0 {
            return Err(ViewError::Element { element: self.element });
        }
        if self.elements > 0 && self.data.is_null() {
            return Err(ViewError::Null { elements: self.elements });
        }
        let (begin, end) = self.span()?;
        if self.element_bytes().is_none() && !self.is_row_major() {
            return Err(ViewError::Packed { element: self.element });
        }
        let reaches = |bytes: i128| match self.elements {
            0 => isize::try_from(bytes).is_ok(),
            _ => has_address(self.data, bytes),
        };
        // Elements that a stride of 0 repeats are as many as 64 bits count, and their bytes must be so as well.
        if !reaches(begin) || !reaches(end) || self.counted().is_none() {
            return Err(ViewError::Overflow);
        }
        Ok(self)
    }

    /// The flags, as a versioned tensor has them.
    pub(crate) fn flags(&self) -> Flags<DLPackFlags> {
        let mut flags = Flags::empty();
        if self.is_read_only {
            flags.insert(DLPackFlags::ReadOnly);
        }
        if self.is_padded {
            flags.insert(DLPackFlags::IsSubbyteTypePadded);
        }
        flags
    }
}

/// Whether there is an address so many bytes from another.
#[inline]
fn has_address(data: *mut c_void, bytes: impl TryInto<isize>) -> bool {
    bytes.try_into().is_ok_and(|bytes| data.addr().checked_add_signed(bytes).is_some())
}

/// A tensor of whole bytes whose numbers are all far from any limit, as those of most are.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    /// How many elements it has.
    pub(crate) elements: u64,
    /// The bytes from `data` to the lowest element.
    begin: i64,
    /// The bytes from `data` to the end of the highest one.
    end: i64,
}

/// What a plain tensor is: no more than [`View::checked`] and [`View::span`] find as well, in 64 bits and in one go. None of
/// all others.
#[inline]
pub(crate) fn plain(
    data: *mut c_void,
    element: DLDataType,
    shape: &[i64],
    strides: Option<&[i64]>,
) -> Option<Plain> {
    let width = i64::try_from(element::bytes(element)?).ok()?;
    if shape.len() > MAX_RANK || data.is_null() || strides.is_some_and(|strides| strides.len() != shape.len())
    {
        return None;
    }
    let (mut elements, mut low, mut high) = (1i64, 0i64, 0i64);
    match strides {
        Some(strides) => {
            for (&extent, &stride) in shape.iter().zip(strides) {
                if extent <= 0 {
                    return None;
                }
                elements = elements.checked_mul(extent)?;
                let reach = (extent - 1).checked_mul(stride)?;
                low = low.checked_add(reach.min(0))?;
                high = high.checked_add(reach.max(0))?;
            }
        }
        None => {
            for &extent in shape {
                elements = elements.checked_mul(extent).filter(|elements| *elements > 0)?;
            }
        }
    }
    let end = high.checked_add(1)?.checked_mul(width)?;
    let bytes = elements.checked_mul(width)?;
    let (begin, end) = (low.checked_mul(width)?, if strides.is_some() { end } else { bytes });
    let is_plain = isize::try_from(bytes).is_ok() && has_address(data, end) && has_address(data, begin);
    Some(Plain { elements: u64::try_from(elements).ok()?, begin, end }).filter(|_| is_plain)
}
