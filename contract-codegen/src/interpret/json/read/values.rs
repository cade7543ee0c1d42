//! The values of keys, items and contents.

use super::super::check::{Place, brief, words};
use super::super::document::{Kind, NodeId};
use super::super::encoding;
use super::super::lookup::{named, narrowed, spelled};
use super::super::number::{Integer, integer};
use super::super::value::Value;
use super::Reader;
use crate::interpret::{self, Code, Fault, Host};
use crate::model::{Catalog, ContractId, JsonType, Length, Spelled, Spelling};

/// The longest token of a number that has a type.
const NUMBER: usize = 256;

/// A value that is read as a type.
#[derive(Clone, Copy)]
struct Token<'a> {
    catalog: &'a Catalog,
    ty: &'a JsonType,
    kind: &'a Kind,
    /// As it is spelled.
    text: &'a str,
    place: Place<'a>,
}

impl Reader<'_> {
    pub(super) fn value(&mut self, ty: &JsonType, node: NodeId, place: Place<'_>) -> Result<Value, Fault> {
        let document = self.document;
        let place = place.at(document.node(node).start);
        match ty {
            JsonType::Json { max_len } => {
                let json = document.compact(node);
                place.at_most_bytes(*max_len, json.len())?;
                return Ok(Value::Json(json));
            }
            JsonType::Recipe(id) | JsonType::Union(id) => return self.whole(*id, node, place),
            _ => {}
        }
        let kind = &document.node(node).kind;
        if matches!(kind, Kind::Null) {
            return Err(place.fault(Code::NullNotAllowed, words(self.catalog, ty), "null"));
        }
        let token = Token { catalog: self.catalog, ty, kind, text: document.token(node), place };
        match ty {
            JsonType::Array { item, length } => {
                let mut values = Vec::new();
                for (index, &node) in token.items()?.iter().enumerate() {
                    place.at(document.node(node).start).item(*length, index)?;
                    values.push(self.value(item, node, place)?);
                }
                place.item_count(*length, values.len())?;
                Ok(Value::List(values))
            }
            JsonType::Map { max_items, max_len } => self.map(token, *max_items, *max_len),
            JsonType::Flags { contract } if spelled(self.catalog, *contract) == Spelled::Names => {
                self.flag_names(*contract, token.items()?, place)
            }
            _ => token.single(),
        }
    }

    fn map(
        &mut self,
        token: Token<'_>,
        max_items: Option<u32>,
        max_len: Option<u32>,
    ) -> Result<Value, Fault> {
        let Kind::Object(members) = token.kind else { return Err(token.wrong()) };
        let mut values = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let place = token.place.at(member.start);
            place.member(max_items, index)?;
            place.at_most_bytes(max_len, member.key.len())?;
            match self.value(&JsonType::Text { max_len }, member.value, place)? {
                Value::Text(text) => values.push((member.key.clone(), text)),
                other => panic!("{other:?} was read as text"),
            }
        }
        values.sort();
        Ok(Value::Map(values))
    }

    fn flag_names(&self, contract: ContractId, items: &[NodeId], place: Place<'_>) -> Result<Value, Fault> {
        let contract = self.catalog.get(contract);
        let mut bits = 0;
        for &item in items {
            let place = place.at(self.document.node(item).start);
            let name = match &self.document.node(item).kind {
                Kind::Text(name) => name,
                Kind::Null => return Err(place.fault(Code::NullNotAllowed, "a string", "null")),
                _ => return Err(place.fault(Code::WrongType, "a string", self.shown(item))),
            };
            let flags = &contract.flags().values;
            let flag = flags.iter().find(|flag| flag.wire_name == *name || flag.aliases.contains(name));
            let Some(flag) = flag else {
                let expected = format!("a value of {}", contract.name);
                return Err(place.fault(Code::UnknownValue, expected, self.shown(item)));
            };
            if bits & flag.value != 0 {
                return Err(place.fault(Code::DuplicateKey, "each flag once", self.shown(item)));
            }
            bits |= flag.value;
        }
        Ok(Value::Integer(bits))
    }
}

