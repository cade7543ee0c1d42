//! What a rule may read of a value, and what const evaluation knows of its type.
//!
//! Expansions call the functions here with spans of the words of a rule, so that a type that cannot stand there is an
//! error at the word.

use super::Item;
use crate::layout::Shape;
use crate::layout::check::Message;
use crate::scalar::Integer;
use crate::{Enumeration, FlagSet, Flags, Open};

/// A number (`i128`) or a condition (`bool`).
pub trait Sort: Copy + PartialEq {
    /// It, for an error.
    fn item(self) -> Item;
}

impl Sort for i128 {
    #[inline(always)]
    fn item(self) -> Item {
        Item::Number(self)
    }
}

impl Sort for bool {
    #[inline(always)]
    fn item(self) -> Item {
        Item::Truth(self)
    }
}

/// What has a value in a rule.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no value in a rule",
    label = "neither a number nor a condition",
    note = "integers, enumerations, flags and the variants of unions are numbers, bools are conditions",
    note = "of arrays, texts and maps a rule may ask the length, `len(f)`; of what may be absent, `present(f)`"
)]
pub trait Operand {
    /// Which of the two it is.
    type Sort: Sort;
    /// The value; none of a name that stands for no number here.
    fn operand(&self) -> Option<Self::Sort>;
}

macro_rules! integers {
    ($($integer:ident)*) => { $(
        impl Operand for $integer {
            type Sort = i128;
            #[inline(always)]
            fn operand(&self) -> Option<i128> {
                Some(i128::from(*self))
            }
        }
    )* };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl Operand for bool {
    type Sort = bool;
    #[inline(always)]
    fn operand(&self) -> Option<bool> {
        Some(*self)
    }
}

impl<E: Enumeration> Operand for Open<E> {
    type Sort = i128;
    #[inline(always)]
    fn operand(&self) -> Option<i128> {
        Some(wide(self.raw()))
    }
}

impl<E: FlagSet> Operand for Flags<E> {
    type Sort = i128;
    #[inline(always)]
    fn operand(&self) -> Option<i128> {
        Some(wide(self.bits()))
    }
}

impl<T: Operand + ?Sized> Operand for &T {
    type Sort = T::Sort;
    #[inline(always)]
    fn operand(&self) -> Option<T::Sort> {
        T::operand(self)
    }
}

/// An integer as rules compute with it.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "the bits of a signed number")]
pub fn wide<I: Integer>(integer: I) -> i128 {
    if I::SIGNED { i128::from(integer.to_u64() as i64) } else { i128::from(integer.to_u64()) }
}

/// The sort of numbers.
#[diagnostic::on_unimplemented(
    message = "a condition stands where a rule asks for a number",
    label = "a condition",
    note = "`int(condition)` is 1 or 0"
)]
pub trait IsNumber: Sort {
    /// It.
    fn number(self) -> i128;
}

impl IsNumber for i128 {
    #[inline(always)]
    fn number(self) -> i128 {
        self
    }
}

/// The sort of conditions.
#[diagnostic::on_unimplemented(
    message = "a number stands where a rule asks for a condition",
    label = "a number",
    note = "compare it: a flag is asked for with `has(f, Flag)`"
)]
pub trait IsCondition: Sort {
    /// It.
    fn truth(self) -> bool;
}

impl IsCondition for bool {
    #[inline(always)]
    fn truth(self) -> bool {
        self
    }
}

/// Two of one sort.
#[diagnostic::on_unimplemented(
    message = "a number and a condition are not compared",
    label = "one of each",
    note = "`int(condition)` is 1 or 0"
)]
pub trait Alike {
    /// Whether they are equal.
    fn are_equal(self) -> bool;
}

impl Alike for (i128, i128) {
    #[inline(always)]
    fn are_equal(self) -> bool {
        self.0 == self.1
    }
}

impl Alike for (bool, bool) {
    #[inline(always)]
    fn are_equal(self) -> bool {
        self.0 == self.1
    }
}

/// A number that a rule reads.
#[inline(always)]
pub fn number<T: Operand<Sort: IsNumber>>(value: &T) -> Option<i128> {
    value.operand().map(IsNumber::number)
}

