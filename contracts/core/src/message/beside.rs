//! File descriptors beside a message: how many each group gets, and what a variant of several messages holds.

use alloc::boxed::Box;
use alloc::vec::Vec;
use std::os::fd::{BorrowedFd, OwnedFd};

use super::{Message, fault, shown};
use crate::crosses::cross;
use crate::json::{JsonShape, JsonType, Members, Plain};
use crate::{Code, Expected, Found, WireError};

/// The one group of a message that takes what the others leave: its position, and the fewest and the most.
#[derive(Clone, Copy)]
pub struct Flexible {
    /// The position.
    pub index: usize,
    /// The fewest.
    pub least: usize,
    /// The most.
    pub most: usize,
}

/// A number of file descriptors that a message says, where there is one; `least` to `most` can be.
#[inline]
pub fn said(
    number: Option<i128>,
    place: (&'static str, &'static str),
    least: u32,
    most: u32,
) -> Result<usize, WireError> {
    match number {
        Some(number) if number >= least.into() && number <= most.into() =>
        {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "compared just before"
            )]
            Ok(number as usize)
        }
        _ => Err(fault(Code::FdCount, place, 0, Expected::Fds { least, most }, shown(number))),
    }
}

/// Gives the flexible group what the others leave of `came`, and refuses another number than the groups take.
///
/// `counts` are the numbers of the exact groups, 0 in the place of the flexible one.
#[inline]
pub fn share<const N: usize>(
    contract: &'static str,
    mut counts: [usize; N],
    flexible: Option<Flexible>,
    came: usize,
) -> Result<[usize; N], WireError> {
    let exact: usize = counts.iter().sum();
    let (least, most) = flexible.map_or((exact, exact), |group| (exact + group.least, exact + group.most));
    if came < least || came > most {
        return Err(fault(Code::FdCount, (contract, ""), 0, fds(least, most), Found::Unsigned(came as u64)));
    }
    if let Some(group) = flexible {
        counts[group.index] = came - exact;
    }
    Ok(counts)
}

/// Refuses groups of other numbers than the message says.
pub fn held<const N: usize>(
    contract: &'static str,
    names: [&'static str; N],
    exact: [usize; N],
    flexible: Option<Flexible>,
    held: [usize; N],
) -> Result<(), WireError> {
    for index in 0..N {
        let (least, most) = match flexible.filter(|group| group.index == index) {
            Some(group) => (group.least, group.most),
            None => (exact[index], exact[index]),
        };
        if held[index] < least || held[index] > most {
            let found = Found::Unsigned(held[index] as u64);
            return Err(fault(Code::FdCount, (contract, names[index]), 0, fds(least, most), found));
        }
    }
    Ok(())
}

#[allow(clippy::cast_possible_truncation, reason = "at most as many as go beside one message")]
fn fds(least: usize, most: usize) -> Expected {
    Expected::Fds { least: least as u32, most: most as u32 }
}

/// The next of the file descriptors that came.
///
/// # Panics
/// When there is none: they were counted.
pub fn next(fds: &mut impl Iterator<Item = OwnedFd>) -> OwnedFd {
    fds.next().expect("as many file descriptors as were counted")
}

/// A tag that no variant has.
#[cold]
pub fn unknown_tag(contract: &'static str, tag: &'static str, found: Option<i128>) -> WireError {
    fault(Code::UnknownTag, (contract, tag), 0, Expected::TagOf(contract), shown(found))
}

/// Refuses a header that says another variant than holds it: `own` is the number of the variant.
#[inline]
pub fn check_tag(
    contract: &'static str,
    tag: &'static str,
    own: u64,
    found: Option<i128>,
) -> Result<(), WireError> {
    if found == Some(own.into()) {
        return Ok(());
    }
    Err(fault(Code::UnknownTag, (contract, tag), 0, Expected::Exactly(own), shown(found)))
}

/// Refuses a header in the open variant that says another one: `known` are the numbers of the others.
pub fn check_open(
    contract: &'static str,
    tag: &'static str,
    known: &[u64],
    found: Option<i128>,
) -> Result<(), WireError> {
    let is_known = |number: i128| known.iter().any(|&known| i128::from(known) == number);
    match found {
        Some(number) if !is_known(number) => Ok(()),
        _ => {
            let expected = Expected::Words("a tag that no variant has");
            Err(fault(Code::UnknownTag, (contract, tag), 0, expected, shown(found)))
        }
    }
}

/// A message whose bytes are one part: what a variant of a union of documents is read and written by.
#[doc(hidden)]
pub trait Document: Message {
    /// The part.
    type Part;

    /// The message of a part and of what came beside it.
    fn of(part: Self::Part, fds: Vec<OwnedFd>) -> Result<Self, WireError>;

    /// The part.
    fn part(&self) -> &Self::Part;

    /// How many file descriptors it has.
    fn count(&self) -> usize;

    /// Its own rules at import, not those of the part.
    fn import(&self) -> Result<(), WireError>;

    /// What goes beside it, once all is as the part says.
    fn fds(&self) -> Result<Vec<BorrowedFd<'_>>, WireError>;
}

/// What a variant of several messages holds, as what it crosses: a message, or what nothing comes beside.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{T}` is no message",
    label = "neither a message nor a document",
    note = "a variant holds a struct `#[wire(message)]` whose one part is what the union's variant holds, or, where no file descriptors come with it, that recipe itself"
)]
pub trait Beside<T> {
    /// What it looks like.
    const SHAPE: JsonShape;
    /// Whether it is of a tag that no variant of the union has.
    const IS_UNKNOWN: bool = false;
    /// The most file descriptors.
    const MOST: usize;
    /// The document.
    type Part;

