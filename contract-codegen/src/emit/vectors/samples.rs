//! Buffers that are accepted, chosen where implementations go wrong: at the ends of ranges and beside them.

use crate::interpret::{Host, encode};
use crate::model::{Catalog, ContractId, Descriptor, Element, Enumeration, Field, Flags, Role, Scalar};

/// How every field of a descriptor is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    /// The lowest value; nothing in counted arrays; no text.
    Minimum,
    /// The highest value; counted arrays and texts full; reserved bytes that readers must ignore all set.
    Maximum,
    /// Zero where there is a zero; floats −0.
    Zero,
    /// One above the minimum; floats −∞.
    AboveMinimum,
    /// One below the maximum; floats ∞.
    BelowMaximum,
    /// Bytes that tell their place, so that an exchange of two is seen.
    Places,
    /// Minus one, signalling NaN, values from the middle.
    Odd,
}

impl Sample {
    /// All of them; [`Sample::Minimum`] first.
    pub(super) const ALL: [Sample; 7] = [
        Sample::Minimum,
        Sample::Maximum,
        Sample::Zero,
        Sample::AboveMinimum,
        Sample::BelowMaximum,
        Sample::Places,
        Sample::Odd,
    ];

    /// The name of the case.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Sample::Minimum => "minimum",
            Sample::Maximum => "maximum",
            Sample::Zero => "zero",
            Sample::AboveMinimum => "one above the minimum",
            Sample::BelowMaximum => "one below the maximum",
            Sample::Places => "bytes that tell their place",
            Sample::Odd => "odd values",
        }
    }

    /// One of a list that runs from lowest to highest; nothing of an empty one.
    fn pick<T: Copy>(self, choices: &[T], zero: usize) -> Option<T> {
        let last = choices.len().checked_sub(1)?;
        let index = match self {
            Sample::Minimum => 0,
            Sample::Maximum => last,
            Sample::Zero => zero,
            Sample::AboveMinimum => 1.min(last),
            Sample::BelowMaximum => last.saturating_sub(1),
            Sample::Places => last / 2,
            Sample::Odd => last / 3,
        };
        Some(choices[index])
    }
}

/// The bytes of a descriptor.
pub(super) fn sample(catalog: &Catalog, id: ContractId, host: Host, kind: Sample) -> Vec<u8> {
    let mut sampler =
        Sampler { catalog, host, kind, bytes: vec![0; catalog.get(id).descriptor().size as usize] };
    sampler.descriptor(id, 0);
    sampler.bytes
}

struct Sampler<'a> {
    catalog: &'a Catalog,
    host: Host,
    kind: Sample,
    bytes: Vec<u8>,
}

