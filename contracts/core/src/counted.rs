//! What the derive calls for fields that a count counts, for text and for reserved bytes.
//!
//! Nothing here is generic over a field's type: a bound on it would be a second error for a type without a form on
//! the wire.

use crate::WireError;
use crate::error::{At, Refuse};

/// Refuses a count beyond its array.
#[inline(always)]
pub fn check<R: Refuse>(count: u64, most: usize, at: At) -> Result<(), R> {
    if count > most as u64 {
        return Err(R::count(at, most, count));
    }
    Ok(())
}

/// Refuses a version that is 0 or beyond the newest.
#[inline(always)]
pub fn version<R: Refuse>(version: u64, newest: u64, at: At) -> Result<(), R> {
    if version.wrapping_sub(1) >= newest {
        return Err(R::version(at, newest, version));
    }
    Ok(())
}

/// A count as an index, held within the array.
#[inline(always)]
pub fn within(count: u64, most: usize) -> usize {
    match usize::try_from(count) {
        Ok(count) if count < most => count,
        _ => most,
    }
}

/// The elements that count.
#[inline(always)]
pub fn valid<T>(elements: &[T], count: u64) -> &[T] {
    &elements[..within(count, elements.len())]
}

/// Sets the first of an array's elements.
pub fn copy<T: Clone>(array: &mut [T], elements: &[T]) {
    for (place, element) in array.iter_mut().zip(elements) {
        place.clone_from(element);
    }
}

/// Refuses more elements than an array holds or its count can say.
pub fn fits(length: usize, most: usize, at: At) -> Result<u64, WireError> {
    if length > most { Err(WireError::count(at, most, length as u64)) } else { Ok(length as u64) }
}

/// Refuses arrays that share a count and differ in length.
pub fn even(first: usize, other: usize, at: At) -> Result<(), WireError> {
    if first == other { Ok(()) } else { Err(WireError::uneven(at, first, other)) }
}

/// Refuses bytes that are no text.
#[inline]
pub fn check_text<R: Refuse>(bytes: &[u8], at: At) -> Result<(), R> {
    text(bytes).map(|_| ()).ok_or_else(|| R::text(at))
}

/// The text in NUL-padded bytes.
#[inline]
pub fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    let (text, padding) = bytes.split_at(end);
    if padding.iter().any(|&byte| byte != 0) {
        return None;
    }
    core::str::from_utf8(text).ok()
}

/// The length of the text in NUL-padded bytes.
#[inline]
pub fn text_length(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len())
}

/// Sets a text; refused when it has a NUL or leaves no room for one.
pub fn set_text(bytes: &mut [u8], text: &str, at: At) -> Result<(), WireError> {
    if text.len() >= bytes.len() {
        return Err(WireError::count(at, bytes.len() - 1, text.len() as u64));
    }
    if text.contains('\0') {
        return Err(WireError::text(at));
    }
    let (head, tail) = bytes.split_at_mut(text.len());
    head.copy_from_slice(text.as_bytes());
    tail.fill(0);
    Ok(())
}

/// Refuses reserved bytes that are not zero.
#[inline(always)]
pub fn check_zero<R: Refuse>(bytes: &[u8], at: At) -> Result<(), R> {
    if bytes.iter().fold(0, |bits, byte| bits | byte) != 0 {
        return Err(R::reserved(at, bytes));
    }
    Ok(())
}
