//! The variants of an untagged union, which is read as the first whose required keys are all there: const evaluation
//! refuses a variant whose documents may have all that an earlier one requires, since they would be read as that one.

use super::Members;
use super::keys::{Keys, has};
use crate::Kind;
use crate::layout::check::Message;

/// A variant of an untagged union.
pub struct Tried {
    name: &'static str,
    /// What it holds: a recipe, unless that was refused already.
    kind: Kind,
    /// The keys that it is known by.
    required: &'static [&'static str],
    /// All keys that its documents may have.
    keys: &'static Keys,
}

impl Tried {
    /// The variant of that name, which holds `M`.
    pub const fn new<M: Members>(name: &'static str) -> Tried {
        Tried { name, kind: M::KIND, required: M::REQUIRED, keys: M::KEYS }
    }

    /// Whether its keys are known. A recipe that was refused has none, and that it was refused is said once.
    const fn is_known(&self) -> bool {
        matches!(self.kind, Kind::Recipe) && !(self.keys.own.is_empty() && self.keys.parts.is_empty())
    }

    /// Whether a document of it may be read as the other.
    const fn may_be(&self, other: &Tried) -> bool {
        self.keys.may_have_all(other.required)
    }
}

impl Keys {
    /// Whether one object can have all of these keys by its declaration.
    const fn may_have_all(&self, wanted: &[&str]) -> bool {
        let mut index = 0;
        while index < wanted.len() {
            if !self.has(wanted[index]) {
                return false;
            }
            index += 1;
        }
        self.at_once(wanted)
    }

    /// Whether those of the keys that it has can stand in one object: of a union's variants, one does.
    const fn at_once(&self, wanted: &[&str]) -> bool {
        let mut index = 0;
        while index < self.parts.len() {
            if !self.parts[index].at_once(wanted) {
                return false;
            }
            index += 1;
        }
        let (mut index, mut is_free) = (0, true);
        while index < self.variants.len() {
            let variant = self.variants[index];
            if self.has_no_more(variant, wanted) && variant.at_once(wanted) {
                return true;
            }
            is_free = false;
            index += 1;
        }
        is_free
    }

    /// Whether this variant has every key that some variant has.
    const fn has_no_more(&self, variant: &Keys, wanted: &[&str]) -> bool {
        let mut index = 0;
        while index < wanted.len() {
            let key = wanted[index];
            if !variant.has(key) && self.has(key) && !has(self.own, key) {
                return false;
            }
            index += 1;
        }
        true
    }
}

/// Refuses the variant at a position if a document of it may have all keys that an earlier one requires.
#[track_caller]
pub const fn check_tried(variants: &[Tried], position: usize, union: &str) {
    let later = &variants[position];
    let mut index = 0;
    while index < position && later.is_known() {
        let earlier = &variants[index];
        if earlier.is_known() && later.may_be(earlier) {
            refuse(earlier, later, union);
        }
        index += 1;
    }
}

#[track_caller]
const fn refuse(earlier: &Tried, later: &Tried, union: &str) -> ! {
    let message = Message::new()
        .text("a document of `")
        .text(later.name)
        .text("` may be read as `")
        .text(earlier.name)
        .text("`, which `")
        .text(union)
        .text("` tries first: ");
    let message = if earlier.required.is_empty() {
        message.text("`").text(earlier.name).text("` requires no key")
    } else {
        let message = listed(message.text("`").text(earlier.name).text("` requires "), earlier.required);
        message.text(", which `").text(later.name).text("` may have too")
    };
    let message = if earlier.may_be(later) {
        message
            .text(": give `")
            .text(earlier.name)
            .text("` a required key that `")
            .text(later.name)
            .text("` never has")
    } else {
        message.text(": declare `").text(later.name).text("` before it")
    };
    message.text(", or write `tag = \"…\"` on the union").fail()
}

/// The first keys, so that the message has room for what to do.
const fn listed(mut message: Message, keys: &[&str]) -> Message {
    let mut index = 0;
    while index < keys.len() && index < 4 {
        message = message.text(if index == 0 { "`" } else { "`, `" }).text(keys[index]);
        index += 1;
    }
    message.text(if index < keys.len() { "`, …" } else { "`" })
}
