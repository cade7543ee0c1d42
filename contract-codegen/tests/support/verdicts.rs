//! Questions to a driver with the answers that every language must give, worked out from the model by hand.

use wirecontract_codegen::model::{Catalog, Contract, Descriptor, Element, Endian, Field, Role};

use super::dump::{self, Language};

/// A line for the driver, and the lines it answers.
pub struct Question {
    pub line: String,
    pub answer: String,
}

/// Bytes of a descriptor, on a machine of one byte order.
#[derive(Clone)]
pub struct Wire<'a> {
    catalog: &'a Catalog,
    contract: &'a Contract,
    is_big: bool,
    pub bytes: Vec<u8>,
}

impl<'a> Wire<'a> {
    /// All zero, but for magic and versions.
    pub fn new(catalog: &'a Catalog, name: &str, is_big: bool) -> Self {
        let contract = catalog.contracts.iter().find(|contract| contract.name == name).unwrap();
        let descriptor = contract.descriptor();
        let mut wire = Wire { catalog, contract, is_big, bytes: vec![0; descriptor.size as usize] };
        wire.set_constants(descriptor, 0);
        wire
    }

    /// The bytes 1, 2, 3, …, which are no valid value of most contracts.
    pub fn counted(mut self) -> Self {
        for (byte, number) in self.bytes.iter_mut().zip(1_u32..) {
            *byte = u8::try_from(number % 251).unwrap() | 0x80;
        }
        self
    }

    fn set_constants(&mut self, descriptor: &Descriptor, base: usize) {
        for field in &descriptor.fields {
            let at = base + field.offset as usize;
            match (&field.role, field.ty.element) {
                (Role::Magic(magic), _) => self.bytes[at..at + magic.len()].copy_from_slice(magic),
                (Role::Version(version), _) => self.put(field, at, i128::from(*version)),
                (_, Element::Descriptor(id)) => {
                    let nested = self.catalog.get(id).descriptor();
                    for element in 0..field.ty.dims.iter().product() {
                        self.set_constants(nested, at + (element * nested.size) as usize);
                    }
                }
                _ => {}
            }
        }
    }

    fn put(&mut self, field: &Field, at: usize, number: i128) {
        let size = self.catalog.element_size(field.ty.element) as usize;
        let mut bytes = number.to_le_bytes()[..size].to_vec();
        if field.ty.endian == Endian::Big || (field.ty.endian == Endian::Native && self.is_big) {
            bytes.reverse();
        }
        self.bytes[at..at + size].copy_from_slice(&bytes);
    }

    /// The field of a path (`nested[2].plain.code`, indices over all elements) and where its element is.
    fn find(&self, path: &str) -> (&'a Field, usize) {
        let (mut contract, mut at, mut found) = (self.contract, 0, None);
        for step in path.split('.') {
            let (name, index) = step.trim_end_matches(']').split_once('[').unwrap_or((step, "0"));
            let field = contract.descriptor().field(name).unwrap_or_else(|| panic!("no field {name}"));
            at += field.offset as usize
                + index.parse::<usize>().unwrap() * self.catalog.element_size(field.ty.element) as usize;
            if let Element::Descriptor(id) = field.ty.element {
                contract = self.catalog.get(id);
            }
            found = Some(field);
        }
        (found.unwrap(), at)
    }

    /// Where the element of a path is.
    pub fn at(&self, path: &str) -> usize {
        self.find(path).1
    }

    /// The same bytes with a number in one place.
    pub fn with(mut self, path: &str, number: i128) -> Self {
        let (field, at) = self.find(path);
        self.put(field, at, number);
        self
    }

    /// The same bytes with some of them replaced.
    pub fn with_bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        let at = self.at(path);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    fn ask(&self, operation: &str, capacity: usize, bytes: &[u8], answer: &str) -> Question {
        let hex = if bytes.is_empty() { "-".to_owned() } else { hex(bytes) };
        let line = format!("{operation} {} {capacity} {hex}\n", self.contract.name);
        Question { line, answer: format!("{answer}\n") }
    }

    /// Reading is refused. `{path}` in the message is where the element is.
    pub fn refused(&self, message: &str) -> Question {
        self.ask("read", 0, &self.bytes, &self.fill(message))
    }

    /// Reading gives what the model says.
    pub fn accepted(&self, language: Language) -> Question {
        let value = dump::expected(self.catalog, self.contract, language, &self.bytes, self.is_big, "");
        self.ask("read", 0, &self.bytes, &format!("{value}ok"))
    }

