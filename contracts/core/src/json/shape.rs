//! What JSON types look like in the record.

use super::Members;
use super::least::{self, Least};
use crate::layout::check::Message;
use crate::record::{fold_word, halves};
use crate::{Contract, Enumeration, FlagSet, Kind, WireContract};

/// Codes of types in the record; those of scalars are the ones that descriptors have.
mod code {
    pub(super) const ENUMERATION: u8 = 20;
    pub(super) const FLAGS: u8 = 21;
    pub(super) const DESCRIPTOR: u8 = 22;
    pub(super) const RECIPE: u8 = 23;
    pub(super) const UNION: u8 = 24;
    #[cfg(all(feature = "message", unix))]
    pub(super) const MESSAGE: u8 = 25;
    pub(super) const TEXT: u8 = 30;
    pub(super) const BYTES: u8 = 31;
    pub(super) const FIXED_BYTES: u8 = 32;
    pub(super) const LIST: u8 = 33;
    pub(super) const ARRAY: u8 = 34;
    pub(super) const MAP: u8 = 35;
    pub(super) const JSON: u8 = 36;
    pub(super) const OPTION: u8 = 37;
    pub(super) const NOTHING: u8 = 38;
    pub(super) const UNKNOWN: u8 = 39;
}

/// How a value is spelled, as the record has it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Spelled {
    /// As JSON spells it.
    Plain,
    /// As a string of decimal digits.
    Decimal,
    /// As [`crate::Spelling::Hex`].
    Hex,
    /// As [`crate::Spelling::Base64`].
    Base64,
    /// As [`crate::Spelling::Uuid`].
    Uuid,
}

/// What sort of default a type has.
#[derive(Clone, Copy)]
pub(super) enum Sort {
    Integer,
    Float,
    Truth,
    Text,
    Enumeration,
    Flags,
    Bytes,
    List,
    /// None that can be written out.
    Other,
}

/// What a JSON type looks like.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts of a type")]
pub struct JsonShape {
    code: u8,
    spelled: Spelled,
    is_open: bool,
    /// Whether it is an enumeration whose other names are kept; the record says so with the enumeration's own.
    is_open_name: bool,
    /// Whether it keeps numbers of an enumeration that is spelled by name, or names of one that is spelled by number.
    is_misspelled: bool,
    /// Whether it is a descriptor that grows.
    grows: bool,
    length: Option<usize>,
    wire_id: u64,
    source_id: u64,
    item: Option<&'static JsonShape>,
    /// The least that a value of a contract has.
    least: Least,
}

impl JsonShape {
    const fn of(code: u8) -> JsonShape {
        JsonShape {
            code,
            spelled: Spelled::Plain,
            is_open: false,
            is_open_name: false,
            is_misspelled: false,
            grows: false,
            length: None,
            wire_id: 0,
            source_id: 0,
            item: None,
            least: Least::NOTHING,
        }
    }

    const fn contract<C: Contract>(code: u8, least: Least) -> JsonShape {
        JsonShape { wire_id: C::WIRE_ID, source_id: C::SOURCE_ID, least, ..JsonShape::of(code) }
    }

    /// An integer, a float or a bool, by the code it has in descriptors.
    pub const fn scalar(code: u8) -> JsonShape {
        JsonShape::of(code)
    }

    /// An enumeration.
    pub const fn enumeration<E: Enumeration>(is_open: bool) -> JsonShape {
        let least = if is_open || !E::SPELLED_AS_NAMES { 1 } else { shortest_name::<E>() + 2 };
        JsonShape { is_open, ..JsonShape::contract::<E>(code::ENUMERATION, Least::flat(least)) }
    }

    /// An enumeration by number, or another number in its place.
    pub const fn open_number<E: Enumeration>() -> JsonShape {
        let is_misspelled = E::SPELLED_AS_NAMES && !E::VALUES.is_empty();
        JsonShape { is_misspelled, ..JsonShape::enumeration::<E>(true) }
    }

