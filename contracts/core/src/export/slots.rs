//! Slots that are found without a lock and never move, and the bookkeeping of which are vacant.

use std::boxed::Box;
use std::sync::OnceLock;
use std::vec::Vec;

use super::handle::CAPACITY;

/// Slots of the first chunk, and of the second; each further chunk is as large as all before it.
const FIRST: u32 = 64;
const CHUNKS: usize = (CAPACITY / FIRST).ilog2() as usize + 1;

/// Up to [`CAPACITY`] slots, in chunks that are made when they are needed and never freed: a static holds them, and who
/// has found a slot may keep the reference.
pub(super) struct Slots<S> {
    chunks: [OnceLock<Box<[S]>>; CHUNKS],
}

impl<S: Default> Slots<S> {
    pub(super) const fn new() -> Self {
        Slots { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    /// The slot of an index, where its chunk was made.
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<&S> {
        let (chunk, offset) = place(index);
        self.chunks.get(chunk)?.get()?.get(offset)
    }

    /// The slot of an index that [`Vacancies`] gave; makes its chunk.
    pub(super) fn make(&self, index: u32) -> &S {
        let (chunk, offset) = place(index);
        &self.chunks[chunk].get_or_init(|| (0..length(chunk)).map(|_| S::default()).collect())[offset]
    }
}

/// How many slots a chunk has.
const fn length(chunk: usize) -> u32 {
    if chunk == 0 { FIRST } else { FIRST << (chunk - 1) }
}

/// The chunk of an index, and where in it the slot is.
#[inline]
const fn place(index: u32) -> (usize, usize) {
    // Twice the number of first chunks before it, and 1 for the first.
    let chunk = ((index / (FIRST / 2)) | 1).ilog2();
    let before = ((1 << chunk) >> 1) * FIRST;
    (chunk as usize, (index - before) as usize)
}

/// Which slots hold nothing: those that were used before, then those that never were.
pub(super) struct Vacancies {
    used: u32,
    vacated: Vec<u32>,
}

impl Vacancies {
    pub(super) const fn new() -> Self {
        Vacancies { used: 0, vacated: Vec::new() }
    }

    /// The index of a vacant slot, which is one no longer; `None` when every slot holds something or is used up.
    pub(super) fn take(&mut self) -> Option<u32> {
        if let Some(index) = self.vacated.pop() {
            return Some(index);
        }
        let index = self.used;
        (index < CAPACITY).then(|| {
            self.used += 1;
            index
        })
    }

    /// Has a slot used again, unless its generations are used up.
    pub(super) fn give(&mut self, index: u32, generation: u32, generations: u32) {
        if generation < generations {
            self.vacated.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own_and_the_chunks_have_no_gaps() {
        let mut indices = 0..CAPACITY;
        for chunk in 0..CHUNKS {
            for offset in 0..length(chunk) as usize {
                assert_eq!(indices.next().map(place), Some((chunk, offset)));
            }
        }
        assert_eq!(indices.next(), None);
    }
}
