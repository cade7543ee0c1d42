//! Strings: where they end, what their escapes say, how they are written.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

/// The high bit of the first byte (and perhaps of later ones) that is a quote, a backslash or a control character.
#[inline(always)]
const fn special(word: u64) -> u64 {
    let quote = word ^ u64::from_ne_bytes([b'"'; 8]);
    let backslash = word ^ u64::from_ne_bytes([b'\\'; 8]);
    let controls = word.wrapping_sub(u64::from_ne_bytes([0x20; 8]));
    (quote.wrapping_sub(ONES) & !quote | backslash.wrapping_sub(ONES) & !backslash | controls & !word) & HIGHS
}

/// The position of the first quote, backslash or control character from `at` on, or the length.
#[inline(always)]
pub(super) fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            return at;
        }
        at += 1;
    }
    at
}

/// The text of a string whose syntax was checked, from what stands between its quotes.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::new();
    pieces(raw, |piece| text.push_str(piece));
    Cow::Owned(text)
}

/// How many bytes [`unescape`] gives.
pub(super) fn unescaped_length(raw: &str) -> usize {
    let mut length = 0;
    pieces(raw, |piece| length += piece.len());
    length
}

/// How many bytes [`write`] writes of a string, from what stands between its quotes.
pub(super) fn written_length(raw: &str) -> usize {
    let mut length = 2;
    pieces(raw, |piece| {
        for byte in piece.bytes() {
            length += match byte {
                b'"' | b'\\' | 0x08 | b'\t' | b'\n' | 0x0c | b'\r' => 2,
                0..0x20 => 6,
                _ => 1,
            };
        }
    });
    length
}

/// Calls with the text of a string, piece by piece.
fn pieces(mut raw: &str, mut give: impl FnMut(&str)) {
    while let Some((plain, rest)) = raw.split_once('\\') {
        give(plain);
        let (letter, rest) = rest.split_at_checked(1).unwrap_or_default();
        raw = rest;
        match letter {
            "b" => give("\u{8}"),
            "f" => give("\u{c}"),
            "n" => give("\n"),
            "r" => give("\r"),
            "t" => give("\t"),
            "u" => {
                let (first, rest) = code_unit(raw);
                raw = rest;
                let mut code = first;
                if (0xd800..0xdc00).contains(&first) {
                    let (second, rest) = code_unit(raw.get(2..).unwrap_or(""));
                    raw = rest;
                    code = 0x1_0000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
                }
                let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                give(letter.encode_utf8(&mut [0; 4]));
            }
            letter => give(letter),
        }
    }
    give(raw);
}

fn code_unit(raw: &str) -> (u32, &str) {
    let (digits, rest) = raw.split_at_checked(4).unwrap_or_default();
    (u32::from_str_radix(digits, 16).unwrap_or(0), rest)
}

/// Writes a string with its quotes: quotes, backslashes and controls are escaped and nothing else.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let run = plain_run(bytes, 0);
    if run == bytes.len() {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(out, bytes, run);
    }
    out.push(b'"');
}

#[cold]
fn write_escaped(out: &mut Vec<u8>, bytes: &[u8], mut run: usize) {
    let mut start = 0;
    loop {
        out.extend_from_slice(&bytes[start..run]);
        let Some(&byte) = bytes.get(run) else { return };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x08 => out.extend_from_slice(b"\\b"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => {
                const DIGITS: [u8; 16] = *b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
        }
        start = run + 1;
        run = plain_run(bytes, start);
    }
}