    /// An enumeration by name, or another name in its place.
    pub const fn open_name<E: Enumeration>() -> JsonShape {
        // One without values was refused, and says so itself.
        let is_misspelled = !E::SPELLED_AS_NAMES && !E::VALUES.is_empty();
        JsonShape { is_open_name: true, is_misspelled, ..JsonShape::enumeration::<E>(true) }
    }

    /// Flags.
    pub const fn flags<E: FlagSet>() -> JsonShape {
        let none = if E::SPELLED_AS_NAMES { Least::NOTHING.array(0) } else { Least::flat(1) };
        JsonShape::contract::<E>(code::FLAGS, none)
    }

    /// A descriptor.
    pub const fn descriptor<D: WireContract>() -> JsonShape {
        let shape = JsonShape::contract::<D>(code::DESCRIPTOR, Least::NOTHING);
        JsonShape { least: Least::flat(D::WIRE_SIZE), grows: D::SHAPE.growth.is_some(), ..shape }
    }

    /// A recipe or a union.
    pub const fn members<M: Members>() -> JsonShape {
        let code = match M::KIND {
            Kind::Union => code::UNION,
            _ => code::RECIPE,
        };
        JsonShape::contract::<M>(code, M::LEAST.object())
    }

    /// A message.
    #[cfg(all(feature = "message", unix))]
    pub const fn message<M: Contract>() -> JsonShape {
        JsonShape::contract::<M>(code::MESSAGE, Least::NOTHING)
    }

    /// Text.
    pub const TEXT: JsonShape = JsonShape::of(code::TEXT);
    /// Any number of bytes, spelled as text.
    pub const BYTES: JsonShape = JsonShape::of(code::BYTES);
    /// A map of text to text.
    pub const MAP: JsonShape = JsonShape::of(code::MAP);
    /// Any JSON.
    pub const JSON: JsonShape = JsonShape::of(code::JSON);
    /// What a variant without content holds.
    pub const NOTHING: JsonShape = JsonShape::of(code::NOTHING);
    /// What the open variant of a union holds.
    pub const UNKNOWN: JsonShape = JsonShape::of(code::UNKNOWN);

    /// So many bytes, spelled as text.
    pub const fn fixed_bytes(length: usize) -> JsonShape {
        JsonShape { length: Some(length), ..JsonShape::of(code::FIXED_BYTES) }
    }

    /// An array of any number of items.
    pub const fn list(item: &'static JsonShape) -> JsonShape {
        JsonShape { item: Some(item), ..JsonShape::of(code::LIST) }
    }

    /// An array of so many items.
    pub const fn array(item: &'static JsonShape, length: usize) -> JsonShape {
        JsonShape { length: Some(length), item: Some(item), ..JsonShape::of(code::ARRAY) }
    }

    /// What may be absent.
    pub const fn option(item: &'static JsonShape) -> JsonShape {
        JsonShape { item: Some(item), ..JsonShape::of(code::OPTION) }
    }

    /// The same, spelled so.
    pub const fn spelled(self, spelled: Spelled) -> JsonShape {
        JsonShape { spelled, ..self }
    }

    /// Whether it is an integer.
    pub const fn is_integer(&self) -> bool {
        matches!(self.code, 2..=9)
    }

    /// The least and the greatest value of an integer.
    pub const fn range(&self) -> Option<(i128, i128)> {
        let bits = match self.code {
            2 | 3 => 8,
            4 | 5 => 16,
            6 | 7 => 32,
            _ => 64,
        };
        match self.code {
            2 | 4 | 6 | 8 => Some((0, (1 << bits) - 1)),
            3 | 5 | 7 | 9 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            _ => None,
        }
    }

