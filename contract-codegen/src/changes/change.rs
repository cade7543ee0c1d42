//! One difference between two forms.

use std::fmt::{self, Display};

use super::effect::{Effect, Side};

/// A difference, and what it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Classified {
    /// The place in the contract: a field, key, value, variant, parameter or rule by its name now, where it has one now;
    /// empty for the contract itself.
    pub at: String,
    /// What differs.
    pub change: Change,
    /// What it does.
    pub effect: Effect,
    /// Why, without what it does.
    pub why: String,
}

impl Classified {
    /// Why, and what it does: `192 bytes where there were 184: old readers refuse it (trailing_bytes), …`.
    pub fn reason(&self) -> String {
        if self.effect.is_harmless { self.why.clone() } else { format!("{}: {}", self.why, self.effect) }
    }
}

impl Display for Classified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.at.is_empty() {
            write!(f, "`{}`: ", self.at)?;
        }
        f.write_str(&self.reason())
    }
}

/// What differs.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Something is there that was not.
    Added {
        /// What.
        what: What,
    },
    /// Something is not there any more.
    Removed {
        /// What.
        what: What,
        /// Whether it was declared `deprecated` until then.
        was_deprecated: bool,
    },
    /// Something has another name.
    Renamed {
        /// What.
        what: What,
        /// Its name before.
        from: String,
        /// Its name now.
        to: String,
    },
    /// The same members stand in another order.
    Reordered {
        /// Of what.
        what: What,
    },
    /// Something is said in another way: a key of the lock has another value.
    Set {
        /// The key.
        key: String,
        /// What it said; none where it was not there.
        from: Option<String>,
        /// What it says now.
        to: Option<String>,
    },
    /// A contract that it holds changed.
    Held {
        /// The path of that contract.
        contract: String,
    },
    /// A key of the lock that no rule knows has another value.
    Unknown {
        /// The key.
        key: String,
    },
}

impl Change {
    /// A key that says something else.
    pub(super) fn set(key: &str, from: Option<&dyn Display>, to: Option<&dyn Display>) -> Change {
        let [from, to] = [from, to].map(|said| said.map(ToString::to_string));
        Change::Set { key: key.to_owned(), from, to }
    }
}

/// What there is of in a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum What {
    Contract,
    Field,
    Reserved,
    Key,
    Value,
    Alias,
    Data,
    Variant,
    Rule,
    Parameter,
    Result,
    Symbol,
}

impl What {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            What::Contract => "contract",
            What::Field => "field",
            What::Reserved => "reserved bytes",
            What::Key => "key",
            What::Value => "value",
            What::Alias => "alias",
            What::Data => "data",
            What::Variant => "variant",
            What::Rule => "rule",
            What::Parameter => "parameter",
            What::Result => "result",
            What::Symbol => "symbol",
        }
    }
}

/// What is found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) changes: Vec<Classified>,
}

impl Found {
    pub(super) fn put(&mut self, at: &str, change: Change, sides: [Side; 2], why: impl Into<String>) {
        self.push(at, change, sides.into(), why.into());
    }

    pub(super) fn harmless(&mut self, at: &str, change: Change, why: impl Into<String>) {
        self.push(at, change, Effect::HARMLESS, why.into());
    }

    fn push(&mut self, at: &str, change: Change, effect: Effect, why: String) {
        self.changes.push(Classified { at: at.to_owned(), change, effect, why });
    }

    /// Puts something worse in the place of what a side does.
    pub(super) fn worsen(&mut self, what: Side, worse: Side) {
        for Classified { effect: Effect { old, new, .. }, .. } in &mut self.changes {
            for side in [old, new] {
                if *side == what {
                    *side = worse;
                }
            }
        }
    }

    /// A reader that refuses the whole before it looks at a member misreads none: of each side, the refusal that comes
    /// first.
    pub(super) fn refused_first(&mut self, first: [Option<Side>; 2]) {
        for change in &mut self.changes {
            let Effect { old, new, .. } = &mut change.effect;
            for (side, first) in [old, new].into_iter().zip(first) {
                if let (Side::Misreads | Side::Refuses(_), Some(first)) = (*side, first) {
                    *side = first;
                }
            }
        }
    }
}
