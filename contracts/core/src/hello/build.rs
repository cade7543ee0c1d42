//! Saying what this side speaks.

use alloc::string::String;
use alloc::vec::Vec;

use super::{FORMAT, Hello, SpokenContract, SpokenVersion};
use crate::Contract;

/// How hellos call a contract: its [path](Contract::PATH), without the `r#` of raw identifiers, which are Rust's alone.
pub fn name_of<T: Contract>() -> String {
    T::PATH.replace("r#", "")
}

impl Hello {
    /// A hello of a side that speaks nothing yet.
    pub const fn new() -> Self {
        Hello { format: FORMAT, speaks: Vec::new() }
    }

    /// A hello of a side that speaks one contract.
    pub fn of<T: Contract>() -> Self {
        Hello::new().speaks::<T>()
    }

    /// Adds a contract, at its version and at the earlier ones that it declares. One that is there already is said
    /// anew.
    #[must_use]
    pub fn speaks<T: Contract>(mut self) -> Self {
        let said = SpokenContract::of::<T>();
        match self.speaks.iter_mut().find(|other| other.name == said.name) {
            Some(other) => *other = said,
            None => self.speaks.push(said),
        }
        self
    }

    /// What is said of the contract of that name.
    pub fn contract(&self, name: &str) -> Option<&SpokenContract> {
        self.speaks.iter().find(|spoken| spoken.name == name)
    }
}

impl Default for Hello {
    fn default() -> Self {
        Hello::new()
    }
}

impl SpokenContract {
    /// What a side says that was built of this declaration.
    pub fn of<T: Contract>() -> Self {
        let earlier = T::EARLIER.iter().map(|&(version, wire_id)| SpokenVersion::new(version, wire_id));
        let versions = earlier.chain([SpokenVersion::new(T::VERSION, T::WIRE_ID)]).collect();
        SpokenContract { name: name_of::<T>(), versions }
    }
}

impl SpokenVersion {
    /// A version, and the wire id as the number that [`Contract::WIRE_ID`] is.
    pub const fn new(version: u32, wire_id: u64) -> Self {
        SpokenVersion { version, wire_id: wire_id.to_be_bytes() }
    }

    /// The wire id as the number that [`Contract::WIRE_ID`] is.
    pub const fn id(self) -> u64 {
        u64::from_be_bytes(self.wire_id)
    }
}
