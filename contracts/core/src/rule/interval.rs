//! What const evaluation knows of the values of a rule before there are any: a rule that none can keep is refused.

use super::{LEAST, MOST, Named};
use crate::layout::check::Message;
use crate::probe::Probe;
use crate::scalar::Integer;
use crate::{Enumeration, FlagSet, Flags, Open};

/// The numbers that an expression may be; of conditions, 0 and 1. Without any, it never has a value, which violates the
/// rule wherever it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    least: i128,
    most: i128,
}

const fn min(one: i128, other: i128) -> i128 {
    if one < other { one } else { other }
}

const fn max(one: i128, other: i128) -> i128 {
    if one > other { one } else { other }
}

impl Interval {
    /// Any number that a rule may meet.
    pub const ANY: Interval = Interval { least: LEAST, most: MOST };
    /// True or false.
    pub const CONDITION: Interval = Interval { least: 0, most: 1 };
    /// No value.
    pub(crate) const NEVER: Interval = Interval { least: 1, most: 0 };

    /// One number.
    pub const fn one(number: i128) -> Interval {
        Interval::between(number, number)
    }

    /// A number of these; what leaves the range of rules is no value.
    pub const fn between(least: i128, most: i128) -> Interval {
        Interval { least: max(least, LEAST), most: min(most, MOST) }
    }

    /// The same, and from `least` to `most`.
    pub const fn within(self, least: i128, most: i128) -> Interval {
        Interval { least: max(self.least, least), most: min(self.most, most) }
    }

    /// A number from 0 to the most of these.
    pub const fn from_zero(self) -> Interval {
        Interval { least: 0, most: self.most }
    }

    /// Whether a number is one of these.
    pub const fn has(self, number: i128) -> bool {
        self.least <= number && number <= self.most
    }

    pub(crate) const fn is_never(self) -> bool {
        self.least > self.most
    }

    const fn is_one(self) -> bool {
        self.least == self.most
    }

    /// A condition that may be true, and may be false.
    const fn condition(may_be_true: bool, may_be_false: bool) -> Interval {
        match (may_be_true, may_be_false) {
            (true, true) => Interval::CONDITION,
            (true, false) => Interval::one(1),
            (false, true) => Interval::one(0),
            (false, false) => Interval::NEVER,
        }
    }

    /// Whether a condition holds of some value, as far as this says.
    pub const fn may_be_true(self) -> bool {
        !self.is_never() && self.most > 0
    }

    const fn may_be_false(self) -> bool {
        !self.is_never() && self.least < 1
    }

    /// `!x`.
    pub const fn not(self) -> Interval {
        Interval::condition(self.may_be_false(), self.may_be_true())
    }

    /// `-x`.
    pub const fn neg(self) -> Interval {
        if self.is_never() { Interval::NEVER } else { Interval::between(-self.most, -self.least) }
    }

    /// `x + y`.
    pub const fn add(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() {
            return Interval::NEVER;
        }
        Interval::between(self.least + other.least, self.most + other.most)
    }

    /// `x - y`.
    pub const fn sub(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() {
            return Interval::NEVER;
        }
        Interval::between(self.least - other.most, self.most - other.least)
    }

    /// `x * y`.
    pub const fn mul(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() {
            return Interval::NEVER;
        }
        let (a, b) = (self.least.saturating_mul(other.least), self.least.saturating_mul(other.most));
        let (c, d) = (self.most.saturating_mul(other.least), self.most.saturating_mul(other.most));
        Interval::between(min(min(a, b), min(c, d)), max(max(a, b), max(c, d)))
    }

    /// `x / y`: towards zero, and never by it.
    pub const fn div(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() || (other.is_one() && other.least == 0) {
            return Interval::NEVER;
        }
        if self.is_one() && other.is_one() {
            return Interval::one(self.least / other.least);
        }
        let largest = max(self.most, -self.least);
        if self.least >= 0 && other.least >= 0 {
            return Interval::between(0, self.most);
        }
        Interval::between(-largest, largest)
    }

