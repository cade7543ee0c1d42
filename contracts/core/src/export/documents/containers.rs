//! What holds others: arrays, maps, names that may be of no value, variants that only a later version knows.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::leaves::Value;
use super::{At, Memory, Mirror, Str};
use crate::error::Unit;
use crate::json::{JsonType, Writer};
use crate::{Code, Enumeration, Expected, Found, OpenName, UnknownVariant, WireError};

/// `wc_u32_array` and the like.
#[repr(C)]
pub struct Array<C> {
    items: *const C,
    count: usize,
}

impl<C> Clone for Array<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Array<C> {}

impl<C> Array<C> {
    /// Items that live forever.
    pub const fn new(items: &'static [C]) -> Array<C> {
        Array { items: items.as_ptr(), count: items.len() }
    }
}

// SAFETY: laid out as a struct of a pointer and a count; without a pointer it is empty.
unsafe impl<S: 'static, T: JsonType<S>, C: Mirror<T, S>> Mirror<Vec<T>, S> for Array<C> {
    unsafe fn take(&self, at: At<'_>) -> Result<Vec<T>, WireError> {
        let (most, items) = (at.bounds.max_items, at.bounds.of_items());
        let expected = Expected::Most { count: most as u64, unit: Unit::Items };
        // SAFETY: the caller's word is the same, of the array and of each item.
        unsafe { at.slice((self.items, self.count), most, expected, |item| item.take(at.item(&items))) }
    }

    fn of(value: &Vec<T>, memory: &mut Memory) -> Self {
        Array { items: C::items(value, memory), count: value.len() }
    }
}

// SAFETY: an array of what can be zero. A struct around it, which C needs in an array of such, changes nothing.
unsafe impl<S: 'static, T: JsonType<S>, C: Mirror<T, S>, const N: usize> Mirror<[T; N], S> for [C; N] {
    unsafe fn take(&self, at: At<'_>) -> Result<[T; N], WireError> {
        let bounds = at.bounds.of_items();
        let mut items = Vec::with_capacity(N);
        for item in self {
            // SAFETY: the caller's word is the same, of each item.
            items.push(unsafe { item.take(at.item(&bounds)) }?);
        }
        items.try_into().map_err(|_| at.fault(Code::TooShort, "every item"))
    }

    fn of(value: &[T; N], memory: &mut Memory) -> Self {
        core::array::from_fn(|index| C::of(&value[index], memory))
    }
}

/// `wc_str_pair`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct StrPair {
    key: Str,
    value: Str,
}

/// `wc_map`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Map {
    items: *const StrPair,
    count: usize,
}

// SAFETY: laid out as `wc_map`; without a pointer it is empty.
unsafe impl Mirror<BTreeMap<String, String>> for Map {
    unsafe fn take(&self, at: At<'_>) -> Result<BTreeMap<String, String>, WireError> {
        let most = at.bounds.max_items;
        let expected = Expected::Most { count: most as u64, unit: Unit::Members };
        let mut before: Option<String> = None;
        let take = |pair: StrPair| {
            // SAFETY: the caller's word is the same, of each member.
            let key: String = unsafe { pair.key.take(at) }?;
            match &before {
                Some(before) if *before == key => {
                    return Err(at.fault(Code::DuplicateKey, "each key once"));
                }
                Some(before) if *before > key => {
                    return Err(at.fault(Code::BadEncoding, "keys in ascending order"));
                }
                _ => before = Some(key.clone()),
            }
            // SAFETY: as above.
            Ok((key, unsafe { pair.value.take(at) }?))
        };
        // SAFETY: the caller's word is the same.
        let members = unsafe { at.slice((self.items, self.count), most, expected, take) }?;
        Ok(members.into_iter().collect())
    }

    fn of(value: &BTreeMap<String, String>, memory: &mut Memory) -> Self {
        let pair = |(key, value)| StrPair { key: Str::of_text(key), value: Str::of_text(value) };
        let items: Vec<StrPair> = value.iter().map(|(key, value)| pair((key, value))).collect();
        Map { count: items.len(), items: memory.keep(items) }
    }
}

/// A value of an enumeration, or another name.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OpenNamed<R> {
    is_name: u8,
    value: Value<R>,
    name: Str,
}

impl<R> OpenNamed<R> {
    /// A value.
    pub const fn value(value: R) -> OpenNamed<R> {
        OpenNamed { is_name: 0, value: Value(value), name: Str { data: core::ptr::null(), length: 0 } }
    }
}

// SAFETY: laid out as the struct of the three in C.
unsafe impl<E: Enumeration> Mirror<OpenName<E>> for OpenNamed<E::Repr>
where
    OpenName<E>: JsonType,
{
    unsafe fn take(&self, at: At<'_>) -> Result<OpenName<E>, WireError> {
        if self.is_name == 0 {
            return Ok(OpenName::from(self.value.known::<E>(at)?));
        }
        // SAFETY: the caller's word is the same.
        let name = unsafe { at.text(self.name.data, self.name.length) }?;
        at.held(OpenName::from_name(name))
    }

    fn of(value: &OpenName<E>, _: &mut Memory) -> Self {
        let zero = crate::scalar::Integer::ZERO;
        match value.known() {
            Some(value) => OpenNamed::value(value.value()),
            None => OpenNamed { is_name: 1, value: Value(zero), name: Str::of_text(value.name()) },
        }
    }
}

/// `wc_unknown_variant`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Unknown {
    tag: Str,
    content: Str,
}

impl Unknown {
    /// The variant that a C program means, whose tag none of the `known` is.
    ///
    /// # Safety
    /// As of [`Mirror::take`].
    pub unsafe fn take(
        &self,
        tag: At<'_>,
        content: At<'_>,
        known: &[&str],
    ) -> Result<UnknownVariant, WireError> {
        // SAFETY: the caller's word is the same.
        let text = unsafe { tag.text(self.tag.data, self.tag.length) }?;
        if known.contains(&text) {
            let mut writer = Writer::new(Vec::new());
            writer.string(text);
            let found = Found::brief(core::str::from_utf8(&writer.out).unwrap_or(""));
            let expected = Expected::Words("a tag that no variant has");
            return Err(tag.refuse(Code::UnknownTag, expected, found));
        }
        let has_content = !self.content.data.is_null() || self.content.length != 0;
        // SAFETY: as above.
        let content = if has_content { Some(unsafe { self.content.json(content) }?) } else { None };
        Ok(UnknownVariant { tag: text.into(), content })
    }

    /// What a C program is shown.
    pub fn of(value: &UnknownVariant) -> Unknown {
        let nothing = Str { data: core::ptr::null(), length: 0 };
        let content = value.content.as_ref().map_or(nothing, |json| Str::of_text(json.as_str()));
        Unknown { tag: Str::of_text(&value.tag), content }
    }
}
