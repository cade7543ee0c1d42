//! From where to where the fields of other contracts go, of which a rule knows no more than their names.

use core::marker::PhantomData;

use super::{Interval, Ranged};

/// The value at a place of another contract. As with [`Key`](super::Key), method resolution finds out what there is to know
/// of it: of `(&&reached).range()`, [`BehindReference`], then [`InPlace`], then [`Unknown`].
pub struct Reached<V>(pub V);

/// What says from where to where it goes.
pub trait Reaches {
    /// From where to where.
    const RANGE: Interval;
}

/// What is of a type that says so.
pub struct Within<T>(PhantomData<T>);

impl<T: Ranged> Reaches for Within<T> {
    const RANGE: Interval = T::RANGE;
}

/// What may be anything.
pub struct Anywhere;

impl Reaches for Anywhere {
    const RANGE: Interval = Interval::ANY;
}

/// Fields as they are.
pub trait BehindReference {
    /// What they hold.
    type Value;
    /// It, as far as its type says.
    fn range(&self) -> Within<Self::Value>;
}

impl<T: Ranged> BehindReference for &Reached<&T> {
    type Value = T;
    fn range(&self) -> Within<T> {
        Within(PhantomData)
    }
}

/// Fields with a default.
pub trait InPlace {
    /// What they hold.
    type Value;
    /// It, as far as its type says.
    fn range(&self) -> Within<Self::Value>;
}

impl<T: Ranged> InPlace for &&Reached<T> {
    type Value = T;
    fn range(&self) -> Within<T> {
        Within(PhantomData)
    }
}

/// All others.
pub trait Unknown {
    /// Nothing of it.
    fn range(&self) -> Anywhere;
}

impl<V> Unknown for Reached<V> {
    fn range(&self) -> Anywhere {
        Anywhere
    }
}

/// From where to where goes what is at a place of another contract.
pub const fn range_of<O, R: Reaches>(place: fn(&O) -> R) -> Interval {
    let _ = place;
    R::RANGE
}
