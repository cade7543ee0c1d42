//! Offsets and sizes, and what const evaluation checks of them: the part of a declaration that only the compiler
//! knows, since a field's type may be an alias and an array's length an expression.

pub(crate) mod check;

use crate::growth::Growth;
use crate::wire_type::{Endian, WireType};
use crate::{Contract, Enumeration, FlagSet};

/// The most dimensions an array may have.
pub(crate) const MAX_RANK: usize = 4;

/// What a type looks like on the wire: its element and its dimensions.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "four independent facts of a type")]
pub struct Shape {
    /// The element's code, as the record has it.
    pub code: u8,
    /// Byte order of the element, as the record has it; 1 where it says nothing.
    pub endian: u8,
    /// Whether it is `Open<E>`.
    pub open: bool,
    /// Bytes of an element.
    pub size: usize,
    /// Alignment of an element on the wire.
    pub align: usize,
    /// Number of dimensions.
    pub rank: usize,
    /// The dimensions, outermost first.
    pub dims: [usize; MAX_RANK],
    /// The ids of the contract it holds; 0 when it holds none.
    pub wire_id: u64,
    /// The ids of the contract it holds; 0 when it holds none.
    pub source_id: u64,
    /// Why it has no place on the wire; empty when that was said elsewhere.
    pub fault: Option<&'static str>,
    /// Whether all-zero bytes are a value.
    pub zero: bool,
    /// Whether the layout on the wire is also that of the Rust type.
    pub mirrored: bool,
    /// Whether the byte order on the wire is also that of this target.
    pub host_order: bool,
    /// Whether an integer of it, or of the enumeration's repr, may be negative.
    pub signed: bool,
    /// How it has grown, where it is a descriptor that declares sizes by version.
    pub growth: Option<&'static Growth>,
}

/// Codes of elements in the record.
pub(crate) mod code {
    /// A bool.
    pub(crate) const BOOL: u8 = 1;
    /// A u8.
    pub(crate) const U8: u8 = 2;
    /// The last of the integers.
    pub(crate) const LAST_INTEGER: u8 = 9;
    /// An f32.
    pub(crate) const F32: u8 = 10;
    /// An f64.
    pub(crate) const F64: u8 = 11;
    /// An enumeration.
    pub(crate) const ENUMERATION: u8 = 20;
    /// Flags.
    pub(crate) const FLAGS: u8 = 21;
    /// A descriptor.
    pub(crate) const DESCRIPTOR: u8 = 22;
}

impl Shape {
    /// An integer, a float or a bool.
    pub const fn scalar(code: u8, size: usize) -> Shape {
        Shape {
            code,
            endian: 1,
            open: false,
            size,
            align: size,
            rank: 0,
            dims: [0; MAX_RANK],
            wire_id: 0,
            source_id: 0,
            fault: None,
            zero: true,
            mirrored: true,
            host_order: true,
            signed: matches!(code, 3 | 5 | 7 | 9),
            growth: None,
        }
    }

    /// A contract that was refused, and says so itself.
    pub const fn refused() -> Shape {
        Shape { fault: Some(""), ..Shape::scalar(code::U8, 1) }
    }

    /// An enumeration, closed or open.
    pub const fn enumeration<E: Enumeration>(open: bool) -> Shape {
        Shape {
            code: code::ENUMERATION,
            open,
            wire_id: E::WIRE_ID,
            source_id: E::SOURCE_ID,
            zero: open || E::HAS_ZERO,
            ..E::Repr::SHAPE
        }
    }

    /// Flags.
    pub const fn flags<E: FlagSet>() -> Shape {
        Shape { code: code::FLAGS, wire_id: E::WIRE_ID, source_id: E::SOURCE_ID, ..E::Repr::SHAPE }
    }

    /// A descriptor.
    pub const fn descriptor<D: Contract, const N: usize>(layout: &Layout<N>, zero: bool) -> Shape {
        Shape {
            align: layout.align,
            wire_id: D::WIRE_ID,
            source_id: D::SOURCE_ID,
            zero: zero && layout.zero,
            mirrored: layout.mirrored,
            host_order: layout.host_order,
            fault: if layout.faulty { Some("") } else { None },
            ..Shape::scalar(code::DESCRIPTOR, layout.size)
        }
    }

    /// It as a descriptor that has grown.
    pub const fn growing(mut self, growth: &'static Growth) -> Shape {
        self.growth = Some(growth);
        self
    }

    /// The least and the greatest integer of its size.
    pub(crate) const fn range(&self) -> (i128, i128) {
        #[allow(clippy::cast_possible_truncation, reason = "1, 2, 4 or 8 bytes")]
        let bits = 8 * self.size as u32;
        if self.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
    }

