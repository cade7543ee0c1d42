//! Recipes: their keys, and what the absence of each means.

use toml::{Table, Value};
use wirecontract::Code;

use super::change::{Change, Found, What};
use super::descriptor::member_was;
use super::effect::{BOTH_MISREAD, BOTH_READ, Side, loosened, refuses, tightened};
use super::json_type::limit;
use super::member::{self, Pairs, name, set, text};
use super::ty::Type;
use super::{Differ, Use, rules};
use crate::lock::{Form, Kind};

/// A key as its member says it.
struct Key<'form> {
    member: &'form Table,
    /// What it holds, without the option.
    ty: Type,
    /// Whether it may be absent and stays absent.
    is_option: bool,
}

impl<'form> Key<'form> {
    fn of(member: &'form Table) -> Self {
        match Type::of(text(member, "type").unwrap_or_default()) {
            Type::Option(of) => Key { member, ty: *of, is_option: true },
            ty => Key { member, ty, is_option: false },
        }
    }

    fn default(&self) -> Option<&Value> {
        self.member.get("default")
    }

    fn is_required(&self) -> bool {
        !self.is_option && self.default().is_none()
    }

    /// Whether it is a recipe or union whose keys stand in the same object.
    fn is_flat(&self) -> bool {
        member::is(self.member, "flatten")
    }

    fn takes_null(&self) -> bool {
        member::is(self.member, "nullable") || self.writes_null()
    }

    fn writes_null(&self) -> bool {
        member::is(self.member, "null_when_absent")
    }
}

impl Differ<'_> {
    pub(super) fn recipe(&self, found: &mut Found, old: &Form, new: &Form, usage: Use) {
        let (before, after) = (&old.table, &new.table);
        let denied = match usage {
            Use::Flattened { denied } => denied,
            _ => [before, after].map(|form| member::is(form, "deny_unknown")),
        };
        if !member::equal("deny_unknown", before, after) {
            let (sides, why) = match (usage, denied) {
                (Use::Flattened { .. }, _) => (BOTH_READ, "whose object it is says which keys it has"),
                (_, [false, true]) => (tightened(Code::UnknownKey), "keys of nobody were passed over"),
                _ => (BOTH_READ, "new writers write no other keys"),
            };
            found.put("", set("deny_unknown", before, after), sides, why);
        }
        documents(found, old, new, usage);
        let pairs = Pairs::new(old.section("fields"), new.section("fields"))
            .by_name(name)
            .by(|(old_at, old), (new_at, new)| old_at == new_at && text(old, "type") == text(new, "type"));
        for [(_, old), (_, new)] in &pairs.both {
            self.key(found, &[Key::of(old), Key::of(new)], denied);
        }
        for (_, key) in &pairs.removed {
            self.key_removed(found, &Key::of(key), denied);
        }
        for (_, key) in &pairs.added {
            self.key_added(found, &Key::of(key), denied);
        }
        if pairs.are_reordered() {
            let why =
                "readers take keys in any order: they are written, and their faults are told, in another one";
            found.put("", Change::Reordered { what: What::Key }, BOTH_READ, why);
        }
        rules::rules(found, old, new);
        let known = ["deny_unknown", "max_bytes", "max_depth", "fields", "rules", "was"];
        member::rest(found, "", [before, after], &known);
        member_was(found, old, new);
    }

    fn key(&self, found: &mut Found, [old, new]: &[Key<'_>; 2], denied: [bool; 2]) {
        let (at, members) = (name(new.member), [old.member, new.member]);
        key_name(found, [old, new], denied);
        presence(found, at, old, new);
        match [old.is_flat(), new.is_flat()] {
            [true, true] => {
                self.json_type(found, at, members, [&old.ty, &new.ty], |_| Use::Flattened { denied });
            }
            [false, false] => {
                self.json_type(found, at, members, [&old.ty, &new.ty], |open| Use::Document { open });
            }
            [_, is_flat] => {
                let one = if is_flat { [old, new] } else { [new, old] };
                let nested = if one[0].is_required() { refuses(Code::MissingKey) } else { Side::Misreads };
                let flat = if self.has_required(&one[1].ty, is_flat) {
                    refuses(Code::MissingKey)
                } else {
                    Side::Misreads
                };
                let sides = if is_flat { [nested, flat] } else { [flat, nested] };
                let change = set("flatten", old.member, new.member);
                found.put(at, change, sides, "its keys stand in another object");
            }
        }
        if !member::equal("lenient", old.member, new.member) {
            let (sides, why) = if member::is(new.member, "lenient") {
                (BOTH_READ, "lenient readers look past more, and strict ones are as they were")
            } else {
                (tightened(Code::WrongType), "lenient readers looked past what was malformed")
            };
            found.put(at, set("lenient", old.member, new.member), sides, why);
        }
        if !member::equal("not_imported", old.member, new.member) {
            let (sides, why) = if member::is(new.member, "not_imported") {
                (loosened(Code::RuleViolated), "new importers do not ask the import rules of what it holds")
            } else {
                (tightened(Code::RuleViolated), "old importers did not ask the import rules of what it holds")
            };
            found.put(at, set("not_imported", old.member, new.member), sides, why);
        }
        for key in ["required_if", "one_of"] {
            rules::condition(found, at, key, members);
        }
        if !member::equal("rust", old.member, new.member) && name(old.member) == name(new.member) {
            found.harmless(at, set("rust", old.member, new.member), "`rust` names it in one language only");
        }
        let known = [
            "name",
            "rust",
            "type",
            "spelling",
            "wire_id",
            "default",
            "skip_default",
            "nullable",
            "null_when_absent",
            "required_if",
            "one_of",
            "min",
            "max",
            "max_len",
            "max_items",
            "flatten",
            "lenient",
            "not_imported",
        ];
        member::rest(found, at, members, &known);
    }

    fn key_removed(&self, found: &mut Found, key: &Key<'_>, denied: [bool; 2]) {
        let was_deprecated = member::is_deprecated(key.member);
        let change = Change::Removed { what: What::Key, was_deprecated };
        let old = self.without(key, true);
        let new = if denied[1] { refuses(Code::UnknownKey) } else { Side::Reads };
        let why = "new writers do not write it, and new readers know no such key";
        found.put(name(key.member), change, [old, new], why);
    }

    fn key_added(&self, found: &mut Found, key: &Key<'_>, denied: [bool; 2]) {
        let old = if denied[0] { refuses(Code::UnknownKey) } else { Side::Reads };
        let new = self.without(key, false);
        let why = "old readers know no such key, and old writers did not write it";
        found.put(name(key.member), Change::Added { what: What::Key }, [old, new], why);
    }

    /// What a reader of a key does with a document that nobody wrote it in.
    fn without(&self, key: &Key<'_>, is_old: bool) -> Side {
        let is_required = if key.is_flat() { self.has_required(&key.ty, !is_old) } else { key.is_required() };
        if is_required {
            refuses(Code::MissingKey)
        } else if key.member.contains_key("required_if") {
            refuses(Code::ConditionViolated)
        } else {
            Side::Reads
        }
    }

    /// Whether a recipe has a key that must be there; of a union it may.
    fn has_required(&self, ty: &Type, is_new: bool) -> bool {
        let Type::Contract(path) = ty else { return false };
        let form = if is_new { self.forms.new_form(path) } else { self.forms.old(path) };
        form.is_none_or(|form| form.kind == Kind::Union || required(form).next().is_some())
    }
}

