//! `wc_error`: a refusal as C has it. Its texts live forever, but for what a document says, which is in it.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::ffi::CString;
use alloc::string::{String, ToString};
use core::ffi::{CStr, c_char};
use core::ptr;
use std::sync::{Mutex, PoisonError};

use crate::rule::Item;
use crate::{Enumeration, Expected, Found, WireError};

/// `wc_found_value`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CFoundValue {
    text: *const c_char,
    kind: i32,
    unsigned_value: u64,
    signed_value: i64,
}

/// `wc_found`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CFound {
    kind: i32,
    length: u32,
    unsigned_value: u64,
    signed_value: i64,
    float_value: f64,
    bytes: [u8; 16],
    values: [CFoundValue; 5],
    text: [u8; 44],
}

/// `wc_error`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CError {
    code: i32,
    contract: *const c_char,
    field: *const c_char,
    offset: usize,
    expected: *const c_char,
    found: CFound,
}

/// `wc_found_kind`.
#[derive(Clone, Copy)]
enum Kind {
    Nothing = 0,
    Unsigned = 1,
    Signed = 2,
    Bytes = 3,
    Truth = 5,
    Values = 6,
    Text = 7,
    Byte = 8,
    End = 9,
}

impl CError {
    /// What C is told of a refusal.
    #[cold]
    pub fn of(error: &WireError) -> CError {
        CError {
            code: error.code.value(),
            contract: forever(error.contract),
            field: forever(error.field),
            offset: error.offset,
            expected: forever(&error.expected.to_string()),
            found: CFound::of(error),
        }
    }
}

impl CError {
    /// The field, ended by NUL; null where there is no fault.
    pub fn field(&self) -> *const c_char {
        self.field
    }

    /// What was expected, ended by NUL; null where there is no fault.
    pub fn expected(&self) -> *const c_char {
        self.expected
    }

    /// What was found, where that is text.
    pub fn found_text(&self) -> &str {
        let text = CStr::from_bytes_until_nul(&self.found.text);
        text.ok().and_then(|text| text.to_str().ok()).unwrap_or_default()
    }
}

impl CFound {
    const NOTHING: CFound = CFound {
        kind: Kind::Nothing as i32,
        length: 0,
        unsigned_value: 0,
        signed_value: 0,
        float_value: 0.0,
        bytes: [0; 16],
        values: [CFoundValue { text: ptr::null(), kind: 0, unsigned_value: 0, signed_value: 0 }; 5],
        text: [0; 44],
    };

    fn of(error: &WireError) -> CFound {
        let mut all = CFound::NOTHING;
        let kind = match error.found {
            Found::Nothing => Kind::Nothing,
            Found::Unsigned(number) => {
                all.unsigned_value = number;
                Kind::Unsigned
            }
            Found::Signed(number) => {
                all.signed_value = number;
                Kind::Signed
            }
            Found::Bytes { bytes, length } => {
                all.bytes = bytes;
                all.length = length.into();
                Kind::Bytes
            }
            Found::Text { bytes, length } => {
                let length = usize::from(length).min(bytes.len());
                all.text[..length].copy_from_slice(&bytes[..length]);
                Kind::Text
            }
            Found::Byte(byte) => {
                all.unsigned_value = byte.into();
                Kind::Byte
            }
            Found::End => Kind::End,
            Found::Values(values) => {
                let names = match error.expected {
                    Expected::Rule(rule) => rule.operands,
                    Expected::Condition(condition) => condition.rule.operands,
                    _ => &[],
                };
                let read = names.iter().zip(values.iter());
                for (place, (name, item)) in all.values.iter_mut().zip(read) {
                    *place = CFoundValue::of(name, item);
                    all.length += 1;
                }
                Kind::Values
            }
        };
        all.kind = kind as i32;
        all
    }
}

impl CFoundValue {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers from -2^63 to 2^64-1"
    )]
    fn of(name: &str, item: Item) -> CFoundValue {
        let (kind, unsigned_value, signed_value) = match item {
            Item::Nothing => (Kind::Nothing, 0, 0),
            Item::Truth(truth) => (Kind::Truth, truth.into(), 0),
            Item::Number(number) if number < 0 => (Kind::Signed, 0, number as i64),
            Item::Number(number) => (Kind::Unsigned, number as u64, 0),
        };
        CFoundValue { text: forever(name), kind: kind as i32, unsigned_value, signed_value }
    }
}

/// How many texts are kept: declarations have fewer.
const MOST: usize = 1 << 16;

/// A text that a C program may keep.
fn forever(text: &str) -> *const c_char {
    kept(text).as_ptr()
}

/// A text that lives forever. Each is made once: declarations say which there can be, and no document does.
pub(super) fn kept(text: &str) -> &'static CStr {
    static TEXTS: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
    let Ok(text) = CString::new(text) else {
        let visible: String = text.chars().map(|c| if c == '\0' { '\u{2400}' } else { c }).collect();
        return kept(&visible);
    };
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(&*text) {
        return known;
    }
    if texts.len() >= MOST {
        return c"what was declared";
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(kept);
    kept
}
