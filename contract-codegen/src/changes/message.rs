//! Messages: what their bytes are, and whose the file descriptors beside them are.

mod fds;

use toml::{Table, Value};
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, loosened, refuses, tightened};
use super::json_type::limit;
use super::member::{self, Pairs, accepted, name, number, set, text};
use super::ty::Type;
use super::{Differ, Use, rules};
use crate::lock::{Form, Kind};

pub(super) use fds::{computed, is_flexible, range};

impl Differ<'_> {
    pub(super) fn message(&self, found: &mut Found, old: &Form, new: &Form) {
        let mut parts = Found::default();
        self.parts(&mut parts, old, new);
        let sizes = [self.fixed_size(old, true), self.fixed_size(new, false)];
        if let [Some(before), Some(after)] = sizes
            && before != after
        {
            // Each reader refuses the message whose length it does not have.
            let [longer, shorter] = [refuses(Code::TrailingBytes), refuses(Code::TooShort)];
            let first = if after > before { [longer, shorter] } else { [shorter, longer] };
            parts.refused_first(first.map(Some));
        }
        found.changes.append(&mut parts.changes);
        self.tail(found, old, new);
        bound(found, old, new);
        fds::groups(found, old, new);
        rules::rules(found, old, new);
        let known = ["max_bytes", "parts", "tail", "fds", "rules", "was"];
        member::rest(found, "", [&old.table, &new.table], &known);
        member_was(found, old, new);
    }

    fn parts(&self, found: &mut Found, old: &Form, new: &Form) {
        let pairs = Pairs::new(old.section("parts"), new.section("parts"))
            .by_name(accepted)
            .by(|(old_at, old), (new_at, new)| old_at == new_at && text(old, "type") == text(new, "type"));
        for [(_, old), (_, new)] in &pairs.both {
            let at = name(new);
            renamed(found, What::Field, [old, new]);
            self.held_contract(found, at, [old, new]);
            member::rest(found, at, [old, new], &["name", "was", "type", "wire_id"]);
        }
        for (_, part) in &pairs.removed {
            let was_deprecated = member::is_deprecated(part);
            let why = "what stood behind it stands in its place";
            found.put(name(part), Change::Removed { what: What::Field, was_deprecated }, BOTH_MISREAD, why);
        }
        for (_, part) in &pairs.added {
            let why = "it stands where something else stood, or nothing";
            found.put(name(part), Change::Added { what: What::Field }, BOTH_MISREAD, why);
        }
        if pairs.are_reordered() {
            let why = "each part stands where another one stood";
            found.put("", Change::Reordered { what: What::Field }, BOTH_MISREAD, why);
        }
    }

    /// The contract under `type`, of a part, a body or a variant.
    pub(super) fn held_contract(&self, found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
        let types = [old, new].map(|member| Type::of(text(member, "type").unwrap_or_default()));
        if let [Type::Contract(from), Type::Contract(to)] = &types
            && self.is_same(from, to)
        {
            let is_other = !member::equal("wire_id", old, new);
            self.held(found, at, [from, to], self.usage(from, to), is_other);
        } else {
            let [from, to] = [old, new].map(|member| text(member, "type").unwrap_or_default());
            let why = format!("it is {to} and was {from}");
            found.put(at, set("type", old, new), BOTH_MISREAD, why);
        }
    }

    /// How a message uses what it holds: its length says nothing of a descriptor's, unless that one says its version.
    fn usage(&self, old: &str, new: &str) -> Use {
        let forms = [self.forms.old(old), self.forms.new_form(new)];
        let is_fixed = |form: Option<&Form>| {
            form.is_some_and(|form| form.kind == Kind::Descriptor && form.get("sizes").is_none())
        };
        if forms.into_iter().any(is_fixed) { Use::Bytes { open: [false; 2] } } else { Use::Alone }
    }

    /// The bytes of every message, where they are a number: of descriptors that do not grow, and no tail.
    fn fixed_size(&self, form: &Form, is_old: bool) -> Option<i128> {
        if form.get("tail").is_some() {
            return None;
        }
        form.section("parts").try_fold(0, |size: i128, part| {
            let path = text(part, "type")?;
            let held = if is_old { self.forms.old(path) } else { self.forms.new_form(path) }?;
            let is_fixed = held.kind == Kind::Descriptor && held.get("sizes").is_none();
            is_fixed.then(|| Some(size + number(&held.table, "size")?))?
        })
    }

    fn tail(&self, found: &mut Found, old: &Form, new: &Form) {
        let [before, after] = [old, new].map(|form| form.get("tail").and_then(Value::as_table));
        match (before, after) {
            (None, None) => {}
            (None, Some(tail)) => {
                let side = without_tail(tail);
                let why = "nothing stood behind the parts";
                let change = Change::Added { what: What::Field };
                found.put(name(tail), change, [refuses(Code::TrailingBytes), side], why);
            }
            (Some(tail), None) => {
                let was_deprecated = member::is_deprecated(tail);
                let change = Change::Removed { what: What::Field, was_deprecated };
                let sides = [without_tail(tail), refuses(Code::TrailingBytes)];
                found.put(name(tail), change, sides, "nothing stands behind the parts any more");
            }
            (Some(old), Some(new)) => {
                let at = name(new);
                renamed(found, What::Field, [old, new]);
                self.tail_type(found, at, [old, new]);
                tail_length(found, at, [old, new]);
                member::rest(found, at, [old, new], &["name", "was", "type", "wire_id", "count", "bytes"]);
            }
        }
    }

    fn tail_type(&self, found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
        let types = [old, new].map(|tail| text(tail, "type").unwrap_or_default());
        let change = set("type", old, new);
        match types {
            ["String", "Vec<u8>"] => {
                let why = "every text is bytes, and not all bytes are text";
                found.put(at, change, loosened(Code::BadUtf8), why);
            }
            ["Vec<u8>", "String"] => {
                let why = "every text is bytes, and not all bytes are text";
                found.put(at, change, tightened(Code::BadUtf8), why);
            }
            [from, to] => match (Type::of(from), Type::of(to)) {
                (Type::List(before), Type::List(after)) if self.same(&before, &after) => {
                    if let (Type::Contract(before), Type::Contract(after)) = (&*before, &*after) {
                        let is_other = !member::equal("wire_id", old, new);
                        self.held(found, at, [before, after], self.usage(before, after), is_other);
                    }
                }
                _ if from == to => {}
                _ => found.put(at, change, BOTH_MISREAD, format!("it is {to} and was {from}")),
            },
        }
    }
}

