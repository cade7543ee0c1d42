//! What two hellos agree on.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::build::name_of;
use super::{Hello, NegotiationError, Refusal, SpokenVersion, Verdict};
use crate::Contract;

/// The version of a contract that two sides speak with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    /// The highest that both list with the same wire id.
    pub version: u32,
    /// That wire id.
    pub wire_id: u64,
}

impl Hello {
    /// The version of a contract that both sides speak, this one being ours: [`negotiate`] by the contract's name.
    pub fn agree<T: Contract>(&self, theirs: &Hello) -> Result<Agreed, NegotiationError> {
        negotiate(self, theirs, &name_of::<T>())
    }
}

/// The highest version of the contract of that name which both sides list with the same wire id.
///
/// Both hellos are checked first, ours before theirs, since either may have been put together by hand.
pub fn negotiate(ours: &Hello, theirs: &Hello, name: &str) -> Result<Agreed, NegotiationError> {
    ours.check().map_err(NegotiationError::Ours)?;
    theirs.check().map_err(NegotiationError::Theirs)?;
    let [here, there] = [ours, theirs].map(|hello| hello.contract(name));
    let [our_versions, their_versions] =
        [here, there].map(|spoken| spoken.map_or(&[][..], |it| &it.versions));
    let refused = |verdict, differing| {
        let [ours, theirs] = [our_versions, their_versions].map(<[SpokenVersion]>::to_vec);
        let name = name.to_string();
        let refusal = Refusal { name, verdict, ours, theirs, differing, difference: None };
        Err(NegotiationError::Refused(Box::new(refusal)))
    };
    if here.is_none() {
        return refused(Verdict::NotOurs, None);
    }
    if there.is_none() {
        return refused(Verdict::UnknownToPeer, None);
    }
    let common: Vec<(SpokenVersion, SpokenVersion)> = our_versions
        .iter()
        .rev()
        .filter_map(|ours| {
            let theirs = their_versions.iter().find(|theirs| theirs.version == ours.version)?;
            Some((*ours, *theirs))
        })
        .collect();
    match (common.iter().find(|(ours, theirs)| ours.wire_id == theirs.wire_id), common.first()) {
        (Some((agreed, _)), _) => Ok(Agreed { version: agreed.version, wire_id: agreed.id() }),
        (None, Some(&highest)) => refused(Verdict::TwoIds, Some(highest)),
        (None, None) => refused(Verdict::NoCommonVersion, None),
    }
}
