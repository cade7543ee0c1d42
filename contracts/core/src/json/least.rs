//! The least that a document of a contract has: bytes, and objects and arrays in each other. Const evaluation refuses
//! limits that no document is within.
//!
//! It is a bound from below: conditions and rules may ask for more.

use crate::layout::check::Message;

/// The least that a value has; or of the members of an object, each with a comma.
#[derive(Clone, Copy)]
pub struct Least {
    /// Bytes of its text.
    pub(super) bytes: usize,
    /// How many objects and arrays are in each other.
    pub(super) depth: usize,
}

impl Least {
    /// No members, and what is not known.
    pub const NOTHING: Least = Least { bytes: 0, depth: 0 };

    /// Something that nests nothing.
    pub(super) const fn flat(bytes: usize) -> Least {
        Least { bytes, depth: 0 }
    }

    /// An array of that many items.
    pub(super) const fn array(self, items: usize) -> Least {
        if items == 0 {
            return Least { bytes: 2, depth: 1 };
        }
        let bytes = self.bytes.saturating_add(1).saturating_mul(items).saturating_add(1);
        Least { bytes, depth: 1 + self.depth }
    }

    /// The object that has these members.
    pub const fn object(self) -> Least {
        Least { bytes: self.bytes.saturating_sub(1).saturating_add(2), depth: self.depth + 1 }
    }

    /// A member; `head` are the bytes of its key, with a comma and a colon.
    pub const fn member(head: usize, value: Least) -> Least {
        Least { bytes: value.bytes.saturating_add(head), ..value }
    }

    /// A member whose value is a text, of so many bytes with its quotes.
    pub const fn tag(head: usize, text: usize) -> Least {
        Least::member(head, Least::flat(text))
    }

    /// These members beside each other.
    pub const fn all(parts: &[Least]) -> Least {
        let (mut all, mut index) = (Least::NOTHING, 0);
        while index < parts.len() {
            all.bytes = all.bytes.saturating_add(parts[index].bytes);
            if parts[index].depth > all.depth {
                all.depth = parts[index].depth;
            }
            index += 1;
        }
        all
    }

    /// One of these.
    pub const fn one_of(variants: &[Least]) -> Least {
        let (mut least, mut index) = (variants[0], 1);
        while index < variants.len() {
            if variants[index].bytes < least.bytes {
                least.bytes = variants[index].bytes;
            }
            if variants[index].depth < least.depth {
                least.depth = variants[index].depth;
            }
            index += 1;
        }
        least
    }
}

/// The bytes of the shortest integer from `min` to `max`.
pub(super) const fn integer(min: i128, max: i128) -> usize {
    if min > 9 {
        digits(min)
    } else if max < 0 {
        1 + digits(-max)
    } else {
        1
    }
}

const fn digits(mut number: i128) -> usize {
    let mut digits = 1;
    while number > 9 {
        number /= 10;
        digits += 1;
    }
    digits
}

/// Refuses a `max_bytes` that no document is within.
#[track_caller]
pub const fn check_max_bytes(least: Least, max_bytes: usize, contract: &str) {
    let least = least.object().bytes;
    if least > max_bytes {
        Message::new()
            .text("no document of `")
            .text(contract)
            .text("` is within `max_bytes = ")
            .number(max_bytes as u64)
            .text("`: the shortest has at least ")
            .number(least as u64)
            .text(" bytes")
            .fail();
    }
}

/// Refuses a `max_depth` that no document is within.
#[track_caller]
pub const fn check_max_depth(least: Least, max_depth: usize, contract: &str) {
    let least = least.object().depth;
    if least > max_depth {
        Message::new()
            .text("no document of `")
            .text(contract)
            .text("` is within `max_depth = ")
            .number(max_depth as u64)
            .text("`: objects and arrays that must be there are ")
            .number(least as u64)
            .text(" deep in each other")
            .fail();
    }
}
