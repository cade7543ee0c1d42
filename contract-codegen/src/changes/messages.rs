//! Several messages: how a message says which one it is, and what each is.

use toml::{Table, Value};
use wirecontract::Code;

use super::Differ;
use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, refuses};
use super::member::{self, Pairs, accepted, is, name, number, set};
use super::message::renamed;
use crate::lock::Form;

impl Differ<'_> {
    pub(super) fn messages(&self, found: &mut Found, old: &Form, new: &Form) {
        let mut all = Found::default();
        self.chosen(&mut all, old, new);
        let is_tagged = [old, new].map(|form| form.get("tag").is_some());
        if is_tagged[0] != is_tagged[1] {
            // No descriptor is a document, and no document begins with a number that means a message.
            let reader = |form: &Form, is_tagged| match (is_tagged, is_open(form)) {
                (false, _) => Some(refuses(Code::NotJson)),
                (true, false) => Some(refuses(Code::UnknownTag)),
                (true, true) => None,
            };
            all.refused_first([reader(old, is_tagged[0]), reader(new, is_tagged[1])]);
        }
        found.changes.append(&mut all.changes);
    }

    fn chosen(&self, found: &mut Found, old: &Form, new: &Form) {
        let (before, after) = (&old.table, &new.table);
        if !member::equal("tag", before, after) {
            let why = "something else says which message it is";
            found.put("", set("tag", before, after), BOTH_MISREAD, why);
        }
        let [body_before, body_after] = [old, new].map(|form| form.get("body").and_then(Value::as_table));
        match (body_before, body_after) {
            (Some(old), Some(new)) => {
                self.held_contract(found, "body", [old, new]);
                member::rest(found, "body", [old, new], &["type", "wire_id"]);
            }
            (None, None) => {}
            // It is the tag that changed, too.
            _ => found.put("", set("body", before, after), BOTH_MISREAD, "it is no document, or was none"),
        }
        self.message_variants(found, old, new);
        member::rest(found, "", [before, after], &["tag", "body", "variants", "was"]);
        member_was(found, old, new);
    }

    fn message_variants(&self, found: &mut Found, old: &Form, new: &Form) {
        let is_open = [old, new].map(is_open);
        let pairs = Pairs::new(old.section("variants"), new.section("variants"))
            .by(|(_, old), (_, new)| is(old, "open") && is(new, "open"))
            .by(|(_, old), (_, new)| value(old).is_some() && value(old) == value(new))
            .by(|(_, old), (_, new)| accepted(old) == accepted(new) && is(old, "open") == is(new, "open"));
        let unknown = |is_open, is_meant| match (is_open, is_meant) {
            (true, true) => Side::Misreads,
            (true, false) => Side::Reads,
            (false, _) => refuses(Code::UnknownTag),
        };
        for [(_, old), (_, new)] in &pairs.both {
            let at = name(new);
            renamed(found, What::Variant, [old, new]);
            if value(old) != value(new) {
                let sides = is_open.map(|is_open| unknown(is_open, true));
                found.put(at, set("value", old, new), sides, "its tag is another number");
            }
            self.held_contract(found, at, [old, new]);
            member::rest(found, at, [old, new], &["name", "was", "value", "open", "type", "wire_id"]);
        }
        for (_, variant) in &pairs.removed {
            let was_deprecated = member::is_deprecated(variant);
            let change = Change::Removed { what: What::Variant, was_deprecated };
            let (side, why) = if is(variant, "open") {
                (refuses(Code::UnknownTag), "unknown tags were kept")
            } else {
                (unknown(is_open[1], false), "new readers have no such variant")
            };
            found.put(name(variant), change, [Side::Reads, side], why);
        }
        for (_, variant) in &pairs.added {
            let (side, why) = if is(variant, "open") {
                (refuses(Code::UnknownTag), "unknown tags are kept, and written again")
            } else {
                (unknown(is_open[0], false), "old readers have no such variant")
            };
            found.put(name(variant), Change::Added { what: What::Variant }, [side, Side::Reads], why);
        }
        if pairs.are_reordered() {
            let why = "the tag says which message it is";
            found.put("", Change::Reordered { what: What::Variant }, BOTH_READ, why);
        }
    }
}

/// Whether a variant takes every message that no other one does.
fn is_open(form: &Form) -> bool {
    form.section("variants").any(|variant| is(variant, "open"))
}

/// The number in the tag's field.
fn value(variant: &Table) -> Option<i128> {
    number(variant, "value")
}
