//! Messages: bytes, and the file descriptors beside them.
//!
//! A message is its parts, one behind the other, then a tail or none; beside it come file descriptors in groups, whose
//! numbers the parts say. What the expansions call to read and write these stands in [`part`], [`tail`] and [`beside`], and
//! in [`body`] what they ask of a union whose variants are messages; `apart` is for what owns file descriptors by their
//! numbers.

mod apart;
pub mod beside;
pub mod body;
pub mod part;
pub mod tail;
mod unknown;

#[doc(hidden)]
pub use alloc::boxed::Box;
#[doc(hidden)]
pub use alloc::vec::Vec;
#[doc(hidden)]
pub use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub use apart::{Apart, Told};
pub use beside::{Beside, Document, Hold};
pub use part::{Carried, HasFirst};
pub use unknown::UnknownMessage;

use crate::{Code, Contract, Expected, Found, WireContract, WireError};

/// The most file descriptors that one message takes with it: Linux passes no more at once.
#[doc(hidden)]
pub const MOST_FDS: usize = 253;

/// Bytes, and the file descriptors beside them: what crosses a socket. Implemented by `#[derive(WireContract)]` of
/// `#[wire(message)]`.
///
/// ```
/// use std::os::fd::{AsFd, OwnedFd};
///
/// use wirecontract::{Message, WireContract};
///
/// /// What is in the memory.
/// #[derive(WireContract, Clone, Debug, PartialEq)]
/// #[wire(recipe)]
/// pub struct Frame {
///     pub plane_bytes: Vec<u64>,
///     pub has_fence: bool,
/// }
///
/// /// A frame with its memory.
/// #[derive(WireContract, Debug)]
/// #[wire(message, rule(planes: fds(planes) == len(frame.plane_bytes)))]
/// pub struct FrameMessage {
///     pub frame: Frame,
///     /// One for each plane.
///     #[wire(fds(1..=4))]
///     pub planes: Vec<OwnedFd>,
///     /// Readable once the frame is finished.
///     #[wire(fd, present_if(frame.has_fence))]
///     pub fence: Option<OwnedFd>,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fd = || std::fs::File::open("/dev/null").map(OwnedFd::from);
/// let message = FrameMessage {
///     frame: Frame { plane_bytes: vec![64], has_fence: true },
///     planes: vec![fd()?],
///     fence: Some(fd()?),
/// };
/// let (bytes, fds) = message.to_message()?;
/// assert_eq!((bytes.as_slice(), fds.len()), (br#"{"plane_bytes":[64],"has_fence":true}"#.as_slice(), 2));
///
/// let error = FrameMessage::from_message(&bytes, vec![fd()?]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "FrameMessage at byte 0: fd_count: expected 2 to 5 file descriptors, found 1"
/// );
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    label = "not bytes with file descriptors beside them",
    note = "declare a struct `#[wire(message)]`, whose first part is `{Self}`"
)]
pub trait Message: Contract + Sized {
    /// The longest message, in bytes; of several the longest of all. Which of several it is, is read before its length is
    /// held against that of its own declaration: what is too long and begins wrongly, or with an unknown tag, is refused
    /// for that and not as `too_large`.
    const MAX_BYTES: usize;

    /// The most file descriptors beside one.
    const MAX_FDS: usize;

    /// Reads a message that came with these file descriptors, in the order in which they came. All are closed when it is
    /// refused.
    fn from_message(bytes: &[u8], fds: Vec<OwnedFd>) -> Result<Self, WireError>;

    /// The message in bytes, and what goes beside it, in order. Refused as reading would refuse it.
    fn to_message(&self) -> Result<(Vec<u8>, Vec<BorrowedFd<'_>>), WireError>;

    /// Checks what an importer must know before it uses what the message describes: what each part declares at import,
    /// in order, a document's with the number of file descriptors; then of each element of the tail, in order; then the
    /// message's own rules at import.
    ///
    /// The message is one that was read, or that can be written: nothing else of it is looked at.
    fn validate_import(&self) -> Result<(), WireError>;
}

/// The first part of a message, which has its tag.
#[inline]
pub fn first<T: WireContract>(bytes: &[u8]) -> Result<T, WireError> {
    Ok(T::read_prefix(bytes)?.0)
}

/// The largest of several numbers; 0 of none.
pub const fn largest(all: &[usize]) -> usize {
    let (mut largest, mut index) = (0, 0);
    while index < all.len() {
        if all[index] > largest {
            largest = all[index];
        }
        index += 1;
    }
    largest
}

/// A refusal of a message, or of one of its fields.
#[cold]
fn fault(
    code: Code,
    (contract, field): (&'static str, &'static str),
    offset: usize,
    expected: Expected,
    found: Found,
) -> WireError {
    WireError { code, contract, field, offset, expected, found }
}

/// A number as errors show it.
fn shown(number: Option<i128>) -> Found {
    let signed = |number| i64::try_from(number).map_or(Found::Nothing, Found::Signed);
    number.map_or(Found::Nothing, |number| {
        u64::try_from(number).map_or_else(|_| signed(number), Found::Unsigned)
    })
}

/// The fault of something that stands behind so many bytes of the message.
#[cold]
fn behind(mut error: WireError, bytes: usize) -> WireError {
    error.offset += bytes;
    error
}
