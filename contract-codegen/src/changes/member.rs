//! The members of a form's sections: how two lists of them belong together, and what all kinds of them have alike.

use toml::{Table, Value};

use super::change::{Change, Found};
use super::effect::BOTH_MISREAD;

/// Keys that say nothing of what crosses.
const HARMLESS: [&str; 6] = ["since", "deprecated", "c_name", "c_type", "rust", "package"];

/// The text under a key.
pub(super) fn text<'member>(member: &'member Table, key: &str) -> Option<&'member str> {
    member.get(key)?.as_str()
}

/// Whether something is declared.
pub(super) fn is(member: &Table, key: &str) -> bool {
    match member.get(key) {
        None | Some(Value::Boolean(false)) => false,
        Some(_) => true,
    }
}

/// The number under a key.
pub(super) fn number(member: &Table, key: &str) -> Option<i128> {
    member.get(key).and_then(crate::lock::integer)
}

/// The name now.
pub(super) fn name(member: &Table) -> &str {
    text(member, "name").unwrap_or_default()
}

/// The name that a member was first accepted under.
pub(super) fn accepted(member: &Table) -> &str {
    text(member, "was").unwrap_or(name(member))
}

/// The name that Rust has for it.
pub(super) fn rust(member: &Table) -> &str {
    text(member, "rust").unwrap_or(name(member))
}

/// Whether it was declared `deprecated`.
pub(super) fn is_deprecated(member: &Table) -> bool {
    member.contains_key("deprecated")
}

/// The texts of a list.
pub(super) fn texts<'member>(member: &'member Table, key: &str) -> Vec<&'member str> {
    let list = member.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A value as reasons show it.
pub(super) fn word(value: &Value) -> String {
    match (value, crate::lock::integer(value)) {
        (Value::String(text), _) => text.clone(),
        (_, Some(number)) => number.to_string(),
        (other, None) => other.to_string(),
    }
}

/// A key that two members say differently.
pub(super) fn set(key: &str, old: &Table, new: &Table) -> Change {
    let [from, to] = [old, new].map(|member| member.get(key).map(word));
    Change::Set { key: key.to_owned(), from, to }
}

/// Whether two members say the same under a key.
pub(super) fn equal(key: &str, old: &Table, new: &Table) -> bool {
    old.get(key) == new.get(key)
}

/// What is left to say of two members when the keys are done that their kind knows: what concerns one language is
/// harmless, and what nobody knows breaks both sides.
pub(super) fn rest(found: &mut Found, at: &str, [old, new]: [&Table; 2], known: &[&str]) {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    for key in old.keys().chain(added).map(String::as_str) {
        if equal(key, old, new) || known.contains(&key) {
            continue;
        }
        if HARMLESS.contains(&key) {
            let why = match key {
                "since" | "deprecated" | "package" => format!("`{key}` is said to people only"),
                _ => format!("`{key}` names it in one language only"),
            };
            found.harmless(at, set(key, old, new), why);
        } else {
            let why = format!("`{key}` changed, and no rule knows what that does");
            found.put(at, Change::Unknown { key: key.to_owned() }, BOTH_MISREAD, why);
        }
    }
}

/// Members that belong together, and those that have nobody.
pub(super) struct Pairs<'form> {
    /// Before and after, by their positions.
    pub(super) both: Vec<[(usize, &'form Table); 2]>,
    pub(super) removed: Vec<(usize, &'form Table)>,
    pub(super) added: Vec<(usize, &'form Table)>,
}

impl<'form> Pairs<'form> {
    /// Nobody belongs together yet.
    pub(super) fn new(
        old: impl Iterator<Item = &'form Table>,
        new: impl Iterator<Item = &'form Table>,
    ) -> Self {
        Pairs { both: Vec::new(), removed: old.enumerate().collect(), added: new.enumerate().collect() }
    }

    /// Puts together who are left and belong together, each with the first that there is.
    pub(super) fn by(mut self, belong: impl Fn((usize, &Table), (usize, &Table)) -> bool) -> Self {
        for old in std::mem::take(&mut self.removed) {
            match self.added.iter().position(|&new| belong(old, new)) {
                Some(at) => self.both.push([old, self.added.remove(at)]),
                None => self.removed.push(old),
            }
        }
        self
    }

    /// Puts together those of one name.
    pub(super) fn by_name(self, of: impl Fn(&Table) -> &str) -> Self {
        self.by(|(_, old), (_, new)| !of(old).is_empty() && of(old) == of(new))
    }

    /// Whether those that are on both sides stand in another order.
    pub(super) fn are_reordered(&self) -> bool {
        let mut both: Vec<[usize; 2]> = self.both.iter().map(|pair| pair.map(|(at, _)| at)).collect();
        both.sort_unstable();
        !both.iter().map(|pair| pair[1]).is_sorted()
    }
}
