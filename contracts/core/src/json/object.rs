//! Objects of known keys: read as they come, and read again by declared order for what is wrong with them.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use super::members::{finish, put_members};
use super::reader::Mode;
use super::text;
use super::value::compact;
use super::walk::{self, Duplicates, Keys};
use super::{Members, Reader, Stop, Writer};
use crate::error::Place;
use crate::{Code, Expected};

/// An object that is being read.
#[derive(Clone, Copy)]
pub struct Object {
    /// Where its `{` is.
    pub start: usize,
}

/// Members of an object that are nobody's, as JSON text.
#[derive(Default)]
pub struct Rest {
    members: Vec<u8>,
}

impl Rest {
    fn add(&mut self, key: &str, value: &str) {
        self.members.push(b',');
        text::write(&mut self.members, key);
        self.members.push(b':');
        compact(value, &mut self.members);
    }

    /// The object of these members.
    pub(super) fn into_object(self) -> String {
        let mut object = self.members;
        match object.first_mut() {
            Some(first) => *first = b'{',
            None => object.push(b'{'),
        }
        object.push(b'}');
        String::from_utf8(object).unwrap_or_default()
    }
}

/// A member of an object whose syntax was looked at.
struct Member<'a> {
    key: Cow<'a, str>,
    key_at: usize,
    value_at: usize,
}

/// Reads a recipe or a union.
pub fn read_object<M: Members>(reader: &mut Reader<'_>, place: &'static Place) -> Result<M, Stop> {
    let object = reader.open_object(place)?;
    if reader.mode != Mode::Fast {
        return read_ordered(reader, object);
    }
    let mut fields = M::begin(reader, object);
    let mut strangers = Keys::new();
    let mut next = reader.first_key()?;
    while let Some(key) = next {
        match M::index(&fields, key) {
            Some(index) => M::read(&mut fields, index, reader)?,
            None => stranger::<M>(&mut fields, &mut strangers, key, reader)?,
        }
        next = reader.next_key()?;
    }
    finish::<M>(fields, reader, object)
}

/// Passes a member that is nobody's, or gives it to who keeps such members.
#[cold]
fn stranger<'a, M: Members>(
    fields: &mut M::Fields,
    strangers: &mut Keys<'a>,
    key: &'a str,
    reader: &mut Reader<'a>,
) -> Result<(), Stop> {
    if !strangers.add(Cow::Borrowed(key)) {
        return Err(Stop);
    }
    let value = reader.skip()?;
    let is_denied = M::denies(fields).is_some();
    match M::rest(fields) {
        Some(rest) => rest.add(key, value),
        None if is_denied => return Err(Stop),
        None => {}
    }
    Ok(())
}

/// Reads a recipe or a union by ascending position.
#[cold]
#[inline(never)]
fn read_ordered<M: Members>(reader: &mut Reader<'_>, object: Object) -> Result<M, Stop> {
    let mut fields = M::begin(reader, object);
    let members = reader.members()?;
    let end = reader.at;
    let mut values = vec![None; M::COUNT];
    let mut strangers = Vec::new();
    for member in &members {
        match M::index(&fields, &member.key) {
            Some(index) => {
                if let Some(value) = values.get_mut(index) {
                    *value = Some(member.value_at);
                }
            }
            None => strangers.push(member),
        }
    }
    let rest = M::rest(&mut fields);
    let is_kept = rest.is_some();
    if let Some(rest) = rest {
        for member in &strangers {
            reader.at = member.value_at;
            rest.add(&member.key, reader.skip()?);
        }
    }
    for (index, value) in values.into_iter().enumerate() {
        match value {
            Some(value) => {
                reader.at = value;
                M::read(&mut fields, index, reader)?;
            }
            None => M::absent(&mut fields, index, reader, object)?,
        }
    }
    if let (false, Some(contract), Some(stranger)) = (is_kept, M::denies(&fields), strangers.first()) {
        return Err(reader.unknown_key(contract, stranger.key_at));
    }
    reader.at = end;
    reader.depth -= 1;
    finish::<M>(fields, reader, object)
}

impl<'a> Reader<'a> {
    /// The members of the object that was entered; then the reader stands behind it.
    fn members(&mut self) -> Result<Vec<Member<'a>>, Stop> {
        let mut members = Vec::new();
        if self.peek() == b'}' {
            self.at += 1;
            return Ok(members);
        }
        loop {
            let key_at = self.at;
            let key = self.any_key()?;
            members.push(Member { key, key_at, value_at: self.at });
            self.skip()?;
            self.space();
            let byte = self.peek();
            self.at += 1;
            match byte {
                b',' => self.space(),
                b'}' => return Ok(members),
                _ => return Err(Stop),
            }
        }
    }

    /// A key and its colon.
    fn any_key(&mut self) -> Result<Cow<'a, str>, Stop> {
        if self.peek() != b'"' {
            return Err(Stop);
        }
        let start = self.at;
        let key = match self.plain_string() {
            Some(string) => Cow::Borrowed(&string[1..string.len() - 1]),
            None => {
                self.at = walk::string(self.text, start).map_err(|_| Stop)?;
                text::unescape(&self.text[start + 1..self.at - 1])
            }
        };
        self.colon()?;
        Ok(key)
    }

    /// Calls with each key of an object and the offset of its value, until the answer is false.
    pub(super) fn scan(
        &self,
        object: Object,
        mut visit: impl FnMut(Cow<'a, str>, usize) -> bool,
    ) -> Result<(), Stop> {
        let mut reader = Reader::new(self.text, self.levels, Mode::Ordered);
        reader.at = object.start + 1;
        reader.depth = self.depth;
        reader.space();
        if reader.peek() == b'}' {
            return Ok(());
        }
        loop {
            let key = reader.any_key()?;
            if !visit(key, reader.at) {
                return Ok(());
            }
            reader.skip()?;
            reader.space();
            match reader.peek() {
                b',' => reader.at += 1,
                b'}' => return Ok(()),
                _ => return Err(Stop),
            }
            reader.space();
        }
    }

    #[cold]
    fn unknown_key(&mut self, contract: &'static str, key_at: usize) -> Stop {
        self.fault = Some(crate::WireError {
            code: Code::UnknownKey,
            contract,
            field: "",
            offset: key_at,
            expected: Expected::KeyOf(contract),
            found: self.brief(key_at),
        });
        Stop
    }
}

