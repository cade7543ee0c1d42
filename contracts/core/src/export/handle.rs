//! Numbers that stand for objects, and what is wrong with a number that stands for none.
//!
//! A handle is a tag of its type (16 bits), a generation (28 bits) and the index of a slot (20 bits). A slot counts its
//! generations up and is never used again when they are used up, so that no number ever stands for two objects.

use std::format;
use std::string::String;

use super::Failure;
use crate::Code;
use crate::record::fold;

/// How many objects of one type can be alive.
pub(super) const CAPACITY: u32 = 1 << INDEX_BITS;

const INDEX_BITS: u32 = 20;
const TAG_SHIFT: u32 = 48;

/// The tag of a type of handles, which is never 0. Two types may have one tag; those of one catalog must not.
#[allow(clippy::cast_possible_truncation, reason = "all four parts are in the last")]
pub const fn tag(prefix: &str, name: &str) -> u16 {
    let hash = fold(0xcbf2_9ce4_8422_2325, prefix.as_bytes());
    let hash = fold(fold(hash, &[0]), name.as_bytes());
    let tag = (hash ^ (hash >> 16) ^ (hash >> 32) ^ (hash >> 48)) as u16;
    if tag == 0 { 1 } else { tag }
}

/// The number of a tag, a generation of less than 2²⁸ and an index of less than 2²⁰.
#[allow(clippy::cast_lossless, reason = "`From` is no const fn")]
pub(super) const fn join(tag: u16, generation: u32, index: u32) -> u64 {
    (tag as u64) << TAG_SHIFT | (generation as u64) << INDEX_BITS | index as u64
}

/// The tag of a number.
pub(super) const fn tag_of(id: u64) -> u16 {
    (id >> TAG_SHIFT) as u16
}

/// The generation of a number.
#[allow(clippy::cast_possible_truncation, reason = "28 bits are kept")]
pub(super) const fn generation_of(id: u64) -> u32 {
    (id >> INDEX_BITS) as u32 & 0xfff_ffff
}

/// The index of a number: less than [`CAPACITY`].
#[allow(clippy::cast_possible_truncation, reason = "20 bits are kept")]
pub(super) const fn index_of(id: u64) -> u32 {
    id as u32 & (CAPACITY - 1)
}

/// Why a number gives no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandleFault {
    /// It is 0.
    Zero,
    /// It is a handle of another type, or a number that is no handle.
    OtherType,
    /// Its object was destroyed or taken, or there never was one.
    Destroyed,
    /// Its object is in a call that this one would disturb.
    Busy,
    /// Its object belongs to another thread.
    OtherThread,
    /// An earlier call panicked while it changed the object.
    Poisoned,
    /// As many objects are alive as there can be.
    Full,
    /// This thread has ended so far that nobody would drop what it makes.
    ThreadEnds,
}

impl HandleFault {
    /// The code that every language is told.
    pub fn code(self) -> Code {
        match self {
            HandleFault::Zero | HandleFault::OtherType | HandleFault::Destroyed => Code::BadHandle,
            HandleFault::Busy | HandleFault::OtherThread => Code::Busy,
            HandleFault::Poisoned => Code::Panic,
            HandleFault::Full => Code::TooMany,
            HandleFault::ThreadEnds => Code::Refused,
        }
    }

    /// What is wrong, of a handle of the type of that name.
    pub fn message(self, name: &str) -> String {
        match self {
            HandleFault::Zero => format!("expected a handle of {name}, found none"),
            HandleFault::OtherType => format!("expected a handle of {name}, found another"),
            HandleFault::Destroyed => format!("expected a handle of {name}, found one that was destroyed"),
            HandleFault::Busy => format!("this {name} is in a call: wait until that has returned"),
            HandleFault::OtherThread => {
                format!("this {name} belongs to the thread that made it: call it from there")
            }
            HandleFault::Poisoned => {
                format!("an earlier call panicked while it changed this {name}: destroy it")
            }
            HandleFault::Full => format!("{CAPACITY} handles of {name} are in use: destroy some"),
            HandleFault::ThreadEnds => {
                format!("this thread is ending, and would leave a {name} behind: make it in another")
            }
        }
    }

    /// Code and message as a failure.
    #[cold]
    #[inline(never)]
    pub fn failure(self, name: &str) -> Failure {
        Failure::new(self.code(), self.message(name))
    }
}
