//! The fields of another contract, of which a rule knows no more than their names.

use super::{Elements, Measure, least, product};

/// A field of another contract, of which the macro sees no more than the name: method resolution finds out what there
/// is to know of it. It tries a receiver as it is, then behind one more reference, then behind one less; the first
/// trait that fits is taken: of `(&key).value()`, [`Documented`] or [`Fixed`], then [`Plain`]; of `(&key).count()`,
/// [`Counted`], then [`CountedPlain`]; of `(&key).product(count)` and
/// `(&key).least(count)`, [`Listed`], then [`ListedPlain`]; of `(&&key).measured()`, [`Measured`], then
/// [`MeasuredDefault`], then [`MeasuredPlain`].
pub struct Key<'a, O, F, const NAME: u64>(pub &'a O, pub &'a F);

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

/// A descriptor that has a field of this name (its FNV-1a 64 hash) which is written as declared, whatever a value has in
/// it: magic, version, reserved bytes. What a rule says of it would hold of what is read, and not of what is written.
pub trait FixedAs<const NAME: u64> {}

/// What a rule finds in such a field: nothing that has a value, so that no rule which names one compiles.
pub struct WrittenAsDeclared;

/// Fields that are written as declared.
pub trait Fixed {
    /// What has no value.
    fn value(&self) -> WrittenAsDeclared;
}

impl<O: FixedAs<NAME>, F, const NAME: u64> Fixed for Key<'_, O, F, NAME> {
    fn value(&self) -> WrittenAsDeclared {
        WrittenAsDeclared
    }
}

/// A contract that has an optional array of integers of this name (its FNV-1a 64 hash) with a default.
pub trait ElementsOf<const NAME: u64> {
    /// The product of its elements, or of those of the default.
    fn product_of(&self) -> Option<i128>;
    /// The least of its elements, or of those of the default.
    fn least_of(&self) -> Option<i128>;
}

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
        Measure::of(self.0.length_of())
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

/// Arrays that another field counts.
pub trait Counted {
    /// How many elements count.
    fn count(&self) -> i128;
}

impl<O: LengthOf<NAME>, F, const NAME: u64> Counted for Key<'_, O, F, NAME> {
    #[inline(always)]
    fn count(&self) -> i128 {
        self.0.length_of().into()
    }
}

/// All other fields.
pub trait CountedPlain {
    /// More elements than there are.
    fn count(&self) -> i128;
}

impl<O, F, const NAME: u64> CountedPlain for &Key<'_, O, F, NAME> {
    #[inline(always)]
    fn count(&self) -> i128 {
        i128::MAX
    }
}

/// Arrays with a default.
pub trait Listed {
    /// The product of the elements.
    fn product(&self, count: i128) -> Option<i128>;
    /// The least of the elements.
    fn least(&self, count: i128) -> Option<i128>;
}

impl<O: ElementsOf<NAME>, F, const NAME: u64> Listed for Key<'_, O, F, NAME> {
    #[inline(always)]
    fn product(&self, _: i128) -> Option<i128> {
        self.0.product_of()
    }

    #[inline(always)]
    fn least(&self, _: i128) -> Option<i128> {
        self.0.least_of()
    }
}

/// All other fields, of whose elements the first count.
pub trait ListedPlain<F> {
    /// The product of the first elements.
    fn product(&self, count: i128) -> Option<i128>
    where
        F: Elements;
    /// The least of the first elements.
    fn least(&self, count: i128) -> Option<i128>
    where
        F: Elements;
}

impl<O, F, const NAME: u64> ListedPlain<F> for &Key<'_, O, F, NAME> {
    #[inline(always)]
    fn product(&self, count: i128) -> Option<i128>
    where
        F: Elements,
    {
        product(self.1, count)
    }

    #[inline(always)]
    fn least(&self, count: i128) -> Option<i128>
    where
        F: Elements,
    {
        least(self.1, count)
    }
}
