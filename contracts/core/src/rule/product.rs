//! The product of an array's elements.

/// What has a product: an array of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no product",
    label = "no array of integers",
    note = "`product(f)` is asked of an array of integers with one dimension, counted or not"
)]
pub trait Factors {
    /// The product of the first elements, as if they were multiplied one by one: 1 of none.
    fn product(&self, count: i128) -> Option<i128>;
}

/// An integer of an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no integer, and an array of it has no product",
    label = "not an integer",
    note = "`product(f)` is asked of an array of integers with one dimension, counted or not"
)]
pub trait Factor: Copy {
    /// The number.
    fn factor(self) -> i128;
}

macro_rules! factors {
    ($($integer:ident)*) => { $(
        impl Factor for $integer {
            #[inline(always)]
            fn factor(self) -> i128 {
                i128::from(self)
            }
        }
    )* };
}

factors! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl<T: Factor> Factors for [T] {
    #[inline(always)]
    fn product(&self, count: i128) -> Option<i128> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.iter().take(count).try_fold(1, |product, element| super::mul(product, element.factor()))
    }
}

impl<T: Factor, const N: usize> Factors for [T; N] {
    #[inline(always)]
    fn product(&self, count: i128) -> Option<i128> {
        self.as_slice().product(count)
    }
}

impl<T: Factors + ?Sized> Factors for &T {
    #[inline(always)]
    fn product(&self, count: i128) -> Option<i128> {
        T::product(self, count)
    }
}

/// The product of the first elements of an array; none when it, or that of fewer of them, leaves the range.
#[inline(always)]
pub fn product<T: Factors + ?Sized>(array: &T, count: i128) -> Option<i128> {
    array.product(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_multiplied_one_by_one_and_none_leaves_the_range() {
        assert_eq!(product(&[2u8, 3, 4], 3), Some(24));
        assert_eq!(product(&[2u8, 3, 4], 2), Some(6));
        assert_eq!(product(&[2u8, 3, 4], 0), Some(1));
        assert_eq!(product(&[2u8, 3, 4], i128::MAX), Some(24));
        assert_eq!(product(&[1u64 << 32, (1 << 32) - 1], 2), Some((1 << 64) - (1 << 32)));
        assert_eq!(product(&[u64::MAX, 1], 2), Some(u64::MAX.into()));
        assert_eq!(product(&[1u64 << 32, 1 << 32], 2), None);
        // What comes later does not bring it back, and what came before keeps it there.
        assert_eq!(product(&[1u64 << 32, 1 << 32, 0], 3), None);
        assert_eq!(product(&[0, 1u64 << 32, 1 << 32], 3), Some(0));
        assert_eq!(product(&[i64::MIN, 1], 2), Some(i64::MIN.into()));
        assert_eq!(product(&[i64::MIN, -1], 2), Some(1 << 63));
        assert_eq!(product(&[i64::MIN, -2], 2), None);
        assert_eq!(product(&[i64::MIN, 2], 2), None);
        assert_eq!(product(&[-1i8, -2, -3], 3), Some(-6));
    }
}
