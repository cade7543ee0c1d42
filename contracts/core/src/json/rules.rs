//! What rules may ask of the types that only documents have.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::OpenName;
use crate::Enumeration;
use crate::rule::{
    Carries, Element, Elements, Keyed, Length, LengthOf, Named, Names, Operand, OrDefault, wide,
};

impl<T> Length for Vec<T> {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<T: Element> Elements for Vec<T> {
    #[inline(always)]
    fn elements(&self, count: i128) -> impl Iterator<Item = i128> {
        self.as_slice().elements(count)
    }
}

impl Length for String {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl<K, V> Length for BTreeMap<K, V> {
    #[inline(always)]
    fn length(&self) -> u64 {
        self.len() as u64
    }
}

/// A name that is of no value here stands for no number.
impl<E: Enumeration> Operand for OpenName<E> {
    type Sort = i128;
    #[inline(always)]
    fn operand(&self) -> Option<i128> {
        self.known().map(|value| wide(value.value()))
    }
}

impl<E: Enumeration + Named> Named for OpenName<E> {
    const NAMES: Names = E::NAMES;
}

impl<E: Carries> Keyed for OpenName<E> {
    const NAMES: Names = E::NAMES;
    #[inline(always)]
    fn carried(&self, key: usize) -> Option<i128> {
        Some(self.known()?.carried(key))
    }
}

impl<T: Operand> Operand for Box<T> {
    type Sort = T::Sort;
    #[inline(always)]
    fn operand(&self) -> Option<T::Sort> {
        T::operand(self)
    }
}

impl<T: Named> Named for Box<T> {
    const NAMES: Names = T::NAMES;
}

impl<T: OrDefault<NAME>, const NAME: u64> OrDefault<NAME> for Box<T> {
    type Value = T::Value;
    #[inline(always)]
    fn or_default(&self) -> T::Value {
        T::or_default(self)
    }
}

impl<T: LengthOf<NAME>, const NAME: u64> LengthOf<NAME> for Box<T> {
    #[inline(always)]
    fn length_of(&self) -> u64 {
        T::length_of(self)
    }
}
