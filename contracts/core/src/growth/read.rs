//! Reading any version that has been, and newer ones where that is asked for.

use super::Growth;
use crate::error::At;
use crate::traits::{exact, exact_view, fault};
use crate::wire_type::{Endian, View};
use crate::{WireContract, WireError};

/// What is done with versions that this side does not know yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newer {
    /// They are refused.
    Refused,
    /// They are read as far as they are known.
    Known,
}

/// Reads bytes of any version.
#[inline]
pub(crate) fn read<T: WireContract>(bytes: &[u8], growth: &Growth, newer: Newer) -> Result<T, WireError> {
    if is_newest::<T>(bytes, growth) { exact(bytes) } else { read_other(bytes, growth, newer) }
}

/// Getters over bytes of any version.
#[inline]
pub(crate) fn view<'a, T: WireContract>(
    bytes: &'a [u8],
    growth: &Growth,
    newer: Newer,
) -> Result<View<'a, T>, WireError> {
    if is_newest::<T>(bytes, growth) { exact_view::<T>(bytes) } else { view_other::<T>(bytes, growth, newer) }
}

/// Whether bytes are of the newest version, as far as length and version field say.
#[inline(always)]
fn is_newest<T: WireContract>(bytes: &[u8], growth: &Growth) -> bool {
    if bytes.len() != T::WIRE_SIZE {
        return false;
    }
    !growth.has_version
        || matches!(T::said_version::<()>(bytes, At::START, false), Ok(said) if said == growth.newest())
}

#[inline(never)]
fn read_other<T: WireContract>(bytes: &[u8], growth: &Growth, newer: Newer) -> Result<T, WireError> {
    let version = version::<T>(bytes, growth, newer)?;
    let image = checked_image::<T>(bytes, growth, version)?;
    Ok(T::decode(image.as_ref(), Endian::Little))
}

#[inline(never)]
fn view_other<'a, T: WireContract>(
    bytes: &'a [u8],
    growth: &Growth,
    newer: Newer,
) -> Result<View<'a, T>, WireError> {
    let version = version::<T>(bytes, growth, newer)?;
    checked_image::<T>(bytes, growth, version)?;
    Ok(T::view_of_version(&bytes[..growth.size(version)], Endian::Little, version))
}

/// What bytes of a version stand for, once they have been checked.
fn checked_image<T: WireContract>(
    bytes: &[u8],
    growth: &Growth,
    version: u64,
) -> Result<T::Bytes, WireError> {
    let mut image = T::ZEROED;
    growth.complete(image.as_mut(), bytes, version);
    if version > growth.newest() {
        T::say_version(image.as_mut(), growth.newest());
    }
    match T::validate::<()>(image.as_ref(), Endian::Little, At::START) {
        Ok(()) => Ok(image),
        Err(()) => Err(fault::<T>(image.as_ref())),
    }
}

/// The version that bytes are of: their version field says it, or else their length. One beyond the newest is what is
/// not known yet.
///
/// The order is that of every language: the least length, magic, version, then the length of that version.
pub(crate) fn version<T: WireContract>(
    bytes: &[u8],
    growth: &Growth,
    newer: Newer,
) -> Result<u64, WireError> {
    let length = bytes.len();
    let refuse = |size: usize| Err(WireError::length(T::NAME, size, length));
    if length < growth.size(1) {
        return refuse(growth.size(1));
    }
    let is_lax = newer == Newer::Known;
    let said = T::said_version::<WireError>(bytes, At::START, is_lax)?;
    if growth.has_version {
        let size = growth.size(said);
        let fits = length == size || length > size && said > growth.newest();
        return if fits { Ok(said) } else { refuse(size) };
    }
    match growth.sizes.iter().position(|&size| size >= length) {
        Some(index) if growth.sizes[index] == length => Ok(index as u64 + 1),
        Some(index) => refuse(growth.sizes[index]),
        None if is_lax => Ok(growth.newest() + 1),
        None => refuse(T::WIRE_SIZE),
    }
}

/// How many of the first bytes are the descriptor: its version field says it.
pub(crate) fn prefix<T: WireContract>(bytes: &[u8], growth: &Growth) -> Result<usize, WireError> {
    if bytes.len() < growth.size(1) {
        return Err(WireError::length(T::NAME, growth.size(1), bytes.len()));
    }
    Ok(growth.size(T::said_version::<WireError>(bytes, At::START, false)?))
}