    /// An array of it. One that has no place on the wire says so in `fault`, which [`check_shape`] raises where the
    /// field stands.
    pub const fn array(mut self, length: usize) -> Shape {
        if length == 0 {
            self.fault = Some("an array of no elements has no place on the wire: remove the field");
            return self;
        }
        if self.rank == MAX_RANK {
            self.fault =
                Some("an array has at most four dimensions on the wire: put the others in a descriptor");
            return self;
        }
        if length > (u32::MAX as usize) / self.bytes() {
            self.fault = Some("a descriptor is smaller than 4 GiB");
            return self;
        }
        let mut index = self.rank;
        while index > 0 {
            self.dims[index] = self.dims[index - 1];
            index -= 1;
        }
        self.dims[0] = length;
        self.rank += 1;
        self
    }

    /// The same in a field of that byte order.
    pub const fn in_order(mut self, endian: Endian) -> Shape {
        if self.size > 1 && self.code != code::DESCRIPTOR {
            self.endian = match endian {
                Endian::Little => 1,
                Endian::Big => 2,
                Endian::Native => 3,
            };
            self.host_order = match endian {
                Endian::Little => cfg!(target_endian = "little"),
                Endian::Big => cfg!(target_endian = "big"),
                Endian::Native => true,
            };
        }
        self
    }

    /// Whether it is an unsigned integer.
    const fn is_unsigned(&self) -> bool {
        self.rank == 0 && matches!(self.code, 2 | 4 | 6 | 8)
    }

    /// Bytes from one element of an array to the next; of what is no array, its bytes.
    pub const fn stride(&self) -> usize {
        if self.rank == 0 { self.size } else { self.bytes() / self.dims[0] }
    }

    /// Bytes of the whole.
    pub const fn bytes(&self) -> usize {
        let mut bytes = self.size;
        let mut index = 0;
        while index < self.rank {
            bytes *= self.dims[index];
            index += 1;
        }
        bytes
    }
}

/// Where the fields of a descriptor are.
#[allow(clippy::struct_excessive_bools, reason = "independent facts of a layout")]
pub struct Layout<const N: usize> {
    /// What the fields are.
    pub shapes: [Shape; N],
    /// Bytes from the start to each field.
    pub offsets: [usize; N],
    /// Bytes of padding before each field; nothing but zeros, once checked.
    pub gaps: [usize; N],
    /// Bytes of padding after the last field; zero, once checked.
    pub tail: usize,
    /// Bytes of the whole.
    pub size: usize,
    /// Alignment on the wire.
    pub align: usize,
    /// Whether the layout on the wire is also that of the Rust struct.
    pub mirrored: bool,
    /// Whether the byte order on the wire is also that of this target.
    pub host_order: bool,
    /// Whether all-zero bytes are a value of every field.
    pub zero: bool,
    /// Whether there is no padding, and every field has a place on the wire: where that is not so, it is said, and
    /// there is nothing more to say of where the fields are.
    pub sound: bool,
    /// Whether a field has no place on the wire.
    pub faulty: bool,
}

impl<const N: usize> Layout<N> {
    /// As C lays out a struct whose fields align to their size on the wire.
    pub const fn natural(shapes: [Shape; N]) -> Layout<N> {
        Self::of(shapes, false)
    }

    /// One field after the other.
    pub const fn packed(shapes: [Shape; N]) -> Layout<N> {
        Self::of(shapes, true)
    }

    /// Bytes from the start to the end of a field.
    pub const fn end(&self, index: usize) -> usize {
        self.offsets[index] + self.shapes[index].bytes()
    }

    /// Whether what grows stands before the last field, where it must not.
    pub const fn grows_within(&self) -> bool {
        let mut index = 0;
        while index + 1 < N {
            if self.shapes[index].growth.is_some() {
                return true;
            }
            index += 1;
        }
        false
    }

    const fn of(shapes: [Shape; N], packed: bool) -> Layout<N> {
        let mut layout = Layout {
            shapes,
            offsets: [0; N],
            gaps: [0; N],
            tail: 0,
            size: 0,
            align: 1,
            mirrored: !packed,
            host_order: true,
            zero: true,
            sound: true,
            faulty: false,
        };
        let mut faulty = false;
        let mut index = 0;
        while index < N {
            let shape = &layout.shapes[index];
            faulty |= shape.fault.is_some();
            if !packed {
                layout.gaps[index] = padding(layout.size, shape.align);
                if shape.align > layout.align {
                    layout.align = shape.align;
                }
            }
            layout.mirrored &= shape.mirrored;
            layout.host_order &= shape.host_order;
            layout.zero &= shape.zero;
            layout.sound &= layout.gaps[index] == 0;
            layout.offsets[index] = layout.size + layout.gaps[index];
            layout.size = layout.offsets[index] + shape.bytes();
            index += 1;
        }
        layout.tail = padding(layout.size, layout.align);
        layout.size += layout.tail;
        layout.faulty = faulty;
        layout.sound &= layout.tail == 0 && !faulty;
        if faulty {
            layout.gaps = [0; N];
            layout.tail = 0;
        }
        layout
    }
}

const fn padding(offset: usize, align: usize) -> usize {
    (align - offset % align) % align
}