/// Writes a recipe or a union.
pub fn write_object<M: Members>(value: &M, writer: &mut Writer) -> Result<(), Stop> {
    let start = writer.open();
    put_members(writer, value)?;
    writer.close(start, *b"{}");
    if const { M::KEYS.keeps_others() } && writer.has_rest {
        begin_again(value, writer, start);
    }
    Ok(())
}

/// Begins to read what was written from `start` on: members that are nobody's may have what an earlier variant of an
/// untagged union is known by, or the tag of a union that was written without one.
#[cold]
#[inline(never)]
fn begin_again<M: Members>(value: &M, writer: &mut Writer, start: usize) {
    let Ok(text) = core::str::from_utf8(&writer.out[start..]) else { return };
    let reader = Reader::new(text, usize::MAX, Mode::Ordered);
    let fields = M::begin(&reader, Object { start: 0 });
    let misread = value.misread(&fields);
    writer.misread = writer.misread.or(misread);
}

/// Which variant of an untagged union an object is: the first whose required keys are all there, else the last.
pub fn choose(reader: &Reader<'_>, object: Object, required: &[&[&str]]) -> usize {
    let mut keys = Vec::new();
    // What stops the scan stops the reader too.
    let _ = reader.scan(object, |key, _| {
        if required.iter().any(|of_one| of_one.contains(&&*key)) {
            keys.push(key);
        }
        true
    });
    let has = |key: &&str| keys.iter().any(|there| there == key);
    required.iter().position(|of_one| of_one.iter().all(has)).unwrap_or(required.len().saturating_sub(1))
}

/// The tag of a union in an object.
pub enum Tag<'a> {
    /// There is none.
    Absent,
    /// What stands there is no string.
    Faulty,
    /// This one.
    Name(Cow<'a, str>),
}

impl<'a> Tag<'a> {
    /// Looks for the tag of a union among the members of an object.
    pub fn find(reader: &Reader<'a>, object: Object, key: &str) -> Tag<'a> {
        let mut found = None;
        let scan = reader.scan(object, |name, value| {
            let is_it = name == key;
            if is_it {
                found = Some(value);
            }
            !is_it
        });
        match (scan, found) {
            (Ok(()), Some(value)) => {
                let Ok(end) = walk::value(reader.text, value, 0, 0, Duplicates::Passed) else {
                    return Tag::Faulty;
                };
                match reader.text[value..end].strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                    Some(raw) => Tag::Name(text::unescape(raw)),
                    None => Tag::Faulty,
                }
            }
            (Ok(()), None) => Tag::Absent,
            (Err(Stop), _) => Tag::Faulty,
        }
    }

    /// The tag of a lenient union: in lenient reading one at fault counts as absent. `known` are the tags of a union
    /// that keeps no others.
    #[must_use]
    pub fn or_absent(self, reader: &Reader<'_>, known: Option<&[&str]>) -> Tag<'a> {
        let is_forgiven = reader.mode == Mode::Lenient
            && match &self {
                Tag::Absent => false,
                Tag::Faulty => true,
                Tag::Name(name) => known.is_some_and(|known| !known.contains(&&**name)),
            };
        if is_forgiven { Tag::Absent } else { self }
    }
}

/// Reads the tag of a union: `is_known` says whether a variant was found for it, `seen` that it was read before.
pub fn take_tag(
    seen: &mut bool,
    is_known: bool,
    reader: &mut Reader<'_>,
    place: &'static Place,
) -> Result<(), Stop> {
    if *seen || reader.mode == Mode::Fast && !is_known {
        return Err(Stop);
    }
    *seen = true;
    let start = reader.at;
    reader.string(place, usize::MAX)?;
    if !is_known {
        let found = reader.brief(start);
        return Err(reader.refuse(place, start, Code::UnknownTag, Expected::TagOf(place.contract), found));
    }
    Ok(())
}

/// The same of a lenient union, whose tag at fault was taken for an absent one in lenient reading: lists that fault.
/// `known` are the tags of a union that keeps no others.
pub fn take_lenient_tag(
    seen: &mut bool,
    is_known: bool,
    known: Option<&[&str]>,
    reader: &mut Reader<'_>,
    place: &'static Place,
) -> Result<(), Stop> {
    if reader.mode != Mode::Lenient {
        return take_tag(seen, is_known, reader, place);
    }
    let before = reader.before();
    let start = reader.at;
    let is_known = match (reader.string(place, usize::MAX), known) {
        (Ok(tag), Some(known)) => known.contains(&&*tag),
        _ => true,
    };
    reader.at = start;
    match take_tag(seen, is_known, reader, place) {
        Ok(()) => Ok(()),
        Err(Stop) => reader.forgive(before),
    }
}
