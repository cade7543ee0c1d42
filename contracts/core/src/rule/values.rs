//! What a rule read, for its error.

use core::fmt;

use super::{LEAST, MOST};

/// How many operands an error shows.
const SHOWN: usize = 6;

/// The first six operands of a violated rule, with what they were: `offset = 5, size = 10, present(x) = true`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Values {
    names: &'static [&'static str],
    bits: [u64; SHOWN],
    kinds: [Kind; SHOWN],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Truth,
    Number,
    Negative,
}

/// What an operand was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// It had no value.
    Nothing,
    /// A condition.
    Truth(bool),
    /// A number.
    Number(i128),
}

impl Values {
    /// The values of operands, in their order; those past the sixth are left out.
    #[must_use]
    pub fn new(names: &'static [&'static str], items: &[Item]) -> Values {
        let shown = names.len().min(items.len()).min(SHOWN);
        let mut values = Values { names: &names[..shown], bits: [0; SHOWN], kinds: [Kind::Nothing; SHOWN] };
        for (index, item) in items[..shown].iter().enumerate() {
            (values.kinds[index], values.bits[index]) = match *item {
                Item::Nothing => (Kind::Nothing, 0),
                Item::Truth(truth) => (Kind::Truth, u64::from(truth)),
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "64 bits hold the range"
                )]
                Item::Number(number) => {
                    let number = number.clamp(LEAST, MOST);
                    (if number < 0 { Kind::Negative } else { Kind::Number }, number as u64)
                }
            };
        }
        values
    }

    /// How many operands are shown.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the rule reads nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Each operand with what it was.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'static str, Item)> + '_ {
        self.names.iter().enumerate().map(|(index, name)| {
            let bits = self.bits[index];
            let item = match self.kinds[index] {
                Kind::Nothing => Item::Nothing,
                Kind::Truth => Item::Truth(bits != 0),
                Kind::Number => Item::Number(i128::from(bits)),
                #[allow(clippy::cast_possible_wrap, reason = "the bits of a negative number")]
                Kind::Negative => Item::Number(i128::from(bits as i64)),
            };
            (*name, item)
        })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Nothing => f.write_str("none"),
            Item::Truth(truth) => write!(f, "{truth}"),
            Item::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, item)) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {item}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
