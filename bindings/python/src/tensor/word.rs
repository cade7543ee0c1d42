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
    let code = match letters {
        "?" => DLDataTypeCode::Bool,
        "b" | "h" | "i" | "l" | "q" | "n" => DLDataTypeCode::Int,
        "B" | "H" | "I" | "L" | "Q" | "N" | "c" => DLDataTypeCode::UInt,
        "e" | "f" | "d" => DLDataTypeCode::Float,
        "Zf" | "Zd" | "F" | "D" => DLDataTypeCode::Complex,
        _ => return None,
    };
    let of = element::of(code, bits);
    // A long is of 4 or of 8 bytes, and a word of another size than its type is none.
    WORDS.iter().any(|(code, bits, _)| element::of(*code, *bits) == of).then_some(of)
}
