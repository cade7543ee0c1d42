//! The contracts before and after, and which of them belong together.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Classified, Found, What};
use super::effect::{BOTH_READ, Effect, Side, refuses};
use super::{between, member};
use crate::lock::{Form, Kind};
use wirecontract::Code;

/// Whether a contract before and one after are one.
type Belongs<'forms> = dyn Fn(&Form, &Form) -> bool + 'forms;

/// The current forms of all contracts, before and after.
#[derive(Debug, Clone, Default)]
pub struct Forms {
    old: BTreeMap<String, Form>,
    new: BTreeMap<String, Form>,
    /// The path now of each contract that is still there, by its path before.
    partners: BTreeMap<String, String>,
}

/// A contract, and what became of it.
#[derive(Debug, Clone)]
pub struct Compared<'forms> {
    /// Its form before, where it was there.
    pub old: Option<&'forms Form>,
    /// Its form now, where it is there.
    pub new: Option<&'forms Form>,
    /// What differs.
    pub changes: Vec<Classified>,
}

impl Compared<'_> {
    /// What all changes do together.
    pub fn effect(&self) -> Effect {
        Effect::of_all(self.changes.iter().map(|change| change.effect))
    }
}

impl Forms {
    /// The contracts before and after, one form each.
    pub fn new(old: impl IntoIterator<Item = Form>, new: impl IntoIterator<Item = Form>) -> Self {
        let by_path = |form: Form| (form.path.clone(), form);
        let mut forms = Forms {
            old: old.into_iter().map(by_path).collect(),
            new: new.into_iter().map(by_path).collect(),
            partners: BTreeMap::new(),
        };
        forms.partners = forms.find_partners();
        forms
    }

    /// The form before of that path.
    pub fn old(&self, path: &str) -> Option<&Form> {
        self.old.get(path)
    }

    /// The form now of that path.
    pub fn new_form(&self, path: &str) -> Option<&Form> {
        self.new.get(path)
    }

    /// The path now of a contract that had this path.
    pub fn partner(&self, old: &str) -> Option<&str> {
        self.partners.get(old).map(String::as_str)
    }

    /// Every contract of either side that changed, by its path.
    pub fn compare(&self) -> Vec<Compared<'_>> {
        let mut compared = Vec::new();
        for (path, old) in &self.old {
            let new = self.partner(path).and_then(|path| self.new.get(path));
            let changes = new.map_or_else(|| removed(old), |new| between(old, new, self));
            compared.push(Compared { old: Some(old), new, changes });
        }
        let kept: BTreeSet<&String> = self.partners.values().collect();
        for new in self.new.values().filter(|form| !kept.contains(&form.path)) {
            compared.push(Compared { old: None, new: Some(new), changes: added(new) });
        }
        compared.retain(|contract| !contract.changes.is_empty());
        compared.sort_by_key(|contract| contract.new.or(contract.old).map(|form| form.path.clone()));
        compared
    }

    /// A contract is the same where its path is, of a function where its symbol is; else one that is gone is the one that
    /// says so by `was`, or that has its wire id, which covers its name as first accepted, or the only one of its name.
    fn find_partners(&self) -> BTreeMap<String, String> {
        let mut partners = BTreeMap::new();
        let mut gone: Vec<&Form> = self.old.values().collect();
        let mut come: Vec<&Form> = self.new.values().collect();
        let ways: [&Belongs<'_>; 5] = [
            &|old, new| match old.kind {
                Kind::Function => new.kind == old.kind && old.text("symbol") == new.text("symbol"),
                _ => new.kind != Kind::Function && old.path == new.path,
            },
            &|old, new| old.kind == new.kind && old.wire_id == new.wire_id && module(old) == module(new),
            &|old, new| old.kind == new.kind && old.wire_id == new.wire_id,
            &|old, new| {
                old.kind == new.kind && module(old) == module(new) && new.text("was") == Some(accepted(old))
            },
            &|old, new| {
                let is_alone = |forms: &BTreeMap<String, Form>, form: &Form| {
                    forms.values().filter(|other| accepted(other) == accepted(form)).count() == 1
                };
                old.kind == new.kind
                    && old.kind != Kind::Function
                    && accepted(old) == accepted(new)
                    && is_alone(&self.old, old)
                    && is_alone(&self.new, new)
            },
        ];
        for belong in ways {
            gone.retain(|old| match come.iter().position(|new| belong(old, new)) {
                Some(at) => {
                    partners.insert(old.path.clone(), come.remove(at).path.clone());
                    false
                }
                None => true,
            });
        }
        partners
    }
}

/// The path without its last word.
pub(super) fn module(form: &Form) -> &str {
    form.path.rsplit_once("::").map_or("", |(module, _)| module)
}

/// The last word of the path.
pub(super) fn name(form: &Form) -> &str {
    form.path.rsplit("::").next().unwrap_or(&form.path)
}

/// The name that a contract was first accepted under.
fn accepted(form: &Form) -> &str {
    form.text("was").unwrap_or(name(form))
}

/// Whether programs look for it in a library by its symbols.
fn is_exported(form: &Form) -> bool {
    matches!(form.kind, Kind::Handle | Kind::Function | Kind::Library | Kind::Symbols)
}

fn removed(form: &Form) -> Vec<Classified> {
    let mut found = Found::default();
    let change = Change::Removed { what: What::Contract, was_deprecated: member::is_deprecated(&form.table) };
    if is_exported(form) {
        let why = "old programs find no such symbol in a new library";
        found.put("", change, [refuses(Code::IdMismatch), Side::Reads], why);
    } else {
        let why = "nobody writes what old readers wait for, and nobody reads what old writers write";
        found.put("", change, [Side::Refuses(None); 2], why);
    }
    found.changes
}

fn added(form: &Form) -> Vec<Classified> {
    let mut found = Found::default();
    let change = Change::Added { what: What::Contract };
    if is_exported(form) {
        let why = "new programs find no such symbol in an old library";
        found.put("", change, [Side::Reads, refuses(Code::IdMismatch)], why);
    } else {
        found.put("", change, BOTH_READ, "nobody reads or writes it yet");
    }
    found.changes
}
