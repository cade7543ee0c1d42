//! Rules: conditions across fields, computed with exact integers.
//!
//! Every operand and every intermediate result lies in −2⁶³…2⁶⁴−1. What leaves that range, a division by zero, and
//! what a number without a name would carry have no value: the functions here then give `None`, an expansion hands that
//! on with `?`, and the rule is violated whatever surrounds it. Numbers are `i128` in between; of narrow types the
//! optimiser sees that nothing can leave the range, and no check is left.

mod aspect;
mod elements;
mod interval;
mod names;
mod nested;
mod operand;
mod reached;
mod values;

pub use aspect::{Length, Measure, Optional, Used, check_length, length, present, used, used_within};
pub use elements::{Element, Elements, least, product};
pub use interval::{
    Interval, Ranged, check_condition, check_count, check_may_hold, check_present, check_tag,
};
#[cfg(all(feature = "message", unix))]
pub(crate) use names::same;
pub use names::{
    Carries, DataKey, Datum, FlagField, KeySort, Keyed, Named, Names, datum, either_key, flag, flags_of, has,
    key, keys_of, named, names_of,
};
pub use nested::{
    Counted, CountedPlain, Documented, ElementsOf, Fixed, FixedAs, Key, LengthOf, Listed, ListedPlain,
    Measured, MeasuredDefault, MeasuredPlain, OrDefault, Plain,
};
pub use operand::{
    Alike, IsCondition, IsNumber, NoSort, Operand, Sort, equal, item, number, tag_of, truth, wide,
};
pub use reached::{Anywhere, BehindReference, InPlace, Reached, Reaches, Unknown, Within, range_of};
pub use values::{Item, Values};

/// The least number a rule may meet.
pub const LEAST: i128 = i64::MIN as i128;
/// The greatest number a rule may meet.
pub const MOST: i128 = u64::MAX as i128;

/// A declared rule, as errors state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The contract that declares it.
    pub contract: &'static str,
    /// The declared name; empty when it has none.
    pub name: &'static str,
    /// The condition.
    pub text: &'static str,
    /// What it reads: each once, in the order of first appearance.
    pub operands: &'static [&'static str],
}

/// A condition on one field, as errors state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is a condition on: the field, or the key in JSON.
    pub field: &'static str,
    /// What it says of it.
    pub says: Says,
    /// The condition; it has no name.
    pub rule: Rule,
}

/// What a condition says of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The key must be there when the condition holds.
    Required,
    /// The key may be there only when the condition holds.
    Absent,
    /// The field may be other than zero, or than empty, only when the condition holds.
    Zero,
    /// A file descriptor comes beside the message when the condition holds, and none otherwise.
    Beside,
}

impl core::fmt::Display for Rule {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name)?;
        }
        f.write_str(self.text)
    }
}

impl core::fmt::Display for Condition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (field, text) = (self.field, self.rule.text);
        match self.says {
            Says::Required => write!(f, "the key `{field}` when {text}"),
            Says::Absent => write!(f, "no key `{field}` unless {text}"),
            Says::Zero => write!(f, "zero unless {text}"),
            Says::Beside => write!(f, "a file descriptor only when {text}"),
        }
    }
}

/// A number, unless it left the range.
#[inline(always)]
const fn within(number: i128) -> Option<i128> {
    if number < LEAST || number > MOST { None } else { Some(number) }
}

/// A sum.
#[inline(always)]
pub const fn add(left: i128, right: i128) -> Option<i128> {
    within(left + right)
}

/// A difference.
#[inline(always)]
pub const fn sub(left: i128, right: i128) -> Option<i128> {
    within(left - right)
}

/// A number with the other sign.
#[inline(always)]
pub const fn neg(number: i128) -> Option<i128> {
    within(-number)
}

/// A product. The magnitudes of numbers in the range are below 2⁶⁴, so that theirs is below 2¹²⁸.
#[inline(always)]
pub const fn mul(left: i128, right: i128) -> Option<i128> {
    signed((left < 0) != (right < 0), magnitude(left) as u128 * magnitude(right) as u128)
}

/// A quotient, truncated toward zero.
#[inline(always)]
pub const fn div(left: i128, right: i128) -> Option<i128> {
    if right == 0 {
        return None;
    }
    signed((left < 0) != (right < 0), (magnitude(left) / magnitude(right)) as u128)
}

/// A remainder, with the sign of the dividend.
#[inline(always)]
pub const fn rem(left: i128, right: i128) -> Option<i128> {
    if right == 0 {
        return None;
    }
    signed(left < 0, (magnitude(left) % magnitude(right)) as u128)
}

#[inline(always)]
#[allow(clippy::cast_possible_truncation, reason = "numbers in the range have no larger magnitude")]
const fn magnitude(number: i128) -> u64 {
    number.unsigned_abs() as u64
}

#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "compared just before")]
const fn signed(negative: bool, magnitude: u128) -> Option<i128> {
    if negative {
        if magnitude > 1 << 63 { None } else { Some(-(magnitude as i128)) }
    } else if magnitude > MOST as u128 {
        None
    } else {
        Some(magnitude as i128)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which something changes.
    const EDGES: [i128; 17] = [
        LEAST,
        LEAST + 1,
        -(1 << 32) - 1,
        -(1 << 32),
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
        (1 << 32) - 1,
        1 << 32,
        (1 << 63) - 1,
        1 << 63,
        MOST - 1,
        MOST,
    ];

    fn wide(number: Option<i128>) -> Option<i128> {
        number.filter(|number| (LEAST..=MOST).contains(number))
    }

    #[test]
    fn results_are_those_of_wider_integers_within_the_range_and_none_outside() {
        for left in EDGES {
            assert_eq!(neg(left), wide(Some(-left)), "-{left}");
            for right in EDGES {
                assert_eq!(add(left, right), wide(Some(left + right)), "{left} + {right}");
                assert_eq!(sub(left, right), wide(Some(left - right)), "{left} - {right}");
                // Beyond 128 bits is beyond the range.
                assert_eq!(mul(left, right), wide(left.checked_mul(right)), "{left} * {right}");
                assert_eq!(div(left, right), wide(left.checked_div(right)), "{left} / {right}");
                assert_eq!(rem(left, right), wide(left.checked_rem(right)), "{left} % {right}");
            }
        }
    }
}
