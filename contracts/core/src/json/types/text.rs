//! Text, and JSON of any kind.

use alloc::string::String;

use super::JsonType;
use crate::error::{Place, Unit};
use crate::json::number::count;
use crate::json::value::{compact, compact_length};
use crate::json::{Bounds, Json, JsonShape, Reader, Stop, Writer};
use crate::{Code, Expected};

impl JsonType for String {
    const SHAPE: JsonShape = JsonShape::TEXT;

    #[inline]
    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        Ok(reader.string(place, bounds.max_len)?.into_owned())
    }

    #[inline]
    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        writer.bounded(place, bounds.max_len, self.len())?;
        writer.string(self);
        Ok(())
    }
}

impl JsonType for Json {
    const SHAPE: JsonShape = JsonShape::JSON;

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        let start = reader.at;
        let value = reader.skip()?;
        // Compact text is never longer than the text: what is too long is not copied.
        if value.len() > bounds.max_len {
            let length = compact_length(value);
            if length > bounds.max_len {
                return Err(reader.too_long(place, start, bounds.max_len, length));
            }
        }
        let mut text = alloc::vec::Vec::new();
        compact(value, &mut text);
        Ok(Json::of_compact(text))
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        writer.bounded(place, bounds.max_len, self.as_str().len())?;
        writer.json(self);
        Ok(())
    }
}

impl Writer {
    /// Refuses more bytes than a bound.
    #[inline]
    pub(super) fn bounded(
        &mut self,
        place: &'static Place,
        max_len: usize,
        length: usize,
    ) -> Result<(), Stop> {
        if length > max_len {
            let expected = Expected::Most { count: max_len as u64, unit: Unit::Bytes };
            return Err(self.refuse(place, Code::TooLarge, expected, count(length)));
        }
        Ok(())
    }

    /// Writes JSON.
    pub(in crate::json) fn json(&mut self, json: &Json) {
        self.deepest = self.deepest.max(self.depth + json.depth());
        self.raw(json.as_str());
    }
}
