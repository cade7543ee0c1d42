//! The smallest ELF file that holds notes.

/// Bytes of a 64-bit ELF header.
const HEADER: u16 = 64;
/// Bytes of a 64-bit program header.
const SEGMENT: u16 = 56;

/// A 64-bit ELF file without sections whose one segment is these notes: as a stripped library has them.
pub fn elf(notes: &[u8], big: bool) -> Vec<u8> {
    let half = |number: u16| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let word = |number: u32| if big { number.to_be_bytes() } else { number.to_le_bytes() };
    let long = |number: usize| {
        let number = number as u64;
        if big { number.to_be_bytes() } else { number.to_le_bytes() }
    };
    let start = usize::from(HEADER + SEGMENT);
    let mut file = b"\x7fELF\x02".to_vec();
    file.extend([if big { 2 } else { 1 }, 1]);
    file.resize(16, 0);
    // A shared library for s390 or x86-64.
    file.extend([half(3), half(if big { 22 } else { 62 })].concat());
    file.extend(word(1));
    // Entry point, program headers, section headers.
    file.extend([long(0), long(HEADER.into()), long(0)].concat());
    file.extend(word(0));
    file.extend([HEADER, SEGMENT, 1, 0, 0, 0].map(half).concat());
    // PT_NOTE, readable.
    file.extend([word(4), word(4)].concat());
    file.extend([start, start, start, notes.len(), notes.len(), 4].map(long).concat());
    file.extend(notes);
    file
}
