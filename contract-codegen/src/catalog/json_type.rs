//! What a key or a variant holds: its words, and the bounds that its text states.

use super::Nested;
use super::json::{Json, Object, TextError};
use super::words::TypeWords;
use crate::interpret::json::narrowed;
use crate::model::{ContractId, JsonType, Length, Scalar, Spelling};

/// What words say that a key or a variant holds.
pub(super) enum Held {
    /// A value.
    Value(JsonType),
    /// A value that may be absent.
    Option(JsonType),
    /// Nothing: of a variant that is its tag alone.
    Nothing,
    /// An unknown tag, and what came with it.
    Other,
}

/// The type that the words say, within the bounds that `wire` states; what it nests is added to `nested`.
pub(super) fn held(
    name: &str,
    words: &TypeWords,
    wire: &mut Object,
    nested: &mut Vec<Nested>,
) -> Result<Held, TextError> {
    let mut reader =
        Reader { name, bounds: Bounds::take(wire)?, used: [false; 4], is_within_array: false, nested };
    let held = match words.code() {
        TypeWords::NOTHING | TypeWords::OTHER => {
            reader.plain(words)?;
            if words.code() == TypeWords::NOTHING { Held::Nothing } else { Held::Other }
        }
        TypeWords::OPTION => {
            reader.holder(words)?;
            Held::Option(reader.json_type(words.item.as_deref().unwrap_or(words))?)
        }
        _ => Held::Value(reader.json_type(words)?),
    };
    reader.all_used()?;
    Ok(held)
}

struct Bounds {
    min: Option<Json>,
    max: Option<Json>,
    max_len: Option<u32>,
    max_items: Option<u32>,
}

impl Bounds {
    fn take(wire: &mut Object) -> Result<Self, TextError> {
        Ok(Bounds {
            min: wire.take("min"),
            max: wire.take("max"),
            max_len: wire.take_integer("max_len")?,
            max_items: wire.take_integer("max_items")?,
        })
    }
}

const MIN: usize = 0;
const MAX: usize = 1;
const MAX_LEN: usize = 2;
const MAX_ITEMS: usize = 3;

struct Reader<'a> {
    name: &'a str,
    bounds: Bounds,
    /// Which of the bounds mean something for the type.
    used: [bool; 4],
    is_within_array: bool,
    nested: &'a mut Vec<Nested>,
}

