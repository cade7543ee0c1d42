//! The rules that const evaluation checks, and their messages: what a declaration breaks is named by its field, with
//! what to write instead.

use super::{Shape, code};

/// Text put together in const evaluation, for the message of a failed check.
pub(crate) struct Message {
    text: [u8; 512],
    length: usize,
}

impl Message {
    pub(crate) const fn new() -> Message {
        Message { text: [0; 512], length: 0 }
    }

    pub(crate) const fn text(mut self, text: &str) -> Message {
        let text = text.as_bytes();
        let mut index = 0;
        while index < text.len() && self.length < self.text.len() {
            self.text[self.length] = text[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    pub(crate) const fn number(self, number: u64) -> Message {
        let message = if number >= 10 { self.number(number / 10) } else { self };
        #[allow(clippy::cast_possible_truncation, reason = "a digit")]
        let digit = [b'0' + (number % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => message.text(digit),
            Err(_) => message,
        }
    }

    pub(crate) const fn signed(self, number: i128) -> Message {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a number of a rule, whose magnitude is one of 64 bits"
        )]
        let magnitude = number.unsigned_abs() as u64;
        let message = if number < 0 { self.text("-") } else { self };
        message.number(magnitude)
    }

    #[track_caller]
    pub(crate) const fn fail(&self) -> ! {
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

/// Refuses a newest version of another size than the fields have.
#[track_caller]
pub const fn check_newest_size(version: u64, declared: u64, size: usize, sound: bool, contract: &str) {
    if declared != size as u64 && sound {
        Message::new()
            .text("version ")
            .number(version)
            .text(" of `")
            .text(contract)
            .text("` is declared to have ")
            .number(declared)
            .text(" bytes and its fields have ")
            .number(size as u64)
            .text(": write `v")
            .number(version)
            .text(" = ")
            .number(size as u64)
            .text("`, or correct the fields")
            .fail();
    }
}

/// Refuses a field of a growing descriptor that its version, and those before, do not have where it stands.
#[track_caller]
pub const fn check_since(
    range: (usize, usize),
    since: usize,
    sizes: &[u64],
    sound: bool,
    contract: &str,
    field: &str,
) {
    let (start, end) = (range.0 as u64, range.1 as u64);
    if !sound || since == 0 || since > sizes.len() {
        return;
    }
    if end > sizes[since - 1] {
        Message::new()
            .text("field `")
            .text(field)
            .text("` ends at byte ")
            .number(end)
            .text(", and version ")
            .number(since as u64)
            .text(" of `")
            .text(contract)
            .text("` has ")
            .number(sizes[since - 1])
            .text(" bytes: write `since = N` of the version that has it, or correct the sizes")
            .fail();
    }
    if since > 1 && start < sizes[since - 2] && end > sizes[since - 2] {
        Message::new()
            .text("field `")
            .text(field)
            .text("` begins within the ")
            .number(sizes[since - 2])
            .text(" bytes that `")
            .text(contract)
            .text("` had before version ")
            .number(since as u64)
            .text(" and ends behind them: a new field stands behind them, or where bytes were reserved")
            .fail();
    }
}

/// Refuses a descriptor that grows where its growth would move what stands behind, and where nothing says its version.
#[track_caller]
pub const fn check_growing(shape: &Shape, is_last: bool, grows: bool, contract: &str, field: &str) {
    let Some(growth) = shape.growth else { return };
    let what = Message::new().text("field `").text(field).text("` of `").text(contract).text("` holds ");
    if shape.rank > 0 {
        what.text("an array of a descriptor that grows, whose elements would move when it does: hold one, as the last field")
            .fail();
    }
    if !is_last {
        what.text("a descriptor that grows, which would move the fields behind it when it does: make it the last field")
            .fail();
    }
    if growth.has_version {
        what.text(
            "a descriptor that grows and says its version itself, which only one that is not nested can: move the version \
             field to the descriptor that holds it",
        )
        .fail();
    }
    if !grows {
        what.text(
            "a descriptor that grows, and has one size: write its size by version, `size(v1 = …, v2 = …)`",
        )
        .fail();
    }
}

/// Refuses sizes that are not those which the growing descriptor in the last field makes.
#[track_caller]
pub const fn check_last(shape: &Shape, offset: usize, sizes: &[u64], contract: &str, field: &str) {
    let Some(growth) = shape.growth else { return };
    if growth.sizes.len() != sizes.len() {
        Message::new()
            .text("`")
            .text(contract)
            .text("` has ")
            .number(sizes.len() as u64)
            .text(if sizes.len() == 1 { " size" } else { " sizes" })
            .text(" and what grows in its field `")
            .text(field)
            .text("` has ")
            .number(growth.sizes.len() as u64)
            .text(": they grow together, so declare a size for each version of it")
            .fail();
    }
    let mut index = 0;
    while index < sizes.len() {
        let size = (offset + growth.sizes[index]) as u64;
        if sizes[index] != size {
            Message::new()
                .text("version ")
                .number(index as u64 + 1)
                .text(" of `")
                .text(contract)
                .text("` is declared to have ")
                .number(sizes[index])
                .text(" bytes, and what grows in its field `")
                .text(field)
                .text("` makes it ")
                .number(size)
                .text(": write `v")
                .number(index as u64 + 1)
                .text(" = ")
                .number(size)
                .text("`")
                .fail();
        }
        index += 1;
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
            .text("give its enumerations a value 0 or use `Open<E>`, and leave out magic, version and rules that zeros break")
            .fail();
    }
}
