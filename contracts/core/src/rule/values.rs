//! What a rule read, for its error.

use core::fmt;

use super::{LEAST, MOST};

/// How many operands an error shows.
const SHOWN: usize = 5;

/// What the first five operands of a violated rule were, in the order of [`Rule::operands`](super::Rule::operands),
/// which has their names.
///
/// Numbers are kept in halves: an error must stay small where it is handed on, and their alignment would make it larger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Values {
    halves: [[u32; 2]; SHOWN],
    /// Two bits an operand: a [`Kind`].
    kinds: u16,
    shown: u8,
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
    /// The values of operands, in their order; those past the fifth are left out.
    #[must_use]
    pub fn new(items: &[Item]) -> Values {
        let mut values = Values { halves: [[0; 2]; SHOWN], kinds: 0, shown: 0 };
        for (place, item) in values.halves.iter_mut().zip(items) {
            let (kind, bits) = match *item {
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
            #[allow(clippy::cast_possible_truncation, reason = "the two halves of a number")]
            let halves = [bits as u32, (bits >> 32) as u32];
            *place = halves;
            values.kinds |= (kind as u16) << (2 * values.shown);
            values.shown += 1;
        }
        values
    }

    /// How many operands are shown.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.shown)
    }

    /// Whether the rule reads nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shown == 0
    }

    /// What each operand was.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Item> + '_ {
        let kinds = self.kinds;
        self.halves[..self.len()].iter().enumerate().map(move |(index, &[low, high])| {
            let bits = u64::from(low) | u64::from(high) << 32;
            match kinds >> (2 * index) & 3 {
                kind if kind == Kind::Nothing as u16 => Item::Nothing,
                kind if kind == Kind::Truth as u16 => Item::Truth(bits != 0),
                kind if kind == Kind::Number as u16 => Item::Number(i128::from(bits)),
                #[allow(clippy::cast_possible_wrap, reason = "the bits of a negative number")]
                _ => Item::Number(i128::from(bits as i64)),
            }
        })
    }

    /// With the names of the operands: `offset = 5, size = 10, present(x) = true`.
    pub(crate) fn named(&self, names: &[&str], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, item)) in names.iter().zip(self.iter()).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {item}")?;
        }
        Ok(())
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

/// Without names: `5, 10, true`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