    /// The value of a document and of what came beside it; `contract` are the messages of which it is one.
    fn of(part: Self::Part, fds: Vec<OwnedFd>, contract: &'static str) -> Result<T, WireError>;

    /// The document.
    fn part(value: &T) -> &Self::Part;

    /// What goes beside it; `contract` are the messages of which it is one.
    fn fds<'a>(value: &'a T, contract: &'static str) -> Result<Vec<BorrowedFd<'a>>, WireError>;

    /// The message's own rules at import, not those of the document.
    fn import(value: &T) -> Result<(), WireError>;

    /// How many file descriptors it has.
    fn count(value: &T) -> usize;
}

impl<T: Document> Beside<T> for cross::Message {
    const SHAPE: JsonShape = JsonShape::message::<T>();
    const MOST: usize = T::MAX_FDS;
    type Part = T::Part;

    fn of(part: T::Part, fds: Vec<OwnedFd>, _: &'static str) -> Result<T, WireError> {
        T::of(part, fds)
    }

    fn part(value: &T) -> &T::Part {
        value.part()
    }

    fn fds<'a>(value: &'a T, _: &'static str) -> Result<Vec<BorrowedFd<'a>>, WireError> {
        value.fds()
    }

    fn import(value: &T) -> Result<(), WireError> {
        value.import()
    }

    fn count(value: &T) -> usize {
        value.count()
    }
}

macro_rules! alone {
    ($([$($bound:tt)*] $as:ident)*) => { $(
        impl<T: $($bound)*> Beside<T> for cross::$as {
            const SHAPE: JsonShape = <T as JsonType<Plain>>::SHAPE;
            const MOST: usize = 0;
            type Part = T;

            fn of(part: T, fds: Vec<OwnedFd>, contract: &'static str) -> Result<T, WireError> {
                none(fds.len(), contract)?;
                Ok(part)
            }

            fn part(value: &T) -> &T {
                value
            }

            fn fds<'a>(_: &'a T, _: &'static str) -> Result<Vec<BorrowedFd<'a>>, WireError> {
                Ok(Vec::new())
            }

            fn import(_: &T) -> Result<(), WireError> {
                Ok(())
            }

            fn count(_: &T) -> usize {
                0
            }
        }
    )* };
}

// What a union's variant holds is taken as it is; of the names for what crosses, those that JSON has.
alone! {
    [Members + JsonType<Plain>] Document
    [JsonType<Plain>] Memory
    [JsonType<Plain>] Bool
    [JsonType<Plain>] Number
    [JsonType<Plain>] FlagSet
    [JsonType<Plain>] Plain
}

/// Refuses file descriptors beside what takes none.
pub fn none(came: usize, contract: &'static str) -> Result<(), WireError> {
    share(contract, [], None, came).map(|[]| ())
}

/// Whether a variant holds what its declaration says that it keeps.
#[track_caller]
pub const fn check_kept(is_unknown: bool, is_open: bool) {
    assert!(
        !is_open || is_unknown,
        "the open variant keeps the tag, what came with it and the file descriptors beside it: write \
         `wirecontract::UnknownMessage`"
    );
    assert!(
        is_open || !is_unknown,
        "only the open variant keeps messages of unknown tags: write `#[wire(open)]`"
    );
}

/// What a union is put together of again, in order to be written or checked: a copy.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`",
    label = "the union is written from a copy of it",
    note = "derive `Clone` for `{Self}`"
)]
pub trait Copied {
    /// A copy.
    fn copied(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Copied for T {
    fn copied(&self) -> T {
        self.clone()
    }
}

/// What a variant of a union holds, boxed or not.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the union's variant holds `{Self}`, and the message is of `{T}`",
    label = "another document than that of the union's variant of this name"
)]
pub trait Hold<T> {
    /// What is held.
    fn held(self) -> T;
    /// Holds it.
    fn hold(value: T) -> Self;
}

impl<T> Hold<T> for T {
    fn held(self) -> T {
        self
    }

    fn hold(value: T) -> T {
        value
    }
}

impl<T> Hold<T> for Box<T> {
    fn held(self) -> T {
        *self
    }

    fn hold(value: T) -> Box<T> {
        Box::new(value)
    }
}
