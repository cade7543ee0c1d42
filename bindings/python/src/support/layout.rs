//! What stands where in a descriptor, as the generated tables say it.

use pyo3::prelude::*;
use wirecontract::WireContract as _;

use super::descriptor::Descriptor;
use super::values::Values;

/// A descriptor.
pub(crate) struct Layout {
    /// The name on the wire, and the class.
    pub(crate) name: &'static str,
    pub(crate) class: &'static str,
    /// Bytes of the newest version.
    pub(crate) size: usize,
    /// By offset.
    pub(crate) fields: &'static [Field],
    /// Bytes that may say nothing, here and in what is nested; none where they are too many to be listed.
    pub(crate) gaps: Option<&'static [Gap]>,
    /// Whether there is a version, here or in what is nested, that may be another than the newest.
    pub(crate) is_versioned: bool,
    /// Whether there is a float, here or in what is nested.
    pub(crate) has_floats: bool,
    /// All fields as their defaults say, of a descriptor that grows.
    pub(crate) defaults: Option<&'static [u8]>,
    /// An instance of an image.
    pub(crate) make: for<'py> fn(Python<'py>, &[u8]) -> PyResult<Bound<'py, PyAny>>,
    /// The image of an instance of this very class.
    pub(crate) kept: for<'a> fn(&'a Bound<'_, PyAny>) -> Option<&'a [u8]>,
}

/// Bytes that say nothing: reserved ones that are not looked at, or the elements past a count.
pub(crate) struct Gap {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Of elements, those that count: where their number is, its bytes and their order, and the bytes of an element.
    pub(crate) counted: Option<(usize, usize, Endian, usize)>,
}

/// A field.
pub(crate) struct Field {
    /// The name on the wire.
    pub(crate) name: &'static str,
    /// The attribute, and the constructor's argument.
    pub(crate) attribute: &'static str,
    /// Bytes from the start.
    pub(crate) offset: usize,
    pub(crate) role: Role,
    pub(crate) element: Element,
    pub(crate) endian: Endian,
    /// Dimensions, outermost first; none of a single element.
    pub(crate) dims: &'static [usize],
    /// The field that counts its elements.
    pub(crate) count: Option<usize>,
    /// Whether None, and what is not given, stand for the default.
    pub(crate) may_be_none: bool,
}

/// What a field is for.
#[allow(dead_code, reason = "the tables name what some contract has")]
#[derive(Clone, Copy)]
pub(crate) enum Role {
    Value,
    /// UTF-8, ended and padded by NUL.
    Text,
    /// From 1 to this.
    Version(u64),
    /// Counts the elements of these fields, which have room for so many.
    Count(&'static [usize], usize),
    /// Constant bytes.
    Magic(&'static [u8]),
    /// No value.
    Reserved,
}

/// The innermost element of a field.
#[allow(dead_code, reason = "the tables name what some contract has")]
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Scalar(Scalar),
    Closed(&'static Values),
    Open(&'static Values),
    Flags(&'static Values),
    Descriptor(&'static Layout),
}

#[allow(dead_code, reason = "the tables name what some contract has")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

#[allow(dead_code, reason = "the tables name what some contract has")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
    Native,
}

impl Scalar {
    /// Bytes of it.
    pub(crate) const fn size(self) -> usize {
        match self {
            Scalar::Bool | Scalar::U8 | Scalar::I8 => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
        }
    }

    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The least and the greatest integer.
    pub(crate) const fn range(self) -> (i128, i128) {
        let bits = 8 * self.size();
        if self.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }
}

impl Element {
    /// Bytes of it.
    pub(crate) const fn size(self) -> usize {
        match self {
            Element::Scalar(scalar) => scalar.size(),
            Element::Closed(values) | Element::Open(values) | Element::Flags(values) => values.scalar.size(),
            Element::Descriptor(layout) => layout.size,
        }
    }
}

impl Field {
    /// Bytes of it.
    pub(crate) fn size(&self) -> usize {
        self.element.size() * self.dims.iter().product::<usize>()
    }

    /// Bytes from one element of the first dimension to the next.
    pub(crate) fn stride(&self) -> usize {
        self.element.size() * self.dims.iter().skip(1).product::<usize>()
    }

    /// Whether it is an attribute with a value of its own.
    pub(crate) const fn is_kept(&self) -> bool {
        matches!(self.role, Role::Value | Role::Text | Role::Version(_))
    }

    /// Its bytes in those of the descriptor.
    pub(crate) fn of<'i>(&self, image: &'i [u8]) -> &'i [u8] {
        &image[self.offset..self.offset + self.size()]
    }

    /// The same, to be written.
    pub(crate) fn of_mut<'i>(&self, image: &'i mut [u8]) -> &'i mut [u8] {
        &mut image[self.offset..self.offset + self.size()]
    }

