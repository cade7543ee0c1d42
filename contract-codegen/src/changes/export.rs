//! Handles, functions and libraries: whatever changes the wire id of one is refused when a library is loaded.

use toml::Table;
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::effect::both_refuse;
use super::member::{self, Pairs, accepted, name, set, text, texts};
use super::ty::Type;
use super::{Differ, Use, descriptor};
use crate::lock::Form;

/// Puts what differs: refused at load where the wire id covers it, harmless where it does not.
struct Loaded<'found> {
    found: &'found mut Found,
    is_same: bool,
}

impl Loaded<'_> {
    fn put(&mut self, at: &str, change: Change, why: impl Into<String>) {
        if self.is_same {
            self.found.harmless(at, change, why);
        } else {
            self.found.put(at, change, both_refuse(Code::IdMismatch), why);
        }
    }
}

pub(super) fn handle(found: &mut Found, old: &Form, new: &Form) {
    let (before, after) = (&old.table, &new.table);
    let mut loaded = Loaded { found, is_same: old.wire_id == new.wire_id };
    for (key, why) in [
        ("access", "it is used from one thread on one side, and from all on the other"),
        ("symbol", "another function destroys it"),
        ("tag", "its numbers begin with another tag"),
        ("prefix", "the package's symbols begin with something else"),
    ] {
        if !member::equal(key, before, after) {
            loaded.put("", set(key, before, after), why);
        }
    }
    member::rest(found, "", [before, after], &["access", "symbol", "tag", "prefix", "was"]);
    descriptor::member_was(found, old, new);
}

pub(super) fn symbols(found: &mut Found, old: &Form, new: &Form) {
    let [before, after] = [old, new].map(|form| texts(&form.table, "symbols"));
    if before != after {
        let change = set("symbols", &old.table, &new.table);
        found.put("", change, both_refuse(Code::IdMismatch), "programs look for other symbols");
    }
    member::rest(found, "", [&old.table, &new.table], &["symbols", "was"]);
    descriptor::member_was(found, old, new);
}

impl Differ<'_> {
    pub(super) fn function(&self, found: &mut Found, old: &Form, new: &Form) {
        let (before, after) = (&old.table, &new.table);
        let is_same = old.wire_id == new.wire_id;
        for (key, why) in [
            ("symbol", "it is exported under another name"),
            ("unsafe", "its caller has other promises to keep"),
            ("prefix", "the package's symbols begin with something else"),
            ("method_of", "it is a method of another handle, or of another form of it"),
        ] {
            if !member::equal(key, before, after) {
                Loaded { found: &mut *found, is_same }.put("", set(key, before, after), why);
            }
        }
        self.members(found, [old, new], "params", What::Parameter);
        self.members(found, [old, new], "outs", What::Result);
        let known = ["symbol", "unsafe", "prefix", "method_of", "params", "outs", "was"];
        member::rest(found, "", [before, after], &known);
    }

    fn members(&self, found: &mut Found, [old, new]: [&Form; 2], section: &str, what: What) {
        let is_same = old.wire_id == new.wire_id;
        let pairs = Pairs::new(old.section(section), new.section(section))
            .by_name(accepted)
            .by(|(old_at, old), (new_at, new)| old_at == new_at && text(old, "form") == text(new, "form"));
        let are_reordered = pairs.are_reordered();
        for [(_, before), (_, after)] in &pairs.both {
            let at = name(after);
            let mut loaded = Loaded { found: &mut *found, is_same };
            if name(before) != name(after) {
                let [from, to] = [before, after].map(|member| name(member).to_owned());
                let why = format!("it was called `{from}`");
                loaded.put(at, Change::Renamed { what, from, to }, why);
            }
            for key in ["form", "type", "mut", "nullable", "pass", "args", "params", "points_to"] {
                if !member::equal(key, before, after) && !self.is_renamed(key, before, after) {
                    loaded.put(at, set(key, before, after), explanation(key));
                }
            }
            if !is_same && ["wire_id", "wire_ids"].iter().any(|key| !member::equal(key, before, after)) {
                let why = "the ids of what it is made of differ, and so does the function's";
                loaded.put(at, set("wire_id", before, after), why);
            } else {
                self.pointees(found, at, [before, after]);
            }
            let known = [
                "name",
                "was",
                "form",
                "type",
                "mut",
                "nullable",
                "pass",
                "args",
                "params",
                "wire_id",
                "wire_ids",
                "points_to",
            ];
            member::rest(found, at, [before, after], &known);
        }
        let mut loaded = Loaded { found, is_same };
        for (_, member) in &pairs.removed {
            let was_deprecated = member::is_deprecated(member);
            loaded.put(name(member), Change::Removed { what, was_deprecated }, "it is not passed any more");
        }
        for (_, member) in &pairs.added {
            loaded.put(name(member), Change::Added { what }, "it was not passed");
        }
        if are_reordered {
            loaded.put("", Change::Reordered { what }, "C calls by place");
        }
    }

    /// Whether a type differs only in what a contract is called.
    fn is_renamed(&self, key: &str, old: &Table, new: &Table) -> bool {
        let ty = |member| Type::of(text(member, "type").unwrap_or_default());
        key == "type" && text(old, "type").is_some() && self.same(&ty(old), &ty(new))
    }

    /// Memory behind pointers, which no wire id covers.
    fn pointees(&self, found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
        let [from, to] = [old, new].map(|member| Type::of(text(member, "type").unwrap_or_default()));
        if self.same(&from, &to) && matches!(text(new, "form"), Some("value" | "reference" | "slice")) {
            self.held_by(found, at, [old, new], [&from, &to], |_| Use::Memory);
        }
    }
}

fn explanation(key: &str) -> &'static str {
    match key {
        "form" | "type" => "it crosses in another form",
        "mut" => "it is written on one side, and only read on the other",
        "nullable" => "it may be none on one side only",
        "pass" => "the handle is taken, changed or only used, and it was not the same before",
        "points_to" => "what it points to is called something else",
        "args" => "the callback takes something else",
        _ => "parameters in it have other names",
    }
}
