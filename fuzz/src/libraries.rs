//! Libraries and the records in them: damaged or made up, they are refused and nothing else happens.

use wirecontract_codegen::catalog::encode::{Lines, Target, Word};
use wirecontract_codegen::catalog::{read_bytes, resolve};

use crate::{container, locks};

/// Any file that claims to hold compiled code.
pub fn library(bytes: &[u8]) {
    if let Ok(library) = read_bytes(bytes) {
        // Errors are answers too.
        if let Ok(catalog) = resolve(&library.records) {
            locks::forms(&catalog);
        }
    }
}

/// A record whose ids are right, whatever it says: with ids that are checked first, changed bytes alone would
/// never reach what reads the text.
pub fn record(bytes: &[u8]) {
    let input = RecordInput::from_bytes(bytes);
    let encoded = input.lines.encode(&input.words, input.target);
    library(&container::elf(&encoded.bytes, input.target.big));
}

/// What the fuzzer of records makes of its bytes: a flag byte, a count of words, the words in five bytes each, and
/// five lines of text.
#[derive(Debug)]
pub struct RecordInput {
    /// The machine.
    pub target: Target,
    /// The numbers.
    pub words: Vec<Word>,
    /// The text.
    pub lines: Lines,
}

impl RecordInput {
    /// Reads any bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (flags, rest) = bytes.split_first().map_or((0, bytes), |(first, rest)| (*first, rest));
        let (count, rest) = rest.split_first().map_or((0, rest), |(first, rest)| (usize::from(*first), rest));
        let (words, text) = rest.split_at((count * 5).min(rest.len()));
        let words = words.as_chunks::<5>().0.iter();
        let text = String::from_utf8_lossy(text);
        let mut lines = text.splitn(5, '\n').map(str::to_owned);
        let mut line = || lines.next().unwrap_or_default();
        Self {
            target: Target {
                big: flags & 1 != 0,
                pointer: if flags & 2 == 0 { 8 } else { 4 },
                ids_only: flags & 4 != 0,
            },
            words: words
                .map(|&[a, b, c, d, kind]| (u32::from_le_bytes([a, b, c, d]), kind & 1 != 0))
                .collect(),
            lines: Lines { wire: line(), source: line(), module: line(), position: line(), file: line() },
        }
    }

    /// The bytes that are read as this.
    ///
    /// # Panics
    /// When there are more than 255 words.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Target { big, pointer, ids_only } = self.target;
        let count = u8::try_from(self.words.len()).expect("a seed has few words");
        let mut bytes = vec![u8::from(big) | u8::from(pointer == 4) << 1 | u8::from(ids_only) << 2, count];
        for (word, source) in &self.words {
            bytes.extend(word.to_le_bytes());
            bytes.push(u8::from(*source));
        }
        let Lines { wire, source, module, position, file } = &self.lines;
        bytes.extend([&**wire, source, module, position, file].join("\n").bytes());
        bytes
    }
}
