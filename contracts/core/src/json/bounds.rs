//! What a declaration says of a key: where it stands in errors, how it is written, what bounds its value has.

use crate::error::Place;

/// A refusal. Why is kept by the reader or the writer, so that what does not fail carries nothing.
#[derive(Debug)]
pub struct Stop;

/// Spelled as JSON spells it.
pub enum Plain {}
/// An integer as a string of decimal digits.
pub enum DecimalString {}
/// Bytes as two lower-case hexadecimal digits each.
pub enum Hex {}
/// Bytes in the standard alphabet of RFC 4648, padded.
pub enum Base64 {}
/// 16 bytes as a UUID.
pub enum Uuid {}

/// Bounds of a value, or of the items of an array.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The least integer.
    pub min: i128,
    /// The greatest integer.
    pub max: i128,
    /// The least float.
    pub least: f64,
    /// The greatest float.
    pub most: f64,
    /// The most bytes: of text, of bytes spelled as text, of a map's keys and values, of JSON without white
    /// space, of a name that an enumeration does not have.
    pub max_len: usize,
    /// The most items of an array (of the outermost one where arrays nest), the most members of a map.
    pub max_items: usize,
}

impl Bounds {
    /// No bound but those of the type.
    pub const NONE: Bounds = Bounds {
        min: i128::MIN,
        max: i128::MAX,
        least: f64::NEG_INFINITY,
        most: f64::INFINITY,
        max_len: usize::MAX,
        max_items: usize::MAX,
    };

    /// The bounds of an array's items.
    #[inline(always)]
    pub(crate) const fn of_items(&self) -> Bounds {
        Bounds { max_items: usize::MAX, ..*self }
    }
}

/// A key of a recipe, or the content's key of a union. Expansions hold it in a static.
pub struct Key {
    /// Where errors say it is.
    pub place: Place,
    /// A comma, the key as JSON text, and a colon. What opens the object replaces the first comma.
    pub head: &'static str,
    /// The bounds of its value.
    pub bounds: Bounds,
    /// Whether null is read as absent.
    pub is_nullable: bool,
    /// Whether absence is written as null.
    pub is_null_when_absent: bool,
    /// Whether lenient reading takes a value at fault for an absent one.
    pub is_lenient: bool,
}

impl Key {
    /// A key without bounds. `head` is the comma, the quoted key and the colon.
    pub const fn new(contract: &'static str, name: &'static str, head: &'static str) -> Key {
        Key {
            place: Place { contract, field: name },
            head,
            bounds: Bounds::NONE,
            is_nullable: false,
            is_null_when_absent: false,
            is_lenient: false,
        }
    }

    /// The least integer.
    pub const fn min(mut self, min: i128) -> Key {
        self.bounds.min = min;
        self
    }

    /// The greatest integer.
    pub const fn max(mut self, max: i128) -> Key {
        self.bounds.max = max;
        self
    }

    /// The least float.
    pub const fn least(mut self, least: f64) -> Key {
        self.bounds.least = least;
        self
    }

    /// The greatest float.
    pub const fn most(mut self, most: f64) -> Key {
        self.bounds.most = most;
        self
    }

    /// The most bytes.
    pub const fn max_len(mut self, max_len: usize) -> Key {
        self.bounds.max_len = max_len;
        self
    }

    /// The most items or members.
    pub const fn max_items(mut self, max_items: usize) -> Key {
        self.bounds.max_items = max_items;
        self
    }

    /// Null is read as absent.
    pub const fn nullable(mut self) -> Key {
        self.is_nullable = true;
        self
    }

    /// Absence is written as null, and null read as absent.
    pub const fn null_when_absent(mut self) -> Key {
        self.is_nullable = true;
        self.is_null_when_absent = true;
        self
    }

    /// Lenient reading takes a value at fault for an absent one.
    pub const fn lenient(mut self) -> Key {
        self.is_lenient = true;
        self
    }
}
