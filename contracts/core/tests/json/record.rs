//! What the record says of types, and what goes into a wire id.

use std::collections::BTreeMap;

use wirecontract::__private::{
    Base64, DecimalString, Hex, JsonShape, JsonType, Plain, Uuid, json_wire_id, json_words, json_words_length,
};
use wirecontract::{Contract, Flags, Json, Open, OpenName};

use super::contracts::{Access, Extent, Format, Measure, Point, Tiling};

const fn shape<T: JsonType<S>, S>() -> JsonShape {
    T::SHAPE
}

fn words<T: JsonType<S>, S>() -> Vec<u32> {
    let shapes = [T::SHAPE];
    let padded: [u32; 16] = json_words(&shapes);
    padded[..json_words_length(&shapes)].to_vec()
}

/// The ids that a contract has in words: wire id, then source id, each low word first.
fn ids<C: Contract>() -> [u32; 4] {
    let halves = |id: u64| [u32::try_from(id & 0xffff_ffff).unwrap(), u32::try_from(id >> 32).unwrap()];
    let ([a, b], [c, d]) = (halves(C::WIRE_ID), halves(C::SOURCE_ID));
    [a, b, c, d]
}

const OPTION: [JsonShape; 3] =
    [JsonShape::option(&shape::<u8, Plain>()), JsonShape::NOTHING, JsonShape::UNKNOWN];
const WORDS: [u32; json_words_length(&OPTION)] = json_words(&OPTION);

#[test]
fn each_type_has_its_words() {
    assert_eq!(words::<bool, Plain>(), [1]);
    assert_eq!(words::<u8, Plain>(), [2]);
    assert_eq!(words::<i64, Plain>(), [9]);
    assert_eq!(words::<f32, Plain>(), [10]);
    assert_eq!(words::<f64, Plain>(), [11]);
    assert_eq!(words::<u64, DecimalString>(), [8 + (1 << 8)]);
    assert_eq!(words::<String, Plain>(), [30]);
    assert_eq!(words::<Vec<u8>, Hex>(), [31 + (2 << 8)]);
    assert_eq!(words::<Vec<u8>, Base64>(), [31 + (3 << 8)]);
    assert_eq!(words::<[u8; 7], Hex>(), [32 + (2 << 8), 7]);
    assert_eq!(words::<[u8; 16], Uuid>(), [32 + (4 << 8), 16]);
    assert_eq!(words::<Vec<u8>, Plain>(), [33, 2]);
    assert_eq!(words::<[[u8; 3]; 2], Plain>(), [34, 2, 34, 3, 2]);
    assert_eq!(words::<Vec<[u8; 3]>, Hex>(), [33, 32 + (2 << 8), 3]);
    assert_eq!(words::<BTreeMap<String, String>, Plain>(), [35]);
    assert_eq!(words::<Json, Plain>(), [36]);
    let held = |word: u32, ids: [u32; 4]| [&[word | 1 << 13][..], &ids].concat();
    assert_eq!(words::<Format, Plain>(), held(20, ids::<Format>()));
    assert_eq!(words::<OpenName<Format>, Plain>(), held(20 + (1 << 12), ids::<Format>()));
    assert_eq!(words::<Open<Tiling>, Plain>(), held(20 + (1 << 12), ids::<Tiling>()));
    assert_eq!(words::<Flags<Access>, Plain>(), held(21, ids::<Access>()));
    assert_eq!(words::<Extent, Hex>(), held(22 + (2 << 8), ids::<Extent>()));
    assert_eq!(words::<Point, Plain>(), held(23, ids::<Point>()));
    assert_eq!(words::<Box<Point>, Plain>(), held(23, ids::<Point>()));
    assert_eq!(words::<Measure, Plain>(), held(24, ids::<Measure>()));
    assert_eq!(WORDS, [37, 2, 38, 39]);
}

#[test]
fn a_source_id_is_no_part_of_a_wire_id() {
    // A list of what holds ids, an array of a length that looks like a type, text.
    let words = [33, 23 + (1 << 13), 1, 2, 3, 4, 34, 1 << 13, 2, 30];
    let id = json_wire_id(7, &words);
    for (index, is_part) in
        [true, true, true, true, false, false, true, true, true, true].into_iter().enumerate()
    {
        let mut other = words;
        other[index] ^= 1 << 4;
        // Not so that an array becomes another code: only its own bits of spelling.
        if matches!(index, 0 | 1 | 6 | 8 | 9) {
            other[index] = words[index] ^ 1 << 8;
        }
        assert_eq!(json_wire_id(7, &other) != id, is_part, "{index}");
    }
    assert_ne!(json_wire_id(8, &words), id);
}
