//! Several messages: how a message says which one it is, and what each is.

mod kept;
mod tag;

use toml::{Table, Value};
use wirecontract::Code;

use super::Differ;
use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, refuses};
use super::member::{self, Pairs, accepted, is, name, number, set, text};
use super::message::{is_flexible, range, renamed};
use crate::lock::{Form, Kind};

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
        self.tag(found, old, new);
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
        let open = [old, new].map(|form| form.section("variants").find(|variant| is(variant, "open")));
        let pairs = Pairs::new(old.section("variants"), new.section("variants"))
            .by(|(_, old), (_, new)| is(old, "open") && is(new, "open"))
            .by(|(_, old), (_, new)| value(old).is_some() && value(old) == value(new))
            .by(|(_, old), (_, new)| accepted(old) == accepted(new) && is(old, "open") == is(new, "open"));
        let unknown = |open: Option<&Table>| match open {
            Some(_) => Side::Misreads,
            None => refuses(Code::UnknownTag),
        };
        for [(_, old), (_, new)] in &pairs.both {
            let at = name(new);
            renamed(found, What::Variant, [old, new]);
            if value(old) != value(new) {
                let sides = open.map(unknown);
                found.put(at, set("value", old, new), sides, "its tag is another number");
            }
            self.variant_content(found, at, [old, new]);
            let known = ["name", "was", "value", "open", "type", "spelling", "wire_id"];
            member::rest(found, at, [old, new], &known);
        }
        for (_, variant) in &pairs.removed {
            let was_deprecated = member::is_deprecated(variant);
            let change = Change::Removed { what: What::Variant, was_deprecated };
            let (side, why) = match open[1] {
                _ if is(variant, "open") => (refuses(Code::UnknownTag), "unknown tags were kept".to_owned()),
                None => (refuses(Code::UnknownTag), "new readers have no such variant".to_owned()),
                Some(open) => self.kept(open, variant, false),
            };
            found.put(name(variant), change, [Side::Reads, side], why);
        }
        for (_, variant) in &pairs.added {
            let (side, why) = match open[0] {
                _ if is(variant, "open") => {
                    (refuses(Code::UnknownTag), "unknown tags are kept, and written again".to_owned())
                }
                None => (refuses(Code::UnknownTag), "old readers have no such variant".to_owned()),
                Some(open) => self.kept(open, variant, true),
            };
            found.put(name(variant), Change::Added { what: What::Variant }, [side, Side::Reads], why);
        }
        if pairs.are_reordered() {
            let why = "the tag says which message it is";
            found.put("", Change::Reordered { what: What::Variant }, BOTH_READ, why);
        }
    }
}

impl Differ<'_> {
    /// What a variant holds. By body the union says what of it is in the document: what is left are file descriptors.
    fn variant_content(&self, found: &mut Found, at: &str, [old, new]: [&Table; 2]) {
        let message = |form: &&Form| form.kind == Kind::Message;
        let before = text(old, "type").and_then(|path| self.forms.old(path)).filter(message);
        let after = text(new, "type").and_then(|path| self.forms.new_form(path)).filter(message);
        match (before, after) {
            (Some(_), Some(_)) => self.held_contract(found, at, [old, new]),
            // The union holds what they hold, and says what changed of it.
            (None, None) => {}
            (None, Some(message)) => {
                let why = "it is a message, and none of its file descriptors came before";
                found.put(at, set("type", old, new), [alone(message), beside_nothing(message)], why);
            }
            (Some(message), None) => {
                let why = "it was a message, and none of its file descriptors come any more";
                found.put(at, set("type", old, new), [beside_nothing(message), alone(message)], why);
            }
        }
    }
}

/// What a reader of a document alone does with a message of it.
fn alone(message: &Form) -> Side {
    if message.section("fds").any(|group| range(group).1 > 0) { refuses(Code::FdCount) } else { Side::Reads }
}

/// What a reader of a message does with its document alone.
fn beside_nothing(message: &Form) -> Side {
    let may_be_none = |group: &Table| range(group).1 == 0 || (range(group).0 == 0 && is_flexible(group));
    if !message.section("fds").all(may_be_none) {
        refuses(Code::FdCount)
    } else if message.section("rules").any(|rule| text(rule, "at").is_none()) {
        refuses(Code::RuleViolated)
    } else {
        Side::Reads
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