impl Sampler<'_> {
    fn descriptor(&mut self, id: ContractId, base: usize) {
        let descriptor = self.catalog.get(id).descriptor();
        for field in &descriptor.fields {
            let at = base + field.offset as usize;
            let size = self.catalog.field_size(field) as usize;
            match &field.role {
                Role::Magic(magic) => self.put(at, magic),
                // The length goes with the version.
                Role::Version(newest) if descriptor.growth.is_some() => {
                    self.put_number(field, at, i128::from(*newest));
                }
                Role::Version(newest) => self.put_number(field, at, i128::from(self.version(*newest))),
                Role::Reserved { zero: true } => {}
                Role::Reserved { zero: false } => {
                    let byte = match self.kind {
                        Sample::Maximum => 0xff,
                        Sample::Places => 0xa5,
                        _ => 0,
                    };
                    self.bytes[at..][..size].fill(byte);
                }
                Role::LengthOf(targets) => self.put_number(field, at, self.count(descriptor, field, targets)),
                Role::Text => self.text(at, size),
                Role::Value => self.elements(field, at, size),
            }
        }
    }

    fn version(&self, newest: u64) -> u64 {
        match self.kind {
            Sample::Minimum => 1,
            Sample::AboveMinimum => newest.min(2),
            Sample::BelowMaximum => (newest - 1).max(1),
            _ => newest,
        }
    }

    fn count(&self, descriptor: &Descriptor, field: &Field, targets: &[usize]) -> i128 {
        let lengths = targets.iter().map(|&target| i128::from(descriptor.fields[target].ty.dims[0]));
        let most = lengths.min().unwrap_or(0).min(range(scalar_of(self.catalog, field.ty.element)).1);
        match self.kind {
            Sample::Minimum | Sample::Zero => 0,
            Sample::Maximum => most,
            Sample::AboveMinimum => most.min(1),
            Sample::BelowMaximum => most - 1,
            Sample::Places => most / 2,
            Sample::Odd => most / 3,
        }
    }

    /// Text that leaves room for its NUL.
    fn text(&mut self, at: usize, size: usize) {
        let room = size - 1;
        let text = match self.kind {
            Sample::Minimum | Sample::Zero => String::new(),
            Sample::Maximum => "z".repeat(room),
            Sample::AboveMinimum => "a".repeat(room.min(1)),
            Sample::BelowMaximum => "\u{7f}".repeat(room.saturating_sub(1)),
            // Two, three and four bytes a character, and what JSON and C escape.
            Sample::Places => truncated("é€😀\u{fffd}\"\\\n\u{1}/%", room),
            Sample::Odd => truncated("\u{10ffff}\u{d7ff}\u{e000}\u{80}", room),
        };
        self.put(at, text.as_bytes());
    }

    fn elements(&mut self, field: &Field, at: usize, size: usize) {
        let stride = self.catalog.element_size(field.ty.element) as usize;
        for (index, offset) in (at..at + size).step_by(stride).enumerate() {
            match field.ty.element {
                Element::Descriptor(nested) => self.descriptor(nested, offset),
                Element::Scalar(Scalar::Bool) => self.put_number(field, offset, i128::from(self.bool(index))),
                Element::Scalar(scalar) => self.scalar(field, scalar, offset),
                Element::Enumeration { contract, open } => {
                    let number = self.enumeration(self.catalog.get(contract).enumeration(), open);
                    self.put_number(field, offset, number);
                }
                Element::Flags { contract } => {
                    let bits = self.flags(self.catalog.get(contract).flags());
                    self.put_number(field, offset, bits);
                }
            }
        }
    }

    fn bool(&self, index: usize) -> bool {
        match self.kind {
            Sample::Minimum | Sample::Zero => false,
            Sample::Maximum | Sample::AboveMinimum => true,
            Sample::BelowMaximum | Sample::Places => index.is_multiple_of(2),
            Sample::Odd => !index.is_multiple_of(2),
        }
    }

    fn scalar(&mut self, field: &Field, scalar: Scalar, at: usize) {
        if self.kind == Sample::Places {
            for offset in at..at + scalar.size() as usize {
                self.bytes[offset] = u8::try_from((offset + 1) % 251).expect("below 251");
            }
            return;
        }
        let number = match scalar {
            Scalar::F32 => i128::from(match self.kind {
                Sample::Minimum => f32::MIN.to_bits(),
                Sample::Maximum => f32::MAX.to_bits(),
                Sample::AboveMinimum => f32::NEG_INFINITY.to_bits(),
                Sample::BelowMaximum => f32::INFINITY.to_bits(),
                Sample::Odd => 0x7f80_0001,
                Sample::Zero | Sample::Places => (-0.0_f32).to_bits(),
            }),
            Scalar::F64 => i128::from(match self.kind {
                Sample::Minimum => f64::MIN.to_bits(),
                Sample::Maximum => f64::MAX.to_bits(),
                Sample::AboveMinimum => f64::NEG_INFINITY.to_bits(),
                Sample::BelowMaximum => f64::INFINITY.to_bits(),
                Sample::Odd => 0x7ff0_0000_0000_0001,
                Sample::Zero | Sample::Places => (-0.0_f64).to_bits(),
            }),
            _ => self.integer(scalar),
        };
        self.put_number(field, at, number);
    }

    fn integer(&self, scalar: Scalar) -> i128 {
        let (lowest, highest) = range(scalar);
        match self.kind {
            Sample::Minimum => lowest,
            Sample::Maximum => highest,
            Sample::AboveMinimum => lowest + 1,
            Sample::BelowMaximum => highest - 1,
            Sample::Odd if lowest < 0 => -1,
            // The sign bit alone.
            Sample::Odd => highest / 2 + 1,
            Sample::Zero | Sample::Places => 0,
        }
    }

    fn enumeration(&self, enumeration: &Enumeration, open: bool) -> i128 {
        if open && !matches!(self.kind, Sample::Places | Sample::Odd) {
            return self.integer(enumeration.repr);
        }
        let mut numbers: Vec<i128> = enumeration.values.iter().map(|value| value.value).collect();
        numbers.sort_unstable();
        let zero = numbers.iter().position(|&number| number == 0).unwrap_or(0);
        self.kind.pick(&numbers, zero).unwrap_or(0)
    }

    fn flags(&self, flags: &Flags) -> i128 {
        let every = range(flags.repr).1;
        let known = i128::from(flags.known_bits());
        let one = |kind: Sample| {
            let masks: Vec<i128> = flags.values.iter().map(|value| value.value).collect();
            kind.pick(&masks, 0).unwrap_or(0)
        };
        match self.kind {
            Sample::Minimum | Sample::Zero => 0,
            Sample::Maximum if flags.open => every,
            Sample::BelowMaximum if flags.open => every & !known,
            Sample::Maximum => known,
            Sample::BelowMaximum => known & !one(Sample::Minimum),
            Sample::AboveMinimum => one(Sample::Minimum),
            Sample::Places => one(Sample::Maximum),
            Sample::Odd => one(Sample::Places),
        }
    }

    fn put_number(&mut self, field: &Field, at: usize, number: i128) {
        let size = self.catalog.element_size(field.ty.element) as usize;
        let bytes = wire_bytes(number, size, self.host.is_little(field.ty.endian));
        self.put(at, &bytes);
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..][..bytes.len()].copy_from_slice(bytes);
    }
}

/// The lowest and highest number of an integer type.
pub(super) fn range(scalar: Scalar) -> (i128, i128) {
    let bits = scalar.size() * 8;
    if scalar.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The integer type that stands for an element.
pub(super) fn scalar_of(catalog: &Catalog, element: Element) -> Scalar {
    match element {
        Element::Scalar(scalar) => scalar,
        Element::Enumeration { contract, .. }
        | Element::Flags { contract }
        | Element::Descriptor(contract) => catalog.get(contract).repr(),
    }
}

/// A number of either sign in its wire form.
pub(super) fn wire_bytes(number: i128, size: usize, little: bool) -> Vec<u8> {
    let low = u64::try_from(number & i128::from(u64::MAX)).expect("masked to 64 bits");
    encode(low, size, little)
}

/// The characters that fit.
fn truncated(text: &str, room: usize) -> String {
    let ends = text.char_indices().map(|(start, character)| start + character.len_utf8());
    text[..ends.take_while(|&end| end <= room).last().unwrap_or(0)].to_owned()
}
