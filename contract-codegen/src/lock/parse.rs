//! Reads a lock. Any text may be given.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::error::{Block, LockError};
use super::form::{Form, Kind, integer};
use super::keys::{self, Key, Shape};
use super::{FORMAT, History, Lock, text, trouble};

impl Lock {
    /// Reads the text of a lock. Its blocks may stand in any order.
    pub fn parse(text: &str) -> Result<Lock, LockError> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(text.len(), |span| span.start);
            trouble::find(text, at, error.message())
        })?;
        let lines = Lines::of(text);
        let mut items: Vec<Item<'_, '_>> = table.get_ref().iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        let is_format = |(key, _): &Item<'_, '_>| key.get_ref() == "format";
        let format = items.iter().position(is_format).ok_or(LockError::NoFormat)?;
        check_format(&lines, items.remove(format))?;

        let mut lock = Lock::default();
        if let Some(at) = items.iter().position(|(key, _)| key.get_ref() == "built_with") {
            lock.built_with = built_with(&lines, items.remove(at))?;
        }
        let mut removed = Vec::new();
        for (key, value) in items {
            let line = lines.at(key);
            let found = || LockError::Heading { line, found: key.get_ref().to_string() };
            let block = heading(key.get_ref()).ok_or_else(found)?;
            if block.version == 0 {
                return Err(LockError::VersionZero { line, path: block.path });
            }
            let reader = Reader { lines: &lines, block: &block };
            let DeValue::Table(table) = value.get_ref() else {
                return Err(reader.mistyped((key, value), "a table"));
            };
            let (form, is_removed) = reader.form(table, line)?;
            if is_removed {
                removed.push((line, block));
            }
            let history = lock.histories.entry(form.path.clone()).or_default();
            history.forms.insert(form.version, form);
        }
        for (line, block) in removed {
            let history: &mut History = lock.histories.entry(block.path.clone()).or_default();
            match history.newest() {
                Some(newest) if newest.version != block.version => {
                    return Err(LockError::RemovedBefore { line, newest: newest.version, block });
                }
                _ => history.is_removed = true,
            }
        }
        Ok(lock)
    }
}

/// A key and its value, where they stand.
type Item<'table, 'text> = (&'table Spanned<Cow<'text, str>>, &'table Spanned<DeValue<'text>>);

fn check_format(lines: &Lines, (_, value): Item<'_, '_>) -> Result<(), LockError> {
    match number(value.get_ref()) {
        Some(format) if format == i64::from(FORMAT) => Ok(()),
        Some(format) if format > i64::from(FORMAT) => Err(LockError::Newer { line: lines.at(value), format }),
        _ => Err(LockError::NoFormat),
    }
}

/// The options of the build by package.
fn built_with(lines: &Lines, (_, value): Item<'_, '_>) -> Result<BTreeMap<String, String>, LockError> {
    let wrong = |value: &Spanned<DeValue<'_>>| LockError::BuiltWith { line: lines.at(value) };
    let DeValue::Table(table) = value.get_ref() else { return Err(wrong(value)) };
    let entries = table.iter().map(|(package, options)| match options.get_ref().as_str() {
        Some(text) if !text.is_empty() => Ok((package.get_ref().to_string(), text.to_owned())),
        _ => Err(wrong(options)),
    });
    entries.collect()
}

/// The path and the version of a heading, as it is written: no sign, no zero in front.
pub(super) fn heading(text: &str) -> Option<Block> {
    let (path, digits) = text.rsplit_once('@')?;
    let version: u32 = digits.parse().ok().filter(|version: &u32| version.to_string() == digits)?;
    let is_name =
        |name: &str| !name.trim().is_empty() && !name.contains(|it: char| it.is_control() || it == '@');
    let is_path = path.contains("::") && path.split("::").all(is_name);
    is_path.then(|| Block { path: path.to_owned(), version })
}

/// Where lines start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(ends.map(|(at, _)| at + 1).collect())
    }

    /// The line that something starts in.
    fn at<T>(&self, it: &Spanned<T>) -> usize {
        1 + self.0.partition_point(|start| *start <= it.span().start)
    }
}

/// Reads one block.
struct Reader<'a> {
    lines: &'a Lines,
    block: &'a Block,
}

