//! What Python's buffers call a type of elements, in the words of the module `struct` and of PEP 3118.

use std::ffi::CStr;

use wirecontract_tensor::{DLDataType, DLDataTypeCode, element};

const WORDS: &[(DLDataTypeCode, u8, &CStr)] = &[
    (DLDataTypeCode::Bool, 8, c"?"),
    (DLDataTypeCode::Int, 8, c"b"),
    (DLDataTypeCode::Int, 16, c"h"),
    (DLDataTypeCode::Int, 32, c"i"),
    (DLDataTypeCode::Int, 64, c"q"),
    (DLDataTypeCode::UInt, 8, c"B"),
    (DLDataTypeCode::UInt, 16, c"H"),
    (DLDataTypeCode::UInt, 32, c"I"),
    (DLDataTypeCode::UInt, 64, c"Q"),
    (DLDataTypeCode::Float, 16, c"e"),
    (DLDataTypeCode::Float, 32, c"f"),
    (DLDataTypeCode::Float, 64, c"d"),
    (DLDataTypeCode::Complex, 64, c"Zf"),
    (DLDataTypeCode::Complex, 128, c"Zd"),
];

/// The word of a type: None of one that buffers have no word for, as bfloat16.
pub(super) fn of(element: DLDataType) -> Option<&'static CStr> {
    WORDS.iter().find(|(code, bits, _)| element::of(*code, *bits) == element).map(|(_, _, word)| *word)
}

/// The type that a buffer's word and size mean: None of a struct, of another machine's byte order, and of what `DLPack` has
/// no type for.
pub(super) fn read(word: &str, bytes: usize) -> Option<DLDataType> {
    let here = if cfg!(target_endian = "little") { '<' } else { '>' };
    let bits = u8::try_from(bytes.checked_mul(8)?).ok()?;
    let letters = match word.chars().next()? {
        '@' | '=' => &word[1..],
        order @ ('<' | '>' | '!') => {
            let order = if order == '!' { '>' } else { order };
            if order != here && bytes > 1 {
                return None;
            }
            &word[1..]
        }
        _ => word,
    };
    // ctypes says `B` of unions and of packed structs, whose size is another one.
    let (code, sizes): (_, &[usize]) = match letters {
        "?" => (DLDataTypeCode::Bool, &[1]),
        "b" => (DLDataTypeCode::Int, &[1]),
        "h" => (DLDataTypeCode::Int, &[2]),
        "i" => (DLDataTypeCode::Int, &[4]),
        "q" => (DLDataTypeCode::Int, &[8]),
        "B" | "c" => (DLDataTypeCode::UInt, &[1]),
        "H" => (DLDataTypeCode::UInt, &[2]),
        "I" => (DLDataTypeCode::UInt, &[4]),
        "Q" => (DLDataTypeCode::UInt, &[8]),
        // By platform and by byte order.
        "l" | "n" => (DLDataTypeCode::Int, &[4, 8]),
        "L" | "N" => (DLDataTypeCode::UInt, &[4, 8]),
        "e" => (DLDataTypeCode::Float, &[2]),
        "f" => (DLDataTypeCode::Float, &[4]),
        "d" => (DLDataTypeCode::Float, &[8]),
        "Zf" | "F" => (DLDataTypeCode::Complex, &[8]),
        "Zd" | "D" => (DLDataTypeCode::Complex, &[16]),
        _ => return None,
    };
    sizes.contains(&bytes).then(|| element::of(code, bits))
}
