//! Integers, floats and bools: what every wire type is made of.

use core::fmt;
use core::hash::Hash;

use crate::error::{At, Refuse};
use crate::layout::Shape;
use crate::wire_type::{Endian, WireType, array_view_slice, exact};
use crate::{ArrayView, Found, WireError};

/// Fixed-width integers that stand for enumerations and flags.
#[doc(hidden)]
pub trait Integer: WireType + Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// Whether it has a sign.
    const SIGNED: bool;
    /// 0.
    const ZERO: Self;
    /// The least value.
    const MIN: i128;
    /// The greatest value.
    const MAX: i128;
    /// Reads it.
    fn get(bytes: &[u8], endian: Endian) -> Self;
    /// Writes it.
    fn put(self, bytes: &mut [u8], endian: Endian);
    /// Its bits, without a sign.
    fn to_u64(self) -> u64;
    /// The low bits of a number.
    fn from_u64(bits: u64) -> Self;
    /// It, for an error.
    fn found(self) -> Found;
}

macro_rules! count {
    () => {
        #[inline(always)]
        fn count(&self) -> u64 {
            u64::from(*self)
        }
        #[inline(always)]
        fn from_count(count: u64) -> Option<Self> {
            count.try_into().ok()
        }
    };
}

macro_rules! scalar {
    ($($type:ident $code:literal $size:literal { $($slice:tt)* })*) => { $(
        impl WireType for $type {
            const SHAPE: Shape = Shape::scalar($code, $size);
            type View<'a> = $type;
            #[inline(always)]
            fn validate<R: Refuse>(_: &[u8], _: Endian, _: At) -> Result<(), R> {
                Ok(())
            }
            #[inline(always)]
            fn decode(bytes: &[u8], endian: Endian) -> Self {
                let bytes = *exact(bytes);
                match endian {
                    Endian::Little => $type::from_le_bytes(bytes),
                    Endian::Big => $type::from_be_bytes(bytes),
                    Endian::Native => $type::from_ne_bytes(bytes),
                }
            }
            #[inline(always)]
            fn encode(&self, bytes: &mut [u8], endian: Endian) {
                bytes.copy_from_slice(&match endian {
                    Endian::Little => self.to_le_bytes(),
                    Endian::Big => self.to_be_bytes(),
                    Endian::Native => self.to_ne_bytes(),
                });
            }
            #[inline(always)]
            fn view_of(bytes: &[u8], endian: Endian) -> $type {
                Self::decode(bytes, endian)
            }
            #[inline(always)]
            fn validate_all<R: Refuse>(_: &[u8], _: Endian, _: At) -> Result<(), R> {
                Ok(())
            }
            #[inline(always)]
            fn check_all<R: Refuse>(_: &[Self], _: At) -> Result<(), R> {
                Ok(())
            }
            #[inline(always)]
            fn import_all(_: &[Self], _: usize) -> Result<(), WireError> {
                Ok(())
            }
            $($slice)*
        }
    )* };
}

/// The longest array of bytes that is written under a mask.
const SHORT: usize = 64;

/// From `SHORT - n` on: `n` bytes that keep, then bytes that clear.
static MASKS: [u8; 2 * SHORT] = {
    let mut masks = [0; 2 * SHORT];
    let mut index = 0;
    while index < SHORT {
        masks[index] = 0xff;
        index += 1;
    }
    masks
};

scalar! {
    u8 2 1 {
        count!();
        #[inline(always)]
        fn bytes_of(items: &[u8]) -> &[u8] {
            items
        }
        #[inline(always)]
        fn bytes_of_mut(items: &mut [u8]) -> &mut [u8] {
            items
        }
        type Slice<'a> = &'a [u8];
        #[inline(always)]
        fn slice_of(bytes: &[u8], _: Endian) -> &[u8] {
            bytes
        }
        #[inline(always)]
        fn decode_all<const N: usize>(bytes: &[u8], _: Endian) -> [u8; N] {
            *exact(bytes)
        }
        #[inline(always)]
        fn encode_some(items: &[u8], count: usize, bytes: &mut [u8], _: Endian) {
            if items.len() > SHORT {
                bytes.copy_from_slice(items);
                if let Some(rest) = bytes.get_mut(count..) {
                    rest.fill(0);
                }
                return;
            }
            // A short array: one pass under a mask is less than a copy and a call to clear the rest.
            let start = SHORT - count.min(items.len());
            for ((item, place), mask) in items.iter().zip(bytes).zip(&MASKS[start..start + items.len()]) {
                *place = *item & *mask;
            }
        }
    }
    i8 3 1 { array_view_slice!(); }
    u16 4 2 { array_view_slice!(); count!(); }
    i16 5 2 { array_view_slice!(); }
    u32 6 4 { array_view_slice!(); count!(); }
    i32 7 4 { array_view_slice!(); }
    u64 8 8 { array_view_slice!(); count!(); }
    i64 9 8 { array_view_slice!(); }
    f32 10 4 { array_view_slice!(); }
    f64 11 8 { array_view_slice!(); }
}

impl WireType for bool {
    const SHAPE: Shape = Shape::scalar(1, 1);
    type View<'a> = bool;
    array_view_slice!();

    #[inline(always)]
    fn validate<R: Refuse>(bytes: &[u8], _: Endian, at: At) -> Result<(), R> {
        let [byte] = *exact(bytes);
        if byte > 1 { Err(R::boolean(at, byte)) } else { Ok(()) }
    }

    #[inline(always)]
    fn decode(bytes: &[u8], _: Endian) -> bool {
        let [byte] = *exact(bytes);
        byte != 0
    }

    #[inline(always)]
    fn encode(&self, bytes: &mut [u8], _: Endian) {
        bytes.copy_from_slice(&[u8::from(*self)]);
    }

    #[inline(always)]
    fn view_of(bytes: &[u8], endian: Endian) -> bool {
        Self::decode(bytes, endian)
    }
}

macro_rules! integer {
    ($($type:ident $signed:literal $found:ident $wide:ident;)*) => { $(
        #[allow(clippy::cast_lossless, clippy::cast_sign_loss, clippy::cast_possible_truncation,
            clippy::cast_possible_wrap, reason = "bits move between integers of one width or a wider one")]
        impl Integer for $type {
            const SIGNED: bool = $signed;
            const ZERO: Self = 0;
            const MIN: i128 = $type::MIN as i128;
            const MAX: i128 = $type::MAX as i128;
            #[inline(always)]
            fn get(bytes: &[u8], endian: Endian) -> Self {
                Self::decode(bytes, endian)
            }
            #[inline(always)]
            fn put(self, bytes: &mut [u8], endian: Endian) {
                self.encode(bytes, endian);
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                bits as $type
            }
            #[inline(always)]
            fn found(self) -> Found {
                Found::$found(self as $wide)
            }
        }
    )* };
}

integer! {
    u8 false Unsigned u64;
    u16 false Unsigned u64;
    u32 false Unsigned u64;
    u64 false Unsigned u64;
    i8 true Signed i64;
    i16 true Signed i64;
    i32 true Signed i64;
    i64 true Signed i64;
}
