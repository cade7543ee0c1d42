//! A message that only a newer version of a union knows.

use alloc::vec::Vec;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::beside::{Flexible, held, share};
use super::{Beside, MOST_FDS};
use crate::crosses::{Crosses, cross};
use crate::json::JsonShape;
use crate::{UnknownVariant, WireError};

/// A message whose tag no variant of its union has: what came, kept so that it can be passed on.
#[derive(Debug)]
pub struct UnknownMessage {
    /// The tag, and what came with it.
    pub body: UnknownVariant,
    /// The file descriptors beside it, in the order in which they came; at most 253.
    pub fds: Vec<OwnedFd>,
}

/// Nothing says how many file descriptors there are.
const ANY: Option<Flexible> = Some(Flexible { index: 0, least: 0, most: MOST_FDS });

impl Crosses for UnknownMessage {
    type As = cross::UnknownMessage;
}

impl Beside<UnknownMessage> for cross::UnknownMessage {
    const SHAPE: JsonShape = JsonShape::UNKNOWN;
    const IS_UNKNOWN: bool = true;
    const MOST: usize = MOST_FDS;
    type Part = UnknownVariant;

    fn of(
        body: UnknownVariant,
        fds: Vec<OwnedFd>,
        contract: &'static str,
    ) -> Result<UnknownMessage, WireError> {
        share(contract, [0], ANY, fds.len())?;
        Ok(UnknownMessage { body, fds })
    }

    fn part(value: &UnknownMessage) -> &UnknownVariant {
        &value.body
    }

    fn fds<'a>(value: &'a UnknownMessage, contract: &'static str) -> Result<Vec<BorrowedFd<'a>>, WireError> {
        held(contract, [""], [0], ANY, [value.fds.len()])?;
        Ok(value.fds.iter().map(AsFd::as_fd).collect())
    }

    fn import(_: &UnknownMessage) -> Result<(), WireError> {
        Ok(())
    }

    fn count(value: &UnknownMessage) -> usize {
        value.fds.len()
    }
}
