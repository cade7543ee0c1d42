//! What is allowed of what changed.

use crate::changes::{Change, Classified, Compared, Verdict, What};
use crate::lock::{Form, Kind};

/// A contract that changed, and what is to be done about it.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    pub(super) old: Option<&'a Form>,
    pub(super) new: Option<&'a Form>,
    pub(super) changes: &'a [Classified],
    pub(super) verdict: Verdict,
    pub(super) todo: Todo,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Todo {
    /// The change may be: it is to be accepted.
    Accept,
    /// Programs in the field do not read each other any more under one version: this one is to be declared.
    Bump {
        /// The first version that nobody speaks.
        to: u32,
    },
    /// It has a new version for nothing.
    TakeBump {
        /// The version that it had.
        to: u32,
    },
    /// It has a lower version than was agreed.
    Raise {
        /// The version that was agreed.
        agreed: u32,
    },
    /// It is gone, and nobody was told before.
    Deprecate,
    /// It was only asked what an earlier version and this one are to each other.
    Nothing,
}

impl Todo {
    /// Whether it may be accepted as it is.
    pub(super) fn is_allowed(self) -> bool {
        matches!(self, Todo::Accept | Todo::Nothing)
    }
}

/// What is to be done about a contract. `is_own` says whether the selected packages declare it: what becomes of another
/// package's contracts is that one's to agree on.
pub(super) fn judge<'a>(
    compared: &'a Compared<'_>,
    last: Option<&Form>,
    is_own: impl Fn(&Form) -> bool,
) -> Judged<'a> {
    let Compared { old, new, changes } = compared;
    let verdict = compared.effect().verdict();
    let todo = match (*old, *new) {
        (Some(old), None) if is_own(old) && !was_deprecated(changes) => Todo::Deprecate,
        (Some(old), Some(new)) if is_own(new) => versions(old, new, changes, verdict),
        // What comes back after it was removed is another contract, unless it is the same.
        (None, Some(new)) => match last {
            Some(last) if last != new && new.version <= last.version => {
                Todo::Bump { to: last.version.saturating_add(1) }
            }
            _ => Todo::Accept,
        },
        _ => Todo::Accept,
    };
    Judged { old: *old, new: *new, changes, verdict, todo }
}

fn versions(old: &Form, new: &Form, changes: &[Classified], verdict: Verdict) -> Todo {
    if new.version < old.version {
        return Todo::Raise { agreed: old.version };
    }
    if new.version > old.version {
        let is_change = |change: &Classified| !change.effect.is_harmless;
        let is_for_nothing = old.wire_id == new.wire_id && !changes.iter().any(is_change);
        return if is_for_nothing { Todo::TakeBump { to: old.version } } else { Todo::Accept };
    }
    match verdict {
        Verdict::Harmless | Verdict::Compatible => Todo::Accept,
        // Lists of functions follow from what else is declared, which is judged itself.
        _ if matches!(new.kind, Kind::Library | Kind::Symbols) => Todo::Accept,
        Verdict::OldReadersRead | Verdict::NewReadersRead | Verdict::Breaking => {
            Todo::Bump { to: new.version.saturating_add(1) }
        }
    }
}

fn was_deprecated(changes: &[Classified]) -> bool {
    changes.iter().any(|change| {
        matches!(&change.change, Change::Removed { what: What::Contract, was_deprecated: true })
    })
}

/// What was removed of a contract that is still there, though nobody was told before.
pub(super) fn undeprecated(changes: &[Classified]) -> impl Iterator<Item = &Classified> {
    changes.iter().filter(|change| {
        matches!(
            &change.change,
            Change::Removed {
                what: What::Field | What::Key | What::Value | What::Variant,
                was_deprecated: false
            }
        )
    })
}