    /// The bits of its first element, which is an integer.
    pub(crate) fn bits(&self, image: &[u8]) -> u64 {
        bits(&image[self.offset..self.offset + self.element.size()], self.endian)
    }
}

/// The bits of an integer of at most eight bytes.
#[inline]
pub(crate) fn bits(bytes: &[u8], endian: Endian) -> u64 {
    // As most counts are.
    if let Ok(word) = <[u8; 4]>::try_from(bytes) {
        let number = if endian.is_big() { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) };
        return number.into();
    }
    let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if endian.is_big() { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}

/// Writes the low bits of an integer.
pub(crate) fn put_bits(bytes: &mut [u8], endian: Endian, bits: u64) {
    let (length, little) = (bytes.len(), bits.to_le_bytes());
    bytes.copy_from_slice(&little[..length]);
    if endian.is_big() {
        bytes.reverse();
    }
}

impl Endian {
    const fn is_big(self) -> bool {
        match self {
            Endian::Little => false,
            Endian::Big => true,
            Endian::Native => cfg!(target_endian = "big"),
        }
    }
}

impl Layout {
    /// Zeroes what says nothing.
    #[inline]
    pub(crate) fn tighten(&self, image: &mut [u8]) {
        // Most have none, and are small: a call is much of what reading one costs.
        if !matches!(self.gaps, Some([])) {
            self.tighten_gaps(image);
        }
    }

    fn tighten_gaps(&self, image: &mut [u8]) {
        let Some(gaps) = self.gaps else { return self.tighten_each(image) };
        for gap in gaps {
            let valid = match gap.counted {
                None => 0,
                Some((at, size, endian, stride)) => {
                    let count = usize::try_from(bits(&image[at..at + size], endian)).unwrap_or(usize::MAX);
                    count.saturating_mul(stride)
                }
            };
            if let Some(gap) = image[gap.start..gap.end].get_mut(valid..) {
                gap.fill(0);
            }
        }
    }

    /// The same, field by field.
    fn tighten_each(&self, image: &mut [u8]) {
        for field in self.fields {
            let valid = match (field.role, field.element) {
                (Role::Reserved, _) => 0,
                _ if field.count.is_some() => self.length(field, image) * field.stride(),
                _ => field.size(),
            };
            let bytes = field.of_mut(image);
            bytes[valid..].fill(0);
            if let (Element::Descriptor(layout), Role::Value) = (field.element, field.role) {
                bytes[..valid].chunks_exact_mut(layout.size).for_each(|bytes| layout.tighten(bytes));
            }
        }
    }

    /// Makes all versions the newest; tells whether one was another.
    #[inline]
    pub(crate) fn renew(&self, image: &mut [u8]) -> bool {
        self.is_versioned && self.renew_versions(image)
    }

    fn renew_versions(&self, image: &mut [u8]) -> bool {
        let mut was_old = false;
        for field in self.fields {
            match (field.role, field.element) {
                (Role::Version(newest), _) => {
                    was_old |= field.bits(image) != newest;
                    put_bits(field.of_mut(image), field.endian, newest);
                }
                (Role::Value, Element::Descriptor(layout)) => {
                    let valid = self.length(field, image) * field.stride();
                    let bytes = &mut field.of_mut(image)[..valid];
                    for bytes in bytes.chunks_exact_mut(layout.size) {
                        was_old |= layout.renew(bytes);
                    }
                }
                _ => {}
            }
        }
        was_old
    }

    /// Elements of the first dimension of a field; of a single element, 1.
    pub(crate) fn length(&self, field: &Field, image: &[u8]) -> usize {
        let most = field.dims.first().copied().unwrap_or(1);
        match field.count {
            // No image has a greater count.
            Some(count) => usize::try_from(self.fields[count].bits(image)).unwrap_or(most).min(most),
            None => most,
        }
    }
}

/// An instance of an image.
pub(crate) fn make<'py, D: Descriptor>(py: Python<'py>, image: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut kept = D::Contract::ZEROED;
    kept.as_mut().copy_from_slice(image);
    Ok(Bound::new(py, D::of(super::Image::of(D::LAYOUT, kept)))?.into_any())
}

/// The image of an instance of this very class.
pub(crate) fn kept<'a, D: Descriptor>(value: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    value.cast_exact::<D>().ok().map(|value| value.get().image().kept())
}
