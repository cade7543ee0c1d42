//! Maps of text to text.

use alloc::collections::BTreeMap;
use alloc::string::String;

use super::JsonType;
use crate::error::{Place, Unit};
use crate::json::{Bounds, JsonShape, Reader, Stop, Writer};
use crate::{Code, Expected, Found};

fn at_most(bounds: &Bounds) -> Expected {
    Expected::Most { count: bounds.max_items as u64, unit: Unit::Members }
}

impl JsonType for BTreeMap<String, String> {
    const SHAPE: JsonShape = JsonShape::MAP;

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        reader.open_object(place)?;
        let mut map = BTreeMap::new();
        if reader.peek() == b'}' {
            reader.at += 1;
            reader.depth -= 1;
            return Ok(map);
        }
        loop {
            if map.len() >= bounds.max_items && reader.peek() == b'"' {
                return Err(reader.refuse(place, reader.at, Code::TooMany, at_most(bounds), Found::Nothing));
            }
            let key = reader.text(place, bounds)?;
            reader.colon()?;
            let value = reader.text(place, bounds)?;
            if map.insert(key.into_owned(), value.into_owned()).is_some() {
                return Err(Stop);
            }
            reader.space();
            let byte = reader.peek();
            reader.at += 1;
            match byte {
                b',' => reader.space(),
                b'}' => {
                    reader.depth -= 1;
                    return Ok(map);
                }
                _ => return Err(Stop),
            }
        }
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        let start = writer.open();
        for (index, (key, value)) in self.iter().enumerate() {
            if index >= bounds.max_items {
                return Err(writer.refuse(place, Code::TooMany, at_most(bounds), Found::Nothing));
            }
            writer.out.push(b',');
            key.write(writer, place, bounds)?;
            writer.out.push(b':');
            value.write(writer, place, bounds)?;
        }
        writer.close(start, *b"{}");
        Ok(())
    }
}