impl Reader<'_> {
    fn refuse(&self, reason: &str) -> TextError {
        TextError::Wrong(format!("`{}` {reason}", self.name))
    }

    /// Bounds of an array hold for what it ends in, however deep arrays are in each other; the number of items alone is
    /// that of the outermost.
    fn json_type(&mut self, words: &TypeWords) -> Result<JsonType, TextError> {
        let code = words.code();
        let ty = match code {
            1 => JsonType::Bool,
            2..=9 => return self.integer(words, Scalar::ALL[code as usize - 1]),
            10 | 11 => self.float(Scalar::ALL[code as usize - 1])?,
            20..=24 => return self.contract(words),
            TypeWords::TEXT => JsonType::Text { max_len: self.max_len() },
            TypeWords::BYTES | TypeWords::BYTE_ARRAY => return self.bytes(words),
            TypeWords::LIST | TypeWords::ARRAY => return self.array(words),
            35 => JsonType::Map { max_items: self.max_items(), max_len: self.max_len() },
            36 => JsonType::Json { max_len: self.max_len() },
            TypeWords::OPTION | TypeWords::NOTHING | TypeWords::OTHER => {
                return Err(self.refuse("holds an option, or nothing, within a type"));
            }
            _ => return Err(TextError::Unknown(format!("the type code {code} for `{}`", self.name))),
        };
        self.plain(words)?;
        Ok(ty)
    }

    fn integer(&mut self, words: &TypeWords, scalar: Scalar) -> Result<JsonType, TextError> {
        self.only_word(words)?;
        if words.is_open() || words.ids.is_some() || words.spelling() > 1 {
            return Err(self.refuse("has a spelling that integers have not"));
        }
        let (least, most) = scalar.range().unwrap_or_default();
        let bound = |json: &Option<Json>, default: i128| match json {
            None => Some(default),
            Some(Json::Integer(bound)) => Some(*bound).filter(|bound| (least..=most).contains(bound)),
            Some(_) => None,
        };
        self.used[MIN] = true;
        self.used[MAX] = true;
        match (bound(&self.bounds.min, least), bound(&self.bounds.max, most)) {
            (Some(min), Some(max)) if min <= max => {
                Ok(JsonType::Integer { scalar, min, max, decimal: words.spelling() == 1 })
            }
            _ => Err(self.refuse(&format!("has bounds that are none for {scalar}"))),
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "bounds of a float are written as floats")]
    fn float(&mut self, scalar: Scalar) -> Result<JsonType, TextError> {
        let bound = |json: &Option<Json>| {
            let bound = match json {
                None => return Ok(None),
                Some(Json::Float(bound)) => *bound,
                Some(Json::Integer(bound)) => *bound as f64,
                Some(_) => return Err(()),
            };
            let is_one = bound.is_finite() && narrowed(scalar, bound).to_bits() == bound.to_bits();
            if is_one { Ok(Some(bound)) } else { Err(()) }
        };
        self.used[MIN] = true;
        self.used[MAX] = true;
        match (bound(&self.bounds.min), bound(&self.bounds.max)) {
            (Ok(min), Ok(max)) if min.is_none_or(|min| max.is_none_or(|max| min <= max)) => {
                Ok(JsonType::Float { scalar, min, max })
            }
            _ => Err(self.refuse(&format!("has bounds that are none for {scalar}"))),
        }
    }

    fn max_len(&mut self) -> Option<u32> {
        self.used[MAX_LEN] = true;
        self.bounds.max_len
    }

    fn max_items(&mut self) -> Option<u32> {
        let is_outermost = !std::mem::replace(&mut self.is_within_array, true);
        self.used[MAX_ITEMS] |= is_outermost;
        self.bounds.max_items.filter(|_| is_outermost)
    }

    fn bytes(&mut self, words: &TypeWords) -> Result<JsonType, TextError> {
        self.only_word(words)?;
        let length = match words.length {
            Some(length) => Length::Exactly(self.not_zero(length)?),
            None => Length::AtMost(self.max_len()),
        };
        let spelling = match self.spelling(words)? {
            Some(Spelling::Uuid) if length != Length::Exactly(16) => {
                return Err(self.refuse("is a UUID of other than 16 bytes"));
            }
            Some(spelling) => spelling,
            None => return Err(self.refuse("holds bytes that are spelled in no way")),
        };
        if words.is_open() || words.ids.is_some() {
            return Err(self.refuse("holds bytes that are open, or a contract"));
        }
        Ok(JsonType::Bytes { length, spelling })
    }

    fn array(&mut self, words: &TypeWords) -> Result<JsonType, TextError> {
        self.holder(words)?;
        let length = match words.length {
            Some(length) => Length::Exactly(self.not_zero(length)?),
            None => Length::AtMost(self.max_items()),
        };
        self.is_within_array = true;
        let item = words.item.as_deref().ok_or_else(|| self.refuse("has no items"))?;
        Ok(JsonType::Array { item: Box::new(self.json_type(item)?), length })
    }

    fn contract(&mut self, words: &TypeWords) -> Result<JsonType, TextError> {
        self.only_word(words)?;
        let Some((wire_id, source_id)) = words.ids else {
            return Err(self.refuse("holds a contract without ids"));
        };
        let contract = ContractId(self.nested.len());
        self.nested.push(Nested { field: self.name.to_owned(), wire_id, source_id, kind: None });
        let open = words.is_open();
        let spelling = self.spelling(words)?;
        match (words.code(), open, spelling) {
            (20, open, None) => {
                let max_len = if open { self.max_len() } else { None };
                Ok(JsonType::Enumeration { contract, open, max_len })
            }
            (21, false, None) => Ok(JsonType::Flags { contract }),
            (TypeWords::DESCRIPTOR, false, Some(spelling @ (Spelling::Hex | Spelling::Base64))) => {
                Ok(JsonType::Descriptor { contract, spelling })
            }
            (TypeWords::RECIPE, false, None) => Ok(JsonType::Recipe(contract)),
            (TypeWords::UNION, false, None) => Ok(JsonType::Union(contract)),
            _ => Err(self.refuse("holds a contract that is open or spelled as its kind cannot be")),
        }
    }

    fn spelling(&self, words: &TypeWords) -> Result<Option<Spelling>, TextError> {
        match words.spelling() {
            0 => Ok(None),
            2 => Ok(Some(Spelling::Hex)),
            3 => Ok(Some(Spelling::Base64)),
            4 => Ok(Some(Spelling::Uuid)),
            1 => Err(self.refuse("is spelled as a decimal number, which it is not")),
            other => Err(TextError::Unknown(format!("the spelling {other} for `{}`", self.name))),
        }
    }

    fn not_zero(&self, length: u32) -> Result<u32, TextError> {
        if length == 0 { Err(self.refuse("holds exactly nothing")) } else { Ok(length) }
    }

    /// An array or option, whose own word may repeat its item's spelling.
    fn holder(&self, words: &TypeWords) -> Result<(), TextError> {
        self.only_word(words)?;
        if words.is_open() || words.ids.is_some() {
            return Err(self.refuse("has ids or is open, where only its items can"));
        }
        Ok(())
    }

    /// A type whose word says nothing but its code.
    fn plain(&self, words: &TypeWords) -> Result<(), TextError> {
        self.only_word(words)?;
        if words.word != words.code() {
            return Err(self.refuse(&format!("has the type word {:#x}", words.word)));
        }
        Ok(())
    }

    fn only_word(&self, words: &TypeWords) -> Result<(), TextError> {
        if words.word & !TypeWords::KNOWN == 0 {
            return Ok(());
        }
        Err(TextError::Unknown(format!("the type word {:#x} for `{}`", words.word, self.name)))
    }

    fn all_used(&self) -> Result<(), TextError> {
        let Bounds { min, max, max_len, max_items } = &self.bounds;
        let stated = [min.is_some(), max.is_some(), max_len.is_some(), max_items.is_some()];
        if stated.iter().zip(self.used).any(|(&stated, used)| stated && !used) {
            return Err(self.refuse("has a bound that its type cannot have"));
        }
        Ok(())
    }
}
