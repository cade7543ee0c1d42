//! How much is written of a descriptor: all of what is small, and so much of the rest that a file stays one that can be
//! read. A case of a few bytes is a line; one of a megabyte is for nobody, and a nest that doubles has them soon.

use super::refusals::Refusal;
use super::samples::Sample;

/// Descriptors up to this size have all their cases, however many there are of them.
const SMALL: usize = 256;
/// Those up to this size have all their cases while the file has room, and then some.
const MEDIUM: usize = 4 << 10;
/// Those up to this size have some cases while the file has room, and then none, as larger ones.
const LARGE: usize = 64 << 10;
/// Room of a file: the sizes of the descriptors beyond small ones whose cases are in it, each times its samples.
const ROOM: usize = 512 << 10;
/// Bytes that are read to refuse one descriptor over and over: a number of refusals times the size.
const REFUSED: usize = 4 << 20;

/// Which cases of a descriptor are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Everything,
    /// Two samples, and refusals.
    Some,
    Nothing,
}

/// What is left of a file's room.
pub(super) struct Limits {
    room: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { room: ROOM }
    }
}

impl Limits {
    /// How much of a descriptor of that size is written next.
    pub(super) fn take(&mut self, size: usize) -> Amount {
        if size <= SMALL {
            return Amount::Everything;
        }
        for (most, amount) in [(MEDIUM, Amount::Everything), (LARGE, Amount::Some)] {
            let cost = size.saturating_mul(amount.samples().len());
            if size <= most && cost <= self.room {
                self.room -= cost;
                return amount;
            }
        }
        Amount::Nothing
    }
}

impl Amount {
    pub(super) fn samples(self) -> &'static [Sample] {
        match self {
            Amount::Everything => &Sample::ALL,
            Amount::Some => &[Sample::Minimum, Sample::Places],
            Amount::Nothing => &[],
        }
    }
}

/// As many refusals of a descriptor of that size as are worth reading it for, from all over it.
pub(super) fn some_of(refusals: Vec<Refusal>, size: usize) -> Vec<Refusal> {
    let step = refusals.len().div_ceil((REFUSED / size.max(1)).max(1)).max(1);
    refusals.into_iter().step_by(step).collect()
}