/// A condition that a rule reads.
#[inline(always)]
pub fn truth<T: Operand<Sort: IsCondition>>(value: &T) -> Option<bool> {
    value.operand().map(IsCondition::truth)
}

/// Whether two things that a rule reads are equal.
#[inline(always)]
pub fn equal<A: Operand, B: Operand>(left: &A, right: &B) -> Option<bool>
where
    (A::Sort, B::Sort): Alike,
{
    Some((left.operand()?, right.operand()?).are_equal())
}

/// What a rule read, for its error.
#[inline(always)]
pub fn item<S: Sort>(value: Option<S>) -> Item {
    value.map_or(Item::Nothing, Sort::item)
}

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

/// The position of a data key, which is of the sort that is asked for.
#[track_caller]
pub const fn key(names: Names, name: &str, wanted: KeySort) -> usize {
    if names.members.is_none() {
        return 0;
    }
    let keys = names.keys;
    let mut index = 0;
    while index < keys.len() {
        if same(keys[index].0, name) {
            let message = Message::new().text("`").text(name).text("` of `").text(names.contract);
            match (keys[index].1, wanted) {
                (KeySort::Number, KeySort::Number) | (KeySort::Condition, KeySort::Condition) => {
                    return index;
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
        message.text(", nor anything else: the functions of a rule are `len`, `present`, `has`, `int` and data keys").fail();
    }
    let mut message = message;
    let mut index = 0;
    while index < keys.len() && index < 8 {
        message = message.text(if index == 0 { ": they carry " } else { ", " }).text(keys[index].0);
        index += 1;
    }
    message.fail()
}

const fn same(one: &str, other: &str) -> bool {
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

/// Refuses the length of what is no array.
#[track_caller]
pub const fn check_length(shape: &Shape, field: &str) {
    if shape.rank == 0 && shape.fault.is_none() {
        Message::new().text("`").text(field).text("` is no array, and has no length").fail();
    }
}

/// What has a length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no length",
    label = "no array, text, bytes or map",
    note = "of what may be absent, a rule may ask the length only where it has a default"
)]
pub trait Length {
    /// Items of an array, bytes of a text, members of a map.
    fn length(&self) -> u64;
}

impl<T> Length for [T] {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<T, const N: usize> Length for [T; N] {
    #[inline(always)]
    fn length(&self) -> u64 {
        N as u64
    }
}

impl Length for str {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<T: Length + ?Sized> Length for &T {
    #[inline(always)]
    fn length(&self) -> u64 {
        T::length(self)
    }
}

/// A length that is known.
pub struct Measure(u64);

impl Length for Measure {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.0
    }
}

/// The length of something.
#[inline(always)]
pub fn length<T: Length + ?Sized>(value: &T) -> i128 {
    i128::from(value.length())
}

/// What may be absent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is always there",
    label = "no `Option`",
    note = "`present(f)` is asked of an optional key"
)]
pub trait Optional {
    /// Whether it is there.
    fn is_present(&self) -> bool;
}

impl<T> Optional for Option<T> {
    #[inline(always)]
    fn is_present(&self) -> bool {
        self.is_some()
    }
}

/// Whether something that may be absent is there.
#[inline(always)]
pub fn present<T: Optional>(value: &T) -> bool {
    value.is_present()
}

/// A contract that has a field of this name (its FNV-1a 64 hash) whose length is not that of its type: a counted array,
/// a text in bytes.
pub trait LengthOf<const NAME: u64> {
    /// The length.
    fn length_of(&self) -> u64;
}

/// A contract that has an optional key of this name (its FNV-1a 64 hash) with a default.
pub trait OrDefault<const NAME: u64> {
    /// What the key holds.
    type Value;
    /// The value, or the default.
    fn or_default(&self) -> Self::Value;
}

/// A field of another contract, of which the macro sees no more than the name: method resolution finds out what there
/// is to know of it. It tries a receiver as it is, then behind one more reference, then behind one less; the first
/// trait that fits is taken: of `(&key).value()`, [`Documented`], then [`Plain`]; of `(&&key).measured()`,
/// [`Measured`], then [`MeasuredDefault`], then [`MeasuredPlain`].
pub struct Key<'a, O, F, const NAME: u64>(pub &'a O, pub &'a F);

/// Fields with a default.
pub trait Documented {
    /// What they hold.
    type Value;
    /// The value, or the default.
    fn value(&self) -> Self::Value;
}

impl<O: OrDefault<NAME>, F, const NAME: u64> Documented for Key<'_, O, F, NAME> {
    type Value = O::Value;
    #[inline(always)]
    fn value(&self) -> O::Value {
        self.0.or_default()
    }
}

