//! The record: a contract as data inside every compiled library.
//!
//! Each contract leaves one [`Record`] in a section that linkers keep, so that a shipped binary can be asked what
//! it speaks, without running it. The parts that only the compiler knows (offsets, sizes, ids of nested
//! contracts) are numbers filled in by const evaluation; the rest is text that the macro wrote.
//!
//! # Format
//!
//! All integers are in the target's byte order; [`FORMAT`] read the other way round tells a reader to swap.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | 13, the length of the note's name with its NUL |
//! | 4 | length of the record proper |
//! | 4 | note type 1 |
//! | 16 | `WireContract`, NUL-padded |
//! | 8 | [`MAGIC`]: the record proper starts here |
//! | 4 | [`FORMAT`] |
//! | 4 | the target: pointer bytes, alignment of `u64` << 8, big-endian << 16, ids only << 24 |
//! | 8 | wire id, low word first |
//! | 8 | source id, low word first |
//! | 4 | number of words, W |
//! | 4 | length of the text, T |
//! | 4 W | words |
//! | T | text; then zeros to a multiple of 4 |
//!
//! The text is four lines: a JSON object of all that the wire id covers, one of what the source id covers
//! besides, one of where the declaration stands, and the source file's name as rustc has it. The words of a
//! descriptor are its size, its alignment, of one that grows the defaults (the newest version's bytes behind those of the
//! first, four to a word, the first of them lowest, the rest of the last word zero; what is in native order stands as
//! little-endian), and for each field its offset, its type word, its dimensions, and the
//! wire id and source id (low word first) of a contract it holds. Enumerations and flags have none.
//!
//! The words of a recipe or union are, for each key or variant in declared order, a type: one word of its code, its
//! spelling << 8, whether it is open << 12 and whether it holds a contract << 13; then the length of an array or of
//! bytes that has one; then the ids of a contract it holds; then, of an array or option, the type of what is in it.
//! Codes are those of descriptors and: 23 recipe, 24 union, 30 text, 31 `Vec<u8>` and 32 `[u8; N]` spelled as text,
//! 33 `Vec<T>`, 34 `[T; N]`, 35 map, 36 `Json`, 37 `Option<T>`, 38 nothing, 39 a variant that keeps unknown tags.
//! Spellings: 0 plain, 1 decimal digits in a string, 2 hex, 3 base64, 4 UUID.
//!
//! The words of an abi struct are the size and the alignment of the whole for each data model (LP64, LLP64, 32-bit with
//! `u64` aligned to 4, and to 8); then for each field four offsets, one for each data model, and its type: one word of
//! its code, whether it is a pointer to const << 8, whether it is open << 12, whether two ids of a contract follow << 13,
//! and whether the text has the names of its parameters << 14; then by code
//!
//! | code | type | then |
//! |---|---|---|
//! | 1 to 11 | a scalar, as in descriptors | |
//! | 20, 21 | `Open<E>`, `Flags<E>`, also behind a pointer | wire id and source id of the enumeration |
//! | 50 to 60 | `char`, `signed char`, `unsigned char`, `short`, `unsigned short`, `int`, `unsigned int`, `long`, `unsigned long`, `long long`, `unsigned long long` | |
//! | 61, 62 | `size_t`, `ptrdiff_t` | |
//! | 63 | `void`, behind a pointer or as a result | |
//! | 64 | a pointer | the type behind it |
//! | 65 | a function, or none | the number of parameters, the result's type, each parameter's type |
//! | 66 | an array | its length, the type of an item |
//! | 67 | an abi struct | its wire id and source id |
//! | 68 | an abi struct behind a pointer | FNV-1a 64 of its name as first accepted, and its key: FNV-1a 64 of its path in Rust |
//!
//! The words of a message are, as those of a recipe, the types of its parts, then that of its tail: 33 and its item, which
//! is a descriptor or `u8`, or 30. Those of several messages are, by body, the type of the union; then of each variant its
//! type: 25 a message, 23 or 24 a document that nothing comes beside, 38 of none.
//!
//! The word of a handle is its tag. A library and a list of symbols have none.
//!
//! The words of a function are: whether it is one of an `impl` and whether it is unsafe << 1; the number of its
//! parameters, a receiver among them; the number of its results; of one in an `impl` the wire id and the source id of the
//! handle; then its parameters and its results, each one word of its form, whether there may be none << 8, whether it is
//! changed << 9, whether it is a handle that is taken, or a file descriptor that is given away << 10, and whether two ids of a contract follow << 13; then by form
//!
//! | form | what | then |
//! |---|---|---|
//! | 1 | a value of an abi struct's field | the type, as in abi structs |
//! | 2 | a value of a closed enumeration | wire id and source id |
//! | 3 | a pointer to a value | the type |
//! | 4 | a pointer to values, and their number | the type of one |
//! | 5 | text: ended by NUL as a parameter, to be freed as a result | |
//! | 6 | the bytes of a descriptor | wire id and source id |
//! | 7 | the JSON of a recipe or union | wire id and source id |
//! | 8 | a handle | wire id and source id |
//! | 9 | a function and the context that it is called with | the number of its parameters, each parameter's form |
//! | 10 | bytes to be freed, as a result | |
//! | 11 | the number of a file descriptor, as a result | |
//!
//! 3 and 5 may be none; 3, 4 and 8 are changed; results but 11, and what a callback takes, are none of the three. A callback
//! takes 1 to 5.
//!
//! # Text
//!
//! The first line has the members `kind`, `name`, and
//!
//! | kind | members |
//! |---|---|
//! | descriptor | `layout`, `sizes` (of one that grows, by version), `fields`, `rules` |
//! | enumeration | `repr`, `as` (if `integer`), `case` (if `fold`), `values` |
//! | flags | `repr`, `open`, `as` (if `names`), `values` |
//! | recipe | `deny_unknown`, `max_bytes`, `max_depth`, `fields`, `rules` |
//! | abi | `fields` |
//! | union | `tag`, `content`, `untagged`, `tag_last`, `lenient`, `max_bytes`, `max_depth`, `variants`, `rules` |
//! | handle | `access` (`exclusive` or `shared`), `symbol` (the function that destroys it) |
//! | function | `symbol`, `params`, `outs`, and no `name` |
//! | library | `symbols`: the functions that give its last error and free bytes; its `name` is its prefix |
//! | symbols | `symbols`: further functions that are declared elsewhere |
//! | message | `max_bytes` (of one with a tail), `parts`, `tail`, `fds`, `rules` |
//! | messages | `tag` (the way to a field of the first part; by body none), `variants` |
//!
//! A field of a descriptor that grows has `since`, the version that it came with, where that is not the first.
//!
//! A field of a recipe has `name` (the key), `default`, `skip_default`, `nullable`, `null_when_absent`, `required_if`,
//! `one_of`, `min`, `max`, `max_len`, `max_items`, `flatten`, `lenient`, `not_imported`; a variant has `name` (the tag),
//! `alias`, `absent` (`default` or `no_tag`), `default`, `other`; a rule or condition has `name`, `expr` (its text) and
//! `at` (if `import`). What is not declared is not there. A default is a number, a bool, a list, `{"text": …}`,
//! `{"value": NAME}` or `{"flags": [NAME, …]}`. The name of a variant that has no tag is empty.
//!
//! A part has `name`; a tail `name`, and `count` or `bytes` where it does not go to the end, an expression; a group of file
//! descriptors `name`, `form` (`one`, `optional`, `many`), `least` and `most` of many, and `count` or `present_if`,
//! expressions. One of several messages has `name`, and by tag `value`, or `open`. The second line's `members` are those of
//! the fields or variants, with the declared text of an expression where that is another.
//!
//! A field of an abi struct has `name`, `counted_by` (the field, as first accepted, that says how many items are behind
//! the pointer) and `params`: for each function type in it whose names are known, in the order of the words, a list of
//! the names of its parameters, empty where one has none.
//!
//! A parameter of a function has `name` (as first accepted; of a receiver, `self`), `args` (what a callback takes, by
//! name) and `params` (as a field of an abi struct); `outs` are the names of the results. Beside each function, also one
//! that destroys a handle or is a library's, stands a `u64` under its symbol with `_wire_id` behind it: the wire id of the
//! record that has the symbol. The second line has `prefix` for handles and functions, and `name`, of a function what Rust
//! calls it (`Camera::open`); its `members` are the parameters, with `name` where that is another by now.
//!
//! A contract that says which earlier versions it speaks has them in the second line, `earlier`, behind
//! `version`: `version` and `wire_id` (`0x` and 16 digits) of each, the oldest first.
//!
//! In an `expr`, the contract's own fields have the names (of a recipe: the keys) under which they were first accepted,
//! so that a rename leaves the wire id as it is. Where that differs from the declared text in one of a contract's rules,
//! the second line has `rules`, a list of the declared texts of all; where it does in a condition, the field's object in
//! the second line's `members` has `required_if` or `one_of`, the declared text. Names of values, of variants and of the
//! fields of what is held stand as they are declared.
//!
//! # Ids
//!
//! The wire id is FNV-1a 64 over the first line and the words without source ids and keys, each word in LEB128; the source id
//! over the first line, a newline, the second line, the module path, and all words.

