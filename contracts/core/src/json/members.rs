//! Recipes and unions: what stands between `{` and `}`.

use alloc::boxed::Box;

use super::keys::Keys;
use super::least::Least;
use super::object::{Object, Rest};
use super::{Key, Reader, Stop, Writer};
use crate::error::Place;
use crate::{Contract, WireError};

/// A recipe or a union, as the members of an object. Implemented by the derive.
///
/// Keys have *positions*, in declared order: 0 to `COUNT`. A flattened part has as many as it counts itself and one
/// more, at which it is complete; a union's tag is its position 0.
///
/// A reader reads members as they come and stops at the first fault. What the fault is, it finds in a second reading
/// by ascending position, which is the order that every language shares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no recipe and no union",
    note = "derive `WireContract` on a struct marked `#[wire(recipe)]` or on an enum marked `#[wire(union, …)]`"
)]
pub trait Members: Contract + Sized {
    /// What was read so far: one slot a key.
    type Fields;

    /// How many positions there are.
    const COUNT: usize;

    /// The keys that an untagged union knows it by: its own required ones.
    const REQUIRED: &'static [&'static str];

    /// All keys that may stand in its object.
    const KEYS: &'static Keys = &Keys::NONE;

    /// Whether it refuses keys that are nobody's; of a union whose variants stand in its object, whether one does.
    const DENIES: bool = false;

    /// The least that its members have.
    const LEAST: Least = Least::NOTHING;

    /// The longest document.
    const MAX_BYTES: usize;

    /// The most objects and arrays around a value.
    const MAX_DEPTH: usize;

    /// Nothing read yet. Unions look for their tag here, and refuse nothing: a tag at fault is refused at its position.
    fn begin(reader: &Reader<'_>, object: Object) -> Self::Fields;

    /// The position of a key; none of a key that is nobody's.
    fn index(fields: &Self::Fields, key: &str) -> Option<usize>;

    /// Reads the value of the key at a position, and refuses a second one.
    fn read(fields: &mut Self::Fields, index: usize, reader: &mut Reader<'_>) -> Result<(), Stop>;

    /// Refuses the absence of what stands at a position, and completes a flattened part.
    fn absent(
        fields: &mut Self::Fields,
        index: usize,
        reader: &mut Reader<'_>,
        object: Object,
    ) -> Result<(), Stop>;

    /// The value; refused when a required key is absent. Conditions and rules are not looked at here.
    fn finish(fields: Self::Fields, reader: &mut Reader<'_>, object: Object) -> Result<Self, Stop>;

    /// The contract that refuses keys which are nobody's.
    fn denies(fields: &Self::Fields) -> Option<&'static str> {
        let _ = fields;
        None
    }

    /// Where members that are nobody's are kept: by the open variant of a union.
    fn rest(fields: &mut Self::Fields) -> Option<&mut Rest> {
        let _ = fields;
        None
    }

    /// Conditions, then rules. `offset` is that of the object.
    fn check(&self, offset: usize) -> Result<(), WireError> {
        let _ = offset;
        Ok(())
    }

    /// Writes the members.
    fn write(&self, writer: &mut Writer) -> Result<(), Stop>;

    /// The union, in its object, that a document says another variant of: `fields` were begun on what was written.
    ///
    /// Only members that are nobody's can make it one.
    fn misread(&self, fields: &Self::Fields) -> Option<&'static Place> {
        let _ = fields;
        None
    }

    /// What is checked at import: what is nested in declared order, then own conditions, then own rules.
    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        let _ = fd_count;
        Ok(())
    }

    /// Gives every absent key that has a default this default, also in what is nested.
    fn fill(&mut self) {}

    /// [`finish`](Self::finish), then conditions and rules.
    #[inline(always)]
    fn finish_checked(fields: Self::Fields, reader: &mut Reader<'_>, object: Object) -> Result<Self, Stop> {
        finish::<Self>(fields, reader, object)
    }

    /// [`write`](Self::write), then conditions and rules.
    #[inline(always)]
    fn put(&self, writer: &mut Writer) -> Result<(), Stop> {
        put_members(writer, self)
    }
}

