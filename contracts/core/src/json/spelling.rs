//! Bytes spelled as text: each has one spelling, and only that is read.

use alloc::vec::Vec;

const HEX: [u8; 16] = *b"0123456789abcdef";
const BASE64: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Where a UUID has its hyphens.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// How many bytes a text spells in hexadecimal, if it does.
pub(super) fn hex_length(text: &[u8]) -> Option<usize> {
    let is_hex = text.len() % 2 == 0 && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex.then_some(text.len() / 2)
}

/// The bytes of a text that [`hex_length`] accepted.
pub(super) fn hex_bytes(text: &[u8]) -> impl ExactSizeIterator<Item = u8> + '_ {
    text.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
}

const fn digit(byte: u8) -> u8 {
    if byte >= b'a' { byte - b'a' + 10 } else { byte & 15 }
}

pub(super) fn write_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(2 * bytes.len());
    for &byte in bytes {
        out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
}

/// The hexadecimal digits of a UUID, if a text is one.
pub(super) fn uuid_digits(text: &[u8]) -> Option<[u8; 32]> {
    let text: &[u8; 36] = text.try_into().ok()?;
    let mut digits = [0; 32];
    let mut next = 0;
    for (index, &byte) in text.iter().enumerate() {
        if HYPHENS.contains(&index) {
            if byte != b'-' {
                return None;
            }
        } else {
            digits[next] = byte;
            next += 1;
        }
    }
    hex_length(&digits).map(|_| digits)
}

pub(super) fn write_uuid(out: &mut Vec<u8>, bytes: &[u8; 16]) {
    for (index, byte) in bytes.chunks(1).enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        write_hex(out, byte);
    }
}

/// How many bytes a text spells in base64, if it does: with padding, and with no bits left over that are not zero.
pub(super) fn base64_length(text: &[u8]) -> Option<usize> {
    if text.len() % 4 != 0 {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|&&byte| byte == b'=').count();
    let letters = &text[..text.len() - padding];
    if letters.iter().any(|&letter| sextet(letter).is_none()) {
        return None;
    }
    let left_over = match padding {
        0 => 0,
        1 => sextet(*letters.last()?)? & 0b11,
        _ => sextet(*letters.last()?)? & 0b1111,
    };
    (left_over == 0).then_some(text.len() / 4 * 3 - padding)
}

/// The bytes of a text that [`base64_length`] accepted.
pub(super) fn base64_bytes(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    text.chunks_exact(4).flat_map(|group| {
        let bits = group.iter().fold(0, |bits, &letter| bits << 6 | u32::from(sextet(letter).unwrap_or(0)));
        let count = group.iter().filter(|&&letter| letter != b'=').count() - 1;
        bits.to_be_bytes().into_iter().skip(1).take(count)
    })
}

const fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

pub(super) fn write_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for index in 0..4u32 {
            let is_there = index as usize <= group.len();
            let letter = BASE64[(bits >> (18 - 6 * index) & 63) as usize];
            out.push(if is_there { letter } else { b'=' });
        }
    }
}
