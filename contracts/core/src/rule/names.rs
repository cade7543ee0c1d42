//! The names of values and of what they carry, as const evaluation looks them up for a rule.

use super::operand::Operand;
use crate::layout::check::Message;
use crate::{Enumeration, FlagSet, Flags, Open};

/// The names that a type's values have in a declaration, each with its number; none of a contract that was refused, of
/// which there is nothing more to say.
#[derive(Clone, Copy)]
pub struct Names {
    /// What has them.
    pub contract: &'static str,
    /// Them.
    pub members: Option<&'static [(&'static str, i128)]>,
    /// What each value carries.
    pub keys: &'static [(&'static str, KeySort)],
}

/// What a data key carries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum KeySort {
    /// Integers.
    Number,
    /// Bools.
    Condition,
    /// Texts, which have no value in a rule.
    Text,
}

/// A data key of an enumeration.
#[derive(Clone, Copy)]
pub struct DataKey {
    /// Its position.
    pub index: usize,
    /// Whether it carries conditions and not numbers; none of a contract that was refused.
    is_condition: Option<bool>,
}

impl DataKey {
    /// Whether it carries conditions and not numbers; where that is not known, whether the other one does.
    pub const fn is_condition_beside(self, other: DataKey) -> bool {
        match (self.is_condition, other.is_condition) {
            (Some(is_condition), _) | (None, Some(is_condition)) => is_condition,
            (None, None) => false,
        }
    }
}

/// What a value carries: a condition or a number.
pub struct Datum<const IS_CONDITION: bool>(pub i128);

impl Operand for Datum<true> {
    type Sort = bool;
    #[inline(always)]
    fn operand(&self) -> Option<bool> {
        Some(self.0 != 0)
    }
}

impl Operand for Datum<false> {
    type Sort = i128;
    #[inline(always)]
    fn operand(&self) -> Option<i128> {
        Some(self.0)
    }
}

/// What has named values: enumerations, flags, unions (their variants, numbered by position).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no named values",
    label = "beside this, the word would have to be a value of it",
    note = "an enumeration, flags or a union is compared with the name of a value"
)]
pub trait Named {
    /// The names.
    const NAMES: Names;
}

impl<E: Enumeration + Named> Named for Open<E> {
    const NAMES: Names = E::NAMES;
}

impl<E: FlagSet + Named> Named for Flags<E> {
    const NAMES: Names = E::NAMES;
}

impl<T: Named> Named for Option<T> {
    const NAMES: Names = T::NAMES;
}

/// What `has(f, Flag)` is asked of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no set of flags",
    label = "not flags",
    note = "`has(f, Flag)` is asked of a field of type `Flags<E>`"
)]
pub trait FlagField: Named {}

impl<E: FlagSet + Named> FlagField for Flags<E> {}
impl<T: FlagField> FlagField for Option<T> {}

/// An enumeration whose values carry data.
pub trait Carries: Enumeration + Named {
    /// What a value carries for the key at that position: a number, or 1 and 0 for true and false.
    fn carried(self, key: usize) -> i128;
}

/// What a data key is asked of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` carries no data",
    label = "not an enumeration",
    note = "a data key is asked of a field whose type is an enumeration, or `Open<E>` of one"
)]
pub trait Keyed {
    /// The names of the enumeration, and its keys.
    const NAMES: Names;
    /// What the value carries; none when the number has no name here.
    fn carried(&self, key: usize) -> Option<i128>;
}

impl<E: Carries> Keyed for Open<E> {
    const NAMES: Names = E::NAMES;
    #[inline(always)]
    fn carried(&self, key: usize) -> Option<i128> {
        Some(self.known()?.carried(key))
    }
}

impl<T: Keyed> Keyed for &T {
    const NAMES: Names = T::NAMES;
    #[inline(always)]
    fn carried(&self, key: usize) -> Option<i128> {
        T::carried(self, key)
    }
}

impl<T: Keyed> Keyed for Option<T> {
    const NAMES: Names = T::NAMES;
    #[inline(always)]
    fn carried(&self, key: usize) -> Option<i128> {
        self.as_ref()?.carried(key)
    }
}

