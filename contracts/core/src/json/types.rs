//! The types of keys, items and contents.

mod bytes;
mod list;
mod map;
mod scalar;
mod text;
pub(crate) mod values;

use super::{Bounds, JsonShape, Key, Plain, Reader, Stop, Writer};
use crate::WireError;
use crate::error::Place;

/// What a key may hold, spelled as `S` says.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no such form in JSON",
    label = "not a type of a JSON contract, or not one that is spelled so",
    note = "a key holds u8 to u64, i8 to i64, bool, f32, f64, String, `Vec<T>`, `[T; N]`, `BTreeMap<String, String>`, `wirecontract::Json`, an enumeration, `Open<E>`, `OpenName<E>`, `Flags<E>`, a recipe, a union or a box of one; `Option<T>` only as the whole type of a key",
    note = "a descriptor is spelled in `hex` or `base64`; `hex` and `base64` are also for `[u8; N]` and `Vec<u8>`, `uuid` for `[u8; 16]`, `decimal_string` for integers; for usize write u64"
)]
pub trait JsonType<S = Plain>: Sized {
    /// What the record says of it.
    const SHAPE: JsonShape;

    /// Reads it.
    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop>;

    /// Writes it.
    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop>;

    /// What is checked of it at import.
    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        let _ = fd_count;
        Ok(())
    }

    /// Gives every absent key that has a default this default, in what it holds.
    fn fill(&mut self) {}

    // What an expansion calls of a key is a function of the key's type here, so that a type which is none of these is
    // one error, however often it is named.

    /// Reads a required key.
    #[inline(always)]
    fn take(slot: &mut Option<Self>, reader: &mut Reader<'_>, key: &'static Key) -> Result<(), Stop> {
        if slot.is_some() {
            return Err(Stop);
        }
        *slot = Some(Self::read(reader, &key.place, &key.bounds)?);
        Ok(())
    }

    /// Reads an optional or defaulted key: `Some(None)` is one that is there and says nothing.
    #[inline(always)]
    fn take_optional(
        slot: &mut Option<Option<Self>>,
        reader: &mut Reader<'_>,
        key: &'static Key,
    ) -> Result<(), Stop> {
        if slot.is_some() {
            return Err(Stop);
        }
        if key.is_nullable && reader.null() {
            *slot = Some(None);
            return Ok(());
        }
        if !key.is_lenient {
            *slot = Some(Some(Self::read(reader, &key.place, &key.bounds)?));
            return Ok(());
        }
        let before = reader.before();
        *slot = match Self::read(reader, &key.place, &key.bounds) {
            Ok(value) => Some(Some(value)),
            Err(Stop) => {
                reader.forgive(before)?;
                Some(None)
            }
        };
        Ok(())
    }

    /// Writes a key that is there.
    #[inline(always)]
    fn put(&self, writer: &mut Writer, key: &'static Key) -> Result<(), Stop> {
        writer.raw(key.head);
        self.write(writer, &key.place, &key.bounds)
    }

    /// Writes a key that may be absent.
    #[inline(always)]
    fn put_optional(value: &Option<Self>, writer: &mut Writer, key: &'static Key) -> Result<(), Stop> {
        match value {
            Some(value) => value.put(writer, key)?,
            None if key.is_null_when_absent => {
                writer.raw(key.head);
                writer.raw("null");
            }
            None => {}
        }
        Ok(())
    }

    /// [`import`](Self::import) of a value that may be absent.
    #[inline(always)]
    fn import_optional(value: &Option<Self>, fd_count: usize) -> Result<(), WireError> {
        value.as_ref().map_or(Ok(()), |value| value.import(fd_count))
    }

    /// [`fill`](Self::fill) of a value that may be absent.
    #[inline(always)]
    fn fill_optional(value: &mut Option<Self>) {
        if let Some(value) = value {
            value.fill();
        }
    }
}
