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
//! descriptor are its size, its alignment, and for each field its offset, its type word, its dimensions, and the
//! wire id and source id (low word first) of a contract it holds. Enumerations and flags have none.
//!
//! The wire id is FNV-1a 64 over the first line and the words without source ids, each word in LEB128; the source id
//! over the first line, a newline, the second line, the module path, and all words.

/// The first bytes of the record proper.
pub const MAGIC: [u8; 8] = *b"\x89wirec\r\n";

/// The version of the record's format.
pub const FORMAT: u32 = 1;

/// The name of the ELF note.
pub const NOTE_NAME: [u8; 16] = *b"WireContract\0\0\0\0";
