//! The words of an abi struct's record; the format is described in [`crate::record`].

use super::layout::AbiFields;
use super::shape::{AbiShape, code};
use crate::record::{fold, fold_word, halves};

/// Where an FNV-1a 64 hash starts.
pub(super) const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// What a pointer to an abi struct knows it by: the hash of its path in Rust.
pub const fn abi_key(module: &str, name: &str) -> u64 {
    fold(fold(fold(FNV_BASIS, module.as_bytes()), b"::"), name.as_bytes())
}

/// How many words an abi struct's record has.
pub const fn abi_words_length<const N: usize>(fields: &AbiFields<N>) -> usize {
    let mut length = 8;
    let mut index = 0;
    while index < N {
        length += 4 + words_of(&fields.shapes[index]);
        index += 1;
    }
    length
}

/// How many words a type has.
pub(crate) const fn words_of(shape: &AbiShape) -> usize {
    let mut length = 1 + match shape.code {
        code::FUNCTION | code::ARRAY => 1,
        code::ENUMERATION | code::FLAGS | code::STRUCT | code::POINTED => 4,
        _ => 0,
    };
    let mut index = 0;
    while index < shape.items.len() {
        length += words_of(shape.items[index]);
        index += 1;
    }
    length
}

/// The words of an abi struct's record.
///
/// # Panics
/// When `W` is not [`abi_words_length`].
pub const fn abi_words<const N: usize, const W: usize>(fields: &AbiFields<N>) -> [u32; W] {
    let mut sink = Sink::new(0);
    sink.fields(fields);
    sink.words()
}

/// The wire id of an abi struct: its text as the macro hashed it, then the words, without source ids and without the
/// keys of what is pointed at.
pub const fn abi_wire_id<const N: usize>(hash: u64, fields: &AbiFields<N>) -> u64 {
    let mut sink = Sink::<0>::new(hash);
    sink.fields(fields);
    sink.hash()
}

/// Words as they are written, as many as there is room for, and the hash of those that the wire id covers.
pub(crate) struct Sink<const W: usize> {
    words: [u32; W],
    next: usize,
    hash: u64,
}

impl<const W: usize> Sink<W> {
    /// No words yet, behind a text of which this is the hash.
    pub(crate) const fn new(hash: u64) -> Sink<W> {
        Sink { words: [0; W], next: 0, hash }
    }

    /// The words.
    ///
    /// # Panics
    /// When there are not as many as there is room for.
    pub(crate) const fn words(self) -> [u32; W] {
        assert!(self.next == W, "a record has another number of words than it says");
        self.words
    }

    /// The hash.
    pub(crate) const fn hash(self) -> u64 {
        self.hash
    }

    const fn fields<const N: usize>(&mut self, fields: &AbiFields<N>) {
        let mut model = 0;
        while model < 4 {
            self.word(fields.sizes[model]);
            self.word(fields.aligns[model]);
            model += 1;
        }
        let mut index = 0;
        while index < N {
            let mut model = 0;
            while model < 4 {
                self.word(fields.offsets[index][model]);
                model += 1;
            }
            self.shape(&fields.shapes[index]);
            index += 1;
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "a function has at most 16 parameters")]
    pub(crate) const fn shape(&mut self, shape: &AbiShape) {
        self.word(
            shape.code as u32
                | (shape.is_const as u32) << 8
                | (shape.is_open as u32) << 12
                | (shape.holds() as u32) << 13
                | (shape.is_named as u32) << 14,
        );
        match shape.code {
            code::FUNCTION => self.word(shape.items.len() as u32 - 1),
            code::ARRAY => self.word(shape.length),
            code::ENUMERATION | code::FLAGS | code::STRUCT | code::POINTED => self.ids(shape.ids),
            _ => {}
        }
        let mut index = 0;
        while index < shape.items.len() {
            self.shape(shape.items[index]);
            index += 1;
        }
    }

    /// Two ids, of which the wire id covers the first.
    pub(crate) const fn ids(&mut self, [covered, other]: [u64; 2]) {
        let [low, high] = halves(covered);
        self.word(low);
        self.word(high);
        let [low, high] = halves(other);
        self.unhashed(low);
        self.unhashed(high);
    }

    /// A word that the wire id covers.
    pub(crate) const fn word(&mut self, word: u32) {
        self.hash = fold_word(self.hash, word);
        self.unhashed(word);
    }

    const fn unhashed(&mut self, word: u32) {
        if self.next < W {
            self.words[self.next] = word;
        }
        self.next += 1;
    }
}