    /// Writing the value of these bytes, unchecked, is refused.
    pub fn unwritable(&self, message: &str) -> Question {
        self.ask("write", self.bytes.len(), &self.bytes, &self.fill(message))
    }

    /// Writing the value of these bytes, unchecked, gives others.
    pub fn written_as(&self, written: &Wire<'_>) -> Question {
        self.ask("write", self.bytes.len(), &self.bytes, &format!("ok {}", hex(&written.bytes)))
    }

    fn fill(&self, message: &str) -> String {
        let Some((before, rest)) = message.split_once('{') else { return message.to_owned() };
        let (path, after) = rest.split_once('}').unwrap();
        format!("{before}{}{after}", self.at(path))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Every question about the sink.
pub fn questions(catalog: &Catalog, language: Language, is_big: bool) -> Vec<Question> {
    let new = |name| Wire::new(catalog, name, is_big);
    let mut all = Vec::new();
    all.extend(sizes(&new("All"), language));
    all.extend(reads(&new("All"), language));
    all.extend(texts(&new("All"), language));
    all.extend(writes(&new("All")));
    all.extend(packed(&new("Loose"), language));
    all.extend(floats(&new("All"), language));
    for name in ["NestsPacked", "One", "Constant", "Words", "Many", "Crate", "Plain", "Inner"] {
        let wire = new(name);
        all.push(wire.accepted(language));
        all.push(wire.written_as(&wire));
    }
    all.push(new("Many").counted().accepted(language));
    all.push(new("Many").counted().written_as(&new("Many").counted()));
    all.push(new("One").counted().accepted(language));
    all.push(
        new("NestsPacked")
            .with("crates[1].c", 2)
            .refused("Crate.c at byte {crates[1].c}: unknown_value: expected 0 or 1, found 2"),
    );
    all.push(
        new("NestsPacked")
            .with("crates[1].c", 2)
            .unwritable("Crate.c at byte {crates[1].c}: unknown_value: expected 0 or 1, found 2"),
    );
    all.push(new("Constant").counted().written_as(&new("Constant")));
    if language == Language::C {
        all.extend(only_in_c(&new("All")));
    }
    all
}

fn sizes(wire: &Wire<'_>, language: Language) -> Vec<Question> {
    let size = wire.bytes.len();
    let short = |length| format!("All at byte {length}: too_short: expected {size} bytes, found {length}");
    let bad = wire.clone().counted().bytes;
    let mut longer = wire.bytes.clone();
    longer.push(1);
    let value = dump::expected(wire.catalog, wire.contract, language, &wire.bytes, wire.is_big, "");
    vec![
        wire.ask("read", 0, &[], &short(0)),
        wire.ask("read", 0, &bad[..size - 1], &short(size - 1)),
        wire.ask("prefix", 0, &[], &short(0)),
        wire.ask("prefix", 0, &bad[..size - 1], &short(size - 1)),
        wire.ask("prefix", 0, &longer, &format!("{value}ok")),
        wire.ask("prefix", 0, &wire.bytes, &format!("{value}ok")),
        wire.ask(
            "read",
            0,
            &longer,
            &format!("All at byte {size}: trailing_bytes: expected {size} bytes, found {}", size + 1),
        ),
    ]
}

fn reads(all: &Wire<'_>, language: Language) -> Vec<Question> {
    let with = |path: &str, number| all.clone().with(path, number);
    let mut questions = vec![
        all.accepted(language),
        with("second_magic", 0x81).with("magic", 0).refused("All.second_magic at byte {second_magic}: bad_magic: expected bytes 8000, found bytes 8100"),
        with("magic[17]", 0).with("version", 9).refused(
            "All.magic at byte {magic}: bad_magic: expected bytes 53494e4b3f3f3f3f225c303132333435363f, found bytes 53494e4b3f3f3f3f225c303132333435",
        ),
        with("version", 0).with("second_version", 0).with("flag", 7)
            .refused("All.version at byte {version}: unsupported_version: expected 1 to 3, found 0"),
        with("version", 4).refused("All.version at byte {version}: unsupported_version: expected 1 to 3, found 4"),
        with("version", 1).with("second_version", 255).accepted(language),
        with("second_version", 0).with("flag", 7)
            .refused("All.second_version at byte {second_version}: unsupported_version: expected 1 to 255, found 0"),
        with("flag", 2).with("switches[3]", 2).refused("All.flag at byte {flag}: unknown_value: expected 0 or 1, found 2"),
        with("switches[3]", 255).refused("All.switches at byte {switches[3]}: unknown_value: expected 0 or 1, found 255"),
        with("flag", 1).with("switches[1]", 1).with("switches[2]", 1).accepted(language),
        with("level", 3).refused("All.level at byte {level}: unknown_value: expected a value of Level, found 3"),
        with("level", 2).with("open_level", 200).with("every", 255).accepted(language),
        with("count", 4).with("codes[0]", 1).refused("All.count at byte {count}: length_exceeds: expected at most 3, found 4"),
        with("count", 3).accepted(language),
        with("codes[5]", 299).refused("All.codes at byte {codes[5]}: unknown_value: expected a value of Code, found 299"),
        with("codes[1]", -1).refused("All.codes at byte {codes[1]}: unknown_value: expected a value of Code, found -1"),
        with("codes[1]", -300).with("codes[2]", 300).accepted(language),
        with("items[2].usage", 4).refused("Plain.usage at byte {items[2].usage}: unknown_bits: expected bits within 0x33, found 4"),
        with("items[1].code", 1).refused("Plain.code at byte {items[1].code}: unknown_value: expected a value of Code, found 1"),
        with("items[1].usage", 0x31).with("pairs[7]", 0x1234).with("count", 1).accepted(language),
        with("late[3]", 9).with("late_count", 3).refused("All.late at byte {late[3]}: unknown_value: expected a value of Level, found 9"),
        with("late_count", 3).refused("All.late_count at byte {late_count}: length_exceeds: expected at most 2, found 3"),
        with("wide_count", 1 << 63)
            .refused("All.wide_count at byte {wide_count}: length_exceeds: expected at most 5, found 9223372036854775808"),
        with("wide_count", (1 << 32) + 1)
            .refused("All.wide_count at byte {wide_count}: length_exceeds: expected at most 5, found 4294967297"),
        with("byte_count", 255).with("bytes[254]", 9).with("wide_count", 5).accepted(language),
        with("wides[4]", 1).refused("All.wides at byte {wides[4]}: unknown_value: expected a value of Wide, found 1"),
        with("wides[4]", 0xffff_ffff).with("wides[0]", 8).accepted(language),
        with("zeros[1]", 0x500).refused("All.zeros at byte {zeros}: reserved_not_zero: expected zero, found 5"),
        with("_ignored", 0x1234_5678).accepted(language),
        with("huge", 1).refused("All.huge at byte {huge}: unknown_value: expected a value of Huge, found 1"),
        with("huge", i128::from(i64::MIN) + 1)
            .refused("All.huge at byte {huge}: unknown_value: expected a value of Huge, found -9223372036854775807"),
        with("huge", i128::from(i64::MIN)).with("giant[1]", i128::from(u64::MAX)).accepted(language),
        with("giant[1]", i128::from(u64::MAX) - 1)
            .refused("All.giant at byte {giant[1]}: unknown_value: expected a value of Giant, found 18446744073709551614"),
        with("caps", 0xffff_ffff).with("full_bits", 0xffff).with("usages[0]", 0x33).accepted(language),
        with("usages[3]", 0xff).refused("All.usages at byte {usages[3]}: unknown_bits: expected bits within 0x33, found 255"),
        with("top_bits", 3 << 62)
            .refused("All.top_bits at byte {top_bits}: unknown_bits: expected bits within 0x8000000000000001, found 13835058055282163712"),
        with("top_bits", (1 << 63) + 1).accepted(language),
        with("nested[3].rev", 4).with("nested[3].tag[1]", 0)
            .refused("Inner.tag at byte {nested[3].tag}: bad_magic: expected bytes 493f, found bytes 4900"),
        with("nested[3].rev", 4).refused("Inner.rev at byte {nested[3].rev}: unsupported_version: expected 1 to 3, found 4"),
        with("nested[2].plain.level", 77)
            .refused("Plain.level at byte {nested[2].plain.level}: unknown_value: expected a value of Level, found 77"),
        with("nested[0].rev", 1).with("nested[2].plain.level", 2).accepted(language),
    ];
    let mut numbers = all.clone();
    for (index, value) in (0..8).zip([0x1122, 0x3344, 0x5566, 0x7788, 0x99aa, 0xbbcc, 0xddee, 0xff00]) {
        numbers = numbers.with(&format!("deep[{index}]"), value);
    }
    questions.push(numbers.accepted(language));
    questions.push(numbers.written_as(&numbers));
    questions
}

fn texts(all: &Wire<'_>, language: Language) -> Vec<Question> {
    let refused = "All.label at byte {label}: bad_text: expected UTF-8 text ended by NUL";
    let good: [&[u8]; 9] = [
        b"\0\0\0\0\0\0\0\0",
        b"seven b\0",
        "\u{e9}\0".as_bytes(),
        "\u{80}\u{7ff}\0".as_bytes(),
        "\u{800}\u{ffff}\0".as_bytes(),
        "\u{d7ff}\u{e000}\0".as_bytes(),
        "\u{10000}\0".as_bytes(),
        "\u{10ffff}\0".as_bytes(),
        b"\x7f\0",
    ];
    let bad: [&[u8]; 19] = [
        b"12345678",
        b"a\0b\0\0\0\0\0",
        b"\0\0\0\0\0\0\0\x01",
        b"\x80\0",
        b"\xc0\x80\0",
        b"\xc1\xbf\0",
        b"\xc3\0",
        b"\xc3\x28\0",
        b"\xe0\x9f\xbf\0",
        b"\xe2\x82\0",
        b"\xe2\x28\xa1\0",
        b"\xe2\x82\x28\0",
        b"\xed\xa0\x80\0",
        b"\xed\xbf\xbf\0",
        b"\xf0\x8f\xbf\xbf\0",
        b"\xf0\x90\x80\x28\0",
        b"\xf4\x90\x80\x80\0",
        b"\xf5\x80\x80\x80\0",
        b"12345\xf0\x90\x80",
    ];
    let mut questions = Vec::new();
    for text in good {
        let wire = all.clone().with_bytes("label", text);
        questions.extend([wire.accepted(language), wire.written_as(&wire)]);
    }
    for text in bad {
        let wire = all.clone().with_bytes("label", text);
        questions.extend([wire.refused(refused), wire.unwritable(refused)]);
    }
    questions
}

fn writes(all: &Wire<'_>) -> Vec<Question> {
    let with = |path: &str, number| all.clone().with(path, number);
    let constants = with("magic", 0).with("second_magic", 0).with("version", 0).with("second_version", 0);
    let reserved = with("zeros[1]", 5).with("_ignored", 5).with("pad_[5]", 5).with("_pad89[2]", 5);
    let tails = with("count", 1)
        .with("items[1].level", 99)
        .with("items[2].usage", 99)
        .with("pairs[2]", 1)
        .with("pairs[7]", 1)
        .with("wide_count", 4)
        .with("wides[4]", 1)
        .with("wides[3]", 2)
        .with("byte_count", 254)
        .with("bytes[254]", 1)
        .with("bytes[253]", 2)
        .with("late_count", 1)
        .with("late[2]", 9)
        .with("late[1]", 1);
    let settled = with("count", 1)
        .with("wide_count", 4)
        .with("wides[3]", 2)
        .with("byte_count", 254)
        .with("bytes[253]", 2)
        .with("late_count", 1)
        .with("late[1]", 1);
    let full = with("count", 3)
        .with("items[2].level", 2)
        .with("pairs[5]", 7)
        .with("byte_count", 255)
        .with("bytes[254]", 2)
        .with("late_count", 2)
        .with("late[3]", 2)
        .with("wide_count", 5)
        .with("wides[4]", 8);
    let nested = with("nested[1].rev", 9).with("nested[1].tag", 9);
    vec![
        all.written_as(all),
        constants.written_as(all),
        reserved.written_as(all),
        tails.written_as(&settled),
        full.written_as(&full),
        nested.written_as(all),
        with("flag", 2).unwritable("All.flag at byte {flag}: unknown_value: expected 0 or 1, found 2"),
        with("switches[2]", 9)
            .unwritable("All.switches at byte {switches[2]}: unknown_value: expected 0 or 1, found 9"),
        with("level", 3)
            .with("count", 9)
            .unwritable("All.level at byte {level}: unknown_value: expected a value of Level, found 3"),
        with("count", 4)
            .with("items[0].level", 9)
            .unwritable("All.count at byte {count}: length_exceeds: expected at most 3, found 4"),
        with("count", 1).with("items[0].level", 9).unwritable(
            "Plain.level at byte {items[0].level}: unknown_value: expected a value of Level, found 9",
        ),
        with("late_count", 1)
            .with("late[1]", 9)
            .unwritable("All.late at byte {late[1]}: unknown_value: expected a value of Level, found 9"),
        with("late_count", 0xffff_ffff).unwritable(
            "All.late_count at byte {late_count}: length_exceeds: expected at most 2, found 4294967295",
        ),
        with("late_count", 9)
            .with("late[3]", 7)
            .unwritable("All.late at byte {late[3]}: unknown_value: expected a value of Level, found 7"),
        with("wide_count", 1 << 32).unwritable(
            "All.wide_count at byte {wide_count}: length_exceeds: expected at most 5, found 4294967296",
        ),
        with("codes[4]", 5)
            .unwritable("All.codes at byte {codes[4]}: unknown_value: expected a value of Code, found 5"),
        with("usages[1]", 0x40)
            .unwritable("All.usages at byte {usages[1]}: unknown_bits: expected bits within 0x33, found 64"),
        with("nested[2].plain.code", 5).unwritable(
            "Plain.code at byte {nested[2].plain.code}: unknown_value: expected a value of Code, found 5",
        ),
        with("caps", 0x7fff_0000)
            .with("open_level", 7)
            .written_as(&with("caps", 0x7fff_0000).with("open_level", 7)),
    ]
}

fn packed(loose: &Wire<'_>, language: Language) -> Vec<Question> {
    let with = |path: &str, number| loose.clone().with(path, number);
    let some =
        with("count", 1).with("crates[1].b", 0x1234_5678).with("head", 9).with("inner.plain.code", 300);
    vec![
        loose.accepted(language),
        some.accepted(language),
        some.written_as(&some),
        some.clone()
            .with("crates[2].b", 1)
            .with("crates[3].c", 2)
            .with("rest", 5)
            .with("magic", 0)
            .written_as(&some),
        with("count", 3).refused("Loose.count at byte {count}: length_exceeds: expected at most 2, found 3"),
        with("crates[3].c", 2)
            .refused("Crate.c at byte {crates[3].c}: unknown_value: expected 0 or 1, found 2"),
        with("rest", 1).refused("Loose.rest at byte {rest}: reserved_not_zero: expected zero, found 1"),
        with("label[4]", 1)
            .refused("Loose.label at byte {label}: bad_text: expected UTF-8 text ended by NUL"),
        with("inner.rev", 0).written_as(loose),
        with("magic[2]", 0)
            .with("inner.rev", 0)
            .refused("Loose.magic at byte {magic}: bad_magic: expected bytes 504b2a, found bytes 504b00"),
    ]
}

/// Bits that a floating-point register might change: signalling NaNs, payloads, signs, subnormals.
fn floats(all: &Wire<'_>, language: Language) -> Vec<Question> {
    let singles = [0x7f80_0001, 0xffbf_ffff, 0x7fc0_0001, 0x8000_0000, 1, 0x3f80_0000];
    let doubles = [
        0x7ff0_0000_0000_0001,
        0xfff7_ffff_ffff_ffff,
        0x7ff8_dead_beef_0001,
        1 << 63,
        1,
        0x3ff0_0000_0000_0000,
    ];
    let mut questions = Vec::new();
    for (single, double) in singles.into_iter().zip(doubles) {
        let mut wire = all.clone();
        for letter in ["l", "b", "n"] {
            wire = wire.with(&format!("{letter}0_f64[1]"), double).with(&format!("{letter}1_f32"), single);
            for (index, ty) in (2..).zip(["i64", "u64", "i32", "u32", "i16", "u16", "i8", "u8"]) {
                wire = wire.with(&format!("{letter}{index}_{ty}[1]"), double - i128::from(index));
            }
        }
        questions.extend([wire.accepted(language), wire.written_as(&wire)]);
    }
    questions
}

fn only_in_c(all: &Wire<'_>) -> Vec<Question> {
    let size = all.bytes.len();
    let null = "All at byte 0: null_argument: expected a pointer";
    let short = |length| format!("All at byte {length}: too_short: expected {size} bytes, found {length}");
    let bad = all.clone().with("flag", 2).bytes;
    let longer = format!("ok {}eeee", hex(&all.bytes));
    let initial = dump::expected(all.catalog, all.contract, Language::C, &all.bytes, all.is_big, "");
    vec![
        all.ask("null", 0, &all.bytes, &[null; 6].join("\n")),
        all.ask("write", 0, &bad, &short(0)),
        all.ask("write", size - 1, &bad, &short(size - 1)),
        all.ask("write", size + 2, &all.bytes, &longer),
        all.ask("init", size, &[], &format!("{initial}ok")),
    ]
}
