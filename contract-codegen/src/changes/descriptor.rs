//! Descriptors: what stands at each byte.

use std::cmp::Ordering;

use toml::Table;
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, both_refuse, refuses};
use super::field::{Bytes, Field, Role, role};
use super::growth::Growth;
use super::member::{self, Pairs, accepted, name, set};
use super::{Differ, Use, rules};
use crate::lock::Form;

impl Differ<'_> {
    pub(super) fn descriptor(&self, found: &mut Found, old: &Form, new: &Form, usage: Use) {
        let growth = Growth::between(old, new);
        let first = match &growth {
            Some(growth) => First(growth.sizes(found, old, new)),
            None => size(found, old, new, usage),
        };
        let (before, after) = (Bytes::of(old), Bytes::of(new));
        let of = |reserved: bool| {
            let is = move |member: &&Table| Field::of(member).is_reserved() == reserved;
            Pairs::new(old.section("fields").filter(is), new.section("fields").filter(is)).by_name(accepted)
        };
        let fields = of(false).by(|(_, old), (_, new)| {
            let (old, new) = (Field::of(old), Field::of(new));
            old.at == new.at && old.role == new.role && self.same(&old.ty, &new.ty)
        });
        for [(_, old), (_, new)] in &fields.both {
            let pair = [Field::of(old), Field::of(new)];
            self.field(found, &pair, [&before, &after], growth.as_ref());
        }
        for (_, field) in &fields.removed {
            let field = Field::of(field);
            if !growth.as_ref().is_some_and(|growth| growth.removed(found, &field)) {
                self.field_removed(found, &field, &after);
            }
        }
        for (_, field) in &fields.added {
            let field = Field::of(field);
            if !growth.as_ref().is_some_and(|growth| growth.added(found, &field)) {
                self.field_added(found, &field, &before);
            }
        }
        let reserved = of(true).by(|(_, old), (_, new)| member::equal("at", old, new));
        for [(_, old), (_, new)] in &reserved.both {
            reserved_bytes(found, old, new);
        }
        for key in ["layout", "align"].into_iter().filter(|key| old.get(key) != new.get(key)) {
            let why =
                format!("`{key}` says how offsets follow from the fields, which are compared by themselves");
            found.put("", set(key, &old.table, &new.table), BOTH_READ, why);
        }
        rules::rules(found, old, new);
        member::rest(
            found,
            "",
            [&old.table, &new.table],
            &["size", "sizes", "align", "layout", "fields", "rules", "was"],
        );
        member_was(found, old, new);
        found.refused_first(first.or(magic_or_version(&fields.both)));
    }

    fn field(
        &self,
        found: &mut Found,
        [old, new]: &[Field<'_>; 2],
        sides: [&Bytes<'_>; 2],
        growth: Option<&Growth>,
    ) {
        let (at, members) = (name(new.member), [old.member, new.member]);
        let is_accepted = accepted(old.member) == accepted(new.member);
        if name(old.member) != name(new.member) {
            let [from, to] = members.map(|member| name(member).to_owned());
            let change = Change::Renamed { what: What::Field, from: from.clone(), to };
            if is_accepted {
                found.harmless(
                    at,
                    change,
                    format!("it was called `{from}`, and `was` says that it means the same"),
                );
            } else {
                let why = format!(
                    "`{from}` stood in these bytes, and nothing says that it means the same: declare `was = {from}` if so"
                );
                found.put(at, change, BOTH_MISREAD, why);
            }
        } else if !is_accepted {
            let why = "it keeps its name, and is known by another one that was accepted first";
            found.put(at, set("was", old.member, new.member), BOTH_READ, why);
        }
        if old.at != new.at {
            let why = format!("it moved from byte {} to byte {}", old.at, new.at);
            found.put(at, set("at", old.member, new.member), BOTH_MISREAD, why);
        }
        role(found, at, old, new);
        self.field_type(found, at, [old, new], sides);
        self.byte_order(found, at, old, new);
        rules::condition(found, at, "one_of", members);
        let said = growth.map_or("default", |_| "since");
        growth.inspect(|growth| growth.field(found, members));
        let known = [
            said,
            "default",
            "at",
            "size",
            "name",
            "was",
            "type",
            "endian",
            "wire_id",
            "one_of",
            "magic",
            "version",
            "length_of",
            "text",
        ];
        member::rest(found, at, members, &known);
    }

    fn field_removed(&self, found: &mut Found, field: &Field<'_>, after: &Bytes<'_>) {
        let at = name(field.member);
        let was_deprecated = member::is_deprecated(field.member);
        let change = Change::Removed { what: What::Field, was_deprecated };
        let place = format!("bytes {} to {}", field.at, field.end() - 1);
        match field.in_reserved(&after.fields) {
            Some(zero) => {
                let old = match self.of_zero(field, true) {
                    Side::Reads => Side::Misreads,
                    refuses => refuses,
                };
                let new = if zero { refuses(Code::ReservedNotZero) } else { Side::Reads };
                let why =
                    format!("{place} are reserved now: new writers leave zero there, which says nothing");
                found.put(at, change, [old, new], why);
            }
            None => {
                let why = format!("nothing of it stands in {place} any more");
                found.put(at, change, BOTH_MISREAD, why);
            }
        }
    }

    fn field_added(&self, found: &mut Found, field: &Field<'_>, before: &Bytes<'_>) {
        let at = name(field.member);
        let change = Change::Added { what: What::Field };
        let place = format!("bytes {} to {}", field.at, field.end() - 1);
        let Some(zero) = field.in_reserved(&before.fields) else {
            let why = format!("{place} were not reserved for it");
            found.put(at, change, BOTH_MISREAD, why);
            return;
        };
        let counts_old = |arrays: &[String]| {
            arrays.iter().any(|array| before.fields.iter().any(|field| accepted(field.member) == array))
        };
        if let Role::LengthOf(arrays) = &field.role
            && counts_old(arrays)
        {
            let why =
                format!("{place} were reserved, and count now what was full: old writers left zero there");
            found.put(at, change, BOTH_MISREAD, why);
            return;
        }
        let old = if zero { refuses(Code::ReservedNotZero) } else { Side::Reads };
        let new = self.of_zero(field, false);
        let must = if zero { ", to be zero" } else { "" };
        let none = if new == Side::Reads { "" } else { ", which is no value" };
        let why = format!("{place} were reserved{must}: every old writer left zero there{none}");
        found.put(at, change, [old, new], why);
    }
}

/// The two sizes, and the refusal by length that comes before everything else.
fn size(found: &mut Found, old: &Form, new: &Form, usage: Use) -> First {
    let size = |form: &Form| form.get("size").and_then(crate::lock::integer).unwrap_or_default();
    let (before, after) = (size(old), size(new));
    let (old_code, new_code) = match (usage, after.cmp(&before)) {
        (_, Ordering::Equal) => return First([None, None]),
        (Use::Document { .. }, _) => (Code::BadEncoding, Code::BadEncoding),
        (_, Ordering::Greater) => (Code::TrailingBytes, Code::TooShort),
        (_, Ordering::Less) => (Code::TooShort, Code::TrailingBytes),
    };
    let sides = [refuses(old_code), refuses(new_code)];
    let why = format!("{after} bytes where there were {before}");
    found.put("", set("size", &old.table, &new.table), sides, why);
    First(sides.map(Some))
}

/// A refusal that comes before the fields are looked at, on each side.
#[derive(Clone, Copy)]
struct First([Option<Side>; 2]);

impl First {
    /// The earlier one of two, on each side.
    fn or(self, other: First) -> [Option<Side>; 2] {
        [self.0[0].or(other.0[0]), self.0[1].or(other.0[1])]
    }
}

/// The magic is looked at before the version, and that before the other fields.
fn magic_or_version(fields: &[[(usize, &Table); 2]]) -> First {
    let mut first = First([None, None]);
    let mut version = First([None, None]);
    for [(_, old), (_, new)] in fields {
        let (old, new) = (Field::of(old), Field::of(new));
        if old.at != new.at || old.size != new.size {
            continue;
        }
        match (&old.role, &new.role) {
            (Role::Magic(before), Role::Magic(after)) if before != after => {
                first = First(both_refuse(Code::BadMagic).map(Some));
            }
            (Role::Version(before), Role::Version(after))
                if member::equal("endian", old.member, new.member) =>
            {
                let refused = Some(refuses(Code::UnsupportedVersion));
                version = First([refused.filter(|_| after > before), refused.filter(|_| after < before)]);
            }
            _ => {}
        }
    }
    First(first.or(version))
}

/// Bytes that are reserved before and after. What becomes of those that are put to use is said of the fields in them.
fn reserved_bytes(found: &mut Found, old: &Table, new: &Table) {
    let at = name(new);
    if !member::equal("reserved", old, new) {
        let why = "every writer leaves zero there, whatever readers do with it";
        found.put(at, set("reserved", old, new), BOTH_READ, why);
    }
    let mut keys = ["name", "at", "size", "type", "endian", "was"].into_iter();
    if let Some(key) = keys.find(|key| !member::equal(key, old, new)) {
        let why = "reserved bytes have no meaning that another place, size or name could change";
        found.put(at, set(key, old, new), BOTH_READ, why);
    }
    let known = ["reserved", "name", "was", "at", "size", "type", "endian"];
    member::rest(found, at, [old, new], &known);
}

/// The name that a contract was accepted under.
pub(super) fn member_was(found: &mut Found, old: &Form, new: &Form) {
    if old.get("was") != new.get("was") {
        let why = "the name that it was first accepted under stays in its wire id";
        found.harmless("", set("was", &old.table, &new.table), why);
    }
}
