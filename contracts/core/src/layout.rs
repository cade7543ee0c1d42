//! Offsets and sizes, and what const evaluation checks of them: the part of a declaration that only the compiler
//! knows, since a field's type may be an alias and an array's length an expression.

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
}

/// Codes of elements in the record.
mod code {
    /// A u8.
    pub(super) const U8: u8 = 2;
    /// The last of the integers.
    pub(super) const LAST_INTEGER: u8 = 9;
    /// An enumeration.
    pub(super) const ENUMERATION: u8 = 20;
    /// Flags.
    pub(super) const FLAGS: u8 = 21;
    /// A descriptor.
    pub(super) const DESCRIPTOR: u8 = 22;
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

/// Text put together in const evaluation, for the message of a failed check.
struct Message {
    text: [u8; 512],
    length: usize,
}

impl Message {
    const fn new() -> Message {
        Message { text: [0; 512], length: 0 }
    }

    const fn text(mut self, text: &str) -> Message {
        let text = text.as_bytes();
        let mut index = 0;
        while index < text.len() && self.length < self.text.len() {
            self.text[self.length] = text[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    const fn number(self, number: u64) -> Message {
        let message = if number >= 10 { self.number(number / 10) } else { self };
        #[allow(clippy::cast_possible_truncation, reason = "a digit")]
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => message.text(digit),
            Err(_) => message,
        }
    }

    #[track_caller]
    const fn fail(&self) -> ! {
        match core::str::from_utf8(self.text.split_at(self.length).0) {
            Ok(text) => panic!("{}", text),
            Err(_) => panic!("a name in this declaration is not text"),
        }
    }
}

/// Refuses an array that has no place on the wire, and padding that the declaration does not show before a field.
#[track_caller]
pub const fn check_place(fault: Option<&str>, gap: usize, contract: &str, field: &str) {
    check_fault(fault, field);
    check_padding(gap, contract, field);
}

/// Refuses padding that the declaration does not show, before a field.
#[track_caller]
pub const fn check_padding(gap: usize, contract: &str, field: &str) {
    if gap != 0 {
        Message::new()
            .text("`")
            .text(contract)
            .text("` has ")
            .number(gap as u64)
            .text(if gap == 1 { " byte" } else { " bytes" })
            .text(" of implicit padding before field `")
            .text(field)
            .text("`: add a field `#[wire(reserved)] _pad: [u8; ")
            .number(gap as u64)
            .text("]` before it, reorder the fields, or use `layout = packed`")
            .fail();
    }
}

/// Refuses padding that the declaration does not show, after the last field.
#[track_caller]
pub const fn check_aligned_end(tail: usize, align: usize, contract: &str) {
    if tail != 0 {
        Message::new()
            .text("`")
            .text(contract)
            .text("` has ")
            .number(tail as u64)
            .text(if tail == 1 { " byte" } else { " bytes" })
            .text(" of implicit padding after its last field, since its size is a multiple of ")
            .number(align as u64)
            .text(": add a field `#[wire(reserved)] _pad: [u8; ")
            .number(tail as u64)
            .text("]` at the end, or use `layout = packed`")
            .fail();
    }
}

/// Refuses a declared size that is not the size.
#[track_caller]
pub const fn check_size(declared: u64, size: usize, sound: bool, contract: &str) {
    if declared != size as u64 && sound {
        Message::new()
            .text("`")
            .text(contract)
            .text("` is declared to have ")
            .number(declared)
            .text(" bytes and its fields have ")
            .number(size as u64)
            .text(": write `size = ")
            .number(size as u64)
            .text("`, or correct the fields")
            .fail();
    }
}

/// Refuses a declared offset that is not the offset.
#[track_caller]
pub const fn check_offset(declared: u64, offset: usize, sound: bool, contract: &str, field: &str) {
    if declared != offset as u64 && sound {
        Message::new()
            .text("field `")
            .text(field)
            .text("` of `")
            .text(contract)
            .text("` is declared at offset ")
            .number(declared)
            .text(" and is at ")
            .number(offset as u64)
            .text(": write `offset = ")
            .number(offset as u64)
            .text("`, or add reserved bytes before it")
            .fail();
    }
}

/// Refuses a Rust layout that is not the one on the wire.
#[track_caller]
pub const fn check_rust(wire: usize, rust: usize, contract: &str, what: &str) {
    if wire != rust {
        Message::new()
            .text(what)
            .text(" of `")
            .text(contract)
            .text("` is ")
            .number(wire as u64)
            .text(" on the wire and ")
            .number(rust as u64)
            .text(" in Rust on this target")
            .fail();
    }
}

/// Refuses an array that has no place on the wire.
#[track_caller]
pub const fn check_shape(shape: &Shape, field: &str) {
    check_fault(shape.fault, field);
}

#[track_caller]
const fn check_fault(fault: Option<&str>, field: &str) {
    match fault {
        Some(fault) if !fault.is_empty() => {
            Message::new().text("field `").text(field).text("`: ").text(fault).fail();
        }
        _ => {}
    }
}

/// Refuses to count what is no array.
#[track_caller]
pub const fn check_array(shape: &Shape, field: &str) {
    if shape.rank == 0 && shape.fault.is_none() {
        Message::new()
            .text("`")
            .text(field)
            .text("` is no array: `length_of` counts the elements of `[T; N]`")
            .fail();
    }
}

/// Refuses a version that its field cannot say.
#[track_caller]
pub const fn check_version(version: u64, shape: &Shape, field: &str) {
    if shape.fault.is_none() && !shape.is_unsigned() {
        Message::new()
            .text("field `")
            .text(field)
            .text("` is a version: its type must be u8, u16, u32 or u64")
            .fail();
    }
    if shape.fault.is_none() && version > most(shape) {
        Message::new()
            .text("the type of field `")
            .text(field)
            .text("` does not hold ")
            .number(version)
            .fail();
    }
}

/// The largest number that an unsigned integer says.
const fn most(shape: &Shape) -> u64 {
    if shape.size >= 8 { u64::MAX } else { (1 << (8 * shape.size)) - 1 }
}

/// The most elements that arrays with one count hold, and that their count can say.
#[allow(clippy::cast_possible_truncation, reason = "a count that does not fit in usize is not the least")]
pub const fn settable(arrays: usize, count: &Shape) -> usize {
    let most = most(count);
    if most < arrays as u64 { most as usize } else { arrays }
}

/// Refuses a magic whose field is not an array of as many bytes.
#[track_caller]
pub const fn check_magic(length: usize, shape: &Shape, field: &str) {
    if shape.fault.is_none() && (shape.code != code::U8 || shape.rank != 1 || shape.dims[0] != length) {
        Message::new()
            .text("the magic of field `")
            .text(field)
            .text("` has ")
            .number(length as u64)
            .text(" bytes: the field's type must be `[u8; ")
            .number(length as u64)
            .text("]`")
            .fail();
    }
}

/// Refuses a text that is not in an array of bytes.
#[track_caller]
pub const fn check_text(shape: &Shape, field: &str) {
    if shape.fault.is_none() && (shape.code != code::U8 || shape.rank != 1) {
        Message::new().text("field `").text(field).text("` holds text: its type must be `[u8; N]`").fail();
    }
}

/// Refuses a byte order for a descriptor, which says its own.
#[track_caller]
pub const fn check_order(shape: &Shape, field: &str) {
    if shape.fault.is_none() && shape.code == code::DESCRIPTOR {
        Message::new()
            .text("field `")
            .text(field)
            .text("` holds a descriptor, which says its own byte order: remove `endian`, or say it there")
            .fail();
    }
}

/// Refuses reserved bytes that are not integers.
#[track_caller]
pub const fn check_reserved(shape: &Shape, field: &str) {
    if shape.fault.is_none() && (shape.code < code::U8 || shape.code > code::LAST_INTEGER) {
        Message::new()
            .text("field `")
            .text(field)
            .text("` is reserved: its type must be an integer or an array of integers")
            .fail();
    }
}

/// Refuses a count that is not an unsigned integer, before a trait bound would say so less clearly.
#[track_caller]
pub const fn check_count(shape: &Shape, field: &str) {
    if shape.fault.is_none() && !shape.is_unsigned() {
        Message::new()
            .text("field `")
            .text(field)
            .text("` is a count: its type must be u8, u16, u32 or u64")
            .fail();
    }
}

/// Refuses to count elements that all-zero bytes are no value of: those past the count are written as zero.
#[track_caller]
pub const fn check_counted_element(shape: &Shape, field: &str) {
    if !shape.zero {
        Message::new()
            .text("the elements of `")
            .text(field)
            .text("` are counted, and those past the count are written as zero bytes, which are no value of their type: ")
            .text("give its enumerations a value 0 or use `Open<E>`, and leave out magic and version")
            .fail();
    }
}