    /// The least that a value has, whose integers are from `min` to `max`.
    pub const fn least(&self, min: i128, max: i128) -> Least {
        match (self.code, self.item) {
            (1, _) => Least::flat(4),
            (2..=9, _) => {
                let (least, most) = match self.range() {
                    Some(range) => range,
                    None => (min, max),
                };
                let min = if min > least { min } else { least };
                let quotes = if matches!(self.spelled, Spelled::Decimal) { 2 } else { 0 };
                Least::flat(least::integer(min, if max < most { max } else { most }) + quotes)
            }
            (10 | 11 | code::JSON, _) => Least::flat(1),
            (code::TEXT | code::BYTES | code::MAP, _) => Least { bytes: 2, depth: self.opens() },
            (code::FIXED_BYTES, _) => match self.length {
                Some(length) => Least::flat(self.spelled_bytes(length)),
                None => Least::flat(2),
            },
            (code::DESCRIPTOR, _) => Least::flat(self.spelled_bytes(self.least.bytes)),
            (code::LIST, _) => Least::NOTHING.array(0),
            (code::ARRAY, Some(item)) => match self.length {
                Some(length) => item.least(min, max).array(length),
                None => Least::NOTHING,
            },
            _ => self.least,
        }
    }

    const fn opens(&self) -> usize {
        if self.code == code::MAP { 1 } else { 0 }
    }

    /// How many bytes the text of so many bytes has, quotes included.
    const fn spelled_bytes(&self, bytes: usize) -> usize {
        match self.spelled {
            Spelled::Base64 => bytes.div_ceil(3).saturating_mul(4).saturating_add(2),
            Spelled::Uuid => 38,
            _ => bytes.saturating_mul(2).saturating_add(2),
        }
    }

    /// Whether it is a float.
    pub const fn is_float(&self) -> bool {
        matches!(self.code, 10 | 11)
    }

    pub(super) const fn sort(&self) -> Sort {
        match self.code {
            1 => Sort::Truth,
            2..=9 => Sort::Integer,
            10 | 11 => Sort::Float,
            code::TEXT => Sort::Text,
            code::ENUMERATION => Sort::Enumeration,
            code::FLAGS => Sort::Flags,
            code::BYTES | code::FIXED_BYTES => Sort::Bytes,
            code::LIST | code::ARRAY => Sort::List,
            _ => Sort::Other,
        }
    }

    /// How many items or bytes it has, where these are always as many.
    pub(super) const fn length(&self) -> Option<usize> {
        self.length
    }

    /// Whether it is an `f32`.
    pub const fn is_f32(&self) -> bool {
        self.code == 10
    }

    /// Whether it is text, bytes spelled as text, a map, JSON or a name that may be unknown: what `max_len` bounds.
    pub const fn has_length(&self) -> bool {
        self.is_open_name || matches!(self.code, code::TEXT | code::BYTES | code::MAP | code::JSON)
    }

    /// Whether it is an array of any number of items, or a map: what `max_items` bounds.
    pub const fn has_items(&self) -> bool {
        matches!(self.code, code::LIST | code::MAP)
    }

    /// Whether it is a recipe or a union: what can be flattened.
    pub const fn is_members(&self) -> bool {
        matches!(self.code, code::RECIPE | code::UNION)
    }

    /// Whether it is a descriptor of which is not said how its bytes are spelled.
    pub const fn is_unspelled(&self) -> bool {
        self.code == code::DESCRIPTOR && matches!(self.spelled, Spelled::Plain)
    }

    /// Whether it is a descriptor that grows.
    pub(crate) const fn grows(&self) -> bool {
        self.grows
    }

    /// Whether it keeps numbers where the enumeration has names, or names where it has numbers: what is wrong, and what
    /// to write.
    pub const fn misspelling(&self) -> Option<&'static str> {
        match (self.is_misspelled, self.is_open_name) {
            (false, _) => None,
            (true, false) => Some(
                "keeps unknown numbers of an enumeration that JSON spells by name: write `OpenName<E>`, or \
                 `#[wire(enumeration, as = integer)]` on the enumeration",
            ),
            (true, true) => Some(
                "keeps unknown names of an enumeration that JSON spells by number: write `Open<E>`, or remove \
                 `as = integer` on the enumeration",
            ),
        }
    }

    /// Whether it is a recipe.
    pub const fn is_recipe(&self) -> bool {
        self.code == code::RECIPE
    }

    /// What it holds, below arrays and options.
    pub const fn innermost(&self) -> &JsonShape {
        let mut shape = self;
        while let Some(item) = shape.item {
            shape = item;
        }
        shape
    }

    /// Below options: what bounds of the whole are said of.
    pub const fn outermost(&self) -> &JsonShape {
        match self.item {
            Some(item) if self.code == code::OPTION => item,
            _ => self,
        }
    }

    const fn words(&self) -> usize {
        let own = 1 + if self.length.is_some() { 1 } else { 0 } + if self.holds() { 4 } else { 0 };
        match self.item {
            Some(item) => own + item.words(),
            None => own,
        }
    }

    const fn holds(&self) -> bool {
        self.wire_id != 0
    }
}

