//! Recipes and unions in serde: as whatever format the other side has, through the document of this one.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Error as _, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};

use super::{Members, WireJson, Writer, text, walk};
use crate::float::{self, Buffer};

/// Reads a value: what the other side has is written as a document, keys that are there twice and all, and that is read.
pub fn deserialize<'de, M: Members, D: Deserializer<'de>>(deserializer: D) -> Result<M, D::Error> {
    let mut writer = Writer::new(Vec::new());
    let (levels, max_bytes) = (<M as Members>::MAX_DEPTH, <M as Members>::MAX_BYTES);
    Document { writer: &mut writer, levels, wrappers: MAX_WRAPPERS, max_bytes }.deserialize(deserializer)?;
    M::from_json(&writer.out).map_err(D::Error::custom)
}

/// Writes a value: its document, as whatever the other side makes of it.
pub fn serialize<M: Members, S: Serializer>(value: &M, serializer: S) -> Result<S::Ok, S::Error> {
    let document = value.to_json().map_err(S::Error::custom)?;
    Value(&document).serialize(serializer)
}

/// Options and newtypes around values, which JSON does not show: each is a call deep.
const MAX_WRAPPERS: usize = 256;

/// A document that is being written.
struct Document<'a> {
    writer: &'a mut Writer,
    /// How many more objects and arrays there may be around what comes.
    levels: usize,
    /// How many more options and newtypes there may be around what comes.
    wrappers: usize,
    max_bytes: usize,
}

impl Document<'_> {
    fn nested<E: serde_core::de::Error>(&mut self) -> Result<Document<'_>, E> {
        let Some(levels) = self.levels.checked_sub(1) else {
            return Err(E::custom("nested deeper than the contract allows"));
        };
        Ok(Document { writer: self.writer, levels, wrappers: self.wrappers, max_bytes: self.max_bytes })
    }

    /// What is in an option or a newtype.
    fn unwrapped<E: serde_core::de::Error>(self) -> Result<Self, E> {
        match self.wrappers.checked_sub(1) {
            Some(wrappers) => Ok(Document { wrappers, ..self }),
            None => {
                Err(E::custom(format_args!("more than {MAX_WRAPPERS} options and newtypes in each other")))
            }
        }
    }

    fn bounded<E: serde_core::de::Error>(&self, more: usize) -> Result<(), E> {
        if self.writer.out.len() + more > self.max_bytes {
            return Err(E::custom(format_args!("a document of more than {} bytes", self.max_bytes)));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        self.writer.raw(if truth { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.writer.integer(number.unsigned_abs(), number < 0);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.writer.integer(number, false);
        Ok(())
    }

    fn visit_f64<E: serde_core::de::Error>(self, number: f64) -> Result<(), E> {
        if !number.is_finite() {
            return Err(E::custom(format_args!(
                "expected a finite number, found {}",
                float::spell(number, &mut Buffer::new())
            )));
        }
        let mut buffer = Buffer::new();
        let text = float::spell(number, &mut buffer);
        self.writer.raw(text);
        // A float is no integer, whatever its value: a key that is one refuses it as it does in a document.
        if !text.contains(['.', 'e']) {
            self.writer.raw(".0");
        }
        Ok(())
    }

    fn visit_str<E: serde_core::de::Error>(self, text: &str) -> Result<(), E> {
        self.bounded(text.len())?;
        self.writer.string(text);
        Ok(())
    }

    fn visit_none<E: serde_core::de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.writer.raw("null");
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.unwrapped()?.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.unwrapped()?.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        let start = self.writer.open();
        loop {
            let comma = self.writer.out.len();
            self.writer.raw(",");
            if items.next_element_seed(self.nested()?)?.is_none() {
                self.writer.out.truncate(comma);
                break;
            }
            self.bounded(0)?;
        }
        self.writer.close(start, *b"[]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        let start = self.writer.open();
        while let Some(Name(key)) = members.next_key()? {
            self.bounded(key.len())?;
            self.writer.raw(",");
            self.writer.string(&key);
            self.writer.raw(":");
            members.next_value_seed(self.nested()?)?;
            self.bounded(0)?;
        }
        self.writer.close(start, *b"{}");
        Ok(())
    }
}

/// A key: text, which is borrowed where the other side has it.
struct Name<'de>(Cow<'de, str>);

impl<'de> serde_core::Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;

        impl<'de> Visitor<'de> for Key {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key that is text")
            }

            fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Owned(text.to_string()))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
                Ok(Cow::Borrowed(text))
            }
        }

        deserializer.deserialize_str(Key).map(Name)
    }
}

/// A value in a document that was written by this side, so that its syntax is right.
struct Value<'a>(&'a str);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let broken = || S::Error::custom("a document that this side wrote is not JSON");
        let inner = self.0.get(1..self.0.len().saturating_sub(1)).unwrap_or("");
        match self.0.as_bytes().first() {
            Some(b'{') => {
                let mut map = serializer.serialize_map(Some(Parts(inner).count() / 2))?;
                let mut parts = Parts(inner);
                while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                    let key = key.get(1..key.len() - 1).ok_or_else(broken)?;
                    map.serialize_entry(&*text::unescape(key), &Value(value))?;
                }
                map.end()
            }
            Some(b'[') => {
                let mut items = serializer.serialize_seq(Some(Parts(inner).count()))?;
                Parts(inner).try_for_each(|item| items.serialize_element(&Value(item)))?;
                items.end()
            }
            Some(b'"') => serializer.serialize_str(&text::unescape(inner)),
            Some(b't') => serializer.serialize_bool(true),
            Some(b'f') => serializer.serialize_bool(false),
            // Some formats have another word for nothing than for what is absent: this is the latter.
            Some(b'n') => serializer.serialize_none(),
            _ => {
                if self.0 == "-0" {
                    return serializer.serialize_f64(-0.0);
                }
                if let Ok(number) = self.0.parse() {
                    return serializer.serialize_u64(number);
                }
                if let Ok(number) = self.0.parse() {
                    return serializer.serialize_i64(number);
                }
                let number: f64 = self.0.parse().map_err(|_| broken())?;
                if number.is_infinite() {
                    return Err(S::Error::custom(format_args!("{} is beyond all floats", self.0)));
                }
                // A float may be spelled without a point, and is then no other number than this one.
                let is_integer = !self.0.contains(['.', 'e', 'E']);
                if is_integer && float::spell(number, &mut Buffer::new()) != self.0 {
                    return Err(S::Error::custom(format_args!(
                        "the integer {} is beyond those of 64 bits, and a float would be another number",
                        self.0
                    )));
                }
                serializer.serialize_f64(number)
            }
        }
    }
}

/// The items of an array, or the keys and values of an object in turn, from what stands between the brackets.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start_matches([',', ':']);
        let end = walk::value(rest, 0, 0, usize::MAX, walk::Duplicates::Passed).ok()?;
        let (part, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        Some(part)
    }
}

/// `Serialize` and `Deserialize` of a recipe or a union.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_impls {
    ($contract:ident) => {
        #[automatically_derived]
        impl $crate::__private::serde_core::Serialize for $contract {
            fn serialize<S: $crate::__private::serde_core::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serialize(self, serializer)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde_core::Deserialize<'de> for $contract {
            fn deserialize<D: $crate::__private::serde_core::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize(deserializer)
            }
        }
    };
}
