//! Enumerations and flags: their numbers, which bytes and memory have, and their names, which JSON has.

use std::collections::BTreeSet;

use toml::{Table, Value};
use wirecontract::Code;

use super::Use;
use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, both_refuse, loosened, refuses, tightened};
use super::member::{self, Pairs, name, number, rust, set, text, texts};
use super::ty::Type;
use crate::lock::{Form, Kind};
use crate::model::Scalar;

/// What a use sees of values.
#[derive(Clone, Copy)]
struct Sees {
    /// Their numbers, and whether those without a name are kept: before, and after.
    numbers: Option<[bool; 2]>,
    /// Their names, and whether those of no value are kept: before, and after.
    names: Option<[bool; 2]>,
    /// Whether it is bytes, which have a size.
    bytes: bool,
    /// Whether it is JSON.
    document: bool,
    /// The code for a number of no value.
    code: Code,
}

impl Sees {
    fn new(old: &Form, new: &Form, usage: Use) -> Self {
        let is_flags = old.kind == Kind::Flags;
        let declared =
            [old, new].map(|form| is_flags && form.table.get("open") == Some(&Value::Boolean(true)));
        let (bytes, document, open) = match usage {
            Use::Alone => (true, true, [false; 2]),
            Use::Bytes { open } => (true, false, open),
            Use::Memory => (true, false, [true; 2]),
            Use::Document { open } => (false, true, open),
            Use::Flattened { .. } => (false, true, [false; 2]),
        };
        // Memory may hold any bits, and a use as `Open<E>` any number.
        let kept = match (is_flags, usage) {
            (true, Use::Memory) => [true; 2],
            (true, _) => declared,
            (false, _) => open,
        };
        let [old_integer, new_integer] = [old, new].map(has_integers);
        Sees {
            numbers: (bytes || old_integer || new_integer).then_some(kept),
            names: (document && !(old_integer && new_integer)).then_some(open),
            bytes,
            document,
            code: if is_flags { Code::UnknownBits } else { Code::UnknownValue },
        }
    }

    /// What old readers do with a number that only the new declaration has a value for, and new readers with one that only
    /// the old one has.
    fn number(self, is_meant: bool) -> [Side; 2] {
        self.numbers.map_or(BOTH_READ, |kept| {
            kept.map(|kept| match (kept, is_meant) {
                (false, _) => refuses(self.code),
                (true, false) => Side::Reads,
                (true, true) => Side::Misreads,
            })
        })
    }

    /// The same of a name.
    fn name(self, is_meant: bool) -> [Side; 2] {
        self.names.map_or(BOTH_READ, |kept| {
            kept.map(|kept| match (kept, is_meant) {
                (false, _) => refuses(Code::UnknownValue),
                (true, false) => Side::Reads,
                (true, true) => Side::Misreads,
            })
        })
    }
}

/// Whether JSON has the numbers.
fn has_integers(form: &Form) -> bool {
    match form.text("as") {
        Some("integer") => true,
        Some(_) => false,
        None => form.kind == Kind::Flags,
    }
}

fn worse(a: [Side; 2], b: [Side; 2]) -> [Side; 2] {
    [a[0].worse(b[0]), a[1].worse(b[1])]
}

pub(super) fn values(found: &mut Found, old: &Form, new: &Form, usage: Use) {
    let sees = Sees::new(old, new, usage);
    repr(found, old, new, sees, usage);
    declared(found, old, new, sees, usage);
    let pairs = Pairs::new(old.section("values"), new.section("values"))
        .by_name(name)
        .by(|(_, old), (_, new)| member::equal("value", old, new));
    for [(_, old), (_, new)] in &pairs.both {
        one(found, old, new, sees, &pairs);
    }
    for (_, value) in &pairs.removed {
        let [_, side] = worse(sees.number(false), sees.name(false));
        let change = Change::Removed { what: What::Value, was_deprecated: member::is_deprecated(value) };
        let number = number(value, "value").unwrap_or_default();
        found.put(name(value), change, [Side::Reads, side], format!("{number} has no name any more"));
    }
    for (_, value) in &pairs.added {
        let [side, _] = worse(sees.number(false), sees.name(false));
        let number = number(value, "value").unwrap_or_default();
        let change = Change::Added { what: What::Value };
        found.put(name(value), change, [side, Side::Reads], format!("{number} had no name"));
    }
    data(found, old, new, &pairs);
    let known = ["repr", "as", "case", "open", "data", "values", "was"];
    member::rest(found, "", [&old.table, &new.table], &known);
    member_was(found, old, new);
}

