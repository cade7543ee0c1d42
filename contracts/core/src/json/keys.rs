//! Which keys an object has, flattened parts included: so that no two contracts claim one, which const evaluation
//! checks.

use crate::layout::check::Message;

/// The keys of a recipe or a union.
pub struct Keys {
    /// Its own; of a union, its tag and content.
    pub own: &'static [&'static str],
    /// Those of flattened parts, which all stand in the object.
    pub parts: &'static [&'static Keys],
    /// Those of variants, of which one stands in the object.
    pub variants: &'static [&'static Keys],
    /// Whether it keeps keys that are nobody's.
    pub is_open: bool,
}

impl Keys {
    /// None.
    pub const NONE: Keys = Keys { own: &[], parts: &[], variants: &[], is_open: false };

    pub(super) const fn has(&self, key: &str) -> bool {
        has(self.own, key) || any_has(self.parts, key) || any_has(self.variants, key)
    }

    /// A key that both have.
    const fn shared(&self, other: &Keys) -> Option<&'static str> {
        let mut index = 0;
        while index < self.own.len() {
            if other.has(self.own[index]) {
                return Some(self.own[index]);
            }
            index += 1;
        }
        match any_shared(self.parts, other) {
            None => any_shared(self.variants, other),
            shared => shared,
        }
    }

    pub(super) const fn keeps_others(&self) -> bool {
        self.is_open || any_keeps_others(self.parts) || any_keeps_others(self.variants)
    }
}

pub(super) const fn has(keys: &[&str], key: &str) -> bool {
    let mut index = 0;
    while index < keys.len() {
        if equal(keys[index].as_bytes(), key.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

const fn any_has(all: &[&Keys], key: &str) -> bool {
    let mut index = 0;
    while index < all.len() {
        if all[index].has(key) {
            return true;
        }
        index += 1;
    }
    false
}

const fn any_keeps_others(all: &[&Keys]) -> bool {
    let mut index = 0;
    while index < all.len() {
        if all[index].keeps_others() {
            return true;
        }
        index += 1;
    }
    false
}

const fn any_shared(all: &[&Keys], other: &Keys) -> Option<&'static str> {
    let mut index = 0;
    while index < all.len() {
        if let Some(shared) = all[index].shared(other) {
            return Some(shared);
        }
        index += 1;
    }
    None
}

/// Refuses a part or a variant (the last `others` are those it stands beside) that has a key which another has too, and
/// a second part that keeps keys which are nobody's.
#[track_caller]
pub const fn check_keys(
    own: &'static [&'static str],
    others: &[&'static Keys],
    part: &'static Keys,
    contract: &str,
    field: &str,
) {
    let own = Keys { own, ..Keys::NONE };
    let mut shared = part.shared(&own);
    let mut index = 0;
    while index < others.len() && shared.is_none() {
        shared = part.shared(others[index]);
        if part.keeps_others() && others[index].keeps_others() {
            Message::new()
                .text("two parts of `")
                .text(contract)
                .text("` keep the keys that are nobody's, and `")
                .text(field)
                .text("` is the second: hold one of the unions under a key of its own")
                .fail();
        }
        index += 1;
    }
    if let Some(key) = shared {
        Message::new()
            .text("the key `")
            .text(key)
            .text("` of `")
            .text(field)
            .text("` stands in the object of `")
            .text(contract)
            .text("` already: give one of the two another name")
            .fail();
    }
}
