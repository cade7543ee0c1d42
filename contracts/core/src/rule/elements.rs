//! What a rule asks of all elements of an array: their product, the least of them.

/// An array of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of integers",
    label = "has no product and no least element",
    note = "`product(f)` and `least(f)` are asked of an array of integers with one dimension, counted or not"
)]
pub trait Elements {
    /// Its first elements, as numbers.
    fn elements(&self, count: i128) -> impl Iterator<Item = i128>;
}

/// An integer of an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no integer, and an array of it has no product and no least element",
    label = "not an integer",
    note = "`product(f)` and `least(f)` are asked of an array of integers with one dimension, counted or not"
)]
pub trait Element: Copy {
    /// The number.
    fn number(self) -> i128;
}

macro_rules! elements {
    ($($integer:ident)*) => { $(
        impl Element for $integer {
            #[inline(always)]
            fn number(self) -> i128 {
                i128::from(self)
            }
        }
    )* };
}

elements! { u8 u16 u32 u64 i8 i16 i32 i64 }

impl<T: Element> Elements for [T] {
    #[inline(always)]
    fn elements(&self, count: i128) -> impl Iterator<Item = i128> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.iter().take(count).map(|element| element.number())
    }
}

impl<T: Element, const N: usize> Elements for [T; N] {
    #[inline(always)]
    fn elements(&self, count: i128) -> impl Iterator<Item = i128> {
        self.as_slice().elements(count)
    }
}

impl<T: Elements + ?Sized> Elements for &T {
    #[inline(always)]
    fn elements(&self, count: i128) -> impl Iterator<Item = i128> {
        T::elements(self, count)
    }
}

/// The product of the first elements of an array, multiplied one by one: 1 of none, and none when it leaves the range on
/// the way.
#[inline(always)]
pub fn product<T: Elements + ?Sized>(array: &T, count: i128) -> Option<i128> {
    array.elements(count).try_fold(1, super::mul)
}

/// The least of the first elements of an array; none of none.
#[inline(always)]
pub fn least<T: Elements + ?Sized>(array: &T, count: i128) -> Option<i128> {
    array.elements(count).min()
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

    #[test]
    fn the_least_element_is_one_of_those_that_count() {
        assert_eq!(least(&[3u8, 2, 1], 3), Some(1));
        assert_eq!(least(&[3u8, 2, 1], 2), Some(2));
        assert_eq!(least(&[3u8, 2, 1], 0), None);
        assert_eq!(least(&[0, i64::MIN, i64::MAX], 3), Some(i64::MIN.into()));
        assert_eq!(least(&[u64::MAX], 1), Some(u64::MAX.into()));
    }
}