    /// `x % y`: with the sign of `x`.
    pub const fn rem(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() || (other.is_one() && other.least == 0) {
            return Interval::NEVER;
        }
        if self.is_one() && other.is_one() {
            return Interval::one(self.least % other.least);
        }
        let largest = max(other.most, -other.least) - 1;
        let least = if self.least < 0 { max(-largest, self.least) } else { 0 };
        let most = if self.most > 0 { min(largest, self.most) } else { 0 };
        Interval::between(least, most)
    }

    /// `x == y`, of numbers or of conditions.
    pub const fn eq(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() {
            return Interval::NEVER;
        }
        let meet = max(self.least, other.least) <= min(self.most, other.most);
        Interval::condition(meet, !(meet && self.is_one() && other.is_one()))
    }

    /// `x != y`.
    pub const fn ne(self, other: Interval) -> Interval {
        self.eq(other).not()
    }

    /// `x < y`.
    pub const fn lt(self, other: Interval) -> Interval {
        if self.is_never() || other.is_never() {
            return Interval::NEVER;
        }
        Interval::condition(self.least < other.most, self.most >= other.least)
    }

    /// `x <= y`.
    pub const fn le(self, other: Interval) -> Interval {
        other.lt(self).not()
    }

    /// `x > y`.
    pub const fn gt(self, other: Interval) -> Interval {
        other.lt(self)
    }

    /// `x >= y`.
    pub const fn ge(self, other: Interval) -> Interval {
        self.lt(other).not()
    }

    /// `x && y`, of which the second is asked only where the first is true.
    pub const fn and(self, other: Interval) -> Interval {
        let asked = self.may_be_true();
        Interval::condition(
            asked && other.may_be_true(),
            self.may_be_false() || (asked && other.may_be_false()),
        )
    }

    /// `x || y`, of which the second is asked only where the first is false.
    pub const fn or(self, other: Interval) -> Interval {
        self.not().and(other.not()).not()
    }
}

/// What has a value in a rule, of which its type says from where to where it goes.
pub trait Ranged {
    /// From where to where.
    const RANGE: Interval;
}

