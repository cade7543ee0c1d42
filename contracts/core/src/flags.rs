//! Flags: a set of named bits in one unsigned integer.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{BitAnd, BitOr, BitOrAssign, Not};

use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::scalar::Integer;
use crate::wire_type::{Endian, WireType, array_view_slice};
use crate::{ArrayView, Contract, Value};

/// A fieldless enum whose values are bits or masks. Implemented by `#[derive(WireContract)]`; a field holds
/// [`Flags<Self>`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a flags contract",
    note = "derive `WireContract` on a fieldless enum with an unsigned `repr` and one bit or mask a value, and mark it `#[wire(flags)]`"
)]
pub trait FlagSet: Contract + Copy + 'static {
    /// The unsigned integer that holds the bits.
    type Repr: Integer;

    /// Every flag with its names, by ascending bits.
    const VALUES: &'static [Value<Self>];

    /// All bits that have a name.
    const KNOWN_BITS: u64;

    /// Whether bits without a name are accepted and kept.
    const OPEN: bool;

    /// Whether JSON spells a set as an array of names, and as an integer otherwise.
    const SPELLED_AS_NAMES: bool = false;

    /// The bits of this flag.
    fn bits(self) -> Self::Repr;
}

/// A set of the flags `E`.
///
/// On the wire it is the integer alone. Unless the flags are declared open, bits without a name are refused when
/// bytes are read and when a value is written.
// `ManuallyDrop` of an integer changes nothing but where the compiler looks: of a field whose `E` is no set of flags it
// says so, and not again of every function that holds such a contract, whether there was something to drop.
#[cfg_attr(
    feature = "zerocopy",
    derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)
)]
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Flags<E: FlagSet>(ManuallyDrop<E::Repr>, PhantomData<E>);

impl<E: FlagSet> Flags<E> {
    /// No flag.
    #[inline]
    pub fn empty() -> Self {
        Self::unchecked(E::Repr::from_u64(0))
    }

    /// Every flag that has a name.
    #[inline]
    pub fn all() -> Self {
        Self::unchecked(E::Repr::from_u64(E::KNOWN_BITS))
    }

    /// The set of these bits; none when bits without a name are set and the flags are not open.
    #[inline]
    pub fn from_bits(bits: E::Repr) -> Option<Self> {
        (E::OPEN || bits.to_u64() & !E::KNOWN_BITS == 0).then_some(Self::unchecked(bits))
    }

    /// The bits.
    #[inline]
    pub const fn bits(self) -> E::Repr {
        ManuallyDrop::into_inner(self.0)
    }

    /// The bits that have no name here; never any in flags that are not open and were read from bytes.
    #[inline]
    pub fn unknown_bits(self) -> u64 {
        self.0.to_u64() & !E::KNOWN_BITS
    }

    /// Whether no bit is set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.to_u64() == 0
    }

    /// Whether all bits of `flags` are set.
    #[inline]
    pub fn contains(self, flags: impl Into<Self>) -> bool {
        let bits = flags.into().0.to_u64();
        self.0.to_u64() & bits == bits
    }

    /// Sets the bits of `flags`.
    #[inline]
    pub fn insert(&mut self, flags: impl Into<Self>) {
        *self = Self::unchecked(E::Repr::from_u64(self.0.to_u64() | flags.into().0.to_u64()));
    }

    /// Clears the bits of `flags`.
    #[inline]
    pub fn remove(&mut self, flags: impl Into<Self>) {
        *self = Self::unchecked(E::Repr::from_u64(self.0.to_u64() & !flags.into().0.to_u64()));
    }

    /// The flags whose bits are all set, by ascending bits.
    #[inline]
    pub fn iter(self) -> FlagsIter<E> {
        FlagsIter { flags: self, next: 0 }
    }

    #[inline(always)]
    pub(crate) const fn unchecked(bits: E::Repr) -> Self {
        Flags(ManuallyDrop::new(bits), PhantomData)
    }
}

/// The flags of a set, from [`Flags::iter`].
#[derive(Debug)]
pub struct FlagsIter<E: FlagSet> {
    flags: Flags<E>,
    next: usize,
}

impl<E: FlagSet> Iterator for FlagsIter<E> {
    type Item = E;

    fn next(&mut self) -> Option<E> {
        while let Some(value) = E::VALUES.get(self.next) {
            self.next += 1;
            if self.flags.contains(value.value) {
                return Some(value.value);
            }
        }
        None
    }
}

impl<E: FlagSet> IntoIterator for Flags<E> {
    type Item = E;
    type IntoIter = FlagsIter<E>;

