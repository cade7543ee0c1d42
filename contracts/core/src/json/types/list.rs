//! Arrays of any number and of a fixed number of items.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::JsonType;
use crate::error::{Place, Unit};
use crate::json::number::count;
use crate::json::{Bounds, JsonShape, Reader, Stop, Writer};
use crate::{Code, Expected, Found, WireError};

impl<S, T: JsonType<S>> JsonType<S> for Vec<T> {
    const SHAPE: JsonShape = JsonShape::list(&T::SHAPE);

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        let expected = Expected::Most { count: bounds.max_items as u64, unit: Unit::Items };
        reader.open_array(place)?;
        read_items(reader, place, bounds, bounds.max_items, expected)
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        let expected = Expected::Most { count: bounds.max_items as u64, unit: Unit::Items };
        write_items(self, writer, place, bounds, bounds.max_items, expected)
    }

    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        self.iter().try_for_each(|item| item.import(fd_count))
    }

    fn fill(&mut self) {
        self.iter_mut().for_each(T::fill);
    }
}

impl<S, T: JsonType<S>, const N: usize> JsonType<S> for [T; N] {
    const SHAPE: JsonShape = JsonShape::array(&T::SHAPE, N);

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        let expected = Expected::Items(N as u64);
        let start = reader.open_array(place)?;
        let items: Vec<T> = read_items(reader, place, bounds, N, expected)?;
        items.try_into().map_err(|items: Vec<T>| {
            reader.refuse(place, start, Code::TooShort, expected, count(items.len()))
        })
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        write_items(self, writer, place, bounds, N, Expected::Items(N as u64))
    }

    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        self.iter().try_for_each(|item| item.import(fd_count))
    }

    fn fill(&mut self) {
        self.iter_mut().for_each(T::fill);
    }
}

fn read_items<S, T: JsonType<S>>(
    reader: &mut Reader<'_>,
    place: &'static Place,
    bounds: &Bounds,
    most: usize,
    expected: Expected,
) -> Result<Vec<T>, Stop> {
    let bounds = bounds.of_items();
    let mut items = Vec::new();
    let mut is_there = reader.first_item();
    while is_there {
        if items.len() >= most {
            return Err(reader.refuse(place, reader.at, Code::TooMany, expected, Found::Nothing));
        }
        items.push(T::read(reader, place, &bounds)?);
        is_there = reader.next_item()?;
    }
    Ok(items)
}

fn write_items<S, T: JsonType<S>>(
    items: &[T],
    writer: &mut Writer,
    place: &'static Place,
    bounds: &Bounds,
    most: usize,
    expected: Expected,
) -> Result<(), Stop> {
    let bounds = bounds.of_items();
    let start = writer.open();
    for (index, item) in items.iter().enumerate() {
        if index >= most {
            return Err(writer.refuse(place, Code::TooMany, expected, Found::Nothing));
        }
        writer.out.push(b',');
        item.write(writer, place, &bounds)?;
    }
    writer.close(start, *b"[]");
    Ok(())
}

impl<T: JsonType> JsonType for Box<T> {
    const SHAPE: JsonShape = T::SHAPE;

    fn read(reader: &mut Reader<'_>, place: &'static Place, bounds: &Bounds) -> Result<Self, Stop> {
        T::read(reader, place, bounds).map(Box::new)
    }

    fn write(&self, writer: &mut Writer, place: &'static Place, bounds: &Bounds) -> Result<(), Stop> {
        T::write(self, writer, place, bounds)
    }

    fn import(&self, fd_count: usize) -> Result<(), WireError> {
        T::import(self, fd_count)
    }

    fn fill(&mut self) {
        T::fill(self);
    }
}