/// All other fields.
pub trait Plain {
    /// What they hold.
    type Value;
    /// The value.
    fn value(&self) -> Self::Value;
}

impl<'a, O, F, const NAME: u64> Plain for &Key<'a, O, F, NAME> {
    type Value = &'a F;
    #[inline(always)]
    fn value(&self) -> &'a F {
        self.1
    }
}

/// Fields whose length is not that of their type.
pub trait Measured {
    /// Something of that length.
    fn measured(&self) -> Measure;
}

impl<O: LengthOf<NAME>, F, const NAME: u64> Measured for &Key<'_, O, F, NAME> {
    #[inline(always)]
    fn measured(&self) -> Measure {
        Measure(self.0.length_of())
    }
}

/// Fields with a default.
pub trait MeasuredDefault {
    /// What they hold.
    type Value;
    /// The value, or the default.
    fn measured(&self) -> Self::Value;
}

impl<O: OrDefault<NAME>, F, const NAME: u64> MeasuredDefault for &&Key<'_, O, F, NAME> {
    type Value = O::Value;
    #[inline(always)]
    fn measured(&self) -> O::Value {
        self.0.or_default()
    }
}

/// All other fields.
pub trait MeasuredPlain {
    /// What they hold.
    type Value;
    /// The value.
    fn measured(&self) -> Self::Value;
}

impl<'a, O, F, const NAME: u64> MeasuredPlain for Key<'a, O, F, NAME> {
    type Value = &'a F;
    #[inline(always)]
    fn measured(&self) -> &'a F {
        self.1
    }
}

/// What may be said to be unused: zero, or nothing but zeros.
#[diagnostic::on_unimplemented(
    message = "a rule cannot say that `{Self}` is not used",
    label = "not a number, a bool, an enumeration, flags or an array of them",
    note = "say it of the fields of a nested descriptor, where they are declared"
)]
pub trait Used {
    /// Whether it is other than zero.
    fn is_used(&self) -> bool;

    /// Whether one of the first elements is; of what is no array, whether it is.
    #[inline(always)]
    fn is_used_within(&self, count: usize) -> bool {
        let _ = count;
        self.is_used()
    }
}

macro_rules! used {
    ($($type:ident)*) => { $(
        impl Used for $type {
            #[inline(always)]
            fn is_used(&self) -> bool {
                *self != 0
            }
        }
    )* };
}

used! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl Used for bool {
    #[inline(always)]
    fn is_used(&self) -> bool {
        *self
    }
}

impl Used for f32 {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.to_bits() != 0
    }
}

impl Used for f64 {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.to_bits() != 0
    }
}

impl<E: Enumeration> Used for Open<E> {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.raw().to_u64() != 0
    }
}

impl<E: FlagSet> Used for Flags<E> {
    #[inline(always)]
    fn is_used(&self) -> bool {
        !self.is_empty()
    }
}

impl<T: Used, const N: usize> Used for [T; N] {
    #[inline(always)]
    fn is_used(&self) -> bool {
        self.iter().any(Used::is_used)
    }

    #[inline(always)]
    fn is_used_within(&self, count: usize) -> bool {
        self.iter().take(count).any(Used::is_used)
    }
}

/// Whether a field is other than zero.
#[inline(always)]
pub fn used<T: Used>(value: &T) -> bool {
    value.is_used()
}

/// Whether one of the elements of an array that count is other than zero.
#[inline(always)]
pub fn used_within<T: Used>(value: &T, count: usize) -> bool {
    value.is_used_within(count)
}
