//! The smallest ELF files that hold notes, and symbols.

/// Bytes of a 64-bit ELF header.
const HEADER: u16 = 64;
/// Bytes of a 64-bit program header.
const SEGMENT: u16 = 56;
/// Bytes of a 64-bit section header.
const SECTION: u16 = 64;
/// Bytes of a 64-bit symbol.
const SYMBOL: usize = 24;

/// A name, and the number that stands where it points.
pub type Symbol = (String, u64);

/// A 64-bit ELF file without sections whose one segment is these notes: as a stripped library has them.
pub fn elf(notes: &[u8], big: bool) -> Vec<u8> {
    let order = Order { big };
    let start = usize::from(HEADER + SEGMENT);
    let mut file = order.header(1, 0, 0);
    file.extend(order.segment(PT_NOTE, start, notes.len()));
    file.extend(notes);
    file
}

/// A 64-bit shared library with these notes and dynamic symbols.
///
/// # Panics
/// When it would be larger than a 32-bit number says.
pub fn shared(notes: &[u8], symbols: &[Symbol], big: bool) -> Vec<u8> {
    let order = Order { big };
    let start = usize::from(HEADER + 2 * SEGMENT);
    let data = (start + notes.len()).next_multiple_of(8);
    let table = data + 8 * symbols.len();
    let strings = table + SYMBOL * (symbols.len() + 1);

    // A file begins both with nothing.
    let (mut entries, mut names) = (vec![0; SYMBOL], vec![0]);
    let mut numbers = Vec::new();
    for (index, (name, number)) in symbols.iter().enumerate() {
        entries.extend(order.word(u32::try_from(names.len()).expect("names are short")));
        // A global object of the first section.
        entries.extend([0x11, 0]);
        entries.extend(order.half(1));
        entries.extend([data + 8 * index, 8].map(|it| order.long(it)).concat());
        names.extend([name.as_bytes(), &[0]].concat());
        numbers.extend(order.number(*number));
    }
    let sections = (strings + names.len()).next_multiple_of(8);

    let mut file = order.header(2, sections, 3);
    file.extend(order.segment(PT_LOAD, 0, sections));
    file.extend(order.segment(PT_NOTE, start, notes.len()));
    file.extend(notes);
    file.resize(data, 0);
    file.extend([numbers, entries, names].concat());
    file.resize(sections + usize::from(SECTION), 0);
    file.extend(order.section(SHT_DYNSYM, table, strings - table));
    file.extend(order.section(SHT_STRTAB, strings, sections - strings));
    file
}

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const SHT_STRTAB: u32 = 3;
const SHT_DYNSYM: u32 = 11;

/// The byte order of a machine.
#[derive(Clone, Copy)]
struct Order {
    big: bool,
}

impl Order {
    fn half(self, number: u16) -> [u8; 2] {
        if self.big { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    fn word(self, number: u32) -> [u8; 4] {
        if self.big { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    fn number(self, number: u64) -> [u8; 8] {
        if self.big { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    fn long(self, number: usize) -> [u8; 8] {
        self.number(number as u64)
    }

    /// Program headers follow it; section headers are where it says, names of sections in the last of them.
    fn header(self, segments: u16, sections: usize, count: u16) -> Vec<u8> {
        let mut file = b"\x7fELF\x02".to_vec();
        file.extend([if self.big { 2 } else { 1 }, 1]);
        file.resize(16, 0);
        // A shared library for s390 or x86-64.
        file.extend([self.half(3), self.half(if self.big { 22 } else { 62 })].concat());
        file.extend(self.word(1));
        // Entry point, program headers, section headers.
        file.extend([0, HEADER.into(), sections].map(|it| self.long(it)).concat());
        file.extend(self.word(0));
        let section = if count == 0 { 0 } else { SECTION };
        let counts = [HEADER, SEGMENT, segments, section, count, count.saturating_sub(1)];
        file.extend(counts.map(|it| self.half(it)).concat());
        file
    }

    /// Readable, and loaded to where it stands in the file.
    fn segment(self, kind: u32, start: usize, length: usize) -> Vec<u8> {
        let places = [start, start, start, length, length, 4].map(|it| self.long(it)).concat();
        [[kind, 4].map(|it| self.word(it)).concat(), places].concat()
    }

    /// Its names, if it has any, are in the section behind it.
    fn section(self, kind: u32, start: usize, length: usize) -> Vec<u8> {
        let (link, entry) = if kind == SHT_DYNSYM { (2, SYMBOL) } else { (0, 0) };
        let places = [0, start, start, length].map(|it| self.long(it)).concat();
        let links = [link, 1].map(|it| self.word(it)).concat();
        [
            [0, kind].map(|it| self.word(it)).concat(),
            places,
            links,
            [8, entry].map(|it| self.long(it)).concat(),
        ]
        .concat()
    }
}
