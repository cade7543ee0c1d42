//! What of a hello no bound on a single key says.

use super::{Hello, SpokenContract};
use crate::error::{At, Place};
use crate::{Code, Expected, Found, WireError, WireJson};

impl Hello {
    /// Reads a hello, and checks it: what [`from_json`](WireJson::from_json) takes may name a contract twice.
    pub fn read(document: &[u8]) -> Result<Self, WireError> {
        let hello = Hello::from_json(document)?;
        hello.check()?;
        Ok(hello)
    }

    /// Checks that it can be written, then that each contract is there once, and its versions in ascending order, each
    /// once: `rule_violated` otherwise, in every language, with the offset 0 since the value is looked at and not a
    /// document.
    ///
    /// Contracts are looked at in their order; of one of them its versions first.
    pub fn check(&self) -> Result<(), WireError> {
        self.to_json()?;
        for (index, spoken) in self.speaks.iter().enumerate() {
            spoken.check()?;
            if self.speaks[..index].iter().any(|before| before.name == spoken.name) {
                static PLACE: Place = Place { contract: "Hello", field: "speaks" };
                return Err(violated(&PLACE, "each contract once", Found::brief(&spoken.name)));
            }
        }
        Ok(())
    }
}

impl SpokenContract {
    fn check(&self) -> Result<(), WireError> {
        static PLACE: Place = Place { contract: "SpokenContract", field: "versions" };
        match self.versions.windows(2).find(|pair| pair[0].version >= pair[1].version) {
            Some(pair) => {
                let found = Found::Unsigned(pair[1].version.into());
                Err(violated(&PLACE, "versions in ascending order, each once", found))
            }
            None => Ok(()),
        }
    }
}

fn violated(place: &'static Place, expected: &'static str, found: Found) -> WireError {
    WireError::at(At { place, offset: 0 }, Code::RuleViolated, Expected::Words(expected), found)
}