fn repr(found: &mut Found, old: &Form, new: &Form, sees: Sees, usage: Use) {
    let [from, to] = [old, new].map(|form| form.text("repr").unwrap_or_default());
    if from == to {
        return;
    }
    let [before, after] = [from, to].map(|ty| Type::Named(ty.to_owned()).scalar().map_or(0, Scalar::size));
    let is_kept = sees.numbers.is_some_and(|kept| kept.contains(&true));
    let mut sides = BOTH_READ;
    if sees.bytes && before != after {
        let [old, new] = if after > before {
            [Code::TrailingBytes, Code::TooShort]
        } else {
            [Code::TooShort, Code::TrailingBytes]
        };
        sides = if usage == Use::Alone { [refuses(old), refuses(new)] } else { BOTH_MISREAD };
    } else if sees.bytes && is_kept {
        sides = BOTH_MISREAD;
    } else if sees.document && is_kept {
        sides = both_refuse(Code::OutOfRange);
    }
    let why = format!("its integer is {to} and was {from}");
    found.put("", set("repr", &old.table, &new.table), sides, why);
}

/// What is declared of all values at once.
fn declared(found: &mut Found, old: &Form, new: &Form, sees: Sees, usage: Use) {
    let (before, after) = (&old.table, &new.table);
    if !member::equal("as", before, after) {
        let sides = if sees.document { both_refuse(Code::WrongType) } else { BOTH_READ };
        let [from, to] = [old, new].map(|form| if has_integers(form) { "a number" } else { "a name" });
        found.put("", set("as", before, after), sides, format!("JSON has {to} where it had {from}"));
    }
    if !member::equal("case", before, after) {
        let (sides, why) = if member::is(after, "case") {
            (BOTH_READ, "names are read in any case, and written as declared")
        } else if sees.names.is_some() {
            (tightened(Code::UnknownValue), "names were read in any case")
        } else {
            (BOTH_READ, "names were read in any case, and none is here")
        };
        found.put("", set("case", before, after), sides, why);
    }
    if !member::equal("open", before, after) {
        let is_opened = after.get("open") == Some(&Value::Boolean(true));
        let (sides, why) = match (is_opened, usage) {
            (_, Use::Memory) => (BOTH_READ, "memory may hold any bits"),
            (true, _) => (loosened(Code::UnknownBits), "bits without a name are kept"),
            (false, _) => (tightened(Code::UnknownBits), "bits without a name were kept"),
        };
        found.put("", set("open", before, after), sides, why);
    }
}

/// A value before and after.
fn one(found: &mut Found, old: &Table, new: &Table, sees: Sees, pairs: &Pairs<'_>) {
    let at = name(new);
    if name(old) != name(new) {
        renamed(found, old, new, sees);
    } else if !member::equal("value", old, new) {
        renumbered(found, old, new, sees, pairs);
    }
    let [before, after] = [old, new].map(|value| texts(value, "alias").into_iter().collect::<BTreeSet<_>>());
    for alias in before.difference(&after).filter(|alias| **alias != name(new)) {
        let [_, side] = sees.name(true);
        let change = Change::Removed { what: What::Alias, was_deprecated: member::is_deprecated(old) };
        found.put(at, change, [Side::Reads, side], format!("the name `{alias}` was read"));
    }
    for alias in after.difference(&before).filter(|alias| **alias != name(old)) {
        let why = format!("the name `{alias}` is read, and never written");
        found.put(at, Change::Added { what: What::Alias }, BOTH_READ, why);
    }
    if rust(old) != rust(new) && name(old) == name(new) {
        let had =
            pairs.both.iter().map(|[(_, old), _]| *old).chain(pairs.removed.iter().map(|(_, old)| *old));
        if had.into_iter().any(|other| rust(other) == rust(new)) {
            let why =
                format!("another value was `{}` in Rust, by which defaults and rules name it", rust(new));
            found.put(at, set("rust", old, new), BOTH_MISREAD, why);
        } else {
            found.harmless(at, set("rust", old, new), "`rust` names it in one language only");
        }
    }
    member::rest(found, at, [old, new], &["name", "value", "alias", "data", "rust"]);
}

