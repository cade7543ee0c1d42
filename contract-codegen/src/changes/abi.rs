//! C structs: memory that code of both declarations looks at, where nothing is checked.

use toml::{Table, Value};

use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side};
use super::member::{self, Pairs, accepted, name, set, text};
use super::ty::Type;
use super::{Differ, Use};
use crate::lock::Form;

/// Names of C's own for types that are the same in every data model.
const SAME_EVERYWHERE: [(&str, &str); 10] = [
    ("c_schar", "i8"),
    ("c_uchar", "u8"),
    ("c_short", "i16"),
    ("c_ushort", "u16"),
    ("c_int", "i32"),
    ("c_uint", "u32"),
    ("c_longlong", "i64"),
    ("c_ulonglong", "u64"),
    ("usize", "usize"),
    ("isize", "isize"),
];

impl Differ<'_> {
    pub(super) fn abi(&self, found: &mut Found, old: &Form, new: &Form) {
        let (before, after) = (&old.table, &new.table);
        let is_as_large = member::equal("size", before, after) && member::equal("align", before, after);
        for key in ["size", "align"] {
            if !member::equal(key, before, after) {
                let [from, to] = [before, after].map(|form| form.get(key).map(sizes).unwrap_or_default());
                let why = format!("`{key}` is {to} where it was {from} (LP64, LLP64, 32 bits twice)");
                found.put("", set(key, before, after), BOTH_MISREAD, why);
            }
        }
        let pairs = Pairs::new(old.section("fields"), new.section("fields"))
            .by_name(accepted)
            .by(|(_, old), (_, new)| member::equal("at", old, new) && self.same(&ty(old), &ty(new)));
        for [(_, old), (_, new)] in &pairs.both {
            self.member(found, [old, new]);
        }
        for (_, field) in &pairs.removed {
            let was_deprecated = member::is_deprecated(field);
            let change = Change::Removed { what: What::Field, was_deprecated };
            let sides = if is_as_large { [Side::Misreads, Side::Reads] } else { BOTH_MISREAD };
            found.put(name(field), change, sides, "new code does not fill it in any more");
        }
        for (_, field) in &pairs.added {
            let sides = if is_as_large { [Side::Reads, Side::Misreads] } else { BOTH_MISREAD };
            found.put(
                name(field),
                Change::Added { what: What::Field },
                sides,
                "old code does not fill it in",
            );
        }
        member::rest(found, "", [before, after], &["size", "align", "fields", "was"]);
        member_was(found, old, new);
    }

    fn member(&self, found: &mut Found, [old, new]: [&Table; 2]) {
        let at = name(new);
        let is_accepted = accepted(old) == accepted(new);
        if name(old) != name(new) {
            let [from, to] = [old, new].map(|member| name(member).to_owned());
            let change = Change::Renamed { what: What::Field, from: from.clone(), to };
            if is_accepted {
                found.harmless(
                    at,
                    change,
                    format!("it was called `{from}`, and `was` says that it means the same"),
                );
            } else {
                let why = format!(
                    "`{from}` stood there, and nothing says that it means the same: declare `was = {from}` if so"
                );
                found.put(at, change, BOTH_MISREAD, why);
            }
        } else if !is_accepted {
            let why = "it keeps its name, and is known by another one that was accepted first";
            found.put(at, set("was", old, new), BOTH_READ, why);
        }
        if !member::equal("at", old, new) {
            let [from, to] = [old, new].map(|member| member.get("at").map(sizes).unwrap_or_default());
            let why = format!("it moved from byte {from} to byte {to} (LP64, LLP64, 32 bits twice)");
            found.put(at, set("at", old, new), BOTH_MISREAD, why);
        }
        self.member_type(found, at, [old, new]);
        if !member::equal("counted_by", old, new) {
            let why = "it has another number of items behind it, for whoever trusts that";
            found.put(at, set("counted_by", old, new), BOTH_MISREAD, why);
        }
        if !member::equal("params", old, new) && self.same(&ty(old), &ty(new)) {
            found.put(
                at,
                set("params", old, new),
                BOTH_READ,
                "C calls by place, whatever parameters are called",
            );
        }
        let known = ["name", "was", "at", "type", "counted_by", "params", "wire_id", "wire_ids", "points_to"];
        member::rest(found, at, [old, new], &known);
    }

    fn member_type(&self, found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
        let [from, to] = [old, new].map(ty);
        if self.same(&from, &to) {
            self.held_by(found, at, [old, new], [&from, &to], |_| Use::Memory);
            if !member::equal("points_to", old, new) {
                let why = "what it points to is called something else";
                found.harmless(at, set("points_to", old, new), why);
            }
            return;
        }
        let [from_text, to_text] = [old, new].map(|member| text(member, "type").unwrap_or_default());
        let why = format!("it is `{to_text}` and was `{from_text}`");
        let sides = match (&from, &to) {
            (Type::Named(from), Type::Named(to)) if everywhere(from) == everywhere(to) => BOTH_READ,
            (Type::Pointer { to: from, is_const }, Type::Pointer { to, .. }) if self.same(from, to) => {
                if *is_const {
                    [Side::Reads, Side::Misreads]
                } else {
                    [Side::Misreads, Side::Reads]
                }
            }
            _ => BOTH_MISREAD,
        };
        found.put(at, set("type", old, new), sides, why);
    }
}

fn ty(member: &Table) -> Type {
    Type::of(text(member, "type").unwrap_or_default())
}

fn everywhere(name: &str) -> &str {
    SAME_EVERYWHERE.iter().find(|(own, _)| *own == name).map_or(name, |(_, fixed)| fixed)
}

/// The numbers of the four data models, or the one that all have.
fn sizes(value: &Value) -> String {
    let numbers: Vec<String> = value.as_array().into_iter().flatten().map(member::word).collect();
    match numbers.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => first.clone(),
        _ => numbers.join(", "),
    }
}