impl<'a> Token<'a> {
    /// A value that holds no others.
    fn single(self) -> Result<Value, Fault> {
        let Token { catalog, place, .. } = self;
        match self.ty {
            JsonType::Bool => match self.kind {
                Kind::Bool(bool) => Ok(Value::Bool(*bool)),
                _ => Err(self.wrong()),
            },
            JsonType::Integer { min, max, decimal, .. } => {
                let number = if *decimal { self.decimal()? } else { self.integer()? };
                let number = number.filter(|number| (min..=max).contains(&number));
                number.map(Value::Integer).ok_or_else(|| place.out_of_range(*min, *max, self.text))
            }
            JsonType::Float { scalar, min, max } => {
                let float = self.number()?.parse().expect("a number of JSON is one of Rust");
                let float = narrowed(*scalar, float);
                place.float(float, *min, *max, self.text)?;
                Ok(Value::Float(float))
            }
            JsonType::Text { max_len } => {
                let text = self.string()?;
                place.at_most_bytes(*max_len, text.len())?;
                Ok(Value::Text(text.to_owned()))
            }
            JsonType::Bytes { length, spelling } => self.bytes(*length, *spelling).map(Value::Bytes),
            JsonType::Descriptor { contract, spelling } => {
                let size = Length::Exactly(catalog.get(*contract).descriptor().size);
                let bytes = self.bytes(size, *spelling)?;
                match interpret::read(catalog, *contract, &bytes, Host::this()) {
                    Ok(reading) => Ok(Value::Descriptor(reading.value)),
                    Err(fault) => Err(Fault { offset: place.offset, ..fault }),
                }
            }
            JsonType::Enumeration { contract, open, max_len } => match spelled(catalog, *contract) {
                Spelled::Names => self.name(*contract, *open, *max_len),
                Spelled::Integer => {
                    let number = self.integer()?;
                    place.enumeration(catalog, *contract, *open, number, self.text)?;
                    Ok(Value::Integer(number.expect("it was found within a range")))
                }
            },
            JsonType::Flags { contract } => {
                let number = self.integer()?;
                place.flags(catalog, *contract, number, self.text)?;
                Ok(Value::Integer(number.expect("it was found within a range")))
            }
            other => panic!("{other:?} holds values"),
        }
    }

    fn wrong(self) -> Fault {
        let found = match self.kind {
            Kind::Array(_) => "an array".to_owned(),
            Kind::Object(_) => "an object".to_owned(),
            _ => brief(self.text),
        };
        self.place.fault(Code::WrongType, words(self.catalog, self.ty), found)
    }

    fn items(self) -> Result<&'a [NodeId], Fault> {
        if let Kind::Array(items) = self.kind { Ok(items) } else { Err(self.wrong()) }
    }

    fn string(self) -> Result<&'a str, Fault> {
        if let Kind::Text(text) = self.kind { Ok(text) } else { Err(self.wrong()) }
    }

    fn number(self) -> Result<&'a str, Fault> {
        if !matches!(self.kind, Kind::Number) {
            return Err(self.wrong());
        }
        if self.text.len() > NUMBER {
            let expected = format!("at most {NUMBER} characters");
            return Err(self.place.fault(Code::TooLarge, expected, brief(self.text)));
        }
        Ok(self.text)
    }

    /// An integer; nothing for one that no 128 bits hold, which is beyond whatever range is asked for.
    fn integer(self) -> Result<Option<i128>, Fault> {
        match integer(self.number()?) {
            Some(Integer::Number(number)) => Ok(Some(number)),
            Some(Integer::Beyond) => Ok(None),
            None => Err(self.wrong()),
        }
    }

    /// An integer that is spelled as text, in the one way there is.
    fn decimal(self) -> Result<Option<i128>, Fault> {
        let text = self.string()?;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_zero = text == "0";
        if digits.is_empty() || (digits.starts_with('0') && !is_zero) {
            return Err(self.misspelled("decimal digits"));
        }
        match integer(text) {
            Some(Integer::Number(number)) => Ok(Some(number)),
            Some(Integer::Beyond) => Ok(None),
            None => Err(self.misspelled("decimal digits")),
        }
    }

    fn bytes(self, length: Length, spelling: Spelling) -> Result<Vec<u8>, Fault> {
        let decoded = encoding::decode(self.string()?, spelling);
        let bytes = decoded.ok_or_else(|| self.misspelled(encoding::expected(length, spelling)))?;
        self.place.bytes(length, spelling, &bytes, self.text)?;
        Ok(bytes)
    }

    fn name(self, contract: ContractId, open: bool, max_len: Option<u32>) -> Result<Value, Fault> {
        let text = self.string()?;
        let contract = self.catalog.get(contract);
        match named(contract.enumeration(), text) {
            Some(number) => Ok(Value::Integer(number)),
            None if open => {
                self.place.at_most_bytes(max_len, text.len())?;
                Ok(Value::Text(text.to_owned()))
            }
            None => {
                let expected = format!("a value of {}", contract.name);
                Err(self.place.fault(Code::UnknownValue, expected, brief(self.text)))
            }
        }
    }

    fn misspelled(self, expected: impl Into<String>) -> Fault {
        self.place.fault(Code::BadEncoding, expected, brief(self.text))
    }
}