    fn into_iter(self) -> FlagsIter<E> {
        self.iter()
    }
}

impl<E: FlagSet> FromIterator<E> for Flags<E> {
    fn from_iter<I: IntoIterator<Item = E>>(flags: I) -> Self {
        flags.into_iter().fold(Self::empty(), |set, flag| set | flag)
    }
}

impl<E: FlagSet> From<E> for Flags<E> {
    #[inline]
    fn from(flag: E) -> Self {
        Self::unchecked(flag.bits())
    }
}

impl<E: FlagSet, T: Into<Flags<E>>> BitOr<T> for Flags<E> {
    type Output = Self;

    #[inline]
    fn bitor(self, other: T) -> Self {
        Self::unchecked(E::Repr::from_u64(self.0.to_u64() | other.into().0.to_u64()))
    }
}

impl<E: FlagSet, T: Into<Flags<E>>> BitOrAssign<T> for Flags<E> {
    #[inline]
    fn bitor_assign(&mut self, other: T) {
        self.insert(other);
    }
}

impl<E: FlagSet, T: Into<Flags<E>>> BitAnd<T> for Flags<E> {
    type Output = Self;

    #[inline]
    fn bitand(self, other: T) -> Self {
        Self::unchecked(E::Repr::from_u64(self.0.to_u64() & other.into().0.to_u64()))
    }
}

impl<E: FlagSet> Not for Flags<E> {
    type Output = Self;

    /// The flags with a name that are not set.
    #[inline]
    fn not(self) -> Self {
        Self::unchecked(E::Repr::from_u64(E::KNOWN_BITS & !self.0.to_u64()))
    }
}

impl<E: FlagSet> Default for Flags<E> {
    #[inline]
    fn default() -> Self {
        Self::empty()
    }
}

impl<E: FlagSet> PartialEq for Flags<E> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl<E: FlagSet> Eq for Flags<E> {}

impl<E: FlagSet> Hash for Flags<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

impl<E: FlagSet> fmt::Debug for Flags<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        let mut separator = "";
        for value in E::VALUES.iter().filter(|value| self.contains(value.value)) {
            write!(f, "{separator}{}", value.name)?;
            separator = " | ";
        }
        match self.unknown_bits() {
            0 => f.write_str("}"),
            unknown => write!(f, "{separator}{unknown:#x}}}"),
        }
    }
}

impl<E: FlagSet> WireType for Flags<E> {
    const SHAPE: Shape = Shape::flags::<E>();
    type View<'a> = Self;
    array_view_slice!();

    #[inline(always)]
    fn validate<R: Refuse>(bytes: &[u8], endian: Endian, at: At) -> Result<(), R> {
        Self::decode(bytes, endian).check(at)
    }

    #[inline(always)]
    fn decode(bytes: &[u8], endian: Endian) -> Self {
        crate::flags::wire::decode(bytes, endian)
    }

    #[inline(always)]
    fn check<R: Refuse>(&self, at: At) -> Result<(), R> {
        crate::flags::wire::check(*self, at)
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], endian: Endian) {
        self.bits().put(bytes, endian);
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> Self {
        Self::decode(bytes, endian)
    }
}

#[cfg(feature = "bytemuck")]
// SAFETY: a transparent wrapper of an integer (`Integer` cannot be named, and so not implemented, elsewhere) is
// zeroable as the integer is.
unsafe impl<E: FlagSet> bytemuck::Zeroable for Flags<E> {}

#[cfg(feature = "bytemuck")]
// SAFETY: a transparent wrapper of an integer: any bits, no padding, no pointers, `Copy` and `'static`. That closed
// flags hold no unknown bits is checked where they are read and written, not relied upon.
unsafe impl<E: FlagSet> bytemuck::Pod for Flags<E> {}

/// What the derive calls for flags in bytes.
pub(crate) mod wire {
    use super::{FlagSet, Flags};
    use crate::error::{At, Refuse};
    use crate::scalar::Integer;
    use crate::wire_type::Endian;

    /// Refuses bits without a name, unless open.
    #[inline(always)]
    pub(crate) fn check<E: FlagSet, R: Refuse>(flags: Flags<E>, at: At) -> Result<(), R> {
        if !E::OPEN && flags.unknown_bits() != 0 {
            return Err(R::bits(at, E::KNOWN_BITS, flags.bits().to_u64()));
        }
        Ok(())
    }

    /// The set in bytes.
    #[inline(always)]
    pub(crate) fn decode<E: FlagSet>(bytes: &[u8], endian: Endian) -> Flags<E> {
        Flags::unchecked(E::Repr::get(bytes, endian))
    }
}
