//! Groups of file descriptors. They have no names where they cross: their order and their numbers say whose each is.

use toml::Table;
use wirecontract::Code;

use super::renamed;
use crate::changes::change::{Change, Found, What};
use crate::changes::effect::{BOTH_MISREAD, BOTH_READ, Side, refuses};
use crate::changes::member::{self, Pairs, accepted, name, number, set, text};
use crate::lock::Form;

/// Tells what the groups of two forms do.
pub(super) fn groups(found: &mut Found, old: &Form, new: &Form) {
    let rests = [old, new].map(|form| form.section("fds").find(|group| is_flexible(group)));
    let pairs = Pairs::new(old.section("fds"), new.section("fds"))
        .by_name(accepted)
        .by(|(old_at, old), (new_at, new)| old_at == new_at && text(old, "form") == text(new, "form"));
    for [(_, old), (_, new)] in &pairs.both {
        renamed(found, What::Field, [old, new]);
        numbers(found, [old, new], rests);
        let known = ["name", "was", "form", "least", "most", "count", "present_if"];
        member::rest(found, name(new), [old, new], &known);
    }
    for (_, group) in &pairs.removed {
        let was_deprecated = member::is_deprecated(group);
        let change = Change::Removed { what: What::Field, was_deprecated };
        let sides = [without(group, rests[0]), beyond(rests[1])];
        found.put(name(group), change, sides, "new writers pass none of its file descriptors");
    }
    for (_, group) in &pairs.added {
        let sides = [beyond(rests[0]), without(group, rests[1])];
        let change = Change::Added { what: What::Field };
        found.put(name(group), change, sides, "old writers pass none of its file descriptors");
    }
    if pairs.are_reordered() {
        let why = "each file descriptor is taken for one of another group";
        found.put("", Change::Reordered { what: What::Field }, BOTH_MISREAD, why);
    }
    let is_pair = |before: &Table, after: &Table| {
        pairs.both.iter().any(|[(_, old), (_, new)]| *old == before && *new == after)
    };
    if let [Some(before), Some(after)] = rests
        && !is_pair(before, after)
    {
        let why = format!("it takes what the others leave, which `{}` did", name(before));
        found.put(name(after), set("form", before, after), BOTH_MISREAD, why);
    }
}

/// The least and the greatest number of file descriptors.
pub(in crate::changes) fn range(group: &Table) -> (i128, i128) {
    let of = |key| number(group, key).unwrap_or_default();
    match text(group, "form") {
        Some("one") => (1, 1),
        Some("optional") => (0, 1),
        _ => (of("least"), of("most")),
    }
}

/// The expression that says how many there are.
pub(in crate::changes) fn computed(group: &Table) -> Option<&str> {
    text(group, "count").or(text(group, "present_if"))
}

/// Whether nothing says how many it has: it takes what the others leave.
pub(in crate::changes) fn is_flexible(group: &Table) -> bool {
    let (least, most) = range(group);
    least != most && computed(group).is_none()
}

/// What a reader makes of file descriptors of a group that it does not have.
fn beyond(rest: Option<&Table>) -> Side {
    if rest.is_some() { Side::Misreads } else { refuses(Code::FdCount) }
}

/// What a reader makes of a message that has none for a group of its own.
fn without(group: &Table, rest: Option<&Table>) -> Side {
    match rest {
        Some(rest) if rest == group && range(group).0 == 0 => Side::Reads,
        Some(rest) if rest != group => Side::Misreads,
        _ => refuses(Code::FdCount),
    }
}

/// How many file descriptors a group has.
fn numbers(found: &mut Found, [old, new]: [&Table; 2], rests: [Option<&Table>; 2]) {
    let at = name(new);
    // A reader whose group is exact gives what is too many or too few to the group that takes the rest.
    let wrong = |group: &Table, rest: Option<&Table>| {
        if rest.is_some_and(|rest| rest != group) { Side::Misreads } else { refuses(Code::FdCount) }
    };
    let wrong = [wrong(old, rests[0]), wrong(new, rests[1])];
    let [before, after] = [old, new].map(range);
    if before != after {
        let old_takes_all = before.0 <= after.0 && after.1 <= before.1;
        let new_takes_all = after.0 <= before.0 && before.1 <= after.1;
        let side = |takes_all, wrong| if takes_all { Side::Reads } else { wrong };
        let sides = [side(old_takes_all, wrong[0]), side(new_takes_all, wrong[1])];
        let key = ["form", "least", "most"].into_iter().find(|key| !member::equal(key, old, new));
        let why = format!(
            "{} to {} file descriptors, where there were {} to {}",
            after.0, after.1, before.0, before.1
        );
        found.put(at, set(key.unwrap_or("form"), old, new), sides, why);
    } else if !member::equal("form", old, new) {
        found.put(at, set("form", old, new), BOTH_READ, "as many file descriptors, in another form");
    }
    let [from, to] = [old, new].map(computed);
    if from != to {
        let key = ["count", "present_if"].into_iter().find(|key| !member::equal(key, old, new));
        let (sides, why) = match (from, to) {
            (None, _) => ([Side::Reads, wrong[1]], "the parts did not say how many there were"),
            (_, None) => ([wrong[0], Side::Reads], "the parts do not say how many there are any more"),
            _ => (wrong, "the parts say in another way how many there are"),
        };
        found.put(at, set(key.unwrap_or("count"), old, new), sides, why);
    }
}
