//! Numbers of options that C may have filled with anything.

use wirecontract::{Code, Enumeration, FlagSet, Flags, Open};

use super::Error;

/// The value that a number of an option stands for.
pub(crate) fn known<E>(number: Open<E>, option: &str) -> Result<E, Error>
where
    E: Enumeration<Repr = u32>,
{
    number.known().ok_or_else(|| {
        let message = format!("`{option}`: expected the number of a {}, found {}", E::NAME, number.raw());
        Error::new(Code::UnknownValue, message)
    })
}

/// Whether flags of an option have no bit but those with a name.
pub(crate) fn known_flags<E: FlagSet>(flags: Flags<E>, option: &str) -> Result<(), Error> {
    match flags.unknown_bits() {
        0 => Ok(()),
        bits => {
            let message = format!("`{option}`: expected bits of {}, found {bits:#x} without a name", E::NAME);
            Err(Error::new(Code::UnknownBits, message))
        }
    }
}
