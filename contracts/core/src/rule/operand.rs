//! What has a value in a rule: a number or a condition.
//!
//! Expansions call the functions here with spans of the words of a rule, so that a type that cannot stand there is an
//! error at the word.

use super::{Interval, Item, Ranged};
use crate::scalar::Integer;
use crate::{Enumeration, FlagSet, Flags, Open};

/// What has a value in a rule.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no value in a rule",
    label = "neither a number nor a condition",
    note = "integers, enumerations, flags and the variants of unions are numbers, bools are conditions",
    note = "of arrays, texts and maps a rule may ask the length, `len(f)`, of arrays of integers the product, `product(f)`, and the least, `least(f)`; of what may be absent, `present(f)`"
)]
pub trait Operand {
    /// Which of the two it is.
    type Sort: Sort;
    /// The numbers that it may be as a tag; none where it is no tag.
    const TAG: Interval = Interval::NEVER;
    /// The value; none of a name that stands for no number here.
    fn operand(&self) -> Option<Self::Sort>;
}

macro_rules! integers {
    ($($integer:ident)*) => { $(
        impl Operand for $integer {
            type Sort = i128;
            const TAG: Interval = <$integer as Ranged>::RANGE;
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
    const TAG: Interval = <Self as Ranged>::RANGE;
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

/// The numbers that a field may be as a tag.
pub const fn tag_of<O, T: Operand>(field: fn(&O) -> &T) -> Interval {
    let _ = field;
    T::TAG
}

/// An integer as rules compute with it.
#[inline(always)]
#[allow(clippy::cast_possible_wrap, reason = "the bits of a signed number")]
pub fn wide<I: Integer>(integer: I) -> i128 {
    if I::SIGNED { i128::from(integer.to_u64() as i64) } else { i128::from(integer.to_u64()) }
}

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
