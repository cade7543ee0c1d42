//! Rules and conditions. They are compared by their text, and not by what it means.

use toml::{Table, Value};
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::effect::{BOTH_READ, both_refuse, loosened, tightened};
use super::member::{self, Pairs, set, text};
use crate::lock::Form;

/// The rules of two forms.
pub(super) fn rules(found: &mut Found, old: &Form, new: &Form) {
    let expr = |rule: &Table| text(rule, "expr").unwrap_or_default().to_owned();
    let name = |rule: &Table| text(rule, "name").unwrap_or_default().to_owned();
    let pairs = Pairs::new(old.section("rules"), new.section("rules"))
        .by(|(_, old), (_, new)| expr(old) == expr(new) && name(old) == name(new))
        .by(|(_, old), (_, new)| expr(old) == expr(new))
        .by(|(_, old), (_, new)| !name(old).is_empty() && name(old) == name(new));
    for [(_, old), (_, new)] in &pairs.both {
        let at = called(new);
        compared(found, &at, [old, new], Code::RuleViolated);
        member::rest(found, &at, [old, new], &["name", "expr", "at"]);
    }
    for (_, rule) in &pairs.removed {
        let why = "it is no rule any more, and does not hold new writers";
        found.put(&called(rule), removed(rule), loosened(Code::RuleViolated), why);
    }
    for (_, rule) in &pairs.added {
        let change = Change::Added { what: What::Rule };
        found.put(&called(rule), change, tightened(Code::RuleViolated), "no rule held old writers to it");
    }
    if pairs.are_reordered() {
        let why = "of several rules that are violated, another one is told";
        found.put("", Change::Reordered { what: What::Rule }, BOTH_READ, why);
    }
}

/// What a rule is called: by its name, where it has one.
fn called(rule: &Table) -> String {
    let name = text(rule, "name").filter(|name| !name.is_empty());
    name.or(text(rule, "expr")).unwrap_or_default().to_owned()
}

fn removed(rule: &Table) -> Change {
    Change::Removed { what: What::Rule, was_deprecated: member::is_deprecated(rule) }
}

/// The condition of that key on a member.
pub(super) fn condition(found: &mut Found, at: &str, key: &str, [old, new]: [&Table; 2]) {
    let of = |member: &Table| member.get(key).and_then(Value::as_table).cloned();
    match (of(old), of(new)) {
        (None, None) => {}
        (Some(old), Some(new)) => {
            compared(found, at, [&old, &new], Code::ConditionViolated);
            member::rest(found, at, [&old, &new], &["name", "expr", "at"]);
        }
        (Some(_), None) => {
            let why = format!("`{key}` does not hold new writers any more");
            found.put(at, set(key, old, new), loosened(Code::ConditionViolated), why);
        }
        (None, Some(_)) => {
            let why = format!("`{key}` did not hold old writers");
            found.put(at, set(key, old, new), tightened(Code::ConditionViolated), why);
        }
    }
}

/// A rule or condition before and after.
fn compared(found: &mut Found, at: &str, [old, new]: [&Table; 2], code: Code) {
    let [from, to] = [old, new].map(|rule| text(rule, "expr").unwrap_or_default());
    if from != to {
        let why = format!("it was `{from}`, and may refuse what the other side allows");
        found.put(at, set("expr", old, new), both_refuse(code), why);
    }
    match [old, new].map(|rule| rule.contains_key("at")) {
        [false, true] => {
            let why = "new writers are held to it at import, and not in writing any more";
            found.put(at, set("at", old, new), loosened(code), why);
        }
        [true, false] => {
            let why = "it held old writers at import, and not in writing";
            found.put(at, set("at", old, new), tightened(code), why);
        }
        _ if !member::equal("at", old, new) => {
            found.put(at, set("at", old, new), both_refuse(code), "it is checked at another time");
        }
        _ => {}
    }
    if !member::equal("name", old, new) {
        found.put(at, set("name", old, new), BOTH_READ, "the same is refused, under another name");
    }
}