/// One number by another name.
fn renamed(found: &mut Found, old: &Table, new: &Table, sees: Sees) {
    let [from, to] = [name(old), name(new)];
    let [mut old_side, mut new_side] = sees.name(true);
    if texts(old, "alias").contains(&to) {
        old_side = Side::Reads;
    }
    if texts(new, "alias").contains(&from) {
        new_side = Side::Reads;
    }
    let is_said = texts(new, "alias").contains(&from) || texts(old, "alias").contains(&to);
    let mut why = format!("{} was called `{from}`", number(new, "value").unwrap_or_default());
    if !is_said && sees.numbers.is_some() {
        why = format!(
            "{why}, and nothing says that it means the same: make `{from}` an alias if so, or keep it with `name`"
        );
        (old_side, new_side) = (Side::Misreads, Side::Misreads);
    }
    let change = Change::Renamed { what: What::Value, from: from.to_owned(), to: to.to_owned() };
    found.put(to, change, [old_side, new_side], why);
}

/// One name by another number.
fn renumbered(found: &mut Found, old: &Table, new: &Table, sees: Sees, pairs: &Pairs<'_>) {
    let [from, to] = [old, new].map(|value| number(value, "value").unwrap_or_default());
    let all = |side: usize| pairs.both.iter().map(move |pair| pair[side].1);
    let had: Vec<&Table> = all(0).chain(pairs.removed.iter().map(|(_, value)| *value)).collect();
    let has: Vec<&Table> = all(1).chain(pairs.added.iter().map(|(_, value)| *value)).collect();
    let is_in = |values: &[&Table], of: i128| values.iter().any(|value| number(value, "value") == Some(of));
    let [unknown_old, unknown_new] = sees.number(true);
    let is_seen = sees.numbers.is_some();
    let other = |is_taken: bool, unknown| if is_taken && is_seen { Side::Misreads } else { unknown };
    let sides = [other(is_in(&had, to), unknown_old), other(is_in(&has, from), unknown_new)];
    found.put(name(new), set("value", old, new), sides, format!("it is {to} and was {from}"));
}

/// What the values carry, which is on no wire.
fn data(found: &mut Found, old: &Form, new: &Form, pairs: &Pairs<'_>) {
    let keys = |form: &Form| -> Vec<(String, String)> {
        let word = |key: &Table, of| text(key, of).unwrap_or_default().to_owned();
        form.section("data").map(|key| (word(key, "name"), word(key, "type"))).collect()
    };
    let (before, after) = (keys(old), keys(new));
    let place = |keys: &[(String, String)], name: &str| keys.iter().position(|key| key.0 == name);
    for (key, ty) in &before {
        match place(&after, key) {
            None => {
                let change = Change::Removed { what: What::Data, was_deprecated: false };
                found.put(
                    key,
                    change,
                    BOTH_READ,
                    "data is on no wire: programs that ask for it do not compile",
                );
            }
            Some(at) if after[at].1 != *ty => {
                let change = Change::set("type", Some(ty), Some(&after[at].1));
                found.put(
                    key,
                    change,
                    BOTH_READ,
                    "data is on no wire, and its values are compared by themselves",
                );
            }
            Some(_) => {}
        }
    }
    for (key, _) in after.iter().filter(|(key, _)| place(&before, key).is_none()) {
        found.put(
            key,
            Change::Added { what: What::Data },
            BOTH_READ,
            "data is on no wire, and nobody had another",
        );
    }
    for [(_, old), (_, new)] in &pairs.both {
        for (index, (key, _)) in before.iter().enumerate() {
            let said = |value: &Table, at: usize| value.get("data").and_then(|data| data.get(at)).cloned();
            let Some(at) = place(&after, key) else { continue };
            let (from, to) = (said(old, index), said(new, at));
            if from != to {
                let [from, to] = [from, to].map(|data| data.as_ref().map(member::word).unwrap_or_default());
                let why =
                    format!("`{key}` is {to} and was {from}, so that each side computes with another one");
                found.put(name(new), Change::set(key, Some(&from), Some(&to)), BOTH_MISREAD, why);
            }
        }
    }
}