/// The length of the shortest name or alias.
const fn shortest_name<E: Enumeration>() -> usize {
    let (mut shortest, mut index) = (usize::MAX, 0);
    while index < E::VALUES.len() {
        let value = &E::VALUES[index];
        let mut length = value.name.len();
        let mut alias = 0;
        while alias < value.aliases.len() {
            if value.aliases[alias].len() < length {
                length = value.aliases[alias].len();
            }
            alias += 1;
        }
        if length < shortest {
            shortest = length;
        }
        index += 1;
    }
    // One that was refused has no values.
    if index == 0 { 0 } else { shortest }
}

/// The most arrays in each other, with an option around them and what they hold.
const MAX_DEPTH: usize = 32;

/// How many words the record of a recipe or a union has.
pub const fn json_words_length(shapes: &[JsonShape]) -> usize {
    let mut length = 0;
    let mut index = 0;
    while index < shapes.len() {
        length += shapes[index].words();
        index += 1;
    }
    length
}

/// The words of the record of a recipe or a union.
///
/// # Panics
/// When `W` is not [`json_words_length`], when a length does not fit in 32 bits, and when arrays are in each other too
/// deep.
#[track_caller]
pub const fn json_words<const W: usize>(shapes: &[JsonShape]) -> [u32; W] {
    let mut words = [0; W];
    let mut next = 0;
    let mut index = 0;
    while index < shapes.len() {
        let mut shape = &shapes[index];
        let mut depth = 0;
        loop {
            depth += 1;
            if depth > MAX_DEPTH {
                Message::new()
                    .text("arrays are at most 30 deep in each other: put the inner ones in a recipe")
                    .fail();
            }
            words[next] = shape.code as u32
                | (shape.spelled as u32) << 8
                | (shape.is_open as u32) << 12
                | (shape.holds() as u32) << 13;
            next += 1;
            if let Some(length) = shape.length {
                assert!(length <= u32::MAX as usize, "an array has less than 4 Gi items");
                #[allow(clippy::cast_possible_truncation, reason = "checked just above")]
                let length = length as u32;
                words[next] = length;
                next += 1;
            }
            if shape.holds() {
                let [wire, source] = [halves(shape.wire_id), halves(shape.source_id)];
                words[next] = wire[0];
                words[next + 1] = wire[1];
                words[next + 2] = source[0];
                words[next + 3] = source[1];
                next += 4;
            }
            match shape.item {
                Some(item) => shape = item,
                None => break,
            }
        }
        index += 1;
    }
    words
}

/// The wire id of a recipe or a union: its text as the macro hashed it, then the words, source ids left out.
pub const fn json_wire_id(mut hash: u64, words: &[u32]) -> u64 {
    let mut index = 0;
    while index < words.len() {
        let ty = words[index];
        #[allow(clippy::cast_possible_truncation, reason = "the low byte")]
        let is_fixed = matches!(ty as u8, code::FIXED_BYTES | code::ARRAY);
        let holds = ty >> 13 & 1 == 1;
        let end = index + 1 + if is_fixed { 1 } else { 0 } + if holds { 2 } else { 0 };
        while index < end {
            hash = fold_word(hash, words[index]);
            index += 1;
        }
        if holds {
            index += 2;
        }
    }
    hash
}
