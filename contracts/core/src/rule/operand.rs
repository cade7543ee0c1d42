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

/// A sort that nothing is of. Were one sort alone beside numbers, and one beside conditions, the compiler would take the
/// other side for one of it, and say of its type that it is another.
pub enum NoSort {}

macro_rules! never_alike {
    ($($sort:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl Alike for ($sort, NoSort) {
            fn are_equal(self) -> bool {
                match self.1 {}
            }
        }
    )* };
}

never_alike! { i128 bool }

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