fn key_name(found: &mut Found, [old, new]: [&Key<'_>; 2], denied: [bool; 2]) {
    let [from, to] = [name(old.member), name(new.member)].map(str::to_owned);
    if from == to {
        return;
    }
    let change = Change::Renamed { what: What::Key, from: from.clone(), to: to.clone() };
    if old.is_flat() && new.is_flat() {
        found.put(
            &to,
            change,
            BOTH_READ,
            "the keys in it stand in the holder's object, and its own name nowhere",
        );
        return;
    }
    let side = |key: &Key<'_>, denied: bool| match (key.is_required(), denied) {
        (true, _) => refuses(Code::MissingKey),
        (false, true) => refuses(Code::UnknownKey),
        (false, false) => Side::Misreads,
    };
    let sides = [side(old, denied[0]), side(new, denied[1])];
    let why = format!("documents had the key `{from}`: keep it with `name = \"{from}\"`");
    found.put(&to, change, sides, why);
}

/// The keys of a recipe that must be there.
pub(super) fn required(recipe: &Form) -> impl Iterator<Item = &Table> {
    recipe.section("fields").filter(|member| Key::of(member).is_required())
}

/// Whether a key may be absent, what that means, and whether null says it.
fn presence(found: &mut Found, at: &str, old: &Key<'_>, new: &Key<'_>) {
    let key = if old.default() == new.default() { "type" } else { "default" };
    let change = set(key, old.member, new.member);
    let word = |key: &Key<'_>| match key.default() {
        Some(default) => format!("stands for {}", member::word(default)),
        None => "says nothing".to_owned(),
    };
    match [old.is_required(), new.is_required()] {
        [true, false] => {
            found.put(at, change, loosened(Code::MissingKey), "it may be absent, and was required");
        }
        [false, true] => {
            found.put(at, change, tightened(Code::MissingKey), "it is required, and might be absent");
        }
        [false, false] if old.default() != new.default() => {
            let why =
                format!("its absence {}, and {} before", word(new), word(old).replace("stands", "stood"));
            found.put(at, change, BOTH_MISREAD, why.replace("says nothing before", "said nothing before"));
        }
        [false, false] if old.is_option != new.is_option => {
            let why = format!("its absence {} as before, whether it is kept or filled in", word(new));
            found.put(at, change, BOTH_READ, why);
        }
        _ => {}
    }
    let old_side =
        if new.writes_null() && !old.takes_null() { refuses(Code::NullNotAllowed) } else { Side::Reads };
    let new_side =
        if old.takes_null() && !new.takes_null() { refuses(Code::NullNotAllowed) } else { Side::Reads };
    let mut keys = ["null_when_absent", "nullable"].into_iter();
    if let Some(key) = keys.find(|key| !member::equal(key, old.member, new.member)) {
        let why = match (new.writes_null(), new.takes_null()) {
            (true, _) => "absence is written as null, and null is read as absence",
            (false, true) => "null is read as absence, and never written",
            (false, false) => "null was read as absence",
        };
        found.put(at, set(key, old.member, new.member), [old_side, new_side], why);
    }
    if !member::equal("skip_default", old.member, new.member) {
        let why = "a default that is left out is read as if it stood there";
        found.put(at, set("skip_default", old.member, new.member), BOTH_READ, why);
    }
}

/// The bounds of whole documents: the outermost contract's count.
pub(super) fn documents(found: &mut Found, old: &Form, new: &Form, usage: Use) {
    for (key, code) in [("max_bytes", Code::TooLarge), ("max_depth", Code::TooDeep)] {
        let (before, after) = (limit(&old.table, key), limit(&new.table, key));
        if before == after {
            continue;
        }
        let (sides, why) = match usage {
            Use::Alone if after < before => (tightened(code), format!("`{key}` is {after} and was {before}")),
            Use::Alone => (loosened(code), format!("`{key}` is {after} and was {before}")),
            _ => (BOTH_READ, format!("`{key}` counts for whole documents only")),
        };
        found.put("", set(key, &old.table, &new.table), sides, why);
    }
}