/// The first bytes of the record proper.
pub const MAGIC: [u8; 8] = *b"\x89wirec\r\n";

/// The version of the record's format.
pub const FORMAT: u32 = 1;

/// The name of the ELF note.
pub const NOTE_NAME: [u8; 16] = *b"WireContract\0\0\0\0";

use crate::growth::Growth;
use crate::layout::Layout;

/// Whether records hold ids only: `--cfg wirecontract_record="ids"` keeps names out of shipped binaries.
pub const MODE_IDS_ONLY: bool = cfg!(wirecontract_record = "ids");

const SECTION_TEXT_LIMIT: usize = u32::MAX as usize;

/// One contract as data, framed as an ELF note. The derive makes a `#[used]` static of it.
#[repr(C)]
pub struct Record<const W: usize, const T: usize> {
    name_length: u32,
    length: u32,
    note_type: u32,
    name: [u8; 16],
    magic: [u8; 8],
    format: u32,
    target: u32,
    wire_id: [u32; 2],
    source_id: [u32; 2],
    words_length: u32,
    text_length: u32,
    words: [u32; W],
    text: [u8; T],
}

impl<const W: usize, const T: usize> Record<W, T> {
    /// Puts a record together.
    ///
    /// # Panics
    /// When `text` has another length than `T`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "counts of words and of text that a compiler can hold"
    )]
    pub const fn new(wire_id: u64, source_id: u64, words: [u32; W], text: &str) -> Self {
        assert!(T < SECTION_TEXT_LIMIT);
        let pointer = size_of::<usize>() as u32;
        let mut target = pointer | (align_of::<u64>() as u32) << 8;
        if cfg!(target_endian = "big") {
            target |= 1 << 16;
        }
        if MODE_IDS_ONLY {
            target |= 1 << 24;
        }
        Record {
            name_length: 13,
            length: (40 + 4 * W + T) as u32,
            note_type: 1,
            name: NOTE_NAME,
            magic: MAGIC,
            format: FORMAT,
            target,
            wire_id: halves(wire_id),
            source_id: halves(source_id),
            words_length: W as u32,
            text_length: T as u32,
            words,
            text: match text.as_bytes().first_chunk() {
                Some(text) => *text,
                None => panic!("the text of a record has another length than it says"),
            },
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the two halves of a word")]
pub(crate) const fn halves(id: u64) -> [u32; 2] {
    [id as u32, (id >> 32) as u32]
}

/// The text of a record, or none where only ids are wanted.
pub const fn text(text: &'static str) -> &'static str {
    if MODE_IDS_ONLY { "" } else { text }
}

/// Continues an FNV-1a 64 hash.
pub const fn fold(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}

pub(crate) const fn fold_word(mut hash: u64, mut word: u32) -> u64 {
    while word >= 0x80 {
        hash = (hash ^ (word as u64 & 0x7f | 0x80)).wrapping_mul(0x0000_0100_0000_01b3);
        word >>= 7;
    }
    (hash ^ word as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

/// How many words the record of a descriptor that grows has.
pub const fn grown_words_length<const N: usize>(layout: &Layout<N>, growth: &Growth) -> usize {
    words_length(layout) + growth.tail_words()
}

/// The words of the record of a descriptor that grows: the defaults stand behind size and alignment.
///
/// # Panics
/// When `W` is not [`grown_words_length`], and when a size does not fit in 32 bits.
pub const fn grown_words<const N: usize, const W: usize>(layout: &Layout<N>, growth: &Growth) -> [u32; W] {
    let plain: [u32; W] = words(layout);
    let (tail, first) = (growth.tail_words(), growth.sizes[0]);
    let mut words = [0; W];
    words[0] = plain[0];
    words[1] = plain[1];
    let mut index = first;
    while index < growth.agreed.len() {
        let place = index - first;
        words[2 + place / 4] |= (growth.agreed[index] as u32) << (8 * (place % 4));
        index += 1;
    }
    let mut index = 2;
    while index + tail < W {
        words[index + tail] = plain[index];
        index += 1;
    }
    words
}

/// How many words a descriptor's record has.
pub const fn words_length<const N: usize>(layout: &Layout<N>) -> usize {
    let mut length = 2;
    let mut index = 0;
    while index < N {
        let shape = &layout.shapes[index];
        length += 2 + shape.rank + if shape.wire_id != 0 { 4 } else { 0 };
        index += 1;
    }
    length
}

/// The words of a descriptor's record.
///
/// # Panics
/// When `W` is not [`words_length`], and when a size does not fit in 32 bits.
pub const fn words<const N: usize, const W: usize>(layout: &Layout<N>) -> [u32; W] {
    let mut words = [0; W];
    words[0] = word(layout.size);
    words[1] = word(layout.align);
    let mut next = 2;
    let mut index = 0;
    while index < N {
        let shape = &layout.shapes[index];
        words[next] = word(layout.offsets[index]);
        let holds = shape.wire_id != 0;
        words[next + 1] = shape.code as u32
            | (shape.endian as u32) << 8
            | (shape.open as u32) << 10
            | (holds as u32) << 11
            | (word(shape.rank)) << 12;
        next += 2;
        let mut dimension = 0;
        while dimension < shape.rank {
            words[next] = word(shape.dims[dimension]);
            next += 1;
            dimension += 1;
        }
        if holds {
            let [low, high] = halves(shape.wire_id);
            words[next] = low;
            words[next + 1] = high;
            let [low, high] = halves(shape.source_id);
            words[next + 2] = low;
            words[next + 3] = high;
            next += 4;
        }
        index += 1;
    }
    words
}

#[allow(clippy::cast_possible_truncation, reason = "checked just above")]
const fn word(number: usize) -> u32 {
    assert!(number <= u32::MAX as usize, "a descriptor is smaller than 4 GiB");
    number as u32
}

/// The wire id of a descriptor: its text as the macro hashed it, then the words, nested source ids left out. Those before
/// the fields are `head`.
pub const fn wire_id(mut hash: u64, words: &[u32], head: usize) -> u64 {
    let mut index = 0;
    while index < words.len() && index < head {
        hash = fold_word(hash, words[index]);
        index += 1;
    }
    while index < words.len() {
        let ty = words[index + 1];
        let ids = if ty >> 11 & 1 == 1 { 2 } else { 0 };
        let end = index + 2 + (ty >> 12 & 0xf) as usize + ids;
        while index < end {
            hash = fold_word(hash, words[index]);
            index += 1;
        }
        index += ids;
    }
    hash
}

/// The source id of a contract: its text as the macro hashed it, then the module path, then the words.
pub const fn source_id(hash: u64, module: &str, words: &[u32]) -> u64 {
    let mut hash = fold(hash, module.as_bytes());
    let mut index = 0;
    while index < words.len() {
        hash = fold_word(hash, words[index]);
        index += 1;
    }
    hash
}