macro_rules! integers {
    ($($integer:ident)*) => { $(
        impl Ranged for $integer {
            const RANGE: Interval = Interval::between(<$integer as Integer>::MIN, <$integer as Integer>::MAX);
        }
    )* };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl Ranged for bool {
    const RANGE: Interval = Interval::CONDITION;
}

impl<E: Enumeration> Ranged for Open<E> {
    const RANGE: Interval = Interval::between(E::Repr::MIN, E::Repr::MAX);
}

impl<E: FlagSet> Ranged for Flags<E> {
    const RANGE: Interval = if E::OPEN {
        Interval::between(0, E::Repr::MAX)
    } else {
        Interval::between(0, E::KNOWN_BITS as i128)
    };
}

impl<E: Enumeration + Named> Ranged for E {
    const RANGE: Interval = match E::NAMES.members {
        None | Some([]) => Interval::ANY,
        Some(members) => {
            let (mut range, mut index) = (Interval::one(members[0].1), 1);
            while index < members.len() {
                range.least = min(range.least, members[index].1);
                range.most = max(range.most, members[index].1);
                index += 1;
            }
            range
        }
    };
}

impl<T: Ranged> Probe<T> {
    /// From where to where its values go in a rule.
    pub const RANGE: Interval = T::RANGE;
}

impl<T, const N: usize> Probe<[T; N]> {
    /// How many items it has.
    pub const LENGTH: Interval = Interval::between(N as i128, N as i128);
}

/// Refuses a rule that no value keeps. `read` is what the rule reads and is known to be bounded, as the rule names it.
#[track_caller]
pub const fn check_may_hold(rule: Interval, text: &str, contract: &str, read: &[(&str, Interval)]) {
    if rule.may_be_true() {
        return;
    }
    let message =
        Message::new().text("no value of `").text(contract).text("` keeps the rule `").text(text).text("`");
    ranges(message, read).fail()
}

/// Refuses a condition on `field` that holds of no value, and one that holds of every value where it says when the field
/// must be there. Where it cannot be computed it is violated, and says nothing of when.
#[track_caller]
pub const fn check_condition(
    condition: Interval,
    text: &str,
    contract: &str,
    field: &str,
    is_required_if: bool,
    read: &[(&str, Interval)],
) {
    let is_ever = condition.may_be_true();
    if is_ever && (condition.may_be_false() || !is_required_if) {
        return;
    }
    let message =
        Message::new().text("`").text(text).text("` holds of ").text(if is_ever { "every" } else { "no" });
    let message = ranges(message.text(" value of `").text(contract).text("`"), read).text("; `").text(field);
    let message = match (is_required_if, is_ever) {
        (true, true) => message.text("` is always there: write it without `Option` and `required_if`"),
        (true, false) => message.text("` need never be there: remove `required_if`"),
        (false, _) => message.text("` is never used: remove it, or its `one_of`"),
    };
    message.fail()
}

/// Refuses a condition on a file descriptor that holds of no value, and one that holds of every value.
#[track_caller]
pub const fn check_present(
    condition: Interval,
    text: &str,
    contract: &str,
    field: &str,
    read: &[(&str, Interval)],
) {
    let is_ever = condition.may_be_true();
    if is_ever && condition.may_be_false() {
        return;
    }
    let message =
        Message::new().text("`").text(text).text("` holds of ").text(if is_ever { "every" } else { "no" });
    let message = ranges(message.text(" value of `").text(contract).text("`"), read).text("; `").text(field);
    message
        .text(if is_ever {
            "` is always there: write it without `Option` and `present_if`"
        } else {
            "` is never there: remove it"
        })
        .fail()
}

/// Refuses a number of file descriptors, or of a tail's elements or bytes, that is never from `least` to `most`.
#[track_caller]
pub const fn check_count(
    count: Interval,
    text: &str,
    contract: &str,
    field: &str,
    (least, most): (i128, i128),
    read: &[(&str, Interval)],
) {
    if !count.within(least, most).is_never() && !count.is_never() {
        return;
    }
    let message = Message::new().text("`").text(text).text("` of `").text(contract).text("` is never from ");
    let message = message.signed(least).text(" to ").signed(most).text(", as `").text(field).text("` is");
    ranges(message, read).fail()
}

/// Refuses a variant whose number its tag never is.
#[track_caller]
pub const fn check_tag(tag: Interval, text: &str, variant: &str, number: u64) {
    if tag.is_never() {
        Message::new()
            .text("the tag `")
            .text(text)
            .text("` is an integer or an enumeration: it is neither")
            .fail()
    }
    if !tag.has(number as i128) {
        Message::new()
            .text("`")
            .text(variant)
            .text("` is ")
            .number(number)
            .text(", and the tag `")
            .text(text)
            .text("` is from ")
            .signed(tag.least)
            .text(" to ")
            .signed(tag.most)
            .fail()
    }
}

/// The message, and from where to where goes what is read.
const fn ranges(mut message: Message, read: &[(&str, Interval)]) -> Message {
    let (mut index, mut said) = (0, 0);
    while index < read.len() && said < 4 {
        let (name, range) = read[index];
        if range.least != LEAST || range.most != MOST {
            message = message
                .text(if said == 0 { ": `" } else { ", `" })
                .text(name)
                .text(if range.is_one() { "` is " } else { "` is from " })
                .signed(range.least);
            if !range.is_one() {
                message = message.text(" to ").signed(range.most);
            }
            said += 1;
        }
        index += 1;
    }
    message
}