/// What an enumeration's value carries.
#[inline(always)]
pub fn datum<T: Keyed>(value: &T, key: usize) -> Option<i128> {
    value.carried(key)
}

/// Whether a set of flags has all of these bits.
#[inline(always)]
pub const fn has(flags: i128, bits: i128) -> bool {
    flags & bits == bits
}

/// The names of what a field holds.
pub const fn names_of<O, T: Named>(field: fn(&O) -> &T) -> Names {
    let _ = field;
    T::NAMES
}

/// The names of the flags that a field holds.
pub const fn flags_of<O, T: FlagField>(field: fn(&O) -> &T) -> Names {
    let _ = field;
    T::NAMES
}

/// The names of the enumeration that a field holds, and its keys.
pub const fn keys_of<O, T: Keyed>(field: fn(&O) -> &T) -> Names {
    let _ = field;
    T::NAMES
}

/// The number of a name.
#[track_caller]
pub const fn named(names: Names, name: &str) -> i128 {
    let Some(members) = names.members else { return 0 };
    let mut index = 0;
    while index < members.len() {
        if same(members[index].0, name) {
            return members[index].1;
        }
        index += 1;
    }
    let mut message =
        Message::new().text("`").text(name).text("` is no value of `").text(names.contract).text("`");
    let mut index = 0;
    while index < members.len() && index < 8 {
        message = message.text(if index == 0 { ": it has " } else { ", " }).text(members[index].0);
        index += 1;
    }
    message.text(if members.len() > 8 { ", and others" } else { "" }).fail()
}

/// The bits of a flag.
#[track_caller]
pub const fn flag(names: Names, name: &str) -> i128 {
    named(names, name)
}

/// A data key that const evaluation has not said to be there: where it is not, [`key`] says so in a constant of its own.
pub const fn either_key(names: Names, name: &str) -> DataKey {
    let mut index = 0;
    while index < names.keys.len() {
        if same(names.keys[index].0, name) {
            let is_condition = match names.keys[index].1 {
                KeySort::Number => Some(false),
                KeySort::Condition => Some(true),
                KeySort::Text => None,
            };
            return DataKey { index, is_condition };
        }
        index += 1;
    }
    DataKey { index: 0, is_condition: None }
}

/// A data key, which is of the sort that is asked for; none asks for either.
#[track_caller]
pub const fn key(names: Names, name: &str, wanted: Option<KeySort>) -> DataKey {
    if names.members.is_none() {
        return DataKey { index: 0, is_condition: None };
    }
    let keys = names.keys;
    let mut index = 0;
    while index < keys.len() {
        if same(keys[index].0, name) {
            let message = Message::new().text("`").text(name).text("` of `").text(names.contract);
            match (keys[index].1, wanted) {
                (KeySort::Number, None | Some(KeySort::Number)) => {
                    return DataKey { index, is_condition: Some(false) };
                }
                (KeySort::Condition, None | Some(KeySort::Condition)) => {
                    return DataKey { index, is_condition: Some(true) };
                }
                (KeySort::Text, _) => message.text("` is text, which has no value in a rule").fail(),
                (KeySort::Number, _) => {
                    message.text("` is a number, and a condition is asked for: compare it").fail();
                }
                (KeySort::Condition, _) => {
                    message
                        .text("` is a condition, and a number is asked for: `int(condition)` is 1 or 0")
                        .fail();
                }
            }
        }
        index += 1;
    }
    let message =
        Message::new().text("the values of `").text(names.contract).text("` carry no `").text(name).text("`");
    if keys.is_empty() {
        message.text(", nor anything else: the functions of a rule are `len`, `product`, `least`, `present`, `has`, `int` and data keys").fail();
    }
    let mut message = message;
    let mut index = 0;
    while index < keys.len() && index < 8 {
        message = message.text(if index == 0 { ": they carry " } else { ", " }).text(keys[index].0);
        index += 1;
    }
    message.fail()
}

/// Whether two names are one.
pub(crate) const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}
