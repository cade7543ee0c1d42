//! Writing for a peer that speaks an older version.

use super::Growth;
use crate::error::{At, Expected, Found};
use crate::traits::flaw;
use crate::wire_type::Endian;
use crate::{Code, WireContract, WireError};

/// Writes a value as a version has it, and gives the number of bytes. Nothing is written when it is refused.
pub(crate) fn write<T: WireContract>(
    value: &T,
    growth: &Growth,
    version: u64,
    bytes: &mut [u8],
) -> Result<usize, WireError> {
    if version == 0 || version > growth.newest() {
        let (expected, found) = (Expected::Version(growth.newest()), Found::Unsigned(version));
        let (code, contract) = (Code::UnsupportedVersion, T::NAME);
        return Err(WireError { code, contract, field: "", offset: 0, expected, found });
    }
    let size = growth.size(version);
    let capacity = bytes.len();
    let Some(place) = bytes.get_mut(..size) else {
        return Err(WireError::length(T::NAME, size, capacity));
    };
    if value.check::<()>(At::START).is_err() {
        return Err(flaw(value));
    }
    let mut image = T::ZEROED;
    value.encode(image.as_mut(), Endian::Little);
    T::held_back(image.as_ref(), version, At::START)?;
    T::say_version(image.as_mut(), version);
    place.copy_from_slice(&image.as_ref()[..size]);
    Ok(size)
}