impl Reader<'_> {
    /// The form, and whether the contract is removed.
    fn form(&self, table: &DeTable<'_>, line: usize) -> Result<(Form, bool), LockError> {
        let mut items: Vec<Item<'_, '_>> = table.iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        let mut take = |name: &str| {
            let at = items.iter().position(|(key, _)| key.get_ref() == name)?;
            Some(items.remove(at))
        };
        let missing = |key| LockError::Missing { line, block: self.block.clone(), key };

        let item = take("kind").ok_or_else(|| missing("kind"))?;
        let word = self.text(item)?;
        let kind = Kind::from_name(word).ok_or_else(|| LockError::UnknownKind {
            line: self.lines.at(item.1),
            block: self.block.clone(),
            kind: word.to_owned(),
        })?;
        let wire_id = self.id(take("wire_id").ok_or_else(|| missing("wire_id"))?)?;
        let stated = self.id(take("digest").ok_or_else(|| missing("digest"))?)?;
        let removed = take("removed").map(|item| match item.1.get_ref() {
            DeValue::Boolean(is_removed) => Ok(*is_removed),
            _ => Err(self.mistyped(item, Shape::Truth.expected())),
        });
        let is_removed = removed.transpose()?.unwrap_or(false);
        let table = self.table(items, keys::of(kind), line)?;

        let Block { path, version } = self.block.clone();
        let form = Form { path, version, kind, wire_id, table };
        let found = text::digest(&form, is_removed);
        if found != stated {
            return Err(LockError::Edited { line, block: self.block.clone(), stated, found });
        }
        Ok((form, is_removed))
    }

    fn table(&self, items: Vec<Item<'_, '_>>, keys: &[Key], line: usize) -> Result<Table, LockError> {
        let mut table = Table::new();
        for item in items {
            let name = item.0.get_ref();
            let key = keys.iter().find(|key| key.name == name).ok_or_else(|| LockError::UnknownKey {
                line: self.lines.at(item.0),
                block: self.block.clone(),
                key: name.to_string(),
            })?;
            table.insert(name.to_string(), self.value(item, item.1, key.shape)?);
        }
        match keys.iter().find(|key| key.is_required && !table.contains_key(key.name)) {
            Some(key) => Err(LockError::Missing { line, block: self.block.clone(), key: key.name }),
            None => Ok(table),
        }
    }

    /// The value of a key, or one in it, if it has that shape.
    fn value(
        &self,
        item: Item<'_, '_>,
        value: &Spanned<DeValue<'_>>,
        shape: Shape,
    ) -> Result<Value, LockError> {
        let wrong = || self.mistyped((item.0, value), shape.expected());
        let all = |shape: Shape| match value.get_ref() {
            DeValue::Array(items) => items
                .iter()
                .map(|each| self.value(item, each, shape))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            _ => Err(wrong()),
        };
        match shape {
            Shape::Texts | Shape::Lines => all(Shape::Text),
            Shape::Members(keys) => all(Shape::Table(keys)),
            Shape::Sizes => all(Shape::Number),
            Shape::Numbers => match all(Shape::Number)? {
                Value::Array(four) if four.len() == 4 => Ok(Value::Array(four)),
                _ => Err(wrong()),
            },
            Shape::Table(keys) => {
                let DeValue::Table(table) = value.get_ref() else { return Err(wrong()) };
                let mut items: Vec<Item<'_, '_>> = table.iter().collect();
                items.sort_by_key(|(key, _)| key.span().start);
                self.table(items, keys, self.lines.at(value)).map(Value::Table)
            }
            Shape::Text | Shape::Number | Shape::Bound | Shape::Truth | Shape::Any => {
                let value = plain(value.get_ref()).ok_or_else(wrong)?;
                let is_right = match shape {
                    Shape::Text => value.is_str(),
                    Shape::Number => integer(&value).is_some(),
                    Shape::Bound => value.is_float() || integer(&value).is_some(),
                    Shape::Truth => value.is_bool(),
                    _ => true,
                };
                if is_right { Ok(value) } else { Err(wrong()) }
            }
        }
    }

    fn text<'text>(&self, item: Item<'text, '_>) -> Result<&'text str, LockError> {
        item.1.get_ref().as_str().ok_or_else(|| self.mistyped(item, Shape::Text.expected()))
    }

    /// An id or a digest, as it is written.
    fn id(&self, item: Item<'_, '_>) -> Result<u64, LockError> {
        let text = self.text(item)?;
        let id = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        id.filter(|id| format!("{id:#018x}") == text).ok_or_else(|| LockError::Mistyped {
            line: self.lines.at(item.1),
            block: self.block.clone(),
            key: item.0.get_ref().to_string(),
            expected: "`0x` and 16 hexadecimal digits",
            found: "other text",
        })
    }

    fn mistyped(&self, (key, value): Item<'_, '_>, expected: &'static str) -> LockError {
        LockError::Mistyped {
            line: self.lines.at(value),
            block: self.block.clone(),
            key: key.get_ref().to_string(),
            expected,
            found: in_words(value.get_ref()),
        }
    }
}

/// A value without places; none where it is more than a lock has: a date, or a number of more than 64 bits.
fn plain(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(_) => Value::Integer(number(value)?),
        DeValue::Float(of) => Value::Float(of.as_str().parse().ok()?),
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(_) => return None,
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| plain(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let items =
                table.iter().map(|(key, value)| Some((key.get_ref().to_string(), plain(value.get_ref())?)));
            Value::Table(items.collect::<Option<_>>()?)
        }
    })
}

fn number(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

fn in_words(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) if number(value).is_none() => "a number of more than 64 bits",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
