//! The frame of a record: finding records in bytes, and their numbers before anything is made of them.
//!
//! Every length is checked against the bytes that are there before it is used; nothing is copied.

use wirecontract::record::{FORMAT, MAGIC, NOTE_NAME};

use super::error::ReadError;

/// A record as it lies in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'data> {
    /// Where the record proper starts in the bytes it was found in.
    pub(super) at: usize,
    pub(super) wire_id: u64,
    pub(super) source_id: u64,
    /// The record holds no names, by `wirecontract_record="ids"`.
    pub(super) ids_only: bool,
    pub(super) text: &'data [u8],
    words: &'data [u8],
    order: Order,
}

impl<'data> Frame<'data> {
    pub(super) fn words(&self) -> impl ExactSizeIterator<Item = u32> + 'data {
        let order = self.order;
        self.words.chunks_exact(4).map(move |bytes| order.u32(bytes))
    }
}

/// Byte order of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    fn u32(self, bytes: &[u8]) -> u32 {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        }
    }

    fn u32_at(self, data: &[u8], at: usize) -> Option<u32> {
        data.get(at..at.checked_add(4)?).map(|bytes| self.u32(bytes))
    }
}

/// Length of the note's header: name length, description length, type.
const NOTE_HEADER: usize = 12;
/// Length of the record proper before its words.
const RECORD_HEADER: usize = 40;
/// Length of the name with its NUL, which the note's header states.
const NAME_LENGTH: u32 = 13;
const NOTE_TYPE: u32 = 1;

/// Records of a section that holds nothing but records and zeros between them: anything else is damage.
pub(super) fn walk<'data>(
    section: &'data [u8],
    order: Order,
    found: &mut Vec<Frame<'data>>,
) -> Result<(), ReadError> {
    let mut at = 0;
    while at < section.len() {
        if section[at] == 0 && section[at..].iter().take(4).all(|&byte| byte == 0) {
            at += 4;
            continue;
        }
        let name = at + NOTE_HEADER;
        let truncated = || ReadError::Truncated { at, missing: "the header of a record" };
        let name_length = order.u32_at(section, at).ok_or_else(truncated)?;
        let length = order.u32_at(section, at + 4).ok_or_else(truncated)? as usize;
        let note_type = order.u32_at(section, at + 8).ok_or_else(truncated)?;
        let name = section.get(name..name + NOTE_NAME.len()).ok_or_else(truncated)?;
        if name_length != NAME_LENGTH || note_type != NOTE_TYPE || *name != NOTE_NAME {
            return Err(ReadError::NotARecord { at });
        }
        at = record(section, at + NOTE_HEADER + NOTE_NAME.len(), length, found)?;
    }
    Ok(())
}

/// Records anywhere in `data`: where the name of the note and the record's magic follow each other.
pub(super) fn scan<'data>(data: &'data [u8], found: &mut Vec<Frame<'data>>) -> Result<(), ReadError> {
    let mut from = 0;
    while let Some(at) = find_magic(data, from) {
        from = at + MAGIC.len();
        let Some(note) = at.checked_sub(NOTE_HEADER + NOTE_NAME.len()) else { continue };
        if data[note + NOTE_HEADER..at] != NOTE_NAME {
            continue;
        }
        // Both constants also stand in every program that reads records; only a note has the header.
        let is_header = |order: &Order| {
            order.u32_at(data, note) == Some(NAME_LENGTH) && order.u32_at(data, note + 8) == Some(NOTE_TYPE)
        };
        let Some(order) = [Order::Little, Order::Big].into_iter().find(is_header) else { continue };
        let length = order.u32_at(data, note + 4).map_or(0, |length| length as usize);
        // Further on from the record's end: its text may hold anything.
        from = record(data, at, length, found)?;
    }
    Ok(())
}

fn find_magic(data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += data.get(at..)?.iter().position(|&byte| byte == MAGIC[0])?;
        if data[at..].starts_with(&MAGIC) {
            return Some(at);
        }
        at += 1;
    }
}

/// Takes the record proper of `length` bytes at `at`; gives where the next thing may start.
fn record<'data>(
    data: &'data [u8],
    at: usize,
    length: usize,
    found: &mut Vec<Frame<'data>>,
) -> Result<usize, ReadError> {
    let end = at.checked_add(length).filter(|&end| end <= data.len());
    let Some(end) = end else { return Err(ReadError::Truncated { at, missing: "the end of a record" }) };
    let bytes = &data[at..end];
    let corrupted = |reason: String| ReadError::Corrupted { contract: None, at, reason };
    if bytes.len() < RECORD_HEADER {
        return Err(corrupted(format!("it has {length} bytes, where its header alone has {RECORD_HEADER}")));
    }
    if bytes[..8] != MAGIC {
        return Err(corrupted("it does not start with the magic bytes".to_owned()));
    }

    // The format's number is small in the order it was written in.
    let (little, big) = (Order::Little.u32(&bytes[8..]), Order::Big.u32(&bytes[8..]));
    let (order, format) = if little <= big { (Order::Little, little) } else { (Order::Big, big) };
    match format {
        FORMAT => {}
        0 => return Err(corrupted("its format is 0".to_owned())),
        newer => return Err(ReadError::Newer { at, format: newer, known: FORMAT }),
    }
    let target = order.u32(&bytes[12..]);
    if (target >> 16 & 1 == 1) != (order == Order::Big) {
        return Err(corrupted("it contradicts itself about its byte order".to_owned()));
    }

    let id = |at: usize| u64::from(order.u32(&bytes[at..])) | u64::from(order.u32(&bytes[at + 4..])) << 32;
    let word_count = order.u32(&bytes[32..]) as usize;
    let text_length = order.u32(&bytes[36..]) as usize;
    let text_start = word_count.checked_mul(4).and_then(|words| words.checked_add(RECORD_HEADER));
    let text_end = text_start.and_then(|start| start.checked_add(text_length));
    // The length in the note's header may or may not include the padding.
    let (Some(text_start), Some(text_end)) =
        (text_start, text_end.filter(|&end| end <= length && length - end < 4))
    else {
        return Err(corrupted(format!(
            "{word_count} words and {text_length} bytes of text do not make a record of {length} bytes"
        )));
    };
    let ids_only = target >> 24 & 1 == 1;
    if ids_only && text_length > 0 {
        return Err(corrupted("it states that it holds ids only, and holds text".to_owned()));
    }
    found.push(Frame {
        at,
        wire_id: id(16),
        source_id: id(24),
        ids_only,
        text: &bytes[text_start..text_end],
        words: &bytes[RECORD_HEADER..text_start],
        order,
    });
    Ok(end.next_multiple_of(4).min(data.len()))
}
