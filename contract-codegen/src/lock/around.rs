//! What was agreed when a form of some version was.

use toml::{Table, Value};

use super::Form;

/// The form, what it holds as it was then, and of everything else what is current.
///
/// A member says the wire id of what it holds, so that the form of that time is found among `all` versions. One that was
/// accepted anew under its version since has another wire id; the next version of the holder has it then, since what
/// holds a contract changes with it.
pub(crate) fn around<'a>(
    form: &'a Form,
    current: impl IntoIterator<Item = &'a Form>,
    all: &[&'a Form],
) -> Vec<&'a Form> {
    let mut then = vec![form];
    let mut at = 0;
    while let Some(&holder) = then.get(at) {
        for held in held(holder, all) {
            if !then.iter().any(|form| is_one(form, held)) {
                then.push(held);
            }
        }
        at += 1;
    }
    let others: Vec<&Form> =
        current.into_iter().filter(|other| !then.iter().any(|form| is_one(form, other))).collect();
    then.extend(others);
    then
}

/// Whether two forms are of one contract, be it under an earlier path.
fn is_one(one: &Form, other: &Form) -> bool {
    one.path == other.path || one.kind == other.kind && one.first_path() == other.first_path()
}

/// What the members of a form hold, directly.
fn held<'a>(holder: &Form, all: &[&'a Form]) -> Vec<&'a Form> {
    members(&holder.table).into_iter().flat_map(|member| of_member(holder, member, all)).collect()
}

fn of_member<'a>(holder: &Form, member: &Table, all: &[&'a Form]) -> Vec<&'a Form> {
    let (Some(ty), ids) = (member.get("type").and_then(Value::as_str), wire_ids(member)) else {
        return Vec::new();
    };
    let mut forms: Vec<&Form> =
        all.iter().copied().filter(|form| ids.contains(&form.wire_id) && mentions(ty, &form.path)).collect();
    if forms.len() < ids.len() {
        let later = all.iter().filter(|form| form.path == holder.path && form.version > holder.version);
        if let Some(next) = later.min_by_key(|form| form.version) {
            let known = forms.clone();
            let is_lost =
                |form: &&Form| mentions(ty, &form.path) && !known.iter().any(|other| is_one(other, form));
            forms.extend(held(next, all).into_iter().filter(is_lost));
        }
    }
    forms
}

/// The tables in a form that say what they hold, at whatever depth.
fn members(table: &Table) -> Vec<&Table> {
    let mut found = Vec::new();
    if table.contains_key("wire_id") || table.contains_key("wire_ids") {
        found.push(table);
    }
    let values = table.values().flat_map(|value| match value {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    });
    found.extend(values.filter_map(Value::as_table).flat_map(members));
    found
}

fn wire_ids(member: &Table) -> Vec<u64> {
    let one = member.get("wire_id").into_iter();
    let several = member.get("wire_ids").and_then(Value::as_array).into_iter().flatten();
    let digits = one.chain(several).filter_map(|id| id.as_str()?.strip_prefix("0x"));
    digits.filter_map(|digits| u64::from_str_radix(digits, 16).ok()).collect()
}

/// Whether a path stands in a type, as a whole.
fn mentions(ty: &str, path: &str) -> bool {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    ty.split(|c| !is_path(c)).any(|word| word == path)
}

#[cfg(test)]
mod tests {
    use super::{around, mentions};
    use crate::lock::{Form, Kind};

    fn form(path: &str, version: u32, wire_id: u64, table: &str) -> Form {
        let table = table.parse().expect("a table of TOML");
        Form { path: path.to_owned(), version, kind: Kind::Recipe, wire_id, table }
    }

    fn holder(version: u32, wire_id: u64, holds: &str, held: u64) -> Form {
        let field =
            format!("fields = [{{ name = \"at\", type = \"Vec<{holds}>\", wire_id = \"{held:#018x}\" }}]");
        form("a::Holder", version, wire_id, &field)
    }

    /// Paths and versions of what was agreed with the first form.
    fn then<'a>(all: &'a [Form], current: &[usize]) -> Vec<(&'a str, u32)> {
        let refs: Vec<&Form> = all.iter().collect();
        let forms = around(&all[0], current.iter().map(|&at| &all[at]), &refs);
        forms.into_iter().map(|form| (&*form.path, form.version)).collect()
    }

    #[test]
    fn what_a_form_holds_is_as_it_was_then_at_every_depth() {
        let all = [
            form("a::Top", 1, 30, "variants = [{ type = \"a::Holder\", wire_id = \"0x14\" }]"),
            holder(1, 20, "a::Point", 10),
            form("a::Point", 1, 10, ""),
            holder(2, 21, "a::Point", 11),
            form("a::Point", 2, 11, ""),
            form("a::Other", 5, 50, ""),
        ];
        let expected = [("a::Top", 1), ("a::Holder", 1), ("a::Point", 1), ("a::Other", 5)];
        assert_eq!(then(&all, &[3, 4, 5]), expected);
    }

    #[test]
    fn what_was_accepted_anew_under_its_version_is_what_the_next_version_holds() {
        let all = [
            holder(1, 20, "a::Point", 9),
            holder(2, 21, "a::Point", 10),
            form("a::Point", 1, 10, ""),
            form("a::Point", 2, 11, ""),
        ];
        assert_eq!(then(&all, &[1, 3]), [("a::Holder", 1), ("a::Point", 1)]);
    }

    #[test]
    fn what_was_renamed_since_stands_there_once() {
        let all = [
            holder(1, 20, "a::Point", 10),
            form("a::Point", 1, 10, ""),
            form("a::Spot", 1, 10, "was = \"Point\""),
            holder(2, 21, "a::Spot", 10),
        ];
        assert_eq!(then(&all, &[2, 3]), [("a::Holder", 1), ("a::Point", 1)]);
    }

    #[test]
    fn a_path_stands_in_a_type_as_a_whole() {
        assert!(mentions("Option<Vec<a::Point>>", "a::Point"));
        assert!(mentions("[Open<a::Point>; 4]", "a::Point"));
        assert!(!mentions("Vec<a::Points>", "a::Point"));
        assert!(!mentions("Vec<b::a::Point>", "a::Point"));
    }
}
