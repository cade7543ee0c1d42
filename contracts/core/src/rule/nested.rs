//! The fields of another contract, of which a rule knows no more than their names.

use super::Measure;

/// A field of another contract, of which the macro sees no more than the name: method resolution finds out what there
/// is to know of it. It tries a receiver as it is, then behind one more reference, then behind one less; the first
/// trait that fits is taken: of `(&key).value()`, [`Documented`], then [`Plain`]; of `(&&key).measured()`,
/// [`Measured`], then [`MeasuredDefault`], then [`MeasuredPlain`].
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
