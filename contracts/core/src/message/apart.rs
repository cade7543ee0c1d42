//! A message without its file descriptors, of which the numbers alone are known: what a class of another language holds,
//! which owns these by itself. Who gets which is decided by numbers, so nothing has to be handed over for a verdict.

use alloc::vec::Vec;

use super::Message;
use crate::WireError;

/// The bytes of a message, and how many file descriptors each of its groups has.
#[doc(hidden)]
pub trait Apart: Message {
    /// The parts, and the tail behind them.
    type Parts;
    /// How many each group has; of numbers, where there are as many as groups.
    type Counts: Copy + AsRef<[usize]> + for<'a> TryFrom<&'a [usize]>;

    /// The parts and the tail of a message's bytes.
    fn read(bytes: &[u8]) -> Result<Self::Parts, WireError>;

    /// How many each group gets of so many that came, where the message may be read with them.
    fn share(parts: &Self::Parts, came: usize) -> Result<Self::Counts, WireError>;

    /// The bytes, before anything is known of what goes beside them.
    fn bytes(parts: &Self::Parts) -> Result<Vec<u8>, WireError>;

    /// Refuses to write a message whose groups have these numbers, where they are others than it says.
    fn held(parts: &Self::Parts, counts: Self::Counts) -> Result<(), WireError>;

    /// `validate_import`.
    fn import(parts: &Self::Parts, counts: Self::Counts) -> Result<(), WireError>;

    /// The message's own rules at import, not those of its parts.
    fn import_alone(parts: &Self::Parts, counts: Self::Counts) -> Result<(), WireError>;
}

/// One of several messages, by a number in the first part.
#[doc(hidden)]
pub trait Told: Message {
    /// The first part.
    type First;

    /// The position of the variant that bytes say.
    fn which(bytes: &[u8]) -> Result<usize, WireError>;

    /// Refuses to write a first part that says another variant than the one at a position.
    fn check(first: &Self::First, which: usize) -> Result<(), WireError>;
}