/// A recipe or union behind a pointer, as a variant of a union that would be large.
impl<M: Members> Members for Box<M> {
    type Fields = M::Fields;
    const COUNT: usize = M::COUNT;
    const REQUIRED: &'static [&'static str] = M::REQUIRED;
    const KEYS: &'static Keys = M::KEYS;
    const DENIES: bool = M::DENIES;
    const LEAST: Least = M::LEAST;
    const MAX_BYTES: usize = M::MAX_BYTES;
    const MAX_DEPTH: usize = M::MAX_DEPTH;

    fn begin(reader: &Reader<'_>, object: Object) -> M::Fields {
        M::begin(reader, object)
    }

    fn index(fields: &M::Fields, key: &str) -> Option<usize> {
        M::index(fields, key)
    }

    fn read(fields: &mut M::Fields, index: usize, reader: &mut Reader<'_>) -> Result<(), Stop> {
        M::read(fields, index, reader)
    }

    fn absent(
        fields: &mut M::Fields,
        index: usize,
        reader: &mut Reader<'_>,
        object: Object,
    ) -> Result<(), Stop> {
        M::absent(fields, index, reader, object)
    }

    fn finish(fields: M::Fields, reader: &mut Reader<'_>, object: Object) -> Result<Self, Stop> {
        M::finish(fields, reader, object).map(Box::new)
    }

    fn denies(fields: &M::Fields) -> Option<&'static str> {
        M::denies(fields)
    }

    fn rest(fields: &mut M::Fields) -> Option<&mut Rest> {
        M::rest(fields)
    }

    fn check(&self, offset: usize) -> Result<(), WireError> {
        M::check(self, offset)
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Stop> {
        M::write(self, writer)
    }

    fn misread(&self, fields: &M::Fields) -> Option<&'static Place> {
        M::misread(self, fields)
    }

    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        M::import(self, fd_count)
    }

    fn fill(&mut self) {
        M::fill(self);
    }
}

impl<C: Contract> Contract for Box<C> {
    const NAME: &'static str = C::NAME;
    const KIND: crate::Kind = C::KIND;
    const WIRE_ID: u64 = C::WIRE_ID;
    const SOURCE_ID: u64 = C::SOURCE_ID;
    const PATH: &'static str = C::PATH;
    const VERSION: u32 = C::VERSION;
    const EARLIER: &'static [(u32, u64)] = C::EARLIER;
}

/// How many positions the variant of a union has that has the most.
pub const fn most_positions(counts: &[usize]) -> usize {
    let (mut most, mut index) = (0, 0);
    while index < counts.len() {
        if counts[index] > most {
            most = counts[index];
        }
        index += 1;
    }
    most
}

/// A flattened part: its keys as they are read, and the value once they all were.
pub enum Part<M: Members> {
    /// Keys are being read.
    Open(M::Fields),
    /// All were, and conditions and rules hold.
    Complete(M),
    /// What is left while one becomes the other.
    Taken,
}

impl<M: Members> Part<M> {
    /// Nothing read yet.
    pub fn begin(reader: &Reader<'_>, object: Object) -> Self {
        Part::Open(M::begin(reader, object))
    }

    /// [`Members::index`].
    #[inline]
    pub fn index(&self, key: &str) -> Option<usize> {
        match self {
            Part::Open(fields) => M::index(fields, key),
            _ => None,
        }
    }

    /// [`Members::read`].
    #[inline]
    pub fn read(&mut self, index: usize, reader: &mut Reader<'_>) -> Result<(), Stop> {
        match self {
            Part::Open(fields) => M::read(fields, index, reader),
            _ => Err(Stop),
        }
    }

    /// [`Members::absent`]; behind the last position, completes the part.
    pub fn absent(&mut self, index: usize, reader: &mut Reader<'_>, object: Object) -> Result<(), Stop> {
        match self {
            Part::Open(fields) if index < M::COUNT => M::absent(fields, index, reader, object),
            Part::Open(_) => {
                let part = core::mem::replace(self, Part::Taken);
                *self = Part::Complete(part.finish(reader, object)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The value.
    pub fn finish(self, reader: &mut Reader<'_>, object: Object) -> Result<M, Stop> {
        match self {
            Part::Open(fields) => finish::<M>(fields, reader, object),
            Part::Complete(value) => Ok(value),
            Part::Taken => Err(Stop),
        }
    }

    /// [`Members::misread`], of the value that the part was written from.
    pub fn misread(&self, value: &M) -> Option<&'static Place> {
        match self {
            Part::Open(fields) => value.misread(fields),
            _ => None,
        }
    }

    /// [`Members::rest`].
    pub fn rest(&mut self) -> Option<&mut Rest> {
        match self {
            Part::Open(fields) => M::rest(fields),
            _ => None,
        }
    }
}

/// [`Members::finish`], then conditions and rules.
#[inline]
pub(super) fn finish<M: Members>(
    fields: M::Fields,
    reader: &mut Reader<'_>,
    object: Object,
) -> Result<M, Stop> {
    let value = M::finish(fields, reader, object)?;
    reader.admit(value.check(object.start))?;
    Ok(value)
}

/// [`Members::write`], then conditions and rules.
#[inline]
pub fn put_members<M: Members>(writer: &mut Writer, value: &M) -> Result<(), Stop> {
    value.write(writer)?;
    writer.admit(value.check(0))
}

/// The value of a required key.
#[inline(always)]
pub fn required<T>(
    slot: Option<T>,
    reader: &mut Reader<'_>,
    object: Object,
    key: &'static Key,
) -> Result<T, Stop> {
    match slot {
        Some(value) => Ok(value),
        None => Err(reader.missing(object, &key.place)),
    }
}

/// Refuses the absence of a required key.
pub fn missing<T>(reader: &mut Reader<'_>, object: Object, place: &'static Place) -> Result<T, Stop> {
    Err(reader.missing(object, place))
}