/// What a reader that waits for this tail makes of a message that ends behind the parts.
fn without_tail(tail: &Table) -> Side {
    let is_computed = tail.contains_key("count") || tail.contains_key("bytes");
    if is_computed { refuses(Code::TooShort) } else { Side::Reads }
}

/// The number that says how long a tail is. A reader holds the whole message against it, so that it misreads none.
fn tail_length(found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
    let length = |tail: &Table| ["count", "bytes"].map(|key| text(tail, key).map(str::to_owned));
    let key = match [length(old), length(new)] {
        [before, after] if before == after => return,
        [_, [Some(_), _]] | [[Some(_), _], [None, None]] => "count",
        _ => "bytes",
    };
    let is_computed = [old, new].map(|tail| without_tail(tail) != Side::Reads);
    let is_single = |tail| matches!(text(tail, "type"), Some("String" | "Vec<u8>"));
    let (sides, why) = match (is_computed, [length(old), length(new)]) {
        ([false, _], _) => (tightened(Code::TooShort), "the parts did not say how long it was"),
        ([_, false], _) => (loosened(Code::TooShort), "the parts do not say how long it is any more"),
        (_, [[Some(before), None], [None, Some(after)]] | [[None, Some(before)], [Some(after), None]])
            if before == after =>
        {
            // A number of elements asks for more bytes than there are; as many bytes are seldom whole elements.
            let [elements, bytes] = [refuses(Code::TooShort), refuses(Code::LengthExceeds)];
            let sides = match key {
                _ if is_single(old) && is_single(new) => BOTH_READ,
                _ if text(new, "bytes").is_some() => [elements, bytes],
                _ => [bytes, elements],
            };
            (sides, "the parts say bytes where they said elements, or elements where they said bytes")
        }
        _ => ([refuses(Code::TooShort); 2], "the parts say in another way how long it is"),
    };
    found.put(at, set(key, old, new), sides, why);
}

/// The longest message; none where the parts say it.
fn bound(found: &mut Found, old: &Form, new: &Form) {
    let [before, after] = [old, new].map(|form| limit(&form.table, "max_bytes"));
    let has_both = [old, new].iter().all(|form| form.get("max_bytes").is_some());
    if before == after || !has_both {
        return;
    }
    let sides = if after < before { tightened(Code::TooLarge) } else { loosened(Code::TooLarge) };
    let why = format!("`max_bytes` is {after} and was {before}");
    found.put("", set("max_bytes", &old.table, &new.table), sides, why);
}

/// What a member is called, and whether it means the same.
pub(super) fn renamed(found: &mut Found, what: What, [old, new]: [&Table; 2]) {
    let [from, to] = [old, new].map(|member| name(member).to_owned());
    let change = Change::Renamed { what, from: from.clone(), to: to.clone() };
    if accepted(old) != accepted(new) {
        let why = format!(
            "`{from}` stood in its place, and nothing says that it means the same: declare `was = {from}` if so"
        );
        found.put(&to, change, BOTH_MISREAD, why);
    } else if from != to {
        let why = format!("it was called `{from}`, and `was` says that it means the same");
        found.harmless(&to, change, why);
    }
}
